// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The numbers of a product, and their sums: eight columns at a time, in loops that a compiler makes vector code of.
#include <math.h>
#include <string.h>

#include "sim/base/scalar.h"
#include "sim/exec/compute/real.h"
#include "sim/exec/product/product.h"

// --- what a number is

// Of numbers with fewer than 32 bits, and of TF32: how they are written.
typedef struct {
  guint8 bits;     // that it takes
  guint8 unused;   // low ones
  guint8 fraction; // 0: it is an integer
  gint16 bias;
  gboolean has_infinity;
} NumberFormat;

static const NumberFormat number_formats[N_PRODUCT_NUMBERS] = {
    [PRODUCT_F16] = {16, 0, 10, 15, TRUE},
    [PRODUCT_BF16] = {16, 0, 7, 127, TRUE},
    [PRODUCT_TF32] = {32, 13, 10, 127, TRUE},
    [PRODUCT_E4M3] = {8, 0, 3, 7, FALSE},
    [PRODUCT_E5M2] = {8, 0, 2, 15, TRUE},
    [PRODUCT_F32] = {32, 0, 23, 127, TRUE},
    [PRODUCT_F64] = {.bits = 64},
    [PRODUCT_S8] = {.bits = 8},
    [PRODUCT_U8] = {.bits = 8},
    [PRODUCT_S4] = {.bits = 4},
    [PRODUCT_U4] = {.bits = 4},
    [PRODUCT_B1] = {.bits = 32},
    [PRODUCT_S32] = {.bits = 32},
};

guint
smb_product_bits(ProductNumber number) {
  return number_formats[number].bits;
}

// 2 to the power of @exponent, that of a normal number.
static double
power_of_two(gint32 exponent) {
  return double_of((guint64)(1023 + exponent) << 52);
}

static gboolean
read_real(const NumberFormat *format, guint32 bits, double *real, gint32 *exponent) {
  guint fraction = format->fraction, width = format->bits - format->unused;
  bits >>= format->unused;
  guint32 low = bits & ((1u << fraction) - 1), top = (1u << (width - 1 - fraction)) - 1;
  guint32 written = bits >> fraction & top;
  gboolean negative = bits >> (width - 1) & 1;
  *exponent = (gint32)MAX(written, 1) - format->bias;
  if (written == top && (format->has_infinity || low + 1 == 1u << fraction)) {
    *real = format->has_infinity && low == 0 ? (negative ? -INFINITY : INFINITY) : (double)NAN;
    return FALSE;
  }
  guint32 whole = written ? low | 1u << fraction : low;
  double size = (double)whole * power_of_two(*exponent - (gint32)fraction);
  *real = negative ? -size : size;
  if (!whole)
    *exponent = PRODUCT_NO_EXPONENT;
  return TRUE;
}

gboolean
smb_product_read(ProductNumber number, guint64 bits, double *real, gint32 *whole) {
  switch (number) {
  case PRODUCT_F64:
    *real = double_of(bits);
    return TRUE;
  case PRODUCT_S8:
    *whole = (gint8)bits;
    return TRUE;
  case PRODUCT_U8:
    *whole = (guint8)bits;
    return TRUE;
  case PRODUCT_S4:
    *whole = (gint32)((bits & 15) ^ 8) - 8;
    return TRUE;
  case PRODUCT_U4:
    *whole = bits & 15;
    return TRUE;
  case PRODUCT_B1:
  case PRODUCT_S32:
    *whole = (gint32)(guint32)bits;
    return TRUE;
  case PRODUCT_F16:
  case PRODUCT_BF16:
  case PRODUCT_TF32:
  case PRODUCT_E4M3:
  case PRODUCT_E5M2:
  case PRODUCT_F32:
  case N_PRODUCT_NUMBERS:
    break;
  }
  return read_real(&number_formats[number], (guint32)bits, real, whole);
}

// --- how a chip adds

typedef struct {
  guint first;                            // chip
  guint8 block, block_tf32, block_narrow; // 0: all
  guint8 digits, digits_narrow, kept_narrow;
} ProductRule;

void
smb_product_rule(ProductForm *form, guint chip) {
  static const ProductRule rules[] = {{100, 0, 0, 0, 25, 25, 23},
                                      {90, 0, 0, 0, 25, 13, 13},
                                      {80, 8, 4, 16, 24, 13, 13},
                                      {0, 4, 4, 4, 23, 23, 23}};
  const ProductRule *rule = rules;
  while (chip < rule->first)
    rule++;
  gboolean is_narrow = form->a == PRODUCT_E4M3 || form->a == PRODUCT_E5M2;
  guint8 block = is_narrow                 ? rule->block_narrow
                 : form->a == PRODUCT_TF32 ? rule->block_tf32
                                           : rule->block;
  form->block = block && block < form->depth ? block : (guint8)MIN(form->depth, PRODUCT_DEPTH);
  form->digits = is_narrow ? rule->digits_narrow : rule->digits;
  form->kept = is_narrow ? rule->kept_narrow : 23;
  form->is_published = form->a <= PRODUCT_E5M2 && rule->first != 90;
}

// --- real numbers

typedef struct {
  double value[PRODUCT_COLUMNS];
  gint32 exponent[PRODUCT_COLUMNS];
} RealSums;

// Adds products of row @i, from @k on, to what is there already: sums of doubles, exact.
static void
add_block(const ProductForm *form, const ProductOperands *operands, guint i, guint k,
          RealSums *sums) {
  double scale[PRODUCT_COLUMNS], sum[PRODUCT_COLUMNS];
  gint32 top[PRODUCT_COLUMNS];
  guint end = k + form->block;
  memcpy(top, sums->exponent, sizeof top);
  for (guint at = k; at < end; at++) {
    gint32 exponent = operands->a_whole[i][at];
    for (guint j = 0; j < PRODUCT_COLUMNS; j++) {
      gint32 both = exponent + operands->b_whole[at][j];
      top[j] = MAX(top[j], both);
    }
  }
  for (guint j = 0; j < PRODUCT_COLUMNS; j++) {
    top[j] = MAX(top[j], -512); // all are zeros
    scale[j] = power_of_two(form->digits - top[j]);
    sum[j] = (double)(gint32)(sums->value[j] * scale[j]);
  }
  for (guint at = k; at < end; at++) {
    double a = form->negates ? -operands->a[i][at] : operands->a[i][at];
    for (guint j = 0; j < PRODUCT_COLUMNS; j++)
      sum[j] += (double)(gint32)(a * operands->b[at][j] * scale[j]);
  }
  for (guint j = 0; j < PRODUCT_COLUMNS; j++)
    sums->value[j] = sum[j] * power_of_two(top[j] - form->digits);
}

enum {
  LEAST_EXPONENT_32 = -126, // of a normal binary32
};

// As a binary32 with the digits that are kept.
static double
cut_off(double value, guint kept) {
  gint32 least = (gint32)kept - LEAST_EXPONENT_32;
  double size = fabs(value);
  if (size >= 0x1p128)
    return copysign(INFINITY, value);
  if (size < FLT_MIN)
    return copysign(trunc(size * power_of_two(least)) * power_of_two(-least), value);
  return double_of(double_bits(value) & ~(((guint64)1 << (52 - kept)) - 1));
}

// What is kept of the sums: their bits, and the numbers again, if more is added.
static void
keep_sums(const ProductForm *form, RealSums *sums, guint64 *bits) {
  for (guint j = 0; j < PRODUCT_COLUMNS; j++) {
    double value = sums->value[j];
    if (value == 0)
      value = 0; // never -0
    bits[j] = form->sum == PRODUCT_F16 ? smb_half_from_real(SMB_SCALAR_F16, value)
                                       : float_bits((float)cut_off(value, form->kept));
    smb_product_read((ProductNumber)form->sum, bits[j], &sums->value[j], &sums->exponent[j]);
  }
}

// If one is not finite, what IEEE 754 says. @bits: of finite sums.
static guint64
find_special_sum(const ProductForm *form, const ProductOperands *operands, guint i, guint j,
                 guint64 bits) {
  gboolean is_half = form->sum == PRODUCT_F16;
  double sum = operands->c[i][j];
  for (guint k = 0; k < form->depth; k++)
    sum += (form->negates ? -operands->a[i][k] : operands->a[i][k]) * operands->b[k][j];
  if (isfinite(sum))
    return bits;
  if (isnan(sum))
    return is_half ? 0x7fff : NAN_32;
  return is_half ? smb_half_from_real(SMB_SCALAR_F16, sum) : float_bits((float)sum);
}

static void
sum_reals(const ProductForm *form, const ProductOperands *operands, ProductSums result) {
  for (guint i = 0; i < form->rows; i++) {
    RealSums sums;
    memcpy(sums.value, operands->c[i], sizeof sums.value);
    memcpy(sums.exponent, operands->c_whole[i], sizeof sums.exponent);
    for (guint k = 0; k < form->depth; k += form->block) {
      add_block(form, operands, i, k, &sums);
      keep_sums(form, &sums, result[i]);
    }
    for (guint j = 0; operands->is_special && j < PRODUCT_COLUMNS; j++)
      result[i][j] = find_special_sum(form, operands, i, j, result[i][j]);
  }
}

enum {
  CERTAIN_SCALE = 24, // binary digits behind the point that are looked at
};

// Adds the magnitude of a number to a sum, and its digits to those that there are.
static void
gather_digits(double value, double *sum, guint64 *digits, gboolean *is_certain) {
  double scaled = fabs(value) * power_of_two(CERTAIN_SCALE);
  *is_certain = *is_certain && scaled < 0x1p52 && trunc(scaled) == scaled;
  *sum += *is_certain ? scaled : 0;
  *digits |= *is_certain ? (guint64)scaled : 0;
}

gboolean
smb_product_is_certain(const ProductForm *form, const ProductOperands *operands) {
  gboolean is_certain = TRUE;
  double limit = form->sum == PRODUCT_F16 ? 0x1p11 : 0x1p24;
  for (guint i = 0; i < form->rows && is_certain; i++)
    for (guint j = 0; j < PRODUCT_COLUMNS; j++) {
      double sum = 0;
      guint64 digits = 0;
      gather_digits(operands->c[i][j], &sum, &digits, &is_certain);
      for (guint k = 0; k < form->depth && is_certain; k++)
        gather_digits(operands->a[i][k] * operands->b[k][j], &sum, &digits, &is_certain);
      is_certain = is_certain && sum <= limit * (double)(digits & -digits);
    }
  return is_certain;
}

// --- the others

#define QUIET_64 G_GUINT64_CONSTANT(0x0008000000000000)

// A NaN among operands is the result, that of the sum before those of A and B.
static double
multiply_add_double(double a, double b, double sum) {
  double nan = isnan(sum) ? sum : isnan(a) ? a : b;
  if (isnan(nan))
    return double_of(double_bits(nan) | QUIET_64);
  double result = fma(a, b, sum);
  return isnan(result) ? double_of(NAN_64) : result;
}

static void
sum_doubles(const ProductForm *form, const ProductOperands *operands, ProductSums result) {
  for (guint i = 0; i < form->rows; i++)
    for (guint j = 0; j < PRODUCT_COLUMNS; j++) {
      double sum = operands->c[i][j];
      for (guint k = 0; k < form->depth; k++)
        sum = multiply_add_double(operands->a[i][k], operands->b[k][j], sum);
      result[i][j] = double_bits(sum);
    }
}

static gint32
multiply_whole(const ProductForm *form, gint32 a, gint32 b) {
  if (form->a != PRODUCT_B1)
    return a * b;
  return __builtin_popcount((guint32)(form->is_and ? a & b : a ^ b));
}

static void
sum_integers(const ProductForm *form, const ProductOperands *operands, ProductSums result) {
  guint depth = form->a == PRODUCT_B1 ? form->depth / 32 : form->depth;
  for (guint i = 0; i < form->rows; i++)
    for (guint j = 0; j < PRODUCT_COLUMNS; j++) {
      gint64 sum = operands->c_whole[i][j];
      for (guint k = 0; k < depth; k++)
        sum += multiply_whole(form, operands->a_whole[i][k], operands->b_whole[k][j]);
      result[i][j] = (guint32)(form->saturates ? CLAMP(sum, G_MININT32, G_MAXINT32) : sum);
    }
}

void
smb_product_sum(const ProductForm *form, const ProductOperands *operands, ProductSums sums) {
  if (form->sum == PRODUCT_S32)
    sum_integers(form, operands, sums);
  else if (form->sum == PRODUCT_F64)
    sum_doubles(form, operands, sums);
  else
    sum_reals(form, operands, sums);
}
