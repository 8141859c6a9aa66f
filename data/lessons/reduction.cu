// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The sum of a block of DIM threads, a power of two: neighbours first, with a distance that doubles up
// to LAST, or halves first. The first distance is 1, in a way that a compiler cannot see: where it knows
// the distance it makes one wide load of two neighbours.
#ifndef DIM
#define DIM 1024
#endif
#ifndef LAST
#define LAST (DIM / 2)
#endif
#ifndef NEIGHBOURS
#define NEIGHBOURS 1
#endif

__global__ void reduction(int *out, const int *in) {
  __shared__ int sum[DIM];
  unsigned int tid = threadIdx.x;

  sum[tid] = in[tid];
  __syncthreads();
#if NEIGHBOURS
  for (unsigned int distance = blockDim.x / DIM; distance <= LAST; distance *= 2) {
    unsigned int i = 2 * distance * tid;
    if (i < DIM)
      sum[i] += sum[i + distance];
    __syncthreads();
  }
#else
  for (unsigned int distance = DIM / 2; distance > 0; distance /= 2) {
    if (tid < distance)
      sum[tid] += sum[tid + distance];
    __syncthreads();
  }
#endif
  if (tid == 0)
    out[0] = sum[0];
}
