// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/cuda/tree/compute.h"

#include "sim/base/scalar.h"
#include "sim/machine/lanes.h"

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

ArithBinary
smb_cuda_binary(Operator op) {
  return (ArithBinary)smb_kernel_operators[op].operation;
}

ArithUnary
smb_cuda_unary(const Node *node) {
  return node->kind == NODE_NEGATE       ? ARITH_NEGATE
         : node->kind == NODE_COMPLEMENT ? ARITH_COMPLEMENT
                                         : ARITH_NOT;
}

guint
smb_cuda_builtin_operation(Builtin builtin) {
  static const guint8 operations[] = {
#define SMB_BUILTIN(id, name, arguments, group, operation) operation,
#include "sim/cuda/builtin/builtin.def"
#undef SMB_BUILTIN
  };
  return operations[builtin];
}

gint64
smb_cuda_wrap(TypeKind kind, gint64 value) {
  return smb_scalar_wrap(smb_cuda_scalar(kind), value);
}

// Room for the values of a row of lanes, of any kind.
typedef union {
  gint32 i[ROW_LANES];
  guint32 u[ROW_LANES];
  gint64 l[ROW_LANES];
  guint64 ul[ROW_LANES];
  float f[ROW_LANES];
  double d[ROW_LANES];
} Values;

void
smb_cuda_take(Node *node, const void *lanes) {
  const Values *values = lanes;
  TypeKind kind = node->type->kind;
  node->kind = NODE_CONSTANT;
  node->real = kind == KIND_FLOAT    ? (double)values->f[0]
               : kind == KIND_DOUBLE ? values->d[0]
               : smb_type_is_half(node->type)
                   ? smb_half_to_real(smb_cuda_scalar(kind), (guint16)values->u[0])
                   : 0;
  node->integer = smb_kind_is_wide(kind) ? values->l[0]
                  : kind == KIND_UINT    ? (gint64)values->u[0]
                                         : values->i[0];
  node->a = node->b = NULL;
}

void
smb_cuda_fill(const Node *constant, guint n_lanes, void *out) {
  smb_arith_fill(smb_cuda_scalar(constant->type->kind), n_lanes, constant->integer, constant->real,
                 out);
}

void
smb_cuda_fold_cast(Node *node) {
  Values a, out;
  smb_cuda_fill(node->a, ROW_LANES, &a);
  smb_arith_convert(smb_cuda_scalar(node->a->type->kind), smb_cuda_scalar(node->type->kind),
                    ROW_LANES, &a, &out);
  smb_cuda_take(node, &out);
}

void
smb_cuda_fold_binary(Node *node) {
  Values a, b, out;
  SmbScalar kind = smb_cuda_scalar(node->a->type->kind);
  gboolean divides = node->op == OPERATOR_DIV || node->op == OPERATOR_MOD;
  smb_cuda_fill(node->a, ROW_LANES, &a);
  smb_cuda_fill(node->b, ROW_LANES, &b);
  if (divides && smb_arith_division_faults(kind, ROW_LANES, &b, 1))
    return;
  smb_arith_binary(smb_cuda_binary((Operator)node->op), kind, ROW_LANES, &a, &b, &out);
  smb_cuda_take(node, &out);
}

void
smb_cuda_fold_unary(Node *node) {
  Values a, out;
  smb_cuda_fill(node->a, ROW_LANES, &a);
  smb_arith_unary(smb_cuda_unary(node), smb_cuda_scalar(node->a->type->kind), ROW_LANES, &a, &out);
  smb_cuda_take(node, &out);
}
