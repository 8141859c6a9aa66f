// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Nodes that are added by one function, events in graphs, edges, and captures into a graph that is there.
#include <cstring>

#include "../check.h"

__global__ void
add(int *p, int value) {
  *p += value;
}

static int *device, value = 3;
static cudaStream_t stream;

static int
read_value() {
  int out = -1;
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemcpy(&out, device, sizeof out, cudaMemcpyDefault));
  return out;
}

static void
launch(cudaGraph_t graph) {
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaGraphExecDestroy(exec));
}

static cudaGraphNodeParams
kernel(void **arguments) {
  cudaGraphNodeParams p = {};
  p.type = cudaGraphNodeTypeKernel;
  p.kernel.func = (void *)add;
  p.kernel.gridDim = p.kernel.blockDim = dim3(1);
  p.kernel.kernelParams = arguments;
  return p;
}

static void
check_added() {
  cudaGraph_t graph, child;
  cudaGraphNode_t one, two, nodes[4], from[4], to[4];
  cudaGraphEdgeData edges[4];
  void *arguments[] = {&device, &value};
  cudaGraphNodeParams p = kernel(arguments);
  size_t n = 4;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphCreate(&child, 0));
  CHECK(cudaGraphAddNode(&one, child, nullptr, nullptr, 0, &p));
  CHECK(cudaGraphAddNode(&one, graph, nullptr, nullptr, 0, &p));
  cudaGraphNodeParams c = {};
  c.type = cudaGraphNodeTypeGraph;
  c.graph.graph = child;
  CHECK(cudaGraphAddNode(&two, graph, &one, nullptr, 1, &c));
  CHECK(cudaGraphGetEdges(graph, from, to, edges, &n));
  EXPECT(n == 1 && from[0] == one && to[0] == two);
  n = 4;
  CHECK(cudaGraphNodeGetDependentNodes(one, nodes, nullptr, &n));
  EXPECT(n == 1 && nodes[0] == two);
  CHECK(cudaMemset(device, 0, sizeof *device));
  launch(graph);
  EXPECT(read_value() == 6);
  int other = 20;
  void *changed[] = {&device, &other};
  p = kernel(changed);
  CHECK(cudaGraphNodeSetParams(one, &p));
  launch(graph);
  EXPECT(read_value() == 29);
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  other = 1;
  CHECK(cudaGraphExecNodeSetParams(exec, one, &p));
  cudaGraphNode_t inner;
  cudaGraph_t replacement;
  CHECK(cudaGraphCreate(&replacement, 0));
  CHECK(cudaGraphAddNode(&inner, replacement, nullptr, nullptr, 0, &p));
  CHECK(cudaGraphExecChildGraphNodeSetParams(exec, two, replacement));
  CHECK(cudaGraphLaunch(exec, stream));
  EXPECT(read_value() == 31);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphRemoveDependencies(graph, &one, &two, nullptr, 1));
  n = 0;
  CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &n));
  EXPECT(n == 0);
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaGraphDestroy(child));
  CHECK(cudaGraphDestroy(replacement));
}

static void
check_events() {
  cudaGraph_t graph;
  cudaGraphNode_t record, wait;
  cudaGraphExec_t exec;
  cudaEvent_t first, second, found;
  CHECK(cudaEventCreate(&first));
  CHECK(cudaEventCreate(&second));
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphAddEventRecordNode(&record, graph, nullptr, 0, first));
  CHECK(cudaGraphAddEventWaitNode(&wait, graph, &record, 1, first));
  CHECK(cudaGraphEventRecordNodeGetEvent(record, &found));
  EXPECT(found == first);
  CHECK(cudaGraphEventRecordNodeSetEvent(record, second));
  CHECK(cudaGraphEventWaitNodeSetEvent(wait, second));
  CHECK(cudaGraphEventWaitNodeGetEvent(wait, &found));
  EXPECT(found == second);
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphExecEventRecordNodeSetEvent(exec, record, first));
  CHECK(cudaGraphExecEventWaitNodeSetEvent(exec, wait, first));
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  float milliseconds = -1;
  CHECK(cudaEventRecord(second, stream));
  CHECK(cudaEventSynchronize(second));
  CHECK(cudaEventElapsedTime(&milliseconds, first, second));
  EXPECT(milliseconds >= 0);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
}

static void
check_capture() {
  cudaGraph_t graph, found, ended;
  cudaGraphNode_t first, extra;
  const cudaGraphNode_t *tail;
  const cudaGraphEdgeData *edges;
  cudaStreamCaptureStatus status;
  unsigned long long id = 0;
  size_t n = 0;
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaGraphAddEmptyNode(&first, graph, nullptr, 0));
  CHECK(cudaStreamBeginCaptureToGraph(stream, graph, &first, nullptr, 1,
                                      cudaStreamCaptureModeThreadLocal));
  add<<<1, 1, 0, stream>>>(device, 100);
  CHECK(cudaStreamGetCaptureInfo(stream, &status, &id, &found, &tail, &edges, &n));
  EXPECT(status == cudaStreamCaptureStatusActive && found == graph && n == 1 && id != 0);
  CHECK(cudaGraphAddEmptyNode(&extra, graph, tail, 1));
  CHECK(cudaStreamUpdateCaptureDependencies(stream, &extra, nullptr, 1,
                                            cudaStreamSetCaptureDependencies));
  add<<<1, 1, 0, stream>>>(device, 1000);
  CHECK(cudaStreamEndCapture(stream, &ended));
  EXPECT(ended == graph);
  CHECK(cudaGraphGetNodes(graph, nullptr, &n));
  EXPECT(n == 4);
  CHECK(cudaMemset(device, 0, sizeof *device));
  launch(graph);
  EXPECT(read_value() == 1100);
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  void *memory;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
  EXPECT(mode == cudaStreamCaptureModeGlobal);
  CHECK(cudaMalloc(&memory, 64));
  CHECK(cudaThreadExchangeStreamCaptureMode(&mode));
  EXPECT(mode == cudaStreamCaptureModeRelaxed);
  CHECK(cudaMallocAsync(&memory, 64, stream));
  CHECK(cudaMemsetAsync(memory, 1, 64, stream));
  CHECK(cudaFreeAsync(memory, stream));
  CHECK(cudaStreamEndCapture(stream, &ended));
  CHECK(cudaGraphGetNodes(ended, nullptr, &n));
  EXPECT(n == 3);
  launch(ended);
  CHECK(cudaGraphDestroy(ended));
  CHECK(cudaGraphDestroy(graph));
}

static int destroyed;

static void CUDART_CB
destroy(void *) {
  destroyed++;
}

int
main() {
  cudaUserObject_t object;
  cudaGraph_t graph;
  unsigned long long bytes = 99;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaMalloc(&device, sizeof *device));
  check_added();
  check_events();
  check_capture();
  CHECK(cudaGraphCreate(&graph, 0));
  CHECK(cudaUserObjectCreate(&object, nullptr, destroy, 2, cudaUserObjectNoDestructorSync));
  CHECK(cudaUserObjectRetain(object, 1));
  CHECK(cudaGraphRetainUserObject(graph, object, 2));
  CHECK(cudaUserObjectRelease(object, 3));
  CHECK(cudaGraphReleaseUserObject(graph, object, 1));
  EXPECT(destroyed == 0);
  CHECK(cudaGraphDebugDotPrint(graph, "/dev/null", 0));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaDeviceGraphMemTrim(0));
  CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &bytes));
  EXPECT(bytes == 0);
  return finish("graph-nodes");
}
