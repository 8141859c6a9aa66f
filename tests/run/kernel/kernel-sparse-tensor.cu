// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Products of tensor memory (tcgen05) with sparse factors, scaled ones of pairs of blocks, numbers of 4 and 6 bits in tensor memory, and loads with extremes: by PTX as it is, since no
// chip of this kind was at hand. Each result is compared with what the host makes of the documents: where metadata and scales lie is written here as CuTe has it
// (UMMA::tmem_e_frg, tmem_sf_frg).
// nvcc: -std=c++17
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include "../check.h"

enum { LANES = 128, COLUMNS = 128, MATRIX = 16 * 1024, N = 64, AT_A = 64, AT_METADATA = 80, AT_SCALES = 84 };

static unsigned long long state = 1;
static unsigned next_random(unsigned n) {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return (unsigned)(state >> 33) % n;
}

// --- the kernel: tensor memory is @words of each block, then one instruction is executed

__device__ unsigned shared_address(const void *pointer) { return (unsigned)__cvta_generic_to_shared(pointer); }

struct Operation {
  unsigned form;
  int which, in_tensor, stride_a, stride_b; // bytes from eight rows to the next
};

#define DESCRIBED "r"(where), "l"(a), "l"(b), "r"(where + AT_METADATA), "r"(o.form), "r"(where + AT_SCALES), "r"(where + AT_SCALES + 4), "r"(where + AT_A)
#define SPARSE(group, kind) if (o.in_tensor) asm volatile("tcgen05.mma.sp.cta_group::" group "." kind " [%0], [%7], %2, [%3], %4, 0;" ::DESCRIBED); \
  else asm volatile("tcgen05.mma.sp.cta_group::" group "." kind " [%0], %1, %2, [%3], %4, 0;" ::DESCRIBED)
#define SCALED(opcode, metadata) asm volatile(opcode " [%0], %1, %2, " metadata "%4, [%5], [%6], 0;" ::DESCRIBED)
#define DENSE(opcode) asm volatile(opcode " [%0], [%7], %2, %4, 0;" ::DESCRIBED)
#define COPY(formats) asm volatile("tcgen05.cp.cta_group::1.128x128b" formats " [%0], %1;" ::DESCRIBED)

template <int BLOCKS> __global__ void execute(const unsigned char *image, const unsigned *words, unsigned *after, Operation o) {
  __shared__ __align__(1024) unsigned char left[MATRIX], right[MATRIX];
  __shared__ unsigned slot;
  __shared__ unsigned long long barrier;
  unsigned rank = blockIdx.x, at = shared_address(&barrier), lane = threadIdx.x, word;
  if (lane == 0)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at));
  for (int i = lane; i < MATRIX; i += LANES) {
    left[i] = image[rank * 2 * MATRIX + i];
    right[i] = image[(rank * 2 + 1) * MATRIX + i];
  }
  if (lane < 32) {
    if (BLOCKS == 1)
      asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 128;" ::"r"(shared_address(&slot)) : "memory");
    else
      asm volatile("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], 128;" ::"r"(shared_address(&slot)) : "memory");
  }
  asm volatile("fence.proxy.async.shared::cta;");
  __syncthreads();
  unsigned where = slot;
  for (int c = 0; c < COLUMNS; c++)
    asm volatile("tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {%1};" ::"r"(where + c), "r"(words[(rank * LANES + lane) * COLUMNS + c]) : "memory");
  asm volatile("tcgen05.wait::st.sync.aligned;");
  if (BLOCKS == 2)
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
  __syncthreads();
  unsigned long long unit = 1ull << 46 | 128ull >> 4 << 16;
  unsigned long long a = unit | (unsigned long long)o.stride_a >> 4 << 32 | shared_address(left) >> 4, b = unit | (unsigned long long)o.stride_b >> 4 << 32 | shared_address(right) >> 4;
  if (rank == 0 && lane == 0) {
    if (BLOCKS == 1) {
      switch (o.which) {
      case 0: SPARSE("1", "kind::f16"); break;
      case 1: SPARSE("1", "kind::tf32"); break;
      case 2: SPARSE("1", "kind::f8f6f4"); break;
      case 3: SPARSE("1", "kind::i8"); break;
      case 4: SCALED("tcgen05.mma.sp.cta_group::1.kind::mxf4.block_scale", "[%3], "); break;
      case 5: DENSE("tcgen05.mma.cta_group::1.kind::f8f6f4"); break;
      case 6: COPY(""); break;
      case 7: COPY(".b8x16.b6x16_p32"); break;
      case 8: COPY(".b8x16.b4x16_p64"); break;
      }
      asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(at) : "memory");
    } else {
      switch (o.which) {
      case 0: SPARSE("2", "kind::f16"); break;
      case 1: SCALED("tcgen05.mma.cta_group::2.kind::mxf8f6f4.block_scale", ""); break;
      }
      asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;" ::"r"(at), "h"((unsigned short)3) : "memory");
    }
  }
  asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra W; }" ::"r"(at) : "memory");
  for (int c = 0; c < N; c++) {
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%0}, [%1];" : "=r"(word) : "r"(where + c));
    after[(rank * LANES + lane) * N + c] = word;
  }
  if (BLOCKS == 2)
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
  __syncthreads();
  if (lane < 32) {
    if (BLOCKS == 1)
      asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 128;" ::"r"(where));
    else
      asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, 128;" ::"r"(where));
  }
}

// --- numbers

struct Number {
  const char *name;
  int bits, exponent, fraction, bias, format; // of a descriptor; no exponent: a whole number
};

static const Number F16 = {"f16", 16, 5, 10, 15, 0}, TF32 = {"tf32", 32, 8, 23, 127, 2}, E4M3 = {"e4m3", 8, 4, 3, 7, 0}, S8 = {"s8", 8, 0, 7, 0, 1}, E2M3 = {"e2m3", 6, 2, 3, 1, 3},
                    E3M2 = {"e3m2", 6, 3, 2, 3, 4}, E2M1 = {"e2m1", 4, 2, 1, 1, 5};

// A number of few digits, and its bits.
static double choose(const Number &n, unsigned *bits) {
  bool negative = next_random(2);
  if (!n.exponent) {
    *bits = next_random(256);
    return (signed char)*bits;
  }
  unsigned digits = n.fraction < 3 ? n.fraction : 3;
  unsigned exponent = n.exponent > 3 ? n.bias - 1 + next_random(4) : next_random(1u << n.exponent), fraction = next_random(1u << digits) << (n.fraction - digits);
  *bits = (unsigned)negative << (n.exponent + n.fraction) | exponent << n.fraction | fraction;
  double size = ldexp(fraction + (exponent ? 1 << n.fraction : 0), (int)(exponent ? exponent : 1) - n.bias - n.fraction);
  return negative ? -size : size;
}

// Puts bits at the @k-th place of a row in shared memory: units of 8 rows of 16 bytes; @in_unit numbers are in one.
static void put(unsigned char *matrix, int stride, int row, int k, int bits, int in_unit, unsigned value) {
  unsigned char *unit = matrix + row / 8 * stride + k / in_unit * 128 + row % 8 * 16;
  for (int i = 0, at = k % in_unit * bits; i < bits; i++, at++)
    unit[at / 8] |= (value >> i & 1) << at % 8;
}

struct Test {
  const char *name;
  int which, blocks, rows, depth, group; // numbers of which half are stored; 0: all are
  Number a, b;
  int in_unit; // numbers in 16 bytes of shared memory
  bool in_tensor;
  int scales;
};

static const Test tests[] = {
    {"f16", 0, 1, 128, 32, 4, F16, F16, 8, false, 0},       {"f16 of 64 rows", 0, 1, 64, 32, 4, F16, F16, 8, false, 0},      {"f16 in tensor memory", 0, 1, 128, 32, 4, F16, F16, 8, true, 0},
    {"tf32", 1, 1, 128, 16, 2, TF32, TF32, 4, false, 0},    {"tf32 of 64 rows", 1, 1, 64, 16, 2, TF32, TF32, 4, true, 0},    {"e4m3", 2, 1, 128, 64, 4, E4M3, E4M3, 16, false, 0},
    {"e3m2 by e2m1", 2, 1, 128, 64, 4, E3M2, E2M1, 16, false, 0}, {"e2m1 in tensor memory", 2, 1, 64, 64, 4, E2M1, E2M3, 16, true, 0}, {"s8", 3, 1, 128, 64, 4, S8, S8, 16, false, 0},
    {"s8 of 64 rows", 3, 1, 64, 64, 4, S8, S8, 16, false, 0}, {"mxf4", 4, 1, 128, 128, 8, E2M1, E2M1, 32, false, 2},        {"dense e2m1 in tensor memory", 5, 1, 128, 32, 0, E2M1, E3M2, 16, true, 0},
    {"dense e2m3 in tensor memory", 5, 1, 128, 32, 0, E2M3, E4M3, 16, true, 0}, {"f16, pair of 256 rows", 0, 2, 256, 32, 4, F16, F16, 8, false, 0}, {"f16, pair of 128 rows", 0, 2, 128, 32, 4, F16, F16, 8, false, 0},
    {"scaled e4m3, pair of 256 rows", 1, 2, 256, 32, 0, E4M3, E4M3, 16, false, 1}, {"scaled e4m3, pair of 128 rows", 1, 2, 128, 32, 0, E4M3, E4M3, 16, false, 1},
};

static unsigned char *image;
static unsigned *words, *after;

static unsigned *word_at(int block, int lane, int column) { return words + (block * LANES + lane) * COLUMNS + column; }

// The lane that a row of a block has in tensor memory.
static int lane_of(int rows, int row, bool is_spread) { return rows == 64 && !is_spread ? row / 16 * 32 + row % 16 : row; }

// UMMA::tmem_e_frg: the address of four bits of row @m for the numbers from @k on, in bits above lanes.
static void put_metadata(const Test &t, int block, int rows, int m, int k, unsigned bits) {
  int scale = t.group == 2 ? 2 : 1, half = t.group == 2 ? 8 : 16; // bits for each number
  int lane = m % 8 + m / 16 * 16 + k / half * 8, bit = (m / 8 % 2 * half + k % half) * scale;
  if (t.a.bits < 16) {
    lane = m;
    bit = t.group == 8 ? k / 2 : k;
  }
  *word_at(block, lane_of(rows, lane, false), AT_METADATA + bit / 32) |= bits << bit % 32;
}

// UMMA::tmem_sf_frg: a row in each quarter of the lanes; of the columns of a pair with 64 rows each, the second half in the upper lanes.
static void put_scale(int block, int column, int row, int n, bool is_halved, int s, unsigned bits) {
  for (int quarter = 0; quarter < 4; quarter++) {
    int first = is_halved ? quarter / 2 * (n / 2) : 0, within = row - first;
    if (within >= 0 && within < (is_halved ? n / 2 : n))
      *word_at(block, quarter * 32 + within % 32, column + within / 32) |= bits << 8 * s;
  }
}

static void fill_a(const Test &t, Operation *o, std::vector<double> &a) {
  const int rows = t.rows / t.blocks, stored = t.group ? t.depth / 2 : t.depth, bits = t.in_unit == 32 ? 4 : t.a.bits;
  const int kept = t.in_unit == 32 ? 4 : t.a.bits < 8 ? 8 : t.a.bits; // in tensor memory
  o->stride_a = (stored + t.in_unit - 1) / t.in_unit * 128;
  for (int i = 0; i < t.rows; i++)
    for (int s = 0; s < stored; s++) {
      static const unsigned pairs[][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
      static unsigned chosen[2];
      const int in_group = t.group / 2, group = in_group ? s / in_group : 0;
      unsigned raw;
      double value = choose(t.a, &raw);
      if (t.group && s % in_group == 0) {
        memcpy(chosen, pairs[t.group == 2 ? next_random(2) * 5 : next_random(6)], sizeof chosen); // of 1:2, 0b0100 or 0b1110
        put_metadata(t, i / rows, rows, i % rows, group * t.group, chosen[0] | chosen[1] << 2);
      }
      int k = !t.group ? s : t.group == 2 ? group * 2 + (chosen[0] ? 1 : 0) : t.group == 4 ? group * 4 + (int)chosen[s % 2] : group * 8 + (int)chosen[s % 4 / 2] * 2 + s % 2;
      a[i * t.depth + k] = value;
      if (t.in_tensor)
        *word_at(i / rows, lane_of(rows, i % rows, false), AT_A + s * kept / 32) |= (t.a.bits == 4 && kept == 8 ? raw << 2 : raw) << s * kept % 32;
      else
        put(image + i / rows * 2 * MATRIX, o->stride_a, i % rows, s, bits, t.in_unit, raw);
    }
}

static void fill_b(const Test &t, Operation *o, std::vector<double> &b) {
  const int of_block = N / t.blocks;
  o->stride_b = t.depth / t.in_unit * 128;
  for (int j = 0; j < N; j++)
    for (int k = 0; k < t.depth; k++) {
      unsigned raw;
      b[j * t.depth + k] = choose(t.b, &raw);
      put(image + (j / of_block * 2 + 1) * MATRIX, o->stride_b, j % of_block, k, t.b.bits, t.in_unit, raw);
    }
}

// Scales of powers of two, which the numbers are multiplied by as well.
static void fill_scales(const Test &t, bool is_halved, std::vector<double> &a, std::vector<double> &b) {
  const int rows = t.rows / t.blocks;
  for (int s = 0; s < t.scales; s++)
    for (int i = 0; i < t.rows + N; i++) {
      unsigned raw = 125 + next_random(5);
      double *row = i < t.rows ? &a[i * t.depth] : &b[(i - t.rows) * t.depth];
      for (int k = t.depth / t.scales * s; k < t.depth / t.scales * (s + 1); k++)
        row[k] *= ldexp(1, (int)raw - 127);
      if (i < t.rows)
        put_scale(i / rows, AT_SCALES, i % rows, rows, false, s, raw);
      for (int block = 0; block < t.blocks && i >= t.rows; block++)
        put_scale(block, AT_SCALES + 4, i - t.rows, N, is_halved, s, raw);
    }
}

static void execute_once(int blocks, const Operation &o) {
  if (blocks == 1)
    execute<1><<<1, LANES>>>(image, words, after, o);
  else {
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute cluster;
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = 2;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    config.gridDim = 2;
    config.blockDim = LANES;
    config.attrs = &cluster;
    config.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&config, execute<2>, (const unsigned char *)image, (const unsigned *)words, after, o));
  }
  CHECK(cudaDeviceSynchronize());
}

static void test_product(const Test &t) {
  const int rows = t.rows / t.blocks;
  const bool is_spread = t.blocks == 2 && !t.group, is_halved = is_spread && rows == 64;
  std::vector<double> a(t.rows * t.depth), b(N * t.depth);
  Operation o = {0, t.which, t.in_tensor, 0, 0};
  memset(image, 0, 4 * MATRIX);
  memset(words, 0, 2 * LANES * COLUMNS * 4);
  fill_a(t, &o, a);
  fill_b(t, &o, b);
  fill_scales(t, is_halved, a, b);
  bool packs = t.in_unit == 32;
  o.form = (t.group ? 1u << 2 : 0) | (t.scales ? 0 : t.a.exponent ? 1u : 2u) << 4 | (packs ? 1 : t.a.format) << 7 | (packs ? 1 : t.b.format) << 10 | N / 8 << 17 | (t.scales ? 1u << 23 : 0) | t.rows / 16 << 24;
  execute_once(t.blocks, o);
  int wrong = 0;
  for (int i = 0; i < t.rows; i++)
    for (int j = 0; j < N; j++) {
      double sum = 0;
      for (int k = 0; k < t.depth; k++)
        sum += a[i * t.depth + k] * b[j * t.depth + k];
      int lane = lane_of(rows, i % rows, is_spread) + (is_halved ? j / (N / 2) * 64 : 0), column = is_halved ? j % (N / 2) : j;
      unsigned word = after[(i / rows * LANES + lane) * N + column];
      float found;
      memcpy(&found, &word, 4);
      wrong += (t.a.exponent ? (double)found : (double)(int)word) != sum;
    }
  printf("%s: %d wrong\n", t.name, wrong);
}

// --- copies that unpack, and loads with extremes

static void test_copies() {
  for (int which = 6; which <= 8; which++) {
    const int bits = which == 6 ? 8 : which == 7 ? 6 : 4;
    std::vector<unsigned char> expected(LANES * 16);
    Operation o = {0, which, 0, 128, 128};
    memset(image, 0, 4 * MATRIX);
    memset(words, 0, 2 * LANES * COLUMNS * 4);
    for (int row = 0; row < LANES; row++)
      for (int k = 0; k < 16; k++) {
        unsigned raw = next_random(1u << bits);
        put(image, 128, row, k, bits, 16, raw);
        expected[row * 16 + k] = (unsigned char)(bits == 4 ? raw << 2 : raw);
      }
    execute_once(1, o);
    int wrong = 0;
    for (int row = 0; row < LANES; row++)
      wrong += memcmp(after + row * N, &expected[row * 16], 16) != 0;
    printf("copy of %d bits: %d wrong\n", bits, wrong);
  }
}

#define LOAD(type, name, of)                                                                                                                        \
  asm volatile("tcgen05.ld.red.sync.aligned.32x32b.x4." name "." type " {%0, %1, %2, %3}, %4, [%5];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), of : "r"(slot))

__global__ void extremes(const unsigned *in, unsigned *out) {
#if __CUDA_ARCH__ == 1100
  __shared__ unsigned slot;
  unsigned lane = threadIdx.x, r[4], x;
  float f;
  if (lane < 32)
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"(shared_address(&slot)) : "memory");
  __syncthreads();
  for (int c = 0; c < 4; c++)
    asm volatile("tcgen05.st.sync.aligned.32x32b.x1.b32 [%0], {%1};" ::"r"(slot + c), "r"(in[lane * 4 + c]) : "memory");
  LOAD("u32", "min", "=r"(x));
  out[lane * 8 + 4] = x;
  LOAD("s32", "max", "=r"(x));
  out[lane * 8 + 5] = x;
  LOAD("f32", "min", "=f"(f));
  out[lane * 8 + 6] = __float_as_uint(f);
  LOAD("f32", "max.abs", "=f"(f));
  out[lane * 8 + 7] = __float_as_uint(f);
  for (int i = 0; i < 4; i++)
    out[lane * 8 + i] = r[i];
  __syncthreads();
  if (lane < 32)
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" ::"r"(slot));
#endif
}

static void test_extremes() {
  int wrong = 0;
  for (int i = 0; i < LANES * 4; i++) {
    float value = ((int)next_random(2000) - 1000) / 8.0f;
    memcpy(words + i, &value, 4);
  }
  extremes<<<1, LANES>>>(words, after);
  CHECK(cudaDeviceSynchronize());
  for (int lane = 0; lane < LANES; lane++) {
    unsigned least = ~0u, *in = words + lane * 4, *out = after + lane * 8;
    int most = -0x7fffffff - 1;
    float smallest = INFINITY, largest = 0, found[2];
    for (int i = 0; i < 4; i++) {
      float value;
      memcpy(&value, in + i, 4);
      least = in[i] < least ? in[i] : least;
      most = (int)in[i] > most ? (int)in[i] : most;
      smallest = fminf(smallest, value);
      largest = fmaxf(largest, fabsf(value));
    }
    memcpy(found, out + 6, 8);
    wrong += memcmp(in, out, 16) != 0 || out[4] != least || (int)out[5] != most || found[0] != smallest || found[1] != largest;
  }
  printf("extremes: %d wrong\n", wrong);
}

int main(int argc, char **) {
  CHECK(cudaMallocManaged(&image, 4 * MATRIX));
  CHECK(cudaMallocManaged(&words, 2 * LANES * COLUMNS * 4));
  CHECK(cudaMallocManaged(&after, 2 * LANES * N * 4));
  if (argc > 1) {
    test_extremes();
    return 0;
  }
  for (const auto &test : tests)
    test_product(test);
  test_copies();
}
