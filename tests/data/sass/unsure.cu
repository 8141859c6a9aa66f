// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Kernels of which not everything can be known: what threads do depends on contents of memory, or on where lanes meet again.
// Made by: nvcc -cubin -arch=sm_90 (CUDA 13.0).

#include <cassert>
#include <cooperative_groups.h>
#include <cstdio>

// Whoever ends early asks for nothing behind.
extern "C" __global__ void leaves(int *o, const int *in) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  o[t] = s[63 - t];
  if (in[t] > 3)
    return;
  if (in[t] < 0)
    o[t] = in[t] / 3;
}

// Whoever ends early does not ask for the last word.
extern "C" __global__ void misses(int *o, const int *in) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  if (in[t] > 3)
    return;
  o[t] = s[63 - t];
}

__device__ __noinline__ int add(const int *s, int from, int to) {
  if (to - from < 2)
    return s[from];
  int at = from + (to - from) / 3 + 1;
  return add(s, from, at - 1 > from ? at - 1 : at) + add(s, at, to);
}

extern "C" __global__ void recurses(int *o) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  o[t] = add(s, t / 2, t);
}

// The block that comes last adds what all have left.
__device__ unsigned count;
extern "C" __global__ void last(int *out, const int *in) {
  __shared__ int s[64];
  __shared__ bool is_last;
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  if (t == 0) {
    out[blockIdx.x] = s[0] + s[63];
    __threadfence();
    is_last = atomicInc(&count, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last) {
    s[t] = t < gridDim.x ? out[t] : 0;
    __syncthreads();
    out[t] = s[63 - t];
  }
}

// A kernel that may stop itself is taken not to.
extern "C" __global__ void stops(int *out, const int *in) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  if (in[t] == 3)
    __trap();
  __syncthreads();
  out[t] = s[63 - t];
}

// All blocks of the grid wait for each other.
extern "C" __global__ void meets(int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  out[blockIdx.x * 64 + t] = s[63 - t];
  cooperative_groups::this_grid().sync();
  s[t] = out[(blockIdx.x ^ 1) * 64 + t];
  __syncthreads();
  out[blockIdx.x * 64 + t] = s[t ^ 1];
}

// An assertion that depends on something unknown is taken to hold; what is printed changes nothing.
extern "C" __global__ void asserts(int *out, const int *in) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  assert(in[t] < 3);
  if (in[t] == 2)
    printf("%d\n", t);
  __syncthreads();
  out[t] = s[63 - t];
}
