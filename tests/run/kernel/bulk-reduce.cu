// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Reductions in bulk (cp.reduce.async.bulk): from shared memory into global memory and into that of the other block of the
// cluster, all operations and types, of edge values and random ones. What they leave is what an H200 left (2026-11-28).
// nvcc: -gencode arch=compute_90,code=sm_90
#include <cstdio>
#include <cstdint>

#include "../check.h"

enum { BYTES = 512, WORDS = BYTES / 4 };

// Random bits; of every second group of words numbers that are near 1 as a half, a float or a double.
static __host__ __device__ uint32_t mix(uint32_t x) {
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}
static __host__ __device__ uint32_t word(uint32_t seed, uint32_t i) {
  uint32_t bits = mix(seed * 1024 + i);
  return i / 16 % 2 ? (bits & 0x83ff83ffu) | 0x3c003c00u : i / 32 % 4 == 3 ? bits & 0x800f800fu : bits;
}

#define TO_GLOBAL(operation)                                                                       \
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." operation " [%0], [%1], %2;"  \
               ::"l"(to), "r"(from), "r"(BYTES) : "memory");                                       \
  asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory")
#define TO_PEER(operation)                                                                         \
  asm volatile("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes." operation \
               " [%0], [%1], %2, [%3];" ::"r"(peer), "r"(from), "r"(BYTES), "r"(barrier) : "memory")

#define GLOBAL(X)                                                                                  \
  X("add.u32") X("add.s32") X("add.u64") X("add.noftz.f16") X("add.noftz.bf16") X("add.f32") X("add.f64") \
  X("min.u32") X("min.s32") X("min.u64") X("min.s64") X("min.f16") X("min.bf16")                  \
  X("max.u32") X("max.s32") X("max.u64") X("max.s64") X("max.f16") X("max.bf16")                  \
  X("inc.u32") X("dec.u32") X("and.b32") X("and.b64") X("or.b32") X("or.b64") X("xor.b32") X("xor.b64")
#define PEER(X)                                                                                    \
  X("add.u32") X("add.s32") X("add.u64") X("min.u32") X("min.s32") X("max.u32") X("max.s32")     \
  X("inc.u32") X("dec.u32") X("and.b32") X("or.b32") X("xor.b32")

__global__ void into_global(uint32_t *results) {
  __shared__ alignas(128) uint32_t data[WORDS];
  uint32_t from = __cvta_generic_to_shared(data), at = 0;
#define REDUCE(operation)                                                                          \
  {                                                                                                \
    uint32_t *to = results + at * WORDS;                                                           \
    data[threadIdx.x] = word(2 * at, threadIdx.x);                                                 \
    asm volatile("fence.proxy.async;" ::: "memory");                                               \
    __syncthreads();                                                                               \
    if (threadIdx.x == 0) {                                                                        \
      TO_GLOBAL(operation);                                                                        \
    }                                                                                              \
    __syncthreads();                                                                               \
    at++;                                                                                          \
  }
  GLOBAL(REDUCE)
#undef REDUCE
}

__global__ __cluster_dims__(2) void into_peer(uint32_t *results) {
  __shared__ alignas(128) uint32_t data[WORDS], target[WORDS];
  __shared__ uint64_t bar;
  uint32_t from = __cvta_generic_to_shared(data), peer, barrier, own = __cvta_generic_to_shared(&bar);
  uint32_t rank = blockIdx.x, at = 0;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(peer) : "r"((uint32_t)__cvta_generic_to_shared(target)), "r"(rank ^ 1));
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(barrier) : "r"(own), "r"(rank ^ 1));
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(own));
#define REDUCE(operation)                                                                          \
  {                                                                                                \
    data[threadIdx.x] = word(2 * at + 100 + 64 * rank, threadIdx.x);                               \
    target[threadIdx.x] = word(2 * at + 101 + 64 * rank, threadIdx.x);                             \
    if (threadIdx.x == 0)                                                                          \
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(own), "r"(BYTES));    \
    asm volatile("fence.proxy.async; fence.mbarrier_init.release.cluster; barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory"); \
    if (threadIdx.x == 0) {                                                                        \
      TO_PEER(operation);                                                                          \
    }                                                                                              \
    asm volatile("{.reg .pred p; w%=: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @!p bra w%=;}" ::"r"(own), "r"(at & 1) : "memory"); \
    results[(2 * at + rank) * WORDS + threadIdx.x] = target[threadIdx.x];                          \
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");                    \
    at++;                                                                                          \
  }
  PEER(REDUCE)
#undef REDUCE
}

#define NAME(operation) operation,
static const char *const global_names[] = {GLOBAL(NAME)}, *const peer_names[] = {PEER(NAME)};

static void show(const char *where, const char *name, const uint32_t *words) {
  uint32_t sums[2] = {0, 0};
  for (uint32_t i = 0; i < WORDS; i++)
    sums[i / 16 % 2] = mix(sums[i / 16 % 2] ^ words[i]);
  printf("%s %s: %08x %08x, first %08x %08x %08x\n", where, name, sums[0], sums[1], words[0], words[1], words[16]);
}

int main() {
  const int n = sizeof global_names / sizeof *global_names, m = sizeof peer_names / sizeof *peer_names;
  static uint32_t words[64 * WORDS];
  uint32_t *results;
  CHECK(cudaMalloc(&results, sizeof words));
  for (uint32_t at = 0; at < n; at++)
    for (uint32_t i = 0; i < WORDS; i++)
      words[at * WORDS + i] = word(2 * at + 1, i);
  CHECK(cudaMemcpy(results, words, sizeof words, cudaMemcpyHostToDevice));
  into_global<<<1, WORDS>>>(results);
  CHECK(cudaMemcpy(words, results, sizeof words, cudaMemcpyDeviceToHost));
  for (int at = 0; at < n; at++)
    show("global", global_names[at], words + at * WORDS);
  into_peer<<<2, WORDS>>>(results);
  CHECK(cudaMemcpy(words, results, sizeof words, cudaMemcpyDeviceToHost));
  for (int at = 0; at < 2 * m; at++)
    show(at % 2 ? "block 1" : "block 0", peer_names[at / 2], words + at * WORDS);
}
