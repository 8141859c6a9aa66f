// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What is computed: operators, conversions and functions as operations of sim/exec/compute/operations.def. Integers of fewer than
// 32 bits lie sign- or zero-extended in a row. Functions of halves that have no operation are those of doubles, rounded once more.
#include "sim/cuda/lower/impl.h"
#include "sim/exec/compute/function.h"

// Columns of the tables: numbers of 32 bits, signed and unsigned, of 64, and reals.
typedef enum {
  AS_S32,
  AS_U32,
  AS_S64,
  AS_U64,
  AS_F32,
  AS_F64,
  AS_F16,
  AS_BF16,
  N_AS,
} As;

#define NONE 0

static As
find_as(const Type *type) {
  static const guint8 columns[] = {
      [KIND_BOOL] = AS_S32,   [KIND_CHAR] = AS_S32,    [KIND_UCHAR] = AS_S32,
      [KIND_SHORT] = AS_S32,  [KIND_USHORT] = AS_S32,  [KIND_INT] = AS_S32,
      [KIND_UINT] = AS_U32,   [KIND_LONG] = AS_S64,    [KIND_ULONG] = AS_U64,
      [KIND_HALF] = AS_F16,   [KIND_BFLOAT] = AS_BF16, [KIND_FLOAT] = AS_F32,
      [KIND_DOUBLE] = AS_F64, [KIND_POINTER] = AS_U64, [KIND_ARRAY] = AS_U64,
      [KIND_STRUCT] = AS_U64,
  };
  return (As)columns[type->kind];
}

static const guint16 binaries[][N_AS] = {
    [OPERATOR_ADD] = {OPERATION_ADD_32, OPERATION_ADD_32, OPERATION_ADD_64, OPERATION_ADD_64,
                      OPERATION_ADD_F32, OPERATION_ADD_F64, OPERATION_ADD_F16, OPERATION_ADD_BF16},
    [OPERATOR_SUB] = {OPERATION_SUB_32, OPERATION_SUB_32, OPERATION_SUB_64, OPERATION_SUB_64,
                      OPERATION_SUB_F32, OPERATION_SUB_F64, OPERATION_SUB_F16, OPERATION_SUB_BF16},
    [OPERATOR_MUL] = {OPERATION_MUL_32, OPERATION_MUL_32, OPERATION_MUL_64, OPERATION_MUL_64,
                      OPERATION_MUL_F32, OPERATION_MUL_F64, OPERATION_MUL_F16, OPERATION_MUL_BF16},
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

static const guint16 equals[N_AS] = {OPERATION_EQ_32,  OPERATION_EQ_32,  OPERATION_EQ_64,
                                     OPERATION_EQ_64,  OPERATION_EQ_F32, OPERATION_EQ_F64,
                                     OPERATION_EQ_F16, OPERATION_EQ_BF16};
static const guint16 less[N_AS] = {OPERATION_LT_S32, OPERATION_LT_U32, OPERATION_LT_S64,
                                   OPERATION_LT_U64, OPERATION_LT_F32, OPERATION_LT_F64,
                                   OPERATION_LT_F16, OPERATION_LT_BF16};
static const guint16 less_equal[N_AS] = {[AS_F32] = OPERATION_LE_F32,
                                         [AS_F64] = OPERATION_LE_F64,
                                         [AS_F16] = OPERATION_LE_F16,
                                         [AS_BF16] = OPERATION_LE_BF16};

static void
add_operand(Foreign *foreign, guint i, const Type *type, Row row) {
  foreign->types[i] = type;
  foreign->operands[i] = row;
}

static Row
take_as(Lower *lower, As as) {
  return smb_lower_take(lower, as == AS_S64 || as == AS_U64 || as == AS_F64 ? 2 : 1);
}

// d = a, as another kind of number; one of the two is real. To integers it is rounded towards 0.
static void
convert(Lower *lower, SmbScalar from, SmbScalar to, Row d, Row a) {
  static const guint16 operations[2][2] = {{OPERATION_CONVERT_32, OPERATION_CONVERT_64_32},
                                           {OPERATION_CONVERT_32_64, OPERATION_CONVERT_64}};
  smb_lower_add_compute(
      lower, (Compute){.operation = operations[smb_scalar_is_wide(from)][smb_scalar_is_wide(to)],
                       .modifiers = smb_scalar_is_real(to) ? MODIFIER_NEAREST : MODIFIER_ZERO,
                       .bytes = (guint8)smb_scalar_bytes(to),
                       .from = (guint8)from,
                       .to = (guint8)to,
                       .d = d,
                       .s = {a, NO_ROW, NO_ROW}});
}

// --- comparisons

// a <= b. It is not the opposite of b < a where one of them is a NaN.
static void
compare_at_most(Lower *lower, As as, Predicate p, Row a, Row b) {
  if (less_equal[as] != NONE)
    smb_lower_compare(lower, less_equal[as], FALSE, p, a, b);
  else
    smb_lower_compare(lower, less[as], TRUE, p, b, a);
}

gboolean
smb_lower_compares(Lower *lower, const Node *node, Predicate p, Row a, Row b) {
  As as = find_as(node->a->type);
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
    compare_at_most(lower, as, p, a, b);
    return TRUE;
  case OPERATOR_GE:
    compare_at_most(lower, as, p, b, a);
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
  Predicate is_set = smb_code_new_predicate(lower->code);
  smb_lower_compare(lower, equals[find_as(node->b->type)], TRUE, is_set, b,
                    smb_lower_number(lower, 0, type_rows(node->b->type)));
  smb_lower_check(lower, STEP_TEXT_DIVISOR, is_set, node, node->b->start);
}

void
smb_lower_binary(Lower *lower, const Node *node, Row d, Row a, Row b) {
  As as = find_as(node->a->type);
  gboolean divides = node->op == OPERATOR_DIV || node->op == OPERATOR_MOD;
  if (divides && as < AS_F32)
    check_divisor(lower, node, b);
  if (divides && divide_by_shift(lower, node, d, a))
    return;
  if (node->op < OPERATOR_NE && binaries[node->op][as]) {
    smb_lower_compute(lower, binaries[node->op][as], d, a, b, NO_ROW);
    return;
  }
  Predicate p = smb_code_new_predicate(lower->code);
  if (smb_lower_compares(lower, node, p, a, b)) {
    smb_lower_truth(lower, d, p);
    return;
  }
  SmbScalar half = smb_cuda_scalar(node->a->type->kind);
  Row x = take_as(lower, AS_F64), y = take_as(lower, AS_F64);
  convert(lower, half, SMB_SCALAR_F64, x, a);
  convert(lower, half, SMB_SCALAR_F64, y, b);
  smb_lower_compute(lower, OPERATION_DIV_F64, x, x, y, NO_ROW);
  convert(lower, SMB_SCALAR_F64, half, d, x);
}

void
smb_lower_unary(Lower *lower, const Node *node, Row d, Row a) {
  static const guint16 negates[N_AS] = {OPERATION_NEG_32,   OPERATION_NEG_32,  OPERATION_NEG_64,
                                        OPERATION_NEG_64,   OPERATION_NEG_F32, OPERATION_NEG_F64,
                                        OPERATION_NEG_HALF, OPERATION_NEG_HALF};
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
  static const guint16 narrowings[] = {
      [KIND_CHAR] = OPERATION_CVT_32_S8,
      [KIND_UCHAR] = OPERATION_CVT_32_U8,
      [KIND_SHORT] = OPERATION_CVT_32_S16,
      [KIND_USHORT] = OPERATION_CVT_32_U16,
  };
  return to->kind < G_N_ELEMENTS(narrowings) ? narrowings[to->kind] : NONE;
}

static Operation
find_conversion_operation(As from, As to) {
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

Row
smb_lower_cast(Lower *lower, const Node *node, Row d, Row a) {
  const Type *from = node->a->type, *to = node->type;
  As as_from = find_as(from), as_to = find_as(to);
  gboolean integers = as_from < AS_F32 && as_to < AS_F32;
  Operation narrowing = as_to < AS_F32 ? find_narrowing(to) : NONE;
  Operation conversion =
      integers && narrowing ? narrowing : find_conversion_operation(as_from, as_to);
  if (integers && !conversion && (to->kind != KIND_BOOL || from->kind == KIND_BOOL))
    return a; // of the same size, or the low word
  d = smb_lower_give(lower, to, d);
  if (to->kind == KIND_BOOL) {
    Predicate p = smb_code_new_predicate(lower->code);
    smb_lower_compare(lower, equals[as_from], TRUE, p, a,
                      smb_lower_number(lower, 0, type_rows(from)));
    smb_lower_truth(lower, d, p);
  } else if (conversion) {
    smb_lower_compute(lower, conversion, d, a, NO_ROW, NO_ROW);
  } else {
    TypeKind rounded = to->kind;
    if (as_from >= AS_F32 && as_to < AS_F32)
      rounded = smb_cuda_rounded_kind(from->kind, to->kind);
    convert(lower, smb_cuda_scalar(from->kind), smb_cuda_scalar(rounded), d, a);
    if (narrowing)
      smb_lower_compute(lower, narrowing, d, d, NO_ROW, NO_ROW);
  }
  return d;
}

// --- functions

// What builtin.def calls them: those of the library come first.
enum {
#define FUNCTION(name, ...) ARITH_##name,
#include "sim/exec/compute/function.def"
  ARITH_MIN,
  ARITH_MAX,
  ARITH_ABS,
  ARITH_SQRT,
  ARITH_COPYSIGN,
  ARITH_DIVIDE,
  ARITH_FMA,
  ARITH_POPC,
  ARITH_CLZ,
  ARITH_FFS,
  ARITH_BREV,
};

guint
smb_lower_builtin(Builtin builtin) {
  static const guint8 operations[] = {
#define SMB_BUILTIN(id, name, arguments, group, operation) operation,
#include "sim/cuda/builtin/builtin.def"
#undef SMB_BUILTIN
  };
  return operations[builtin];
}

static Operation
find_function(guint function, As as) {
  static const guint16 functions[][N_AS] = {
      [ARITH_MIN] = {OPERATION_MIN_S32, OPERATION_MIN_U32, OPERATION_MIN_S64, OPERATION_MIN_U64,
                     OPERATION_MIN_F32, OPERATION_MIN_F64, OPERATION_MIN_F16, OPERATION_MIN_BF16},
      [ARITH_MAX] = {OPERATION_MAX_S32, OPERATION_MAX_U32, OPERATION_MAX_S64, OPERATION_MAX_U64,
                     OPERATION_MAX_F32, OPERATION_MAX_F64, OPERATION_MAX_F16, OPERATION_MAX_BF16},
      [ARITH_ABS] = {OPERATION_ABS_S32, OPERATION_MOV_32, OPERATION_ABS_S64, OPERATION_MOV_64,
                     OPERATION_ABS_F32, OPERATION_ABS_F64, OPERATION_ABS_HALF, OPERATION_ABS_HALF},
      [ARITH_SQRT] = {[AS_F32] = OPERATION_SQRT_F32, [AS_F64] = OPERATION_SQRT_F64},
      [ARITH_COPYSIGN] = {[AS_F32] = OPERATION_COPYSIGN_F32, [AS_F64] = OPERATION_COPYSIGN_F64},
      [ARITH_DIVIDE] = {[AS_F32] = OPERATION_DIV_F32, [AS_F64] = OPERATION_DIV_F64},
      [ARITH_FMA] = {[AS_F32] = OPERATION_FMA_F32,
                     [AS_F64] = OPERATION_FMA_F64,
                     [AS_F16] = OPERATION_FMA_F16,
                     [AS_BF16] = OPERATION_FMA_BF16},
      [ARITH_POPC] = {[AS_U32] = OPERATION_POPC_32, [AS_U64] = OPERATION_POPC_64},
      [ARITH_CLZ] = {[AS_U32] = OPERATION_CLZ_32, [AS_U64] = OPERATION_CLZ_64},
      [ARITH_BREV] = {[AS_U32] = OPERATION_BREV_32, [AS_U64] = OPERATION_BREV_64},
  };
  return function < G_N_ELEMENTS(functions) ? functions[function][as] : NONE;
}

// The lowest bit, counted from 1: that of x & -x, which is the only one.
static void
find_first_set(Lower *lower, As as, Row d, Row a) {
  gboolean is_wide = as == AS_U64;
  Row low = take_as(lower, as);
  smb_lower_compute(lower, is_wide ? OPERATION_NEG_64 : OPERATION_NEG_32, low, a, NO_ROW, NO_ROW);
  smb_lower_compute(lower, is_wide ? OPERATION_AND_64 : OPERATION_AND_32, low, low, a, NO_ROW);
  smb_lower_compute(lower, is_wide ? OPERATION_BFIND_U64 : OPERATION_BFIND_U32, d, low, NO_ROW,
                    NO_ROW);
  smb_lower_compute(lower, OPERATION_ADD_32, d, d, smb_lower_number(lower, 1, 1), NO_ROW);
}

// A function of @n numbers of a kind.
static void
call(Lower *lower, guint function, As as, Row d, const Row *operands, guint n) {
  Operation operation = find_function(function, as);
  Row s[3] = {operands[0], n > 1 ? operands[1] : NO_ROW, n > 2 ? operands[2] : NO_ROW};
  if (function == ARITH_COPYSIGN) // the sign is that of the second one here, of the first one there
    s[0] = operands[1], s[1] = operands[0];
  if (function == ARITH_FFS)
    find_first_set(lower, as, d, s[0]);
  else if (operation)
    smb_lower_compute(lower, operation, d, s[0], s[1], s[2]);
  else
    smb_lower_add_compute(lower, (Compute){.operation = as == AS_F32 ? OPERATION_FUNCTION_F32
                                                                     : OPERATION_FUNCTION_F64,
                                           .table = (guint8)function,
                                           .d = d,
                                           .s = {s[0], n > 1 ? s[1] : s[0]}});
}

void
smb_lower_function(Lower *lower, const Node *node, Row d, const Row *operands) {
  guint function = smb_lower_builtin((Builtin)node->builtin), n = node->n_arguments;
  As as = find_as(node->arguments[0]->type);
  if ((as != AS_F16 && as != AS_BF16) || find_function(function, as)) {
    call(lower, function, as, d, operands, n);
    return;
  }
  SmbScalar half = smb_cuda_scalar(node->arguments[0]->type->kind);
  Row wide[3] = {NO_ROW, NO_ROW, NO_ROW}, result = take_as(lower, AS_F64);
  for (guint i = 0; i < n; i++) {
    wide[i] = take_as(lower, AS_F64);
    convert(lower, half, SMB_SCALAR_F64, wide[i], operands[i]);
  }
  call(lower, function, AS_F64, result, wide, n);
  convert(lower, SMB_SCALAR_F64, half, d, result);
}

Foreign *
smb_lower_watch(Lower *lower, const Node *node, Row a, Row b, Row out) {
  gboolean calls = node->kind == NODE_BUILTIN;
  if (!node->is_watched)
    return NULL;
  Foreign *watch = smb_lower_foreign(lower, STEP_TEXT_WATCH, node, node->start);
  add_operand(watch, 0, calls ? node->arguments[0]->type : node->a->type, a);
  if (b != NO_ROW)
    add_operand(watch, 1, calls ? node->arguments[1]->type : node->b->type, b);
  if (out != NO_ROW)
    add_operand(watch, 2, node->type, out);
  return watch;
}
