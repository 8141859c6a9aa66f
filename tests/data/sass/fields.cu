// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Parameters that are structures with pointers in them; stores to shared memory of another block of the cluster; differences of
// bytes (VABSDIFF4).
struct Params {
  float *out;
  const int *index;
  int n, pitch;
};

__global__ void gather(Params p) {
  __shared__ float tile[1024];
  int i = threadIdx.x;
  tile[p.index[i] * p.pitch] = i;
  __syncthreads();
  if (i < p.n)
    p.out[i] = tile[i];
}

__global__ void __cluster_dims__(2, 1, 1) scatter(int *out) {
  __shared__ __align__(16) int tile[128];
  __shared__ long long barrier;
  unsigned to = (unsigned)__cvta_generic_to_shared(tile) + 16 * threadIdx.x, done = (unsigned)__cvta_generic_to_shared(&barrier);
  int i = threadIdx.x;
  tile[i] = i;
  unsigned other;
  asm("{ .reg .b32 rank; mov.u32 rank, %%cluster_ctarank; xor.b32 %0, rank, 1; }" : "=r"(other));
  asm volatile("mapa.shared::cluster.u32 %0, %0, %1;" : "+r"(to) : "r"(other));
  asm volatile("mapa.shared::cluster.u32 %0, %0, %1;" : "+r"(done) : "r"(other));
  asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(to), "r"(i), "r"(done));
  if (i < 4)
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0], {%1, %1}, [%2];" ::"r"(to), "r"(i), "r"(done));
  asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %1, %1, %1}, [%2];" ::"r"(to), "r"(i), "r"(done));
  asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%0], %1, [%2];" ::"r"(to), "r"(i), "r"(done));
  asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%0], %1, [%2];" ::"r"(to), "l"((long long)i), "r"(done));
  out[i] = tile[i];
}

__global__ void differences(const unsigned *in) {
  __shared__ volatile unsigned tile[1024];
  unsigned a = in[threadIdx.x], b = in[threadIdx.x + 32], c = in[threadIdx.x + 64], r;
  asm volatile("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
  tile[r % 1024] = 1;
  asm volatile("vabsdiff4.u32.s32.s32.add %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
  tile[r % 1024] = 2;
  asm volatile("vabsdiff4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
  tile[(r ^ r >> 13) % 1024] = 3;
  asm volatile("vabsdiff4.u32.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
  tile[(r ^ r >> 13) % 1024] = 4;
}
