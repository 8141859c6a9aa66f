// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The sum of reduceSmem by shuffles: lanes of a warp add what others have in registers, and shared memory
// holds one sum for each warp only. The block is DIM threads, a power of two from 64 to 1024.
#ifndef DIM
#define DIM 128
#endif

__device__ int sumWarp(int sum) {
  for (int distance = 16; distance > 0; distance /= 2)
    sum += __shfl_down_sync(0xffffffff, sum, distance);
  return sum;
}

__global__ void reduceShfl(int *g_idata, int *g_odata, unsigned int n) {
  __shared__ int smem[DIM / 32];
  unsigned int idx = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned int lane = threadIdx.x % 32;
  unsigned int warp = threadIdx.x / 32;
  int sum = sumWarp(idx < n ? g_idata[idx] : 0);

  if (lane == 0)
    smem[warp] = sum;
  __syncthreads();

  if (warp == 0) {
    sum = sumWarp(lane < blockDim.x / 32 ? smem[lane] : 0);
    if (lane == 0)
      g_odata[blockIdx.x] = sum;
  }
}
