// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Sum of a block's elements, by halves, in place in global memory: every step is global traffic.
// The block is a power of two from 64 to 1024 threads; n may be any number. The last warp goes on
// alone, its steps written out; half as many lanes add in each, since the lanes of a warp need not
// run in step.

__global__ void reduceGmem(int *g_idata, int *g_odata, unsigned int n) {
  unsigned int tid = threadIdx.x;
  unsigned int idx = blockIdx.x * blockDim.x + tid;
  int *idata = g_idata + blockIdx.x * blockDim.x;

  if (blockDim.x >= 1024 && tid < 512 && idx + 512 < n)
    idata[tid] += idata[tid + 512];
  __syncthreads();
  if (blockDim.x >= 512 && tid < 256 && idx + 256 < n)
    idata[tid] += idata[tid + 256];
  __syncthreads();
  if (blockDim.x >= 256 && tid < 128 && idx + 128 < n)
    idata[tid] += idata[tid + 128];
  __syncthreads();
  if (blockDim.x >= 128 && tid < 64 && idx + 64 < n)
    idata[tid] += idata[tid + 64];
  __syncthreads();

  if (tid < 32) {
    volatile int *vmem = idata;
    if (idx + 32 < n)
      vmem[tid] += vmem[tid + 32];
    __syncwarp();
    if (tid < 16 && idx + 16 < n)
      vmem[tid] += vmem[tid + 16];
    __syncwarp();
    if (tid < 8 && idx + 8 < n)
      vmem[tid] += vmem[tid + 8];
    __syncwarp();
    if (tid < 4 && idx + 4 < n)
      vmem[tid] += vmem[tid + 4];
    __syncwarp();
    if (tid < 2 && idx + 2 < n)
      vmem[tid] += vmem[tid + 2];
    __syncwarp();
    if (tid < 1 && idx + 1 < n)
      vmem[tid] += vmem[tid + 1];
  }

  if (tid == 0)
    g_odata[blockIdx.x] = idata[0];
}
