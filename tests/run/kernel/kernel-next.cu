// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What sm_100 and later have: blocks that ask for the work of others (clusterlaunchcontrol), where each piece is done once whoever does it, and zeros in bulk (st.bulk).
#include "../check.h"

enum { BLOCKS = 12, THREADS = 32, WORDS = 256, ROUNDS = 10 };

__device__ unsigned place(const void *shared) { return (unsigned)__cvta_generic_to_shared(shared); }

// @all: the response goes to both blocks of a cluster, which both wait for it.
template <bool all> __global__ void work(int *done) {
  __shared__ __align__(16) uint4 response;
  __shared__ unsigned long long barrier;
  unsigned rank = 0, first = blockIdx.x, parity = 0;
  if (all)
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(place(&barrier)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  if (all)
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
  __syncthreads();
  for (;;) {
    if (threadIdx.x == 0) {
      atomicAdd(&done[first], 1);
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 16;" ::"r"(place(&barrier)) : "memory");
    }
    if (all)
      asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
    if (threadIdx.x == 0 && rank == 0) {
      if (all)
        asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [%0], [%1];" ::"r"(place(&response)), "r"(place(&barrier)) : "memory");
      else
        asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%0], [%1];" ::"r"(place(&response)), "r"(place(&barrier)) : "memory");
    }
    asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @p bra D; bra W; D: }" ::"r"(place(&barrier)), "r"(parity) : "memory");
    parity ^= 1;
    unsigned is_cancelled, next;
    asm volatile("{ .reg .b128 r; .reg .pred p; ld.shared.b128 r, [%2]; clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, r; selp.u32 %0, 1, 0, p; mov.u32 %1, 0; @p clusterlaunchcontrol.query_cancel.get_first_ctaid::x.b32.b128 %1, r; }" : "=r"(is_cancelled), "=r"(next) : "r"(place(&response)) : "memory");
    __syncthreads();
    if (!is_cancelled)
      break;
    first = next + rank;
    asm volatile("fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;" ::: "memory");
  }
}

// @n words from @from on are cleared, by the first lane, or all of them, each a part of them of 8 bytes.
__global__ void clear(unsigned *out, unsigned from, unsigned n, bool by_all) {
  __shared__ __align__(16) unsigned words[WORDS];
  for (unsigned i = threadIdx.x; i < WORDS; i += THREADS)
    words[i] = i + 1;
  __syncwarp();
  unsigned long long at = place(words + from), bytes = n * 4;
  if (by_all) {
    at += threadIdx.x * 8;
    bytes = 8;
  }
  if (by_all || threadIdx.x == 0)
    asm volatile("st.bulk.weak.shared::cta [%0], %1, 0;" ::"l"(at), "l"(bytes) : "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncwarp();
  for (unsigned i = threadIdx.x; i < WORDS; i += THREADS)
    out[i] = words[i];
}

template <bool all> static void expect_work(int *done) {
  CHECK(cudaMemset(done, 0, BLOCKS * sizeof *done));
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = all ? 2 : 1;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t configuration = {};
  configuration.gridDim = dim3(BLOCKS);
  configuration.blockDim = dim3(THREADS);
  configuration.attrs = &attribute;
  configuration.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&configuration, work<all>, done));
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < BLOCKS; i++)
    EXPECT(done[i] == 1);
}

int main() {
  int *done;
  unsigned *out;
  CHECK(cudaMallocManaged(&done, BLOCKS * sizeof *done));
  CHECK(cudaMallocManaged(&out, WORDS * sizeof *out));
  expect_work<false>(done);
  expect_work<true>(done);
  for (int round = 0; round < ROUNDS; round++) {
    bool by_all = round % 2;
    unsigned from = 4 * (rand() % 40), n = by_all ? 2 * THREADS : 2 * (1 + rand() % 30);
    clear<<<1, THREADS>>>(out, from, n, by_all);
    CHECK(cudaDeviceSynchronize());
    for (unsigned i = 0; i < WORDS; i++)
      EXPECT(out[i] == (i >= from && i < from + n ? 0 : i + 1));
  }
  return finish("kernel-next");
}
