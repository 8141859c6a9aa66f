// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// nvcc: -gencode arch=compute_90a,code=sm_90a
//
// Tiles that hardware finds by tensor maps and by descriptors, and that threads write or read with conflicts. How they lie is said by macros, which are
// what 'smembank advise' says has to change. Prints whether the results are right.
//   tile-modes box | operand | turned | pool | again [BLOCKS]: again: the same with C where A was
#include <cuda.h>
#include <cuda_fp16.h>

#include <cstdlib>
#include <cstring>

#include "../check.h"

enum {
  SIZE = 64, // rows and columns of all matrices
  THREADS = 128,
};

// Rows of BOX_ROW bytes, which copies bring and threads read, or the other way round: in several boxes, one for each part of a row.
#ifndef BOX_ROW
#define BOX_ROW 128
#endif
#ifndef BOX_INDEX
#define BOX_INDEX(r, x) ((r) * BOX_ROW + (x))
#define BOX_SWIZZLE     CU_TENSOR_MAP_SWIZZLE_NONE
#define BOX_COPIES      1
#define BOX_APART       0
#define BOX_BYTES       (SIZE * BOX_ROW)
#endif
// Operands that threads write, and products read in steps: byte x of row r.
#ifndef OPERAND_INDEX
#define OPERAND_INDEX(r, x) ((x) / 16 * 1024 + (r) * 16 + (x) % 16)
#define OPERAND_BITS        0
#define OPERAND_STRIDE      128
#define OPERAND_LEADING     1024
#define OPERAND_STARTS      {0, 2048, 4096, 6144}
#define OPERAND_BYTES       8192
#endif
// One whose numbers follow each other along its columns: byte x of k.
#ifndef TURNED_INDEX
#define TURNED_INDEX(k, x) ((x) / 16 * 1024 + (k) * 16 + (x) % 16)
#define TURNED_BITS        0
#define TURNED_STRIDE      1024
#define TURNED_LEADING     128
#define TURNED_STARTS      {0, 256, 512, 768}
#define TURNED_BYTES       8192
#endif

__device__ static unsigned
place(const void *pointer) {
  return (unsigned)__cvta_generic_to_shared(pointer);
}

__device__ static unsigned long long
describe(unsigned at, unsigned leading, unsigned stride, unsigned bits) {
  return (at & 0x3ffff) >> 4 | (unsigned long long)(leading >> 4) << 16 | (unsigned long long)(stride >> 4) << 32 |
         (unsigned long long)bits << 62;
}

#define LOAD(to, map, column, barrier)                                                                                                      \
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2,0}], [%3];" ::"r"(to),          \
               "l"(map), "r"(column), "r"(barrier)                                                                                         \
               : "memory")

// Loads boxes side by side, and waits for them.
__device__ static void
load_boxes(const CUtensorMap *map, unsigned to, unsigned bytes, unsigned copies, unsigned apart, unsigned columns,
           unsigned long long *barrier) {
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(place(barrier)));
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(place(barrier)), "r"(bytes) : "memory");
    for (unsigned i = 0, column = 0; i < copies; i++, column += columns)
      LOAD(to + i * apart, map, column, place(barrier));
  }
  __syncthreads();
  asm volatile("{ .reg .pred p; wait: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra wait; }" ::"r"(place(barrier)) : "memory");
}

#define SUMS8(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define LIST32 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define PRODUCT(a, b, turns)                                                                                                               \
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {" LIST32 "}, %32, %33, 1, 1, 1, 0, " #turns ";"                        \
               : SUMS8(0), SUMS8(8), SUMS8(16), SUMS8(24)                                                                                  \
               : "l"(a), "l"(b)                                                                                                            \
               : "memory")

__device__ static void
begin_products() {
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ static void
end_products() {
  asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

__device__ static void
put_sums(const float *d, float *out) {
  unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (unsigned i = 0; i < 32; i++)
    out[(warp * 16 + lane / 4 + i / 2 % 2 * 8) * SIZE + i / 4 * 8 + lane % 4 * 2 + i % 2] = d[i];
}

// Each row of a box by ldmatrix, and by loads of columns.
__global__ void __launch_bounds__(THREADS) box(const __grid_constant__ CUtensorMap map, unsigned *out) {
  __shared__ __align__(1024) char tile[BOX_BYTES];
  __shared__ unsigned long long barrier;
  const unsigned lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane % 16;
  load_boxes(&map, place(tile), SIZE * BOX_ROW, BOX_COPIES, BOX_APART, BOX_ROW / 2 / BOX_COPIES, &barrier);
  unsigned sum = 0, x[4];
  for (unsigned chunk = lane / 16; chunk < BOX_ROW / 16; chunk += 2) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                 : "r"(place(tile) + BOX_INDEX(row, chunk * 16)));
    for (unsigned i = 0; i < 4; i++)
      sum = sum * 3 + x[i];
  }
  for (unsigned at = threadIdx.x / SIZE * 4; at < BOX_ROW; at += 8)
    sum = sum * 5 + *(const unsigned *)(tile + BOX_INDEX(threadIdx.x % SIZE, at));
  out[blockIdx.x * THREADS + threadIdx.x] = sum;
}

// Rows of a matrix of halves in chunks of 16 bytes.
#define STORE_ROWS(tile, from, INDEX)                                                                                                      \
  for (unsigned i = threadIdx.x; i < SIZE * SIZE / 8; i += THREADS)                                                                        \
  *(uint4 *)((tile) + INDEX(i / (SIZE / 8), i % (SIZE / 8) * 16)) = ((const uint4 *)(from))[i]

__global__ void __launch_bounds__(THREADS) operand(const __half *a, const __half *b, float *out) {
  __shared__ __align__(1024) char left[OPERAND_BYTES], right[OPERAND_BYTES];
  const unsigned starts[] = OPERAND_STARTS;
  float d[32] = {};
  STORE_ROWS(left, a, OPERAND_INDEX);
  STORE_ROWS(right, b, OPERAND_INDEX);
  begin_products();
#pragma unroll
  for (unsigned k = 0; k < 4; k++)
    PRODUCT(describe(place(left) + starts[k], OPERAND_LEADING, OPERAND_STRIDE, OPERAND_BITS),
            describe(place(right) + starts[k], OPERAND_LEADING, OPERAND_STRIDE, OPERAND_BITS), 0);
  end_products();
  put_sums(d, out + blockIdx.x * SIZE * SIZE);
}

// B as rows of k.
__global__ void __launch_bounds__(THREADS) turned(const __half *a, const __half *b, float *out) {
  __shared__ __align__(1024) char left[OPERAND_BYTES], right[TURNED_BYTES];
  const unsigned starts[] = OPERAND_STARTS, turned_starts[] = TURNED_STARTS;
  float d[32] = {};
  STORE_ROWS(left, a, OPERAND_INDEX);
  STORE_ROWS(right, b, TURNED_INDEX);
  begin_products();
#pragma unroll
  for (unsigned k = 0; k < 4; k++)
    PRODUCT(describe(place(left) + starts[k], OPERAND_LEADING, OPERAND_STRIDE, OPERAND_BITS),
            describe(place(right) + turned_starts[k], TURNED_LEADING, TURNED_STRIDE, TURNED_BITS), 1);
  end_products();
  put_sums(d, out + blockIdx.x * SIZE * SIZE);
}

// All tiles in one array: A by a copy, B by threads, and C, which a copy takes away.
template <bool IS_AGAIN>
__global__ void __launch_bounds__(THREADS)
    pool(const __grid_constant__ CUtensorMap map, const __half *b, const __grid_constant__ CUtensorMap result) {
  extern __shared__ __align__(1024) char tiles[];
  __shared__ unsigned long long barrier;
  const unsigned starts[] = OPERAND_STARTS, left = place(tiles), lane = threadIdx.x % 32;
  char *right = tiles + SIZE * SIZE * 2, *sums = IS_AGAIN ? tiles : right + (OPERAND_BYTES + 1023) / 1024 * 1024;
  float d[32] = {};
  load_boxes(&map, left, SIZE * SIZE * 2, 1, 0, SIZE, &barrier);
  STORE_ROWS(right, b, OPERAND_INDEX);
  begin_products();
#pragma unroll
  for (unsigned k = 0; k < 4; k++)
    PRODUCT(describe(left + 32 * k, 0, 1024, 1), describe(place(right) + starts[k], OPERAND_LEADING, OPERAND_STRIDE, OPERAND_BITS), 0);
  end_products();
  __syncthreads();
  for (unsigned chunk = 0; chunk < SIZE / 8; chunk += 2) {
    __half2 h[4];
    for (unsigned i = 0; i < 4; i++)
      h[i] = __floats2half2_rn(d[chunk * 4 + i * 2], d[chunk * 4 + i * 2 + 1]);
    const unsigned *x = (const unsigned *)h;
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(
                     place(sums) + BOX_INDEX(threadIdx.x / 32 * 16 + lane % 16, (chunk + lane / 16) * 16)),
                 "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3])
                 : "memory");
  }
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0)
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {0,0}], [%1];\n"
                 "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::"l"(&result),
                 "r"(place(sums))
                 : "memory");
}

// --- the host

static CUtensorMap
make_map(void *numbers, unsigned columns, unsigned copies, CUtensorMapSwizzle swizzle) {
  decltype(&cuTensorMapEncodeTiled) encode = nullptr;
  cudaDriverEntryPointQueryResult found;
  CUtensorMap map = {};
  const cuuint64_t dimensions[] = {columns, SIZE}, strides[] = {columns * 2};
  const cuuint32_t box[] = {columns / copies, SIZE}, steps[] = {1, 1};
  CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000, cudaEnableDefault, &found));
  EXPECT(encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, numbers, dimensions, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
  return map;
}

static unsigned
word_at(const __half *tile, unsigned row, unsigned x) {
  unsigned word;
  memcpy(&word, (const char *)tile + row * BOX_ROW + x, 4);
  return word;
}

static bool
is_box_right(const __half *tile, const unsigned *out) {
  for (unsigned t = 0; t < THREADS; t++) {
    unsigned sum = 0, lane = t % 32;
    for (unsigned chunk = 0; chunk < BOX_ROW / 16; chunk += 2)
      for (unsigned i = 0; i < 4; i++)
        sum = sum * 3 + word_at(tile, t / 32 * 16 + i % 2 * 8 + lane / 4, (chunk + i / 2) * 16 + lane % 4 * 4);
    for (unsigned at = t / SIZE * 4; at < BOX_ROW; at += 8)
      sum = sum * 5 + word_at(tile, t % SIZE, at);
    if (out[t] != sum)
      return false;
  }
  return true;
}

static float
multiply(const __half *a, const __half *b, unsigned row, unsigned column, bool turns) {
  float sum = 0;
  for (unsigned k = 0; k < SIZE; k++)
    sum += (float)a[row * SIZE + k] * (float)(turns ? b[k * SIZE + column] : b[column * SIZE + k]);
  return sum;
}

template <typename T>
static bool
is_product(const __half *a, const __half *b, const T *out, bool turns) {
  for (unsigned i = 0; i < SIZE * SIZE; i++)
    if ((float)out[i] != multiply(a, b, i / SIZE, i % SIZE, turns))
      return false;
  return true;
}

int
main(int n, char **words) {
  const char *name = n > 1 ? words[1] : "box";
  const unsigned blocks = n > 2 ? (unsigned)atoi(words[2]) : 1, bytes = SIZE * SIZE * 2;
  __half *a, *b;
  char *out;
  bool is_right = false;
  CHECK(cudaMallocManaged(&a, SIZE * BOX_ROW > bytes ? SIZE * BOX_ROW : bytes));
  CHECK(cudaMallocManaged(&b, bytes));
  CHECK(cudaMallocManaged(&out, blocks * SIZE * SIZE * 4));
  for (unsigned i = 0; i < SIZE * BOX_ROW / 2 || i < SIZE * SIZE; i++)
    a[i] = __float2half((float)(i * 7 % 13) - 6);
  for (unsigned i = 0; i < SIZE * SIZE; i++)
    b[i] = __float2half((float)(i * 5 % 11) - 5);
  if (strcmp(name, "box") == 0)
    box<<<blocks, THREADS>>>(make_map(a, BOX_ROW / 2, BOX_COPIES, BOX_SWIZZLE), (unsigned *)out);
  else if (strcmp(name, "operand") == 0)
    operand<<<blocks, THREADS>>>(a, b, (float *)out);
  else if (strcmp(name, "turned") == 0)
    turned<<<blocks, THREADS>>>(a, b, (float *)out);
  else
    (strcmp(name, "pool") == 0 ? pool<false> : pool<true>)<<<blocks, THREADS, 2 * bytes + (OPERAND_BYTES + 1023) / 1024 * 1024>>>(make_map(a, SIZE, 1, CU_TENSOR_MAP_SWIZZLE_128B), b,
                                                                             make_map(out, SIZE, 1, BOX_SWIZZLE));
  CHECK(cudaDeviceSynchronize());
  if (strcmp(name, "box") == 0)
    is_right = is_box_right(a, (const unsigned *)out);
  else if (strcmp(name, "pool") == 0 || strcmp(name, "again") == 0)
    is_right = is_product(a, b, (const __half *)out, false);
  else
    is_right = is_product(a, b, (const float *)out, strcmp(name, "turned") == 0);
  printf("%s: %s\n", name, is_right ? "right" : "wrong");
  return failures || !is_right;
}
