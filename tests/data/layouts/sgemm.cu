// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A product of square matrices: 128 x 128 elements of C for each block, 8 x 8 for each thread, in steps of 8.
#define BM 128
#define BN 128
#define BK 8
#define TM 8
#define TN 8

__global__ void sgemm(float *c, const float *a, const float *b, int n) {
  __shared__ float as[BK][BM];
  __shared__ float bs[BK][BN];
  int row = threadIdx.x / (BN / TN) * TM;
  int column = threadIdx.x % (BN / TN) * TN;
  float sums[TM][TN] = {};
  for (int k = 0; k < n; k += BK) {
    for (int i = threadIdx.x; i < BM * BK; i += BM / TM * (BN / TN)) {
      as[i % BK][i / BK] = a[(blockIdx.y * BM + i / BK) * n + k + i % BK];
      bs[i / BN][i % BN] = b[(k + i / BN) * n + blockIdx.x * BN + i % BN];
    }
    __syncthreads();
    for (int kk = 0; kk < BK; kk++) {
      float m[TM], v[TN];
      for (int i = 0; i < TM; i++)
        m[i] = as[kk][row + i];
      for (int j = 0; j < TN; j++)
        v[j] = bs[kk][column + j];
      for (int i = 0; i < TM; i++)
        for (int j = 0; j < TN; j++)
          sums[i][j] += m[i] * v[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < TM; i++)
    for (int j = 0; j < TN; j++)
      c[(blockIdx.y * BM + row + i) * n + blockIdx.x * BN + column + j] = sums[i][j];
}
