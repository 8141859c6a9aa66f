// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// As much of CUDA as the kernels of this folder need, for clang without a CUDA Toolkit:
//   clang-14 -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 -nocudainc -nocudalib -include clang.h -S FILE.cu
#pragma once
#define __global__             __attribute__((global))
#define __device__             __attribute__((device))
#define __shared__             __attribute__((shared))
#define __constant__           __attribute__((constant))
#define __host__               __attribute__((host))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __align__(n)           __attribute__((aligned(n)))
#define __noinline__           __attribute__((noinline))
#define __forceinline__        inline __attribute__((always_inline))
#include <__clang_cuda_builtin_vars.h>

struct uint2 {
  unsigned x, y;
} __attribute__((aligned(8)));
struct float2 {
  float x, y;
} __attribute__((aligned(8)));
struct float4 {
  float x, y, z, w;
} __attribute__((aligned(16)));
__device__ inline uint2
make_uint2(unsigned x, unsigned y) {
  return {x, y};
}
__device__ inline float2
make_float2(float x, float y) {
  return {x, y};
}
__device__ inline float4
make_float4(float x, float y, float z, float w) {
  return {x, y, z, w};
}

__device__ inline int
min(int a, int b) {
  return a < b ? a : b;
}
__device__ inline int
max(int a, int b) {
  return a > b ? a : b;
}
__device__ inline float
fmaxf(float a, float b) {
  return a > b ? a : b;
}
__device__ inline float
rsqrtf(float x) {
  return __nvvm_rsqrt_approx_f(x);
}
__device__ inline float
__expf(float x) {
  return __nvvm_ex2_approx_f(x * 1.4426950408889634f);
}
__device__ inline void
sincospif(float x, float *s, float *c) {
  *s = __nvvm_sin_approx_f(x * 3.14159265f);
  *c = __nvvm_cos_approx_f(x * 3.14159265f);
}
__device__ inline int
__clz(int x) {
  return x ? __builtin_clz(x) : 32;
}
__device__ inline int
__popc(unsigned x) {
  return __builtin_popcount(x);
}
__device__ inline unsigned
__brev(unsigned x) {
  return __builtin_bitreverse32(x);
}

// __syncthreads() is a builtin of clang.
#define __threadfence() __nvvm_membar_gl()
__device__ inline void
__syncwarp(unsigned mask = 0xffffffff) {
  __nvvm_bar_warp_sync(mask);
}
__device__ inline unsigned
__activemask() {
  unsigned mask;
  asm volatile("activemask.b32 %0;" : "=r"(mask));
  return mask;
}
__device__ inline unsigned
__ballot_sync(unsigned mask, int is) {
  return __nvvm_vote_ballot_sync(mask, is);
}
__device__ inline int
__shfl_up_sync(unsigned mask, int v, int by) {
  return __nvvm_shfl_sync_up_i32(mask, v, by, 0);
}
__device__ inline float
__shfl_down_sync(unsigned mask, float v, int by) {
  return __nvvm_shfl_sync_down_f32(mask, v, by, 31);
}
__device__ inline float
__shfl_xor_sync(unsigned mask, float v, int by) {
  return __nvvm_shfl_sync_bfly_f32(mask, v, by, 31);
}
__device__ inline unsigned
__cvta_generic_to_shared(const void *p) {
  return (unsigned)(unsigned long long)(const void __attribute__((address_space(3))) *)p;
}

__device__ inline int
atomicAdd(int *p, int v) {
  return __nvvm_atom_add_gen_i(p, v);
}
__device__ inline float
atomicAdd(float *p, float v) {
  return __nvvm_atom_add_gen_f(p, v);
}
__device__ inline unsigned long long
atomicAdd(unsigned long long *p, unsigned long long v) {
  return __nvvm_atom_add_gen_ll((long long *)p, v);
}
__device__ inline int
atomicMax(int *p, int v) {
  return __nvvm_atom_max_gen_i(p, v);
}
__device__ inline unsigned long long
atomicMax(unsigned long long *p, unsigned long long v) {
  return __nvvm_atom_max_gen_ull(p, v);
}
__device__ inline int
atomicMin(int *p, int v) {
  return __nvvm_atom_min_gen_i(p, v);
}
__device__ inline int
atomicAnd(int *p, int v) {
  return __nvvm_atom_and_gen_i(p, v);
}
__device__ inline int
atomicOr(int *p, int v) {
  return __nvvm_atom_or_gen_i(p, v);
}
__device__ inline int
atomicXor(int *p, int v) {
  return __nvvm_atom_xor_gen_i(p, v);
}
__device__ inline int
atomicExch(int *p, int v) {
  return __nvvm_atom_xchg_gen_i(p, v);
}
__device__ inline int
atomicCAS(int *p, int old, int v) {
  return __nvvm_atom_cas_gen_i(p, old, v);
}
__device__ inline unsigned
atomicInc(unsigned *p, unsigned limit) {
  return __nvvm_atom_inc_gen_ui(p, limit);
}
