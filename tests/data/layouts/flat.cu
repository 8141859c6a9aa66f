// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The product of sgemm.cu with tiles of one dimension, loaded four floats at a time; A is transposed on the way.
#define BM 128
#define BN 128
#define BK 8
#define TM 8
#define TN 8

__global__ void flat(float *c, const float *a, const float *b, int n) {
  __shared__ float as[BK * BM];
  __shared__ float bs[BK * BN];
  int row = threadIdx.x / (BN / TN) * TM, column = threadIdx.x % (BN / TN) * TN;
  int ay = threadIdx.x / (BK / 4), ax = threadIdx.x % (BK / 4) * 4;
  int by = threadIdx.x / (BN / 4), bx = threadIdx.x % (BN / 4) * 4;
  const float *from_a = a + (blockIdx.y * BM + ay) * n + ax;
  const float *from_b = b + by * n + blockIdx.x * BN + bx;
  float sums[TM][TN] = {};
  for (int k = 0; k < n; k += BK) {
    float4 four = *(const float4 *)&from_a[k];
    as[ax * BM + ay] = four.x;
    as[(ax + 1) * BM + ay] = four.y;
    as[(ax + 2) * BM + ay] = four.z;
    as[(ax + 3) * BM + ay] = four.w;
    *(float4 *)&bs[by * BN + bx] = *(const float4 *)&from_b[k * n];
    __syncthreads();
    for (int kk = 0; kk < BK; kk++) {
      float m[TM], v[TN];
      for (int i = 0; i < TM; i++)
        m[i] = as[kk * BM + row + i];
      for (int j = 0; j < TN; j++)
        v[j] = bs[kk * BN + column + j];
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
