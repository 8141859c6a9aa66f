// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Blocks that have nothing to do with each other, and blocks that look at what others do: tickets, the last block, a fence.
#include <cstdio>

enum {
  BLOCKS = 2500,
  THREADS = 64
}; // more than a wave of blocks

__global__ void
square(int *out, const int *in) {
  int i = blockIdx.x * THREADS + threadIdx.x;
  out[i] = in[i] * in[i] + 1;
}

__global__ void
take_tickets(int *tickets, int *next) {
  __shared__ int ticket;
  if (threadIdx.x == 0)
    ticket = atomicAdd(next, 1);
  __syncthreads();
  if (threadIdx.x == 0)
    tickets[blockIdx.x] = ticket;
}

__global__ void
sum(float *total, const int *in) {
  atomicAdd(total, (float)in[blockIdx.x * THREADS + threadIdx.x] * 0.1f);
}

__global__ void
count_values(unsigned *counts, unsigned long long *largest, const int *in) {
  int value = in[blockIdx.x * THREADS + threadIdx.x];
  atomicAdd(&counts[value % 64], 1u);
  atomicMax(largest, (unsigned long long)value << 33);
}

// What a block finds after its own addition: at least that.
__global__ void
add_and_look(int *seen, int *counter) {
  if (threadIdx.x == 0) {
    atomicAdd(counter, 1);
    seen[blockIdx.x] = *counter;
  }
}

__global__ void
sum_in_last(unsigned *total, unsigned *parts, unsigned *done, const int *in) {
  __shared__ unsigned part, is_last;
  if (threadIdx.x == 0)
    part = 0;
  __syncthreads();
  atomicAdd(&part, (unsigned)in[blockIdx.x * THREADS + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = part;
    __threadfence();
    is_last = atomicAdd(done, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    unsigned all = 0;
    for (unsigned i = 0; i < gridDim.x; i++)
      all += parts[i];
    *total = all;
  }
}

int
main() {
  enum {
    N = BLOCKS * THREADS
  };
  static int host[N], squares[N], tickets[BLOCKS], seen[BLOCKS];
  int *in, *out, *words, *counts, *counter, wrong = 0;
  unsigned counted[66], expected[64] = {0};
  unsigned long long largest;
  float total;
  unsigned last;
  for (int i = 0; i < N; i++)
    host[i] = i % 1013;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMalloc(&words, 64);
  cudaMemset(words, 0, 64);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  square<<<BLOCKS, THREADS>>>(out, in);
  cudaMemcpy(squares, out, sizeof squares, cudaMemcpyDeviceToHost);
  for (int i = 0; i < N; i++)
    wrong += squares[i] != host[i] * host[i] + 1;
  take_tickets<<<BLOCKS, THREADS>>>(out, words);
  cudaMemcpy(tickets, out, sizeof tickets, cudaMemcpyDeviceToHost);
  for (int i = 0; i < BLOCKS; i++)
    wrong += tickets[i] < 0 || tickets[i] >= BLOCKS || seen[tickets[i]]++ > 0;
  sum<<<BLOCKS, THREADS>>>((float *)words + 1, in);
  for (int i = 0; i < N; i++)
    expected[host[i] % 64]++;
  cudaMalloc(&counts, sizeof counted);
  cudaMemset(counts, 0, sizeof counted);
  count_values<<<BLOCKS, THREADS>>>((unsigned *)counts, (unsigned long long *)(counts + 64), in);
  cudaMemcpy(counted, counts, sizeof counted, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 64; i++)
    wrong += counted[i] != expected[i];
  cudaMemcpy(&largest, counts + 64, sizeof largest, cudaMemcpyDeviceToHost);
  wrong += largest != 1012ull << 33;
  cudaMalloc(&counter, sizeof *counter);
  cudaMemset(counter, 0, sizeof *counter);
  add_and_look<<<BLOCKS, THREADS>>>(out, counter);
  cudaMemcpy(tickets, out, sizeof tickets, cudaMemcpyDeviceToHost);
  for (int i = 0; i < BLOCKS; i++)
    wrong += tickets[i] < 1 || tickets[i] > BLOCKS;
  sum_in_last<<<BLOCKS, THREADS>>>((unsigned *)words + 2, (unsigned *)out, (unsigned *)words + 3,
                                   in);
  cudaMemcpy(&total, words + 1, sizeof total, cudaMemcpyDeviceToHost);
  cudaMemcpy(&last, words + 2, sizeof last, cudaMemcpyDeviceToHost);
  printf("%d wrong, total %a, %u\n", wrong, total, last);
  return wrong;
}
