// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Tensor cores: ldmatrix with and without a swizzle, transposed, mma, stmatrix, wmma.
// launch: --entry 'half_product<false>' --block 32 --grid 2 --arg 3=64
// launch: --entry 'half_product<true>' --block 32 --grid 2 --arg 3=64
// launch: --entry 'store_matrix<64>' --block 64
// launch: --entry 'store_matrix<72>' --block 64
// launch: --entry wmma_product --block 64 --arg 3=64
// counts: store 96/96, uncounted 16
#include <cuda_fp16.h>
#include <mma.h>

// Columns of 8 halves change places by the row, so that 8 rows of 128 bytes lie in all banks.
template <bool SWIZZLE> __device__ int place(int row, int column) {
  return row * 64 + ((SWIZZLE ? column / 8 ^ row % 8 : column / 8) * 8) + column % 8;
}

template <bool SWIZZLE> __global__ void half_product(float *c, const uint4 *a, const uint4 *b, int n) {
  __shared__ __align__(128) __half as[16 * 64];
  __shared__ __align__(128) __half bs[16 * 64];
  int lane = threadIdx.x;
  float d[4] = {};
  for (int k = 0; k < n; k += 64) {
    for (int i = lane; i < 128; i += 32) {
      *(uint4 *)&as[place<SWIZZLE>(i / 8, i % 8 * 8)] = a[(i / 8 * n + k) / 8 + i % 8];
      *(uint4 *)&bs[place<SWIZZLE>(i / 8, i % 8 * 8)] = b[(i / 8 * n + k) / 8 + i % 8];
    }
    __syncthreads();
    for (int kk = 0; kk < 64; kk += 16) {
      unsigned m0, m1, m2, m3, v0, v1;
      unsigned from = (unsigned)__cvta_generic_to_shared(&as[place<SWIZZLE>(lane % 16, kk + lane / 16 * 8)]);
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(m0), "=r"(m1), "=r"(m2), "=r"(m3)
                   : "r"(from));
      from = (unsigned)__cvta_generic_to_shared(&bs[place<SWIZZLE>(lane % 8, kk + lane / 8 % 2 * 8)]);
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(v0), "=r"(v1) : "r"(from));
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                   "{%0, %1, %2, %3};"
                   : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                   : "r"(m0), "r"(m1), "r"(m2), "r"(m3), "r"(v0), "r"(v1));
    }
    __syncthreads();
  }
  *(float2 *)&c[blockIdx.x * 128 + lane / 4 * 8 + lane % 4 * 2] = make_float2(d[0], d[1]);
  *(float2 *)&c[blockIdx.x * 128 + (lane / 4 + 8) * 8 + lane % 4 * 2] = make_float2(d[2], d[3]);
}
template __global__ void half_product<false>(float *, const uint4 *, const uint4 *, int);
template __global__ void half_product<true>(float *, const uint4 *, const uint4 *, int);

// Rows of ROW halves, 16 x 16 a warp.
template <int ROW> __global__ void store_matrix(unsigned *out, const unsigned *in) {
  __shared__ __align__(128) __half s[32 * ROW];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  unsigned to = (unsigned)__cvta_generic_to_shared(&s[(warp * 16 + lane % 16) * ROW + lane / 16 * 8]);
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(in[lane]),
               "r"(in[lane + 32]), "r"(in[lane + 64]), "r"(in[lane + 96])
               : "memory");
  asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(to + 32), "r"(in[lane]),
               "r"(in[lane + 32])
               : "memory");
  __syncthreads();
  out[threadIdx.x] = *(const unsigned *)&s[threadIdx.x % 32 * ROW + threadIdx.x / 32 * 2];
}
template __global__ void store_matrix<64>(unsigned *, const unsigned *);
template __global__ void store_matrix<72>(unsigned *, const unsigned *);

extern "C" __global__ void wmma_product(float *c, const __half *a, const __half *b, int n) {
  using namespace nvcuda::wmma;
  __shared__ __align__(32) __half as[32 * 24];
  __shared__ __align__(32) __half bs[16 * 24];
  fragment<matrix_a, 16, 16, 16, __half, row_major> fa;
  fragment<matrix_b, 16, 16, 16, __half, col_major> fb;
  fragment<accumulator, 16, 16, 16, float> fc;
  fill_fragment(fc, 0.0f);
  for (int k = 0; k < n; k += 16) {
    for (int i = threadIdx.x; i < 512; i += 64) {
      as[i / 16 * 24 + i % 16] = a[i / 16 * n + k + i % 16];
      if (i < 256) {
        bs[i / 16 * 24 + i % 16] = b[i / 16 * n + k + i % 16];
      }
    }
    __syncthreads();
    load_matrix_sync(fa, as + threadIdx.x / 32 * 16 * 24, 24);
    load_matrix_sync(fb, bs, 24);
    mma_sync(fc, fa, fb, fc);
    __syncthreads();
  }
  store_matrix_sync(c + threadIdx.x / 32 * 256, fc, 16, mem_row_major);
}
