// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Reductions in bulk (cp.reduce.async.bulk): from shared memory into global memory and into that of the other block of the
// cluster, all operations and types, of edge values and random ones. What they leave is what an H200 left (2026-11-28). Then reductions of many
// blocks into the same words, whatever they wait for, of bytes and of tensors: their results follow from arithmetic.
// nvcc: -gencode arch=compute_90,code=sm_90
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

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

// --- many blocks into the same words

enum { BLOCKS = 8, WAITS = 3 };

template <int wait> __device__ void await_reduction() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  if (wait == 1)
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
  if (wait == 2)
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// The number of each block, as each type has it; block 0 has 1.
template <typename T> __device__ T number_of_block() {
  return (T)(int)(blockIdx.x + 1);
}

#define MANY(X)                                                                                    \
  X(0, "add.u32", uint32_t, number_of_block<uint32_t>()) X(0, "add.s32", int, number_of_block<int>())   \
  X(0, "add.u64", uint64_t, number_of_block<uint64_t>())                                            \
  X(0, "add.noftz.f16", __half, __float2half(blockIdx.x + 1))                                       \
  X(0, "add.noftz.bf16", __nv_bfloat16, __float2bfloat16(blockIdx.x + 1))                           \
  X(0, "add.f32", float, number_of_block<float>()) X(0, "add.f64", double, number_of_block<double>())   \
  X(0xff, "min.u32", uint32_t, number_of_block<uint32_t>()) X(0, "min.s32", int, -number_of_block<int>()) \
  X(0x3f, "min.f16", __half, __float2half(blockIdx.x + 1)) X(0, "max.u32", uint32_t, number_of_block<uint32_t>()) \
  X(0, "max.s64", int64_t, number_of_block<int64_t>()) X(0, "max.bf16", __nv_bfloat16, __float2bfloat16(blockIdx.x + 1)) \
  X(0, "inc.u32", uint32_t, 5) X(0, "dec.u32", uint32_t, 5) X(0xff, "and.b32", uint32_t, ~(1u << blockIdx.x)) \
  X(0, "or.b64", uint64_t, 1ull << blockIdx.x) X(0, "xor.b32", uint32_t, number_of_block<uint32_t>())

template <int wait> __global__ void into_same(uint32_t *results) {
  __shared__ alignas(128) uint64_t data[BYTES / 8];
  uint32_t from = __cvta_generic_to_shared(data);
#define REDUCE(initial, operation, type, value)                                                    \
  {                                                                                                \
    uint32_t *to = results;                                                                        \
    for (int i = threadIdx.x; i < BYTES / (int)sizeof(type); i += blockDim.x)                      \
      ((type *)data)[i] = (type)(value);                                                           \
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");                                               \
    __syncthreads();                                                                               \
    if (threadIdx.x == 0) {                                                                        \
      asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." operation " [%0], [%1], %2;"  \
                   ::"l"(to), "r"(from), "r"(BYTES) : "memory");                                   \
      await_reduction<wait>();                                                                     \
      asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");                               \
    }                                                                                              \
    __syncthreads();                                                                               \
    results += WORDS;                                                                              \
  }
  MANY(REDUCE)
#undef REDUCE
}

template <int wait>
__global__ void into_tensor(const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) int data[WORDS];
  data[threadIdx.x] = (int)((blockIdx.x + 1) * threadIdx.x);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%0, {%1,%1}], [%2];" ::"l"(&map), "r"(0),
                 "r"((uint32_t)__cvta_generic_to_shared(data)) : "memory");
    await_reduction<wait>();
  }
}

#define NAME(operation) operation,
#define NAME_OF_MANY(initial, operation, type, value) operation,
#define INITIAL(initial, operation, type, value) initial,
static const char *const many_names[] = {MANY(NAME_OF_MANY)};
static const int initial_bytes[] = {MANY(INITIAL)};

static const char *const global_names[] = {GLOBAL(NAME)}, *const peer_names[] = {PEER(NAME)};

static void show(const char *where, const char *name, const uint32_t *words) {
  uint32_t sums[2] = {0, 0};
  for (uint32_t i = 0; i < WORDS; i++)
    sums[i / 16 % 2] = mix(sums[i / 16 % 2] ^ words[i]);
  printf("%s %s: %08x %08x, first %08x %08x %08x\n", where, name, sums[0], sums[1], words[0], words[1], words[16]);
}

// The first number of each, and how many others there are beside it.
static void show_same(int wait, const uint32_t *words) {
  for (size_t at = 0; at < sizeof many_names / sizeof *many_names; at++) {
    int others = 0;
    for (int i = 0; i < WORDS; i++)
      others += words[at * WORDS + i] != words[at * WORDS + i % 2];
    printf("%d blocks, wait %d, %s: %08x %08x, others %d\n", BLOCKS, wait, many_names[at], words[at * WORDS], words[at * WORDS + 1], others);
  }
}

static void reduce_many(uint32_t *results) {
  static void (*const kernels[WAITS])(uint32_t *) = {into_same<0>, into_same<1>, into_same<2>};
  static void (*const tensor_kernels[WAITS])(CUtensorMap) = {into_tensor<0>, into_tensor<1>, into_tensor<2>};
  const int n = sizeof many_names / sizeof *many_names;
  static uint32_t words[n * WORDS];
  decltype(&cuTensorMapEncodeTiled) encode;
  cudaDriverEntryPointQueryResult found;
  CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", (void **)&encode, 12000, cudaEnableDefault, &found));
  CUtensorMap map;
  const cuuint64_t extents[] = {32, WORDS / 32}, strides[] = {128};
  const cuuint32_t box[] = {32, WORDS / 32}, steps[] = {1, 1};
  if (encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, results, extents, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
             CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
    printf("the map is refused\n");
  for (int wait = 0; wait < WAITS; wait++) {
    for (int at = 0; at < n; at++)
      CHECK(cudaMemset(results + at * WORDS, initial_bytes[at], BYTES));
    kernels[wait]<<<BLOCKS, 64>>>(results);
    CHECK(cudaMemcpy(words, results, sizeof words, cudaMemcpyDeviceToHost));
    show_same(wait, words);
    CHECK(cudaMemset(results, 0, BYTES));
    tensor_kernels[wait]<<<BLOCKS, WORDS>>>(map);
    CHECK(cudaMemcpy(words, results, BYTES, cudaMemcpyDeviceToHost));
    printf("%d blocks, wait %d, a tensor: %d %d %d\n", BLOCKS, wait, words[0], words[1], words[WORDS - 1]);
  }
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
  reduce_many(results);
}
