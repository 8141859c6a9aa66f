// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Products with scaled factors (PTX ISA, "Block Scaling"), by PTX as it is, since no chip of this kind was at hand: mma.sync of sm_120, and tcgen05.mma of sm_100. Each sum is compared with
// that of the host, which is exact.
//
//   scaled warp|tensor
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "../check.h"

enum { ROW_BYTES = 32, ROWS = 128, COLUMNS = 64, MOST_DEPTH = 64, MOST_SCALES = 4 };

static unsigned long long state = 1;
static unsigned next_random(unsigned n) {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return (unsigned)(state >> 33) % n;
}

// --- numbers

struct Number {
  int exponent, fraction, bias, shift; // bits; @shift: where they are in their byte
};

static const Number E4M3 = {4, 3, 7, 0}, E5M2 = {5, 2, 15, 0}, E3M2 = {3, 2, 3, 0}, E2M3 = {2, 3, 1, 0}, E2M1 = {2, 1, 1, 0}, E2M1_IN_BYTE = {2, 1, 1, 2};

static double value_of(const Number &n, unsigned bits) {
  unsigned fraction = bits & ((1u << n.fraction) - 1), exponent = bits >> n.fraction & ((1u << n.exponent) - 1);
  double size = ldexp(fraction + (exponent ? 1 << n.fraction : 0), (int)(exponent ? exponent : 1) - n.bias - n.fraction);
  return bits >> (n.fraction + n.exponent) & 1 ? -size : size;
}

// Of numbers near 1.
static unsigned choose(const Number &n) {
  unsigned exponent = n.exponent > 3 ? n.bias - 2 + next_random(4) : next_random(1u << n.exponent);
  return next_random(2) << (n.exponent + n.fraction) | exponent << n.fraction | next_random(1u << n.fraction);
}

// A factor of a product: rows of A, or columns of B, of 32 bytes, and their scales.
struct Factor {
  unsigned char bytes[ROWS][ROW_BYTES], scales[ROWS][MOST_SCALES];
  double values[ROWS][MOST_DEPTH];
};

static void fill(Factor *f, const Number &n, int rows, int depth, int scales, bool is_fine) {
  memset(f, 0, sizeof *f);
  for (int i = 0; i < rows; i++) {
    for (int s = 0; s < scales; s++)
      f->scales[i][s] = (unsigned char)(is_fine ? choose(E4M3) & 0x7f : 124 + next_random(6));
    for (int k = 0; k < depth; k++) {
      unsigned bits = choose(n), scale = f->scales[i][k / (depth / scales)];
      f->bytes[i][k * ROW_BYTES / depth] |= bits << (depth == 2 * ROW_BYTES ? k % 2 * 4 : n.shift);
      f->values[i][k] = value_of(n, bits) * (is_fine ? value_of(E4M3, scale) : ldexp(1, (int)scale - 127));
    }
  }
}

static int count_wrong(const Factor &a, const Factor &b, const float *before, const float *after, int rows, int columns, int depth) {
  int wrong = 0;
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) {
      double sum = before ? before[i * columns + j] : 0;
      for (int k = 0; k < depth; k++)
        sum += a.values[i][k] * b.values[j][k];
      wrong += after[i * columns + j] != (float)sum;
    }
  return wrong;
}

// --- of a warp

#define MMA(shape, how, a, b, scale, places_of_a, places_of_b)                                                                             \
  asm volatile("mma.sync.aligned.kind::" how ".block_scale." shape ".row.col.f32." a "." b ".f32." scale                                    \
               " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3}, {%10}, " places_of_a ", {%11}, " places_of_b ";"             \
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                                                              \
               : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]), "r"(of_a), "r"(of_b), "h"((unsigned short)second), "h"((unsigned short)third))

__global__ void warp_product(const unsigned char *a, const unsigned char *b, const unsigned *scales, float *c, int which, int second, int third) {
#if __CUDA_ARCH__ >= 1200
  int g = threadIdx.x / 4, t = threadIdx.x % 4;
  unsigned x[4], y[2], of_a = scales[threadIdx.x], of_b = scales[32 + threadIdx.x];
  float d[4];
  for (int i = 0; i < 4; i++)
    x[i] = *(const unsigned *)(a + (g + i % 2 * 8) * ROW_BYTES + t * 4 + i / 2 * 16);
  for (int i = 0; i < 2; i++)
    y[i] = *(const unsigned *)(b + g * ROW_BYTES + t * 4 + i * 16);
  for (int i = 0; i < 4; i++)
    d[i] = c[(g + i / 2 * 8) * 8 + 2 * t + i % 2];
  switch (which) {
  case 0: MMA("scale_vec::1X.m16n8k32", "mxf8f6f4", "e4m3", "e5m2", "ue8m0", "{0, 0}", "{0, 0}"); break;
  case 1: MMA("m16n8k32", "mxf8f6f4", "e2m1", "e3m2", "ue8m0", "{2, 1}", "{3, 2}"); break;
  case 2: MMA("m16n8k32", "mxf8f6f4", "e2m3", "e4m3", "ue8m0", "{%12, 0}", "{0, %13}"); break;
  case 3: MMA("scale_vec::2X.m16n8k64", "mxf4", "e2m1", "e2m1", "ue8m0", "{0, 1}", "{2, 3}"); break;
  case 4: MMA("m16n8k64", "mxf4", "e2m1", "e2m1", "ue8m0", "{2, 0}", "{0, 1}"); break;
  case 5: MMA("scale_vec::2X.m16n8k64", "mxf4nvf4", "e2m1", "e2m1", "ue8m0", "{2, 1}", "{2, 0}"); break;
  case 6: MMA("scale_vec::4X.m16n8k64", "mxf4nvf4", "e2m1", "e2m1", "ue4m3", "{0, 1}", "{0, 3}"); break;
  }
  for (int i = 0; i < 4; i++)
    c[(g + i / 2 * 8) * 8 + 2 * t + i % 2] = d[i];
#endif
}

static void test_warp() {
  static const struct {
    const char *name;
    Number a, b;
    int depth, scales;
    bool is_fine;
    int of_a[2], of_b[2]; // first byte, lanes
  } cases[] = {{"mxf8f6f4, e4m3 and e5m2", E4M3, E5M2, 32, 1, false, {0, 0}, {0, 0}},
               {"mxf8f6f4, e2m1 and e3m2", E2M1_IN_BYTE, E3M2, 32, 1, false, {2, 1}, {3, 2}},
               {"mxf8f6f4, e2m3 and e4m3", E2M3, E4M3, 32, 1, false, {1, 0}, {0, 3}},
               {"mxf4", E2M1, E2M1, 64, 2, false, {0, 1}, {2, 3}},
               {"mxf4", E2M1, E2M1, 64, 2, false, {2, 0}, {0, 1}},
               {"mxf4nvf4, 2X", E2M1, E2M1, 64, 2, false, {2, 1}, {2, 0}},
               {"mxf4nvf4, 4X", E2M1, E2M1, 64, 4, true, {0, 1}, {0, 3}}};
  static Factor a, b;
  unsigned char *left, *right;
  unsigned *scales;
  float *c, before[16 * 8];
  CHECK(cudaMallocManaged(&left, 16 * ROW_BYTES));
  CHECK(cudaMallocManaged(&right, 8 * ROW_BYTES));
  CHECK(cudaMallocManaged(&scales, 64 * 4));
  CHECK(cudaMallocManaged(&c, sizeof before));
  for (int which = 0; which < 7; which++) {
    const auto &test = cases[which];
    fill(&a, test.a, 16, test.depth, test.scales, test.is_fine);
    fill(&b, test.b, 8, test.depth, test.scales, test.is_fine);
    memcpy(left, a.bytes, 16 * ROW_BYTES);
    memcpy(right, b.bytes, 8 * ROW_BYTES);
    for (int i = 0; i < 64; i++)
      scales[i] = next_random(0x7fffffff);
    for (int i = 0; i < 16; i++) // two lanes of four have those of A
      memcpy((char *)(scales + i % 8 * 4 + test.of_a[1] * 2 + i / 8) + test.of_a[0], a.scales[i], test.scales);
    for (int j = 0; j < 8; j++) // one has those of B
      memcpy((char *)(scales + 32 + j * 4 + test.of_b[1]) + test.of_b[0], b.scales[j], test.scales);
    for (int i = 0; i < 16 * 8; i++)
      c[i] = before[i] = (float)next_random(64);
    warp_product<<<1, 32>>>(left, right, scales, c, which, test.of_a[0], test.of_b[1]);
    CHECK(cudaDeviceSynchronize());
    printf("%s: %d wrong\n", test.name, count_wrong(a, b, before, c, 16, 8, test.depth));
  }
}

// --- of tensor memory: scales are copied there as they lie in shared memory, 32 rows of a word for each 32 rows of a factor

__global__ void tensor_product(const unsigned char *a, const unsigned char *b, const unsigned *scales, float *c, int which, unsigned form) {
#if __CUDA_ARCH__ >= 1000 && __CUDA_ARCH__ < 1200
  __shared__ __align__(1024) unsigned char left[ROWS * ROW_BYTES], right[COLUMNS * ROW_BYTES];
  __shared__ __align__(1024) unsigned of_both[2][32][4];
  __shared__ unsigned where;
  __shared__ unsigned long long barrier;
  unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at));
  // units of 8 rows of 16 bytes, two for a row
  for (int i = threadIdx.x; i < ROWS * ROW_BYTES; i += ROWS) {
    int row = i / ROW_BYTES, k = i % ROW_BYTES, to = row / 8 * 256 + k / 16 * 128 + row % 8 * 16 + k % 16;
    left[to] = a[i];
    if (row < COLUMNS)
      right[to] = b[i];
  }
  for (int i = threadIdx.x; i < 256; i += ROWS)
    (&of_both[0][0][0])[i] = scales[i];
  if (threadIdx.x < 32)
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 128;" ::"r"((unsigned)__cvta_generic_to_shared(&where)) : "memory");
  asm volatile("fence.proxy.async.shared::cta;");
  __syncthreads();
  unsigned of_a = where + COLUMNS, of_b = of_a + 4;
  unsigned long long unit = 1ull << 46 | 128ull >> 4 << 16 | 256ull >> 4 << 32, flat = 1ull << 46 | 128ull >> 4 << 32;
  unsigned long long x = unit | (unsigned)__cvta_generic_to_shared(left) >> 4, y = unit | (unsigned)__cvta_generic_to_shared(right) >> 4;
  if (threadIdx.x == 0) {
    asm volatile("tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;" ::"r"(of_a), "l"(flat | (unsigned)__cvta_generic_to_shared(of_both[0]) >> 4));
    asm volatile("tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;" ::"r"(of_b), "l"(flat | (unsigned)__cvta_generic_to_shared(of_both[1]) >> 4));
    switch (which) {
    case 0: asm volatile("tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale [%0], %1, %2, %3, [%4], [%5], 0;" ::"r"(where), "l"(x), "l"(y), "r"(form), "r"(of_a), "r"(of_b)); break;
    case 1: asm volatile("tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::2X [%0], %1, %2, %3, [%4], [%5], 0;" ::"r"(where), "l"(x), "l"(y), "r"(form), "r"(of_a), "r"(of_b)); break;
    case 2: asm volatile("tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::4X [%0], %1, %2, %3, [%4], [%5], 0;" ::"r"(where), "l"(x), "l"(y), "r"(form), "r"(of_a), "r"(of_b)); break;
    case 3: asm volatile("tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.block16 [%0], %1, %2, %3, [%4], [%5], 0;" ::"r"(where), "l"(x), "l"(y), "r"(form), "r"(of_a), "r"(of_b)); break;
    }
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(at) : "memory");
  }
  asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra W; }" ::"r"(at) : "memory");
  for (int j = 0; j < COLUMNS; j++) {
    float word;
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=f"(word) : "r"(where + j));
    c[threadIdx.x * COLUMNS + j] = word;
  }
  __syncthreads();
  if (threadIdx.x < 32)
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 128;" ::"r"(where));
#endif
}

static void test_tensor() {
  static const struct {
    const char *name;
    Number a, b;
    int depth, scales;
    bool is_fine;
    unsigned formats[2], first[2]; // of A and B
  } cases[] = {{"mxf8f6f4, e4m3 and e5m2", E4M3, E5M2, 32, 1, false, {0, 1}, {2, 3}},
               {"mxf4", E2M1, E2M1, 64, 2, false, {1, 1}, {2, 0}},
               {"mxf4nvf4, 4X", E2M1, E2M1, 64, 4, true, {1, 1}, {0, 0}},
               {"mxf4nvf4, of 16 numbers", E2M1, E2M1, 64, 4, true, {1, 1}, {0, 0}}};
  static Factor a, b;
  unsigned char *left, *right;
  unsigned *scales;
  float *c;
  CHECK(cudaMallocManaged(&left, ROWS * ROW_BYTES));
  CHECK(cudaMallocManaged(&right, COLUMNS * ROW_BYTES));
  CHECK(cudaMallocManaged(&scales, 256 * 4));
  CHECK(cudaMallocManaged(&c, ROWS * COLUMNS * sizeof *c));
  for (int which = 0; which < 4; which++) {
    const auto &test = cases[which];
    fill(&a, test.a, ROWS, test.depth, test.scales, test.is_fine);
    fill(&b, test.b, COLUMNS, test.depth, test.scales, test.is_fine);
    memcpy(left, a.bytes, ROWS * ROW_BYTES);
    memcpy(right, b.bytes, COLUMNS * ROW_BYTES);
    for (int i = 0; i < 256; i++)
      scales[i] = next_random(0x7fffffff);
    for (int i = 0; i < ROWS; i++)
      memcpy((char *)(scales + i % 32 * 4 + i / 32) + test.first[0], a.scales[i], test.scales);
    for (int j = 0; j < COLUMNS; j++)
      memcpy((char *)(scales + 128 + j % 32 * 4 + j / 32) + test.first[1], b.scales[j], test.scales);
    unsigned form = test.first[1] << 4 | test.formats[0] << 7 | test.formats[1] << 10 | COLUMNS / 8 << 17 | (test.is_fine ? 0u : 1u) << 23 | ROWS / 16 << 24 | test.first[0] << 29;
    tensor_product<<<1, ROWS>>>(left, right, scales, c, which, form);
    CHECK(cudaDeviceSynchronize());
    printf("%s: %d wrong\n", test.name, count_wrong(a, b, NULL, c, ROWS, COLUMNS, test.depth));
  }
}

int main(int, char **words) {
  if (strcmp(words[1], "warp") == 0)
    test_warp();
  else
    test_tensor();
}
