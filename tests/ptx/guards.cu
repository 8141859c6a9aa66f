// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Guarded copies to shared memory: what Nsight Compute counts of one depends on which predicate guards it.
// launch: --entry guards --block 64
// launch: --entry guards_bypass --block 64
// launch: --entry guards_zero --block 64

// Copies of @BYTES, by the lanes that four conditions let through, or do not; all conditions are alive at once.
#define COPY_BY_CONDITIONS(COPY, BYTES)                                                                                \
  __shared__ __align__(16) char s[64 * 4 * BYTES];                                                                     \
  int t = threadIdx.x;                                                                                                 \
  asm volatile("{.reg .pred p<4>;\n"                                                                                   \
               ".reg .b32 r;\n"                                                                                        \
               "and.b32 r, %2, 1;  setp.eq.u32 p0, r, 0;\n"                                                            \
               "and.b32 r, %2, 6;  setp.eq.u32 p1, r, 2;\n"                                                            \
               "and.b32 r, %2, 31; setp.lt.u32 p2, r, 5;\n"                                                            \
               "and.b32 r, %2, 24; setp.ne.u32 p3, r, 8;\n"                                                            \
               "and.b32 r, %2, 20; min.u32 r, r, 16;\n"                                                                \
               "@p0 " COPY(0) "@p1 " COPY(1) "@p2 " COPY(2) "@p3 " COPY(3)                                             \
               "@!p0 " COPY(0) "@!p1 " COPY(1) "@!p2 " COPY(2) "@!p3 " COPY(3)                                         \
               "cp.async.wait_all;}" ::"r"((unsigned)__cvta_generic_to_shared(s) + t * BYTES),                         \
               "l"(in + t * BYTES), "r"(t)                                                                             \
               : "memory");                                                                                            \
  __syncthreads();                                                                                                     \
  out[t] = s[t * 4 * BYTES + t % BYTES]

#define COPY_WORD(I) "cp.async.ca.shared.global [%0+" #I "*256], [%1], 4;\n"
#define COPY_VECTOR(I) "cp.async.cg.shared.global [%0+" #I "*1024], [%1], 16;\n"
#define COPY_OR_ZERO(I) "cp.async.cg.shared.global [%0+" #I "*1024], [%1], 16, r;\n"

extern "C" __global__ void guards(char *out, const char *in) {
  COPY_BY_CONDITIONS(COPY_WORD, 4);
}

extern "C" __global__ void guards_bypass(char *out, const char *in) {
  COPY_BY_CONDITIONS(COPY_VECTOR, 16);
}

// Of 16 bytes only 0 or 4 are copied by some lanes, and the others become zeros.
extern "C" __global__ void guards_zero(char *out, const char *in) {
  COPY_BY_CONDITIONS(COPY_OR_ZERO, 16);
}
