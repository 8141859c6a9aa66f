// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// nvcc: -gencode arch=compute_90a,code=sm_90a
//
// Kernels of Hopper's kind, whose results are checked: warps that fetch boxes of tensors while warpgroups multiply, tiles that blocks take
// from a counter, boxes that two blocks share, attention by two groups that take turns, products of 8-bit numbers, a kernel that begins
// before the one that it waits for has ended. Factors are small integers, so that sums are exact.
#include <cuda.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cmath>
#include <vector>

#include "../check.h"

typedef unsigned long long u64;
enum { GROUP = 128, TILE = 64, BOX = TILE * 128 }; // a box: 64 rows of 128 bytes

__device__ static unsigned
place(const void *pointer) {
  return (unsigned)__cvta_generic_to_shared(pointer);
}

__device__ static unsigned
place_in(unsigned address, unsigned rank) {
  unsigned mapped;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
  return mapped;
}

// --- barriers in shared memory

__device__ static void
init(u64 *barrier, unsigned n) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(place(barrier)), "r"(n));
}

__device__ static void
expect(u64 *barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(place(barrier)), "r"(bytes) : "memory");
}

__device__ static void
arrive(u64 *barrier) {
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(place(barrier)) : "memory");
}

__device__ static void
arrive_at(u64 *barrier, unsigned rank) {
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(place_in(place(barrier), rank)) : "memory");
}

__device__ static void
await(u64 *barrier, unsigned parity) {
  asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1; @p bra D; bra W; D: }" ::"r"(place(barrier)), "r"(parity) : "memory");
}

template <int BARRIER>
__device__ static void
meet(unsigned threads) {
  asm volatile("bar.sync %0, %1;" ::"n"(BARRIER), "r"(threads) : "memory");
}

// --- boxes

__device__ static void
fetch(void *to, const CUtensorMap *map, int x, int y, u64 *barrier) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2,%3}], [%4];" ::"r"(place(to)), "l"(map), "r"(x), "r"(y), "r"(place(barrier)) : "memory");
}

__device__ static void
fetch_for(void *to, const CUtensorMap *map, int x, int y, u64 *barrier, unsigned short blocks) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2,%3}], [%4], %5;" ::"r"(place(to)), "l"(map), "r"(x), "r"(y), "r"(place(barrier)), "h"(blocks) : "memory");
}

__device__ static void
put(const CUtensorMap *map, int x, int y, const void *from) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1,%2}], [%3]; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::"l"(map), "r"(x), "r"(y), "r"(place(from)) : "memory");
}

__device__ static bool
is_elected() {
  unsigned is;
  asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }" : "=r"(is));
  return is;
}

// --- products

// Rows of 128 bytes that are swizzled.
__device__ static u64
describe(unsigned at) {
  return (at & 0x3ffff) >> 4 | (u64)1 << 16 | (u64)64 << 32 | (u64)1 << 62;
}

__device__ static void
begin() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ static void
finish_products() {
  asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

#define SUMS8(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define SUMS SUMS8(0), SUMS8(8), SUMS8(16), SUMS8(24)
#define LIST "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"

__device__ static void
multiply(float (&d)[32], u64 a, u64 b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {" LIST "}, %32, %33, 1, 1, 1, 0, 0;" : SUMS : "l"(a), "l"(b));
}

__device__ static void
multiply(float (&d)[32], const unsigned *a, u64 b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {" LIST "}, {%32,%33,%34,%35}, %36, 1, 1, 1, 1;" : SUMS : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

__device__ static void
multiply_eights(float (&d)[32], u64 a, u64 b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e5m2 {" LIST "}, %32, %33, 1, 1, 1;" : SUMS : "l"(a), "l"(b));
}

// 128 bytes of each row of a box.
template <bool EIGHTS>
__device__ static void
multiply_boxes(float (&d)[32], const char *a, const char *b) {
  begin();
  for (int k = 0; k < 4; k++)
    if (EIGHTS)
      multiply_eights(d, describe(place(a) + k * 32), describe(place(b) + k * 32));
    else
      multiply(d, describe(place(a) + k * 32), describe(place(b) + k * 32));
  finish_products();
}

__device__ static unsigned
two(float x, float y) {
  __half2 both = __floats2half2_rn(x, y);
  return *(unsigned *)&both;
}

// 64 x 64 sums of a warpgroup, as halves, to a box that is swizzled.
__device__ static void
lay_down(char *to, const float (&d)[32]) {
  unsigned lane = threadIdx.x % 32, row = threadIdx.x % GROUP / 32 * 16 + lane % 16;
  for (unsigned i = 0; i < 4; i++) {
    unsigned chunk = i * 2 + lane / 16;
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(place(to) + row * 128 + ((chunk ^ row % 8) * 16)), "r"(two(d[i * 8], d[i * 8 + 1])), "r"(two(d[i * 8 + 2], d[i * 8 + 3])), "r"(two(d[i * 8 + 4], d[i * 8 + 5])), "r"(two(d[i * 8 + 6], d[i * 8 + 7])) : "memory");
  }
}

// --- tiles of 128 x 64 that blocks take from a counter, until there is none: one warp fetches, two warpgroups multiply and store

template <int STAGES>
struct Persistent {
  char stages[STAGES][3][BOX]; // two boxes of A, one of B
  char out[2][BOX];
  u64 full[STAGES], empty[STAGES], taken[2], told[2];
  int tiles[2];
};

template <int STAGES>
__global__ void __launch_bounds__(3 * GROUP, 1)
persistent(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, const __grid_constant__ CUtensorMap c, int *next, int across, int n, int steps) {
  extern __shared__ __align__(1024) char memory[];
  Persistent<STAGES> &s = *(Persistent<STAGES> *)memory;
  int group = threadIdx.x / GROUP, turn = 0, step = 0;
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; i++)
      init(&s.full[i], 1), init(&s.empty[i], 2);
    for (int i = 0; i < 2; i++)
      init(&s.told[i], 1), init(&s.taken[i], 2);
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  __syncthreads();
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x / 32 == 0 && is_elected())
      for (int tile = 0; tile < n; turn++) {
        await(&s.taken[turn & 1], turn / 2 + 1 & 1);
        tile = atomicAdd(next, 1);
        s.tiles[turn & 1] = tile;
        arrive(&s.told[turn & 1]);
        for (int k = 0; k < steps && tile < n; k++, step++) {
          int at = step % STAGES;
          await(&s.empty[at], step / STAGES + 1 & 1);
          expect(&s.full[at], 3 * BOX);
          fetch(s.stages[at][0], &a, k * 64, tile / across * 128, &s.full[at]);
          fetch(s.stages[at][1], &a, k * 64, tile / across * 128 + 64, &s.full[at]);
          fetch(s.stages[at][2], &b, k * 64, tile % across * 64, &s.full[at]);
        }
      }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  for (;; turn++) {
    await(&s.told[turn & 1], turn / 2 & 1);
    int tile = s.tiles[turn & 1];
    meet<1>(2 * GROUP);
    if (threadIdx.x % GROUP == 0)
      arrive(&s.taken[turn & 1]);
    if (tile >= n)
      return;
    float d[32] = {};
    for (int k = 0; k < steps; k++, step++) {
      int at = step % STAGES;
      await(&s.full[at], step / STAGES & 1);
      multiply_boxes<false>(d, s.stages[at][group - 1], s.stages[at][2]);
      if (threadIdx.x % GROUP == 0)
        arrive(&s.empty[at]);
    }
    lay_down(s.out[group - 1], d);
    asm volatile("fence.proxy.async;" ::: "memory");
    if (group == 1)
      meet<2>(GROUP);
    else
      meet<3>(GROUP);
    if (threadIdx.x % GROUP == 0)
      put(&c, tile % across * 64, tile / across * 128 + (group - 1) * 64, s.out[group - 1]);
    if (group == 1)
      meet<2>(GROUP);
    else
      meet<3>(GROUP);
  }
}

// --- two blocks of a cluster multiply different rows of A by the same rows of B, of which each fetches one half for both

template <int STAGES>
struct Pair {
  char stages[STAGES][2][BOX];
  u64 full[STAGES], empty[STAGES];
};

template <int STAGES>
__global__ void __cluster_dims__(2) __launch_bounds__(2 * GROUP)
multicast(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap half_b, float *c, int pitch, int steps) {
  extern __shared__ __align__(1024) char memory[];
  Pair<STAGES> &s = *(Pair<STAGES> *)memory;
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; i++)
      init(&s.full[i], 1), init(&s.empty[i], 2);
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
  if (threadIdx.x < GROUP) {
    if (threadIdx.x == 0)
      for (int k = 0; k < steps; k++) {
        int at = k % STAGES;
        await(&s.empty[at], k / STAGES + 1 & 1);
        expect(&s.full[at], 2 * BOX);
        fetch(s.stages[at][0], &a, k * 64, blockIdx.x * TILE, &s.full[at]);
        fetch_for(s.stages[at][1] + rank * BOX / 2, &half_b, k * 64, blockIdx.y * TILE + rank * TILE / 2, &s.full[at], 3);
      }
  } else {
    float d[32] = {};
    for (int k = 0; k < steps; k++) {
      int at = k % STAGES;
      await(&s.full[at], k / STAGES & 1);
      multiply_boxes<false>(d, s.stages[at][0], s.stages[at][1]);
      if (threadIdx.x % GROUP < 2)
        arrive_at(&s.empty[at], threadIdx.x % GROUP);
    }
    int lane = threadIdx.x % 32, row = blockIdx.x * TILE + threadIdx.x % GROUP / 32 * 16 + lane / 4;
    for (int i = 0; i < 32; i += 2)
      *(float2 *)&c[(row + i / 2 % 2 * 8) * pitch + blockIdx.y * TILE + i / 4 * 8 + lane % 4 * 2] = make_float2(d[i], d[i + 1]);
  }
  asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// --- attention of 64 rows by each of two warpgroups, which take turns: while one multiplies, the other one takes exponents

struct Attention {
  char q[2][BOX], k[2][BOX], v[2][BOX];
  u64 ready, full[2], empty[2];
};

__global__ void __launch_bounds__(3 * GROUP, 1)
attention(const __grid_constant__ CUtensorMap q, const __grid_constant__ CUtensorMap k, const __grid_constant__ CUtensorMap v, const __grid_constant__ CUtensorMap o, int steps) {
  extern __shared__ __align__(1024) char memory[];
  Attention &s = *(Attention *)memory;
  int group = threadIdx.x / GROUP;
  if (threadIdx.x == 0) {
    init(&s.ready, 1);
    for (int i = 0; i < 2; i++)
      init(&s.full[i], 1), init(&s.empty[i], 2);
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  __syncthreads();
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
    if (threadIdx.x == 0) {
      expect(&s.ready, 2 * BOX);
      for (int i = 0; i < 2; i++)
        fetch(s.q[i], &q, 0, (blockIdx.x * 2 + i) * TILE, &s.ready);
      for (int step = 0; step < steps; step++) {
        await(&s.empty[step & 1], step / 2 + 1 & 1);
        expect(&s.full[step & 1], 2 * BOX);
        fetch(s.k[step & 1], &k, 0, step * TILE, &s.full[step & 1]);
        fetch(s.v[step & 1], &v, 0, step * TILE, &s.full[step & 1]);
      }
    }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
  float d[32] = {}, most[2] = {-1e30f, -1e30f}, total[2] = {};
  if (group == 2)
    asm volatile("bar.arrive 1, 256;" ::: "memory");
  await(&s.ready, 0);
  for (int step = 0; step < steps; step++) {
    float p[32] = {};
    unsigned halves[16];
    await(&s.full[step & 1], step / 2 & 1);
    if (group == 1)
      meet<1>(2 * GROUP);
    else
      meet<2>(2 * GROUP);
    multiply_boxes<false>(p, s.q[group - 1], s.k[step & 1]);
    if (group == 1)
      asm volatile("bar.arrive 2, 256;" ::: "memory");
    else if (step + 1 < steps)
      asm volatile("bar.arrive 1, 256;" ::: "memory");
    for (int r = 0; r < 2; r++) {
      float m = most[r], sum = 0;
      for (int i = 0; i < 32; i++)
        m = i / 2 % 2 == r ? fmaxf(m, p[i]) : m;
      m = fmaxf(m, __shfl_xor_sync(~0u, m, 1)), m = fmaxf(m, __shfl_xor_sync(~0u, m, 2));
      float by = exp2f(most[r] - m);
      most[r] = m;
      for (int i = 0; i < 32; i++)
        if (i / 2 % 2 == r)
          p[i] = exp2f(p[i] - m), sum += p[i], d[i] *= by;
      total[r] = total[r] * by + sum;
    }
    for (int i = 0; i < 16; i++)
      halves[i] = two(p[2 * i], p[2 * i + 1]);
    begin();
    for (int i = 0; i < 4; i++)
      multiply(d, halves + i * 4, describe(place(s.v[step & 1]) + i * 16 * 128));
    finish_products();
    if (threadIdx.x % GROUP == 0)
      arrive(&s.empty[step & 1]);
  }
  for (int r = 0; r < 2; r++)
    total[r] += __shfl_xor_sync(~0u, total[r], 1), total[r] += __shfl_xor_sync(~0u, total[r], 2);
  for (int i = 0; i < 32; i++)
    d[i] /= total[i / 2 % 2];
  lay_down(s.q[group - 1], d);
  asm volatile("fence.proxy.async;" ::: "memory");
  if (group == 1)
    meet<3>(GROUP);
  else
    meet<4>(GROUP);
  if (threadIdx.x % GROUP == 0)
    put(&o, 0, (blockIdx.x * 2 + group - 1) * TILE, s.q[group - 1]);
}

// --- 8-bit numbers of two kinds: 64 x 64 sums a block

__global__ void __launch_bounds__(GROUP)
eights(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *c, int pitch, int steps) {
  extern __shared__ __align__(1024) char memory[];
  char(*boxes)[BOX] = (char(*)[BOX])memory;
  __shared__ u64 full;
  float d[32] = {};
  if (threadIdx.x == 0) {
    init(&full, 1);
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  __syncthreads();
  for (int k = 0; k < steps; k++) {
    if (threadIdx.x == 0) {
      expect(&full, 2 * BOX);
      fetch(boxes[0], &a, k * 128, blockIdx.x * TILE, &full);
      fetch(boxes[1], &b, k * 128, blockIdx.y * TILE, &full);
    }
    await(&full, k & 1);
    multiply_boxes<true>(d, boxes[0], boxes[1]); // made by all four warps, or by none: the boxes are free
  }
  int lane = threadIdx.x % 32, row = blockIdx.x * TILE + threadIdx.x / 32 * 16 + lane / 4;
  for (int i = 0; i < 32; i += 2)
    *(float2 *)&c[(row + i / 2 % 2 * 8) * pitch + blockIdx.y * TILE + i / 4 * 8 + lane % 4 * 2] = make_float2(d[i], d[i + 1]);
}

// --- the second kernel begins while the first one runs, and waits for what that writes

__global__ void
first(int *out, int n) {
  __shared__ int tile[32][33];
  asm volatile("griddepcontrol.launch_dependents;");
  for (int y = threadIdx.y; y < 32; y += blockDim.y)
    tile[y][threadIdx.x] = (blockIdx.x * 32 + y) * n + threadIdx.x;
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += blockDim.y)
    out[(blockIdx.x * 32 + y) * 32 + threadIdx.x] = tile[threadIdx.x][y];
}

__global__ void
second(int *out, const int *in, int n) {
  __shared__ int tile[32][32];
  for (int y = threadIdx.y; y < 32; y += blockDim.y)
    tile[y][threadIdx.x] = n;
  asm volatile("griddepcontrol.wait;" ::: "memory");
  for (int y = threadIdx.y; y < 32; y += blockDim.y)
    tile[y][threadIdx.x] += in[(blockIdx.x * 32 + y) * 32 + threadIdx.x];
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += blockDim.y)
    out[(blockIdx.x * 32 + y) * 32 + threadIdx.x] = tile[threadIdx.x][y];
}

// --- the host

typedef CUresult (*Encode)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *, const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
static Encode encode;

// Boxes of 128 bytes of @high rows of a matrix.
template <typename T>
static CUtensorMap
map_rows(const T *matrix, int rows, int columns, int high) {
  CUtensorMap map;
  cuuint64_t extents[] = {(cuuint64_t)columns, (cuuint64_t)rows}, strides[] = {columns * sizeof(T)};
  cuuint32_t box[] = {(cuuint32_t)(128 / sizeof(T)), (cuuint32_t)high}, steps[] = {1, 1};
  EXPECT(encode(&map, sizeof(T) == 1 ? CU_TENSOR_MAP_DATA_TYPE_UINT8 : CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, (void *)matrix, extents, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
  return map;
}

template <typename T>
static T *
allocate(size_t n) {
  T *memory = NULL;
  CHECK(cudaMallocManaged(&memory, n * sizeof(T)));
  CHECK(cudaMemset(memory, 0, n * sizeof(T)));
  CHECK(cudaDeviceSynchronize());
  return memory;
}

template <typename T>
static void
fill(T *numbers, int n, int seed) {
  for (int i = 0; i < n; i++)
    numbers[i] = (T)(float)((i * 29 + i / 128 * 5 + seed) % 9 - 4);
}

// How many sums are not those of rows of A times rows of B.
template <typename C, typename A, typename B>
static int
count_wrong(const C *c, const A *a, const B *b, int m, int n, int k) {
  int wrong = 0;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++) {
      float sum = 0;
      for (int l = 0; l < k; l++)
        sum += (float)a[i * k + l] * (float)b[j * k + l];
      wrong += (float)c[i * n + j] != sum;
    }
  return wrong;
}

template <typename K>
static void
allow(K kernel, size_t bytes) {
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
}

static void
test_products() {
  const int m = 384, n = 192, k = 256;
  __half *a = allocate<__half>(m * k), *b = allocate<__half>(n * k), *c = allocate<__half>(m * n);
  float *sums = allocate<float>(m * n);
  int *next = allocate<int>(1);
  fill(a, m * k, 1), fill(b, n * k, 2);
  allow(persistent<3>, sizeof(Persistent<3>)), allow(multicast<4>, sizeof(Pair<4>));
  persistent<3><<<4, 3 * GROUP, sizeof(Persistent<3>)>>>(map_rows(a, m, k, 64), map_rows(b, n, k, 64), map_rows(c, m, n, 64), next, n / 64, m / 128 * (n / 64), k / 64);
  CHECK(cudaDeviceSynchronize());
  printf("persistent: %d tiles and ends taken, %d wrong\n", *next, count_wrong(c, a, b, m, n, k));
  multicast<4><<<dim3(m / TILE, n / TILE), 2 * GROUP, sizeof(Pair<4>)>>>(map_rows(a, m, k, 64), map_rows(b, n, k, 32), sums, n, k / 64);
  CHECK(cudaDeviceSynchronize());
  printf("multicast: %d wrong\n", count_wrong(sums, a, b, m, n, k));
}

static void
test_attention() {
  const int rows = 256, keys = 320;
  __half *q = allocate<__half>(rows * 64), *k = allocate<__half>(keys * 64), *v = allocate<__half>(keys * 64), *o = allocate<__half>(rows * 64);
  fill(q, rows * 64, 1), fill(k, keys * 64, 2), fill(v, keys * 64, 3);
  for (int i = 0; i < keys * 64; i++)
    k[i] = (__half)((float)k[i] / 32);
  allow(attention, sizeof(Attention));
  attention<<<rows / 128, 3 * GROUP, sizeof(Attention)>>>(map_rows(q, rows, 64, 64), map_rows(k, keys, 64, 64), map_rows(v, keys, 64, 64), map_rows(o, rows, 64, 64), keys / 64);
  CHECK(cudaDeviceSynchronize());
  double worst = 0;
  for (int i = 0; i < rows; i++) {
    std::vector<double> p(keys);
    double total = 0;
    for (int j = 0; j < keys; j++) {
      double s = 0;
      for (int l = 0; l < 64; l++)
        s += (double)(float)q[i * 64 + l] * (double)(float)k[j * 64 + l];
      total += p[j] = exp2(s);
    }
    for (int l = 0; l < 64; l++) {
      double x = 0;
      for (int j = 0; j < keys; j++)
        x += p[j] * (double)(float)v[j * 64 + l];
      worst = std::fmax(worst, std::fabs(x / total - (double)(float)o[i * 64 + l]));
    }
  }
  printf("attention: %s\n", worst < 0.01 ? "right" : "wrong");
}

static void
test_eights() {
  const int m = 128, n = 128, k = 384;
  __nv_fp8_e4m3 *a = allocate<__nv_fp8_e4m3>(m * k);
  __nv_fp8_e5m2 *b = allocate<__nv_fp8_e5m2>(n * k);
  float *c = allocate<float>(m * n);
  fill(a, m * k, 1), fill(b, n * k, 2);
  allow(eights, 2 * BOX);
  eights<<<dim3(m / TILE, n / TILE), GROUP, 2 * BOX>>>(map_rows(a, m, k, 64), map_rows(b, n, k, 64), c, n, k / 128);
  CHECK(cudaDeviceSynchronize());
  printf("eights: %d wrong\n", count_wrong(c, a, b, m, n, k));
}

static void
test_dependents() {
  const int blocks = 6;
  int *between = allocate<int>(blocks * 1024), *out = allocate<int>(blocks * 1024), wrong = 0;
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = blocks;
  config.blockDim = dim3(32, 8);
  config.attrs = &attribute;
  config.numAttrs = 1;
  first<<<blocks, dim3(32, 8)>>>(between, 1000);
  CHECK(cudaLaunchKernelEx(&config, second, out, (const int *)between, 7));
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < blocks * 1024; i++)
    wrong += out[i] != i / 32 * 1000 + i % 32 + 7;
  printf("dependents: %d wrong\n", wrong);
}

int
main() {
  cudaDriverEntryPointQueryResult found;
  CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000, cudaEnableDefault, &found));
  test_products();
  test_attention();
  test_eights();
  test_dependents();
  return finish("hopper");
}
