// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Graphs with conditions: if, else, while, switch, default values, loops in loops, and what is refused.
#include "../check.h"

#include <vector>

__global__ void
set_value(cudaGraphConditionalHandle handle, const int *value) {
  cudaGraphSetConditional(handle, *value);
}

__global__ void
add(int *number, int what) {
  *number += what;
}

// Counts down, and ends a loop with the last.
__global__ void
count_down(int *left, int *rounds, cudaGraphConditionalHandle handle) {
  ++*rounds;
  cudaGraphSetConditional(handle, --*left > 0);
}

// Many threads of which one sets the condition.
__global__ void
halve(int *values, int n, cudaGraphConditionalHandle handle) {
  __shared__ int most;
  if (threadIdx.x == 0)
    most = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    values[i] /= 2;
    atomicMax(&most, values[i]);
  }
  __syncthreads();
  if (threadIdx.x == 0)
    cudaGraphSetConditional(handle, most > 1);
}

static int *numbers; // of the device: 0 value, 1 result, 2 left, 3 rounds

static int
read_number(int index) {
  int number = -1;
  CHECK(cudaMemcpy(&number, numbers + index, sizeof number, cudaMemcpyDeviceToHost));
  return number;
}

static void
write_number(int index, int number) {
  CHECK(cudaMemcpy(numbers + index, &number, sizeof number, cudaMemcpyHostToDevice));
}

static cudaGraphNode_t
add_kernel(cudaGraph_t graph, std::vector<cudaGraphNode_t> after, void *function, void **arguments,
           unsigned threads = 1) {
  cudaGraphNodeParams parameters = {cudaGraphNodeTypeKernel};
  cudaGraphNode_t node;
  parameters.kernel.func = function;
  parameters.kernel.gridDim = dim3(1);
  parameters.kernel.blockDim = dim3(threads);
  parameters.kernel.kernelParams = arguments;
  CHECK(cudaGraphAddNode(&node, graph, after.data(), NULL, after.size(), &parameters));
  return node;
}

static void
add_sum(cudaGraph_t graph, int index, int what) {
  int *number = numbers + index;
  void *arguments[] = {&number, &what};
  add_kernel(graph, {}, (void *)add, arguments);
}

static cudaGraphNode_t
add_condition(cudaGraph_t graph, std::vector<cudaGraphNode_t> after,
              cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type, unsigned size,
              cudaGraph_t **bodies) {
  cudaGraphNodeParams parameters = {cudaGraphNodeTypeConditional};
  cudaGraphNode_t node = NULL;
  parameters.conditional.handle = handle;
  parameters.conditional.type = type;
  parameters.conditional.size = size;
  CHECK(cudaGraphAddNode(&node, graph, after.data(), NULL, after.size(), &parameters));
  *bodies = parameters.conditional.phGraph_out;
  return node;
}

// A kernel that sets the condition to numbers[0], and what follows it.
static cudaGraphExec_t
make_choice(cudaGraph_t *graph, cudaGraphConditionalNodeType type, unsigned size) {
  cudaGraphConditionalHandle handle;
  cudaGraph_t *bodies;
  cudaGraphExec_t exec;
  CHECK(cudaGraphCreate(graph, 0));
  CHECK(cudaGraphConditionalHandleCreate(&handle, *graph, 0, 0));
  void *arguments[] = {&handle, &numbers};
  cudaGraphNode_t first = add_kernel(*graph, {}, (void *)set_value, arguments);
  cudaGraphNode_t node = add_condition(*graph, {first}, handle, type, size, &bodies);
  for (unsigned i = 0; i < size; i++)
    add_sum(bodies[i], 1, i == 0 ? 1 : 100 * i);
  int *result = numbers + 1, ten = 10;
  void *last[] = {&result, &ten};
  add_kernel(*graph, {node}, (void *)add, last);
  cudaGraphNodeType kind;
  CHECK(cudaGraphNodeGetType(node, &kind));
  EXPECT(kind == cudaGraphNodeTypeConditional);
  CHECK(cudaGraphInstantiate(&exec, *graph, 0));
  return exec;
}

static int
run_choice(cudaGraphExec_t exec, int value) {
  write_number(0, value);
  write_number(1, 0);
  CHECK(cudaGraphLaunch(exec, 0));
  CHECK(cudaDeviceSynchronize());
  return read_number(1);
}

static void
choices() {
  cudaGraph_t graph;
  cudaGraphExec_t exec = make_choice(&graph, cudaGraphCondTypeIf, 1);
  printf("if: %d %d %d\n", run_choice(exec, 0), run_choice(exec, 1), run_choice(exec, 7));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  exec = make_choice(&graph, cudaGraphCondTypeIf, 2);
  printf("else: %d %d\n", run_choice(exec, 0), run_choice(exec, 1));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  exec = make_choice(&graph, cudaGraphCondTypeSwitch, 3);
  printf("switch: %d %d %d %d %d\n", run_choice(exec, 0), run_choice(exec, 1), run_choice(exec, 2),
         run_choice(exec, 3), run_choice(exec, -1));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
}

// A loop whose body is captured, which a default value begins.
static void
loop() {
  cudaGraph_t graph, *bodies;
  cudaGraphExec_t exec;
  cudaGraphConditionalHandle handle;
  cudaStream_t stream;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
  add_condition(graph, {}, handle, cudaGraphCondTypeWhile, 1, &bodies);
  CHECK(cudaStreamCreate(&stream));
  CHECK(
      cudaStreamBeginCaptureToGraph(stream, bodies[0], NULL, NULL, 0, cudaStreamCaptureModeGlobal));
  count_down<<<1, 1, 0, stream>>>(numbers + 2, numbers + 3, handle);
  CHECK(cudaMemcpyAsync(numbers + 1, numbers + 3, sizeof(int), cudaMemcpyDeviceToDevice, stream));
  CHECK(cudaStreamEndCapture(stream, NULL));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int left = 1; left < 12; left += 5) {
    write_number(2, left);
    write_number(3, 0);
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("while: %d\n", read_number(1));
  }
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
}

// A condition that is added to a stream that is captured, and a loop in the body of an if.
static void
nested() {
  cudaGraph_t graph, *bodies, *inner;
  cudaGraphExec_t exec;
  cudaGraphConditionalHandle outer_handle, handle;
  cudaStream_t stream;
  cudaStreamCaptureStatus status;
  const cudaGraphNode_t *nodes;
  size_t n;
  int *values;
  CHECK(cudaMalloc(&values, 64 * sizeof *values));
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaStreamGetCaptureInfo(stream, &status, NULL, &graph, &nodes, NULL, &n));
  CHECK(cudaGraphConditionalHandleCreate(&outer_handle, graph, 0, 0));
  CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
  set_value<<<1, 1, 0, stream>>>(outer_handle, numbers);
  CHECK(cudaStreamGetCaptureInfo(stream, &status, NULL, &graph, &nodes, NULL, &n));
  EXPECT(n == 1);
  cudaGraphNode_t node =
      add_condition(graph, {nodes[0]}, outer_handle, cudaGraphCondTypeIf, 1, &bodies);
  CHECK(cudaStreamUpdateCaptureDependencies(stream, &node, NULL, 1,
                                            cudaStreamSetCaptureDependencies));
  add<<<1, 1, 0, stream>>>(numbers + 1, 1000);
  CHECK(cudaStreamEndCapture(stream, &graph));
  add_condition(bodies[0], {}, handle, cudaGraphCondTypeWhile, 1, &inner);
  int n_values = 64;
  void *arguments[] = {&values, &n_values, &handle};
  add_kernel(inner[0], {}, (void *)halve, arguments, 32);
  add_sum(inner[0], 1, 1);
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int value = 0; value < 2; value++) {
    std::vector<int> given(64, 5);
    given[17] = 300;
    CHECK(cudaMemcpy(values, given.data(), 64 * sizeof *values, cudaMemcpyHostToDevice));
    printf("nested: %d", run_choice(exec, value));
    CHECK(cudaMemcpy(given.data(), values, 64 * sizeof *values, cudaMemcpyDeviceToHost));
    printf(" %d\n", given[17]);
  }
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(values));
}

static cudaError_t
try_condition(cudaGraph_t graph, cudaGraphConditionalHandle handle, int type, unsigned size) {
  cudaGraphNodeParams parameters = {cudaGraphNodeTypeConditional};
  cudaGraphNode_t node;
  parameters.conditional.handle = handle;
  parameters.conditional.type = (cudaGraphConditionalNodeType)type;
  parameters.conditional.size = size;
  return cudaGraphAddNode(&node, graph, NULL, NULL, 0, &parameters);
}

static void
refused() {
  cudaGraph_t graph, other, *bodies;
  cudaGraphExec_t exec, second;
  cudaGraphConditionalHandle handle;
  cudaGraphNode_t node;
  cudaGraphInstantiateParams how = {0};
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphCreate(&other, 0));
  FAILS(cudaErrorInvalidValue, cudaGraphConditionalHandleCreate(&handle, graph, 1, 2));
  FAILS(cudaErrorInvalidValue, cudaGraphConditionalHandleCreate(NULL, graph, 1, 0));
  CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, cudaGraphCondAssignDefault));
  FAILS(cudaErrorInvalidValue, cudaGraphInstantiateWithParams(&exec, graph, &how));
  EXPECT(how.result_out == cudaGraphInstantiateConditionalHandleUnused);
  FAILS(cudaErrorInvalidValue, try_condition(graph, handle, cudaGraphCondTypeWhile, 2));
  FAILS(cudaErrorInvalidValue, try_condition(graph, handle, cudaGraphCondTypeIf, 3));
  FAILS(cudaErrorInvalidValue, try_condition(graph, handle, cudaGraphCondTypeSwitch, 0));
  FAILS(cudaErrorInvalidValue, try_condition(graph, handle, 3, 1));
  FAILS(cudaErrorInvalidValue, try_condition(graph, 0, cudaGraphCondTypeIf, 1));
  node = add_condition(graph, {}, handle, cudaGraphCondTypeIf, 1, &bodies);
  FAILS(cudaErrorInvalidValue, try_condition(graph, handle, cudaGraphCondTypeIf, 1));
  cudaGraphNodeParams parameters = {cudaGraphNodeTypeConditional};
  parameters.conditional.handle = handle;
  parameters.conditional.type = cudaGraphCondTypeIf;
  parameters.conditional.size = 1;
  FAILS(cudaErrorNotSupported, cudaGraphNodeSetParams(node, &parameters));
  cudaGraph_t copy;
  FAILS(cudaErrorNotSupported, cudaGraphClone(&copy, graph));
  FAILS(cudaErrorNotSupported, cudaGraphAddChildGraphNode(&node, other, NULL, 0, graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  FAILS(cudaErrorNotSupported, cudaGraphInstantiate(&second, graph, 0));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaGraphDestroy(other));
}

int
main() {
  CHECK(cudaMalloc(&numbers, 4 * sizeof *numbers));
  CHECK(cudaMemset(numbers, 0, 4 * sizeof *numbers));
  choices();
  loop();
  nested();
  refused();
  CHECK(cudaFree(numbers));
  return finish("graphs with conditions");
}
