// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Kernels whose time is measured: products of matrices, by tiles in shared memory and by tensor cores.
#include "launch.h"
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>
using namespace nvcuda;

// C = A B by tiles, as everybody writes it first; by T.
template <typename T, int TILE, int PAD> __global__ void product(T *c, const T *a, const T *b, int n) {
  __shared__ T as[TILE][TILE + PAD], bs[TILE][TILE + PAD];
  int x = threadIdx.x, y = threadIdx.y;
  T s = 0;
  for (int k = 0; k < n; k += TILE) {
    as[y][x] = a[(blockIdx.y * TILE + y) * n + k + x], bs[y][x] = b[(k + y) * n + blockIdx.x * TILE + x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TILE; i++) s += as[y][i] * bs[i][x];
    __syncthreads();
  }
  c[(blockIdx.y * TILE + y) * n + blockIdx.x * TILE + x] = s;
}
// C = A B^T: columns of a tile are read.
template <int TILE, int PAD> __global__ void product_transposed(float *c, const float *a, const float *b, int n) {
  __shared__ float as[TILE][TILE + PAD], bs[TILE][TILE + PAD];
  int x = threadIdx.x, y = threadIdx.y;
  float s = 0;
  for (int k = 0; k < n; k += TILE) {
    as[y][x] = a[(blockIdx.y * TILE + y) * n + k + x], bs[y][x] = b[(blockIdx.x * TILE + y) * n + k + x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TILE; i++) s += as[y][i] * bs[x][i];
    __syncthreads();
  }
  c[(blockIdx.y * TILE + y) * n + blockIdx.x * TILE + x] = s;
}
__global__ void product_naive(float *c, const float *a, const float *b, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float s = 0;
  for (int k = 0; k < n; k++) s += a[y * n + k] * b[k * n + x];
  c[y * n + x] = s;
}
// Tiles of BM by BN, TM by TN a thread, BK deep; TWICE: two stages.
template <int BM, int BN, int BK, int TM, int TN, int PAD> __global__ void __launch_bounds__(BM / TM *BN / TN) sgemm(float *c, const float *a, const float *b, int n) {
  const int threads = BM / TM * BN / TN;
  __shared__ float as[BK][BM + PAD], bs[BK][BN];
  int t = threadIdx.x, tx = t % (BN / TN), ty = t / (BN / TN);
  float r[TM][TN] = {};
  a += blockIdx.y * BM * n, b += blockIdx.x * BN;
  for (int k = 0; k < n; k += BK) {
#pragma unroll
    for (int i = t * 4; i < BM * BK; i += threads * 4) {
      float4 v = *(const float4 *)&a[i / BK * n + k + i % BK];
      as[i % BK + 0][i / BK] = v.x, as[i % BK + 1][i / BK] = v.y, as[i % BK + 2][i / BK] = v.z, as[i % BK + 3][i / BK] = v.w;
    }
#pragma unroll
    for (int i = t * 4; i < BN * BK; i += threads * 4) *(float4 *)&bs[i / BN][i % BN] = *(const float4 *)&b[(k + i / BN) * n + i % BN];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < BK; i++) {
      float x[TM], y[TN];
      for (int j = 0; j < TM; j++) x[j] = as[i][ty * TM + j];
      for (int j = 0; j < TN; j++) y[j] = bs[i][tx * TN + j];
      for (int p = 0; p < TM; p++)
        for (int q = 0; q < TN; q++) r[p][q] += x[p] * y[q];
    }
    __syncthreads();
  }
  for (int p = 0; p < TM; p++)
    for (int q = 0; q < TN; q++) c[(blockIdx.y * BM + ty * TM + p) * n + blockIdx.x * BN + tx * TN + q] = r[p][q];
}
// Two stages of 128 x 128 x 8 by copies that the threads do not wait for.
__global__ void __launch_bounds__(256) sgemm_stages(float *c, const float *a, const float *b, int n) {
  __shared__ float as[2][8][132], bs[2][8][128];
  int t = threadIdx.x, tx = t % 16, ty = t / 16;
  float r[8][8] = {};
  a += blockIdx.y * 128 * n, b += blockIdx.x * 128;
  auto load = [&](int stage, int k) {
    for (int j = 0; j < 4; j++) __pipeline_memcpy_async(&as[stage][t % 2 * 4 + j][t / 2], &a[t / 2 * n + k + t % 2 * 4 + j], 4);
    __pipeline_memcpy_async(&bs[stage][t / 32][t % 32 * 4], &b[(k + t / 32) * n + t % 32 * 4], 16);
    __pipeline_commit();
  };
  load(0, 0);
  for (int k = 0, stage = 0; k < n; k += 8, stage ^= 1) {
    if (k + 8 < n) load(stage ^ 1, k + 8);
    __pipeline_wait_prior(k + 8 < n ? 1 : 0);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; i++) {
      float x[8], y[8];
      for (int j = 0; j < 8; j++) x[j] = as[stage][i][ty * 8 + j];
      for (int j = 0; j < 8; j++) y[j] = bs[stage][i][tx * 8 + j];
      for (int p = 0; p < 8; p++)
        for (int q = 0; q < 8; q++) r[p][q] += x[p] * y[q];
    }
    __syncthreads();
  }
  for (int p = 0; p < 8; p++)
    for (int q = 0; q < 8; q++) c[(blockIdx.y * 128 + ty * 8 + p) * n + blockIdx.x * 128 + tx * 8 + q] = r[p][q];
}
// Tensor cores by the library of warps: from global memory, or from tiles whose rows are PAD longer.
__global__ void wmma_global(float *c, const half *a, const half *b, int n) {
  int w = threadIdx.x / 32, row = (blockIdx.y * 4 + w) * 16, column = blockIdx.x * 16;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < n; k += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> y;
    wmma::load_matrix_sync(x, a + row * n + k, n);
    wmma::load_matrix_sync(y, b + k * n + column, n);
    wmma::mma_sync(sum, x, y, sum);
  }
  wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}
template <int PAD> __global__ void wmma_shared(float *c, const half *a, const half *b, int n) {
  __shared__ __align__(128) half as[64][32 + PAD], bs[32][64 + PAD];
  int t = threadIdx.x, w = t / 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[4];
  for (int j = 0; j < 4; j++) wmma::fill_fragment(sum[j], 0.0f);
  for (int k = 0; k < n; k += 32) {
    for (int i = t * 8; i < 64 * 32; i += 1024) *(int4 *)&as[i / 32][i % 32] = *(const int4 *)&a[(blockIdx.y * 64 + i / 32) * n + k + i % 32];
    for (int i = t * 8; i < 32 * 64; i += 1024) *(int4 *)&bs[i / 64][i % 64] = *(const int4 *)&b[(k + i / 64) * n + blockIdx.x * 64 + i % 64];
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
      wmma::load_matrix_sync(x, &as[w * 16][kk], 32 + PAD);
      for (int j = 0; j < 4; j++) {
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> y;
        wmma::load_matrix_sync(y, &bs[kk][j * 16], 64 + PAD);
        wmma::mma_sync(sum[j], x, y, sum[j]);
      }
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; j++) wmma::store_matrix_sync(c + (blockIdx.y * 64 + w * 16) * n + blockIdx.x * 64 + j * 16, sum[j], n, wmma::mem_row_major);
}
__global__ void wmma_bytes(int *c, const signed char *a, const signed char *b, int n) {
  int w = threadIdx.x / 32, row = (blockIdx.y * 4 + w) * 16, column = blockIdx.x * 16;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum;
  wmma::fill_fragment(sum, 0);
  for (int k = 0; k < n; k += 16) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> y;
    wmma::load_matrix_sync(x, a + row * n + k, n);
    wmma::load_matrix_sync(y, b + column * n + k, n);
    wmma::mma_sync(sum, x, y, sum);
  }
  wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}
__global__ void wmma_double(double *c, const double *a, const double *b, int n) {
  int w = threadIdx.x / 32, row = (blockIdx.y * 4 + w) * 8, column = blockIdx.x * 8;
  wmma::fragment<wmma::accumulator, 8, 8, 4, double> sum;
  wmma::fill_fragment(sum, 0.0);
  for (int k = 0; k < n; k += 4) {
    wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::row_major> y;
    wmma::load_matrix_sync(x, a + row * n + k, n);
    wmma::load_matrix_sync(y, b + k * n + column, n);
    wmma::mma_sync(sum, x, y, sum);
  }
  wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}
// mma.sync fed by ldmatrix from tiles of 64 x 64 halves, copied by cp.async: swizzled or not, STAGES of them.
__device__ unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
template <int SWIZZLED, int STAGES> __global__ void mma_tiles(half *o, const half *a, const half *b, int n) {
  extern __shared__ __align__(128) half tiles[];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  float c[8][4] = {};
  auto at = [](int r, int v) { return (r * 8 + (SWIZZLED ? v ^ r & 7 : v)) * 8; };
  auto load = [&](int stage, int k) {
    half *as = tiles + stage * 8192, *bs = as + 4096;
    if (k < n)
      for (int i = t; i < 512; i += 128) {
        int r = i / 8, v = i % 8;
        __pipeline_memcpy_async(&as[at(r, v)], &a[(blockIdx.y * 64 + r) * n + k + v * 8], 16);
        __pipeline_memcpy_async(&bs[at(r, v)], &b[(blockIdx.x * 64 + r) * n + k + v * 8], 16);
      }
    __pipeline_commit();
  };
  for (int s = 0; s < STAGES - 1; s++) load(s, s * 64);
  for (int k = 0, stage = 0; k < n; k += 64, stage = (stage + 1) % STAGES) {
    load((stage + STAGES - 1) % STAGES, k + (STAGES - 1) * 64);
    __pipeline_wait_prior(STAGES - 1);
    __syncthreads();
    half *as = tiles + stage * 8192, *bs = as + 4096;
#pragma unroll
    for (int kk = 0; kk < 4; kk++) {
      unsigned x[4];
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(shared_address(&as[at(warp * 16 + lane % 16, kk * 2 + lane / 16)])));
#pragma unroll
      for (int j = 0; j < 8; j++) {
        unsigned y[2];
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(y[0]), "=r"(y[1]) : "r"(shared_address(&bs[at(j * 8 + lane % 8, kk * 2 + lane / 8 % 2)])));
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(c[j][0]), "+f"(c[j][1]), "+f"(c[j][2]), "+f"(c[j][3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
      }
    }
    __syncthreads();
  }
  for (int j = 0; j < 8; j++)
    for (int e = 0; e < 4; e++) o[(blockIdx.y * 64 + warp * 16 + lane / 4 + e / 2 * 8) * n + blockIdx.x * 64 + j * 8 + lane % 4 * 2 + e % 2] = __float2half(c[j][e]);
}
// The tensor cores alone.
template <int CHAINS> __global__ void mma_only(float *o, int n) {
  float c[CHAINS][4];
  unsigned x[4], y[2];
  for (int i = 0; i < 4; i++) x[i] = threadIdx.x & 1 ? 0x3c003c00 : 0;
  for (int i = 0; i < 2; i++) y[i] = threadIdx.x & 2 ? 0x3c003c00 : 0;
  for (int j = 0; j < CHAINS; j++)
    for (int e = 0; e < 4; e++) c[j][e] = j + e;
#pragma unroll 4
  for (int k = 0; k < n; k++)
#pragma unroll
    for (int j = 0; j < CHAINS; j++)
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(c[j][0]), "+f"(c[j][1]), "+f"(c[j][2]), "+f"(c[j][3]) : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
  float s = 0;
  for (int j = 0; j < CHAINS; j++) s += c[j][0] + c[j][1] + c[j][2] + c[j][3];
  o[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
// A copy through shared memory by cp.async, STAGES deep.
template <int STAGES> __global__ void copy_stages(float4 *o, const float4 *in, int n) {
  __shared__ float4 s[STAGES][256];
  int t = threadIdx.x, count = n / (gridDim.x * 256);
  const float4 *mine = in + (size_t)blockIdx.x * count * 256;
  for (int k = 0; k < STAGES - 1; k++) {
    if (k < count) __pipeline_memcpy_async(&s[k][t], &mine[k * 256 + t], 16);
    __pipeline_commit();
  }
  for (int k = 0; k < count; k++) {
    int next = k + STAGES - 1;
    if (next < count) __pipeline_memcpy_async(&s[next % STAGES][t], &mine[next * 256 + t], 16);
    __pipeline_commit();
    __pipeline_wait_prior(STAGES - 1);
    __syncthreads();
    o[((size_t)blockIdx.x * count + k) * 256 + t] = s[k % STAGES][255 - t];
    __syncthreads();
  }
}

int main() {
  make_memory();
  half *ha = (half *)in_a, *hb = (half *)in_b, *ho = (half *)out_a;
  launch(product<float, 16, 0>, dim3(48, 48), dim3(16, 16), 0, out_a, in_a, in_b, 768), launch(product<float, 32, 0>, dim3(24, 24), dim3(32, 32), 0, out_a, in_a, in_b, 768);
  launch(product<double, 16, 0>, dim3(32, 32), dim3(16, 16), 0, (double *)out_a, (double *)in_a, (double *)in_b, 512);
  launch(product<float, 8, 0>, dim3(64, 64), dim3(8, 8), 0, out_a, in_a, in_b, 512);
  launch(product_transposed<32, 0>, dim3(16, 16), dim3(32, 32), 0, out_a, in_a, in_b, 512), launch(product_transposed<32, 1>, dim3(16, 16), dim3(32, 32), 0, out_a, in_a, in_b, 512), launch(product_transposed<32, 4>, dim3(16, 16), dim3(32, 32), 0, out_a, in_a, in_b, 512);
  launch(product_transposed<16, 0>, dim3(48, 48), dim3(16, 16), 0, out_a, in_a, in_b, 768), launch(product_transposed<16, 1>, dim3(48, 48), dim3(16, 16), 0, out_a, in_a, in_b, 768);
  launch(product_naive, dim3(24, 96), dim3(32, 8), 0, out_a, in_a, in_b, 768), launch(product_naive, dim3(48, 48), dim3(16, 16), 0, out_a, in_a, in_b, 768);
  launch(sgemm<128, 128, 8, 8, 8, 0>, dim3(12, 12), 256, 0, out_a, in_a, in_b, 1536), launch(sgemm<128, 128, 8, 8, 8, 4>, dim3(12, 12), 256, 0, out_a, in_a, in_b, 1536);
  launch(sgemm<128, 128, 16, 8, 8, 4>, dim3(16, 16), 256, 0, out_a, in_a, in_b, 2048), launch(sgemm<64, 64, 8, 8, 8, 0>, dim3(16, 16), 64, 0, out_a, in_a, in_b, 1024), launch(sgemm<64, 64, 8, 8, 8, 4>, dim3(16, 16), 64, 0, out_a, in_a, in_b, 1024);
  launch(sgemm<64, 64, 16, 4, 4, 0>, dim3(16, 16), 256, 0, out_a, in_a, in_b, 1024), launch(sgemm<64, 64, 16, 4, 4, 4>, dim3(16, 16), 256, 0, out_a, in_a, in_b, 1024), launch(sgemm<32, 32, 16, 4, 4, 0>, dim3(32, 32), 64, 0, out_a, in_a, in_b, 1024);
  launch(sgemm<128, 64, 16, 8, 4, 4>, dim3(16, 8), 256, 0, out_a, in_a, in_b, 1024), launch(sgemm_stages, dim3(12, 12), 256, 0, out_a, in_a, in_b, 1536);
  launch(wmma_global, dim3(64, 16), 128, 0, out_a, ha, hb, 1024), launch(wmma_shared<0>, dim3(24, 24), 128, 0, out_a, ha, hb, 1536), launch(wmma_shared<8>, dim3(24, 24), 128, 0, out_a, ha, hb, 1536);
  launch(wmma_bytes, dim3(64, 16), 128, 0, (int *)out_a, (signed char *)in_a, (signed char *)in_b, 1024), launch(wmma_double, dim3(64, 16), 128, 0, (double *)out_a, (double *)in_a, (double *)in_b, 512);
  launch(mma_tiles<0, 1>, dim3(24, 24), 128, 16384, ho, ha, hb, 1536), launch(mma_tiles<1, 1>, dim3(24, 24), 128, 16384, ho, ha, hb, 1536);
  launch(mma_tiles<0, 2>, dim3(24, 24), 128, 32768, ho, ha, hb, 1536), launch(mma_tiles<1, 2>, dim3(24, 24), 128, 32768, ho, ha, hb, 1536), launch(mma_tiles<1, 3>, dim3(32, 32), 128, 49152, ho, ha, hb, 2048), launch(mma_tiles<0, 3>, dim3(32, 32), 128, 49152, ho, ha, hb, 2048);
  launch(mma_only<1>, 264, 256, 0, out_a, 512), launch(mma_only<4>, 264, 256, 0, out_a, 256), launch(mma_only<8>, 132, 128, 0, out_a, 512);
  launch(copy_stages<2>, 1024, 256, 0, (float4 *)out_a, (float4 *)in_a, 4 << 20), launch(copy_stages<4>, 512, 256, 0, (float4 *)out_a, (float4 *)in_a, 4 << 20), launch(copy_stages<8>, 256, 256, 0, (float4 *)out_a, (float4 *)in_a, 4 << 20);
  return 0;
}
