// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Code that is linked: it calls a function of another piece, one that calls itself, and through a table; and it has addresses in it.
// Made by (CUDA 13.0), for 75 and 90, and for 75 pieces.sm_75.cubin of the first of them:
//
//   nvcc -rdc=true -cubin -arch=sm_NN -o kernel.cubin linked.cu
//   nvcc -rdc=true -cubin -arch=sm_NN -DPIECE -o piece.cubin linked.cu
//   nvlink -arch=sm_NN -o linked.sm_NN.cubin kernel.cubin piece.cubin
#ifdef PIECE
typedef int Function(int);
__device__ int count;

__device__ int product(int n) {
  return n < 2 ? 1 : n * product(n - 1);
}

__device__ int twice(int n) {
  return 2 * n;
}

__device__ Function *functions[] = {product, twice};

__device__ int other(int n, const int *weights) {
  if (n == 0)
    count = 1;
  return functions[n & 1](n & 7) + weights[n & 3];
}
#else
__device__ int weights[4] = {1, 2, 3, 4};
extern __device__ int other(int n, const int *weights);

extern "C" __global__ void linked(int *out) {
  __shared__ volatile int s[64];
  int n = other(threadIdx.x, weights) % 32; // at most 25
  s[threadIdx.x] = 0;
  for (int i = 0; i < n; i++)
    s[threadIdx.x] += i;
  out[threadIdx.x] = s[threadIdx.x];
}
#endif
