// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Sparse products (mma.sp) of random operands, of every shape and type of sm_90 and with every selector, and dense ones whose sums
// vanish: a checksum of each. Words of operands are raw bits, then like sizes, then subnormal numbers among zeros.
#include <cstdint>
#include <cstdio>

enum { RAW, ALIKE, SUBNORMAL, KINDS };

// The bits that a number keeps of a random word, and those that are set in it.
struct Mask {
  uint32_t keep, set;
};

struct Operands {
  uint32_t a[4], b[4], c[4], e;
};

__device__ uint32_t mix(uint32_t x) {
  x = (x ^ x >> 16) * 0x7feb352du;
  x = (x ^ x >> 15) * 0x846ca68bu;
  return x ^ x >> 16;
}

__device__ uint32_t number(uint32_t seed, const Mask &mask, int kind) {
  uint32_t bits = mix(seed);
  bool is_zero = kind == SUBNORMAL && mix(seed + 0x5555) % 2;
  return is_zero ? 0 : kind == RAW ? bits : (bits & mask.keep) | mask.set;
}

// Four bits of metadata: the places of two of four numbers, or of one of two.
__device__ uint32_t metadata(uint32_t seed, bool is_wide) {
  uint32_t e = 0, r = mix(seed);
  for (int i = 0; i < 8; i++, r = mix(r))
    e |= (is_wide ? (r & 1 ? 0xeu : 0x4u) : (0xed9c84u >> r % 6 * 4) & 15) << 4 * i;
  return e;
}

__device__ Operands operands(const Mask (&factors)[KINDS], const Mask (&sums)[KINDS], bool is_wide,
                             int kind, int round) {
  Operands o;
  uint32_t seed = mix(((blockIdx.x * 64 + round) * 32 + threadIdx.x) * 4 + kind) * 16;
  for (int i = 0; i < 4; i++) {
    o.a[i] = number(seed + i, factors[kind], kind);
    o.b[i] = number(seed + 4 + i, factors[kind], kind);
    o.c[i] = number(seed + 8 + i, sums[kind], kind);
  }
  o.e = metadata(seed + 12, is_wide);
  return o;
}

__constant__ Mask f16[KINDS] = {{0, 0}, {0x8fff8fff, 0x30003000}, {0x83ff83ff, 0}};
__constant__ Mask bf16[KINDS] = {{0, 0}, {0x81ff81ff, 0x3e003e00}, {0x807f807f, 0}};
__constant__ Mask f32[KINDS] = {{0, 0}, {0x81ffffff, 0x3e000000}, {0x807fffff, 0}};
__constant__ Mask f8[KINDS] = {{0, 0}, {0x9f9f9f9f, 0x20202020}, {0x83838383, 0}};
__constant__ Mask whole[KINDS] = {{0, 0}, {0xffffffff, 0}, {0xffffffff, 0}};

#define SUMS_4 "+r"(o.c[0]), "+r"(o.c[1]), "+r"(o.c[2]), "+r"(o.c[3])
#define SUMS_2 "+r"(o.c[0]), "+r"(o.c[1])
#define FACTORS_4                                                                                   \
  "r"(o.a[0]), "r"(o.a[1]), "r"(o.a[2]), "r"(o.a[3]), "r"(o.b[0]), "r"(o.b[1]), "r"(o.b[2]), "r"(o.b[3])
#define FACTORS_2 "r"(o.a[0]), "r"(o.a[1]), "r"(o.b[0]), "r"(o.b[1])

// C and D of floats are in registers of 32 bits like all others.
#define FLOATS(text) "{.reg .f32 f<4>; mov.b32 f0,%0; mov.b32 f1,%1; mov.b32 f2,%2; mov.b32 f3,%3; " text \
  "; mov.b32 %0,f0; mov.b32 %1,f1; mov.b32 %2,f2; mov.b32 %3,f3;}"
#define F "{f0,f1,f2,f3}"
#define W "{%0,%1,%2,%3}"
#define SP "mma.sp::ordered_metadata.sync.aligned."
#define FLOAT_4(form, s)                                                                           \
  asm volatile(FLOATS(SP form " " F ",{%4,%5,%6,%7},{%8,%9,%10,%11}," F ",%12," s)                 \
               : SUMS_4 : FACTORS_4, "r"(o.e))
#define FLOAT_2(form, s)                                                                           \
  asm volatile(FLOATS(SP form " " F ",{%4,%5},{%6,%7}," F ",%8," s) : SUMS_4 : FACTORS_2, "r"(o.e))
#define WHOLE_4(form, s)                                                                           \
  asm volatile(SP form " " W ",{%4,%5,%6,%7},{%8,%9,%10,%11}," W ",%12," s ";"                     \
               : SUMS_4 : FACTORS_4, "r"(o.e))
#define WHOLE_2(form, s)                                                                           \
  asm volatile(SP form " " W ",{%4,%5},{%6,%7}," W ",%8," s ";" : SUMS_4 : FACTORS_2, "r"(o.e))
#define HALF_4(form, s)                                                                            \
  asm volatile(SP form " {%0,%1},{%2,%3,%4,%5},{%6,%7,%8,%9},{%0,%1},%10," s ";"                   \
               : SUMS_2 : FACTORS_4, "r"(o.e))
#define HALF_2(form, s)                                                                            \
  asm volatile(SP form " {%0,%1},{%2,%3},{%4,%5},{%0,%1},%6," s ";" : SUMS_2 : FACTORS_2, "r"(o.e))
#define DENSE(form, s)                                                                             \
  asm volatile(FLOATS("mma.sync.aligned." form " " F ",{%4,%5},{%6}," F)                           \
               : SUMS_4 : "r"(o.a[0]), "r"(o.a[1]), "r"(o.b[0]))
#define DENSE_HALF(form, s)                                                                        \
  asm volatile("mma.sync.aligned." form " {%0,%1},{%2,%3},{%4},{%0,%1};"                           \
               : SUMS_2 : "r"(o.a[0]), "r"(o.a[1]), "r"(o.b[0]))

#define FORMS                                                                                      \
  ALL(FLOAT_2, "m16n8k16.row.col.f32.f16.f16.f32", f16, f32)                                       \
  ALL(HALF_2, "m16n8k16.row.col.f16.f16.f16.f16", f16, f16)                                        \
  ALL(FLOAT_2, "m16n8k16.row.col.f32.bf16.bf16.f32", bf16, f32)                                    \
  ALL(FLOAT_2, "m16n8k8.row.col.f32.tf32.tf32.f32", f32, f32)                                      \
  BOTH(FLOAT_4, "m16n8k32.row.col.f32.f16.f16.f32", f16, f32)                                      \
  BOTH(HALF_4, "m16n8k32.row.col.f16.f16.f16.f16", f16, f16)                                       \
  BOTH(FLOAT_4, "m16n8k32.row.col.f32.bf16.bf16.f32", bf16, f32)                                   \
  BOTH(FLOAT_4, "m16n8k16.row.col.f32.tf32.tf32.f32", f32, f32)                                    \
  BOTH(WHOLE_2, "m16n8k32.row.col.s32.s8.u8.s32", whole, whole)                                    \
  BOTH(WHOLE_2, "m16n8k64.row.col.s32.u4.s4.s32", whole, whole)                                    \
  ONE(WHOLE_4, "m16n8k64.row.col.s32.u8.s8.s32", whole, whole, "0")                                \
  ONE(WHOLE_4, "m16n8k64.row.col.satfinite.s32.s8.s8.s32", whole, whole, "0")                      \
  ONE(WHOLE_4, "m16n8k128.row.col.s32.s4.u4.s32", whole, whole, "0")                               \
  ONE(FLOAT_4, "m16n8k64.row.col.f32.e4m3.e5m2.f32", f8, f32, "0")                                 \
  ONE(FLOAT_4, "m16n8k64.row.col.f32.e5m2.e5m2.f32", f8, f32, "0")                                 \
  ONE(DENSE, "m16n8k8.row.col.f32.bf16.bf16.f32", bf16, f32, "dense")                              \
  ONE(DENSE_HALF, "m16n8k8.row.col.f16.f16.f16.f16", f16, f16, "dense")
#define BOTH(run, form, factors, sums) ONE(run, form, factors, sums, "0") ONE(run, form, factors, sums, "1")
#define ALL(run, form, factors, sums)                                                              \
  BOTH(run, form, factors, sums) ONE(run, form, factors, sums, "2") ONE(run, form, factors, sums, "3")

__global__ void products(uint32_t *checks, int rounds) {
  int at = 0;
#define ONE(run, form, factors, sums, selector)                                                    \
  for (int kind = 0; kind < KINDS; kind++, at++) {                                                 \
    uint32_t check = 0;                                                                            \
    for (int round = 0; round < rounds; round++) {                                                 \
      Operands o = operands(factors, sums, (const void *)&factors == (const void *)&f32, kind, round); \
      run(form, selector);                                                                         \
      for (int i = 0; i < 4; i++)                                                                  \
        check = (check ^ o.c[i]) * 0x9e3779b1u + (check >> 15);                                    \
    }                                                                                              \
    atomicAdd(&checks[at], mix(check + threadIdx.x));                                              \
  }
  FORMS
#undef ONE
}

#define ONE(run, form, factors, sums, selector) form " " selector,
static const char *const names[] = {FORMS};
#define N (sizeof names / sizeof *names * KINDS)

int main() {
  uint32_t *checks, host[N];
  cudaMalloc(&checks, sizeof host);
  cudaMemset(checks, 0, sizeof host);
  products<<<2, 32>>>(checks, 16);
  cudaError_t error = cudaMemcpy(host, checks, sizeof host, cudaMemcpyDeviceToHost);
  for (unsigned i = 0; i < N; i += KINDS)
    printf("%s: %08x %08x %08x\n", names[i / KINDS], host[i], host[i + 1], host[i + 2]);
  return error != cudaSuccess;
}
