// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Sums in shared memory that no atomic instruction makes: a loop of swaps of 64 bits, until all threads had their turn. Made by:
// nvcc -cubin -arch=sm_NN (CUDA 13.0), for 75 and 90.
extern "C" __global__ void doubles(double *out, const double *in) {
  __shared__ double sum;
  sum = 0;
  __syncthreads();
  atomicAdd(&sum, in[threadIdx.x] + 1);
  __syncthreads();
  out[threadIdx.x] = sum;
}

extern "C" __global__ void many(double *out, const double *in) {
  __shared__ double sums[32];
  if (threadIdx.x < 32)
    sums[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&sums[threadIdx.x % 32], in[threadIdx.x] + 1);
  __syncthreads();
  out[threadIdx.x] = sums[threadIdx.x % 32];
}
