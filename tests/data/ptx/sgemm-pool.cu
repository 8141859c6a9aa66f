// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A vectorised SGEMM, 64 x 64 of C for a block, whose tiles are parts of one pool of dynamic shared memory: a, stored by
// columns, at byte 0, and b at byte 4096.
extern __shared__ float4 pool[];

extern "C" __global__ void __launch_bounds__(256) sgemm_pool(float *c, const float *a, const float *b, int n) {
  float(*as)[64] = (float(*)[64])pool, (*bs)[64] = as + 16;
  int tx = threadIdx.x % 16, ty = threadIdx.x / 16, arow = threadIdx.x / 4, acolumn = threadIdx.x % 4 * 4;
  float sums[4][4] = {};
  for (int k = 0; k < n; k += 16) {
    float4 v = *(const float4 *)&a[(blockIdx.y * 64 + arow) * n + k + acolumn];
    as[acolumn][arow] = v.x;
    as[acolumn + 1][arow] = v.y;
    as[acolumn + 2][arow] = v.z;
    as[acolumn + 3][arow] = v.w;
    *(float4 *)&bs[ty][tx * 4] = *(const float4 *)&b[(k + ty) * n + blockIdx.x * 64 + tx * 4];
    __syncthreads();
#pragma unroll 1
    for (int kk = 0; kk < 16; kk++) {
      float4 m = *(const float4 *)&as[kk][ty * 4], w = *(const float4 *)&bs[kk][tx * 4];
      float left[4] = {m.x, m.y, m.z, m.w}, right[4] = {w.x, w.y, w.z, w.w};
      for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
          sums[i][j] += left[i] * right[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; i++)
    *(float4 *)&c[(blockIdx.y * 64 + ty * 4 + i) * n + blockIdx.x * 64 + tx * 4] =
        make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
}
