// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Kernels whose blocks reach the shared memory of the other blocks of their cluster, and whose time is measured. What they computed is
// printed, for `smembank run` to compare with a device.
#include <cooperative_groups.h>

#include "launch.h"

namespace cg = cooperative_groups;
typedef unsigned long long u64;
enum { THREADS = 256, BINS = 4096, TILE = 4096 };

__device__ static unsigned place(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ static unsigned mapped(const void *p, unsigned rank) {
  unsigned there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(place(p)), "r"(rank));
  return there;
}
__device__ static void await(u64 *b, unsigned parity) {
  asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1; @p bra D; bra W; D: }" ::"r"(place(b)), "r"(parity) : "memory");
}

// Each block of a cluster has a part of the bins.
template <int BLOCKS> __global__ void histogram(unsigned *o, const unsigned *in, int n) {
  __shared__ unsigned own[BINS / BLOCKS];
  cg::cluster_group cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < BINS / BLOCKS; i += THREADS) own[i] = 0;
  cluster.sync();
  for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS) {
    unsigned bin = in[i] * 2654435761u >> 20;
    atomicAdd(cluster.map_shared_rank(own, bin / (BINS / BLOCKS)) + bin % (BINS / BLOCKS), 1);
  }
  cluster.sync();
  for (int i = threadIdx.x; i < BINS / BLOCKS; i += THREADS) atomicAdd(&o[cluster.block_rank() * (BINS / BLOCKS) + i], own[i]);
}

// Each block adds up the tiles of all blocks of its cluster, lane by lane, as words or as vectors.
template <typename T, int STRIDE> __global__ void gather(float *o, const float *in, int turns) {
  __shared__ __align__(16) float tile[TILE];
  cg::cluster_group cluster = cg::this_cluster();
  const unsigned n = cluster.num_blocks(), rank = cluster.block_rank();
  const int per = TILE * 4 / (int)sizeof(T), t = threadIdx.x;
  for (int i = t; i < TILE; i += THREADS) tile[i] = in[(size_t)blockIdx.x * TILE + i];
  cluster.sync();
  float sum = 0;
  for (int turn = 0; turn < turns; turn++)
    for (unsigned k = 1; k < n; k++) {
      const T *there = (const T *)cluster.map_shared_rank(tile, (rank + k) % n);
      for (int i = 0; i < 8; i++) {
        T x = there[(t * STRIDE + (i + turn) * THREADS) % per];
        sum += *(float *)&x;
      }
    }
  cluster.sync();
  o[blockIdx.x * THREADS + t] = sum;
}

// Columns of a tile become rows of another block's: stores.
template <int STRIDE> __global__ void scatter(float *o, const float *in, int turns) {
  __shared__ float tile[TILE];
  cg::cluster_group cluster = cg::this_cluster();
  float *there = cluster.map_shared_rank(tile, (cluster.block_rank() + 1) % cluster.num_blocks());
  cluster.sync();
  for (int turn = 0; turn < turns; turn++)
    for (int i = 0; i < 8; i++) there[(threadIdx.x * STRIDE + (i + turn) * THREADS) % TILE] = in[blockIdx.x * THREADS + threadIdx.x] + i;
  cluster.sync();
  o[blockIdx.x * THREADS + threadIdx.x] = tile[threadIdx.x * STRIDE % TILE];
}

// A tile goes round the cluster by copies in bulk, and all add it to their own.
template <int BYTES> __global__ void ring(float *o, const float *in, int turns) {
  extern __shared__ __align__(128) float tiles[];
  __shared__ u64 full[2];
  cg::cluster_group cluster = cg::this_cluster();
  const unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  const int words = BYTES / 4, t = threadIdx.x;
  if (t == 0)
    for (int s = 0; s < 2; s++) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(place(&full[s])));
  for (int i = t; i < words; i += THREADS) tiles[i] = in[(size_t)blockIdx.x * words + i];
  asm volatile("fence.mbarrier_init.release.cluster; fence.proxy.async;");
  cluster.sync();
  float sum = 0;
  for (int turn = 0; turn < turns; turn++) {
    int from = turn & 1, to = from ^ 1;
    if (t == 0) {
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(place(&full[to])), "r"(BYTES) : "memory");
      asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(mapped(tiles + to * words, next)), "r"(place(tiles + from * words)), "r"(BYTES), "r"(mapped(&full[to], next)) : "memory");
    }
    for (int i = t; i < words; i += THREADS) sum += tiles[from * words + i];
    await(&full[to], turn / 2 & 1);
    cluster.sync();
  }
  o[blockIdx.x * THREADS + t] = sum;
}

// Each block fetches its part of what all of its cluster read.
template <int BYTES> __global__ void shared_fetch(float *o, const char *in, int turns) {
  extern __shared__ __align__(128) float tiles[];
  __shared__ u64 full[2];
  cg::cluster_group cluster = cg::this_cluster();
  const unsigned n = cluster.num_blocks(), rank = cluster.block_rank();
  const int part = BYTES / n, t = threadIdx.x;
  if (t == 0)
    for (int s = 0; s < 2; s++) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(place(&full[s])));
  asm volatile("fence.mbarrier_init.release.cluster; fence.proxy.async;");
  cluster.sync();
  const char *from = in + (size_t)(blockIdx.x / n) * turns * BYTES + rank * part;
  auto fetch = [&](int turn) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(place(&full[turn & 1])), "r"(BYTES) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(place(tiles) + (turn & 1) * BYTES + rank * part), "l"(from + (size_t)turn * BYTES), "r"(part), "r"(place(&full[turn & 1])), "h"((unsigned short)((1 << n) - 1)) : "memory");
  };
  if (t == 0) fetch(0);
  float sum = 0;
  for (int turn = 0; turn < turns; turn++) {
    await(&full[turn & 1], turn / 2 & 1);
    if (turn + 1 < turns && t == 0) fetch(turn + 1);
    for (int i = t; i < BYTES / 4; i += THREADS) sum += tiles[(turn & 1) * (BYTES / 4) + i];
    cluster.sync();
  }
  o[blockIdx.x * THREADS + t] = sum;
}

template <typename... P, typename... A> static void launch_clusters(void (*kernel)(P...), unsigned cluster, unsigned grid, size_t shared, A... arguments) {
  CHECK(cudaMemset(out_a, 0, buffer_bytes));
  if (shared > 48 << 10) CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
  cudaLaunchConfig_t config = {};
  config.gridDim = grid, config.blockDim = THREADS, config.dynamicSmemBytes = shared;
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster, attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  config.attrs = &attribute, config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, kernel, P(arguments)...));
  CHECK(cudaDeviceSynchronize());
}

static double sum_of(size_t n) {
  std::vector<float> out(n);
  double sum = 0;
  CHECK(cudaMemcpy(out.data(), out_a, n * 4, cudaMemcpyDeviceToHost));
  for (float x : out) sum += x;
  return sum;
}

int main() {
  make_memory();
  const int n = 1 << 20;
  auto bins = [&](const char *name) {
    std::vector<unsigned> out(BINS);
    unsigned long long all = 0;
    unsigned most = 0;
    CHECK(cudaMemcpy(out.data(), out_a, BINS * 4, cudaMemcpyDeviceToHost));
    for (unsigned x : out) all += x, most = x > most ? x : most;
    printf("%s: %llu of %d, %u in one bin\n", name, all, n, most);
  };
  launch_clusters(histogram<2>, 2, 256, 0, (unsigned *)out_a, indices, n), bins("histogram in 2");
  launch_clusters(histogram<8>, 8, 256, 0, (unsigned *)out_a, indices, n), bins("histogram in 8");
  launch_clusters(gather<float, 1>, 4, 256, 0, out_a, in_a, 16), printf("gather: %.1f\n", sum_of(256 * THREADS));
  launch_clusters(gather<float, 9>, 2, 128, 0, out_a, in_a, 32), printf("gather at 9: %.1f\n", sum_of(128 * THREADS));
  launch_clusters(gather<float4, 1>, 2, 256, 0, out_a, in_a, 32), printf("gather of vectors: %.1f\n", sum_of(256 * THREADS));
  launch_clusters(scatter<1>, 2, 256, 0, out_a, in_a, 64), printf("scatter: %.1f\n", sum_of(256 * THREADS));
  launch_clusters(scatter<33>, 4, 256, 0, out_a, in_a, 16), printf("scatter at 33: %.1f\n", sum_of(256 * THREADS));
  launch_clusters(ring<16384>, 4, 128, 2 * 16384, out_a, in_a, 32), printf("ring: %.1f\n", sum_of(128 * THREADS));
  launch_clusters(shared_fetch<32768>, 2, 128, 2 * 32768, out_a, (const char *)in_a, 16), printf("shared fetch: %.1f\n", sum_of(128 * THREADS));
  launch_clusters(shared_fetch<32768>, 4, 128, 2 * 32768, out_a, (const char *)in_a, 16), printf("shared fetch in 4: %.1f\n", sum_of(128 * THREADS));
  return 0;
}
