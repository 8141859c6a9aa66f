// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Tensor memory and its products (tcgen05), by PTX as it is, since no chip of this kind was at hand: moves of all shapes, copies, and products of all kinds of numbers, whose
// operands lie in shared memory as descriptors of all modes say. Each result is compared with what the host makes of the documents (PTX ISA, "Tensor Memory",
// "tcgen05.mma"; the canonical layouts of CuTe).
// nvcc: -std=c++17
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "../check.h"

enum { LANES = 128, COLUMNS = 512, IMAGE = 128 * 1024 };

static unsigned long long state = 1;
static unsigned next_random(unsigned n) {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return (unsigned)(state >> 33) % n;
}

// --- in the kernels

__device__ unsigned shared_address(const void *pointer) { return (unsigned)__cvta_generic_to_shared(pointer); }

__device__ unsigned allocate(unsigned *where, unsigned columns) {
  if (threadIdx.x < 32)
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(shared_address(where)), "r"(columns) : "memory");
  asm volatile("tcgen05.fence::before_thread_sync;");
  __syncthreads();
  asm volatile("tcgen05.fence::after_thread_sync;");
  return *where;
}

__device__ void release(unsigned address, unsigned columns) {
  __syncthreads();
  if (threadIdx.x < 32) {
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(address), "r"(columns));
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
  }
}

// Waits for what was asked of tensor memory before.
__device__ void commit(unsigned long long *barrier, unsigned phase) {
  unsigned at = shared_address(barrier);
  if (threadIdx.x == 0)
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(at) : "memory");
  asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra W; }" ::"r"(at), "r"(phase) : "memory");
  asm volatile("tcgen05.fence::after_thread_sync;");
}

__device__ unsigned load_word(unsigned address) {
  unsigned word;
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=r"(word) : "r"(address));
  asm volatile("tcgen05.wait::ld.sync.aligned;");
  return word;
}

__device__ void store_word(unsigned address, unsigned word) {
  asm volatile("tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {%1};" ::"r"(address), "r"(word) : "memory");
  asm volatile("tcgen05.wait::st.sync.aligned;");
}

// All of tensor memory from @words, and to it: by lane, then by column.
__device__ void fill(unsigned address, const unsigned *words, unsigned columns) {
  for (unsigned c = 0; c < columns; c++)
    store_word(address + (threadIdx.x / 32 * 32 << 16) + c, words[threadIdx.x * columns + c]);
}

__device__ void drain(unsigned address, unsigned *words, unsigned columns) {
  for (unsigned c = 0; c < columns; c++)
    words[threadIdx.x * columns + c] = load_word(address + c);
}

// --- moves: what each register of each shape finds, and where it goes

#define LOAD4(shape, more) asm volatile("tcgen05.ld.sync.aligned." shape ".b32 {%0, %1, %2, %3}, [%4]" more ";" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at))
#define STORE4(shape, more) asm volatile("tcgen05.st.sync.aligned." shape ".b32 [%0]" more ", {%1, %2, %3, %4};" ::"r"(at), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory")

__global__ void moves(const unsigned *in, unsigned *found, unsigned *left, int shape) {
  __shared__ unsigned where;
  const unsigned columns = 32;
  unsigned address = allocate(&where, columns), r[4];
  fill(address, in, columns);
  __syncthreads();
  unsigned at = address + (threadIdx.x / 32 * 32 << 16) + 3 + (shape % 5 != 0 && shape < 5 ? 16 << 16 : 0);
  switch (shape) {
  case 0: LOAD4("32x32b.x4", ""); break;
  case 1: LOAD4("16x64b.x4", ""); break;
  case 2: LOAD4("16x128b.x2", ""); break;
  case 3: LOAD4("16x256b.x1", ""); break;
  case 4: LOAD4("16x32bx2.x4", ", 9"); break;
  case 5: LOAD4("32x32b.x4.pack::16b", ""); break;
  case 6: LOAD4("16x64b.x4.pack::16b", ""); break;
  case 7: LOAD4("16x128b.x2.pack::16b", ""); break;
  case 8: LOAD4("16x256b.x1.pack::16b", ""); break;
  case 9: LOAD4("16x32bx2.x4.pack::16b", ", 8"); break;
  }
  asm volatile("tcgen05.wait::ld.sync.aligned;");
  for (int i = 0; i < 4; i++)
    found[threadIdx.x * 4 + i] = r[i];
  for (int i = 0; i < 4; i++)
    r[i] = 0x5000000 + threadIdx.x * 4 + i + (i << 16);
  switch (shape) {
  case 0: STORE4("32x32b.x4", ""); break;
  case 1: STORE4("16x64b.x4", ""); break;
  case 2: STORE4("16x128b.x2", ""); break;
  case 3: STORE4("16x256b.x1", ""); break;
  case 4: STORE4("16x32bx2.x4", ", 9"); break;
  case 5: STORE4("32x32b.x4.unpack::16b", ""); break;
  case 6: STORE4("16x64b.x4.unpack::16b", ""); break;
  case 7: STORE4("16x128b.x2.unpack::16b", ""); break;
  case 8: STORE4("16x256b.x1.unpack::16b", ""); break;
  case 9: STORE4("16x32bx2.x4.unpack::16b", ", 8"); break;
  }
  asm volatile("tcgen05.wait::st.sync.aligned;");
  __syncthreads();
  drain(address, left, columns);
  release(address, columns);
}

// The lane and column of a register, as the layouts of CuTe's traits have it: strides of the bits of a thread number and of a register.
static void find_cell(int shape, int t, int r, int *lane, int *column) {
  static const int thread_lane[5][5] = {{1, 2, 4, 8, 16}, {8, 0, 1, 2, 4}, {0, 0, 1, 2, 4}, {0, 0, 1, 2, 4}, {1, 2, 4, 8, 0}};
  static const int thread_column[5][5] = {{0, 0, 0, 0, 0}, {0, 1, 0, 0, 0}, {1, 2, 0, 0, 0}, {2, 4, 0, 0, 0}, {0, 0, 0, 0, 0}};
  static const int register_lane[5][2] = {{0, 0}, {0, 0}, {8, 0}, {0, 8}, {0, 0}};
  static const int register_column[5][2] = {{1, 2}, {2, 4}, {0, 4}, {1, 0}, {1, 2}};
  *lane = *column = 0;
  for (int bit = 0; bit < 5; bit++)
    if (t >> bit & 1) {
      *lane += thread_lane[shape % 5][bit];
      *column += thread_column[shape % 5][bit];
    }
  for (int bit = 0; bit < 2; bit++)
    if (r >> bit & 1) {
      *lane += register_lane[shape % 5][bit];
      *column += register_column[shape % 5][bit];
    }
  if (shape >= 5)
    *column *= 2;
  if (shape % 5 == 4 && t >= 16)
    *column += shape == 4 ? 9 : 8;
}

static void test_moves() {
  const int columns = 32;
  unsigned *in, *found, *left;
  cudaMallocManaged(&in, LANES * columns * 4);
  cudaMallocManaged(&left, LANES * columns * 4);
  cudaMallocManaged(&found, LANES * 16);
  for (int shape = 0; shape < 10; shape++) {
    std::vector<unsigned> expected(LANES * columns);
    for (auto &word : expected)
      word = next_random(0x7fffffff);
    memcpy(in, expected.data(), LANES * columns * 4);
    moves<<<1, LANES>>>(in, found, left, shape);
    CHECK(cudaDeviceSynchronize());
    int wrong = 0;
    for (int t = 0; t < LANES; t++)
      for (int r = 0; r < 4; r++) {
        int lane, column;
        find_cell(shape, t % 32, r, &lane, &column);
        lane += t / 32 * 32 + (shape % 5 != 0 && shape < 5 ? 16 : 0);
        const unsigned *cell = in + lane * columns + 3 + column;
        wrong += found[t * 4 + r] != (shape < 5 ? *cell : (cell[0] & 0xffff) | cell[1] << 16);
        unsigned stored = 0x5000000 + t * 4 + r + (r << 16), *to = &expected[lane * columns + 3 + column];
        to[0] = shape < 5 ? stored : stored & 0xffff;
        if (shape >= 5)
          to[1] = stored >> 16;
      }
    wrong += memcmp(left, expected.data(), LANES * columns * 4) != 0;
    printf("move %d: %d wrong\n", shape, wrong);
  }
}

// --- operands in shared memory

struct Layout {
  int swizzle; // 0, 32, 64, 128; 129: 128 by 32 bytes
  bool is_turned;
  int leading, stride; // bytes
};

// Of a number of @bytes: byte of row @row at @k, in the canonical layouts.
static unsigned place(const Layout &l, int bytes, int row, int k) {
  int width = l.swizzle == 129 ? 128 : l.swizzle ? l.swizzle : 16, n = l.swizzle == 129 ? 4 : 8;
  int along = (l.is_turned ? row : k) * bytes, across = l.is_turned ? k : row;
  unsigned at = along % width + across % n * width;
  if (l.is_turned && !l.swizzle)
    at += along / width * l.stride + across / n * l.leading;
  else
    at += along / width * l.leading + across / n * l.stride;
  if (l.swizzle == 129)
    return at ^ ((at >> 7 & 3) << 5);
  int bits = l.swizzle == 128 ? 7 : l.swizzle == 64 ? 3 : l.swizzle == 32 ? 1 : 0;
  return at ^ ((at >> 7 & bits) << 4);
}

static unsigned long long describe(const Layout &l, unsigned start) {
  unsigned long long mode = l.swizzle == 129 ? 1 : l.swizzle == 128 ? 2 : l.swizzle == 64 ? 4 : l.swizzle == 32 ? 6 : 0;
  return start >> 4 | (unsigned long long)(l.leading >> 4) << 16 | (unsigned long long)(l.stride >> 4) << 32 | 1ull << 46 | mode << 61;
}

// A layout in which @rows x @depth numbers do not overlap.
static Layout choose_layout(int bytes, int rows, int depth, bool may_turn) {
  static const int swizzles[] = {0, 32, 64, 128};
  Layout l = {swizzles[next_random(4)], may_turn && next_random(2), 0, 0};
  if (may_turn && bytes == 4)
    l.swizzle = 129, l.is_turned = true;
  int width = l.swizzle == 129 ? 128 : l.swizzle ? l.swizzle : 16, n = l.swizzle == 129 ? 4 : 8;
  int along = (l.is_turned ? rows : depth) * bytes, across = l.is_turned ? depth : rows;
  int chunks = (along + width - 1) / width, groups = (across + n - 1) / n, tile = n * width;
  int near = tile * (1 + next_random(2));
  bool chunks_first = next_random(2);
  int of_chunk = chunks_first ? near : near * groups, of_group = chunks_first ? near * chunks : near;
  bool is_exchanged = l.is_turned && !l.swizzle;
  l.leading = is_exchanged ? of_group : of_chunk;
  l.stride = is_exchanged ? of_chunk : of_group;
  return l;
}

// --- products

struct Operation {
  unsigned long long a, b; // descriptors, without the address of shared memory
  unsigned form, columns;
  int adds, in_tensor;
  unsigned disabled[4];
};

#define PRODUCT(name, opcode)                                                                                      \
  __global__ void name(const unsigned char *image, const unsigned *before, const unsigned *left, unsigned *after, Operation o) { \
    extern __shared__ __align__(1024) unsigned char shared[];                                                      \
    __shared__ unsigned where;                                                                                     \
    __shared__ unsigned long long barrier;                                                                         \
    if (threadIdx.x == 0)                                                                                          \
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&barrier)));                      \
    for (int i = threadIdx.x; i < IMAGE / 4; i += blockDim.x)                                                      \
      ((unsigned *)shared)[i] = ((const unsigned *)image)[i];                                                      \
    unsigned address = allocate(&where, COLUMNS), at = address + COLUMNS - 16;                                     \
    fill(address, before, o.columns);                                                                              \
    fill(at, left, 8);                                                                                             \
    asm volatile("fence.proxy.async.shared::cta;");                                                                \
    asm volatile("tcgen05.fence::before_thread_sync;");                                                            \
    __syncthreads();                                                                                               \
    asm volatile("tcgen05.fence::after_thread_sync;");                                                             \
    unsigned long long a = o.a + (shared_address(shared) >> 4), b = o.b + (shared_address(shared) >> 4);           \
    if (threadIdx.x == 0) {                                                                                        \
      if (o.in_tensor)                                                                                             \
        asm volatile("{ .reg .pred p; setp.ne.s32 p, %4, 0; " opcode " [%0], [%1], %2, %3" MASK ", p; }" ::"r"(address), "r"(at), "l"(b), "r"(o.form), "r"(o.adds) MASK_OPERANDS); \
      else                                                                                                         \
        asm volatile("{ .reg .pred p; setp.ne.s32 p, %4, 0; " opcode " [%0], %1, %2, %3" MASK ", p; }" ::"r"(address), "l"(a), "l"(b), "r"(o.form), "r"(o.adds) MASK_OPERANDS); \
    }                                                                                                              \
    commit(&barrier, 0);                                                                                           \
    drain(address, after, o.columns);                                                                              \
    release(address, COLUMNS);                                                                                     \
  }

#define MASK ", {%5, %6, %7, %8}"
#define MASK_OPERANDS , "r"(o.disabled[0]), "r"(o.disabled[1]), "r"(o.disabled[2]), "r"(o.disabled[3])
PRODUCT(product_f16, "tcgen05.mma.cta_group::1.kind::f16")
PRODUCT(product_tf32, "tcgen05.mma.cta_group::1.kind::tf32")
PRODUCT(product_f8f6f4, "tcgen05.mma.cta_group::1.kind::f8f6f4")
PRODUCT(product_i8, "tcgen05.mma.cta_group::1.kind::i8")
#undef MASK
#undef MASK_OPERANDS
#define MASK ""
#define MASK_OPERANDS
PRODUCT(stationary_f16, "tcgen05.mma.ws.cta_group::1.kind::f16")

struct Number {
  const char *name;
  int kind, format, bits; // of a descriptor; bits that count
};

static const Number numbers[] = {{"f16", 0, 0, 16}, {"bf16", 0, 1, 16}, {"tf32", 1, 2, 32}, {"e4m3", 2, 0, 8}, {"e5m2", 2, 1, 8},
                                 {"e2m3", 2, 3, 6}, {"e3m2", 2, 4, 6},  {"e2m1", 2, 5, 4},  {"u8", 3, 0, 8},   {"s8", 3, 1, 8}};

// A random number, small enough for sums to be exact, and its bits.
static float choose(const Number &n, unsigned *bits) {
  float value;
  switch (n.format + n.kind * 8) {
  case 0: {
    __half h = __float2half(value = (int)next_random(17) - 8);
    unsigned short raw;
    memcpy(&raw, &h, 2);
    *bits = raw;
    return value;
  }
  case 1: {
    value = (int)next_random(17) - 8;
    memcpy(bits, &value, 4);
    *bits >>= 16;
    return value;
  }
  case 10: {
    value = (int)next_random(17) - 8;
    memcpy(bits, &value, 4);
    *bits |= next_random(1 << 13); // which the product does not look at
    return value;
  }
  case 24: return (float)(*bits = next_random(256));
  case 25: *bits = next_random(256); return (float)(signed char)*bits;
  }
  static const struct { int exponent, fraction, bias; } formats[] = {{4, 3, 7}, {5, 2, 15}, {}, {2, 3, 1}, {3, 2, 3}, {2, 1, 1}};
  const auto &f = formats[n.format];
  unsigned top = f.exponent > 3 ? 4 : (1u << f.exponent) - 1;
  unsigned exponent = f.exponent > 3 ? f.bias - 2 + next_random(top) : next_random(top + 1), fraction = next_random(1u << f.fraction);
  bool negative = next_random(2);
  *bits = (negative ? 1u << (f.exponent + f.fraction) : 0) | exponent << f.fraction | fraction;
  float digits = fraction + (exponent ? 1 << f.fraction : 0);
  int power = (exponent ? (int)exponent : 1) - f.bias - f.fraction;
  for (; power > 0; power--)
    digits *= 2;
  for (; power < 0; power++)
    digits /= 2;
  return negative ? -digits : digits;
}

static void put(unsigned char *image, unsigned start, const Layout &l, const Number &n, int row, int k, unsigned bits) {
  if (n.bits >= 8) {
    memcpy(image + start + place(l, n.bits / 8, row, k), &bits, n.bits / 8);
    return;
  }
  // sixteen of them are in the first of 16 bytes
  unsigned at = start + place(l, 1, row, k / 16 * 16), from = k % 16 * n.bits;
  for (int i = 0; i < n.bits; i++)
    if (bits >> i & 1)
      image[at + (from + i) / 8] |= 1 << (from + i) % 8;
}

typedef void Kernel(const unsigned char *, const unsigned *, const unsigned *, unsigned *, Operation);

struct Case {
  const Number *a, *b;
  int rows, columns;
  bool is_stationary, in_tensor, half_sums, adds, negates, disables;
};

static int test_product(const Case &c, unsigned char *image, unsigned *before, unsigned *left, unsigned *after) {
  static Kernel *const kernels[] = {product_f16, product_tf32, product_f8f6f4, product_i8};
  const int depth = c.a->kind == 0 ? 16 : c.a->kind == 1 ? 8 : 32;
  const int a_bytes = c.a->bits < 8 ? 1 : c.a->bits / 8, b_bytes = c.b->bits < 8 ? 1 : c.b->bits / 8;
  Layout la = choose_layout(a_bytes, c.rows, depth, c.a->bits == 8 || c.a->bits == 16 || (c.a->bits == 32 && next_random(2))), lb = choose_layout(b_bytes, c.columns, depth, c.b->bits == 8 || c.b->bits == 16 || (c.b->bits == 32 && next_random(2)));
  const unsigned a_start = 0, b_start = IMAGE / 2;
  std::vector<float> a(c.rows * depth), b(c.columns * depth);
  memset(image, 0, IMAGE);
  memset(left, 0, LANES * 8 * 4);
  Operation o = {};
  for (int i = 0; i < LANES * c.columns; i++) {
    float value = c.half_sums ? (float)((int)next_random(64) - 32) : (float)((int)next_random(4096) - 2048);
    if (c.a->kind == 3)
      before[i] = next_random(100000);
    else if (c.half_sums) {
      __half h = __float2half(value);
      unsigned short raw;
      memcpy(&raw, &h, 2);
      before[i] = raw;
    } else
      memcpy(before + i, &value, 4);
  }
  for (int i = 0; i < c.rows; i++)
    for (int k = 0; k < depth; k++) {
      unsigned bits;
      a[i * depth + k] = choose(*c.a, &bits);
      if (!c.in_tensor)
        put(image, a_start, la, *c.a, i, k, bits);
      else {
        int lane = c.rows == 64 ? i / 16 * 32 + i % 16 : i;
        memcpy((unsigned char *)(left + lane * 8) + k * a_bytes, &bits, a_bytes);
      }
    }
  for (int j = 0; j < c.columns; j++)
    for (int k = 0; k < depth; k++) {
      unsigned bits;
      b[j * depth + k] = choose(*c.b, &bits);
      put(image, b_start, lb, *c.b, j, k, bits);
    }
  o.a = describe(la, a_start);
  o.b = describe(lb, b_start);
  o.columns = c.columns;
  o.adds = c.adds;
  o.in_tensor = c.in_tensor;
  o.form = (c.a->kind == 3 ? 2u : c.half_sums ? 0 : 1) << 4 | c.a->format << 7 | c.b->format << 10 | c.negates << 13 | (la.is_turned && !c.in_tensor) << 15 |
           lb.is_turned << 16 | c.columns / 8 << 17 | c.rows / 16 << 24;
  for (int i = 0; c.disables && i < 4; i++)
    o.disabled[i] = next_random(0x7fffffff);
  Kernel *kernel = c.is_stationary ? stationary_f16 : kernels[c.a->kind];
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, IMAGE));
  kernel<<<1, LANES, IMAGE>>>(image, before, left, after, o);
  CHECK(cudaDeviceSynchronize());
  std::vector<unsigned> expected(before, before + LANES * c.columns);
  for (int i = 0; i < c.rows; i++)
    for (int j = 0; j < c.columns; j++) {
      int lane = c.rows == 64 && !c.is_stationary ? i / 16 * 32 + i % 16 : i, column = j;
      if (c.is_stationary) { // rows below each other have the other columns
        int width = c.columns * c.rows / LANES;
        lane += j / width * c.rows;
        column = j % width;
      }
      unsigned *word = &expected[lane * c.columns + column];
      if (o.disabled[lane / 32] >> lane % 32 & 1)
        continue;
      double sum = 0;
      for (int k = 0; k < depth; k++)
        sum += (double)a[i * depth + k] * b[j * depth + k];
      sum = c.negates ? -sum : sum;
      if (c.a->kind == 3) {
        *word = (unsigned)((c.adds ? (int)*word : 0) + (int)sum);
      } else if (c.half_sums) {
        unsigned short raw = (unsigned short)*word;
        __half h;
        memcpy(&h, &raw, 2);
        h = __double2half(sum + (c.adds ? (double)__half2float(h) : 0));
        memcpy(&raw, &h, 2);
        *word = raw;
      } else {
        float value;
        memcpy(&value, word, 4);
        value = (float)(sum + (c.adds ? value : 0));
        memcpy(word, &value, 4);
      }
    }
  int wrong = 0;
  for (int i = 0; i < LANES * c.columns; i++)
    wrong += after[i] != expected[i];
  return wrong;
}

static void test_products() {
  unsigned char *image;
  unsigned *before, *left, *after;
  cudaMallocManaged(&image, IMAGE);
  cudaMallocManaged(&before, LANES * 256 * 4);
  cudaMallocManaged(&after, LANES * 256 * 4);
  cudaMallocManaged(&left, LANES * 8 * 4);
  for (const Number &a : numbers) {
    int wrong = 0, n = 0;
    for (int turn = 0; turn < 6; turn++) {
      Case c = {};
      const Number *b = &numbers[next_random(10)];
      while (b->kind != a.kind)
        b = &numbers[next_random(10)];
      c.a = &a;
      c.b = b;
      c.rows = next_random(2) ? 64 : 128;
      c.columns = 16 * (1 + next_random(4));
      c.in_tensor = a.bits >= 8 && turn % 3 == 2;
      c.half_sums = a.kind == 0 && turn == 1;
      c.adds = next_random(2);
      c.negates = a.kind != 3 && next_random(2);
      c.disables = turn == 3;
      wrong += test_product(c, image, before, left, after) != 0;
      n++;
    }
    printf("%s: %d products, %d wrong\n", a.name, n, wrong);
  }
  int wrong = 0;
  for (int turn = 0; turn < 6; turn++) {
    Case c = {};
    c.a = c.b = &numbers[turn % 2];
    c.rows = 32 << turn % 3;
    c.columns = turn < 3 ? 64 : 128;
    c.is_stationary = true;
    c.adds = turn % 2;
    c.in_tensor = turn == 5;
    wrong += test_product(c, image, before, left, after) != 0;
  }
  printf("stationary: 6 products, %d wrong\n", wrong);
}

// --- copies

#define COPY(shape) asm volatile("tcgen05.cp.cta_group::1." shape " [%0], %1;" ::"r"(address + 2), "l"(matrix) : "memory")

__global__ void copies(const unsigned char *image, unsigned *left, unsigned long long matrix, int shape) {
  extern __shared__ __align__(1024) unsigned char shared[];
  __shared__ unsigned where;
  __shared__ unsigned long long barrier;
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&barrier)));
  for (int i = threadIdx.x; i < IMAGE / 4; i += blockDim.x)
    ((unsigned *)shared)[i] = ((const unsigned *)image)[i];
  unsigned address = allocate(&where, 32);
  for (int c = 0; c < 32; c++)
    store_word(address + c, 7);
  asm volatile("fence.proxy.async.shared::cta;");
  __syncthreads();
  matrix += shared_address(shared) >> 4;
  if (threadIdx.x == 0)
    switch (shape) {
    case 0: COPY("128x256b"); break;
    case 1: COPY("4x256b"); break;
    case 2: COPY("128x128b"); break;
    case 3: COPY("64x128b.warpx2::02_13"); break;
    case 4: COPY("64x128b.warpx2::01_23"); break;
    case 5: COPY("32x128b.warpx4"); break;
    }
  commit(&barrier, 0);
  drain(address, left, 32);
  release(address, 32);
}

static void test_copies() {
  static const int rows[] = {128, 4, 128, 64, 64, 32}, bytes[] = {32, 32, 16, 16, 16, 16};
  unsigned char *image;
  unsigned *left;
  cudaMallocManaged(&image, IMAGE);
  cudaMallocManaged(&left, LANES * 32 * 4);
  CHECK(cudaFuncSetAttribute(copies, cudaFuncAttributeMaxDynamicSharedMemorySize, IMAGE));
  for (int shape = 0; shape < 6; shape++) {
    Layout l = choose_layout(1, rows[shape], bytes[shape], false);
    std::vector<unsigned> expected(LANES * 32, 7);
    for (int i = 0; i < IMAGE; i++)
      image[i] = next_random(256);
    copies<<<1, LANES, IMAGE>>>(image, left, describe(l, 0), shape);
    CHECK(cudaDeviceSynchronize());
    for (int row = 0; row < rows[shape]; row++)
      for (int at = 0; at < bytes[shape]; at++) {
        // the lanes that a row comes to
        int first = shape == 1 ? row * 32 : shape == 4 ? row / 32 * 64 + row % 32 : row;
        int step = shape == 3 ? 64 : 32, n = shape == 3 || shape == 4 ? 2 : shape == 5 ? 4 : 1;
        for (int i = 0; i < n; i++)
          memcpy((unsigned char *)&expected[(first + i * step) * 32 + 2] + at, image + place(l, 1, row, at), 1);
      }
    printf("copy %d: %s\n", shape, memcmp(left, expected.data(), LANES * 32 * 4) ? "wrong" : "right");
  }
}

// --- a pair of blocks: each has half of A's rows, of B's columns and of the sums' rows; both wait for one commit

__global__ void __cluster_dims__(2, 1, 1) pairs(const unsigned char *image, unsigned *after, Operation o) {
  extern __shared__ __align__(1024) unsigned char shared[];
  __shared__ unsigned where;
  __shared__ unsigned long long barrier;
  unsigned rank = blockIdx.x;
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&barrier)));
  for (int i = threadIdx.x; i < IMAGE / 4; i += blockDim.x)
    ((unsigned *)shared)[i] = ((const unsigned *)image)[rank * (IMAGE / 4) + i];
  if (threadIdx.x < 32)
    asm volatile("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(shared_address(&where)), "r"(256) : "memory");
  asm volatile("fence.proxy.async.shared::cta;");
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
  unsigned long long a = o.a + (shared_address(shared) >> 4 & 0x3fff), b = o.b + (shared_address(shared) >> 4 & 0x3fff);
  if (rank == 0 && threadIdx.x == 0) {
    asm volatile("tcgen05.mma.cta_group::2.kind::f16 [%0], %1, %2, %3, 0;" ::"r"(where), "l"(a), "l"(b), "r"(o.form));
    asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;" ::"r"(shared_address(&barrier)), "h"((unsigned short)3) : "memory");
  }
  asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra W; }" ::"r"(shared_address(&barrier)) : "memory");
  asm volatile("tcgen05.fence::after_thread_sync;");
  drain(where, after + rank * LANES * o.columns, o.columns);
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
  if (threadIdx.x < 32)
    asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, %1;" ::"r"(where), "r"(256));
}

static void test_pairs() {
  unsigned char *image;
  unsigned *after;
  cudaMallocManaged(&image, 2 * IMAGE);
  cudaMallocManaged(&after, 2 * LANES * 64 * 4);
  CHECK(cudaFuncSetAttribute(pairs, cudaFuncAttributeMaxDynamicSharedMemorySize, IMAGE));
  for (int rows = 128; rows <= 256; rows *= 2) {
    const int columns = 64, depth = 16, half = rows / 2;
    const Number &n = numbers[1];
    Layout la = choose_layout(2, half, depth, true), lb = choose_layout(2, columns / 2, depth, true);
    std::vector<float> a(rows * depth), b(columns * depth);
    Operation o = {};
    memset(image, 0, 2 * IMAGE);
    for (int i = 0; i < rows * depth; i++) {
      unsigned bits;
      a[i] = choose(n, &bits);
      put(image + i / depth / half * IMAGE, 0, la, n, i / depth % half, i % depth, bits);
    }
    for (int j = 0; j < columns * depth; j++) {
      unsigned bits;
      b[j] = choose(n, &bits);
      put(image + j / depth / (columns / 2) * IMAGE, IMAGE / 2, lb, n, j / depth % (columns / 2), j % depth, bits);
    }
    o.a = describe(la, 0);
    o.b = describe(lb, IMAGE / 2);
    o.columns = rows == 256 ? columns : columns / 2; // where the sums of a block have 64 rows, the other 64 lanes have half of the columns
    o.form = 1 << 4 | n.format << 7 | n.format << 10 | la.is_turned << 15 | lb.is_turned << 16 | columns / 8 << 17 | rows / 16 << 24;
    pairs<<<2, LANES, IMAGE>>>(image, after, o);
    CHECK(cudaDeviceSynchronize());
    int wrong = 0;
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < columns; j++) {
        float sum = 0, found;
        for (int k = 0; k < depth; k++)
          sum += a[i * depth + k] * b[j * depth + k];
        int lane = i % half + (rows == 128 ? j / (columns / 2) * 64 : 0), column = rows == 128 ? j % (columns / 2) : j;
        memcpy(&found, after + (i / half * LANES + lane) * o.columns + column, 4);
        wrong += found != sum;
      }
    printf("pair of %d rows: %d wrong\n", rows, wrong);
  }
}

int main() {
  test_moves();
  test_copies();
  test_products();
  test_pairs();
}
