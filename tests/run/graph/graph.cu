// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Graphs of explicit nodes: of every kind, copied, changed, and launched again.
#include "../check.h"

enum {
  N = 64
};

__global__ void
add(int *p, int value) {
  p[threadIdx.x] += value;
}

__global__ void
multiply(int *p, int value) {
  p[threadIdx.x] *= value;
}

static int *device, *pinned, factor = 3, term = 5, calls, destroyed;
static cudaStream_t stream;
static cudaGraph_t graph;
static cudaGraphNode_t clear_node, add_node, multiply_node, copy_node, host_node, empty_node;

static void CUDART_CB
count(void *user) {
  calls += *(int *)user;
}

static void CUDART_CB
destroy(void *user) {
  *(int *)user = 1;
}

static cudaKernelNodeParams
kernel(void (*function)(int *, int), void **arguments) {
  cudaKernelNodeParams p = {};
  p.func = (void *)function;
  p.gridDim = dim3(1);
  p.blockDim = dim3(N);
  p.kernelParams = arguments;
  return p;
}

static void
build() {
  void *add_arguments[] = {&device, &term}, *multiply_arguments[] = {&device, &factor};
  static int once = 1;
  cudaMemsetParams fill = {};
  fill.dst = device;
  fill.value = 2;
  fill.elementSize = 4;
  fill.width = N;
  fill.height = 1;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphAddMemsetNode(&clear_node, graph, nullptr, 0, &fill));
  cudaKernelNodeParams p = kernel(add, add_arguments);
  CHECK(cudaGraphAddKernelNode(&add_node, graph, &clear_node, 1, &p));
  p = kernel(multiply, multiply_arguments);
  CHECK(cudaGraphAddKernelNode(&multiply_node, graph, nullptr, 0, &p));
#if CUDART_VERSION >= 13000
  CHECK(cudaGraphAddDependencies(graph, &add_node, &multiply_node, nullptr, 1));
#else
  CHECK(cudaGraphAddDependencies(graph, &add_node, &multiply_node, 1));
#endif
  CHECK(cudaGraphAddMemcpyNode1D(&copy_node, graph, &multiply_node, 1, pinned, device,
                                 N * sizeof *pinned, cudaMemcpyDeviceToHost));
  cudaHostNodeParams host = {};
  host.fn = count;
  host.userData = &once;
  CHECK(cudaGraphAddHostNode(&host_node, graph, &copy_node, 1, &host));
  CHECK(cudaGraphAddEmptyNode(&empty_node, graph, &host_node, 1));
}

static void
launch(cudaGraphExec_t exec) {
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
}

static void
check_changes() {
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  launch(exec);
  EXPECT(pinned[0] == 21 && pinned[N - 1] == 21 && calls == 1);
  int other = 7;
  void *arguments[] = {&device, &other};
  cudaKernelNodeParams p = kernel(add, arguments);
  CHECK(cudaGraphExecKernelNodeSetParams(exec, add_node, &p));
  launch(exec);
  EXPECT(pinned[0] == 27);
  CHECK(cudaGraphNodeSetEnabled(exec, add_node, 0));
  launch(exec);
  EXPECT(pinned[0] == 6);
  CHECK(cudaGraphNodeSetEnabled(exec, add_node, 1));
  // The graph itself is as it was, and updates what is executed.
  cudaGraphExecUpdateResultInfo info;
  CHECK(cudaGraphExecUpdate(exec, graph, &info));
  EXPECT(info.result == cudaGraphExecUpdateSuccess);
  launch(exec);
  EXPECT(pinned[0] == 21 && calls == 4);
  cudaGraph_t smaller;
  CHECK(cudaGraphCreate(&smaller, 0));
  FAILS(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(exec, smaller, &info));
  EXPECT(info.result == cudaGraphExecUpdateErrorTopologyChanged);
  CHECK(cudaGraphDestroy(smaller));
  CHECK(cudaGraphExecDestroy(exec));
}

static void
check_queries() {
  cudaGraphNode_t nodes[10];
  cudaGraphNodeType kind;
  size_t n = 10;
  CHECK(cudaGraphGetNodes(graph, nodes, &n));
  EXPECT(n == 6);
  CHECK(cudaGraphGetRootNodes(graph, nullptr, &n));
  EXPECT(n == 1);
  CHECK(cudaGraphNodeGetType(host_node, &kind));
  EXPECT(kind == cudaGraphNodeTypeHost);
  n = 10;
#if CUDART_VERSION >= 13000
  CHECK(cudaGraphNodeGetDependencies(multiply_node, nodes, nullptr, &n));
#else
  CHECK(cudaGraphNodeGetDependencies(multiply_node, nodes, &n));
#endif
  EXPECT(n == 1 && nodes[0] == add_node);
  cudaKernelNodeParams p;
  CHECK(cudaGraphKernelNodeGetParams(multiply_node, &p));
  EXPECT(p.func == (void *)multiply && p.blockDim.x == N && *(int *)p.kernelParams[1] == 3);
  cudaMemsetParams fill;
  CHECK(cudaGraphMemsetNodeGetParams(clear_node, &fill));
  EXPECT(fill.dst == device && fill.value == 2 && fill.width == N);
  FAILS(cudaErrorInvalidValue, cudaGraphAddEmptyNode(&nodes[0], graph, nullptr, 1));
}

static void
check_copies() {
  cudaGraph_t copy, parent, inner;
  cudaGraphNode_t found, child, after;
  cudaGraphExec_t exec;
  cudaUserObject_t object;
  CHECK(cudaGraphClone(&copy, graph));
  CHECK(cudaGraphNodeFindInClone(&found, add_node, copy));
  EXPECT(found != add_node);
  CHECK(cudaGraphDestroyNode(found));
  size_t n = 0;
  CHECK(cudaGraphGetNodes(copy, nullptr, &n));
  EXPECT(n == 5);
  CHECK(cudaGraphDestroy(copy));
  CHECK(cudaGraphCreate(&parent, 0));
  CHECK(cudaGraphAddChildGraphNode(&child, parent, nullptr, 0, graph));
  CHECK(cudaGraphChildGraphNodeGetGraph(child, &inner));
  EXPECT(inner != graph);
  void *arguments[] = {&device, &term};
  cudaKernelNodeParams p = kernel(add, arguments);
  CHECK(cudaGraphAddKernelNode(&after, parent, &child, 1, &p));
  CHECK(cudaUserObjectCreate(&object, &destroyed, destroy, 1, cudaUserObjectNoDestructorSync));
  CHECK(cudaGraphRetainUserObject(parent, object, 1, cudaGraphUserObjectMove));
  CHECK(cudaGraphInstantiateWithFlags(&exec, parent, 0));
  CHECK(cudaGraphDestroy(parent));
  launch(exec);
  CHECK(cudaMemcpy(pinned, device, N * sizeof *pinned, cudaMemcpyDefault));
  EXPECT(pinned[0] == 26 && !destroyed);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaDeviceSynchronize());
}

static void
check_memory() {
  cudaGraph_t graph_of_memory;
  cudaGraphNode_t allocate, set, copy, release;
  cudaGraphExec_t exec;
  cudaMemAllocNodeParams p = {};
  p.poolProps.allocType = cudaMemAllocationTypePinned;
  p.poolProps.location.type = cudaMemLocationTypeDevice;
  p.bytesize = N * sizeof(int);
  CHECK(cudaGraphCreate(&graph_of_memory, 0));
  CHECK(cudaGraphAddMemAllocNode(&allocate, graph_of_memory, nullptr, 0, &p));
  EXPECT(p.dptr != nullptr);
  cudaMemsetParams fill = {};
  fill.dst = p.dptr;
  fill.value = 0x41;
  fill.elementSize = 1;
  fill.width = N * sizeof(int);
  fill.height = 1;
  CHECK(cudaGraphAddMemsetNode(&set, graph_of_memory, &allocate, 1, &fill));
  CHECK(cudaGraphAddMemcpyNode1D(&copy, graph_of_memory, &set, 1, pinned, p.dptr, N * sizeof(int),
                                 cudaMemcpyDeviceToHost));
  CHECK(cudaGraphAddMemFreeNode(&release, graph_of_memory, &copy, 1, p.dptr));
  CHECK(cudaGraphInstantiate(&exec, graph_of_memory, 0));
  launch(exec);
  launch(exec);
  EXPECT(pinned[N - 1] == 0x41414141);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph_of_memory));
}

int
main() {
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMalloc(&device, N * sizeof *device));
  CHECK(cudaMallocHost(&pinned, N * sizeof *pinned));
  build();
  check_queries();
  check_changes();
  check_copies();
  check_memory();
  CHECK(cudaGraphDestroy(graph));
  cudaGetLastError();
  return finish("graph");
}
