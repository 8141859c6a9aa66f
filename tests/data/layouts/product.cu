// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A product of square matrices, 16 x 16 elements for each block; B is transposed in shared memory.
#define TILE 16

__global__ void product(float *c, const float *a, const float *b, int n) {
  __shared__ float as[TILE][TILE];
  __shared__ float bs[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y;
  int column = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < n; k += TILE) {
    as[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    bs[threadIdx.x][threadIdx.y] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < TILE; i++)
      sum += as[threadIdx.y][i] * bs[threadIdx.x][i];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
