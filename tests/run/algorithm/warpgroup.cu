// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// nvcc: -gencode arch=compute_90a,code=sm_90a
//
// Products that four warps make together of matrices in shared memory: rows swapped within 128 bytes, plain and turned, factors in
// registers, integers. All of small integers, whose sums are exact.
#include <cuda_fp16.h>

#include "../check.h"

enum {
  ROWS = 64,
  COLUMNS = 32,
  DEPTH = 64,
};

__device__ unsigned long long
describe(unsigned address, unsigned leading, unsigned stride, unsigned mode) {
  return (address & 0x3ffff) >> 4 | (unsigned long long)(leading >> 4) << 16 |
         (unsigned long long)(stride >> 4) << 32 | (unsigned long long)mode << 62;
}

// The byte of a row of 128 where a number of 16 bits is, when its units are swapped.
__device__ unsigned
swapped(unsigned row, unsigned column) {
  return row * 128 + (column * 2 ^ row % 8 * 16);
}

#define SUMS                                                                                       \
  "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),  \
      "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]),     \
      "+f"(d[15])
#define D "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}"

// A by rows; B by columns, or by rows (@is_turned). @in_registers: A is.
template <bool is_turned, bool in_registers>
__global__ void
multiply(const __half *a, const __half *b, float *result) {
  __shared__ __align__(1024) char left[ROWS * 128], right[8192];
  unsigned t = threadIdx.x, warp = t / 32, lane = t % 32;
  float d[16];
  for (unsigned i = t; i < ROWS * DEPTH; i += 128)
    *(__half *)(left + swapped(i / DEPTH, i % DEPTH)) = a[i];
  for (unsigned i = t; i < COLUMNS * DEPTH; i += 128) {
    unsigned column = i / DEPTH, k = i % DEPTH;
    if (is_turned) // 64 bytes of a row, eight of which follow each other
      *(__half *)(right + k / 8 * 512 + k % 8 * 64 + (column * 2 ^ k % 8 / 2 * 16)) = b[i];
    else
      *(__half *)(right + swapped(column, k)) = b[i];
  }
  __syncthreads();
  asm volatile("fence.proxy.async.shared::cta;");
  asm volatile("wgmma.fence.sync.aligned;");
  for (unsigned k = 0; k < DEPTH; k += 16) {
    unsigned long long at = describe((unsigned)__cvta_generic_to_shared(left) + k * 2, 16, 1024, 1);
    unsigned where = (unsigned)__cvta_generic_to_shared(right);
    unsigned long long by = is_turned ? describe(where + k / 8 * 512, 512, 512, 2)
                                      : describe(where + k * 2, 16, 1024, 1);
    if (in_registers) {
      unsigned row = warp * 16 + lane / 4, column = k + lane % 4 * 2;
      unsigned r0 = *(unsigned *)&a[row * DEPTH + column],
               r1 = *(unsigned *)&a[(row + 8) * DEPTH + column];
      unsigned r2 = *(unsigned *)&a[row * DEPTH + column + 8],
               r3 = *(unsigned *)&a[(row + 8) * DEPTH + column + 8];
      asm volatile("{.reg .pred p; setp.ne.b32 p, %21, 0; "
                   "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 " D
                   ", {%16,%17,%18,%19}, %20, p, 1, 1, %22;}"
                   : SUMS
                   : "r"(r0), "r"(r1), "r"(r2), "r"(r3), "l"(by), "r"(k), "n"(is_turned));
    } else
      asm volatile("{.reg .pred p; setp.ne.b32 p, %18, 0; "
                   "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 " D
                   ", %16, %17, p, -1, 1, 0, %19;}"
                   : SUMS
                   : "l"(at), "l"(by), "r"(k), "n"(is_turned));
  }
  asm volatile("wgmma.commit_group.sync.aligned;");
  asm volatile("wgmma.wait_group.sync.aligned 0;");
  for (unsigned i = 0; i < 16; i++) {
    unsigned row = warp * 16 + lane / 4 + i / 2 % 2 * 8, column = i / 4 * 8 + lane % 4 * 2 + i % 2;
    result[row * COLUMNS + column] = in_registers ? d[i] : -d[i];
  }
}

// Numbers of 8 bits, eight rows of 16 bytes together: 64 x 8 x 32.
__global__ void
multiply_bytes(const signed char *a, const unsigned char *b, int *result) {
  __shared__ __align__(128) char left[2048], right[256];
  unsigned t = threadIdx.x, warp = t / 32, lane = t % 32;
  int d[4] = {1, 2, 3, 4};
  for (unsigned i = t; i < 2048; i += 128)
    left[i % 32 / 16 * 1024 + i / 32 * 16 + i % 16] = a[i];
  for (unsigned i = t; i < 256; i += 128)
    right[i % 32 / 16 * 128 + i / 32 * 16 + i % 16] = (char)b[i];
  __syncthreads();
  asm volatile("fence.proxy.async.shared::cta;");
  asm volatile("wgmma.fence.sync.aligned;");
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.u8 {%0,%1,%2,%3}, %4, %5, 1;"
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
               : "l"(describe((unsigned)__cvta_generic_to_shared(left), 1024, 128, 0)),
                 "l"(describe((unsigned)__cvta_generic_to_shared(right), 128, 128, 0)));
  asm volatile("wgmma.commit_group.sync.aligned;");
  asm volatile("wgmma.wait_group.sync.aligned 0;");
  for (unsigned i = 0; i < 4; i++)
    result[(warp * 16 + lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = d[i] - (int)i - 1;
}

static void
check_halves(const char *name, void (*kernel)(const __half *, const __half *, float *),
             const __half *a, const __half *b, float *d) {
  int wrong = 0;
  for (int i = 0; i < ROWS * COLUMNS; i++)
    d[i] = -1;
  kernel<<<1, 128>>>(a, b, d);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++) {
      float sum = 0;
      for (int k = 0; k < DEPTH; k++)
        sum += (float)a[i * DEPTH + k] * (float)b[j * DEPTH + k];
      wrong += d[i * COLUMNS + j] != sum;
    }
  printf("%s: %d wrong\n", name, wrong);
  EXPECT(wrong == 0);
}

int
main() {
  __half *a, *b;
  float *d;
  signed char *bytes;
  int *whole, wrong = 0;
  CHECK(cudaMallocManaged(&a, ROWS * DEPTH * sizeof *a));
  CHECK(cudaMallocManaged(&b, COLUMNS * DEPTH * sizeof *b));
  CHECK(cudaMallocManaged(&d, ROWS * COLUMNS * sizeof *d));
  CHECK(cudaMallocManaged(&bytes, 2048 + 256));
  CHECK(cudaMallocManaged(&whole, 512 * sizeof *whole));
  for (int i = 0; i < ROWS * DEPTH; i++)
    a[i] = (__half)(float)(i * 7 % 23 - 11);
  for (int i = 0; i < COLUMNS * DEPTH; i++)
    b[i] = (__half)(float)(i * 5 % 19 - 9);
  for (int i = 0; i < 2304; i++)
    bytes[i] = (signed char)(i * 37);
  check_halves("columns", multiply<false, false>, a, b, d);
  check_halves("rows", multiply<true, false>, a, b, d);
  check_halves("registers", multiply<false, true>, a, b, d);
  check_halves("registers, rows", multiply<true, true>, a, b, d);
  multiply_bytes<<<1, 128>>>(bytes, (const unsigned char *)bytes + 2048, whole);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < 8; j++) {
      int sum = 0;
      for (int k = 0; k < 32; k++)
        sum += bytes[i * 32 + k] * ((unsigned char *)bytes)[2048 + j * 32 + k];
      wrong += whole[i * 8 + j] != sum;
    }
  printf("bytes: %d wrong\n", wrong);
  EXPECT(wrong == 0);
  return finish("warpgroup");
}
