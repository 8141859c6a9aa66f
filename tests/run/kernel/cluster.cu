// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Blocks of a cluster, which reach the shared memory of each other: loads, stores, atomics, asynchronous stores and copies; their
// barrier, whole and in two halves; where they are.
#include <cooperative_groups.h>

#include "../check.h"
namespace cg = cooperative_groups;

enum {
  THREADS = 64,
  BINS = 1024,
};

__device__ static unsigned
offset_of(const void *pointer) {
  return (unsigned)__cvta_generic_to_shared(pointer);
}

__device__ static unsigned
map_offset(const void *pointer, unsigned rank) {
  unsigned mapped;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(offset_of(pointer)), "r"(rank));
  return mapped;
}

__device__ static void
init_barrier(unsigned long long *barrier, unsigned count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(offset_of(barrier)), "r"(count) : "memory");
}

__device__ static void
expect_bytes(unsigned long long *barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(offset_of(barrier)), "r"(bytes) : "memory");
}

__device__ static void
await(unsigned long long *barrier, unsigned parity) {
  unsigned done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(done) : "r"(offset_of(barrier)), "r"(parity) : "memory");
}

// Each bin is in the shared memory of one block.
__global__ void
histogram(int *bins, int per_block, const int *in, int n) {
  extern __shared__ int own[];
  cg::cluster_group cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < per_block; i += blockDim.x)
    own[i] = 0;
  cluster.sync();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int *there = cluster.map_shared_rank(own, in[i] / per_block);
    atomicAdd(there + in[i] % per_block, 1);
  }
  cluster.sync();
  for (int i = threadIdx.x; i < per_block; i += blockDim.x)
    atomicAdd(&bins[cluster.block_rank() * per_block + i], own[i]);
}

// Round the ring, with the barrier in halves.
__global__ void __cluster_dims__(4, 1, 1)
ring(int *out) {
  __shared__ int value[2][THREADS];
  cg::cluster_group cluster = cg::this_cluster();
  unsigned rank = cluster.block_rank(), n = cluster.num_blocks();
  value[0][threadIdx.x] = 100 * rank + threadIdx.x;
  int sum = 0;
  for (unsigned step = 0; step < n; step++) {
    cluster.barrier_arrive();
    sum += step; // beside
    cluster.barrier_wait();
    int got = *cluster.map_shared_rank(&value[step % 2][threadIdx.x], (rank + 1) % n);
    sum += got;
    value[(step + 1) % 2][threadIdx.x] = got + 1;
  }
  cluster.sync();
  out[blockIdx.x * THREADS + threadIdx.x] = sum;
}

__device__ static void
reduce_at_first(unsigned long long *out, cg::cluster_group cluster, unsigned number) {
  __shared__ unsigned sum, most;
  __shared__ unsigned long long wide;
  __shared__ float real;
  if (threadIdx.x == 0)
    sum = most = wide = 0, real = 0;
  cluster.sync();
  unsigned value = cluster.thread_rank();
  atomicAdd(cluster.map_shared_rank(&sum, 0), value);
  atomicMax(cluster.map_shared_rank(&most, 0), value * 7 % 101);
  atomicAdd(cluster.map_shared_rank(&wide, 0), (unsigned long long)value << 32);
  atomicAdd(cluster.map_shared_rank(&real, 0), 0.5F);
  unsigned before = atomicCAS(cluster.map_shared_rank(&most, cluster.num_blocks() - 1), 12345u, 1u);
  cluster.sync();
  if (cluster.thread_rank() == 0) {
    out[4 * number] = sum;
    out[4 * number + 1] = most;
    out[4 * number + 2] = wide + (before == 12345);
    out[4 * number + 3] = (unsigned long long)real;
  }
}

__global__ void
reduce(unsigned long long *out) {
  uint3 number;
  asm("mov.u32 %0, %%clusterid.x;" : "=r"(number.x));
  asm("mov.u32 %0, %%clusterid.y;" : "=r"(number.y));
  asm("mov.u32 %0, %%nclusterid.x;" : "=r"(number.z));
  reduce_at_first(out, cg::this_cluster(), number.y * number.z + number.x);
}

__global__ void __cluster_dims__(2, 2, 1)
places(int4 *out) {
  __shared__ int own;
  cg::cluster_group cluster = cg::this_cluster();
  dim3 at = cluster.block_index(), extent = cluster.dim_blocks();
  unsigned rank = cluster.block_rank(), other = rank ^ 3;
  own = 0;
  cluster.sync();
  int *there = cluster.map_shared_rank(&own, other);
  unsigned of, generic;
  asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(of) : "r"(map_offset(&own, other)));
  asm volatile("getctarank.u64 %0, %1;" : "=r"(generic) : "l"(&own));
  int spaces = __isShared(there) + 2 * __isClusterShared(there) + 4 * __isShared(&own) + 8 * __isClusterShared(&own) + 16 * __isGlobal(there);
  unsigned block = blockIdx.y * gridDim.x + blockIdx.x;
  if (threadIdx.x == 0)
    atomicAdd(there, 1000 + rank);
  cluster.sync();
  if (threadIdx.x == 0)
    out[block] = make_int4(at.x + 10 * at.y + 100 * extent.x + 1000 * extent.y + 10000 * rank, cluster.query_shared_rank(there) * 100 + of * 10 + generic, spaces, own);
}

// Vectors, and what arrives later: at an mbarrier of the other block.
__global__ void __cluster_dims__(2, 1, 1)
exchange(int *out) {
  __shared__ __align__(16) int in[4 * THREADS], from[4 * THREADS];
  __shared__ unsigned long long stored, copied, asked;
  __shared__ unsigned counts[4];
  cg::cluster_group cluster = cg::this_cluster();
  unsigned rank = cluster.block_rank(), other = rank ^ 1, t = threadIdx.x;
  for (unsigned i = t; i < 4 * THREADS; i += THREADS) {
    in[i] = 0;
    from[i] = 1000 * rank + i;
  }
  if (t < 4)
    counts[t] = 10 * t;
  if (t == 0) {
    init_barrier(&stored, 1);
    init_barrier(&copied, 1);
    init_barrier(&asked, THREADS);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    expect_bytes(&stored, 16 * THREADS + 12 * THREADS);
    expect_bytes(&copied, 1024);
  }
  cluster.sync();
  unsigned to = map_offset(in, other), barrier = map_offset(&stored, other), count = map_offset(counts, other);
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(to + 16 * t),
               "r"(t + 1), "r"(rank), "r"(7), "r"(t * t), "r"(barrier) : "memory");
  asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" ::"r"(count),
               "r"(t), "r"(barrier) : "memory");
  asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.s32 [%0], %1, [%2];" ::"r"(count + 4),
               "r"(t - 5), "r"(barrier) : "memory");
  asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.or.b32 [%0], %1, [%2];" ::"r"(count + 8),
               "r"(1u << t % 32), "r"(barrier) : "memory");
  await(&stored, 0);
  int sum = in[4 * t] + in[4 * t + 1] * 1000 + in[4 * t + 2] + in[4 * t + 3] + counts[0] + counts[1] + counts[2];
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(map_offset(&asked, other)) : "memory");
  await(&asked, 0);
  if (t == 0) {
    asm volatile("fence.proxy.async;" ::: "memory");
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];" ::"r"(to),
                 "r"(offset_of(from)), "r"(map_offset(&copied, other)) : "memory");
  }
  await(&copied, 0);
  sum = sum * 3 + in[4 * t + 3];
  cluster.sync();
  int4 read;
  asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(read.x), "=r"(read.y), "=r"(read.z), "=r"(read.w) : "r"(map_offset(from, other) + 16 * (t ^ 1)) : "memory");
  cluster.sync();
  asm volatile("st.shared::cluster.v2.u32 [%0], {%1, %2};" ::"r"(to + 8 * t), "r"(read.x), "r"(read.w) : "memory");
  asm volatile("st.shared::cluster.u8 [%0], %1;" ::"r"(map_offset(counts, other) + 13), "r"(77) : "memory");
  cluster.sync();
  out[blockIdx.x * THREADS + t] = sum + in[2 * t] + in[2 * t + 1] + counts[3];
}

// Addresses that another block made, and that come through memory: of the memory of a third block, generic and in the window of the
// cluster, and of its own.
__global__ void __cluster_dims__(4, 1, 1)
relay(int *out, int **pointers, unsigned *offsets) {
  __shared__ int own[2];
  cg::cluster_group cluster = cg::this_cluster();
  unsigned rank = cluster.block_rank(), to = (rank + 1) % 4;
  own[0] = 100 + rank;
  own[1] = 0;
  cluster.sync();
  if (threadIdx.x == 0) {
    pointers[2 * to] = cluster.map_shared_rank(own, rank ^ 2);
    pointers[2 * to + 1] = own + 1;
    offsets[to] = map_offset(own, rank ^ 2);
    __threadfence();
  }
  cluster.sync();
  if (threadIdx.x == 0) {
    int *there = pointers[2 * rank], value;
    unsigned of;
    asm volatile("ld.shared::cluster.b32 %0, [%1];" : "=r"(value) : "r"(offsets[rank]));
    asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(of) : "r"(offsets[rank]));
    atomicAdd(pointers[2 * rank + 1], 1000 + rank);
    out[2 * rank] = *there * 10000 + value * 10 + of; // 100 + x of the block x that it lies in, twice, and x
  }
  cluster.sync();
  out[2 * rank + 1] = own[1]; // 1000 + rank of the next block
}

// A flag in the memory of the other block, without a barrier between.
__global__ void __cluster_dims__(2, 1, 1)
flags(int *out) {
  __shared__ volatile int flag, data;
  cg::cluster_group cluster = cg::this_cluster();
  unsigned rank = cluster.block_rank();
  if (threadIdx.x == 0) {
    flag = 0;
    data = 0;
  }
  cluster.sync();
  volatile int *other = cluster.map_shared_rank((int *)&data, rank ^ 1), *raised = cluster.map_shared_rank((int *)&flag, rank ^ 1);
  if (threadIdx.x == 0 && rank == 1) {
    *other = 17;
    __threadfence();
    *raised = 1;
    while (*raised != 2)
      ;
    out[1] = *other;
  } else if (threadIdx.x == 0) {
    while (flag == 0)
      ;
    out[0] = data;
    data = 23;
    __threadfence();
    flag = 2;
  }
  cluster.sync();
}

template <typename... Parameters, typename... Arguments>
static cudaError_t
launch_clusters(void (*kernel)(Parameters...), dim3 grid, dim3 cluster, size_t bytes, Arguments... arguments) {
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster.x;
  attribute.val.clusterDim.y = cluster.y;
  attribute.val.clusterDim.z = cluster.z;
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = dim3(THREADS);
  config.dynamicSmemBytes = bytes;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

static void
test_histogram() {
  enum { N = 20000 };
  int *in, *bins;
  CHECK(cudaMallocManaged(&in, N * sizeof *in));
  CHECK(cudaMallocManaged(&bins, BINS * sizeof *bins));
  for (int blocks = 2; blocks <= 8; blocks *= 2) {
    static int expected[BINS];
    for (int i = 0; i < BINS; i++)
      bins[i] = expected[i] = 0;
    for (int i = 0; i < N; i++)
      expected[in[i] = (int)((i * 2654435761u >> 7) % BINS)]++;
    CHECK(launch_clusters(histogram, 16, blocks, BINS / blocks * sizeof(int), bins, BINS / blocks, (const int *)in, (int)N));
    CHECK(cudaDeviceSynchronize());
    int wrong = 0;
    for (int i = 0; i < BINS; i++)
      wrong += bins[i] != expected[i];
    printf("histogram in clusters of %d: %d bins differ, %d in bin 100\n", blocks, wrong, bins[100]);
    EXPECT(wrong == 0);
  }
  CHECK(cudaFree(in));
  CHECK(cudaFree(bins));
}

static void
print_numbers(const char *name, const int *numbers, int n, int step) {
  unsigned sum = 0;
  printf("%s:", name);
  for (int i = 0; i < n; i++) {
    sum = sum * 31 + numbers[i];
    if (i % step == 0)
      printf(" %d", numbers[i]);
  }
  printf(" (%u)\n", sum);
}

static void
test_blocks() {
  int *out;
  unsigned long long *sums;
  CHECK(cudaMallocManaged(&out, 64 * THREADS * sizeof *out));
  CHECK(cudaMallocManaged(&sums, 64 * sizeof *sums));
  ring<<<8, THREADS>>>(out);
  CHECK(cudaDeviceSynchronize());
  print_numbers("ring", out, 8 * THREADS, THREADS);
  exchange<<<4, THREADS>>>(out);
  CHECK(cudaDeviceSynchronize());
  print_numbers("exchange", out, 4 * THREADS, THREADS / 2);
  places<<<dim3(4, 4), 32>>>((int4 *)out);
  CHECK(cudaDeviceSynchronize());
  print_numbers("places", out, 4 * 16, 1);
  relay<<<4, 32>>>(out, (int **)sums, (unsigned *)(sums + 32));
  CHECK(cudaDeviceSynchronize());
  print_numbers("relay", out, 8, 1);
  flags<<<2, 32>>>(out);
  CHECK(cudaDeviceSynchronize());
  print_numbers("flags", out, 2, 1);
  const dim3 clusters[] = {dim3(2), dim3(4), dim3(8), dim3(2, 2, 1), dim3(1)};
  for (dim3 cluster : clusters) {
    unsigned n = 16 / (cluster.x * cluster.y);
    CHECK(launch_clusters(reduce, dim3(8, 2), cluster, 0, sums));
    CHECK(cudaDeviceSynchronize());
    printf("reduce in clusters of %ux%u:", cluster.x, cluster.y);
    for (unsigned i = 0; i < 4 * n; i += n > 1 ? 4 * (n - 1) : 4)
      printf(" %llu %llu %llu %llu,", sums[i], sums[i + 1], sums[i + 2] >> 32, sums[i + 3]);
    printf("\n");
  }
  CHECK(cudaFree(out));
  CHECK(cudaFree(sums));
}

static void
test_errors() {
  unsigned long long *sums;
  int clusters = 0, size = 0;
  CHECK(cudaMalloc(&sums, 1024));
  FAILS(cudaErrorInvalidClusterSize, launch_clusters(reduce, dim3(7), dim3(2), 0, sums));
  FAILS(cudaErrorInvalidClusterSize, launch_clusters(reduce, dim3(32), dim3(16), 0, sums));
  CHECK(cudaFuncSetAttribute(reduce, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  CHECK(launch_clusters(reduce, dim3(32), dim3(16), 0, sums));
  CHECK(cudaDeviceSynchronize());
  unsigned long long first[4];
  CHECK(cudaMemcpy(first, sums, sizeof first, cudaMemcpyDeviceToHost));
  printf("reduce in clusters of 16: %llu %llu\n", first[0], first[3]);
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(32);
  config.blockDim = dim3(THREADS);
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 4;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CHECK(cudaOccupancyMaxActiveClusters(&clusters, reduce, &config));
  CHECK(cudaOccupancyMaxPotentialClusterSize(&size, reduce, &config));
  EXPECT(clusters > 0 && size == 16);
  ring<<<6, THREADS>>>((int *)sums); // no multiple of the kernel's own
  printf("6 blocks in clusters of 4: %s\n", cudaGetErrorName(cudaGetLastError()));
  CHECK(cudaFree(sums));
}

int
main() {
  test_histogram();
  test_blocks();
  test_errors();
  return finish("cluster");
}
