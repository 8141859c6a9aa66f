// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Graphs of the driver's interface: nodes of every kind, what they were given, changes of a graph and of one that is executed, memory,
// conditions, user objects, and capture.
// nvcc: -lcuda
#include "driver.h"

#include <stdlib.h>
#include <unistd.h>

static CUcontext context;
static CUfunction count, scale;
static CUdeviceptr data, counter;
static CUstream stream;

static unsigned
read_counter() {
  unsigned value = 0;
  CHECK(cuCtxSynchronize());
  CHECK(cuMemcpyDtoH(&value, counter, sizeof value));
  return value;
}

static float
read_first() {
  float value = 0;
  CHECK(cuCtxSynchronize());
  CHECK(cuMemcpyDtoH(&value, data, sizeof value));
  return value;
}

static void
add_one(void *user) {
  ++*(int *)user;
}

static CUDA_KERNEL_NODE_PARAMS
kernel_node(CUfunction function, void **arguments) {
  CUDA_KERNEL_NODE_PARAMS k = {};
  k.func = function;
  k.gridDimX = k.gridDimY = k.gridDimZ = k.blockDimX = k.blockDimY = k.blockDimZ = 1;
  k.kernelParams = arguments;
  return k;
}

static CUDA_MEMCPY3D
copy_node(void *host) {
  CUDA_MEMCPY3D c = {};
  c.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  c.srcDevice = data;
  c.dstMemoryType = CU_MEMORYTYPE_HOST;
  c.dstHost = host;
  c.WidthInBytes = 4;
  c.Height = c.Depth = 1;
  return c;
}

static CUDA_MEMSET_NODE_PARAMS
fill_node(unsigned value) {
  CUDA_MEMSET_NODE_PARAMS m = {};
  m.dst = data;
  m.elementSize = 4;
  m.value = value;
  m.width = m.height = 1;
  return m;
}

// data[0] = 2.0; it is scaled twice by what a child graph says, copied to the host, and a function counts.
static void
nodes() {
  CUgraph graph, child, inner;
  CUgraphNode fill, kernel, copy, host, part, empty, found[8], from[8], to[8];
  CUgraphExec exec;
  CUgraphNodeType type;
  float factor = 3, result = 0;
  int n = 1, calls = 0;
  size_t n_found = 8;
  void *arguments[] = {&data, &n, &factor};
  CHECK(cuGraphCreate(&graph, 0));
  CHECK(cuGraphCreate(&child, 0));
  CUDA_MEMSET_NODE_PARAMS m = fill_node(0x40000000), m_got = {};
  CHECK(cuGraphAddMemsetNode(&fill, graph, NULL, 0, &m, context));
  CUDA_KERNEL_NODE_PARAMS k = kernel_node(scale, arguments), k_got = {};
  CHECK(cuGraphAddKernelNode(&kernel, child, NULL, 0, &k));
  CHECK(cuGraphAddChildGraphNode(&part, graph, &fill, 1, child));
  CHECK(cuGraphChildGraphNodeGetGraph(part, &inner));
  CHECK(cuGraphGetRootNodes(inner, found, &n_found));
  EXPECT(n_found == 1);
  CUDA_MEMCPY3D c = copy_node(&result), c_got = {};
  CHECK(cuGraphAddMemcpyNode(&copy, graph, NULL, 0, &c, context));
  CHECK(cuGraphAddDependencies(graph, &part, &copy, NULL, 1));
  CUDA_HOST_NODE_PARAMS h = {add_one, &calls}, h_got = {};
  CHECK(cuGraphAddHostNode(&host, graph, &copy, 1, &h));
  CHECK(cuGraphAddEmptyNode(&empty, graph, &fill, 1));
  CHECK(cuGraphAddDependencies(graph, &empty, &host, NULL, 1));
  CHECK(cuGraphRemoveDependencies(graph, &empty, &host, NULL, 1));
  // what they are
  CHECK(cuGraphNodeGetType(part, &type));
  EXPECT(type == CU_GRAPH_NODE_TYPE_GRAPH);
  CHECK(cuGraphMemsetNodeGetParams(fill, &m_got));
  EXPECT(m_got.dst == data && m_got.value == 0x40000000 && m_got.elementSize == 4);
  CHECK(cuGraphKernelNodeGetParams(kernel, &k_got));
  EXPECT(k_got.func == scale && k_got.blockDimX == 1);
  CHECK(cuGraphMemcpyNodeGetParams(copy, &c_got));
  EXPECT(c_got.dstHost == &result && c_got.WidthInBytes == 4);
  CHECK(cuGraphHostNodeGetParams(host, &h_got));
  EXPECT(h_got.fn == add_one && h_got.userData == &calls);
  n_found = 8;
  CHECK(cuGraphGetNodes(graph, found, &n_found));
  EXPECT(n_found == 5);
  n_found = 8;
  CHECK(cuGraphNodeGetDependencies(part, found, NULL, &n_found));
  EXPECT(n_found == 1 && found[0] == fill);
  n_found = 8;
  CHECK(cuGraphNodeGetDependentNodes(fill, found, NULL, &n_found));
  EXPECT(n_found == 2);
  n_found = 8;
  CHECK(cuGraphGetEdges(graph, from, to, NULL, &n_found));
  EXPECT(n_found == 4);
  // run, and again when nodes have changed
  CHECK(cuGraphInstantiate(&exec, graph, 0));
  CHECK(cuGraphUpload(exec, stream));
  CHECK(cuGraphLaunch(exec, stream));
  EXPECT(read_first() == 6 && result == 6 && calls == 1);
  m.value = 0x3f800000;
  CHECK(cuGraphExecMemsetNodeSetParams(exec, fill, &m, context));
  CHECK(cuGraphLaunch(exec, stream));
  EXPECT(read_first() == 3 && calls == 2);
  float other = 0;
  c.dstHost = &other;
  CHECK(cuGraphExecMemcpyNodeSetParams(exec, copy, &c, context));
  int more = 0;
  h.userData = &more;
  CHECK(cuGraphExecHostNodeSetParams(exec, host, &h));
  factor = 5;
  CHECK(cuGraphKernelNodeSetParams(kernel, &k));
  CHECK(cuGraphExecChildGraphNodeSetParams(exec, part, child));
  CHECK(cuGraphLaunch(exec, stream));
  EXPECT(read_first() == 5 && other == 5 && result == 3 && calls == 2 && more == 1);
  unsigned is_enabled = 9;
  CHECK(cuGraphNodeSetEnabled(exec, copy, 0));
  CHECK(cuGraphNodeGetEnabled(exec, copy, &is_enabled));
  EXPECT(is_enabled == 0);
  other = 0;
  CHECK(cuGraphLaunch(exec, stream));
  EXPECT(read_first() == 5 && other == 0 && more == 2);
  // a graph that has changed, and what is executed follows it
  m.value = 0x41000000;
  CHECK(cuGraphMemsetNodeSetParams(fill, &m));
  CHECK(cuGraphMemcpyNodeSetParams(copy, &c));
  CHECK(cuGraphHostNodeSetParams(host, &h));
  CUgraphExecUpdateResultInfo info;
  CHECK(cuGraphExecUpdate(exec, graph, &info));
  EXPECT(info.result == CU_GRAPH_EXEC_UPDATE_SUCCESS);
  CHECK(cuGraphLaunch(exec, stream));
  read_first();
  EXPECT(more == 3);
  cuuint64_t flags = 9;
  CHECK(cuGraphExecGetFlags(exec, &flags));
  EXPECT(flags == 0);
  CUgraph clone;
  CUgraphNode twin;
  CHECK(cuGraphClone(&clone, graph));
  CHECK(cuGraphNodeFindInClone(&twin, fill, clone));
  CHECK(cuGraphMemsetNodeGetParams(twin, &m_got));
  EXPECT(twin != fill && m_got.value == 0x41000000);
  CHECK(cuGraphDestroyNode(twin));
  n_found = 0;
  CHECK(cuGraphGetNodes(clone, NULL, &n_found));
  EXPECT(n_found == 4);
  char path[] = "/tmp/smembank-graph-XXXXXX";
  close(mkstemp(path));
  CHECK(cuGraphDebugDotPrint(graph, path, 0));
  FILE *file = fopen(path, "r");
  char line[16] = "";
  EXPECT(file && fgets(line, sizeof line, file) && strncmp(line, "digraph", 7) == 0);
  fclose(file);
  remove(path);
  CHECK(cuGraphExecDestroy(exec));
  CHECK(cuGraphDestroy(clone));
  CHECK(cuGraphDestroy(child));
  CHECK(cuGraphDestroy(graph));
}

// Nodes by their type, and what launches are attributed.
static void
any_nodes() {
  CUgraph graph;
  CUgraphNode kernel, second;
  CUgraphExec exec;
  CUgraphNodeParams p = {};
  CHECK(cuGraphCreate(&graph, 0));
  p.type = CU_GRAPH_NODE_TYPE_KERNEL;
  p.kernel.func = count;
  p.kernel.gridDimX = p.kernel.gridDimY = p.kernel.gridDimZ = 1;
  p.kernel.blockDimX = p.kernel.blockDimY = p.kernel.blockDimZ = 1;
  CHECK(cuGraphAddNode(&kernel, graph, NULL, NULL, 0, &p));
  CHECK(cuGraphAddNode(&second, graph, &kernel, NULL, 1, &p));
  p.kernel.blockDimX = 4;
  CHECK(cuGraphNodeSetParams(second, &p));
  CUlaunchAttributeValue value = {}, got = {};
  value.priority = 0;
  CHECK(cuGraphKernelNodeSetAttribute(kernel, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value));
  CHECK(cuGraphKernelNodeGetAttribute(kernel, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &got));
  EXPECT(got.cooperative == 0);
  CHECK(cuGraphKernelNodeCopyAttributes(second, kernel));
  CUDA_GRAPH_INSTANTIATE_PARAMS how = {};
  CHECK(cuGraphInstantiateWithParams(&exec, graph, &how));
  EXPECT(how.result_out == CUDA_GRAPH_INSTANTIATE_SUCCESS);
  unsigned before = read_counter();
  CHECK(cuGraphLaunch(exec, stream));
  EXPECT(read_counter() == before + 5);
  p.kernel.blockDimX = 2;
  CHECK(cuGraphExecNodeSetParams(exec, second, &p));
  CHECK(cuGraphLaunch(exec, stream));
  EXPECT(read_counter() == before + 8);
  CHECK(cuGraphExecDestroy(exec));
  CHECK(cuGraphDestroy(graph));
}

static void
events() {
  CUgraph graph;
  CUgraphNode record, wait;
  CUgraphExec exec;
  CUevent a, b, got;
  CHECK(cuEventCreate(&a, CU_EVENT_DISABLE_TIMING));
  CHECK(cuEventCreate(&b, CU_EVENT_DISABLE_TIMING));
  CHECK(cuGraphCreate(&graph, 0));
  CHECK(cuGraphAddEventRecordNode(&record, graph, NULL, 0, a));
  CHECK(cuGraphAddEventWaitNode(&wait, graph, &record, 1, a));
  CHECK(cuGraphEventRecordNodeGetEvent(record, &got));
  EXPECT(got == a);
  CHECK(cuGraphEventRecordNodeSetEvent(record, b));
  CHECK(cuGraphEventWaitNodeSetEvent(wait, b));
  CHECK(cuGraphEventWaitNodeGetEvent(wait, &got));
  EXPECT(got == b);
  CHECK(cuGraphInstantiate(&exec, graph, 0));
  CHECK(cuGraphExecEventRecordNodeSetEvent(exec, record, a));
  CHECK(cuGraphExecEventWaitNodeSetEvent(exec, wait, a));
  CHECK(cuGraphLaunch(exec, stream));
  CHECK(cuStreamSynchronize(stream));
  CHECK(cuEventQuery(a));
  CHECK(cuEventRecordWithFlags(b, stream, CU_EVENT_RECORD_DEFAULT));
  CHECK(cuEventSynchronize(b));
  CHECK(cuGraphExecDestroy(exec));
  CHECK(cuGraphDestroy(graph));
}

static void
memory() {
  CUgraph graph;
  CUgraphNode allocate, fill, copy, release;
  CUgraphExec exec;
  CUDA_MEM_ALLOC_NODE_PARAMS a = {}, a_got = {};
  CUdeviceptr freed = 0;
  unsigned result = 0;
  a.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  a.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  a.bytesize = 256;
  CHECK(cuGraphCreate(&graph, 0));
  CHECK(cuGraphAddMemAllocNode(&allocate, graph, NULL, 0, &a));
  CHECK(cuGraphMemAllocNodeGetParams(allocate, &a_got));
  EXPECT(a_got.dptr == a.dptr && a_got.bytesize == 256);
  CUDA_MEMSET_NODE_PARAMS m = fill_node(77);
  m.dst = a.dptr;
  CHECK(cuGraphAddMemsetNode(&fill, graph, &allocate, 1, &m, context));
  CUDA_MEMCPY3D c = copy_node(&result);
  c.srcDevice = a.dptr;
  CHECK(cuGraphAddMemcpyNode(&copy, graph, &fill, 1, &c, context));
  CHECK(cuGraphAddMemFreeNode(&release, graph, &copy, 1, a.dptr));
  CHECK(cuGraphMemFreeNodeGetParams(release, &freed));
  EXPECT(freed == a.dptr);
  CHECK(cuGraphInstantiate(&exec, graph, 0));
  CHECK(cuGraphLaunch(exec, stream));
  CHECK(cuStreamSynchronize(stream));
  EXPECT(result == 77);
  cuuint64_t bytes = 0;
  CHECK(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT, &bytes));
  bytes = 0;
  CHECK(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &bytes));
  CHECK(cuGraphExecDestroy(exec));
  CHECK(cuGraphDestroy(graph));
  CHECK(cuDeviceGraphMemTrim(0));
}

// A body that runs, and one that does not.
static void
conditions() {
  unsigned before = read_counter();
  for (unsigned is_true = 0; is_true < 2; is_true++) {
    CUgraph graph;
    CUgraphNode node, inside;
    CUgraphExec exec;
    CUgraphConditionalHandle handle;
    CUgraphNodeParams p = {};
    CHECK(cuGraphCreate(&graph, 0));
    CHECK(cuGraphConditionalHandleCreate(&handle, graph, context, is_true,
                                         CU_GRAPH_COND_ASSIGN_DEFAULT));
    p.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    p.conditional.handle = handle;
    p.conditional.type = CU_GRAPH_COND_TYPE_IF;
    p.conditional.size = 1;
    p.conditional.ctx = context;
    CHECK(cuGraphAddNode(&node, graph, NULL, NULL, 0, &p));
    CUDA_KERNEL_NODE_PARAMS k = kernel_node(count, NULL);
    CHECK(cuGraphAddKernelNode(&inside, p.conditional.phGraph_out[0], NULL, 0, &k));
    CHECK(cuGraphInstantiate(&exec, graph, 0));
    CHECK(cuGraphLaunch(exec, stream));
    EXPECT(read_counter() == before + is_true);
    CHECK(cuGraphExecDestroy(exec));
    CHECK(cuGraphDestroy(graph));
  }
}

static void
objects() {
  CUgraph graph;
  CUuserObject object;
  int destroyed = 0;
  CHECK(cuGraphCreate(&graph, 0));
  CHECK(cuUserObjectCreate(&object, &destroyed, add_one, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
  CHECK(cuUserObjectRetain(object, 1));
  CHECK(cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
  CHECK(cuGraphRetainUserObject(graph, object, 1, 0));
  CHECK(cuGraphReleaseUserObject(graph, object, 1));
  EXPECT(destroyed == 0);
  CHECK(cuUserObjectRelease(object, 1));
  EXPECT(destroyed == 0);
  CHECK(cuGraphDestroy(graph));
  for (int i = 0; i < 1000000 && !*(volatile int *)&destroyed; i++)
    CHECK(cuCtxSynchronize());
  EXPECT(destroyed == 1);
}

static void
capture() {
  CUgraph graph, captured, mine;
  CUgraphExec exec;
  CUgraphNode last, kernel;
  CUstreamCaptureStatus status;
  cuuint64_t id = 0;
  const CUgraphNode *dependencies;
  size_t n = 0;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  unsigned before = read_counter();
  CHECK(cuThreadExchangeStreamCaptureMode(&mode));
  EXPECT(mode == CU_STREAM_CAPTURE_MODE_GLOBAL);
  CHECK(cuThreadExchangeStreamCaptureMode(&mode));
  CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  CHECK(cuLaunchKernel(count, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
  CHECK(cuStreamGetCaptureInfo(stream, &status, &id, &graph, &dependencies, NULL, &n));
  EXPECT(status == CU_STREAM_CAPTURE_STATUS_ACTIVE && id != 0 && n == 1);
  CUDA_KERNEL_NODE_PARAMS k = kernel_node(count, NULL);
  CHECK(cuGraphAddKernelNode(&last, graph, dependencies, n, &k));
  CHECK(cuStreamUpdateCaptureDependencies(stream, &last, NULL, 1,
                                          CU_STREAM_SET_CAPTURE_DEPENDENCIES));
  CHECK(cuLaunchKernel(count, 1, 1, 1, 3, 1, 1, 0, stream, NULL, NULL));
  CHECK(cuStreamEndCapture(stream, &captured));
  CHECK(cuGraphInstantiate(&exec, captured, 0));
  EXPECT(read_counter() == before);
  CHECK(cuGraphLaunch(exec, stream));
  EXPECT(read_counter() == before + 5);
  CHECK(cuGraphExecDestroy(exec));
  CHECK(cuGraphDestroy(captured));
  // behind a node of a graph that is there
  CHECK(cuGraphCreate(&mine, 0));
  CHECK(cuGraphAddKernelNode(&kernel, mine, NULL, 0, &k));
  CHECK(cuStreamBeginCaptureToGraph(stream, mine, &kernel, NULL, 1, CU_STREAM_CAPTURE_MODE_GLOBAL));
  CHECK(cuLaunchKernel(count, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
  CHECK(cuStreamEndCapture(stream, &captured));
  EXPECT(captured == mine);
  CHECK(cuGraphInstantiate(&exec, mine, 0));
  CHECK(cuGraphLaunch(exec, stream));
  EXPECT(read_counter() == before + 7);
  CHECK(cuGraphExecDestroy(exec));
  CHECK(cuGraphDestroy(mine));
}

int
main() {
  CUmodule module;
  size_t bytes;
  CHECK(cuInit(0));
  CHECK(cuCtxCreate(&context, NULL, 0, 0));
  CHECK(cuModuleLoadData(&module, module_text));
  CHECK(cuModuleGetFunction(&count, module, "count"));
  CHECK(cuModuleGetFunction(&scale, module, "scale"));
  CHECK(cuModuleGetGlobal(&counter, &bytes, module, "counter"));
  CHECK(cuMemAlloc(&data, 256));
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  nodes();
  any_nodes();
  events();
  memory();
  conditions();
  objects();
  capture();
  return finish("driver-graphs");
}
