// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Nodes of graphs whose parameters are read and changed, of the graph and of one that is executed.
#include <cstring>

#include "../check.h"

enum {
  N = 32
};

__device__ int variable[N];

__global__ void
add(int *p, int value) {
  p[threadIdx.x] += value;
}

static int *device, *other, *pinned, value = 4, larger = 9, calls;
static cudaStream_t stream;
static cudaGraph_t graph;
static cudaGraphExec_t exec;

static void CUDART_CB
count(void *user) {
  calls += user ? 10 : 1;
}

static int
run() {
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  return pinned[N - 1];
}

static void
renew() {
  if (exec)
    CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
}

static void
check_kernels(cudaGraphNode_t set, cudaGraphNode_t kernel) {
  cudaMemsetParams fill;
  cudaKernelNodeParams p;
  EXPECT(run() == 4);
  CHECK(cudaGraphMemsetNodeGetParams(set, &fill));
  fill.value = 100;
  CHECK(cudaGraphExecMemsetNodeSetParams(exec, set, &fill));
  EXPECT(run() == 104);
  CHECK(cudaGraphMemsetNodeSetParams(set, &fill));
  void *arguments[] = {&device, &larger};
  CHECK(cudaGraphKernelNodeGetParams(kernel, &p));
  p.kernelParams = arguments;
  CHECK(cudaGraphKernelNodeSetParams(kernel, &p));
  renew();
  EXPECT(run() == 109);
  cudaKernelNodeAttrValue attribute = {};
  attribute.priority = -1;
  CHECK(cudaGraphKernelNodeSetAttribute(kernel, cudaLaunchAttributePriority, &attribute));
  attribute.priority = 0;
  CHECK(cudaGraphKernelNodeGetAttribute(kernel, cudaLaunchAttributePriority, &attribute));
  EXPECT(attribute.priority == -1);
  unsigned is_enabled = 9;
  CHECK(cudaGraphNodeGetEnabled(exec, kernel, &is_enabled));
  EXPECT(is_enabled == 1);
}

static void
check_copies(cudaGraphNode_t copy, cudaGraphNode_t host) {
  cudaMemcpy3DParms p;
  cudaHostNodeParams h;
  for (int i = 0; i < N; i++)
    pinned[N + i] = 50 + i;
  CHECK(cudaMemcpy(other, pinned + N, N * sizeof(int), cudaMemcpyDefault));
  CHECK(cudaMemcpyToSymbol(variable, pinned + N, N * sizeof(int)));
  CHECK(cudaGraphMemcpyNodeGetParams(copy, &p));
  EXPECT(p.kind == cudaMemcpyDeviceToHost && p.srcPtr.ptr == device && p.dstPtr.ptr == pinned);
  CHECK(cudaGraphExecMemcpyNodeSetParams1D(exec, copy, pinned, other, N * sizeof(int),
                                           cudaMemcpyDeviceToHost));
  EXPECT(run() == 50 + N - 1);
  p.srcPtr.ptr = device;
  CHECK(cudaGraphExecMemcpyNodeSetParams(exec, copy, &p));
  EXPECT(run() == 109);
  CHECK(cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, copy, pinned, variable, N * sizeof(int), 0,
                                                   cudaMemcpyDeviceToHost));
  EXPECT(run() == 50 + N - 1);
  CHECK(
      cudaGraphMemcpyNodeSetParams1D(copy, pinned, other, N * sizeof(int), cudaMemcpyDeviceToHost));
  renew();
  EXPECT(run() == 50 + N - 1);
  CHECK(cudaGraphMemcpyNodeSetParams(copy, &p));
  CHECK(cudaGraphHostNodeGetParams(host, &h));
  EXPECT(h.fn == count && h.userData == nullptr);
  h.userData = &calls;
  calls = 0;
  CHECK(cudaGraphExecHostNodeSetParams(exec, host, &h));
  run();
  EXPECT(calls == 10);
  CHECK(cudaGraphHostNodeSetParams(host, &h));
  renew();
  run();
  EXPECT(calls == 20 && pinned[0] == 109);
}

static void
check_symbols() {
  cudaGraph_t symbols;
  cudaGraphExec_t run_symbols;
  cudaGraphNode_t to, from;
  CHECK(cudaGraphCreate(&symbols, 0));
  CHECK(cudaGraphAddMemcpyNodeToSymbol(&to, symbols, nullptr, 0, variable, other, N * sizeof(int),
                                       0, cudaMemcpyDeviceToDevice));
  CHECK(cudaGraphAddMemcpyNodeFromSymbol(&from, symbols, &to, 1, pinned, variable, 4, 4,
                                         cudaMemcpyDeviceToHost));
  CHECK(
      cudaGraphMemcpyNodeSetParamsFromSymbol(from, pinned, variable, 8, 8, cudaMemcpyDeviceToHost));
  CHECK(cudaGraphMemcpyNodeSetParamsToSymbol(to, variable, other, N * sizeof(int), 0,
                                             cudaMemcpyDeviceToDevice));
  CHECK(cudaGraphInstantiate(&run_symbols, symbols, 0));
  CHECK(cudaGraphLaunch(run_symbols, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(pinned[0] == 52 && pinned[1] == 53);
  CHECK(cudaGraphExecMemcpyNodeSetParamsToSymbol(run_symbols, to, variable, other + 1,
                                                 16 * sizeof(int), 0, cudaMemcpyDeviceToDevice));
  CHECK(cudaGraphLaunch(run_symbols, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(pinned[0] == 53);
  CHECK(cudaGraphExecDestroy(run_symbols));
  CHECK(cudaGraphDestroy(symbols));
}

static void
check_instantiation() {
  cudaGraphInstantiateParams p = {};
  cudaGraphExec_t made;
  unsigned long long flags = 99;
  p.flags = cudaGraphInstantiateFlagUseNodePriority;
  CHECK(cudaGraphInstantiateWithParams(&made, graph, &p));
  EXPECT(p.result_out == cudaGraphInstantiateSuccess);
  CHECK(cudaGraphExecGetFlags(made, &flags));
  EXPECT(flags == 0);
  CHECK(cudaGraphUpload(made, stream));
  CHECK(cudaGraphLaunch(made, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaGraphExecDestroy(made));
}

int
main() {
  cudaGraphNode_t set, kernel, copy, host;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMalloc(&device, N * sizeof *device));
  CHECK(cudaMalloc(&other, N * sizeof *other));
  CHECK(cudaMallocHost(&pinned, 2 * N * sizeof *pinned));
  cudaMemsetParams fill = {};
  fill.dst = device;
  fill.elementSize = 4;
  fill.width = N;
  fill.height = 1;
  void *arguments[] = {&device, &value};
  cudaKernelNodeParams p = {};
  p.func = (void *)add;
  p.gridDim = dim3(1);
  p.blockDim = dim3(N);
  p.kernelParams = arguments;
  cudaMemcpy3DParms c = {};
  c.srcPtr = make_cudaPitchedPtr(device, N * sizeof(int), N, 1);
  c.dstPtr = make_cudaPitchedPtr(pinned, N * sizeof(int), N, 1);
  c.extent = make_cudaExtent(N * sizeof(int), 1, 1);
  c.kind = cudaMemcpyDeviceToHost;
  cudaHostNodeParams h = {};
  h.fn = count;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &fill));
  CHECK(cudaGraphAddKernelNode(&kernel, graph, &set, 1, &p));
  CHECK(cudaGraphAddMemcpyNode(&copy, graph, &kernel, 1, &c));
  CHECK(cudaGraphAddHostNode(&host, graph, &copy, 1, &h));
  renew();
  check_kernels(set, kernel);
  check_copies(copy, host);
  check_symbols();
  check_instantiation();
  return finish("graph-parameters");
}
