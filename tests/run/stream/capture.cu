// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Streams that are captured: what becomes a node, what is not allowed, and how a capture ends.
#include "../check.h"

__global__ void
add(int *p, int value) {
  p[threadIdx.x] += value;
}

static int *device, *pinned;
static cudaStream_t stream, other;

static void CUDART_CB
increase(void *user) {
  ++*(int *)user;
}

static void
check_fork() {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaEvent_t fork, join;
  cudaStreamCaptureStatus status;
  int calls = 0;
  CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  CHECK(cudaStreamIsCapturing(stream, &status));
  EXPECT(status == cudaStreamCaptureStatusNone);
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaMemsetAsync(device, 0, 64 * sizeof *device, stream));
  add<<<1, 32, 0, stream>>>(device, 1);
  CHECK(cudaEventRecord(fork, stream));
  CHECK(cudaStreamWaitEvent(other, fork, 0));
  CHECK(cudaStreamIsCapturing(other, &status));
  EXPECT(status == cudaStreamCaptureStatusActive);
  add<<<1, 32, 0, stream>>>(device, 10);
  add<<<1, 32, 0, other>>>(device + 32, 100);
  CHECK(cudaLaunchHostFunc(other, increase, &calls));
  CHECK(cudaEventRecord(join, other));
  CHECK(cudaStreamWaitEvent(stream, join, 0));
  CHECK(cudaMemcpyAsync(pinned, device, 64 * sizeof *device, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamEndCapture(stream, &graph));
  EXPECT(calls == 0);
  size_t n = 0, edges = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &n));
  EXPECT(n == 6);
#if CUDART_VERSION >= 13000
  CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
#else
  CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, &edges));
#endif
  EXPECT(edges == 6);
  CHECK(cudaGraphGetRootNodes(graph, nullptr, &n));
  EXPECT(n == 1);
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  for (int i = 0; i < 3; i++)
    CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(pinned[0] == 11 && pinned[31] == 11 && pinned[32] == 100 && calls == 3);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaEventDestroy(fork));
  CHECK(cudaEventDestroy(join));
}

static void
check_wrong_calls() {
  cudaGraph_t graph = (cudaGraph_t)1;
  void *memory;
  cudaEvent_t event;
  cudaStreamCaptureStatus status;
  CHECK(cudaEventCreate(&event));
  // Waiting for a stream that is captured.
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  FAILS(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(stream));
  CHECK(cudaStreamIsCapturing(stream, &status));
  EXPECT(status == cudaStreamCaptureStatusInvalidated);
  FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));
  EXPECT(graph == nullptr);
  // Allocating while this thread captures.
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  FAILS(cudaErrorStreamCaptureUnsupported, cudaMalloc(&memory, 64));
  FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));
  // … which is allowed if it says so.
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  CHECK(cudaMalloc(&memory, 64));
  CHECK(cudaFree(memory));
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphDestroy(graph));
  // The legacy stream waits for blocking streams. To ask is no harm.
  CHECK(cudaStreamBeginCapture(other, cudaStreamCaptureModeRelaxed));
  FAILS(cudaErrorStreamCaptureImplicit, cudaStreamIsCapturing(cudaStreamLegacy, &status));
  CHECK(cudaStreamIsCapturing(other, &status));
  EXPECT(status == cudaStreamCaptureStatusActive);
  add<<<1, 1>>>(device, 1);
  FAILS(cudaErrorStreamCaptureImplicit, cudaGetLastError());
  FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(other, &graph));
  // An event of a capture has no state of its own.
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  CHECK(cudaEventRecord(event, stream));
  FAILS(cudaErrorCapturedEvent, cudaEventQuery(event));
  FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));
  // An event that was recorded outside.
  CHECK(cudaEventRecord(event, other));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  FAILS(cudaErrorStreamCaptureIsolation, cudaStreamWaitEvent(stream, event, 0));
  FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));
  // A stream that does not come back.
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  CHECK(cudaEventRecord(event, stream));
  CHECK(cudaStreamWaitEvent(other, event, 0));
  add<<<1, 1, 0, other>>>(device, 1);
  FAILS(cudaErrorStreamCaptureUnmatched, cudaStreamEndCapture(other, &graph));
  FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));
  FAILS(cudaErrorIllegalState, cudaStreamEndCapture(stream, &graph));
  cudaGetLastError();
  CHECK(cudaEventDestroy(event));
}

// A stream that has come back may go before the capture ends.
static void
check_destroyed() {
  cudaGraph_t graph;
  cudaStream_t gone;
  cudaEvent_t event;
  size_t n = 0;
  CHECK(cudaStreamCreate(&gone));
  CHECK(cudaEventCreate(&event));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaEventRecord(event, stream));
  CHECK(cudaStreamWaitEvent(gone, event, 0));
  add<<<1, 1, 0, gone>>>(device, 1);
  CHECK(cudaEventRecord(event, gone));
  CHECK(cudaStreamWaitEvent(stream, event, 0));
  CHECK(cudaStreamDestroy(gone));
  CHECK(cudaEventDestroy(event));
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphGetNodes(graph, nullptr, &n));
  EXPECT(n == 1);
  CHECK(cudaGraphDestroy(graph));
}

int
main() {
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaStreamCreate(&other));
  CHECK(cudaMalloc(&device, 64 * sizeof *device));
  CHECK(cudaMallocHost(&pinned, 64 * sizeof *pinned));
  check_fork();
  check_wrong_calls();
  check_destroyed();
  CHECK(cudaDeviceSynchronize());
  return finish("capture");
}
