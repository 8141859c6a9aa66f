// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/base/half.h"

#include <math.h>

typedef struct {
  guint fraction_bits;
  int bias;
} Format;

static const Format *
find_format(SmbScalar kind) {
  static const Format half = {10, 15}, bfloat = {7, 127};
  return kind == SMB_SCALAR_F16 ? &half : &bfloat;
}

double
smb_half_to_real(SmbScalar kind, guint16 bits) {
  const Format *format = find_format(kind);
  int one = 1 << format->fraction_bits; // the bit that is not stored
  int fraction = bits & (one - 1), exponent = (bits & 0x7fff) >> format->fraction_bits;
  double value;
  if (exponent == 2 * format->bias + 1)
    value = fraction ? (double)NAN : (double)INFINITY;
  else if (exponent == 0)
    value = ldexp(fraction, 1 - format->bias - (int)format->fraction_bits);
  else
    value = ldexp(fraction + one, exponent - format->bias - (int)format->fraction_bits);
  return bits >> 15 ? -value : value;
}

guint16
smb_half_from_real(SmbScalar kind, double value) {
  const Format *format = find_format(kind);
  guint infinity = (2 * (guint)format->bias + 1) << format->fraction_bits;
  guint sign = signbit(value) ? 0x8000 : 0;
  int exponent;
  if (isnan(value))
    return 0x7fff;
  if (isinf(value) || value == 0)
    return (guint16)(sign | (value == 0 ? 0 : infinity));
  // The exponent of the last bit that is kept: of the smallest numbers it is the same for all.
  frexp(value, &exponent);
  int last = MAX(exponent - 1, 1 - format->bias) - (int)format->fraction_bits;
  // With the bit that is not stored, which adds 1 to the exponent's field; so does what is rounded up to 2.
  guint fraction = (guint)rint(ldexp(fabs(value), -last));
  int field = last + (int)format->fraction_bits - (1 - format->bias);
  if (field > 2 * format->bias)
    return (guint16)(sign | infinity);
  return (guint16)(sign | MIN(((guint)field << format->fraction_bits) + fraction, infinity));
}
