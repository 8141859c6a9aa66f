// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/cuda/tree/compute.h"

#include <math.h>

// Holds sums and differences of all integers.
__extension__ typedef __int128 Wide;

SmbScalar
smb_cuda_scalar(TypeKind kind) {
  static const guint8 scalars[] = {
      [KIND_BOOL] = SMB_SCALAR_BOOL,   [KIND_CHAR] = SMB_SCALAR_I8,
      [KIND_UCHAR] = SMB_SCALAR_U8,    [KIND_SHORT] = SMB_SCALAR_I16,
      [KIND_USHORT] = SMB_SCALAR_U16,  [KIND_INT] = SMB_SCALAR_I32,
      [KIND_UINT] = SMB_SCALAR_U32,    [KIND_LONG] = SMB_SCALAR_I64,
      [KIND_ULONG] = SMB_SCALAR_U64,   [KIND_HALF] = SMB_SCALAR_F16,
      [KIND_BFLOAT] = SMB_SCALAR_BF16, [KIND_FLOAT] = SMB_SCALAR_F32,
      [KIND_DOUBLE] = SMB_SCALAR_F64,  [KIND_POINTER] = SMB_SCALAR_U64,
      [KIND_ARRAY] = SMB_SCALAR_U64,   [KIND_STRUCT] = SMB_SCALAR_U64,
  };
  return (SmbScalar)scalars[kind];
}

gint64
smb_cuda_wrap(TypeKind kind, gint64 value) {
  return smb_scalar_wrap(smb_cuda_scalar(kind), value);
}

// --- what becomes of a node

static void
become(Node *node, gint64 integer, double real) {
  node->kind = NODE_CONSTANT;
  node->integer = integer;
  node->real = real;
  node->a = node->b = NULL;
}

static void
become_integer(Node *node, gint64 value) {
  become(node, smb_cuda_wrap(node->type->kind, value), 0);
}

// Rounded to its type.
static void
become_real(Node *node, double value) {
  SmbScalar kind = smb_cuda_scalar(node->type->kind);
  double rounded = kind == SMB_SCALAR_F64 ? value
                   : kind == SMB_SCALAR_F32
                       ? (double)(float)value
                       : smb_half_to_real(kind, smb_half_from_real(kind, value));
  become(node, 0, rounded);
}

// --- conversions

// Compilers ask for 32 bits (nvcc 13 of a float or double), but for halves, which have a function for each kind (cuda_fp16.hpp).
TypeKind
smb_cuda_rounded_kind(TypeKind from, TypeKind to) {
  if (from == KIND_HALF || from == KIND_BFLOAT)
    return to;
  return to == KIND_UCHAR || to == KIND_USHORT ? KIND_UINT
         : to == KIND_CHAR || to == KIND_SHORT ? KIND_INT
                                               : to;
}

// Towards zero, and to the nearest end of the range. NaN becomes 0, or what only the highest bit of 64 is set of, as
// sim/exec/compute/real.c has it.
static gint64
round_to_integer(TypeKind from, TypeKind to, double x) {
  SmbScalar kind = smb_cuda_scalar(smb_cuda_rounded_kind(from, to));
  guint bits = 8 * (guint)smb_scalar_bytes(kind);
  gboolean is_signed = kind != SMB_SCALAR_U64 && smb_scalar_wrap(kind, -1) < 0;
  Wide highest = (Wide)1 << (bits - 1), top = is_signed ? highest - 1 : 2 * highest - 1;
  if (isnan(x))
    return bits == 64 || from == KIND_DOUBLE ? (gint64)highest : 0;
  Wide whole = x >= 0x1p64 ? (Wide)1 << 64 : x <= -0x1p64 ? -((Wide)1 << 64) : (Wide)x;
  return (gint64)CLAMP(whole, is_signed ? -highest : 0, top);
}

// A whole number as a real, which is rounded once.
static double
round_to_real(TypeKind from, TypeKind to, gint64 value) {
  gboolean is_negative = value < 0 && from != KIND_ULONG;
  guint64 size = is_negative ? 0 - (guint64)value : (guint64)value;
  double real = to == KIND_DOUBLE ? (double)size : smb_scalar_odd_double(size);
  return is_negative ? -real : real;
}

void
smb_cuda_fold_cast(Node *node) {
  const Node *a = node->a;
  TypeKind from = a->type->kind, to = node->type->kind;
  gboolean from_real = smb_type_is_real(a->type), to_real = smb_type_is_real(node->type);
  if (to == KIND_BOOL)
    become_integer(node, from_real ? a->real != 0 : a->integer != 0);
  else if (from_real && to_real)
    become_real(node, a->real);
  else if (to_real)
    become_real(node, round_to_real(from, to, a->integer));
  else
    become_integer(node, from_real ? round_to_integer(from, to, a->real) : a->integer);
}

// --- operators

static gboolean
compares_reals(Operator op, double x, double y) {
  return op == OPERATOR_LT   ? x < y
         : op == OPERATOR_LE ? x <= y
         : op == OPERATOR_GT ? x > y
         : op == OPERATOR_GE ? x >= y
         : op == OPERATOR_EQ ? x == y
                             : x != y;
}

// Of a float and of a half, too: what a double has of two of them is rounded once more, to the same number (Figueroa 1995, When is
// double rounding innocuous?).
static double
compute_reals(Operator op, double x, double y) {
  return op == OPERATOR_ADD   ? x + y
         : op == OPERATOR_SUB ? x - y
         : op == OPERATOR_MUL ? x * y
                              : x / y;
}

// Operands are extended as their types say, so that all but shifts are the same of all types, but for what is cut off. Shifts by more than
// there are bits leave none, or those of the sign.
static Wide
compute_integers(Operator op, Wide x, Wide y, guint bits) {
  guint amount = MIN((guint32)y, bits);
  switch (op) {
  case OPERATOR_ADD:
    return x + y;
  case OPERATOR_SUB:
    return x - y;
  case OPERATOR_MUL:
    return (Wide)((guint64)x * (guint64)y);
  case OPERATOR_DIV:
    return x / y;
  case OPERATOR_MOD:
    return x % y;
  case OPERATOR_SHL:
    return amount < bits ? (Wide)((guint64)x << amount) : 0;
  case OPERATOR_SHR:
    return x >> amount;
  case OPERATOR_AND:
    return x & y;
  case OPERATOR_OR:
    return x | y;
  case OPERATOR_XOR:
    return x ^ y;
  case OPERATOR_LT:
    return x < y;
  case OPERATOR_LE:
    return x <= y;
  case OPERATOR_GT:
    return x > y;
  case OPERATOR_GE:
    return x >= y;
  case OPERATOR_EQ:
    return x == y;
  case OPERATOR_NE:
    return x != y;
  }
  g_assert_not_reached();
}

// Beyond 64 bits zeros, if it has no sign.
static Wide
extend(const Node *node) {
  return smb_cuda_scalar(node->type->kind) == SMB_SCALAR_U64 ? (Wide)(guint64)node->integer
                                                             : (Wide)node->integer;
}

void
smb_cuda_fold_binary(Node *node) {
  const Node *a = node->a, *b = node->b;
  Operator op = (Operator)node->op;
  if (smb_type_is_real(a->type)) {
    if (op >= OPERATOR_LT)
      become_integer(node, compares_reals(op, a->real, b->real));
    else
      become_real(node, compute_reals(op, a->real, b->real));
    return;
  }
  if ((op == OPERATOR_DIV || op == OPERATOR_MOD) && b->integer == 0)
    return;
  guint bits = smb_scalar_is_wide(smb_cuda_scalar(a->type->kind)) ? 64 : 32;
  become_integer(node, (gint64)compute_integers(op, extend(a), extend(b), bits));
}

void
smb_cuda_fold_unary(Node *node) {
  const Node *a = node->a;
  if (node->kind == NODE_NOT)
    become_integer(node, a->integer == 0);
  else if (node->kind == NODE_COMPLEMENT)
    become_integer(node, ~a->integer);
  else if (smb_type_is_real(a->type))
    become_real(node, -a->real);
  else
    become_integer(node, (gint64)(0 - (guint64)a->integer));
}
