// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Products of matrices on tensor cores: wmma in all its types, of small integers, whose sums are exact in any order; mma.sync with
// random numbers, whose bits depend on how the device adds.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include "../check.h"

using namespace nvcuda;

// --- wmma: one warp for each tile of D = A B + C, of which A is stored by rows and B by columns, C and D by rows

template <typename T, typename Stored, typename Sum, int M, int N, int K>
__global__ void
multiply(const Stored *a, const Stored *b, const Sum *c, Sum *d, int n, int depth) {
  __shared__ __align__(32) Stored piece[M * K];
  wmma::fragment<wmma::matrix_a, M, N, K, T, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, M, N, K, T, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, M, N, K, Sum> sum;
  int row = (int)blockIdx.y * M, column = (int)blockIdx.x * N;
  wmma::load_matrix_sync(sum, c + row * n + column, n, wmma::mem_row_major);
  for (int k = 0; k < depth; k += K) {
    for (int i = (int)threadIdx.x; i < M * K; i += 32)
      piece[i] = a[(row + i / K) * depth + k + i % K];
    __syncwarp();
    wmma::load_matrix_sync(left, piece, K);
    wmma::load_matrix_sync(right, b + column * depth + k, depth);
    wmma::mma_sync(sum, left, right, sum);
    __syncwarp();
  }
  wmma::store_matrix_sync(d + row * n + column, sum, n, wmma::mem_row_major);
}

template <typename T, typename Stored, typename Sum, int M, int N, int K>
static void
check_wmma(const char *name) {
  const int n = 32, depth = 32;
  Stored *a, *b;
  Sum *c, *d;
  int wrong = 0;
  double total = 0;
  CHECK(cudaMallocManaged(&a, n * depth * sizeof *a));
  CHECK(cudaMallocManaged(&b, n * depth * sizeof *b));
  CHECK(cudaMallocManaged(&c, n * n * sizeof *c));
  CHECK(cudaMallocManaged(&d, n * n * sizeof *d));
  for (int i = 0; i < n * depth; i++) {
    a[i] = (Stored)(float)(i * 7 % 11 % 6);
    b[i] = (Stored)(float)(i * 5 % 13 % 7);
  }
  for (int i = 0; i < n * n; i++)
    c[i] = (Sum)(float)(i % 17 - 8);
  multiply<T, Stored, Sum, M, N, K><<<dim3(n / N, n / M), 32>>>(a, b, c, d, n, depth);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      float sum = (float)c[i * n + j];
      for (int k = 0; k < depth; k++)
        sum += (float)a[i * depth + k] * (float)b[j * depth + k];
      wrong += (float)d[i * n + j] != sum;
      total += (float)d[i * n + j] * (i + 2 * j);
    }
  EXPECT(wrong == 0);
  printf("%s %dx%dx%d: %.0f\n", name, M, N, K, total);
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
  CHECK(cudaFree(c));
  CHECK(cudaFree(d));
}

// --- mma.sync: random numbers

__device__ unsigned
next_random(unsigned &state) {
  state = state * 1664525 + 1013904223;
  return state >> 7;
}

// A pair of numbers of 16 bits, of which @fraction bits are behind the exponent: of like sizes.
__device__ unsigned
random_pair(unsigned &state, int fraction, unsigned exponent) {
  unsigned pair = 0;
  for (int i = 0; i < 2; i++) {
    unsigned bits = next_random(state) & ((1 << fraction) - 1),
             size = exponent + next_random(state) % 8;
    pair |= (bits | size << fraction | (next_random(state) & 1) << 15) << 16 * i;
  }
  return pair;
}

__global__ void
multiply_random(unsigned *hash) {
  unsigned state = threadIdx.x * 7919 + 1, a[4], b[2], half[2] = {0, 0};
  float sum[4] = {0, 0, 0, 0}, brain[4] = {0, 0, 0, 0}, tensor[4] = {1e-3f, 0, 0, 3};
  int whole[4] = {0, 0, 0, 0};
  double wide[4] = {0, 0, 0, 0};
  for (int round = 0; round < 20; round++) {
    for (int i = 0; i < 4; i++)
      a[i] = random_pair(state, 10, 12);
    for (int i = 0; i < 2; i++)
      b[i] = random_pair(state, 10, 11);
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                 "{%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, "
                 "{%6,%7}, {%0,%1};"
                 : "+r"(half[0]), "+r"(half[1])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    asm volatile("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32 {%0,%1,%2,%3}, "
                 "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+r"(whole[0]), "+r"(whole[1]), "+r"(whole[2]), "+r"(whole[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                 "{%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(tensor[0]), "+f"(tensor[1]), "+f"(tensor[2]), "+f"(tensor[3])
                 : "r"((a[0] & 0x807fffff) | 0x3f800000), "r"((a[1] & 0x807fffff) | 0x40000000),
                   "r"((a[2] & 0x807fffff) | 0x3f000000), "r"((a[3] & 0x807fffff) | 0x3e800000),
                   "r"((b[0] & 0x807fffff) | 0x3f800000), "r"((b[1] & 0x807fffff) | 0x40800000));
    double left[2] = {(int)a[0] / 3.0, (int)a[1] / 7.0}, right = (int)b[0] / 11.0;
    asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
                 "{%0,%1,%2,%3};"
                 : "+d"(wide[0]), "+d"(wide[1]), "+d"(wide[2]), "+d"(wide[3])
                 : "d"(left[0]), "d"(left[1]), "d"(right));
    for (int i = 0; i < 4; i++)
      a[i] = random_pair(state, 7, 120);
    for (int i = 0; i < 2; i++)
      b[i] = random_pair(state, 7, 124);
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, "
                 "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(brain[0]), "+f"(brain[1]), "+f"(brain[2]), "+f"(brain[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
  for (int i = 0; i < 4; i++) {
    unsigned by = threadIdx.x * 4 + i + 1;
    atomicAdd(&hash[0], __float_as_uint(sum[i]) * by);
    atomicAdd(&hash[1], half[i % 2] * by);
    atomicAdd(&hash[2], whole[i] * by);
    atomicAdd(&hash[3], __float_as_uint(tensor[i]) * by);
    atomicAdd(&hash[4], (unsigned)__double_as_longlong(wide[i]) * by);
    atomicAdd(&hash[5], __float_as_uint(brain[i]) * by);
  }
}

int
main() {
  static const char *const names[] = {"f16, to f32", "f16, to f16", "s8 by u8",
                                      "tf32",        "f64",         "bf16"};
  unsigned *hash;
  check_wmma<__half, __half, float, 16, 16, 16>("f16, to f32");
  check_wmma<__half, __half, float, 32, 8, 16>("f16, to f32");
  check_wmma<__half, __half, __half, 8, 32, 16>("f16, to f16");
  check_wmma<__nv_bfloat16, __nv_bfloat16, float, 16, 16, 16>("bf16");
  check_wmma<wmma::precision::tf32, float, float, 16, 16, 8>("tf32");
  check_wmma<double, double, double, 8, 8, 4>("f64");
  check_wmma<signed char, signed char, int, 8, 32, 16>("s8");
  check_wmma<unsigned char, unsigned char, int, 16, 16, 16>("u8");
  CHECK(cudaMallocManaged(&hash, 6 * sizeof *hash));
  for (int i = 0; i < 6; i++)
    hash[i] = 0;
  multiply_random<<<1, 32>>>(hash);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 6; i++)
    printf("random %s: %08x\n", names[i], hash[i]);
  CHECK(cudaFree(hash));
  return finish("products");
}
