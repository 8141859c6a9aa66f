// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/exec/compute/real.h"

#include "sim/exec/compute/scalar.h"

// --- numbers as bits

typedef struct {
  guint fraction_bits;
  int bias;
} Format;

// TF32 is a binary32 of which the low bits are 0.
enum {
  TF32_FRACTION_BITS = 10,
  TF32_CUT_BITS = 23 - TF32_FRACTION_BITS,
};

// Bits of the fraction, and the bias of the exponent.
static Format
find_real_format(SmbScalar kind) {
  switch (kind) {
  case SMB_SCALAR_F16:
    return (Format){10, 15};
  case SMB_SCALAR_BF16:
    return (Format){7, 127};
  case SMB_SCALAR_F64:
    return (Format){52, 1023};
  case SMB_SCALAR_F32:
  case SMB_SCALAR_BOOL:
  case SMB_SCALAR_I8:
  case SMB_SCALAR_U8:
  case SMB_SCALAR_I16:
  case SMB_SCALAR_U16:
  case SMB_SCALAR_I32:
  case SMB_SCALAR_U32:
  case SMB_SCALAR_I64:
  case SMB_SCALAR_U64:
    break;
  }
  return (Format){23, 127};
}

static guint64
nan_of(SmbScalar kind) {
  return kind == SMB_SCALAR_F64 ? NAN_64 : kind == SMB_SCALAR_F32 ? NAN_32 : 0x7fff;
}

// Whether a magnitude, of which @rest (less than 1) is cut off behind @whole, is rounded up.
static gboolean
is_rounded_up(guint modifiers, gboolean negative, gboolean odd, double rest) {
  if (modifiers & MODIFIER_AWAY)
    return rest >= 0.5;
  switch (modifiers & MODIFIER_ROUND) {
  case MODIFIER_ZERO:
    return FALSE;
  case MODIFIER_DOWN:
    return negative && rest > 0;
  case MODIFIER_UP:
    return !negative && rest > 0;
  }
  return rest > 0.5 || (rest == 0.5 && odd);
}

static double
round_whole(guint modifiers, double real) {
  double size = fabs(real), whole = floor(size);
  if (is_rounded_up(modifiers, signbit(real), fmod(whole, 2) != 0, size - whole))
    whole++;
  return copysign(whole, real);
}

// What has no place in a format: infinity, or the largest number if it is rounded towards 0.
static guint64
overflow(guint modifiers, gboolean negative, guint64 infinity) {
  guint round = modifiers & MODIFIER_ROUND;
  gboolean inwards = round == MODIFIER_ZERO || round == (negative ? MODIFIER_UP : MODIFIER_DOWN);
  return inwards && !(modifiers & MODIFIER_AWAY) ? infinity - 1 : infinity;
}

guint64
smb_round_magnitude(guint fraction_bits, int bias, guint modifiers, double real) {
  double size = fabs(real);
  if (size == 0)
    return 0;
  // The exponent of the last bit that is kept: of the smallest numbers it is the same for all.
  int exponent;
  frexp(size, &exponent);
  int first = MAX(exponent - 1, 1 - bias);
  double scaled = ldexp(size, (int)fraction_bits - first), whole = floor(scaled);
  guint64 fraction = (guint64)whole;
  fraction += (guint64)is_rounded_up(modifiers, signbit(real), fraction & 1, scaled - whole);
  // With the bit that is not stored, which adds 1 to the exponent's field; so does what is rounded up to 2.
  return ((guint64)(first - (1 - bias)) << fraction_bits) + fraction;
}

static guint64
encode_magnitude(const Format *format, guint modifiers, double real) {
  guint64 infinity = (guint64)(2 * format->bias + 1) << format->fraction_bits;
  if (isinf(real))
    return modifiers & MODIFIER_FINITE ? infinity - 1 : infinity;
  guint64 bits = smb_round_magnitude(format->fraction_bits, format->bias, modifiers, real);
  if (bits < infinity)
    return bits;
  return modifiers & MODIFIER_FINITE ? infinity - 1 : overflow(modifiers, signbit(real), infinity);
}

// What NaN becomes as a TF32 (measured on an H100): .rna cuts the low bits off.
static guint64
tf32_nan(guint modifiers, guint64 bits) {
  guint64 low = low_ones(TF32_CUT_BITS);
  return (modifiers & MODIFIER_AWAY ? bits : NAN_32) & ~low;
}

// The bits of a number, which is exact, or has an odd last digit beyond those that are kept.
static guint64
encode_real(const Compute *compute, double real) {
  SmbScalar kind = (SmbScalar)compute->to;
  Format format = find_real_format(kind);
  guint cut = 0;
  if (compute->table == CONVERT_TF32) {
    cut = format.fraction_bits - TF32_FRACTION_BITS;
    format.fraction_bits = TF32_FRACTION_BITS;
  }
  if (isnan(real))
    return nan_of(kind);
  guint64 size = encode_magnitude(&format, compute->modifiers, real) << cut;
  gboolean subnormal = size >> (format.fraction_bits + cut) == 0;
  if (subnormal && compute->modifiers & MODIFIER_FLUSH && kind == SMB_SCALAR_F32)
    size = 0;
  return size | (guint64)(signbit(real) != 0) << (8 * smb_scalar_bytes(kind) - 1);
}

static double
decode_real(const Compute *compute, guint64 bits) {
  // Not on the way to binary16 (measured on an H100).
  gboolean flushes = compute->modifiers & MODIFIER_FLUSH && compute->to != SMB_SCALAR_F16;
  switch ((SmbScalar)compute->from) {
  case SMB_SCALAR_F16:
  case SMB_SCALAR_BF16:
    return smb_half_to_real((SmbScalar)compute->from, (guint16)bits);
  case SMB_SCALAR_F32: {
    float real = float_of((guint32)bits);
    return flushes && fabsf(real) < FLT_MIN ? copysign(0, (double)real) : (double)real;
  }
  case SMB_SCALAR_F64:
  case SMB_SCALAR_BOOL:
  case SMB_SCALAR_I8:
  case SMB_SCALAR_U8:
  case SMB_SCALAR_I16:
  case SMB_SCALAR_U16:
  case SMB_SCALAR_I32:
  case SMB_SCALAR_U32:
  case SMB_SCALAR_I64:
  case SMB_SCALAR_U64:
    break;
  }
  return double_of(bits);
}

// --- integers

static gboolean
is_signed(SmbScalar kind) {
  return kind == SMB_SCALAR_I8 || kind == SMB_SCALAR_I16 || kind == SMB_SCALAR_I32 ||
         kind == SMB_SCALAR_I64;
}

static Wide
read_integer_bits(SmbScalar kind, guint64 bits) {
  guint room = 64 - 8 * (guint)smb_scalar_bytes(kind);
  guint64 high = bits << room;
  return is_signed(kind) ? (Wide)((gint64)high >> room) : (Wide)(high >> room);
}

static Wide
clamp_integer(SmbScalar kind, Wide x) {
  guint bits = 8 * (guint)smb_scalar_bytes(kind);
  Wide top = ((Wide)1 << (is_signed(kind) ? bits - 1 : bits)) - 1;
  Wide bottom = is_signed(kind) ? -top - 1 : 0;
  return CLAMP(x, bottom, top);
}

// A whole number as a double: exact, or with an odd last digit.
static double
integer_to_odd(Wide x) {
  double size = smb_scalar_odd_double((guint64)(x < 0 ? -x : x));
  return x < 0 ? -size : size;
}

static guint64
integer_to_double(guint modifiers, Wide x) {
  guint64 size = (guint64)(x < 0 ? -x : x);
  guint excess = size >> DBL_MANT_DIG ? 64 - (guint)__builtin_clzll(size) - DBL_MANT_DIG : 0;
  guint64 whole = size >> excess, rest = size & low_ones(excess);
  whole += (guint64)is_rounded_up(modifiers, x < 0, whole & 1, ldexp((double)rest, -(int)excess));
  double real = ldexp((double)whole, (int)excess);
  return double_bits(x < 0 ? -real : real);
}

// What is beyond the range becomes its end (PTX ISA, cvt); NaN becomes 0, but the number of which only the highest bit
// is set where either type has 64 bits (measured on an H100).
static Wide
convert_real_to_integer(SmbScalar kind, SmbScalar from, guint modifiers, double real) {
  gboolean truncates = (modifiers & (MODIFIER_ROUND | MODIFIER_AWAY)) == MODIFIER_ZERO;
  if (truncates && fabs(real) < 0x1p53) // as the processor does
    return clamp_integer(kind, (gint64)real);
  double whole = round_whole(modifiers, real);
  guint bits = 8 * (guint)smb_scalar_bytes(kind);
  Wide highest = is_signed(kind) ? -((Wide)1 << (bits - 1)) : (Wide)1 << (bits - 1);
  if (isnan(real))
    return from == SMB_SCALAR_F64 || bits == 64 ? highest : 0;
  return clamp_integer(kind, whole >= 0x1p100    ? (Wide)1 << 100
                             : whole <= -0x1p100 ? -((Wide)1 << 100)
                                                 : (Wide)whole);
}

static double
limit(guint modifiers, double real) {
  if (modifiers & MODIFIER_SATURATE)
    return isnan(real) || real <= 0 ? 0 : MIN(real, 1);
  return modifiers & MODIFIER_RELU && real <= 0 ? 0 : real;
}

// A conversion that the processor does alike: of a whole number, rounded to the nearest real one.
static gboolean
convert_at_once(const Compute *compute, guint64 bits, guint64 *result) {
  SmbScalar from = (SmbScalar)compute->from;
  if (compute->modifiers != 0 || compute->to != SMB_SCALAR_F32 ||
      (from != SMB_SCALAR_I32 && from != SMB_SCALAR_U32))
    return FALSE;
  float real = from == SMB_SCALAR_I32 ? (float)(gint32)bits : (float)(guint32)bits;
  guint32 word;
  memcpy(&word, &real, sizeof word);
  *result = word;
  return TRUE;
}

guint64
smb_convert(const Compute *compute, guint64 bits) {
  SmbScalar from = (SmbScalar)compute->from, to = (SmbScalar)compute->to;
  guint modifiers = compute->modifiers;
  guint64 result;
  if (convert_at_once(compute, bits, &result))
    return result;
  guint64 width = low_ones(8 * compute->bytes);
  if (!smb_scalar_is_real(from)) {
    Wide x = read_integer_bits(from, bits);
    if (!smb_scalar_is_real(to))
      return (guint64)(modifiers & MODIFIER_SATURATE ? clamp_integer(to, x)
                                                     : read_integer_bits(to, (guint64)x)) &
             width;
    if (modifiers & MODIFIER_SATURATE)
      x = CLAMP(x, 0, 1);
    return to == SMB_SCALAR_F64 ? integer_to_double(modifiers, x)
                                : encode_real(compute, integer_to_odd(x));
  }
  double real = decode_real(compute, bits);
  if (!smb_scalar_is_real(to))
    return (guint64)convert_real_to_integer(to, from, modifiers, real) & width;
  // The upper half of a binary32 is one, of NaN as well (measured on an H100).
  if (isnan(real) && from == SMB_SCALAR_BF16 && to == SMB_SCALAR_F32 &&
      !(modifiers & (MODIFIER_SATURATE | MODIFIER_FLUSH)))
    return bits << 16;
  if (isnan(real) && compute->table == CONVERT_TF32 && from == SMB_SCALAR_F32 &&
      to == SMB_SCALAR_F32 && !(modifiers & MODIFIER_FINITE))
    return tf32_nan(modifiers, bits);
  if (modifiers & MODIFIER_INTEGER)
    real = round_whole(modifiers, real);
  return encode_real(compute, limit(modifiers, real));
}

// --- binary16 and bfloat16

double
smb_half_operand(const Compute *compute, SmbScalar kind, guint16 bits) {
  gboolean subnormal = kind == SMB_SCALAR_F16 && !(bits & 0x7c00);
  if (subnormal && compute->modifiers & MODIFIER_FLUSH)
    return bits >> 15 ? -0.0 : 0.0;
  return smb_half_to_real(kind, bits);
}

guint16
smb_half_result(const Compute *compute, SmbScalar kind, double real) {
  guint16 bits = smb_half_from_real(kind, limit(compute->modifiers, real));
  gboolean subnormal = kind == SMB_SCALAR_F16 && !(bits & 0x7c00);
  return subnormal && compute->modifiers & MODIFIER_FLUSH ? bits & 0x8000 : bits;
}

// The product is exact. What the sum loses is exact, too (Knuth, TAOCP 2, 4.2.2, theorem B).
double
smb_multiply_add_to_odd(double x, double y, double z) {
  double product = x * y, sum = product + z, back = sum - product;
  double lost = (product - (sum - back)) + (z - back);
  guint64 bits = double_bits(sum);
  if (isfinite(sum) && lost != 0 && !(bits & 1))
    bits += (lost > 0) == (sum > 0) ? 1 : G_MAXUINT64;
  return double_of(bits);
}
