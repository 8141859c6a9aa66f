// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Copies in bulk (TMA) that complete on mbarriers: a warp that produces, others that consume, stages in a ring.
// launch: --entry 'consume<2>' --block 160 --grid 2 --arg 2=6
// counts: load 96/96, bulk 12288, mbarrier 544, mbarrier-wait 12384
// launch: --entry 'consume<4>' --block 160 --grid 2 --arg 2=6
// counts: load 96/96, bulk 12288, mbarrier 608, mbarrier-wait 12384
// launch: --entry transfer --block 128 --grid 3
// counts: load 12/12, store 12/12, bulk 3072, mbarrier 48, mbarrier-wait 3072
__device__ __forceinline__ unsigned address(const void *p) {
  return (unsigned)__cvta_generic_to_shared(p);
}
__device__ __forceinline__ void init(unsigned long long *barrier, unsigned n) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(barrier)), "r"(n) : "memory");
}
__device__ __forceinline__ void arrive(unsigned long long *barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(barrier)) : "memory");
}
__device__ __forceinline__ void expect(unsigned long long *barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(barrier)), "r"(bytes) : "memory");
}
__device__ __forceinline__ void wait(unsigned long long *barrier, unsigned parity) {
  asm volatile("{\n.reg .pred p;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra DONE;\n"
               "bra AGAIN;\nDONE:\n}" ::"r"(address(barrier)),
               "r"(parity)
               : "memory");
}
__device__ __forceinline__ void copy_in(void *to, const void *from, unsigned bytes, unsigned long long *barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   address(to)),
               "l"(from), "r"(bytes), "r"(address(barrier))
               : "memory");
}

// Warp 0 copies tiles of 1 KiB, four warps add them up.
template <int STAGES> __global__ void consume(float *out, const float *in, int tiles) {
  __shared__ __align__(128) float ring[STAGES][256];
  __shared__ __align__(8) unsigned long long full[STAGES], empty[STAGES];
  in += blockIdx.x * tiles * 256;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; s++) {
      init(&full[s], 1);
      init(&empty[s], 4);
    }
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    for (int tile = 0; tile < tiles && threadIdx.x == 0; tile++) {
      int stage = tile % STAGES;
      wait(&empty[stage], tile / STAGES % 2 ^ 1);
      expect(&full[stage], 1024);
      copy_in(ring[stage], in + tile * 256, 1024, &full[stage]);
    }
    return;
  }
  float sum = 0.0f;
  for (int tile = 0; tile < tiles; tile++) {
    int stage = tile % STAGES;
    wait(&full[stage], tile / STAGES % 2);
    sum += ring[stage][threadIdx.x - 32] + ring[stage][threadIdx.x + 96];
    __syncwarp();
    if (threadIdx.x % 32 == 0) {
      arrive(&empty[stage]);
    }
  }
  out[blockIdx.x * 128 + threadIdx.x - 32] = sum;
}
template __global__ void consume<2>(float *, const float *, int);
template __global__ void consume<4>(float *, const float *, int);

// In and out again.
extern "C" __global__ void transfer(float *out, const float *in) {
  __shared__ __align__(128) float tile[128];
  __shared__ __align__(8) unsigned long long barrier;
  if (threadIdx.x == 0) {
    init(&barrier, 1);
    expect(&barrier, 512);
    copy_in(tile, in + blockIdx.x * 128, 512, &barrier);
  }
  __syncthreads();
  wait(&barrier, 0);
  tile[threadIdx.x] = tile[threadIdx.x] + 1.0f;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 512;\ncp.async.bulk.commit_group;\n"
                 "cp.async.bulk.wait_group.read 0;" ::"l"(out + blockIdx.x * 128),
                 "r"(address(tile))
                 : "memory");
  }
}
