// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Conversions of the 32 values of a warp, and constants, which are computed as lanes that are all alike.
#include <math.h>
#include <string.h>

#include "sim/kernel-arith.h"
#include "sim/kernel-lanes.h"

// Room for 32 values of any kind.
typedef union {
  gint32 i[LANES];
  guint32 u[LANES];
  gint64 l[LANES];
  guint64 ul[LANES];
  float f[LANES];
  double d[LANES];
} Values;

gint64
kernel_wrap_integer(TypeKind kind, gint64 value) {
  switch (kind) {
  case KIND_BOOL:
    return value != 0;
  case KIND_CHAR:
    return (gint8)value;
  case KIND_UCHAR:
    return (guint8)value;
  case KIND_SHORT:
    return (gint16)value;
  case KIND_USHORT:
    return (guint16)value;
  case KIND_INT:
    return (gint32)value;
  case KIND_UINT:
    return (guint32)value;
  case KIND_VOID:
  case KIND_LONG:
  case KIND_ULONG:
  case KIND_FLOAT:
  case KIND_DOUBLE:
  case KIND_VECTOR:
  case KIND_POINTER:
  case KIND_ARRAY:
    return value;
  }
  g_assert_not_reached();
}

// A real as an integer: towards zero, and the nearest end of the range beyond it, as the hardware's
// conversion does.
static gint64
real_to_long(double x) {
  return isnan(x) ? 0 : x >= 0x1p63 ? G_MAXINT64 : x <= -0x1p63 ? G_MININT64 : (gint64)x;
}

static guint64
real_to_ulong(double x) {
  return isnan(x) || x <= 0 ? 0 : x >= 0x1p64 ? G_MAXUINT64 : (guint64)x;
}

static gint64
real_to_kind(TypeKind kind, double x) {
  gint64 value = real_to_long(x);
  switch (kind) {
  case KIND_BOOL:
    return x != 0;
  case KIND_INT:
    return CLAMP(value, G_MININT32, G_MAXINT32);
  case KIND_UINT:
    return CLAMP(value, 0, (gint64)G_MAXUINT32);
  case KIND_ULONG:
    return (gint64)real_to_ulong(x);
  case KIND_LONG:
    return value;
  case KIND_VOID:
  case KIND_CHAR:
  case KIND_UCHAR:
  case KIND_SHORT:
  case KIND_USHORT:
  case KIND_FLOAT:
  case KIND_DOUBLE:
  case KIND_VECTOR:
  case KIND_POINTER:
  case KIND_ARRAY:
    return kernel_wrap_integer(kind, CLAMP(value, G_MININT32, G_MAXINT32));
  }
  g_assert_not_reached();
}

// Every kind widened to 64 bits: as an integer, or as a double.
static void
widen_integers(TypeKind from, const void *a, gint64 *out) {
  if (kind_is_wide(from))
    memcpy(out, a, LANES * sizeof *out);
  else if (from == KIND_UINT)
    EACH_LANE(out[lane] = ((const guint32 *)a)[lane];)
  else
    EACH_LANE(out[lane] = ((const gint32 *)a)[lane];)
}

static void
cast_from_real(TypeKind from, TypeKind to, const void *a, void *out) {
  if (from == KIND_FLOAT && to == KIND_DOUBLE)
    LOOP1(float, double, x)
  if (from == KIND_DOUBLE && to == KIND_FLOAT)
    LOOP1(double, float, x)
  double reals[LANES];
  if (from == KIND_FLOAT)
    EACH_LANE(reals[lane] = (double)((const float *)a)[lane];)
  else
    memcpy(reals, a, sizeof reals);
  if (kind_is_wide(to))
    EACH_LANE(((gint64 *)out)[lane] = real_to_kind(to, reals[lane]);)
  else
    EACH_LANE(((gint32 *)out)[lane] = (gint32)real_to_kind(to, reals[lane]);)
}

static void
cast_to_real(TypeKind from, TypeKind to, const void *a, void *out) {
  if (from == KIND_INT && to == KIND_FLOAT)
    LOOP1(gint32, float, x)
  gint64 wide[LANES];
  widen_integers(from, a, wide);
  gboolean is_unsigned = from == KIND_ULONG;
  if (to == KIND_FLOAT)
    EACH_LANE(((float *)out)[lane] = is_unsigned ? (float)(guint64)wide[lane] : (float)wide[lane];)
  else
    EACH_LANE(((double *)out)[lane] =
                  is_unsigned ? (double)(guint64)wide[lane] : (double)wide[lane];)
}

void
kernel_lanes_cast(TypeKind from, TypeKind to, const void *a, void *out) {
  gboolean from_real = from == KIND_FLOAT || from == KIND_DOUBLE;
  gboolean to_real = to == KIND_FLOAT || to == KIND_DOUBLE;
  gboolean from_wide = kind_is_wide(from), to_wide = kind_is_wide(to);
  if (from == to || (from_wide && to_wide && !from_real && !to_real)) {
    memcpy(out, a, LANES * (to_wide ? 8 : 4));
    return;
  }
  if (from_real) {
    cast_from_real(from, to, a, out);
    return;
  }
  if (to_real) {
    cast_to_real(from, to, a, out);
    return;
  }
  if (!from_wide && (to == KIND_INT || to == KIND_UINT)) {
    memcpy(out, a, LANES * 4);
    return;
  }
  gint64 wide[LANES];
  widen_integers(from, a, wide);
  if (to_wide)
    memcpy(out, wide, sizeof wide);
  else
    EACH_LANE(((gint32 *)out)[lane] = (gint32)kernel_wrap_integer(to, wide[lane]);)
}

// The value of lane 0 back into a constant.
static void
take_constant(Node *node, const Values *values) {
  TypeKind kind = node->type->kind;
  node->kind = NODE_CONSTANT;
  node->real = kind == KIND_FLOAT ? (double)values->f[0] : kind == KIND_DOUBLE ? values->d[0] : 0;
  node->integer = kind_is_wide(kind)  ? values->l[0]
                  : kind == KIND_UINT ? (gint64)values->u[0]
                                      : values->i[0];
  node->a = node->b = NULL;
}

void
kernel_lanes_fill(const Node *constant, void *out) {
  TypeKind kind = constant->type->kind;
  if (kind == KIND_FLOAT)
    EACH_LANE(((float *)out)[lane] = (float)constant->real;)
  else if (kind == KIND_DOUBLE)
    EACH_LANE(((double *)out)[lane] = constant->real;)
  else if (kind_is_wide(kind))
    EACH_LANE(((gint64 *)out)[lane] = constant->integer;)
  else
    EACH_LANE(((gint32 *)out)[lane] = (gint32)constant->integer;)
}

void
kernel_fold_cast(Node *node) {
  Values a, out;
  kernel_lanes_fill(node->a, &a);
  kernel_lanes_cast(node->a->type->kind, node->type->kind, &a, &out);
  take_constant(node, &out);
}

void
kernel_fold_binary(Node *node) {
  Values a, b, out;
  TypeKind kind = node->a->type->kind;
  gboolean divides = node->op == OPERATOR_DIV || node->op == OPERATOR_MOD;
  kernel_lanes_fill(node->a, &a);
  kernel_lanes_fill(node->b, &b);
  if (divides && kernel_lanes_division_faults(kind, &b, 1))
    return;
  kernel_lanes_binary((Operator)node->op, kind, &a, &b, &out);
  take_constant(node, &out);
}

void
kernel_fold_unary(Node *node) {
  Values a, out;
  kernel_lanes_fill(node->a, &a);
  kernel_lanes_unary((NodeKind)node->kind, node->a->type->kind, &a, &out);
  take_constant(node, &out);
}
