// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Conversions to and from floating-point numbers of 4, 6 and 8 bits (PTX ISA 9.0, cvt; what happens to NaN and of
// numbers beyond the range: cuda_fp8.hpp, cuda_fp6.hpp and cuda_fp4.hpp of CUDA 13.0).
#include "sim/exec/compute/real.h"

// @largest: the largest magnitude; @nan: what NaN becomes, without a sign
typedef struct {
  guint bits, fraction_bits;
  int bias;
  guint32 largest, nan;
} Narrow;

static const Narrow formats[N_NARROW_FORMATS] = {
    [NARROW_E4M3] = {8, 3, 7, 0x7e, 0x7f}, [NARROW_E5M2] = {8, 2, 15, 0x7b, 0x7f},
    [NARROW_E2M3] = {6, 3, 1, 0x1f, 0x1f}, [NARROW_E3M2] = {6, 2, 3, 0x1f, 0x1f},
    [NARROW_E2M1] = {4, 1, 1, 0x07, 0x07}, [NARROW_UE8M0] = {8, 0, 127, 0xfe, 0xff},
};

// Two numbers lie in bytes, or in the halves of one.
static guint
place_bits(const Narrow *format) {
  return format->bits == 4 ? 4 : 8;
}

// The exponent, of a magnitude that is rounded to a power of 2; the smallest one stands for all below.
static guint32
encode_power(guint modifiers, double real) {
  int exponent;
  double size = fabs(real), part = frexp(size, &exponent); // from 0.5 up to 1
  if (isnan(real))
    return 0xff;
  if (isinf(real))
    return modifiers & MODIFIER_FINITE ? 0xfe : 0xff;
  gboolean up = (modifiers & MODIFIER_ROUND) == MODIFIER_UP && part > 0.5;
  int field = size == 0 ? 0 : exponent - 1 + 127 + up;
  return (guint32)CLAMP(field, 0, modifiers & MODIFIER_FINITE ? 0xfe : 0xff);
}

static guint32
encode_narrow(const Compute *compute, double real) {
  const Narrow *format = &formats[compute->table];
  if (compute->table == NARROW_UE8M0)
    return encode_power(compute->modifiers, real);
  if (isnan(real))
    return format->nan;
  if (compute->modifiers & MODIFIER_RELU && real <= 0)
    return 0;
  guint64 size = isinf(real) ? format->largest
                             : smb_round_magnitude(format->fraction_bits, format->bias,
                                                   compute->modifiers, real);
  return (guint32)MIN(size, format->largest) | (guint32)(signbit(real) != 0) << (format->bits - 1);
}

guint32
smb_narrow(const Compute *compute, double high, double low) {
  guint shift = place_bits(&formats[compute->table]);
  return encode_narrow(compute, high) << shift | encode_narrow(compute, low);
}

// An infinity (of E5M2) has the bits that are next to the largest number's.
static double
decode_narrow(const Narrow *format, guint32 bits) {
  guint32 size = bits & ((1u << (format->bits - 1)) - 1),
          infinity = format->bits == 8 ? 0x7c : 0x80;
  guint32 fraction = size & ((1u << format->fraction_bits) - 1);
  guint32 field = size >> format->fraction_bits;
  if (size > format->largest)
    return format->fraction_bits == 2 && size == infinity ? INFINITY : (double)NAN;
  guint32 whole = field ? fraction | 1u << format->fraction_bits : fraction;
  return ldexp(whole, (int)MAX(field, 1) - format->bias - (int)format->fraction_bits);
}

static guint16
widen_one(const Compute *compute, guint32 bits) {
  const Narrow *format = &formats[compute->table];
  if (compute->table == NARROW_UE8M0) // 2^-127 is below the normal numbers
    return (guint16)(bits == 0xff ? 0x7fff : bits == 0 ? 0x40 : bits << 7);
  gboolean negative = bits >> (format->bits - 1) & 1;
  double size = decode_narrow(format, bits);
  if (isnan(size))
    return 0x7fff;
  if (negative && compute->modifiers & MODIFIER_RELU)
    return 0;
  return smb_half_from_real(SMB_SCALAR_F16, negative ? -size : size);
}

guint32
smb_widen(const Compute *compute, guint32 pair) {
  const Narrow *format = &formats[compute->table];
  guint shift = place_bits(format);
  guint32 ones = (1u << format->bits) - 1;
  return (guint32)widen_one(compute, pair >> shift & ones) << 16 | widen_one(compute, pair & ones);
}
