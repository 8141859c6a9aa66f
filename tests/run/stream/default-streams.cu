// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The default stream of each thread (nvcc --default-stream per-thread), and the legacy one.
// nvcc: --default-stream per-thread
#include <atomic>
#include <thread>

#include "../check.h"

static std::atomic<int> gate;

__global__ void
add(int *p, int value) {
  *p += value;
}

static void CUDART_CB
wait_for_gate(void *) {
  while (!gate)
    std::this_thread::yield();
}

static void
work(int *p) {
  add<<<1, 1>>>(p, 2);
  int value = 0;
  CHECK(cudaMemcpy(&value, p, sizeof value, cudaMemcpyDefault));
  EXPECT(value == 2);
  CHECK(cudaStreamSynchronize(0));
  gate = 1;
}

int
main() {
  int *p, *q, value = 0;
  unsigned long long thread = 0, legacy = 0, none = 0;
  CHECK(cudaMalloc(&p, sizeof *p));
  CHECK(cudaMalloc(&q, sizeof *q));
  CHECK(cudaMemset(p, 0, sizeof *p));
  CHECK(cudaMemset(q, 0, sizeof *q));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaStreamGetId(cudaStreamPerThread, &thread));
  CHECK(cudaStreamGetId(cudaStreamLegacy, &legacy));
  CHECK(cudaStreamGetId(0, &none));
  EXPECT(none == thread && thread != legacy);
  add<<<1, 1>>>(p, 0); // loads it, which waits for all streams
  CHECK(cudaDeviceSynchronize());
  // The default stream of this thread waits for the other thread, whose default stream does not wait for it.
  CHECK(cudaLaunchHostFunc(0, wait_for_gate, nullptr));
  add<<<1, 1>>>(p, 1);
  FAILS(cudaErrorNotReady, cudaStreamQuery(0));
  std::thread other(work, q);
  other.join();
  CHECK(cudaStreamSynchronize(0));
  CHECK(cudaMemcpy(&value, p, sizeof value, cudaMemcpyDefault));
  EXPECT(value == 1);
  // It can be captured, which the legacy stream cannot.
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
  add<<<1, 1>>>(p, 10);
  CHECK(cudaStreamEndCapture(0, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, 0));
  CHECK(cudaStreamSynchronize(0));
  CHECK(cudaMemcpy(&value, p, sizeof value, cudaMemcpyDefault));
  EXPECT(value == 11);
  FAILS(cudaErrorStreamCaptureUnsupported,
        cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeGlobal));
  return finish("default-streams");
}
