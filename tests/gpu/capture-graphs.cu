// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Graphs that are changed once they are executable, and graphs in them, to be captured on a device:
//   nvcc -arch=native -o graphs tests/gpu/capture-graphs.cu && smembank capture -o graphs.capture -- ./graphs
//   smembank list launches graphs.capture
// The grids of the launches are 1 2 3, 4 6, 4 7 8 and 9 blocks: those of tests/driver/application.c, "graph-changed graph-updated".
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t result = (call);                                                                   \
    if (result != cudaSuccess) {                                                                   \
      fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(result));                              \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

__global__ void step(int *out, int pitch) {
  __shared__ int tile[32];
  tile[threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 32 + threadIdx.x] = tile[threadIdx.x * pitch % 32];
}

static int *memory;
static int pitch = 2;
static void *parameters[] = {&memory, &pitch};

static cudaKernelNodeParams make_node(unsigned n_blocks) {
  cudaKernelNodeParams params = {};
  params.func = (void *)step;
  params.gridDim = dim3(n_blocks);
  params.blockDim = dim3(32);
  params.kernelParams = parameters;
  return params;
}

// @n nodes in a row, the first of which has @n_blocks blocks, the next one more.
static cudaGraph_t make_graph(unsigned n, unsigned n_blocks, cudaGraphNode_t *nodes) {
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  for (unsigned i = 0; i < n; i++) {
    cudaKernelNodeParams params = make_node(n_blocks + i);
    CHECK(cudaGraphAddKernelNode(&nodes[i], graph, i ? &nodes[i - 1] : nullptr, i ? 1 : 0, &params));
  }
  return graph;
}

static void launch(cudaGraphExec_t exec) {
  CHECK(cudaGraphLaunch(exec, 0));
  CHECK(cudaDeviceSynchronize());
}

int main() {
  cudaGraphNode_t first, child, inner[2], others[2];
  cudaGraph_t embedded;
  cudaGraphExec_t exec;
  size_t n = 2;
  CHECK(cudaMalloc(&memory, 64 * 32 * sizeof *memory));
  CHECK(cudaMemset(memory, 0, 64 * 32 * sizeof *memory));
  cudaGraph_t graph = make_graph(1, 1, &first);
  CHECK(cudaGraphAddChildGraphNode(&child, graph, &first, 1, make_graph(2, 2, others)));
  CHECK(cudaGraphChildGraphNodeGetGraph(child, &embedded));
  CHECK(cudaGraphGetNodes(embedded, inner, &n));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  launch(exec);
  cudaKernelNodeParams four = make_node(4), six = make_node(6);
  CHECK(cudaGraphExecKernelNodeSetParams(exec, first, &four));
  CHECK(cudaGraphExecKernelNodeSetParams(exec, inner[1], &six));
  CHECK(cudaGraphNodeSetEnabled(exec, inner[0], 0));
  launch(exec);
  CHECK(cudaGraphNodeSetEnabled(exec, inner[0], 1));
  CHECK(cudaGraphExecChildGraphNodeSetParams(exec, child, make_graph(2, 7, others)));
  launch(exec);
  cudaGraphExec_t updated;
  CHECK(cudaGraphInstantiate(&updated, make_graph(1, 1, others), 0));
  cudaGraphExecUpdateResultInfo info;
  CHECK(cudaGraphExecUpdate(updated, make_graph(1, 9, others), &info));
  launch(updated);
  puts("done");
  return 0;
}
