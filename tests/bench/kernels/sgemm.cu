// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A scalar SGEMM, as it is written before anyone vectorises it: each thread keeps an 8 x 8 tile.
#define BM 128
#define BN 128
#define BK 8
#define TM 8
#define TN 8
__global__ void sgemm(int n, const float *a, const float *b, float *c) {
  __shared__ float as[BK * BM], bs[BK * BN];
  int row = threadIdx.x / (BN / TN), column = threadIdx.x % (BN / TN);
  float sum[TM * TN], rm[TM], rn[TN];
  for (int i = 0; i < TM * TN; i++)
    sum[i] = 0;
  for (int k0 = 0; k0 < n; k0 += BK) {
    for (int i = threadIdx.x; i < BK * BM; i += 256) {
      as[i % BK * BM + i / BK] = a[(blockIdx.y * BM + i / BK) * n + k0 + i % BK];
      bs[i] = b[(k0 + i / BN) * n + blockIdx.x * BN + i % BN];
    }
    __syncthreads();
    for (int k = 0; k < BK; k++) {
      for (int i = 0; i < TM; i++)
        rm[i] = as[k * BM + row * TM + i];
      for (int i = 0; i < TN; i++)
        rn[i] = bs[k * BN + column * TN + i];
      for (int i = 0; i < TM; i++)
        for (int j = 0; j < TN; j++)
          sum[i * TN + j] += rm[i] * rn[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < TM; i++)
    for (int j = 0; j < TN; j++)
      c[(blockIdx.y * BM + row * TM + i) * n + blockIdx.x * BN + column * TN + j] = sum[i * TN + j];
}
