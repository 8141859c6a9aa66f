// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The kinds of processor that hot loops are compiled for, side by side; which of them runs is chosen here.
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Kinds of processor; each can do what those before it can, and more. */
typedef enum {
  SMB_PROCESSOR_ANY,    /* what the compiler builds for unless told otherwise */
  SMB_PROCESSOR_AVX2,   /* x86-64 with AVX2, FMA, BMI1, BMI2 and POPCNT */
  SMB_PROCESSOR_AVX512, /* the same with AVX-512 F, BW, VL, DQ, CD, VBMI, VPOPCNTDQ and GFNI */
  SMB_N_PROCESSORS
} SmbProcessor;

#if defined __x86_64__
#  define SMB_HAVE_X86 1
#else
#  define SMB_HAVE_X86 0
#endif

/** What functions for these kinds are compiled for (attribute target). */
#if SMB_HAVE_X86
#  define SMB_TARGET_AVX2 "avx2,fma,bmi,bmi2,popcnt"
#  define SMB_TARGET_AVX512                                                                        \
    "avx2,fma,bmi,bmi2,popcnt,avx512f,avx512bw,avx512vl,avx512dq,avx512cd,avx512vbmi,"             \
    "avx512vpopcntdq,gfni"
#endif

/** Between these, all functions are compiled for one of them. Headers that define functions come before. */
#define SMB_PRAGMA(text) _Pragma(#text)
#if defined __clang__
#  define SMB_TARGET_BEGIN(for)                                                                    \
    SMB_PRAGMA(clang attribute push(__attribute__((target(for))), apply_to = function))
#  define SMB_TARGET_END SMB_PRAGMA(clang attribute pop)
#else
#  define SMB_TARGET_BEGIN(for)                                                                    \
    SMB_PRAGMA(GCC push_options)                                                                   \
    SMB_PRAGMA(GCC target(for))
#  define SMB_TARGET_END SMB_PRAGMA(GCC pop_options)
#endif

/** The kind of this machine's processor: the best of those above. */
static inline SmbProcessor
smb_processor(void) {
#if SMB_HAVE_X86
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
      !__builtin_cpu_supports("bmi") || !__builtin_cpu_supports("bmi2") ||
      !__builtin_cpu_supports("popcnt"))
    return SMB_PROCESSOR_ANY;
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
      !__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512dq") ||
      !__builtin_cpu_supports("avx512cd") || !__builtin_cpu_supports("avx512vbmi") ||
      !__builtin_cpu_supports("avx512vpopcntdq") || !__builtin_cpu_supports("gfni"))
    return SMB_PROCESSOR_AVX2;
  return SMB_PROCESSOR_AVX512;
#else
  return SMB_PROCESSOR_ANY;
#endif
}

G_END_DECLS
