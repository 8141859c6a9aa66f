// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Sizes, names and bits of the kinds of numbers; conversions of half-precision numbers.
#include "sim/base/scalar.h"

#include <float.h>
#include <math.h>
#include <string.h>

gsize
smb_scalar_bytes(SmbScalar scalar) {
  static const guint8 bytes[] = {
      [SMB_SCALAR_BOOL] = 1, [SMB_SCALAR_I8] = 1,  [SMB_SCALAR_U8] = 1,   [SMB_SCALAR_I16] = 2,
      [SMB_SCALAR_U16] = 2,  [SMB_SCALAR_I32] = 4, [SMB_SCALAR_U32] = 4,  [SMB_SCALAR_I64] = 8,
      [SMB_SCALAR_U64] = 8,  [SMB_SCALAR_F16] = 2, [SMB_SCALAR_BF16] = 2, [SMB_SCALAR_F32] = 4,
      [SMB_SCALAR_F64] = 8,
  };
  return bytes[scalar];
}

gint64
smb_scalar_wrap(SmbScalar scalar, gint64 value) {
  switch (scalar) {
  case SMB_SCALAR_BOOL:
    return value != 0;
  case SMB_SCALAR_I8:
    return (gint8)value;
  case SMB_SCALAR_U8:
    return (guint8)value;
  case SMB_SCALAR_I16:
    return (gint16)value;
  case SMB_SCALAR_U16:
    return (guint16)value;
  case SMB_SCALAR_I32:
    return (gint32)value;
  case SMB_SCALAR_U32:
    return (guint32)value;
  case SMB_SCALAR_I64:
  case SMB_SCALAR_U64:
  case SMB_SCALAR_F16:
  case SMB_SCALAR_BF16:
  case SMB_SCALAR_F32:
  case SMB_SCALAR_F64:
    return value;
  }
  g_assert_not_reached();
}

enum {
  DOUBLE_BIAS = DBL_MAX_EXP - 1,
  DOUBLE_FRACTION = DBL_MANT_DIG - 1, // bits that are stored
};

// A kind of 16 bits. The host may have neither, so their bits are made here.
typedef struct {
  guint fraction_bits;
  int bias;
} Format;

static const Format *
find_scalar_format(SmbScalar kind) {
  static const Format half = {10, 15}, bfloat = {7, 127};
  return kind == SMB_SCALAR_F16 ? &half : &bfloat;
}

// 2 to the power of an exponent that a normal double has.
static double
power_of_two(int exponent) {
  guint64 bits = (guint64)(exponent + DOUBLE_BIAS) << DOUBLE_FRACTION;
  double power;
  memcpy(&power, &bits, sizeof power);
  return power;
}

double
smb_half_to_real(SmbScalar kind, guint16 bits) {
  const Format *format = find_scalar_format(kind);
  int one = 1 << format->fraction_bits; // the bit that is not stored
  int fraction = bits & (one - 1), exponent = (bits & 0x7fff) >> format->fraction_bits;
  double value;
  if (exponent == 2 * format->bias + 1)
    value = fraction ? (double)NAN : (double)INFINITY;
  else
    value = (exponent ? fraction + one : fraction) *
            power_of_two(MAX(exponent, 1) - format->bias - (int)format->fraction_bits);
  return bits >> 15 ? -value : value;
}

guint16
smb_half_from_real(SmbScalar kind, double value) {
  const Format *format = find_scalar_format(kind);
  guint infinity = (2 * (guint)format->bias + 1) << format->fraction_bits;
  guint64 bits;
  memcpy(&bits, &value, sizeof bits);
  guint sign = (guint)(bits >> 63) << 15;
  int exponent = (int)(bits >> DOUBLE_FRACTION & (2 * DOUBLE_BIAS + 1)) - DOUBLE_BIAS;
  if (isnan(value))
    return 0x7fff;
  if (exponent > format->bias)
    return (guint16)(sign | infinity);
  // The exponent of the last bit that is kept: of the smallest numbers it is the same for all.
  int last = MAX(exponent, 1 - format->bias) - (int)format->fraction_bits;
  // With the bit that is not stored, which adds 1 to the exponent's field; so does what is rounded up to 2. To a whole number, and of two as near to the even one.
  double whole = 1.0 / DBL_EPSILON;
  guint fraction = (guint)(fabs(value) * power_of_two(-last) + whole - whole);
  guint field = (guint)(last + (int)format->fraction_bits - (1 - format->bias));
  return (guint16)(sign | MIN((field << format->fraction_bits) + fraction, infinity));
}

// Hosts of this program are little-endian, like the device.
void
smb_scalar_encode_real(SmbScalar scalar, double number, guchar *bytes) {
  float single = (float)number;
  if (scalar == SMB_SCALAR_F64) {
    memcpy(bytes, &number, sizeof number);
  } else if (scalar == SMB_SCALAR_F32) {
    memcpy(bytes, &single, sizeof single);
  } else {
    guint16 half = smb_half_from_real(scalar, number);
    memcpy(bytes, &half, sizeof half);
  }
}

double
smb_scalar_odd_double(guint64 number) {
  enum {
    EXCESS = 64 - DBL_MANT_DIG,
  };
  guint64 left_out = number & (((guint64)1 << EXCESS) - 1);
  if (number >> DBL_MANT_DIG)
    number = (number >> EXCESS | (left_out != 0)) << EXCESS;
  return (double)number;
}

void
smb_scalar_encode_whole(SmbScalar scalar, guint64 number, guchar *bytes) {
  guint64 integer = (guint64)smb_scalar_wrap(scalar, (gint64)number);
  if (scalar == SMB_SCALAR_F64)
    smb_scalar_encode_real(scalar, (double)number, bytes);
  else if (smb_scalar_is_real(scalar))
    smb_scalar_encode_real(scalar, smb_scalar_odd_double(number), bytes);
  else
    memcpy(bytes, &integer, smb_scalar_bytes(scalar));
}

void
smb_scalar_decode(SmbScalar scalar, const guchar *bytes, gint64 *whole, double *real) {
  float single;
  guint16 half;
  *whole = 0;
  *real = 0;
  if (scalar == SMB_SCALAR_F64) {
    memcpy(real, bytes, sizeof *real);
  } else if (scalar == SMB_SCALAR_F32) {
    memcpy(&single, bytes, sizeof single);
    *real = (double)single;
  } else if (smb_scalar_is_real(scalar)) {
    memcpy(&half, bytes, sizeof half);
    *real = smb_half_to_real(scalar, half);
  } else {
    memcpy(whole, bytes, smb_scalar_bytes(scalar));
    *whole = smb_scalar_wrap(scalar, *whole);
  }
}

void
smb_scalar_canonical(SmbScalar scalar, gpointer bytes, gsize length) {
  static const guint32 single_nan = 0x7fffffff;
  static const guint64 double_nan = G_GUINT64_CONSTANT(0x7ff8000000000000);
  static const guint16 half_nan = 0x7fff;
  guchar *at = bytes;
  gboolean is_half = scalar == SMB_SCALAR_F16 || scalar == SMB_SCALAR_BF16;
  for (gsize i = 0; is_half && i + sizeof(guint16) <= length; i += sizeof(guint16)) {
    guint16 value;
    memcpy(&value, at + i, sizeof value);
    if (isnan(smb_half_to_real(scalar, value)))
      memcpy(at + i, &half_nan, sizeof half_nan);
  }
  for (gsize i = 0; scalar == SMB_SCALAR_F32 && i + sizeof(float) <= length; i += sizeof(float)) {
    float value;
    memcpy(&value, at + i, sizeof value);
    if (isnan(value))
      memcpy(at + i, &single_nan, sizeof single_nan);
  }
  for (gsize i = 0; scalar == SMB_SCALAR_F64 && i + sizeof(double) <= length; i += sizeof(double)) {
    double value;
    memcpy(&value, at + i, sizeof value);
    if (isnan(value))
      memcpy(at + i, &double_nan, sizeof double_nan);
  }
}
