// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT

#include "sim/exec/compute/multifunction.h"

#include <string.h>

// The unit interpolates: the first bits of a significand (or angle) choose a segment, the other 17 are x in
// c0 + c1 x + c2 x^2, of which the square leaves out partial products that are worth less than 2^-15, and the sum
// gets a constant. Oberman and Siu describe such a unit (A High-Performance Area-Efficient Multifunction Interpolator,
// 2005); all numbers here are measured.
typedef struct {
  gint32 c0, c1, c2;
} Segment;

#include "sim/exec/compute/multifunction-table.h"

enum {
  X_BITS = 17,
  SQUARE_FIRST = 19, // the columns of the square below are left out
  LOW_BITS = (SQUARE_FIRST - 1) / 2,
  SUM_BITS = 17, // of a sum behind the binary point of the last place
  ONE = 0x3f800000,
  INFINITE = 0x7f800000,
  MINUS_INFINITE = (gint32)0xff800000,
};

#define NOT_A_NUMBER 0x7fffffffu
#define SIGN         0x80000000u

// x^2 / 2^19 without what bits i and j of x add in columns below, i + j + 1 (or 2 i): all of the product of the low 9 bits is below,
// and of that of the high ones only the square of their last one, so that their square is cut off to be even.
static inline gint64
square(guint32 x) {
  guint32 high = x >> LOW_BITS, sum = high * high >> 1;
  for (guint i = 0; i < LOW_BITS; i++)
    sum += (x >> i & 1) * (x >> (SQUARE_FIRST - 1 - i));
  return sum;
}

// In units of 2^-17 of the last place. @w1, @w2: what c1 and c2 weigh; @constant: what is added.
static inline gint64
interpolate(const Segment *segment, guint32 x, gint w1, gint w2, gint constant) {
  return ((gint64)segment->c0 << (SUM_BITS - 2)) + (gint64)segment->c1 * x * w1 +
         (gint64)segment->c2 * square(x) * w2 + constant;
}

// @value * 2^@exponent as a binary32, cut off; @value is not negative.
static inline guint32
pack_binary32(guint32 sign, gint64 value, gint exponent) {
  if (!value)
    return sign;
  gint top = 63 - __builtin_clzll((guint64)value);
  guint32 significand = (guint32)(top > 23 ? value >> (top - 23) : value << (23 - top));
  gint biased = top + exponent + 127;
  return biased <= 0     ? sign
         : biased >= 255 ? sign | INFINITE
                         : sign | (guint32)biased << 23 | (significand & 0x7fffff);
}

static inline gboolean
is_nan_binary32(guint32 a) {
  return (a & ~SIGN) > INFINITE;
}

static inline gint
exponent_of(guint32 a) {
  return (gint)(a >> 23 & 0xff) - 127;
}

static inline gboolean
is_zero_binary32(guint32 a) {
  return exponent_of(a) == -127;
}

static inline gboolean
is_infinite(guint32 a) {
  return (a & ~SIGN) == INFINITE;
}

// The significand 1/m of m = 1.@fraction (23 bits), in units of 2^-24.
static inline gint64
reciprocal(guint32 fraction) {
  return interpolate(&reciprocals[fraction >> 16], (fraction & 0xffff) << 1, 2, 4, 8092) >>
         SUM_BITS;
}

guint32
smb_mufu_rcp(guint32 a) {
  if (is_nan_binary32(a))
    return NOT_A_NUMBER;
  if (is_infinite(a) || is_zero_binary32(a))
    return (a & SIGN) | (is_zero_binary32(a) ? INFINITE : 0);
  return pack_binary32(a & SIGN, reciprocal(a & 0x7fffff), -24 - exponent_of(a));
}

// 1/sqrt(m) of m = 1.@fraction, or twice that, in units of 2^-24.
static inline gint64
reciprocal_root(guint32 fraction, gboolean is_odd) {
  if (!fraction && !is_odd)
    return 1 << 24;
  const Segment *table = is_odd ? reciprocal_roots_2 : reciprocal_roots_1;
  return interpolate(&table[fraction >> X_BITS], fraction & 0x1ffff, 2, 4, -1) >> SUM_BITS;
}

guint32
smb_mufu_rsq(guint32 a) {
  if (is_nan_binary32(a))
    return NOT_A_NUMBER;
  if (is_zero_binary32(a))
    return (a & SIGN) | INFINITE;
  if (a & SIGN)
    return NOT_A_NUMBER;
  if (is_infinite(a))
    return 0;
  gint e = exponent_of(a), odd = e & 1;
  return pack_binary32(0, reciprocal_root(a & 0x7fffff, odd), -24 - (e - odd) / 2);
}

guint32
smb_mufu_sqrt(guint32 a) {
  if (is_nan_binary32(a))
    return NOT_A_NUMBER;
  if (is_zero_binary32(a))
    return a & SIGN;
  if (a & SIGN)
    return NOT_A_NUMBER;
  if (is_infinite(a))
    return a;
  gint e = exponent_of(a), odd = e & 1;
  const Segment *segment = &(odd ? roots_2 : roots_1)[a >> X_BITS & 0x3f];
  gint64 root = interpolate(segment, a & 0x1ffff, odd ? 2 : 1, 2, -1) >> SUM_BITS;
  return pack_binary32(0, root, -23 + (e - odd) / 2);
}

// The operand becomes a fixed-point number with 23 bits behind the point, cut off. A negative one is complemented bit
// by bit, unless it is a whole number.
guint32
smb_mufu_ex2(guint32 a) {
  if (is_nan_binary32(a))
    return NOT_A_NUMBER;
  gint e = exponent_of(a);
  if (e >= 8)
    return a & SIGN ? 0 : INFINITE;
  guint32 significand = (a & 0x7fffff) | 0x800000;
  gint32 fixed = is_zero_binary32(a) || e < -23 ? 0
                 : e < 0                        ? (gint32)(significand >> -e)
                                                : (gint32)(significand << e);
  if (a & SIGN)
    fixed = fixed & 0x7fffff ? ~fixed : -fixed;
  guint32 fraction = (guint32)fixed & 0x7fffff;
  gint64 power = interpolate(&powers[fraction >> X_BITS], fraction & 0x1ffff, 4, 4, 24456);
  return pack_binary32(0, power >> SUM_BITS, -23 + (fixed >> 23));
}

guint32
smb_mufu_lg2(guint32 a) {
  if (is_nan_binary32(a))
    return NOT_A_NUMBER;
  if (is_zero_binary32(a))
    return (guint32)MINUS_INFINITE;
  if (a & SIGN)
    return NOT_A_NUMBER;
  if (is_infinite(a) || a == ONE)
    return is_infinite(a) ? a : 0;
  // 36 bits behind the point; a negative sum is complemented bit by bit.
  gint64 sum =
      interpolate(&logarithms[a >> X_BITS & 0x3f], a & 0x1ffff, 4, 16, 6696) >> (SUM_BITS - 12);
  sum += (gint64)exponent_of(a) * (G_GINT64_CONSTANT(1) << 36);
  return pack_binary32(sum < 0 ? SIGN : 0, sum < 0 ? ~sum : sum, -36);
}

// For an angle with 25 bits behind the point, cut off. In the second and fourth quarter its bits are complemented.
static guint32
sine(guint32 a, guint quarters) {
  if (exponent_of(a) == 128)
    return NOT_A_NUMBER;
  gint e = exponent_of(a) + 2;
  guint64 significand = (a & 0x7fffff) | 0x800000;
  guint32 angle = is_zero_binary32(a) || e < -23 || e > 25 ? 0
                  : e < 0                                  ? (guint32)(significand >> -e)
                                                           : (guint32)(significand << e);
  guint quarter = (angle >> 23) + quarters;
  guint32 sign = (quarters ? 0 : a & SIGN) ^ (quarter & 2 ? SIGN : 0);
  guint32 part = (quarter & 1 ? ~angle : angle) & 0x7fffff;
  gint64 sum = interpolate(&sines[part >> X_BITS], part & 0x1ffff, 2, 16, 0);
  return pack_binary32(sign, sum >> (SUM_BITS - 13), -37);
}

guint32
smb_mufu_sin(guint32 a) {
  return sine(a, 0);
}

guint32
smb_mufu_cos(guint32 a) {
  return sine(a, 1);
}

// A smaller operand is its own hyperbolic tangent, also a subnormal one. From 8 on it is 1. 41 bits behind the point.
guint32
smb_mufu_tanh(guint32 a) {
  static const struct {
    guint8 first,
        bits; // the first segment of a binade, and how many bits of the significand choose one
  } binades[] = {{0, 0},  {1, 0},  {2, 0},  {3, 1},  {5, 1}, {7, 2},
                 {11, 2}, {15, 2}, {19, 3}, {27, 4}, {43, 3}};
  const gint least = -8;
  gint e = exponent_of(a);
  if (is_nan_binary32(a))
    return NOT_A_NUMBER;
  if (e < least)
    return a;
  if (e >= least + (gint)G_N_ELEMENTS(binades))
    return (a & SIGN) | ONE;
  guint32 fraction = a & 0x7fffff, bits = binades[e - least].bits;
  const Segment *segment = &tangents[binades[e - least].first + (fraction >> (23 - bits))];
  guint32 x = fraction >> (23 - X_BITS - bits) & 0x1ffff;
  return pack_binary32(a & SIGN, interpolate(segment, x, 1, 4, 0), -24 - SUM_BITS);
}

// --- binary16 and bfloat16

guint16
smb_mufu_half(guint32 (*function)(guint32 a), SmbScalar kind, guint16 a) {
  enum {
    HALF_BIAS = 15,
    HALF_CUT = 13 // bits of the significand that are not in a binary16
  };
  float wide = (float)smb_half_to_real(kind, a);
  guint32 operand;
  memcpy(&operand, &wide, sizeof operand);
  guint32 result = function(operand);
  if (is_nan_binary32(result))
    return 0x7fff;
  if (kind == SMB_SCALAR_BF16)
    return (guint16)(result >> 16);
  guint32 sign = result >> 16 & 0x8000, significand = (result & 0x7fffff) | 0x800000;
  gint biased = exponent_of(result) + HALF_BIAS;
  if (biased >= 31)
    return (guint16)(sign | 0x7c00);
  if (biased > 0)
    return (guint16)(sign | (guint32)biased << 10 | (result >> HALF_CUT & 0x3ff));
  return (guint16)(sign | (biased < -10 ? 0 : significand >> (HALF_CUT + 1 - biased)));
}

// --- the high word of a binary64: 20 bits of significand, the same segments

// @value * 2^@exponent, as above; @value has 24 bits.
static guint32
pack_high(guint32 sign, gint64 value, gint exponent) {
  gint top = 63 - __builtin_clzll((guint64)value), biased = top + exponent + 1023;
  guint32 significand = (guint32)(value >> (top - 20)) & 0xfffff;
  return biased <= 0 ? sign : sign | (guint32)biased << 20 | significand;
}

guint32
smb_mufu_rcp64h(guint32 a) {
  gint e = (gint)(a >> 20 & 0x7ff) - 1023;
  guint32 fraction = a & 0xfffff;
  if (e == 1024)
    return fraction ? NOT_A_NUMBER : a & SIGN;
  if (e == -1023)
    return (a & SIGN) | 0x7ff00000;
  return pack_high(a & SIGN, reciprocal(fraction << 3), -24 - e);
}

guint32
smb_mufu_rsq64h(guint32 a) {
  gint e = (gint)(a >> 20 & 0x7ff) - 1023, odd = e & 1;
  guint32 fraction = a & 0xfffff;
  if (e == 1024 && fraction)
    return NOT_A_NUMBER;
  if (e == -1023)
    return (a & SIGN) | 0x7ff00000;
  if (a & SIGN)
    return NOT_A_NUMBER;
  return e == 1024 ? 0 : pack_high(0, reciprocal_root(fraction << 3, odd), -24 - (e - odd) / 2);
}
