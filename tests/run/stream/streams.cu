// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Streams, events, and functions of the host that run between them.
#include <atomic>
#include <thread>

#include "../check.h"

enum {
  N = 1024
};

__global__ void
add(int *p, int n, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] += value;
}

static std::atomic<int> gate, calls;
static cudaError_t told = cudaSuccess, inside = cudaSuccess;

static void CUDART_CB
wait_for_gate(void *user) {
  while (!gate)
    std::this_thread::yield();
  *(int *)user += 1;
  calls++;
}

static void CUDART_CB
multiply(void *user) {
  *(int *)user *= 10;
  calls++;
}

static void CUDART_CB
callback(cudaStream_t, cudaError_t status, void *user) {
  told = status;
  *(int *)user += 5;
  void *memory;
  inside = cudaMalloc(&memory, 4);
  calls++;
}

static void
check_order() {
  cudaStream_t one, other;
  cudaEvent_t event;
  int *p, *pinned, value = 1;
  CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  CHECK(cudaEventCreate(&event));
  CHECK(cudaMalloc(&p, N * sizeof *p));
  CHECK(cudaMallocHost(&pinned, N * sizeof *p));
  CHECK(cudaMemset(p, 0, N * sizeof *p));
  add<<<1, 1>>>(p, 0, 0); // loads it, which waits for all streams
  CHECK(cudaDeviceSynchronize());
  // The function waits for this thread: what follows it waits, and nothing else.
  CHECK(cudaLaunchHostFunc(one, wait_for_gate, &value));
  add<<<N / 128, 128, 0, one>>>(p, N, 3);
  CHECK(cudaMemcpyAsync(pinned, p, N * sizeof *p, cudaMemcpyDeviceToHost, one));
  CHECK(cudaEventRecord(event, one));
  CHECK(cudaStreamWaitEvent(other, event, 0));
  CHECK(cudaLaunchHostFunc(other, multiply, &value));
  FAILS(cudaErrorNotReady, cudaStreamQuery(one));
  FAILS(cudaErrorNotReady, cudaEventQuery(event));
  CHECK(cudaGetLastError());
  gate = 1;
  CHECK(cudaStreamSynchronize(other));
  EXPECT(value == 20 && calls == 2);
  EXPECT(pinned[0] == 3 && pinned[N - 1] == 3);
  CHECK(cudaStreamAddCallback(other, callback, &value, 0));
  CHECK(cudaDeviceSynchronize());
  EXPECT(value == 25 && calls == 3 && told == cudaSuccess && inside == cudaErrorNotPermitted);
  CHECK(cudaStreamQuery(one));
  CHECK(cudaEventQuery(event));
  CHECK(cudaStreamDestroy(one));
  CHECK(cudaStreamDestroy(other));
  CHECK(cudaEventDestroy(event));
  CHECK(cudaFree(p));
  CHECK(cudaFreeHost(pinned));
}

static void
check_streams() {
  cudaStream_t stream;
  unsigned flags = 99;
  int priority = 99;
  unsigned long long id = 0, other = 0;
  CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -2));
  CHECK(cudaStreamGetFlags(stream, &flags));
  CHECK(cudaStreamGetPriority(stream, &priority));
  EXPECT(flags == cudaStreamNonBlocking && priority == -2);
  CHECK(cudaStreamGetId(stream, &id));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaStreamCreateWithPriority(&stream, 0, -100));
  CHECK(cudaStreamGetPriority(stream, &priority));
  CHECK(cudaStreamGetFlags(stream, &flags));
  EXPECT(priority == -5 && flags == 0);
  CHECK(cudaStreamGetId(stream, &other));
  EXPECT(id != other);
  cudaStreamAttrValue value = {};
  value.syncPolicy = cudaSyncPolicyYield;
  CHECK(cudaStreamSetAttribute(stream, cudaLaunchAttributeSynchronizationPolicy, &value));
  value = {};
  CHECK(cudaStreamGetAttribute(stream, cudaLaunchAttributeSynchronizationPolicy, &value));
  EXPECT(value.syncPolicy == cudaSyncPolicyYield);
  CHECK(cudaStreamDestroy(stream));
  FAILS(cudaErrorInvalidValue, cudaStreamCreateWithFlags(&stream, 77));
  FAILS(cudaErrorInvalidValue, cudaLaunchHostFunc(0, nullptr, nullptr));
}

static void
check_events() {
  cudaEvent_t begin, end, untimed;
  float milliseconds = -1;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreateWithFlags(&end, cudaEventBlockingSync));
  CHECK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  CHECK(cudaEventQuery(begin)); // never recorded: nothing to wait for
  CHECK(cudaEventSynchronize(begin));
  CHECK(cudaStreamWaitEvent(0, begin, 0));
  FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, begin, end));
  CHECK(cudaEventRecord(begin));
  CHECK(cudaEventRecordWithFlags(end, 0, cudaEventRecordDefault));
  CHECK(cudaEventRecord(untimed, 0));
  CHECK(cudaEventSynchronize(end));
  CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
  EXPECT(milliseconds >= 0 && milliseconds < 1000);
  FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, begin, untimed));
  FAILS(cudaErrorInvalidResourceHandle, cudaEventRecord(nullptr, 0));
  FAILS(cudaErrorInvalidValue, cudaEventCreateWithFlags(&begin, cudaEventInterprocess));
  CHECK(cudaEventDestroy(end));
  CHECK(cudaEventDestroy(untimed));
}

int
main() {
  check_order();
  check_streams();
  check_events();
  return finish("streams");
}
