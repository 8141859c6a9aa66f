// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Operators on the 32 values of a warp.
#include "sim/kernel-arith.h"

#include "sim/kernel-lanes.h"

// out[lane] = expression of x and y, with the operands seen as @type and the result as @result.
#define LOOP2(type, result, expression)                                                            \
  {                                                                                                \
    const type *pa = a;                                                                            \
    const type *pb = b;                                                                            \
    result *po = out;                                                                              \
    EACH_LANE({                                                                                    \
      type x = pa[lane], y = pb[lane];                                                             \
      po[lane] = (result)(expression);                                                             \
    })                                                                                             \
    return;                                                                                        \
  }

// Operators that are the same for every kind; wraps in @unsigned_type.
#define COMPARISONS(type)                                                                          \
  case OPERATOR_LT:                                                                                \
    LOOP2(type, guint32, x < y)                                                                    \
  case OPERATOR_LE:                                                                                \
    LOOP2(type, guint32, x <= y)                                                                   \
  case OPERATOR_GT:                                                                                \
    LOOP2(type, guint32, x > y)                                                                    \
  case OPERATOR_GE:                                                                                \
    LOOP2(type, guint32, x >= y)                                                                   \
  case OPERATOR_EQ:                                                                                \
    LOOP2(type, guint32, x == y)                                                                   \
  case OPERATOR_NE:                                                                                \
    LOOP2(type, guint32, x != y)

// y == 0 is refused before; an inactive lane may still hold it. The quotient of the most negative
// number and -1 wraps.
#define SIGNED_DIVISION(type, utype)                                                               \
  case OPERATOR_DIV:                                                                               \
    LOOP2(type, type, y == 0 ? 0 : y == -1 ? (type)(0 - (utype)x) : x / y)                         \
  case OPERATOR_MOD:                                                                               \
    LOOP2(type, type, y == 0 || y == -1 ? 0 : x % y)
#define UNSIGNED_DIVISION(type)                                                                    \
  case OPERATOR_DIV:                                                                               \
    LOOP2(type, type, y == 0 ? 0 : x / y)                                                          \
  case OPERATOR_MOD:                                                                               \
    LOOP2(type, type, y == 0 ? 0 : x % y)

// The amount of a shift is a KIND_UINT of its own width.
#define SHIFT(type, result, expression)                                                            \
  {                                                                                                \
    const type *pa = a;                                                                            \
    const guint32 *pb = b;                                                                         \
    result *po = out;                                                                              \
    EACH_LANE({                                                                                    \
      type x = pa[lane];                                                                           \
      guint32 y = pb[lane];                                                                        \
      po[lane] = (result)(expression);                                                             \
    })                                                                                             \
    return;                                                                                        \
  }

#define INTEGER_OPERATORS(type, utype, bits)                                                       \
  case OPERATOR_ADD:                                                                               \
    LOOP2(utype, utype, x + y)                                                                     \
  case OPERATOR_SUB:                                                                               \
    LOOP2(utype, utype, x - y)                                                                     \
  case OPERATOR_MUL:                                                                               \
    LOOP2(utype, utype, x *y)                                                                      \
  case OPERATOR_AND:                                                                               \
    LOOP2(utype, utype, x &y)                                                                      \
  case OPERATOR_OR:                                                                                \
    LOOP2(utype, utype, x | y)                                                                     \
  case OPERATOR_XOR:                                                                               \
    LOOP2(utype, utype, x ^ y)                                                                     \
  case OPERATOR_SHL:                                                                               \
    SHIFT(utype, utype, y < bits ? x << y : 0)                                                     \
  case OPERATOR_SHR:                                                                               \
    SHIFT(type, type, x >> MIN(y, bits - 1u) >> (y >= bits))                                       \
    COMPARISONS(type)

static void
compute_int(Operator op, const void *a, const void *b, void *out) {
  switch (op) {
    INTEGER_OPERATORS(gint32, guint32, 32)
    SIGNED_DIVISION(gint32, guint32)
  }
}

static void
compute_uint(Operator op, const void *a, const void *b, void *out) {
  switch (op) {
    INTEGER_OPERATORS(guint32, guint32, 32)
    UNSIGNED_DIVISION(guint32)
  }
}

static void
compute_long(Operator op, const void *a, const void *b, void *out) {
  switch (op) {
    INTEGER_OPERATORS(gint64, guint64, 64)
    SIGNED_DIVISION(gint64, guint64)
  }
}

static void
compute_ulong(Operator op, const void *a, const void *b, void *out) {
  switch (op) {
    INTEGER_OPERATORS(guint64, guint64, 64)
    UNSIGNED_DIVISION(guint64)
  }
}

// The parser lets no other operator through to reals.
#define REAL_OPERATORS(type)                                                                       \
  switch (op) {                                                                                    \
  case OPERATOR_ADD:                                                                               \
    LOOP2(type, type, x + y)                                                                       \
  case OPERATOR_SUB:                                                                               \
    LOOP2(type, type, x - y)                                                                       \
  case OPERATOR_MUL:                                                                               \
    LOOP2(type, type, x *y)                                                                        \
  case OPERATOR_DIV:                                                                               \
    LOOP2(type, type, x / y)                                                                       \
    COMPARISONS(type)                                                                              \
  case OPERATOR_MOD:                                                                               \
  case OPERATOR_SHL:                                                                               \
  case OPERATOR_SHR:                                                                               \
  case OPERATOR_AND:                                                                               \
  case OPERATOR_OR:                                                                                \
  case OPERATOR_XOR:                                                                               \
    break;                                                                                         \
  }                                                                                                \
  g_assert_not_reached();

static void
compute_float(Operator op, const void *a, const void *b, void *out) {
  REAL_OPERATORS(float)
}

static void
compute_double(Operator op, const void *a, const void *b, void *out) {
  REAL_OPERATORS(double)
}

void
kernel_lanes_binary(Operator op, TypeKind kind, const void *a, const void *b, void *out) {
  switch (kind) {
  case KIND_UINT:
    compute_uint(op, a, b, out);
    return;
  case KIND_LONG:
    compute_long(op, a, b, out);
    return;
  case KIND_ULONG:
  case KIND_POINTER:
    compute_ulong(op, a, b, out);
    return;
  case KIND_FLOAT:
    compute_float(op, a, b, out);
    return;
  case KIND_DOUBLE:
    compute_double(op, a, b, out);
    return;
  case KIND_BOOL:
  case KIND_CHAR:
  case KIND_UCHAR:
  case KIND_SHORT:
  case KIND_USHORT:
  case KIND_INT:
    compute_int(op, a, b, out);
    return;
  case KIND_VOID:
  case KIND_VECTOR:
  case KIND_ARRAY:
    break;
  }
  g_assert_not_reached();
}

guint32
kernel_lanes_division_faults(TypeKind kind, const void *b, guint32 mask) {
  guint32 faults = 0;
  if (kind == KIND_FLOAT || kind == KIND_DOUBLE)
    return 0;
  for (guint lane = 0; lane < LANES; lane++) {
    gboolean zero = kind == KIND_LONG || kind == KIND_ULONG ? ((const guint64 *)b)[lane] == 0
                                                            : ((const guint32 *)b)[lane] == 0;
    faults |= (guint32)zero << lane;
  }
  return faults & mask;
}

void
kernel_lanes_unary(NodeKind operation, TypeKind kind, const void *a, void *out) {
  gboolean wide = kind_is_wide(kind);
  if (operation == NODE_NOT)
    LOOP1(guint32, guint32, !x)
  if (operation == NODE_COMPLEMENT && wide)
    LOOP1(guint64, guint64, ~x)
  if (operation == NODE_COMPLEMENT)
    LOOP1(guint32, guint32, ~x)
  if (kind == KIND_FLOAT)
    LOOP1(float, float, -x)
  if (kind == KIND_DOUBLE)
    LOOP1(double, double, -x)
  if (wide)
    LOOP1(guint64, guint64, 0 - x)
  LOOP1(guint32, guint32, 0 - x)
}
