// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Products of square matrices in tiles, which blocks load without looking ahead: those of a row of the grid load the same tiles of a, those of a column the same of b.
//
//   nvcc -O3 -arch=sm_90 -cubin -o tiles.sm_90.cubin tiles.cu
#include <mma.h>

// Eight warps, 32 columns and 64 rows each, by tensor cores: blocks of 128 x 128, steps of 16. PAD: halves after each row
template <int PAD>
__device__ void
multiply_halves(const half *a, const half *b, float *c, int n) {
  __shared__ half left[128][16 + PAD], right[16][128 + PAD];
  nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> sums[4][2];
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 2; j++)
      nvcuda::wmma::fill_fragment(sums[i][j], 0.0f);
  int t = threadIdx.x, down = t / 32 % 2 * 64, across = t / 64 * 32;
  const half *rows = a + (size_t)(blockIdx.y * 128 + t / 2) * n + t % 2 * 8;
  const half *columns = b + (size_t)(t / 16) * n + blockIdx.x * 128 + t % 16 * 8;
  for (int k = 0; k < n; k += 16) {
    *(int4 *)&left[t / 2][t % 2 * 8] = *(const int4 *)(rows + k);
    *(int4 *)&right[t / 16][t % 16 * 8] = *(const int4 *)(columns + (size_t)k * n);
    __syncthreads();
    nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, half, nvcuda::wmma::row_major> x;
    nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, 16, 16, 16, half, nvcuda::wmma::row_major> y[2];
    for (int j = 0; j < 2; j++)
      nvcuda::wmma::load_matrix_sync(y[j], &right[0][across + 16 * j], 128 + PAD);
    for (int i = 0; i < 4; i++) {
      nvcuda::wmma::load_matrix_sync(x, &left[down + 16 * i][0], 16 + PAD);
      for (int j = 0; j < 2; j++)
        nvcuda::wmma::mma_sync(sums[i][j], x, y[j], sums[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 2; j++)
      nvcuda::wmma::store_matrix_sync(c + (size_t)(blockIdx.y * 128 + down + 16 * i) * n + blockIdx.x * 128 + across + 16 * j, sums[i][j], n, nvcuda::wmma::mem_row_major);
}

extern "C" __global__ void __launch_bounds__(256)
halves(const half *a, const half *b, float *c, int n) {
  multiply_halves<0>(a, b, c, n);
}

extern "C" __global__ void __launch_bounds__(256)
halves_padded(const half *a, const half *b, float *c, int n) {
  multiply_halves<8>(a, b, c, n);
}

// 64 threads, 8 x 8 numbers each: blocks of 64 x 64, steps of 8. PITCH: words of a row of the left tile
template <int PITCH>
__device__ void
multiply_words(const float *a, const float *b, float *c, int n) {
  __shared__ float left[64 * PITCH], right[8 * 64];
  int t = threadIdx.x, down = t / 8 * 8, across = t % 8 * 8;
  float sums[8][8] = {}, x[8], y[8];
  a += (size_t)blockIdx.y * 64 * n;
  b += blockIdx.x * 64;
  for (int k = 0; k < n; k += 8) {
    for (int i = 0; i < 8; i++) {
      left[(8 * i + t / 8) * PITCH + t % 8] = a[(size_t)(8 * i + t / 8) * n + k + t % 8];
      right[64 * i + t] = b[(size_t)(k + i) * n + t];
    }
    __syncthreads();
    for (int j = 0; j < 8; j++) {
      for (int i = 0; i < 8; i++) {
        x[i] = left[(down + i) * PITCH + j];
        y[i] = right[64 * j + across + i];
      }
      for (int u = 0; u < 8; u++)
        for (int v = 0; v < 8; v++)
          sums[u][v] += x[u] * y[v];
    }
    __syncthreads();
  }
  for (int u = 0; u < 8; u++)
    for (int v = 0; v < 8; v++)
      c[(size_t)(blockIdx.y * 64 + down + u) * n + blockIdx.x * 64 + across + v] = sums[u][v];
}

extern "C" __global__ void
words(const float *a, const float *b, float *c, int n) {
  multiply_words<8>(a, b, c, n);
}

extern "C" __global__ void
words_padded(const float *a, const float *b, float *c, int n) {
  multiply_words<9>(a, b, c, n);
}
