// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A product of matrices by tiles in shared memory, in single and in double precision.
#include "../check.h"

enum {
  M = 48,
  N = 64,
  K = 80,
  TILE = 16
};

template <typename Number>
__global__ void
multiply(const Number *a, const Number *b, Number *c) {
  __shared__ Number left[TILE][TILE + 1], right[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  Number sum = 0;
  for (int k = 0; k < K; k += TILE) {
    left[threadIdx.y][threadIdx.x] = a[row * K + k + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * N + column];
    __syncthreads();
    for (int i = 0; i < TILE; i++)
      sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    __syncthreads();
  }
  c[row * N + column] = sum;
}

template <typename Number>
static int
check_product() {
  static Number a[M][K], b[K][N], c[M][N];
  Number *device_a, *device_b, *device_c;
  int wrong = 0;
  for (int i = 0; i < M * K; i++)
    a[0][i] = (Number)(i % 17 - 8);
  for (int i = 0; i < K * N; i++)
    b[0][i] = (Number)(i % 11 - 5) / 4;
  CHECK(cudaMalloc(&device_a, sizeof a));
  CHECK(cudaMalloc(&device_b, sizeof b));
  CHECK(cudaMalloc(&device_c, sizeof c));
  CHECK(cudaMemcpy(device_a, a, sizeof a, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(device_b, b, sizeof b, cudaMemcpyHostToDevice));
  multiply<<<dim3(N / TILE, M / TILE), dim3(TILE, TILE)>>>(device_a, device_b, device_c);
  CHECK(cudaMemcpy(c, device_c, sizeof c, cudaMemcpyDeviceToHost));
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      Number sum = 0;
      for (int k = 0; k < K; k++)
        sum += a[i][k] * b[k][j];
      wrong += c[i][j] != sum; // exact: quarters
    }
  return wrong;
}

int
main() {
  EXPECT(check_product<float>() == 0);
  EXPECT(check_product<double>() == 0);
  return finish("matrix-product");
}
