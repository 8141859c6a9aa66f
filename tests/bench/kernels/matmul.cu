// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A product of matrices of integers, in tiles of 32 x 32: each thread computes one element.
__global__ void matmul(int *c, const int *a, const int *b, int n) {
  __shared__ int as[32][32], bs[32][32];
  int row = blockIdx.y * 32 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x, sum = 0;
  for (int k0 = 0; k0 < n; k0 += 32) {
    as[threadIdx.y][threadIdx.x] = a[row * n + k0 + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(k0 + threadIdx.y) * n + column];
    __syncthreads();
    for (int k = 0; k < 32; k++)
      sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
