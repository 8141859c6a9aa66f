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

// The last block of each column goes on alone.
extern "C" __global__ void
last(float *out, unsigned *count, int rounds) {
  __shared__ bool is_last;
  if (threadIdx.x == 0)
    is_last = atomicAdd(&count[blockIdx.x], 1) == gridDim.y - 1;
  __syncthreads();
  float sum = 1;
  for (int k = 0; is_last && k < rounds; k++)
    sum = fmaf(sum, 0.5f, 1);
  out[threadIdx.x] = sum;
}

// The same, of all blocks, by a counter that begins anew.
extern "C" __global__ void
last_of_all(float *out, unsigned *count, int rounds) {
  __shared__ bool is_last;
  if (threadIdx.x == 0)
    is_last = atomicInc(count, gridDim.x * gridDim.y - 1) == gridDim.x * gridDim.y - 1;
  __syncthreads();
  float sum = 1;
  for (int k = 0; is_last && k < rounds; k++)
    sum = fmaf(sum, 0.5f, 1);
  out[threadIdx.x] = sum;
}
