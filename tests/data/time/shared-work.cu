// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Work that blocks hand out to each other by atomics, in global memory. nvcc -arch=sm_90 -cubin -o shared-work.sm_90.cubin shared-work.cu

// Chunks, until there are no more.
extern "C" __global__ void
queue(float *out, unsigned *next, int chunks) {
  __shared__ int chunk;
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0)
      chunk = atomicAdd(next, 1);
    __syncthreads();
    if (chunk >= chunks)
      return;
    out[chunk * blockDim.x + threadIdx.x] = chunk;
  }
}

// A place for each thread: side by side within a warp.
extern "C" __global__ void
list(float *out, unsigned *count) {
  out[atomicAdd(count, 1)] = threadIdx.x;
}

// Waits for what no block writes: what an atomic that changes nothing finds is not known.
extern "C" __global__ void
poll(float *out, unsigned *flag) {
  while (atomicAdd(flag, 0) == 0) {
  }
  out[threadIdx.x] = 1;
}
