// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Functions of the values of a warp: minimum and maximum, those of the mathematical library, and of bits.
#include <math.h>
#include <string.h>

#include "sim/machine/arith.h"
#include "sim/machine/lanes.h"

static float
divide_float(float x, float y) {
  return x / y;
}

static double
divide_double(double x, double y) {
  return x / y;
}

static float
invert_root_float(float x) {
  return 1.0f / sqrtf(x);
}

static double
invert_root_double(double x) {
  return 1.0 / sqrt(x);
}

// A function of reals in both widths, of one operand or of two. The fast
// functions of the device are less exact; what they are used for here, addresses, is not.
typedef struct {
  float (*float1)(float);
  float (*float2)(float, float);
  double (*double1)(double);
  double (*double2)(double, double);
} RealFunction;

static const RealFunction real_functions[] = {
    [ARITH_MIN] = {.float2 = fminf, .double2 = fmin},
    [ARITH_MAX] = {.float2 = fmaxf, .double2 = fmax},
    [ARITH_ABS] = {.float1 = fabsf, .double1 = fabs},
    [ARITH_SQRT] = {.float1 = sqrtf, .double1 = sqrt},
    [ARITH_RSQRT] = {.float1 = invert_root_float, .double1 = invert_root_double},
    [ARITH_EXP] = {.float1 = expf, .double1 = exp},
    [ARITH_EXP2] = {.float1 = exp2f, .double1 = exp2},
    [ARITH_LOG] = {.float1 = logf, .double1 = log},
    [ARITH_LOG2] = {.float1 = log2f, .double1 = log2},
    [ARITH_SIN] = {.float1 = sinf, .double1 = sin},
    [ARITH_COS] = {.float1 = cosf, .double1 = cos},
    [ARITH_TANH] = {.float1 = tanhf, .double1 = tanh},
    [ARITH_TAN] = {.float1 = tanf, .double1 = tan},
    [ARITH_ASIN] = {.float1 = asinf, .double1 = asin},
    [ARITH_ACOS] = {.float1 = acosf, .double1 = acos},
    [ARITH_ATAN] = {.float1 = atanf, .double1 = atan},
    [ARITH_SINH] = {.float1 = sinhf, .double1 = sinh},
    [ARITH_COSH] = {.float1 = coshf, .double1 = cosh},
    [ARITH_ROUND] = {.float1 = roundf, .double1 = round},
    [ARITH_TRUNC] = {.float1 = truncf, .double1 = trunc},
    [ARITH_RINT] = {.float1 = rintf, .double1 = rint},
    [ARITH_LOG10] = {.float1 = log10f, .double1 = log10},
    [ARITH_LOG1P] = {.float1 = log1pf, .double1 = log1p},
    [ARITH_EXPM1] = {.float1 = expm1f, .double1 = expm1},
    [ARITH_CBRT] = {.float1 = cbrtf, .double1 = cbrt},
    [ARITH_ERF] = {.float1 = erff, .double1 = erf},
    [ARITH_ATAN2] = {.float2 = atan2f, .double2 = atan2},
    [ARITH_HYPOT] = {.float2 = hypotf, .double2 = hypot},
    [ARITH_COPYSIGN] = {.float2 = copysignf, .double2 = copysign},
    [ARITH_FDIM] = {.float2 = fdimf, .double2 = fdim},
    [ARITH_FLOOR] = {.float1 = floorf, .double1 = floor},
    [ARITH_CEIL] = {.float1 = ceilf, .double1 = ceil},
    [ARITH_POW] = {.float2 = powf, .double2 = pow},
    [ARITH_FMOD] = {.float2 = fmodf, .double2 = fmod},
    [ARITH_DIVIDE] = {.float2 = divide_float, .double2 = divide_double},
};

static void
compute_float(ArithFunction function, guint n, const void *const *operands, float *out) {
  const float *x = operands[0], *y = operands[1], *z = operands[2];
  if (function == ARITH_FMA) {
    EACH_LANE(n, out[lane] = fmaf(x[lane], y[lane], z[lane]);)
    return;
  }
  const RealFunction *real = &real_functions[function];
  if (real->float1)
    EACH_LANE(n, out[lane] = real->float1(x[lane]);)
  else
    EACH_LANE(n, out[lane] = real->float2(x[lane], y[lane]);)
}

static void
compute_double(ArithFunction function, guint n, const void *const *operands, double *out) {
  const double *x = operands[0], *y = operands[1], *z = operands[2];
  if (function == ARITH_FMA) {
    EACH_LANE(n, out[lane] = fma(x[lane], y[lane], z[lane]);)
    return;
  }
  const RealFunction *real = &real_functions[function];
  if (real->double1)
    EACH_LANE(n, out[lane] = real->double1(x[lane]);)
  else
    EACH_LANE(n, out[lane] = real->double2(x[lane], y[lane]);)
}

static guint64
reverse_bits(guint64 x, guint bits) {
  guint64 reversed = 0;
  for (guint i = 0; i < bits; i++)
    reversed |= (x >> i & 1) << (bits - 1 - i);
  return reversed;
}

// Of a number of so many bits, zero-extended.
static guint64
compute_bits(ArithFunction function, guint64 x, guint bits) {
  switch ((guint)function) {
  case ARITH_POPC:
    return (guint64)__builtin_popcountll(x);
  case ARITH_CLZ:
    return x ? (guint64)__builtin_clzll(x) - (64 - bits) : bits;
  case ARITH_FFS:
    return (guint64)__builtin_ffsll((long long)x);
  default:
    return reverse_bits(x, bits);
  }
}

static void
compute_all_bits(ArithFunction function, SmbScalar kind, guint n, const void *operand, void *out) {
  gboolean wide = smb_scalar_is_wide(kind);
  EACH_LANE(n, {
    guint64 x = wide ? ((const guint64 *)operand)[lane] : ((const guint32 *)operand)[lane];
    guint64 result = compute_bits(function, x, wide ? 64 : 32);
    if (wide && function == ARITH_BREV)
      ((guint64 *)out)[lane] = result;
    else
      ((guint32 *)out)[lane] = (guint32)result;
  })
}

// min, max and abs of integers: a comparison and a choice.
static void
compute_integers(ArithFunction function, SmbScalar kind, guint n, const void *const *operands,
                 void *out) {
  guint64 zeros[SMB_MAX_LANES] = {0};
  guint64 negated[SMB_MAX_LANES];
  guint32 less[SMB_MAX_LANES];
  gboolean wide = smb_scalar_is_wide(kind);
  const void *a = operands[0];
  const void *b = operands[1];
  if (function == ARITH_ABS) {
    smb_arith_unary(ARITH_NEGATE, kind, n, a, negated);
    b = negated;
  }
  smb_arith_binary(ARITH_LT, kind, n, a, function == ARITH_ABS ? (const void *)zeros : b, less);
  EACH_LANE(n, {
    gboolean second = function == ARITH_MIN ? !less[lane] : less[lane];
    const void *from = second ? b : a;
    if (wide)
      ((guint64 *)out)[lane] = ((const guint64 *)from)[lane];
    else
      ((guint32 *)out)[lane] = ((const guint32 *)from)[lane];
  })
}

// x * y + z of halves, as a double that is rounded to odd: what is lost shows in its last bit, so that rounding it
// once more is as rounding the exact sum (Boldo and Melquiond 2008). The product is exact.
static double
multiply_add_to_odd(double x, double y, double z) {
  double product = x * y, sum = product + z, back = sum - product;
  double lost = (product - (sum - back)) + (z - back);
  gint64 bits;
  memcpy(&bits, &sum, sizeof bits);
  if (isfinite(sum) && lost != 0 && !(bits & 1))
    bits += (lost > 0) == (sum > 0) ? 1 : -1;
  memcpy(&sum, &bits, sizeof bits);
  return sum;
}

// By way of doubles, which are rounded once more: all but those of FMA have more than twice the digits.
static void
compute_half(ArithFunction function, SmbScalar kind, guint n, const void *const *operands,
             void *out) {
  double reals[3][SMB_MAX_LANES], result[SMB_MAX_LANES];
  const void *wide[3] = {reals[0], reals[1], reals[2]};
  for (guint i = 0; i < 3 && operands[i]; i++)
    smb_arith_convert(kind, SMB_SCALAR_F64, n, operands[i], reals[i]);
  if (function == ARITH_FMA)
    EACH_LANE(n,
              result[lane] = multiply_add_to_odd(reals[0][lane], reals[1][lane], reals[2][lane]);)
  else
    compute_double(function, n, wide, result);
  smb_arith_convert(SMB_SCALAR_F64, kind, n, result, out);
}

void
smb_arith_function(ArithFunction function, SmbScalar kind, guint n, const void *const *operands,
                   void *out) {
  if (function >= ARITH_POPC)
    compute_all_bits(function, kind, n, operands[0], out);
  else if (kind == SMB_SCALAR_F32)
    compute_float(function, n, operands, out);
  else if (kind == SMB_SCALAR_F64)
    compute_double(function, n, operands, out);
  else if (smb_scalar_is_real(kind))
    compute_half(function, kind, n, operands, out);
  else
    compute_integers(function, kind, n, operands, out);
}
