// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Kernels that wait for what the program, or another kernel, writes after they were launched.
#include <atomic>
#include <thread>
#include <unistd.h>

#include "../check.h"

enum {
  ROUNDS = 50,
  BLOCKS = 4,
};

__global__ void
wait_for(const volatile int *flag, int value, int *seen) {
  while (*flag != value)
    ;
  if (threadIdx.x == 0)
    atomicAdd(seen, 1);
}

// By an atomic, with a pause between.
__global__ void
ask_for(int *flag, int value, int *seen) {
  while (atomicAdd(flag, 0) != value)
    __nanosleep(100);
  *seen = value;
}

__global__ void
set(volatile int *flag, int value) {
  __threadfence_system();
  *flag = value;
}

// Answers what the other side asks, round after round.
__global__ void
answer(const volatile int *asked, volatile int *answered, int n) {
  if (threadIdx.x + blockIdx.x == 0) {
    for (int i = 1; i <= n; i++) {
      while (*asked != i)
        ;
      __threadfence_system();
      *answered = i;
    }
  }
  __syncthreads();
}

__global__ void
ask(volatile int *asked, const volatile int *answered, int n) {
  for (int i = 1; i <= n; i++) {
    *asked = i;
    __threadfence_system();
    while (*answered != i)
      ;
  }
}

// A queue of work in memory that both sides see: squares, until 0 comes.
__global__ void
serve(const volatile int *number, const volatile int *request, volatile int *result,
      volatile int *done) {
  for (int served = 0;; served++) {
    while (*number == served)
      ;
    __threadfence_system();
    int value = *request;
    if (value == 0)
      return;
    *result = value * value;
    __threadfence_system();
    *done = served + 1;
  }
}

static volatile int *pinned; // zeros
static int *device;

static void
clear() {
  for (int i = 0; i < 16; i++)
    pinned[i] = 0;
  CHECK(cudaMemset(device, 0, 16 * sizeof *device));
  CHECK(cudaDeviceSynchronize());
}

static int
read_device(int i) {
  int value = -1;
  CHECK(cudaMemcpy(&value, device + i, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

static void
check_program_writes() {
  clear();
  wait_for<<<1, 32>>>(pinned, 7, device);
  CHECK(cudaGetLastError());
  FAILS(cudaErrorNotReady, cudaStreamQuery(0));
  pinned[0] = 7;
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaStreamQuery(0));
  EXPECT(read_device(0) == 1);
  // Blocks that wait all together, and what follows them in the stream.
  clear();
  wait_for<<<BLOCKS, 64>>>(pinned, 8, device);
  set<<<1, 1>>>(pinned + 1, 9);
  EXPECT(pinned[1] == 0);
  pinned[0] = 8;
  CHECK(cudaDeviceSynchronize());
  EXPECT(pinned[1] == 9);
  EXPECT(read_device(0) == BLOCKS);
  // An atomic asks.
  clear();
  ask_for<<<1, 1>>>((int *)pinned, 5, device);
  pinned[0] = 5;
  CHECK(cudaDeviceSynchronize());
  EXPECT(read_device(0) == 5);
}

static void
check_rounds() {
  clear();
  answer<<<BLOCKS, 64>>>(pinned, pinned + 1, ROUNDS);
  for (int i = 1; i <= ROUNDS; i++) {
    pinned[0] = i;
    while (pinned[1] != i)
      ;
  }
  CHECK(cudaDeviceSynchronize());
  clear();
  serve<<<1, 1>>>(pinned, pinned + 1, pinned + 2, pinned + 3);
  for (int i = 1; i <= ROUNDS; i++) {
    pinned[1] = i == ROUNDS ? 0 : i;
    std::atomic_thread_fence(std::memory_order_seq_cst);
    pinned[0] = i;
    while (i < ROUNDS && pinned[3] != i)
      ;
    EXPECT(i == ROUNDS || pinned[2] == i * i);
  }
  CHECK(cudaDeviceSynchronize());
}

static void CUDART_CB
write_flag(void *flag) {
  *(volatile int *)flag = 3;
}

// Kernels of two streams, of which one waits for the other, or both for each other, and a function of the host.
static void
check_streams() {
  cudaStream_t one, other;
  cudaEvent_t event;
  CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  CHECK(cudaEventCreate(&event));
  clear();
  wait_for<<<1, 32, 0, one>>>(device, 4, device + 1);
  CHECK(cudaEventRecord(event, one));
  FAILS(cudaErrorNotReady, cudaEventQuery(event));
  set<<<1, 1, 0, other>>>(device, 4);
  CHECK(cudaStreamSynchronize(other));
  CHECK(cudaEventSynchronize(event));
  clear();
  answer<<<1, 32, 0, one>>>(device, device + 1, ROUNDS);
  ask<<<1, 1, 0, other>>>(device, device + 1, ROUNDS);
  CHECK(cudaDeviceSynchronize());
  EXPECT(read_device(1) == ROUNDS);
  clear();
  wait_for<<<1, 1, 0, one>>>(pinned, 3, device);
  CHECK(cudaLaunchHostFunc(other, write_flag, (void *)pinned));
  // A stream that follows both.
  CHECK(cudaEventRecord(event, other));
  CHECK(cudaStreamWaitEvent(one, event, 0));
  set<<<1, 1, 0, one>>>(pinned + 1, 6);
  CHECK(cudaStreamSynchronize(one));
  EXPECT(pinned[1] == 6);
  EXPECT(read_device(0) == 1);
  CHECK(cudaEventDestroy(event));
  CHECK(cudaStreamDestroy(one));
  CHECK(cudaStreamDestroy(other));
}

// A thread of the program writes, while another one waits for the kernel.
static void
check_thread() {
  clear();
  wait_for<<<2, 32>>>(pinned, 2, device);
  std::thread writer([] {
    usleep(20000);
    pinned[0] = 2;
  });
  CHECK(cudaDeviceSynchronize());
  writer.join();
  EXPECT(read_device(0) == 2);
}

// A graph whose kernel waits is launched by a stream that already waits for one.
static void
check_graph() {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  wait_for<<<1, 1, 0, stream>>>(pinned + 1, 2, device);
  set<<<1, 1, 0, stream>>>(pinned + 2, 3);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  clear();
  wait_for<<<1, 1, 0, stream>>>(pinned, 1, device);
  CHECK(cudaGraphLaunch(exec, stream));
  pinned[0] = 1;
  pinned[1] = 2;
  CHECK(cudaStreamSynchronize(stream));
  EXPECT(read_device(0) == 2);
  EXPECT(pinned[2] == 3);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
}

int
main() {
  CHECK(cudaHostAlloc((void **)&pinned, 16 * sizeof *pinned, cudaHostAllocMapped));
  CHECK(cudaMalloc(&device, 16 * sizeof *device));
  CHECK(cudaDeviceSynchronize());
  // Loads the kernels, which may wait for the device.
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, wait_for));
  CHECK(cudaFuncGetAttributes(&attributes, ask_for));
  CHECK(cudaFuncGetAttributes(&attributes, set));
  CHECK(cudaFuncGetAttributes(&attributes, answer));
  CHECK(cudaFuncGetAttributes(&attributes, ask));
  CHECK(cudaFuncGetAttributes(&attributes, serve));
  check_program_writes();
  check_rounds();
  check_streams();
  check_thread();
  check_graph();
  return finish("kernel-waits");
}
