// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The driver's interface: streams and events of contexts, parts of a device, operations on memory as a batch, launches in pieces, attributes
// of dumps.
// nvcc: -lcuda
#include "driver.h"

static CUcontext context;
static CUmodule module;
static CUfunction fill;
static CUdeviceptr data;

static unsigned
read_word(int index) {
  unsigned word = 0;
  CHECK(cuMemcpyDtoH(&word, data + 4 * index, sizeof word));
  return word;
}

static void
contexts() {
  CUcontext other, found = NULL;
  CUstream stream, own;
  CUevent event, own_event;
  CUgreenCtx part = (CUgreenCtx)1;
  CHECK(cuStreamCreate(&own, CU_STREAM_DEFAULT));
  CHECK(cuEventCreate(&own_event, CU_EVENT_DEFAULT));
  CHECK(cuCtxCreate(&other, NULL, 0, 0));
  CHECK(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
  CHECK(cuEventCreate(&event, CU_EVENT_DEFAULT));
  CHECK(cuEventRecord(event, stream));
  FAILS(INVALID_HANDLE, cuEventRecord(own_event, stream));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuStreamGetCtx(stream, &found));
  EXPECT(found == other);
  CHECK(cuStreamGetCtx(NULL, &found));
  EXPECT(found == context);
  CHECK(cuStreamGetCtx_v2(stream, &found, &part));
  EXPECT(found == other && part == NULL);
  FAILS(INVALID_HANDLE, cuEventRecord(event, NULL));
  CHECK(cuStreamWaitEvent(own, event, 0));
  CHECK(cuCtxRecordEvent(other, event));
  FAILS(INVALID_HANDLE, cuCtxRecordEvent(context, event));
  CHECK(cuCtxRecordEvent(context, own_event));
  FAILS(INVALID_CONTEXT, cuCtxRecordEvent(NULL, own_event));
  CHECK(cuCtxWaitEvent(other, own_event));
  CHECK(cuCtxWaitEvent(context, event));
  FAILS(INVALID_CONTEXT, cuCtxWaitEvent(NULL, event));
  CHECK(cuCtxSynchronize());
  CHECK(cuEventQuery(own_event));

  CUgraph graph;
  CHECK(cuStreamBeginCapture(own, CU_STREAM_CAPTURE_MODE_RELAXED));
  FAILS(STREAM_CAPTURE_UNSUPPORTED, cuCtxRecordEvent(context, own_event));
  FAILS(STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(own, &graph));

  CHECK(cuEventDestroy(event));
  CHECK(cuEventDestroy(own_event));
  CHECK(cuStreamDestroy(own));
  CHECK(cuCtxSetCurrent(other));
  CHECK(cuStreamDestroy(stream));
  CHECK(cuCtxDestroy(other));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuEventCreate(&event, CU_EVENT_DEFAULT));
  FAILS(CONTEXT_IS_DESTROYED, cuCtxRecordEvent(other, event));
  CHECK(cuEventDestroy(event));

  CUexecAffinityParam affinity, wanted = {CU_EXEC_AFFINITY_TYPE_SM_COUNT};
  CUctxCreateParams parameters = {&wanted, 1, NULL};
  int is_supported = 1;
  wanted.param.smCount.val = 16;
  CHECK(cuDeviceGetExecAffinitySupport(&is_supported, CU_EXEC_AFFINITY_TYPE_SM_COUNT, 0));
  FAILS(INVALID_DEVICE,
        cuDeviceGetExecAffinitySupport(&is_supported, CU_EXEC_AFFINITY_TYPE_SM_COUNT, 9));
  CHECK(cuCtxGetExecAffinity(&affinity, CU_EXEC_AFFINITY_TYPE_SM_COUNT));
  printf("affinity: %d, %u\n", is_supported, affinity.param.smCount.val);
  FAILS(UNSUPPORTED_EXEC_AFFINITY, cuCtxGetExecAffinity(&affinity, (CUexecAffinityType)1));
  FAILS(UNSUPPORTED_EXEC_AFFINITY, cuCtxCreate(&other, &parameters, 0, 0));
}

static void
show_split(const CUdevResource *all, unsigned flags, unsigned count) {
  CUdevResource groups[2], rest;
  unsigned most = 0, n = 2;
  memset(groups, 0, sizeof groups);
  CHECK(cuDevSmResourceSplitByCount(NULL, &most, all, NULL, flags, count));
  CHECK(cuDevSmResourceSplitByCount(groups, &n, all, &rest, flags, count));
  printf("split by %u: %u of %u, rest %u\n", count, most, groups[0].sm.smCount, rest.sm.smCount);
}

static void
split() {
  CUdevResource all, rest, one;
  unsigned n = 1;
  CHECK(cuDeviceGetDevResource(0, &all, CU_DEV_RESOURCE_TYPE_SM));
  printf("multiprocessors: %u, at least %u, by %u\n", all.sm.smCount, all.sm.minSmPartitionSize,
         all.sm.smCoscheduledAlignment);
  CHECK(cuCtxGetDevResource(context, &rest, CU_DEV_RESOURCE_TYPE_SM));
  EXPECT(rest.sm.smCount == all.sm.smCount);
  FAILS(INVALID_DEVICE, cuDeviceGetDevResource(9, &rest, CU_DEV_RESOURCE_TYPE_SM));
  FAILS(INVALID_RESOURCE_TYPE, cuDeviceGetDevResource(0, &rest, CU_DEV_RESOURCE_TYPE_INVALID));
  FAILS(INVALID_VALUE, cuDeviceGetDevResource(0, NULL, CU_DEV_RESOURCE_TYPE_SM));
  FAILS(INVALID_CONTEXT, cuCtxGetDevResource(NULL, &rest, CU_DEV_RESOURCE_TYPE_SM));
  show_split(&all, 0, 32);
  show_split(&all, 0, 64);
  show_split(&all, 0, 66);
  show_split(&all, 0, 132);
  show_split(&all, CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING, 10);
  show_split(&all, CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING, 66);
  FAILS(INVALID_RESOURCE_CONFIGURATION,
        cuDevSmResourceSplitByCount(NULL, &n, &all, NULL, 0, all.sm.smCount + 1));
  FAILS(INVALID_VALUE, cuDevSmResourceSplitByCount(NULL, &n, &all, NULL, 3, 8));
  FAILS(INVALID_VALUE, cuDevSmResourceSplitByCount(NULL, NULL, &all, NULL, 0, 8));
  n = 1;
  CHECK(cuDevSmResourceSplitByCount(&one, &n, &all, &rest, 0, 32));
  FAILS(INVALID_RESOURCE_CONFIGURATION,
        cuDevSmResourceSplitByCount(NULL, &n, &one, NULL, 0, 8));
}

static void
part_of_device() {
  CUdevResource all, group, found;
  CUdevResourceDesc description;
  CUgreenCtx green, got = NULL;
  CUcontext whole, part, of = NULL;
  CUstream stream;
  CUevent event;
  void *arguments[] = {&data};
  unsigned n = 1;
  unsigned long long id = 0;
  CHECK(cuDevicePrimaryCtxRetain(&whole, 0));
  CHECK(cuCtxSetCurrent(whole));
  CHECK(cuDeviceGetDevResource(0, &all, CU_DEV_RESOURCE_TYPE_SM));
  CHECK(cuDevSmResourceSplitByCount(&group, &n, &all, NULL, 0, 32));
  FAILS(INVALID_VALUE, cuDevResourceGenerateDesc(&description, NULL, 1));
  CHECK(cuDevResourceGenerateDesc(&description, &group, 1));
  CHECK(cuGreenCtxCreate(&green, description, 0, CU_GREEN_CTX_DEFAULT_STREAM));
  CHECK(cuGreenCtxGetDevResource(green, &found, CU_DEV_RESOURCE_TYPE_SM));
  printf("part: %u\n", found.sm.smCount);
  CHECK(cuCtxFromGreenCtx(&part, green));
  CHECK(cuGreenCtxGetId(green, &id));
  FAILS(INVALID_VALUE, cuGreenCtxStreamCreate(&stream, green, CU_STREAM_DEFAULT, 0));
  CHECK(cuGreenCtxStreamCreate(&stream, green, CU_STREAM_NON_BLOCKING, 0));
  CHECK(cuStreamGetCtx(stream, &of));
  EXPECT(of == part);
  CHECK(cuStreamGetGreenCtx(stream, &got));
  EXPECT(got == green);
  CHECK(cuStreamGetCtx_v2(stream, &of, &got));
  EXPECT(of == whole && got == green);
  CHECK(cuStreamGetGreenCtx(NULL, &got));
  EXPECT(got == NULL);

  CUmodule own;
  CUfunction function;
  CHECK(cuModuleLoadData(&own, module_text));
  CHECK(cuModuleGetFunction(&function, own, "fill"));
  CUdeviceptr memory;
  unsigned words[64];
  arguments[0] = &memory;
  CHECK(cuMemAlloc(&memory, sizeof words));
  CHECK(cuCtxSetCurrent(part));
  CHECK(cuEventCreate(&event, CU_EVENT_DEFAULT));
  CHECK(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, stream, arguments, NULL));
  CHECK(cuGreenCtxRecordEvent(green, event));
  CHECK(cuGreenCtxWaitEvent(green, event));
  CHECK(cuStreamSynchronize(stream));
  CHECK(cuEventQuery(event));
  CHECK(cuMemcpyDtoH(words, memory, sizeof words));
  printf("in it: %u %u\n", words[0], words[63]);
  CHECK(cuStreamGetGreenCtx(NULL, &got));
  EXPECT(got == green);
  CUexecAffinityParam affinity;
  FAILS(INVALID_CONTEXT, cuCtxGetExecAffinity(&affinity, CU_EXEC_AFFINITY_TYPE_SM_COUNT));
  CHECK(cuEventDestroy(event));
  CHECK(cuCtxSetCurrent(whole));
  CHECK(cuStreamDestroy(stream));
  CHECK(cuGreenCtxStreamCreate(&stream, green, CU_STREAM_NON_BLOCKING, 0));
  CHECK(cuGreenCtxDestroy(green));
  FAILS(CONTEXT_IS_DESTROYED, cuStreamSynchronize(stream));
  FAILS(CONTEXT_IS_DESTROYED, cuStreamDestroy(stream));
  CHECK(cuMemFree(memory));
  CHECK(cuModuleUnload(own));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuDevicePrimaryCtxRelease(0));
}

static CUstreamBatchMemOpParams
make_operation(CUstreamBatchMemOpType kind, CUdeviceptr address, unsigned long long value,
               unsigned flags) {
  CUstreamBatchMemOpParams made;
  memset(&made, 0, sizeof made);
  made.operation = kind;
  made.writeValue.address = address;
  made.writeValue.value64 = value;
  made.writeValue.flags = flags;
  return made;
}

static void
batches() {
  CUstream stream;
  CUgraph graph;
  CUgraphNode node;
  CUgraphNodeType kind;
  CUgraphExec exec;
  CUDA_BATCH_MEM_OP_NODE_PARAMS found;
  CUstreamBatchMemOpParams operations[4] = {
      make_operation(CU_STREAM_MEM_OP_WRITE_VALUE_32, data, 5, 0),
      make_operation(CU_STREAM_MEM_OP_WAIT_VALUE_32, data, 5, CU_STREAM_WAIT_VALUE_EQ),
      make_operation(CU_STREAM_MEM_OP_WRITE_VALUE_64, data + 8, 0x100000007ull, 0),
      make_operation(CU_STREAM_MEM_OP_WAIT_VALUE_64, data + 8, 0x100000000ull,
                     CU_STREAM_WAIT_VALUE_GEQ)};
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CHECK(cuStreamBatchMemOp(stream, 4, operations, 0));
  CHECK(cuStreamSynchronize(stream));
  printf("batch: %u %u %u\n", read_word(0), read_word(2), read_word(3));
  CHECK(cuStreamBatchMemOp(stream, 0, operations, 0));
  FAILS(INVALID_VALUE, cuStreamBatchMemOp(stream, 4, operations, 1));

  CUstreamBatchMemOpParams flush = make_operation(CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES, 0, 0, 0);
  FAILS(NOT_SUPPORTED, cuStreamBatchMemOp(stream, 1, &flush, 0));

  // A wait is over when another stream writes.
  CUstream other;
  CHECK(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
  operations[1].waitValue.value = 77;
  CHECK(cuStreamBatchMemOp(stream, 1, operations + 1, 0));
  FAILS(NOT_READY, cuStreamQuery(stream));
  CHECK(cuStreamWriteValue32(other, data, 77, 0));
  CHECK(cuStreamSynchronize(stream));
  CHECK(cuStreamDestroy(other));

  CUDA_BATCH_MEM_OP_NODE_PARAMS parameters = {context, 1, operations, 0};
  operations[0].writeValue.value = 9;
  CHECK(cuGraphCreate(&graph, 0));
  CHECK(cuGraphAddBatchMemOpNode(&node, graph, NULL, 0, &parameters));
  CHECK(cuGraphNodeGetType(node, &kind));
  EXPECT(kind == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);
  CHECK(cuGraphBatchMemOpNodeGetParams(node, &found));
  EXPECT(found.count == 1 && found.paramArray != operations &&
         found.paramArray[0].writeValue.value == 9);
  CHECK(cuGraphInstantiate(&exec, graph, 0));
  CHECK(cuGraphLaunch(exec, stream));
  CHECK(cuStreamSynchronize(stream));
  printf("node: %u", read_word(0));
  operations[0].writeValue.value = 11;
  CHECK(cuGraphBatchMemOpNodeSetParams(node, &parameters));
  CHECK(cuGraphExecBatchMemOpNodeSetParams(exec, node, &parameters));
  CHECK(cuGraphLaunch(exec, stream));
  CHECK(cuStreamSynchronize(stream));
  printf(" %u\n", read_word(0));
  parameters.count = 2;
  FAILS(INVALID_VALUE, cuGraphExecBatchMemOpNodeSetParams(exec, node, &parameters));
  CHECK(cuGraphExecDestroy(exec));
  CHECK(cuGraphDestroy(graph));
  CHECK(cuStreamDestroy(stream));
}

static void
pieces() {
  CUfunction scale;
  unsigned n = 8;
  CHECK(cuModuleGetFunction(&scale, module, "scale"));
  CHECK(cuFuncSetBlockShape(fill, 64, 1, 1));
  CHECK(cuParamSetSize(fill, sizeof data));
  CHECK(cuParamSetv(fill, 0, &data, sizeof data));
  CHECK(cuLaunch(fill));
  CHECK(cuCtxSynchronize());
  printf("pieces: %u %u", read_word(0), read_word(63));
  CHECK(cuMemsetD32(data, 0x40000000, 16)); // 2.0
  CHECK(cuFuncSetBlockShape(scale, 4, 1, 1));
  FAILS(INVALID_VALUE, cuFuncSetBlockShape(scale, 0, 1, 1));
  CHECK(cuFuncSetSharedSize(scale, 64));
  CHECK(cuParamSetSize(scale, 16));
  CHECK(cuParamSetv(scale, 0, &data, sizeof data));
  CHECK(cuParamSeti(scale, 8, n));
  CHECK(cuParamSetf(scale, 12, 1.5f));
  CHECK(cuLaunchGrid(scale, 2, 1));
  CHECK(cuCtxSynchronize());
  printf(" %x %x %x\n", read_word(0), read_word(7), read_word(8));
}

static void
dumps() {
  bool value = false;
  size_t bytes = 0;
  int flags = 0;
  char name[1024] = "";
  CHECK(cuCoredumpGetAttribute(CU_COREDUMP_LIGHTWEIGHT, NULL, &bytes));
  EXPECT(bytes == 1);
  CHECK(cuCoredumpGetAttribute(CU_COREDUMP_TRIGGER_HOST, &value, &bytes));
  EXPECT(value);
  CHECK(cuCoredumpSetAttribute(CU_COREDUMP_LIGHTWEIGHT, &value, &bytes));
  value = false;
  CHECK(cuCoredumpGetAttribute(CU_COREDUMP_LIGHTWEIGHT, &value, &bytes));
  EXPECT(value);
  CHECK(cuCoredumpGetAttributeGlobal(CU_COREDUMP_LIGHTWEIGHT, &value, &bytes));
  EXPECT(!value);
  bytes = sizeof flags;
  CHECK(cuCoredumpGetAttribute(CU_COREDUMP_GENERATION_FLAGS, &flags, &bytes));
  EXPECT(flags == CU_COREDUMP_LIGHTWEIGHT_FLAGS);
  FAILS(INVALID_VALUE, cuCoredumpSetAttribute(CU_COREDUMP_LIGHTWEIGHT, &value, &bytes));
  bytes = sizeof "name";
  CHECK(cuCoredumpSetAttributeGlobal(CU_COREDUMP_FILE, (void *)"name", &bytes));
  bytes = sizeof name;
  CHECK(cuCoredumpGetAttributeGlobal(CU_COREDUMP_FILE, name, &bytes));
  printf("dumps: %s\n", name);
  bytes = 1;
  FAILS(INVALID_VALUE, cuCoredumpSetAttribute(CU_COREDUMP_ENABLE_USER_TRIGGER, &value, &bytes));
  FAILS(INVALID_VALUE, cuCoredumpGetAttributeGlobal((CUcoredumpSettings)9, NULL, &bytes));
}

static void
others() {
  CUatomicOperation operations[] = {CU_ATOMIC_OPERATION_INTEGER_ADD, CU_ATOMIC_OPERATION_CAS};
  unsigned found[2] = {9, 9};
  void *function;
  CUlibrary library;
  CHECK(cuDeviceGetHostAtomicCapabilities(found, operations, 2, 0));
  EXPECT(found[0] == 0 && found[1] == 0);
  FAILS(INVALID_VALUE, cuDeviceGetHostAtomicCapabilities(found, operations, 0, 0));
  FAILS(INVALID_DEVICE, cuDeviceGetHostAtomicCapabilities(found, operations, 2, 7));
  FAILS(INVALID_DEVICE, cuDeviceGetP2PAtomicCapabilities(found, operations, 2, 0, 1));
  CHECK(cuLibraryLoadData(&library, module_text, NULL, NULL, 0, NULL, NULL, 0));
  FAILS(INVALID_VALUE, cuLibraryGetUnifiedFunction(&function, library, "fill"));
  FAILS(INVALID_HANDLE, cuLibraryGetUnifiedFunction(&function, NULL, "fill"));
  CHECK(cuLibraryUnload(library));
  char luid[16];
  unsigned mask;
  FAILS(NOT_SUPPORTED, cuDeviceGetLuid(luid, &mask, 0));
  CHECK(cuFlushGPUDirectRDMAWrites(CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX,
                                   CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER));
}

int
main() {
  CHECK(cuInit(0));
  CHECK(cuCtxCreate(&context, NULL, 0, 0));
  CHECK(cuModuleLoadData(&module, module_text));
  CHECK(cuModuleGetFunction(&fill, module, "fill"));
  CHECK(cuMemAlloc(&data, 256));
  contexts();
  split();
  part_of_device();
  batches();
  pieces();
  dumps();
  others();
  CHECK(cuMemFree(data));
  CHECK(cuCtxDestroy(context));
  return finish("driver-parts");
}
