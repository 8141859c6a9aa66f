// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The sum of reduceGmem in shared memory: each element is read from global memory once. The block
// is DIM threads, a power of two from 64 to 1024. The last warp goes on alone, its steps written
// out; half as many lanes add in each, since the lanes of a warp need not run in step.
#ifndef DIM
#define DIM 128
#endif

__global__ void reduceSmem(int *g_idata, int *g_odata, unsigned int n) {
  __shared__ int smem[DIM];
  unsigned int tid = threadIdx.x;
  unsigned int idx = blockIdx.x * blockDim.x + tid;

  smem[tid] = idx < n ? g_idata[idx] : 0;
  __syncthreads();

  if (blockDim.x >= 1024 && tid < 512)
    smem[tid] += smem[tid + 512];
  __syncthreads();
  if (blockDim.x >= 512 && tid < 256)
    smem[tid] += smem[tid + 256];
  __syncthreads();
  if (blockDim.x >= 256 && tid < 128)
    smem[tid] += smem[tid + 128];
  __syncthreads();
  if (blockDim.x >= 128 && tid < 64)
    smem[tid] += smem[tid + 64];
  __syncthreads();

  if (tid < 32) {
    volatile int *vsmem = smem;
    vsmem[tid] += vsmem[tid + 32];
    __syncwarp();
    if (tid < 16)
      vsmem[tid] += vsmem[tid + 16];
    __syncwarp();
    if (tid < 8)
      vsmem[tid] += vsmem[tid + 8];
    __syncwarp();
    if (tid < 4)
      vsmem[tid] += vsmem[tid + 4];
    __syncwarp();
    if (tid < 2)
      vsmem[tid] += vsmem[tid + 2];
    __syncwarp();
    if (tid < 1)
      vsmem[tid] += vsmem[tid + 1];
  }

  if (tid == 0)
    g_odata[blockIdx.x] = smem[0];
}
