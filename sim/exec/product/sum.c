// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The numbers of a product, and their sums: eight columns at a time, in loops that a compiler makes vector code of (sum-loop.h).
#include "sim/exec/compute/real.h"
#include "sim/exec/product/sum-loop.h"

// The loops for every processor, and those of each kind.
#define PRODUCT_LOOPS smb_product_loops_portable
#include "sim/exec/product/sum-loop-impl.h"

const ProductLoops *
smb_product_loops(SmbProcessor processor) {
  static const ProductLoops *const builds[SMB_N_PROCESSORS] = {
    [SMB_PROCESSOR_ANY] = &smb_product_loops_portable,
#if SMB_HAVE_X86
    [SMB_PROCESSOR_AVX2] = &smb_product_loops_avx2,
    [SMB_PROCESSOR_AVX512] = &smb_product_loops_avx512,
#endif
  };
  return builds[processor];
}

// --- what a number is

const NumberFormat smb_number_formats[N_PRODUCT_NUMBERS] = {
    [PRODUCT_F16] = {16, 0, 10, 15, TRUE},
    [PRODUCT_BF16] = {16, 0, 7, 127, TRUE},
    [PRODUCT_TF32] = {32, 13, 10, 127, TRUE},
    [PRODUCT_E4M3] = {8, 0, 3, 7, FALSE},
    [PRODUCT_E5M2] = {8, 0, 2, 15, TRUE},
    [PRODUCT_E2M3] = {6, 0, 3, 1, FALSE, TRUE},
    [PRODUCT_E3M2] = {6, 0, 2, 3, FALSE, TRUE},
    [PRODUCT_E2M1] = {4, 0, 1, 1, FALSE, TRUE},
    [PRODUCT_E2M1_MIDDLE] = {6, 2, 1, 1, FALSE, TRUE},
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
  return smb_number_formats[number].bits;
}

gboolean
smb_product_read(ProductNumber number, guint64 bits, double *real, gint32 *whole) {
  *whole = (gint32)(guint32)bits;
  if (number == PRODUCT_F64)
    *real = double_of(bits);
  return smb_product_read_all(number, 1, whole, real);
}

gboolean
smb_product_read_all(ProductNumber number, guint n, gint32 *whole, double *real) {
  return smb_product_loops(smb_processor())->read(number, n, whole, real);
}

// --- how a chip adds

typedef struct {
  guint first;                            // chip
  guint8 block, block_tf32, block_narrow; // 0: all
  guint8 digits, digits_narrow, kept_narrow;
} ProductRule;

static gboolean
is_narrow_float(guint8 number) {
  return number >= PRODUCT_E2M3 && number <= PRODUCT_E2M1_MIDDLE;
}

gboolean
smb_product_is_assumed(const ProductForm *form) {
  return form->scales || is_narrow_float(form->a) || is_narrow_float(form->b);
}

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
  // of quads, since sm_80, ptxas makes sums whose rules are known
  form->is_published =
      form->a < PRODUCT_F32 && rule->first != 90 && (!form->is_quad || rule->first < 80);
}

// --- sums

// If one is not finite, what IEEE 754 says. @bits: of finite sums.
static guint64
find_special_sum(const ProductForm *form, const ProductOperands *operands, guint i, guint j,
                 guint64 bits) {
  gboolean is_half = form->sum == PRODUCT_F16;
  double sum = operands->c[i][j];
  for (guint k = 0; k < form->depth; k++)
    if (operands->a_whole[i][k] != PRODUCT_ABSENT)
      sum += (form->negates ? -operands->a[i][k] : operands->a[i][k]) * operands->b[k][j];
  if (isfinite(sum))
    return bits;
  if (isnan(sum))
    return is_half ? 0x7fff : NAN_32;
  return is_half ? smb_half_from_real(SMB_SCALAR_F16, sum) : float_bits((float)sum);
}

void
smb_product_sum(const ProductForm *form, const ProductOperands *operands, ProductSums sums) {
  smb_product_loops(smb_processor())->sum(form, operands, sums);
  if (operands->is_special && form->a <= PRODUCT_F32)
    for (guint i = 0; i < form->rows; i++)
      for (guint j = 0; j < PRODUCT_COLUMNS; j++)
        sums[i][j] = find_special_sum(form, operands, i, j, sums[i][j]);
}

enum {
  CERTAIN_SCALE = 24, // binary digits behind the point that are looked at
};

// Adds the magnitude of a number to a sum, and its digits to those that there are.
static void
gather_digits(double value, double *sum, guint64 *digits, gboolean *is_certain) {
  double scaled = ldexp(fabs(value), CERTAIN_SCALE);
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
