// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Arithmetic of one warp: all its lanes at once, @n of them (a multiple of ROW_LANES), as C defines it where it does, and as the hardware does it
// elsewhere (integers wrap; a shift by the width or more leaves zeros, or sign bits). Values of up to 32
// bits lie in 4 bytes each, sign- or zero-extended (the bits of 16-bit reals zero-extended); 64-bit values in 8. For any front end.
#pragma once

#include "sim/machine/machine.h"

typedef enum {
  ARITH_ADD,
  ARITH_SUB,
  ARITH_MUL,
  ARITH_DIV,
  ARITH_MOD,
  ARITH_SHL, // the second operand of a shift is a U32, whatever the kind of the first
  ARITH_SHR,
  ARITH_AND,
  ARITH_OR,
  ARITH_XOR,
  ARITH_LT, // comparisons give 0 or 1 in 4 bytes
  ARITH_LE,
  ARITH_GT,
  ARITH_GE,
  ARITH_EQ,
  ARITH_NE,
} ArithBinary;

typedef enum {
  ARITH_NEGATE,
  ARITH_COMPLEMENT,
  ARITH_NOT, // of 4 bytes: whether they are 0
} ArithUnary;

typedef enum {
  ARITH_MIN,
  ARITH_MAX,
  ARITH_ABS,
  ARITH_SQRT, // from here on of reals
  ARITH_RSQRT,
  ARITH_EXP,
  ARITH_EXP2,
  ARITH_LOG,
  ARITH_LOG2,
  ARITH_SIN,
  ARITH_COS,
  ARITH_TANH,
  ARITH_TAN,
  ARITH_ASIN,
  ARITH_ACOS,
  ARITH_ATAN,
  ARITH_SINH,
  ARITH_COSH,
  ARITH_ROUND,
  ARITH_TRUNC,
  ARITH_RINT,
  ARITH_LOG10,
  ARITH_LOG1P,
  ARITH_EXPM1,
  ARITH_CBRT,
  ARITH_ERF,
  ARITH_ATAN2,
  ARITH_HYPOT,
  ARITH_COPYSIGN,
  ARITH_FDIM,
  ARITH_FLOOR,
  ARITH_CEIL,
  ARITH_POW,
  ARITH_FMOD,
  ARITH_DIVIDE,
  ARITH_FMA,
  ARITH_POPC, // from here on of U32 or U64; all but the last give an I32
  ARITH_CLZ,
  ARITH_FFS,
  ARITH_BREV,
} ArithFunction;

// out = a operation b. @kind is that of both operands: of 32 bits or more, but for comparisons.
void smb_arith_binary(ArithBinary operation, SmbScalar kind, guint n, const void *a, const void *b,
                      void *out);

void smb_arith_unary(ArithUnary operation, SmbScalar kind, guint n, const void *a, void *out);

// For 1 to 3 operands, as the function takes them (function.c).
void smb_arith_function(ArithFunction function, SmbScalar kind, guint n,
                        const void *const *operands, void *out);

// Lanes of @lanes in which a division by @b is not defined: an integer one by 0.
SmbLanes smb_arith_division_faults(SmbScalar kind, guint n, const void *b, SmbLanes lanes);

// --- conversions (convert.c)

// From one kind of number to another: reals towards zero, and to the nearest end of the range.
void smb_arith_convert(SmbScalar from, SmbScalar to, guint n, const void *a, void *out);

// One number in all lanes: @integer, or @real if the kind is real.
void smb_arith_fill(SmbScalar kind, guint n, gint64 integer, double real, void *out);
