// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Locks that every thread takes, threads of one warp among them: each of them gets its turn, since threads are scheduled independently.
#include <cstdio>

#include <cuda_runtime.h>

__device__ int lock, count, ticket, serving, locks[8], counts[8];

__device__ void add(int *to) {
  volatile int *place = to;
  *place = *place + 1;
}

__global__ void plain(int n) {
  for (int i = 0; i < n; i++) {
    while (atomicCAS(&lock, 0, 1) != 0)
      ;
    __threadfence();
    add(&count);
    __threadfence();
    atomicExch(&lock, 0);
  }
}

__global__ void until_done(int n) {
  for (int i = 0; i < n; i++) {
    for (bool done = false; !done;) {
      if (atomicCAS(&lock, 0, 1) == 0) {
        __threadfence();
        add(&count);
        __threadfence();
        atomicExch(&lock, 0);
        done = true;
      }
    }
  }
}

__global__ void tickets() {
  int mine = atomicAdd(&ticket, 1);
  while (atomicAdd(&serving, 0) != mine)
    ;
  __threadfence();
  add(&count);
  __threadfence();
  atomicAdd(&serving, 1);
}

// A lock for each of several counters.
__global__ void buckets() {
  int b = threadIdx.x * 5 % 8;
  while (atomicExch(&locks[b], 1) != 0)
    __nanosleep(20);
  __threadfence();
  add(&counts[b]);
  __threadfence();
  atomicExch(&locks[b], 0);
}

__global__ void within_block(int *out) {
  __shared__ int held, sum;
  if (threadIdx.x == 0)
    held = sum = 0;
  __syncthreads();
  while (atomicCAS(&held, 0, 1) != 0)
    __nanosleep(20);
  __threadfence_block();
  add(&sum);
  __threadfence_block();
  atomicExch(&held, 0);
  __syncthreads();
  if (threadIdx.x == 0)
    out[blockIdx.x] = sum;
}

static void say(const char *name) {
  int found = -1, zero = 0;
  cudaError_t error = cudaDeviceSynchronize();
  cudaMemcpyFromSymbol(&found, count, sizeof(int));
  cudaMemcpyToSymbol(count, &zero, sizeof(int));
  printf("%s: %s, %d\n", name, cudaGetErrorString(error), found);
}

int main() {
  int *out, sums[2], each[8];
  cudaMalloc(&out, sizeof(sums));
  plain<<<1, 32>>>(1);
  say("a warp");
  plain<<<1, 96>>>(3);
  say("a block");
  plain<<<4, 64>>>(2);
  say("blocks");
  until_done<<<4, 64>>>(2);
  say("until done");
  tickets<<<3, 96>>>();
  say("tickets");
  buckets<<<2, 64>>>();
  say("buckets");
  cudaMemcpyFromSymbol(each, counts, sizeof(each));
  for (int b = 0; b < 8; b++)
    printf("%d%c", each[b], b < 7 ? ' ' : '\n');
  within_block<<<2, 64>>>(out);
  cudaMemcpy(sums, out, sizeof(sums), cudaMemcpyDeviceToHost);
  printf("within blocks: %d %d\n", sums[0], sums[1]);
  return 0;
}
