// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What is computed: operators, conversions and functions as operations of sim/exec/compute/operations.def. Integers of fewer than
// 32 bits lie sign- or zero-extended in a row. What has no operation yet, or one that differs in a last bit, is a FOREIGN step.
#include "sim/cuda/lower/impl.h"

// Columns of the tables: numbers of 32 bits, signed and unsigned, of 64, and reals.
typedef enum {
  AS_S32,
  AS_U32,
  AS_S64,
  AS_U64,
  AS_F32,
  AS_F64,
  AS_HALF,
  N_AS,
} As;

#define NONE 0

static As
find_as(const Type *type) {
  switch (type->kind) {
  case KIND_BOOL:
  case KIND_CHAR:
  case KIND_UCHAR:
  case KIND_SHORT:
  case KIND_USHORT:
  case KIND_INT:
    return AS_S32;
  case KIND_UINT:
    return AS_U32;
  case KIND_LONG:
    return AS_S64;
  case KIND_ULONG:
  case KIND_POINTER:
  case KIND_ARRAY:
  case KIND_STRUCT:
    return AS_U64;
  case KIND_FLOAT:
    return AS_F32;
  case KIND_DOUBLE:
    return AS_F64;
  case KIND_HALF:
  case KIND_BFLOAT:
    return AS_HALF;
  case KIND_VOID:
  case KIND_VECTOR:
    break;
  }
  g_assert_not_reached();
}

static const guint16 binaries[][N_AS] = {
    [OPERATOR_ADD] = {OPERATION_ADD_32, OPERATION_ADD_32, OPERATION_ADD_64, OPERATION_ADD_64,
                      OPERATION_ADD_F32, OPERATION_ADD_F64},
    [OPERATOR_SUB] = {OPERATION_SUB_32, OPERATION_SUB_32, OPERATION_SUB_64, OPERATION_SUB_64,
                      OPERATION_SUB_F32, OPERATION_SUB_F64},
    [OPERATOR_MUL] = {OPERATION_MUL_32, OPERATION_MUL_32, OPERATION_MUL_64, OPERATION_MUL_64,
                      OPERATION_MUL_F32, OPERATION_MUL_F64},
    [OPERATOR_DIV] = {OPERATION_DIV_S32, OPERATION_DIV_U32, OPERATION_DIV_S64, OPERATION_DIV_U64,
                      OPERATION_DIV_F32, OPERATION_DIV_F64},
    [OPERATOR_MOD] = {OPERATION_REM_S32, OPERATION_REM_U32, OPERATION_REM_S64, OPERATION_REM_U64},
    [OPERATOR_SHL] = {OPERATION_SHL_32, OPERATION_SHL_32, OPERATION_SHL_64, OPERATION_SHL_64},
    [OPERATOR_SHR] = {OPERATION_SHR_S32, OPERATION_SHR_U32, OPERATION_SHR_S64, OPERATION_SHR_U64},
    [OPERATOR_AND] = {OPERATION_AND_32, OPERATION_AND_32, OPERATION_AND_64, OPERATION_AND_64},
    [OPERATOR_OR] = {OPERATION_OR_32, OPERATION_OR_32, OPERATION_OR_64, OPERATION_OR_64},
    [OPERATOR_XOR] = {OPERATION_XOR_32, OPERATION_XOR_32, OPERATION_XOR_64, OPERATION_XOR_64},
    [OPERATOR_NE] = {NONE},
};

static const guint16 equals[N_AS] = {OPERATION_EQ_32, OPERATION_EQ_32,  OPERATION_EQ_64,
                                     OPERATION_EQ_64, OPERATION_EQ_F32, OPERATION_EQ_F64};
static const guint16 less[N_AS] = {OPERATION_LT_S32, OPERATION_LT_U32, OPERATION_LT_S64,
                                   OPERATION_LT_U64, OPERATION_LT_F32, OPERATION_LT_F64};
static const guint16 less_equal[N_AS] = {[AS_F32] = OPERATION_LE_F32, [AS_F64] = OPERATION_LE_F64};

static Foreign *
add_foreign(Lower *lower, ForeignKind kind, const Node *node, Row d) {
  Foreign *foreign = smb_lower_foreign(lower, kind, node, node->start);
  smb_lower_gives(lower, foreign, node->type, d);
  return foreign;
}

static void
add_operand(Foreign *foreign, guint i, const Type *type, Row row) {
  foreign->types[i] = type;
  foreign->operands[i] = row;
}

// --- comparisons

gboolean
smb_lower_compares(Lower *lower, const Node *node, Predicate p, Row a, Row b) {
  As as = find_as(node->a->type);
  if (as == AS_HALF)
    return FALSE;
  gboolean is_real = as >= AS_F32;
  switch ((Operator)node->op) {
  case OPERATOR_EQ:
  case OPERATOR_NE:
    smb_lower_compare(lower, equals[as], node->op == OPERATOR_NE, p, a, b);
    return TRUE;
  case OPERATOR_LT:
    smb_lower_compare(lower, less[as], FALSE, p, a, b);
    return TRUE;
  case OPERATOR_GT:
    smb_lower_compare(lower, less[as], FALSE, p, b, a);
    return TRUE;
  case OPERATOR_LE:
    if (is_real)
      smb_lower_compare(lower, less_equal[as], FALSE, p, a, b);
    else
      smb_lower_compare(lower, less[as], TRUE, p, b, a);
    return TRUE;
  case OPERATOR_GE:
    if (is_real)
      smb_lower_compare(lower, less_equal[as], FALSE, p, b, a);
    else
      smb_lower_compare(lower, less[as], TRUE, p, a, b);
    return TRUE;
  case OPERATOR_ADD:
  case OPERATOR_SUB:
  case OPERATOR_MUL:
  case OPERATOR_DIV:
  case OPERATOR_MOD:
  case OPERATOR_SHL:
  case OPERATOR_SHR:
  case OPERATOR_AND:
  case OPERATOR_OR:
  case OPERATOR_XOR:
    return FALSE;
  }
  g_assert_not_reached();
}

// --- operators

// A quotient by a power of two, or its rest, of numbers without a sign: processors do not divide vectors.
static gboolean
divide_by_shift(Lower *lower, const Node *node, Row d, Row a) {
  const Node *b = node->b;
  guint64 divisor = (guint64)b->integer;
  As as = find_as(node->a->type);
  if (b->kind != NODE_CONSTANT || as != AS_U32 || !divisor || divisor & (divisor - 1))
    return FALSE;
  if (node->op == OPERATOR_DIV)
    smb_lower_compute(lower, OPERATION_SHR_U32, d, a,
                      smb_lower_number(lower, (guint)__builtin_ctzll(divisor), 1), NO_ROW);
  else
    smb_lower_compute(lower, OPERATION_AND_32, d, a,
                      smb_lower_number(lower, (guint32)(divisor - 1), 1), NO_ROW);
  return TRUE;
}

// Whether it is never 0: a number, or an extent.
static gboolean
is_nonzero(const Node *node) {
  if (node->kind == NODE_CAST)
    return smb_type_is_integer(node->type) && node->type->size >= 4 && is_nonzero(node->a);
  return (node->kind == NODE_CONSTANT && (guint32)node->integer != 0) ||
         (node->kind == NODE_SPECIAL &&
          (node->special == SPECIAL_BLOCK_DIM || node->special == SPECIAL_GRID_DIM));
}

static void
check_divisor(Lower *lower, const Node *node, Row b) {
  if (is_nonzero(node->b))
    return;
  Foreign *check = smb_lower_foreign(lower, FOREIGN_DIVISOR, node, node->b->start);
  add_operand(check, 0, node->b->type, b);
}

void
smb_lower_binary(Lower *lower, const Node *node, Row d, Row a, Row b) {
  As as = find_as(node->a->type);
  gboolean divides = node->op == OPERATOR_DIV || node->op == OPERATOR_MOD;
  if (divides && as < AS_F32)
    check_divisor(lower, node, b);
  if (divides && divide_by_shift(lower, node, d, a))
    return;
  if (as != AS_HALF && node->op < OPERATOR_NE && binaries[node->op][as]) {
    smb_lower_compute(lower, binaries[node->op][as], d, a, b, NO_ROW);
    return;
  }
  Predicate p = smb_code_new_predicate(lower->code);
  if (smb_lower_compares(lower, node, p, a, b)) {
    smb_lower_truth(lower, d, p);
    return;
  }
  Foreign *foreign = add_foreign(lower, FOREIGN_BINARY, node, d);
  add_operand(foreign, 0, node->a->type, a);
  add_operand(foreign, 1, node->b->type, b);
}

void
smb_lower_unary(Lower *lower, const Node *node, Row d, Row a) {
  static const guint16 negates[N_AS] = {OPERATION_NEG_32,  OPERATION_NEG_32,  OPERATION_NEG_64,
                                        OPERATION_NEG_64,  OPERATION_NEG_F32, OPERATION_NEG_F64,
                                        OPERATION_NEG_HALF};
  As as = find_as(node->a->type);
  Operation operation = node->kind == NODE_NEGATE         ? negates[as]
                        : node->kind == NODE_NOT          ? OPERATION_CNOT_32
                        : smb_type_is_wide(node->a->type) ? OPERATION_NOT_64
                                                          : OPERATION_NOT_32;
  smb_lower_compute(lower, operation, d, a, NO_ROW, NO_ROW);
}

// --- conversions

// What makes an integer one of another type; NONE: its low bits do.
static Operation
find_narrowing(const Type *to) {
  switch (to->kind) {
  case KIND_CHAR:
    return OPERATION_CVT_32_S8;
  case KIND_UCHAR:
    return OPERATION_CVT_32_U8;
  case KIND_SHORT:
    return OPERATION_CVT_32_S16;
  case KIND_USHORT:
    return OPERATION_CVT_32_U16;
  case KIND_VOID:
  case KIND_BOOL:
  case KIND_INT:
  case KIND_UINT:
  case KIND_LONG:
  case KIND_ULONG:
  case KIND_HALF:
  case KIND_BFLOAT:
  case KIND_FLOAT:
  case KIND_DOUBLE:
  case KIND_VECTOR:
  case KIND_POINTER:
  case KIND_ARRAY:
  case KIND_STRUCT:
    break;
  }
  return NONE;
}

static Operation
find_conversion(As from, As to) {
  static const guint16 conversions[N_AS][N_AS] = {
      [AS_S32] = {[AS_S64] = OPERATION_CVT_64_S32,
                  [AS_U64] = OPERATION_CVT_64_S32,
                  [AS_F32] = OPERATION_CVT_F32_S32,
                  [AS_F64] = OPERATION_CVT_F64_S32},
      [AS_U32] = {[AS_S64] = OPERATION_CVT_64_U32,
                  [AS_U64] = OPERATION_CVT_64_U32,
                  [AS_F32] = OPERATION_CVT_F32_U32,
                  [AS_F64] = OPERATION_CVT_F64_U32},
      [AS_F32] = {[AS_F64] = OPERATION_CVT_F64_F32},
      [AS_F64] = {[AS_F32] = OPERATION_CVT_F32_F64},
  };
  return conversions[from][to];
}

static Row
give(Lower *lower, const Type *type, Row d) {
  return d != NO_ROW ? d : smb_lower_take(lower, value_rows(type));
}

Row
smb_lower_cast(Lower *lower, const Node *node, Row d, Row a) {
  const Type *from = node->a->type, *to = node->type;
  As as_from = find_as(from), as_to = find_as(to);
  gboolean integers = as_from < AS_F32 && as_to < AS_F32;
  Operation narrowing = integers ? find_narrowing(to) : NONE;
  Operation conversion = narrowing ? narrowing : find_conversion(as_from, as_to);
  if (integers && to->kind == KIND_BOOL && from->kind != KIND_BOOL) {
    Predicate p = smb_code_new_predicate(lower->code);
    d = give(lower, to, d);
    smb_lower_compare(lower, equals[as_from], TRUE, p, a,
                      smb_lower_number(lower, 0, type_rows(from)));
    smb_lower_truth(lower, d, p);
  } else if (conversion && !(to->kind == KIND_BOOL && !integers)) {
    d = give(lower, to, d);
    smb_lower_compute(lower, conversion, d, a, NO_ROW, NO_ROW);
  } else if (integers) {
    return a; // of the same size, or the low word
  } else {
    d = give(lower, to, d);
    Foreign *foreign = add_foreign(lower, FOREIGN_CONVERT, node, d);
    add_operand(foreign, 0, from, a);
  }
  return d;
}

// --- functions

static Operation
find_function(Builtin builtin, const Type *type) {
  static const guint16 functions[][N_AS] = {
      [ARITH_MIN] = {OPERATION_MIN_S32, OPERATION_MIN_U32, OPERATION_MIN_S64, OPERATION_MIN_U64},
      [ARITH_MAX] = {OPERATION_MAX_S32, OPERATION_MAX_U32, OPERATION_MAX_S64, OPERATION_MAX_U64},
      [ARITH_ABS] = {[AS_S32] = OPERATION_ABS_S32, [AS_S64] = OPERATION_ABS_S64},
      [ARITH_FMA] = {[AS_F32] = OPERATION_FMA_F32, [AS_F64] = OPERATION_FMA_F64},
      [ARITH_POPC] = {[AS_U32] = OPERATION_POPC_32, [AS_U64] = OPERATION_POPC_64},
      [ARITH_CLZ] = {[AS_U32] = OPERATION_CLZ_32, [AS_U64] = OPERATION_CLZ_64},
      [ARITH_BREV] = {[AS_U32] = OPERATION_BREV_32, [AS_U64] = OPERATION_BREV_64},
  };
  guint function = smb_cuda_builtin_operation(builtin);
  return function < G_N_ELEMENTS(functions) ? functions[function][find_as(type)] : NONE;
}

void
smb_lower_function(Lower *lower, const Node *node, Row d, const Row *operands) {
  Operation operation = find_function(node->builtin, node->arguments[0]->type);
  if (operation) {
    Row s[3] = {NO_ROW, NO_ROW, NO_ROW};
    for (guint i = 0; i < node->n_arguments; i++)
      s[i] = operands[i];
    smb_lower_compute(lower, operation, d, s[0], s[1], s[2]);
    return;
  }
  Foreign *foreign = add_foreign(lower, FOREIGN_FUNCTION, node, d);
  for (guint i = 0; i < node->n_arguments; i++)
    add_operand(foreign, i, node->arguments[i]->type, operands[i]);
}

Foreign *
smb_lower_watch(Lower *lower, const Node *node, Row a, Row b, Row out) {
  gboolean calls = node->kind == NODE_BUILTIN;
  if (!node->is_watched)
    return NULL;
  Foreign *watch = smb_lower_foreign(lower, FOREIGN_WATCH, node, node->start);
  add_operand(watch, 0, calls ? node->arguments[0]->type : node->a->type, a);
  if (b != NO_ROW)
    add_operand(watch, 1, calls ? node->arguments[1]->type : node->b->type, b);
  if (out != NO_ROW)
    add_operand(watch, 2, node->type, out);
  return watch;
}
