// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The loops of sum-loop.h, for whatever processor this is compiled for; PRODUCT_LOOPS is the name of their table.
#include "sim/exec/compute/real.h"
#include "sim/exec/product/sum-loop.h"

// Numbers of eight columns, side by side. What is compared becomes ones in all bits, or zeros.
#define EIGHT(type) __attribute__((vector_size(PRODUCT_COLUMNS * sizeof(type)))) type
typedef EIGHT(guint32) Words;
typedef EIGHT(gint32) Wholes;
typedef EIGHT(float) Floats;
typedef EIGHT(guint64) Longs;
typedef EIGHT(double) Reals;

// Where the mask has ones the first, else the second.
#define CHOOSE(mask, first, second) (((mask) & (first)) | (~(mask) & (second)))

// Numbers of twice the width. A compiler makes one instruction of such a loop; of __builtin_convertvector() it makes several.
static inline void
widen_wholes(const Wholes *from, Reals *to) {
  gint32 narrow[PRODUCT_COLUMNS];
  double wide[PRODUCT_COLUMNS];
  memcpy(narrow, from, sizeof narrow);
  for (guint j = 0; j < PRODUCT_COLUMNS; j++)
    wide[j] = narrow[j];
  memcpy(to, wide, sizeof wide);
}

static inline void
widen_words(const Words *from, Longs *to) {
  guint32 narrow[PRODUCT_COLUMNS];
  guint64 wide[PRODUCT_COLUMNS];
  memcpy(narrow, from, sizeof narrow);
  for (guint j = 0; j < PRODUCT_COLUMNS; j++)
    wide[j] = narrow[j];
  memcpy(to, wide, sizeof wide);
}

static inline void
widen_mask(Words *mask, Longs *to) {
  Words bit = *mask & 1;
  widen_words(&bit, to);
  *to = -*to;
}

// Without what is behind the point, of numbers below 2^31.
static inline void
cut_fractions(Reals *reals) {
  Wholes wholes = __builtin_convertvector(*reals, Wholes);
  widen_wholes(&wholes, reals);
}

// 2 to the power of @exponents, those of normal numbers.
static inline void
raise_two(const Wholes *exponents, Reals *powers) {
  Words biased = (Words)(*exponents + 1023);
  Longs bits;
  widen_words(&biased, &bits);
  *powers = (Reals)(bits << 52);
}

#define INFINITE_BITS G_GUINT64_CONSTANT(0x7ff0000000000000)
#define QUIET_BIT     G_GUINT64_CONSTANT(0x0008000000000000)

// --- numbers

// Reads eight. @special: has ones where one is not finite.
static inline void
read_eight(const NumberFormat *format, gint32 *whole, double *real, Words *special) {
  const guint32 fraction = format->fraction, sign = format->bits - format->unused - 1u;
  const guint32 one = 1u << fraction, top = (1u << (sign - fraction)) - 1;
  // of the largest exponent, if it is not finite
  const guint32 least = format->is_finite ? one : format->has_infinity ? 0 : one - 1;
  Words bits;
  memcpy(&bits, whole, sizeof bits);
  bits >>= format->unused;
  Words low = bits & (one - 1), written = bits >> fraction & top;
  Words is_normal = (Words)(written != 0), is_special = (Words)((written == top) & (low >= least));
  Words digits = low | (is_normal & one), is_zero = (Words)(digits == 0);
  Wholes exponents = (Wholes)(written + 1 + is_normal) - format->bias;
  Words is_nan = is_special & (Words)(low != 0), negative = bits >> sign;
  Wholes wholes = (Wholes)digits, scale = exponents - (gint32)fraction;
  Reals reals, powers;
  Longs nans, specials, signs;
  widen_wholes(&wholes, &reals);
  raise_two(&scale, &powers);
  widen_mask(&is_nan, &nans);
  widen_mask(&is_special, &specials);
  widen_words(&negative, &signs);
  Longs sizes = CHOOSE(specials, INFINITE_BITS | (nans & QUIET_BIT), (Longs)(reals * powers));
  reals = (Reals)(sizes | signs << 63);
  exponents = CHOOSE((Wholes)is_zero, PRODUCT_NO_EXPONENT, exponents);
  memcpy(real, &reals, sizeof reals);
  memcpy(whole, &exponents, sizeof exponents);
  *special |= is_special;
}

static inline gboolean
read_reals(const NumberFormat *format, guint n, gint32 *whole, double *real) {
  Words special = {0};
  guint i = 0;
  for (; i + PRODUCT_COLUMNS <= n; i += PRODUCT_COLUMNS)
    read_eight(format, whole + i, real + i, &special);
  if (i < n) {
    gint32 some_whole[PRODUCT_COLUMNS] = {0};
    double some_real[PRODUCT_COLUMNS];
    memcpy(some_whole, whole + i, (n - i) * sizeof *whole);
    read_eight(format, some_whole, some_real, &special);
    memcpy(whole + i, some_whole, (n - i) * sizeof *whole);
    memcpy(real + i, some_real, (n - i) * sizeof *real);
  }
  guint32 any = 0;
  for (guint j = 0; j < PRODUCT_COLUMNS; j++)
    any |= special[j];
  return !any;
}

// The low @bits of words, as numbers with a sign or without.
static inline void
read_integers(guint bits, gboolean is_signed, guint n, gint32 *whole) {
  guint shift = 32 - bits;
  for (guint i = 0; i < n; i++) {
    guint32 high = (guint32)whole[i] << shift;
    whole[i] = is_signed ? (gint32)high >> shift : (gint32)(high >> shift);
  }
}

static gboolean
read_numbers(ProductNumber number, guint n, gint32 *whole, double *real) {
  const NumberFormat *format = &smb_number_formats[number];
  if (format->fraction)
    return read_reals(format, n, whole, real);
  if (format->bits < 32)
    read_integers(format->bits, number == PRODUCT_S8 || number == PRODUCT_S4, n, whole);
  return TRUE;
}

// --- sums of real numbers

// Numbers, each with its exponent.
typedef struct {
  Reals values;
  Wholes exponents;
} RealSums;

static inline void
load_reals(const double *values, const gint32 *exponents, RealSums *loaded) {
  memcpy(&loaded->values, values, sizeof loaded->values);
  memcpy(&loaded->exponents, exponents, sizeof loaded->exponents);
}

// Adds products of row @i, from @k on, to what is there already: sums of doubles, exact.
static inline void
add_block(const ProductForm *form, const ProductOperands *operands, guint i, guint k,
          RealSums *sums) {
  const guint end = k + form->block;
  Wholes top = sums->exponents;
  RealSums b;
  for (guint at = k; at < end; at++) {
    load_reals(operands->b[at], operands->b_whole[at], &b);
    Wholes both = b.exponents + operands->a_whole[i][at];
    top = CHOOSE(both > top, both, top);
  }
  top = CHOOSE(top > -512, top, -512); // all are zeros
  Wholes up = form->digits - top, down = -up;
  Reals scale, unscale;
  raise_two(&up, &scale);
  raise_two(&down, &unscale);
  Reals sum = sums->values * scale, signed_scale = form->negates ? -scale : scale;
  cut_fractions(&sum);
  for (guint at = k; at < end; at++) {
    if (form->is_sparse && operands->a_whole[i][at] == PRODUCT_ABSENT)
      continue; // B may have a NaN there
    load_reals(operands->b[at], operands->b_whole[at], &b);
    Reals product = b.values * operands->a[i][at] * signed_scale;
    cut_fractions(&product);
    sum += product;
  }
  sums->values = sum * unscale;
}

enum {
  LEAST_EXPONENT_32 = -126, // of a normal binary32
};

// 2 to the power of @exponent, that of a normal number.
static inline double
power_of_two(gint32 exponent) {
  return double_of((guint64)(1023 + exponent) << 52);
}

// The bits of what is kept of sums, in as many digits.
static inline void
keep_floats(const Reals *values, guint kept, guint64 *bits) {
  const gint32 least = (gint32)kept - LEAST_EXPONENT_32;
  Longs sign = (Longs)*values & SIGN_64, size = (Longs)*values & ~SIGN_64;
  Longs is_small = (Longs)((Reals)size < (double)FLT_MIN);
  Longs is_large = (Longs)((Reals)size >= 0x1p128);
  Reals units = (Reals)(size & is_small) * power_of_two(least);
  cut_fractions(&units);
  Longs small = (Longs)(units * power_of_two(-least));
  Longs normal = size & ~(((guint64)1 << (52 - kept)) - 1);
  size = CHOOSE(is_large, INFINITE_BITS, CHOOSE(is_small, small, normal));
  sign &= (Longs)(size != 0); // a sum that is cut off to zero has none
  Words kept_bits = (Words) __builtin_convertvector((Reals)(size | sign), Floats);
  Longs all;
  widen_words(&kept_bits, &all);
  memcpy(bits, &all, sizeof all);
}

// A sum that is rounded to zero has no sign.
static inline guint64
without_sign_of_zero(guint64 half) {
  return half == 0x8000 ? 0 : half;
}

static inline void
keep_sums(const ProductForm *form, const RealSums *sums, guint64 *bits) {
  Reals values = sums->values + 0.0; // never -0
  if (form->sum != PRODUCT_F16)
    keep_floats(&values, form->kept, bits);
  else
    for (guint j = 0; j < PRODUCT_COLUMNS; j++)
      bits[j] = without_sign_of_zero(smb_half_from_real(SMB_SCALAR_F16, values[j]));
}

// What was kept is what the next block is added to.
static inline void
read_sums(const ProductForm *form, const guint64 *bits, RealSums *sums) {
  gint32 whole[PRODUCT_COLUMNS];
  double real[PRODUCT_COLUMNS];
  Words special = {0};
  for (guint j = 0; j < PRODUCT_COLUMNS; j++)
    whole[j] = (gint32)(guint32)bits[j];
  read_eight(&smb_number_formats[form->sum], whole, real, &special);
  load_reals(real, whole, sums);
}

static void
sum_reals(const ProductForm *form, const ProductOperands *operands, ProductSums result) {
  for (guint i = 0; i < form->rows; i++) {
    RealSums sums;
    load_reals(operands->c[i], operands->c_whole[i], &sums);
    for (guint k = 0; k < form->depth; k += form->block) {
      if (k > 0)
        read_sums(form, result[i], &sums);
      add_block(form, operands, i, k, &sums);
      keep_sums(form, &sums, result[i]);
    }
  }
}

// --- the others

// A NaN among operands is the result, that of the sum before those of A and B.
static inline double
multiply_add_double(double a, double b, double sum) {
  double result = fma(a, b, sum);
  if (G_LIKELY(!isnan(result)))
    return result;
  double nan = isnan(sum) ? sum : isnan(a) ? a : b;
  return double_of(isnan(nan) ? double_bits(nan) | QUIET_BIT : NAN_64);
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

// Adds a product to each of the sums, of which there are so few that 32 bits hold them.
static inline void
add_integers(const ProductForm *form, gint32 a, const gint32 *restrict b, gint32 *restrict sum) {
  if (form->a != PRODUCT_B1)
    for (guint j = 0; j < PRODUCT_COLUMNS; j++)
      sum[j] += a * b[j];
  else
    for (guint j = 0; j < PRODUCT_COLUMNS; j++)
      sum[j] += __builtin_popcount((guint32)(form->is_and ? a & b[j] : a ^ b[j]));
}

static void
sum_integers(const ProductForm *form, const ProductOperands *operands, ProductSums result) {
  guint depth = form->a == PRODUCT_B1 ? form->depth / 32 : form->depth;
  for (guint i = 0; i < form->rows; i++) {
    gint32 sum[PRODUCT_COLUMNS] = {0};
    for (guint k = 0; k < depth; k++)
      add_integers(form, operands->a_whole[i][k], operands->b_whole[k], sum);
    for (guint j = 0; j < PRODUCT_COLUMNS; j++) {
      gint64 all = (gint64)operands->c_whole[i][j] + sum[j];
      gint64 fitting = CLAMP(all, G_MININT32, G_MAXINT32);
      result[i][j] = (guint32)(form->saturates ? fitting : all);
    }
  }
}

static void
sum_products(const ProductForm *form, const ProductOperands *operands, ProductSums sums) {
  if (form->sum == PRODUCT_S32)
    sum_integers(form, operands, sums);
  else if (form->sum == PRODUCT_F64)
    sum_doubles(form, operands, sums);
  else
    sum_reals(form, operands, sums);
}

const ProductLoops PRODUCT_LOOPS = {read_numbers, sum_products};
