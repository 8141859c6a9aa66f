// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What operations.def calls for floating point in one lane.
// Private to sim/exec.
#pragma once

#include <float.h>
#include <math.h>
#include <string.h>

#include "sim/base/scalar.h"
#include "sim/exec/compute/compute.h"

// The NaN of results (PTX ISA, floating point instructions; of 64 bits any may be).
#define NAN_32  0x7fffffffu
#define NAN_64  G_GUINT64_CONSTANT(0x7ff8000000000000)
#define SIGN_64 G_GUINT64_CONSTANT(0x8000000000000000)

static inline float
float_of(guint32 bits) {
  float real;
  memcpy(&real, &bits, sizeof real);
  return real;
}

static inline guint32
float_bits(float real) {
  guint32 bits;
  memcpy(&bits, &real, sizeof bits);
  return bits;
}

static inline double
double_of(guint64 bits) {
  double real;
  memcpy(&real, &bits, sizeof real);
  return real;
}

static inline guint64
double_bits(double real) {
  guint64 bits;
  memcpy(&bits, &real, sizeof bits);
  return bits;
}

// --- extremes: a number prevails over NaN unless MODIFIER_NAN; -0 is less than +0 (PTX ISA, min and max)

static inline double
choose_extreme(guint modifiers, double x, double y, gboolean largest) {
  if (isnan(x) || isnan(y))
    return modifiers & MODIFIER_NAN || (isnan(x) && isnan(y)) ? (double)NAN : isnan(x) ? y : x;
  gboolean first = x < y || (x == y && signbit(x));
  return first != largest ? x : y;
}

static inline double
real_extreme(guint modifiers, double x, double y, gboolean largest) {
  double sign = signbit(x) != signbit(y) ? -1 : 1;
  gboolean absolute = modifiers & MODIFIER_ABSOLUTE;
  double result =
      choose_extreme(modifiers, absolute ? fabs(x) : x, absolute ? fabs(y) : y, largest);
  return modifiers & MODIFIER_XOR_SIGN ? copysign(result, sign) : result;
}

static inline double
real_minimum(guint modifiers, double x, double y) {
  return real_extreme(modifiers, x, y, FALSE);
}

static inline double
real_maximum(guint modifiers, double x, double y) {
  return real_extreme(modifiers, x, y, TRUE);
}

// --- classes (PTX ISA, testp): zeros are normal

typedef enum {
  CLASS_FINITE,
  CLASS_INFINITE,
  CLASS_NUMBER,
  CLASS_NOT_A_NUMBER,
  CLASS_NORMAL,
  CLASS_SUBNORMAL,
} RealClass;

// @is_large: it is not below the smallest normal number.
static inline gboolean
is_class(guint class, double x, gboolean is_large) {
  switch ((RealClass) class) {
  case CLASS_FINITE:
    return isfinite(x);
  case CLASS_INFINITE:
    return isinf(x);
  case CLASS_NUMBER:
    return !isnan(x);
  case CLASS_NOT_A_NUMBER:
    return isnan(x);
  case CLASS_NORMAL:
    return isfinite(x) && (is_large || x == 0);
  case CLASS_SUBNORMAL:
    return isfinite(x) && !is_large && x != 0;
  }
  g_assert_not_reached();
}

// --- binary16 and bfloat16: computed as doubles, which have more than twice their digits, and rounded once more

double smb_half_operand(const Compute *compute, SmbScalar kind, guint16 bits);
guint16 smb_half_result(const Compute *compute, SmbScalar kind, double real);
// A product and sum, rounded to an odd last digit where it is not exact, so that it can be rounded once more.
double smb_multiply_add_to_odd(double x, double y, double z);

#define half_operand(compute, kind, x) smb_half_operand(compute, kind, x)
#define HALF(compute, kind, x)         smb_half_operand(compute, kind, x)
#define half_add(op, kind, x, y)       smb_half_result(op, kind, HALF(op, kind, x) + HALF(op, kind, y))
#define half_subtract(op, kind, x, y)                                                              \
  smb_half_result(op, kind, HALF(op, kind, x) - HALF(op, kind, y))
#define half_multiply(op, kind, x, y)                                                              \
  smb_half_result(op, kind, HALF(op, kind, x) * HALF(op, kind, y))
#define half_multiply_add(op, kind, x, y, z)                                                       \
  smb_half_result(                                                                                 \
      op, kind, smb_multiply_add_to_odd(HALF(op, kind, x), HALF(op, kind, y), HALF(op, kind, z)))
#define half_minimum(op, kind, x, y)                                                               \
  smb_half_result(op, kind, real_minimum((op)->modifiers, HALF(op, kind, x), HALF(op, kind, y)))
#define half_maximum(op, kind, x, y)                                                               \
  smb_half_result(op, kind, real_maximum((op)->modifiers, HALF(op, kind, x), HALF(op, kind, y)))
#define half_negate(op, kind, x)   smb_half_result(op, kind, -HALF(op, kind, x))
#define half_absolute(op, kind, x) smb_half_result(op, kind, fabs(HALF(op, kind, x)))

// --- conversions: Compute.from, .to, .bytes, and modifiers

guint64 smb_convert(const Compute *compute, guint64 bits);
#define convert(compute, x) smb_convert(compute, x)
// The exponent and fraction of a finite magnitude in a format, rounded as the modifiers say; it may be beyond its
// range.
guint64 smb_round_magnitude(guint fraction_bits, int bias, guint modifiers, double real);

// --- pairs of numbers of 4, 6 and 8 bits (sim/exec/compute/narrow.c): Compute.table is a NarrowFormat; @high lies
// above @low

typedef enum {
  NARROW_E4M3,
  NARROW_E5M2,
  NARROW_E2M3,
  NARROW_E3M2,
  NARROW_E2M1,
  NARROW_UE8M0, // a power of 2 without a sign
  N_NARROW_FORMATS,
} NarrowFormat;

guint32 smb_narrow(const Compute *compute, double high, double low);
// To binary16, of NARROW_UE8M0 to bfloat16.
guint32 smb_widen(const Compute *compute, guint32 pair);
#define narrow_pair(op, x, y) smb_narrow(op, (double)float_of(x), (double)float_of(y))
#define narrow_halves(op, kind, x)                                                                 \
  smb_narrow(op, smb_half_to_real(kind, (guint16)((x) >> 16)), smb_half_to_real(kind, (guint16)(x)))
#define widen(op, x) smb_widen(op, x)
