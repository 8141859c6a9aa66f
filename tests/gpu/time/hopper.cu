// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Kernels of Hopper's kind whose time is measured: warps that copy in bulk while others compute, barriers in shared memory, products of
// warpgroups, barriers of a part of a block, products in double precision. Matrices lie in global memory as tiles of 64 numbers a row, of 16
// bits, whose 16-byte units are swapped as wgmma wants them; what is in them does not matter here.
#include <cuda_fp16.h>

#include "launch.h"

typedef unsigned long long u64;
enum { ROW_BYTES = 128, GROUP = 128 };

__device__ static unsigned place(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ static void init(u64 *b, unsigned n) { asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(place(b)), "r"(n)); }
__device__ static void arrive(u64 *b) { asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(place(b)) : "memory"); }
__device__ static void expect(u64 *b, unsigned n) { asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(place(b)), "r"(n) : "memory"); }
__device__ static void await(u64 *b, unsigned parity) {
  asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @p bra D; bra W; D: }" ::"r"(place(b)), "r"(parity) : "memory");
}
__device__ static void fetch(void *to, const void *from, unsigned bytes, u64 *b) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(place(to)), "l"(from), "r"(bytes), "r"(place(b)) : "memory");
}
__device__ static u64 describe(unsigned at) { return (at & 0x3ffff) >> 4 | (u64)1 << 16 | (u64)64 << 32 | (u64)1 << 62; }
__device__ static void fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ static void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int N> __device__ static void wait() { asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory"); }

#define SUMS8(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), "+f"(d[i + 7])
#define SUMS32(d, i) SUMS8(d, i), SUMS8(d, i + 8), SUMS8(d, i + 16), SUMS8(d, i + 24)
#define LIST32 "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define LIST64 LIST32 ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
__device__ static void multiply128(float (&d)[64], u64 a, u64 b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" LIST64 "}, %64, %65, 1, 1, 1, 0, 0;" : SUMS32(d, 0), SUMS32(d, 32) : "l"(a), "l"(b));
}
__device__ static void multiply64(float (&d)[32], u64 a, u64 b, int sums) {
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %34, 0; wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {" LIST32 "}, %32, %33, p, 1, 1, 0, 0; }" : SUMS32(d, 0) : "l"(a), "l"(b), "r"(sums));
}
__device__ static void multiply64(float (&d)[32], const unsigned *a, u64 b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {" LIST32 "}, {%32,%33,%34,%35}, %36, 1, 1, 1, 1;" : SUMS32(d, 0) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

// 128 x 128 sums a block: one thread fetches, STAGES ahead; two warpgroups multiply, 64 rows each.
template <int STAGES> __global__ void __launch_bounds__(3 * GROUP) product_bulk(float *o, const char *a, const char *b, int steps) {
  extern __shared__ __align__(1024) char tiles[];
  __shared__ u64 full[STAGES], empty[STAGES];
  const int bytes = 128 * ROW_BYTES, group = threadIdx.x / GROUP;
  if (threadIdx.x == 0)
    for (int s = 0; s < STAGES; s++) init(&full[s], 1), init(&empty[s], 2);
  asm volatile("fence.mbarrier_init.release.cluster; fence.proxy.async;");
  __syncthreads();
  if (group == 0) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 0)
      for (int k = 0; k < steps; k++) {
        int s = k % STAGES;
        if (k >= STAGES) await(&empty[s], k / STAGES + 1 & 1);
        expect(&full[s], 2 * bytes);
        fetch(tiles + s * 2 * bytes, a + ((size_t)blockIdx.y * steps + k) * bytes, bytes, &full[s]);
        fetch(tiles + s * 2 * bytes + bytes, b + ((size_t)blockIdx.x * steps + k) * bytes, bytes, &full[s]);
      }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  float d[64] = {};
  for (int k = 0; k < steps; k++) {
    int s = k % STAGES;
    await(&full[s], k / STAGES & 1);
    unsigned left = place(tiles + s * 2 * bytes) + (group - 1) * 64 * ROW_BYTES, right = place(tiles + s * 2 * bytes + bytes);
    fence();
    for (int i = 0; i < 4; i++) multiply128(d, describe(left + i * 32), describe(right + i * 32));
    commit();
    wait<0>();
    if (threadIdx.x % GROUP == 0) arrive(&empty[s]);
  }
  float *mine = o + ((size_t)(blockIdx.y * gridDim.x + blockIdx.x) * 2 + group - 1) * 64 * GROUP + threadIdx.x % GROUP;
  for (int i = 0; i < 64; i++) mine[i * GROUP] = d[i];
}

// Attention of 64 rows a warpgroup, two of them, over keys and values of 64 rows of 64 numbers.
template <int STAGES> __global__ void __launch_bounds__(3 * GROUP) attention(float *o, const char *q, const char *keys, const char *values, int steps) {
  extern __shared__ __align__(1024) char tiles[];
  __shared__ u64 full[STAGES], empty[STAGES], ready;
  const int bytes = 64 * ROW_BYTES, group = threadIdx.x / GROUP;
  char *stages = tiles + 2 * bytes;
  if (threadIdx.x == 0) {
    init(&ready, 1);
    for (int s = 0; s < STAGES; s++) init(&full[s], 1), init(&empty[s], 2);
  }
  asm volatile("fence.mbarrier_init.release.cluster; fence.proxy.async;");
  __syncthreads();
  if (group == 0) {
    if (threadIdx.x == 0) {
      expect(&ready, 2 * bytes);
      fetch(tiles, q + (size_t)blockIdx.x * 2 * bytes, 2 * bytes, &ready);
      for (int k = 0; k < steps; k++) {
        int s = k % STAGES;
        if (k >= STAGES) await(&empty[s], k / STAGES + 1 & 1);
        expect(&full[s], 2 * bytes);
        fetch(stages + s * 2 * bytes, keys + ((size_t)blockIdx.y * steps + k) * bytes, bytes, &full[s]);
        fetch(stages + s * 2 * bytes + bytes, values + ((size_t)blockIdx.y * steps + k) * bytes, bytes, &full[s]);
      }
    }
    return;
  }
  float sums[32] = {}, most[2] = {-1e30f, -1e30f}, total[2] = {};
  unsigned left = place(tiles) + (group - 1) * bytes;
  await(&ready, 0);
  for (int k = 0; k < steps; k++) {
    int s = k % STAGES;
    float p[32];
    unsigned halves[16], right = place(stages + s * 2 * bytes);
    await(&full[s], k / STAGES & 1);
    for (int i = 0; i < 32; i++) p[i] = 0;
    fence();
    for (int i = 0; i < 4; i++) multiply64(p, describe(left + i * 32), describe(right + i * 32), i);
    commit();
    wait<0>();
    for (int r = 0; r < 2; r++) {
      float m = most[r];
      for (int i = 0; i < 32; i++)
        if (i / 2 % 2 == r) m = fmaxf(m, p[i]);
      m = fmaxf(m, __shfl_xor_sync(~0u, m, 1)), m = fmaxf(m, __shfl_xor_sync(~0u, m, 2));
      float by = exp2f(most[r] - m), sum = 0;
      most[r] = m;
      for (int i = 0; i < 32; i++)
        if (i / 2 % 2 == r) p[i] = exp2f(p[i] - m), sum += p[i], sums[i] *= by;
      total[r] = total[r] * by + sum;
    }
    for (int i = 0; i < 16; i++) {
      __half2 h = __floats2half2_rn(p[2 * i], p[2 * i + 1]);
      halves[i] = *(unsigned *)&h;
    }
    fence();
    for (int i = 0; i < 4; i++) multiply64(sums, halves + i * 4, describe(right + bytes + i * 16 * ROW_BYTES));
    commit();
    wait<0>();
    if (threadIdx.x % GROUP == 0) arrive(&empty[s]);
  }
  float *mine = o + (((size_t)blockIdx.y * gridDim.x + blockIdx.x) * 2 + group - 1) * 32 * GROUP + threadIdx.x % GROUP;
  for (int i = 0; i < 32; i++) mine[i * GROUP] = sums[i] / total[i / 2 % 2];
}

// Through shared memory and back, in bulk, STAGES of BYTES in flight; each is changed on its way.
template <int STAGES, int BYTES> __global__ void copy_bulk(char *o, const char *in, int steps) {
  extern __shared__ __align__(1024) char tiles[];
  __shared__ u64 full[STAGES];
  if (threadIdx.x == 0)
    for (int s = 0; s < STAGES; s++) init(&full[s], 1);
  asm volatile("fence.mbarrier_init.release.cluster; fence.proxy.async;");
  __syncthreads();
  const char *from = in + (size_t)blockIdx.x * steps * BYTES;
  char *to = o + (size_t)blockIdx.x * steps * BYTES;
  for (int k = 0; k < STAGES - 1 && threadIdx.x == 0; k++) expect(&full[k], BYTES), fetch(tiles + k * BYTES, from + (size_t)k * BYTES, BYTES, &full[k]);
  for (int k = 0; k < steps; k++) {
    int s = k % STAGES, next = k + STAGES - 1;
    await(&full[s], k / STAGES & 1);
    for (int i = threadIdx.x; i < BYTES / 16; i += blockDim.x) {
      float4 *at = (float4 *)(tiles + s * BYTES) + i, x = *at;
      *at = make_float4(x.x + 1, x.y + 1, x.z + 1, x.w + 1);
    }
    asm volatile("fence.proxy.async;");
    __syncthreads();
    if (threadIdx.x == 0) {
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2; cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;" ::"l"(to + (size_t)k * BYTES), "r"(place(tiles + s * BYTES)), "r"(BYTES) : "memory");
      if (next < steps) expect(&full[next % STAGES], BYTES), fetch(tiles + next % STAGES * BYTES, from + (size_t)next * BYTES, BYTES, &full[next % STAGES]);
    }
  }
}

// All threads copy by cp.async, whose arrivals complete a barrier in shared memory; then all of them read what others copied.
template <int STAGES> __global__ void pipeline(float *o, const float4 *in, int steps) {
  __shared__ float4 tiles[STAGES][256];
  __shared__ u64 full[STAGES], empty[STAGES];
  int t = threadIdx.x;
  if (t == 0)
    for (int s = 0; s < STAGES; s++) init(&full[s], 256), init(&empty[s], 256);
  __syncthreads();
  const float4 *from = in + (size_t)blockIdx.x * steps * 256 + t;
  auto copy = [&](int k) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16; cp.async.mbarrier.arrive.noinc.shared.b64 [%2];" ::"r"(place(&tiles[k % STAGES][t])), "l"(from + (size_t)k * 256), "r"(place(&full[k % STAGES])) : "memory");
  };
  for (int k = 0; k < STAGES - 1; k++) copy(k);
  float sum = 0;
  for (int k = 0; k < steps; k++) {
    int s = k % STAGES, next = k + STAGES - 1;
    if (next < steps) {
      if (next >= STAGES) await(&empty[next % STAGES], next / STAGES + 1 & 1);
      copy(next);
    }
    await(&full[s], k / STAGES & 1);
    for (int i = 0; i < 8; i++) {
      float4 x = tiles[s][(t * 9 + i * 32) % 256];
      sum += x.x * x.y + x.z * x.w;
    }
    arrive(&empty[s]);
  }
  o[blockIdx.x * 256 + t] = sum;
}

// Four warps load and store to shared memory, four others read; a barrier of all eight for each of two buffers in each direction.
__global__ void named(float *o, const float *in, int steps, int work) {
  __shared__ float tiles[2][1024];
  int t = threadIdx.x, mine = t % GROUP;
  const float *from = in + (size_t)blockIdx.x * steps * 1024;
  if (t < GROUP) {
    for (int k = 0; k < steps; k++) {
      int s = k & 1;
      float x[8];
      for (int i = 0; i < 8; i++) x[i] = from[(size_t)k * 1024 + i * GROUP + mine];
      if (k >= 2) asm volatile("bar.sync %0, 256;" ::"r"(3 + s) : "memory");
      for (int i = 0; i < 8; i++) tiles[s][i * GROUP + mine] = x[i];
      asm volatile("bar.arrive %0, 256;" ::"r"(1 + s) : "memory");
    }
    return;
  }
  float sum = 0;
  for (int k = 0; k < steps; k++) {
    int s = k & 1;
    asm volatile("bar.sync %0, 256;" ::"r"(1 + s) : "memory");
    for (int w = 0; w < work; w++)
      for (int i = 0; i < 8; i++) sum = fmaf(tiles[s][(i * GROUP + mine * 3 + w) % 1024], 1.01f, sum);
    if (k + 2 < steps) asm volatile("bar.arrive %0, 256;" ::"r"(3 + s) : "memory");
  }
  o[blockIdx.x * GROUP + mine] = sum;
}

// Products in double precision, of 16 x 8 x DEPTH.
template <int DEPTH> __global__ void doubles(double *o, const double *in, int n) {
  double d[2][4] = {}, a[8], b[4];
  for (int i = 0; i < 8; i++) a[i] = in[threadIdx.x + i * 32];
  for (int i = 0; i < 4; i++) b[i] = in[threadIdx.x + i * 64];
  for (int k = 0; k < n; k++)
    for (int c = 0; c < 2; c++) {
      if (DEPTH == 4) asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};" : "+d"(d[c][0]), "+d"(d[c][1]), "+d"(d[c][2]), "+d"(d[c][3]) : "d"(a[0]), "d"(a[1]), "d"(b[0]));
      if (DEPTH == 8) asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+d"(d[c][0]), "+d"(d[c][1]), "+d"(d[c][2]), "+d"(d[c][3]) : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
      if (DEPTH == 16) asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%0,%1,%2,%3};" : "+d"(d[c][0]), "+d"(d[c][1]), "+d"(d[c][2]), "+d"(d[c][3]) : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
    }
  o[blockIdx.x * blockDim.x + threadIdx.x] = d[0][0] + d[0][1] + d[0][2] + d[0][3] + d[1][0] + d[1][1] + d[1][2] + d[1][3];
}

int main() {
  make_memory();
  char *a = (char *)in_a, *b = (char *)in_b, *o = (char *)out_a;
  const int stage = 2 * 128 * ROW_BYTES, tile = 64 * ROW_BYTES;
  launch(product_bulk<4>, dim3(16, 16), 3 * GROUP, 4 * stage, out_a, a, b, 32), launch(product_bulk<2>, dim3(16, 16), 3 * GROUP, 2 * stage, out_a, a, b, 32), launch(product_bulk<6>, dim3(12, 11), 3 * GROUP, 6 * stage, out_a, a, b, 64);
  launch(attention<2>, dim3(32, 16), 3 * GROUP, 7 * tile, out_a, a, b, b + (32 << 20), 32), launch(attention<4>, dim3(16, 32), 3 * GROUP, 10 * tile, out_a, a, b, b + (32 << 20), 64);
  launch(copy_bulk<4, 8192>, 528, 128, 4 * 8192, o, a, 8), launch(copy_bulk<3, 16384>, 264, 256, 4 * 16384, o, a, 12), launch(copy_bulk<2, 2048>, 1024, 128, 2 * 2048, o, a, 16);
  launch(pipeline<4>, 528, 256, 0, out_a, (float4 *)in_a, 24), launch(pipeline<2>, 1056, 256, 0, out_a, (float4 *)in_a, 12);
  launch(named, 528, 2 * GROUP, 0, out_a, in_a, 24, 2), launch(named, 264, 2 * GROUP, 0, out_a, in_a, 48, 8);
  launch(doubles<4>, 264, 256, 0, (double *)out_a, (double *)in_a, 256), launch(doubles<8>, 264, 256, 0, (double *)out_a, (double *)in_a, 256), launch(doubles<16>, 132, 128, 0, (double *)out_a, (double *)in_a, 256);
  return 0;
}
