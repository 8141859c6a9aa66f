// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The driver's interface: streams, events, functions of the host, captures and graphs.
// nvcc: -lcuda
#include "driver.h"

#include <vector>

static CUcontext context;
static CUfunction scale, fill;
static CUdeviceptr data;

static void
add_one(void *number) {
  ++*(int *)number;
}

static void
call_back(CUstream stream, CUresult status, void *number) {
  *(int *)number += stream != NULL && status == CUDA_SUCCESS ? 10 : 0;
}

static void
streams() {
  CUstream stream, other;
  CUevent start, end;
  CUcontext of = NULL;
  int least = 1, greatest = 1, priority = 1, number = 0;
  unsigned flags = 9;
  float milliseconds = -1;
  void *arguments[] = {&data};
  CHECK(cuCtxGetStreamPriorityRange(&least, &greatest));
  EXPECT(least == 0 && greatest < 0);
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CHECK(cuStreamCreateWithPriority(&other, CU_STREAM_DEFAULT, greatest));
  FAILS(INVALID_VALUE, cuStreamCreate(&stream, 55));
  CHECK(cuStreamGetPriority(other, &priority));
  EXPECT(priority == greatest);
  CHECK(cuStreamGetFlags(stream, &flags));
  EXPECT(flags == CU_STREAM_NON_BLOCKING);
  CHECK(cuStreamGetCtx(stream, &of));
  EXPECT(of == context);
  CHECK(cuEventCreate(&start, CU_EVENT_DEFAULT));
  CHECK(cuEventCreate(&end, CU_EVENT_DEFAULT));
  FAILS(INVALID_HANDLE, cuEventElapsedTime(&milliseconds, start, end));
  CHECK(cuEventRecord(start, stream));
  CHECK(cuLaunchKernel(fill, 1, 1, 1, 64, 1, 1, 0, stream, arguments, NULL));
  CHECK(cuLaunchHostFunc(stream, add_one, &number));
  CHECK(cuStreamAddCallback(stream, call_back, &number, 0));
  CHECK(cuEventRecord(end, stream));
  CHECK(cuStreamWaitEvent(other, end, 0));
  CHECK(cuStreamSynchronize(other));
  EXPECT(number == 11);
  CHECK(cuEventSynchronize(end));
  CHECK(cuEventQuery(end));
  CHECK(cuStreamQuery(stream));
  CHECK(cuEventElapsedTime(&milliseconds, start, end));
  EXPECT(milliseconds >= 0);
  CHECK(cuEventDestroy(start));
  CHECK(cuEventDestroy(end));

  // What memory says: the value is there before it is waited for.
  unsigned word = 0;
  CHECK(cuStreamWriteValue32(stream, data, 41, 0));
  CHECK(cuStreamWaitValue32(stream, data, 40, CU_STREAM_WAIT_VALUE_GEQ));
  CHECK(cuStreamWriteValue64(stream, data + 8, 42, 0));
  CHECK(cuStreamSynchronize(stream));
  CHECK(cuMemcpyDtoH(&word, data + 8, 4));
  EXPECT(word == 42);
  CHECK(cuStreamDestroy(stream));
  CHECK(cuStreamDestroy(other));
}

static void
captures() {
  CUstream stream;
  CUgraph graph;
  CUgraphExec exec;
  CUstreamCaptureStatus status;
  std::vector<float> host(64);
  unsigned n = 64;
  size_t nodes = 0;
  float factor = 2;
  void *arguments[] = {&data, &n, &factor};
  for (int i = 0; i < 64; i++)
    host[i] = 1;
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CHECK(cuMemcpyHtoD(data, host.data(), 256));
  CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  CHECK(cuStreamIsCapturing(stream, &status));
  EXPECT(status == CU_STREAM_CAPTURE_STATUS_ACTIVE);
  CHECK(cuLaunchKernel(scale, 2, 1, 1, 32, 1, 1, 0, stream, arguments, NULL));
  CHECK(cuLaunchKernel(scale, 2, 1, 1, 32, 1, 1, 0, stream, arguments, NULL));
  CHECK(cuStreamEndCapture(stream, &graph));
  CHECK(cuGraphGetNodes(graph, NULL, &nodes));
  EXPECT(nodes == 2);
  CHECK(cuGraphInstantiate(&exec, graph, 0));
  CHECK(cuGraphLaunch(exec, stream));
  CHECK(cuGraphLaunch(exec, stream));
  CHECK(cuStreamSynchronize(stream));
  CHECK(cuMemcpyDtoH(host.data(), data, 256));
  EXPECT(host[0] == 16 && host[63] == 16);
  CHECK(cuGraphExecDestroy(exec));
  CHECK(cuGraphDestroy(graph));

  CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  FAILS(STREAM_CAPTURE_UNSUPPORTED, cuStreamSynchronize(stream));
  FAILS(STREAM_CAPTURE_INVALIDATED, cuStreamEndCapture(stream, &graph));
  CHECK(cuStreamDestroy(stream));
}

static void
graphs() {
  CUgraph graph;
  CUgraphExec exec;
  CUgraphNode kernel, set, copy, host_node, none;
  CUDA_KERNEL_NODE_PARAMS launch, found;
  CUDA_MEMSET_NODE_PARAMS zeros = {0};
  CUDA_MEMCPY3D box, found_box;
  CUDA_HOST_NODE_PARAMS call;
  CUgraphNodeType type;
  unsigned numbers[64] = {0};
  int calls = 0;
  size_t n = 0;
  void *arguments[] = {&data};
  CHECK(cuGraphCreate(&graph, 0));
  zeros.dst = data;
  zeros.elementSize = 4;
  zeros.width = 64;
  zeros.height = 1;
  CHECK(cuGraphAddMemsetNode(&set, graph, NULL, 0, &zeros, context));
  memset(&launch, 0, sizeof launch);
  launch.func = fill;
  launch.gridDimX = launch.gridDimY = launch.gridDimZ = 1;
  launch.blockDimX = 32;
  launch.blockDimY = launch.blockDimZ = 1;
  launch.kernelParams = arguments;
  CHECK(cuGraphAddKernelNode(&kernel, graph, &set, 1, &launch));
  memset(&box, 0, sizeof box);
  box.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  box.srcDevice = data;
  box.dstMemoryType = CU_MEMORYTYPE_HOST;
  box.dstHost = numbers;
  box.WidthInBytes = sizeof numbers;
  box.Height = box.Depth = 1;
  CHECK(cuGraphAddMemcpyNode(&copy, graph, &kernel, 1, &box, context));
  call.fn = add_one;
  call.userData = &calls;
  CHECK(cuGraphAddHostNode(&host_node, graph, &copy, 1, &call));
  CHECK(cuGraphNodeGetType(copy, &type));
  EXPECT(type == CU_GRAPH_NODE_TYPE_MEMCPY);
  CHECK(cuGraphKernelNodeGetParams(kernel, &found));
  EXPECT(found.blockDimX == 32 && found.func == fill);
  CHECK(cuGraphMemcpyNodeGetParams(copy, &found_box));
  EXPECT(found_box.dstHost == numbers && found_box.WidthInBytes == sizeof numbers &&
         found_box.srcDevice == data);
  CHECK(cuGraphGetEdges(graph, NULL, NULL, NULL, &n));
  EXPECT(n == 3);
  CHECK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  CHECK(cuGraphLaunch(exec, NULL));
  CHECK(cuCtxSynchronize());
  EXPECT(numbers[0] == 7 && numbers[31] == 38 && numbers[32] == 0 && calls == 1);
  launch.blockDimX = 64;
  CHECK(cuGraphExecKernelNodeSetParams(exec, kernel, &launch));
  CHECK(cuGraphLaunch(exec, NULL));
  CHECK(cuCtxSynchronize());
  EXPECT(numbers[63] == 70 && calls == 2);
  FAILS(INVALID_VALUE, cuGraphAddKernelNode(&none, graph, NULL, 0, NULL));
  CHECK(cuGraphExecDestroy(exec));
  CHECK(cuGraphDestroy(graph));
}

// A stream that was made knows its context, also in a thread that has none.
static void
without_context() {
  CUcontext of = NULL, current = NULL;
  CUstream stream;
  CUdeviceptr memory;
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CHECK(cuCtxPopCurrent(&current));
  CHECK(cuStreamGetCtx(stream, &of));
  EXPECT(of != NULL);
  CHECK(cuMemAllocAsync(&memory, 64, stream));
  CHECK(cuMemFreeAsync(memory, stream));
  CHECK(cuCtxPushCurrent(current));
  CHECK(cuStreamDestroy(stream));
}

int
main() {
  CUmodule module;
  CHECK(cuInit(0));
  CHECK(cuCtxCreate(&context, NULL, 0, 0));
  CHECK(cuModuleLoadData(&module, module_text));
  CHECK(cuModuleGetFunction(&scale, module, "scale"));
  CHECK(cuModuleGetFunction(&fill, module, "fill"));
  CHECK(cuMemAlloc(&data, 1024));
  streams();
  captures();
  graphs();
  CHECK(cuMemFree(data));
  without_context();
  CHECK(cuCtxDestroy(context));
  return finish("driver-streams");
}
