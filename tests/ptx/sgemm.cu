// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Matrix products: a tile for each block, several elements for each thread, A transposed, vectors, two buffers, warp tiles.
// launch: --entry 'sgemm_tiled<16>' --block 16,16 --grid 2,2 --arg 3=64 # nvcc clang
// launch: --entry 'sgemm_tiled<32>' --block 32,32 --grid 2,2 --arg 3=64 # nvcc clang
// launch: --entry 'sgemm_blocked<128,64,8,8,4>' --block 256 --grid 1,2 --arg 3=128 # nvcc clang
// launch: --entry 'sgemm_blocked<32,32,16,4,4>' --block 64 --grid 2,2 --arg 3=64 # nvcc clang
// launch: --entry sgemm_vector --block 256 --grid 1,1 --arg 3=128 # nvcc
// launch: --entry sgemm_two_buffers --block 256 --grid 1,1 --arg 3=128 # nvcc
// launch: --entry sgemm_warps --block 128 --grid 2,1 --arg 3=raw:800000004000000040000000 # nvcc
template <int TILE> __global__ void sgemm_tiled(float *c, const float *a, const float *b, int n) {
  __shared__ float as[TILE][TILE];
  __shared__ float bs[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y;
  int column = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < n; k += TILE) {
    as[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < TILE; i++) {
      sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
    }
    __syncthreads();
  }
  c[row * n + column] = sum;
}
template __global__ void sgemm_tiled<16>(float *, const float *, const float *, int);
template __global__ void sgemm_tiled<32>(float *, const float *, const float *, int);

// A block of BM x BN, steps of BK, TM x TN elements for each thread; A lies in columns.
template <int BM, int BN, int BK, int TM, int TN>
__global__ void sgemm_blocked(float *c, const float *a, const float *b, int n) {
  constexpr int threads = (BM / TM) * (BN / TN);
  __shared__ float as[BK * BM];
  __shared__ float bs[BK * BN];
  const int column = threadIdx.x % (BN / TN) * TN;
  const int row = threadIdx.x / (BN / TN) * TM;
  a += blockIdx.y * BM * n;
  b += blockIdx.x * BN;
  float sums[TM][TN] = {};
  for (int k = 0; k < n; k += BK) {
    for (int i = threadIdx.x; i < BM * BK; i += threads) {
      as[i % BK * BM + i / BK] = a[i / BK * n + k + i % BK];
    }
    for (int i = threadIdx.x; i < BK * BN; i += threads) {
      bs[i] = b[(k + i / BN) * n + i % BN];
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < BK; kk++) {
      float m[TM], v[TN];
#pragma unroll
      for (int i = 0; i < TM; i++) {
        m[i] = as[kk * BM + row + i];
      }
#pragma unroll
      for (int j = 0; j < TN; j++) {
        v[j] = bs[kk * BN + column + j];
      }
#pragma unroll
      for (int i = 0; i < TM; i++) {
#pragma unroll
        for (int j = 0; j < TN; j++) {
          sums[i][j] += m[i] * v[j];
        }
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < TM; i++) {
#pragma unroll
    for (int j = 0; j < TN; j++) {
      c[(blockIdx.y * BM + row + i) * n + blockIdx.x * BN + column + j] = sums[i][j];
    }
  }
}
template __global__ void sgemm_blocked<128, 64, 8, 8, 4>(float *, const float *, const float *, int);
template __global__ void sgemm_blocked<32, 32, 16, 4, 4>(float *, const float *, const float *, int);

// 128 x 128 of C, 8 x 8 for each thread, float4 on every way.
extern "C" __global__ void __launch_bounds__(256) sgemm_vector(float *c, const float *a, const float *b, int n) {
  __shared__ __align__(16) float as[8][128 + 4];
  __shared__ __align__(16) float bs[8][128];
  int arow = threadIdx.x / 2, acolumn = threadIdx.x % 2 * 4;
  int brow = threadIdx.x / 32, bcolumn = threadIdx.x % 32 * 4;
  int row = threadIdx.x / 16 * 8, column = threadIdx.x % 16 * 8;
  float sums[8][8] = {};
  for (int k = 0; k < n; k += 8) {
    float4 v = *(const float4 *)&a[arow * n + k + acolumn];
    as[acolumn][arow] = v.x;
    as[acolumn + 1][arow] = v.y;
    as[acolumn + 2][arow] = v.z;
    as[acolumn + 3][arow] = v.w;
    *(float4 *)&bs[brow][bcolumn] = *(const float4 *)&b[(k + brow) * n + bcolumn];
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 8; kk++) {
      float4 m0 = *(const float4 *)&as[kk][row], m1 = *(const float4 *)&as[kk][row + 4];
      float4 v0 = *(const float4 *)&bs[kk][column], v1 = *(const float4 *)&bs[kk][column + 4];
      float m[8] = {m0.x, m0.y, m0.z, m0.w, m1.x, m1.y, m1.z, m1.w};
      float w[8] = {v0.x, v0.y, v0.z, v0.w, v1.x, v1.y, v1.z, v1.w};
#pragma unroll
      for (int i = 0; i < 8; i++) {
#pragma unroll
        for (int j = 0; j < 8; j++) {
          sums[i][j] += m[i] * w[j];
        }
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 8; i++) {
    *(float4 *)&c[(row + i) * n + column] = make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
    *(float4 *)&c[(row + i) * n + column + 4] = make_float4(sums[i][4], sums[i][5], sums[i][6], sums[i][7]);
  }
}

// The next tiles are loaded into the other buffer while this one is used.
extern "C" __global__ void __launch_bounds__(256) sgemm_two_buffers(float *c, const float *a, const float *b, int n) {
  __shared__ __align__(16) float as[2][8][64];
  __shared__ __align__(16) float bs[2][8][64];
  int tx = threadIdx.x % 16, ty = threadIdx.x / 16, which = 0;
  float sums[4][4] = {};
  for (int i = threadIdx.x; i < 512; i += 256) {
    as[0][i % 8][i / 8] = a[i / 8 * n + i % 8];
    bs[0][i / 64][i % 64] = b[i / 64 * n + i % 64];
  }
  __syncthreads();
  for (int k = 8; k <= n; k += 8) {
    if (k < n) {
      for (int i = threadIdx.x; i < 512; i += 256) {
        as[which ^ 1][i % 8][i / 8] = a[i / 8 * n + k + i % 8];
        bs[which ^ 1][i / 64][i % 64] = b[(k + i / 64) * n + i % 64];
      }
    }
    for (int kk = 0; kk < 8; kk++) {
      float4 m = *(const float4 *)&as[which][kk][ty * 4];
      float4 v = *(const float4 *)&bs[which][kk][tx * 4];
      float p[4] = {m.x, m.y, m.z, m.w}, q[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
      for (int i = 0; i < 16; i++) {
        sums[i / 4][i % 4] += p[i / 4] * q[i % 4];
      }
    }
    __syncthreads();
    which ^= 1;
  }
  for (int i = 0; i < 4; i++) {
    *(float4 *)&c[(ty * 4 + i) * n + tx * 4] = *(const float4 *)sums[i];
  }
}

// Sizes in a structure; each warp has 32 x 32 of a tile of 64 x 64.
struct Sizes {
  int m, n, k;
};
extern "C" __global__ void sgemm_warps(float *c, const float *a, const float *b, Sizes p) {
  __shared__ float as[16][64 + 1];
  __shared__ __align__(16) float bs[16][64];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  int row = warp / 2 * 32 + lane / 8 * 8, column = warp % 2 * 32 + lane % 8 * 4;
  float sums[8][4] = {};
  for (int k = 0; k < p.k; k += 16) {
    for (int i = threadIdx.x; i < 1024; i += 128) {
      as[i % 16][i / 16] = a[(blockIdx.x * 64 + i / 16) * p.k + k + i % 16];
      bs[i / 64][i % 64] = b[(k + i / 64) * p.n + i % 64];
    }
    __syncthreads();
    for (int kk = 0; kk < 16; kk++) {
      float4 v = *(const float4 *)&bs[kk][column];
#pragma unroll
      for (int i = 0; i < 8; i++) {
        float m = as[kk][row + i];
        sums[i][0] += m * v.x;
        sums[i][1] += m * v.y;
        sums[i][2] += m * v.z;
        sums[i][3] += m * v.w;
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 8; i++) {
    for (int j = 0; j < 4; j++) {
      c[(blockIdx.x * 64 + row + i) * p.n + column + j] = sums[i][j];
    }
  }
}
