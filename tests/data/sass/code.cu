// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Kernels whose machine code has what decoding and running it has to know: one way to go on, to wait, to address or to change
// memory in each. Made by: nvcc -cubin -arch=sm_NN (CUDA 13.0), for 75, 80, 90, 100 and 120.
#include <cstdint>
#include <cstdio>

extern "C" __global__ void divides(int *o, int n) {
  __shared__ int s[128];
  int t = threadIdx.x, v = 0;
  for (int i = 0; i < n; i++) {
    if ((i + t) % 5 == 4) {
      s[t + i] = 9;
      v = s[i];
      break;
    }
    s[t] = i;
    if (i == t)
      continue;
    s[t * 2] = 3;
  }
  if (t == 40)
    return;
  o[t] = v + s[t ^ 5];
}

__device__ __noinline__ int called(int *s, int i) {
  int v = s[i];
  if (v > 4)
    s[i] = v / 3;
  return v % 7;
}

__device__ __noinline__ int other(int *s, int i) {
  return s[2 * i];
}

extern "C" __global__ void calls(int *o, unsigned long long wide) {
  __shared__ int s[128];
  int (*functions[])(int *, int) = {called, other};
  int t = threadIdx.x;
  s[t] = t;
  s[t + 64] = -t;
  __syncthreads();
  int v = called(s, t);
  if (t % 2)
    v += functions[t / 2 % 2](s, t / 2);
  o[t] = v + (int)(wide / (t + 1u)) + (int)(wide % 13);
}

extern "C" __global__ void changes(int *o, float *f) {
  __shared__ int s[64];
  __shared__ float sum[8];
  __shared__ unsigned long long wide[4];
  int t = threadIdx.x;
  s[t] = 0;
  if (t < 8)
    sum[t] = 0;
  if (t < 4)
    wide[t] = 0;
  __syncthreads();
  atomicAdd(&s[t / 2], 1);
  int before = atomicAdd(&s[t / 4], t);
  atomicMax(&s[t % 3], before);
  atomicExch(&s[8 + t / 8], t);
  atomicCAS(&s[t], t, 5);
  atomicAdd(&sum[t % 8], 1.5f);
  atomicAdd(&wide[t % 4], 3ull);
  atomicExch(&wide[t % 2], 7ull);
  __syncthreads();
  atomicAdd(&o[t % 3], s[t]);
  atomicAdd(f, sum[t % 8]);
  atomicInc((unsigned *)o + 70, 5);
  if (t == 0)
    o[64 + atomicDec((unsigned *)o + 80, 4) % 4] = (int)wide[t];
}

__constant__ int given[64];
__constant__ short table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
__device__ int kept = 5, also[4] = {1, 2, 3, 4};
__device__ int *where = also;

extern "C" __global__ void reads(int *o, int k) {
  __shared__ int s[256];
  int t = threadIdx.x, own[8];
  for (int i = 0; i < 8; i++)
    own[i] = i * t;
  s[t * table[k & 7] % 256] = given[3];
  own[k & 7] += table[t % 8];
  s[own[(t + k) & 7] & 255] = also[k & 3] + where[1];
  o[t] = s[(t * kept) & 255] + given[t & 63];
}

extern "C" __global__ void points(int *o, int k) {
  __shared__ int s[64];
  int t = threadIdx.x;
  int *either = t < k ? s : o;
  either[t] = t;
  asm volatile("" ::: "memory");
  atomicAdd(either + t / 2, 2);
  __syncthreads();
  o[t] = either[63 - t] + (int)__isShared(either);
}

extern "C" __global__ void waits(int *o) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  int many = __syncthreads_count(s[t] % 3 == 0);
  int any = __syncthreads_or(t == 70), all = __syncthreads_and(t < 64);
  if (t < 32)
    asm volatile("bar.arrive 2, 64;" ::: "memory");
  else
    asm volatile("bar.sync 2, 64;" ::: "memory");
  if (t % 4 == 1) {
    s[t] = __shfl_xor_sync(0x22222222, t, 4);
    __syncwarp(0x22222222);
  }
  s[(t * 2 + many + any) & 63] = all;
  __threadfence();
  o[t] = s[63 - t] + (int)(clock64() & 0);
}

extern "C" __global__ void moves(const int4 *in, int *o, int n) {
  __shared__ alignas(128) int s[512];
  int t = threadIdx.x;
  unsigned to = (unsigned)__cvta_generic_to_shared(s) + 16 * t, a, b, c, d;
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(in + t));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to + 1024), "l"(in + 2 * t),
               "r"(t < n ? 4 : 0));
  asm volatile("cp.async.commit_group; cp.async.wait_all;" ::: "memory");
#else
  *(int4 *)(s + 4 * t) = in[t];
#endif
  __syncthreads();
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "r"(to));
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "+r"(a) : "r"(to ^ 64));
#if __CUDA_ARCH__ >= 900
  asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1,%2};" ::"r"(to), "r"(b), "r"(c));
#endif
  *(char2 *)((char *)s + 6 * t) = {1, 2};
  ((short *)s)[5 * t] = (short)d;
  *(long long *)(s + 6 * t) = t;
  o[t] = (int)(a + b + c + d) + ((signed char *)s)[7 * t] + ((short *)s)[3 * t];
}

#if __CUDA_ARCH__ >= 900
extern "C" __global__ void copies(const int *in, int *o) {
  __shared__ alignas(128) int s[128];
  __shared__ alignas(8) unsigned long long barrier;
  int t = threadIdx.x;
  unsigned to = (unsigned)__cvta_generic_to_shared(s), at = (unsigned)__cvta_generic_to_shared(&barrier);
  if (t == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 2;" ::"r"(at));
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 512;" ::"r"(at) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 512, [%2];" ::"r"(to),
                 "l"(in), "r"(at)
                 : "memory");
  }
  __syncthreads();
  unsigned long long state = 0;
  if (t == 1)
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
  asm volatile("{ .reg .pred p; W: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra W; }" ::"r"(at) : "memory");
  s[t] = s[(t * 3) & 127] + 1;
  __syncthreads();
  if (t == 0) {
    asm volatile("fence.proxy.async;" ::: "memory");
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 512;" ::"l"(o), "r"(to) : "memory");
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at));
  }
}
#endif

extern "C" __global__ void provides(int *o) {
  __shared__ int s[64];
  int *piece = (int *)malloc(16);
  s[threadIdx.x] = 1;
  piece[1] = s[63 - threadIdx.x];
  o[threadIdx.x] = piece[1];
  free(piece);
  printf("%d\n", s[threadIdx.x]);
}
