// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Operators on the values of a warp.
#include "sim/machine/arith.h"

#include "sim/machine/lanes.h"

// out[lane] = expression of x and y, with the operands seen as @type and the result as @result.
#define LOOP2(type, result, expression)                                                            \
  {                                                                                                \
    const type *restrict pa = a;                                                                   \
    const type *restrict pb = b;                                                                   \
    result *restrict po = out;                                                                     \
    EACH_LANE(n, {                                                                                 \
      type x = pa[lane], y = pb[lane];                                                             \
      po[lane] = (result)(expression);                                                             \
    })                                                                                             \
    return;                                                                                        \
  }

// Operators that are the same for every kind; wraps in @unsigned_type.
#define COMPARISONS(type)                                                                          \
  case ARITH_LT:                                                                                   \
    LOOP2(type, guint32, x < y)                                                                    \
  case ARITH_LE:                                                                                   \
    LOOP2(type, guint32, x <= y)                                                                   \
  case ARITH_GT:                                                                                   \
    LOOP2(type, guint32, x > y)                                                                    \
  case ARITH_GE:                                                                                   \
    LOOP2(type, guint32, x >= y)                                                                   \
  case ARITH_EQ:                                                                                   \
    LOOP2(type, guint32, x == y)                                                                   \
  case ARITH_NE:                                                                                   \
    LOOP2(type, guint32, x != y)

// y == 0 is refused before; an inactive lane may still hold it. The quotient of the most negative
// number and -1 wraps.
#define SIGNED_DIVISION(type, utype)                                                               \
  case ARITH_DIV:                                                                                  \
    LOOP2(type, type, y == 0 ? 0 : y == -1 ? (type)(0 - (utype)x) : x / y)                         \
  case ARITH_MOD:                                                                                  \
    LOOP2(type, type, y == 0 || y == -1 ? 0 : x % y)
#define UNSIGNED_DIVISION(type)                                                                    \
  case ARITH_DIV:                                                                                  \
    LOOP2(type, type, y == 0 ? 0 : x / y)                                                          \
  case ARITH_MOD:                                                                                  \
    LOOP2(type, type, y == 0 ? 0 : x % y)

// The amount of a shift is a U32 of its own width.
#define SHIFT(type, result, expression)                                                            \
  {                                                                                                \
    const type *restrict pa = a;                                                                   \
    const guint32 *restrict pb = b;                                                                \
    result *restrict po = out;                                                                     \
    EACH_LANE(n, {                                                                                 \
      type x = pa[lane];                                                                           \
      guint32 y = pb[lane];                                                                        \
      po[lane] = (result)(expression);                                                             \
    })                                                                                             \
    return;                                                                                        \
  }

#define INTEGER_OPERATORS(type, utype, bits)                                                       \
  case ARITH_ADD:                                                                                  \
    LOOP2(utype, utype, x + y)                                                                     \
  case ARITH_SUB:                                                                                  \
    LOOP2(utype, utype, x - y)                                                                     \
  case ARITH_MUL:                                                                                  \
    LOOP2(utype, utype, x *y)                                                                      \
  case ARITH_AND:                                                                                  \
    LOOP2(utype, utype, x &y)                                                                      \
  case ARITH_OR:                                                                                   \
    LOOP2(utype, utype, x | y)                                                                     \
  case ARITH_XOR:                                                                                  \
    LOOP2(utype, utype, x ^ y)                                                                     \
  case ARITH_SHL:                                                                                  \
    SHIFT(utype, utype, y < bits ? x << y : 0)                                                     \
  case ARITH_SHR:                                                                                  \
    SHIFT(type, type, x >> MIN(y, bits - 1u) >> (y >= bits))                                       \
    COMPARISONS(type)

static void
compute_int(ArithBinary op, guint n, const void *a, const void *b, void *out) {
  switch (op) {
    INTEGER_OPERATORS(gint32, guint32, 32)
    SIGNED_DIVISION(gint32, guint32)
  }
}

static void
compute_uint(ArithBinary op, guint n, const void *a, const void *b, void *out) {
  switch (op) {
    INTEGER_OPERATORS(guint32, guint32, 32)
    UNSIGNED_DIVISION(guint32)
  }
}

static void
compute_long(ArithBinary op, guint n, const void *a, const void *b, void *out) {
  switch (op) {
    INTEGER_OPERATORS(gint64, guint64, 64)
    SIGNED_DIVISION(gint64, guint64)
  }
}

static void
compute_ulong(ArithBinary op, guint n, const void *a, const void *b, void *out) {
  switch (op) {
    INTEGER_OPERATORS(guint64, guint64, 64)
    UNSIGNED_DIVISION(guint64)
  }
}

// There are no other operators on reals: a front end does not ask for them.
#define REAL_OPERATORS(type)                                                                       \
  switch (op) {                                                                                    \
  case ARITH_ADD:                                                                                  \
    LOOP2(type, type, x + y)                                                                       \
  case ARITH_SUB:                                                                                  \
    LOOP2(type, type, x - y)                                                                       \
  case ARITH_MUL:                                                                                  \
    LOOP2(type, type, x *y)                                                                        \
  case ARITH_DIV:                                                                                  \
    LOOP2(type, type, x / y)                                                                       \
    COMPARISONS(type)                                                                              \
  case ARITH_MOD:                                                                                  \
  case ARITH_SHL:                                                                                  \
  case ARITH_SHR:                                                                                  \
  case ARITH_AND:                                                                                  \
  case ARITH_OR:                                                                                   \
  case ARITH_XOR:                                                                                  \
    break;                                                                                         \
  }                                                                                                \
  g_assert_not_reached();

static void
compute_float(ArithBinary op, guint n, const void *a, const void *b, void *out) {
  REAL_OPERATORS(float)
}

static void
compute_double(ArithBinary op, guint n, const void *a, const void *b, void *out) {
  REAL_OPERATORS(double)
}

// By way of floats: a sum, difference, product or quotient of theirs that is rounded again is that of the halves
// rounded once, since a float has more than twice their digits (Figueroa 1995, When is double rounding innocuous?).
static void
compute_half(ArithBinary op, SmbScalar kind, guint n, const void *a, const void *b, void *out) {
  float x[SMB_MAX_LANES], y[SMB_MAX_LANES], z[SMB_MAX_LANES];
  smb_arith_convert(kind, SMB_SCALAR_F32, n, a, x);
  smb_arith_convert(kind, SMB_SCALAR_F32, n, b, y);
  compute_float(op, n, x, y, op >= ARITH_LT ? out : z);
  if (op < ARITH_LT)
    smb_arith_convert(SMB_SCALAR_F32, kind, n, z, out);
}

// The power of two by which all lanes divide, as in `threadIdx.x % 32`: the most frequent divisor by far, and
// processors do not divide vectors. 0 if there is none.
static guint32
find_power_of_two(guint n, const guint32 *divisors) {
  guint32 first = divisors[0], differ = first & (first - 1);
  for (guint lane = 0; lane < n; lane++)
    differ |= divisors[lane] ^ first;
  return differ ? 0 : first;
}

static void
mask_remainders(guint n, guint32 low, const void *a, void *out) {
  LOOP1(guint32, guint32, x & low)
}

static void
shift_quotients(guint n, guint shift, const void *a, void *out) {
  LOOP1(guint32, guint32, x >> shift)
}

// Quotients of signed numbers are rounded towards 0: a negative one is made larger first.
static void
mask_signed_remainders(guint n, guint32 low, const void *a, void *out) {
  LOOP1(guint32, guint32, x - ((x + (low & (0 - (x >> 31)))) & ~low))
}

static void
shift_signed_quotients(guint n, guint32 low, guint shift, const void *a, void *out) {
  LOOP1(guint32, gint32, (gint32)(x + (low & (0 - (x >> 31)))) >> shift)
}

// Divides numbers of 32 bits by one power of two; FALSE if they are not divided by one.
static gboolean
divide_by_power_of_two(ArithBinary op, SmbScalar kind, guint n, const void *a, const void *b,
                       void *out) {
  if ((op != ARITH_DIV && op != ARITH_MOD) || (kind != SMB_SCALAR_I32 && kind != SMB_SCALAR_U32))
    return FALSE;
  guint32 divisor = find_power_of_two(n, b);
  if (divisor == 0 || (kind == SMB_SCALAR_I32 && divisor > G_MAXINT32))
    return FALSE;
  guint shift = (guint)__builtin_ctz(divisor);
  if (kind == SMB_SCALAR_U32 && op == ARITH_DIV)
    shift_quotients(n, shift, a, out);
  else if (kind == SMB_SCALAR_U32)
    mask_remainders(n, divisor - 1, a, out);
  else if (op == ARITH_DIV)
    shift_signed_quotients(n, divisor - 1, shift, a, out);
  else
    mask_signed_remainders(n, divisor - 1, a, out);
  return TRUE;
}

void
smb_arith_binary(ArithBinary operation, SmbScalar kind, guint n, const void *a, const void *b,
                 void *out) {
  if (divide_by_power_of_two(operation, kind, n, a, b, out))
    return;
  switch (kind) {
  case SMB_SCALAR_BOOL:
  case SMB_SCALAR_I8:
  case SMB_SCALAR_U8:
  case SMB_SCALAR_I16:
  case SMB_SCALAR_U16:
  case SMB_SCALAR_I32:
    compute_int(operation, n, a, b, out);
    return;
  case SMB_SCALAR_U32:
    compute_uint(operation, n, a, b, out);
    return;
  case SMB_SCALAR_I64:
    compute_long(operation, n, a, b, out);
    return;
  case SMB_SCALAR_U64:
    compute_ulong(operation, n, a, b, out);
    return;
  case SMB_SCALAR_F16:
  case SMB_SCALAR_BF16:
    compute_half(operation, kind, n, a, b, out);
    return;
  case SMB_SCALAR_F32:
    compute_float(operation, n, a, b, out);
    return;
  case SMB_SCALAR_F64:
    compute_double(operation, n, a, b, out);
    return;
  }
  g_assert_not_reached();
}

SmbLanes
smb_arith_division_faults(SmbScalar kind, guint n, const void *b, SmbLanes lanes) {
  if (smb_scalar_is_real(kind))
    return 0;
  if (!smb_scalar_is_wide(kind))
    return ~find_set_lanes(n, b) & lanes;
  SmbLanes faults = 0;
  for (guint lane = 0; lane < n; lane++)
    faults |= (SmbLanes)(((const guint64 *)b)[lane] == 0) << lane;
  return faults & lanes;
}

void
smb_arith_unary(ArithUnary operation, SmbScalar kind, guint n, const void *a, void *out) {
  gboolean wide = smb_scalar_is_wide(kind);
  if (operation == ARITH_NOT)
    LOOP1(guint32, guint32, !x)
  if (operation == ARITH_COMPLEMENT && wide)
    LOOP1(guint64, guint64, ~x)
  if (operation == ARITH_COMPLEMENT)
    LOOP1(guint32, guint32, ~x)
  if (kind == SMB_SCALAR_F16 || kind == SMB_SCALAR_BF16)
    LOOP1(guint32, guint32, x ^ 0x8000)
  if (kind == SMB_SCALAR_F32)
    LOOP1(float, float, -x)
  if (kind == SMB_SCALAR_F64)
    LOOP1(double, double, -x)
  if (wide)
    LOOP1(guint64, guint64, 0 - x)
  LOOP1(guint32, guint32, 0 - x)
}
