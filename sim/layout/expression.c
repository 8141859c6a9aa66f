// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/layout/expression.h"

#include <string.h>

typedef enum {
  STEP_NUMBER,
  STEP_VARIABLE,
  STEP_NEGATE,
  STEP_INVERT,
  STEP_MULTIPLY,
  STEP_DIVIDE,
  STEP_REMAINDER,
  STEP_ADD,
  STEP_SUBTRACT,
  STEP_SHIFT_LEFT,
  STEP_SHIFT_RIGHT,
  STEP_AND,
  STEP_XOR,
  STEP_OR,
} StepKind;

typedef struct {
  StepKind kind;
  gint64 value; // a number, or an SmbExpressionVariable
} Step;

// Most operands at once: one for each open parenthesis and level of precedence.
#define MAX_OPERANDS (SMB_NOTATION_MAX_DEPTH * 8 + 8)

static const char *const names[SMB_EXPRESSION_N_VARIABLES] = {"r", "c", "i", "addr"};

// From the weakest to the strongest, as in C.
static const struct {
  const char *text;
  StepKind kind;
  guint level;
} operators[] = {
    {"|", STEP_OR, 0},          {"^", STEP_XOR, 1},          {"&", STEP_AND, 2},
    {"<<", STEP_SHIFT_LEFT, 3}, {">>", STEP_SHIFT_RIGHT, 3}, {"+", STEP_ADD, 4},
    {"-", STEP_SUBTRACT, 4},    {"*", STEP_MULTIPLY, 5},     {"/", STEP_DIVIDE, 5},
    {"%", STEP_REMAINDER, 5},
};

enum {
  UNARY_LEVEL = 6,
};

static void
emit(SmbExpression *expression, StepKind kind, gint64 value) {
  const Step step = {kind, value};
  g_array_append_val(expression->code, step);
}

static gboolean parse_level(SmbNotation *notation, SmbExpression *expression, guint level,
                            GError **error);

static gboolean
parse_variable(SmbNotation *notation, SmbExpression *expression, GError **error) {
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    if (smb_notation_take(notation, names[i])) {
      emit(expression, STEP_VARIABLE, i);
      expression->uses[i] = TRUE;
      return TRUE;
    }
  }
  return smb_notation_fail(notation, notation->at, error,
                           "expected a number, r, c, i, addr or '('");
}

// unary: NUMBER | VARIABLE | '(' expression ')' | '-' unary | '~' unary
static gboolean
parse_unary(SmbNotation *notation, SmbExpression *expression, GError **error) {
  char next = smb_notation_skip(notation);
  guint64 number;
  if (next == '(')
    return smb_notation_open(notation, "(", error) && parse_level(notation, expression, 0, error) &&
           smb_notation_close(notation, ")", error);
  if (next == '-' || next == '~') {
    if (!smb_notation_open(notation, next == '-' ? "-" : "~", error) ||
        !parse_unary(notation, expression, error))
      return FALSE;
    notation->depth--;
    emit(expression, next == '-' ? STEP_NEGATE : STEP_INVERT, 0);
    return TRUE;
  }
  if (!g_ascii_isdigit(next))
    return parse_variable(notation, expression, error);
  if (!smb_notation_number(notation, 0, G_MAXINT64, &number, error))
    return FALSE;
  emit(expression, STEP_NUMBER, (gint64)number);
  return TRUE;
}

// The operator of a level that comes next; -1: none does.
static gint
take_operator(SmbNotation *notation, guint level) {
  for (guint i = 0; i < G_N_ELEMENTS(operators); i++) {
    if (operators[i].level == level && smb_notation_take(notation, operators[i].text))
      return (gint)i;
  }
  return -1;
}

// level: next-level (OPERATOR next-level)*
static gboolean
parse_level(SmbNotation *notation, SmbExpression *expression, guint level, GError **error) {
  if (level == UNARY_LEVEL)
    return parse_unary(notation, expression, error);
  if (!parse_level(notation, expression, level + 1, error))
    return FALSE;
  for (gint found; (found = take_operator(notation, level)) >= 0;) {
    if (!parse_level(notation, expression, level + 1, error))
      return FALSE;
    emit(expression, operators[found].kind, 0);
  }
  return TRUE;
}

SmbExpression *
smb_expression_parse(SmbNotation *notation, GError **error) {
  g_autoptr(SmbExpression) expression = g_new0(SmbExpression, 1);
  smb_notation_skip(notation);
  expression->at = notation->at;
  expression->code = g_array_new(FALSE, FALSE, sizeof(Step));
  return parse_level(notation, expression, 0, error) ? g_steal_pointer(&expression) : NULL;
}

void
smb_expression_free(SmbExpression *expression) {
  if (!expression)
    return;
  g_array_unref(expression->code);
  g_free(expression);
}

static const char *
shift_operand(StepKind kind, gint64 a, gint64 b, gint64 *value) {
  if (b < 0 || b > 62)
    return "a shift by less than 0 or more than 62 bits";
  if (kind == STEP_SHIFT_RIGHT)
    *value = a >> b;
  else if (__builtin_mul_overflow(a, (gint64)1 << b, value))
    return "a number beyond 64 bits";
  return NULL;
}

static const char *
divide_operands(StepKind kind, gint64 a, gint64 b, gint64 *value) {
  if (b == 0)
    return "a division by zero";
  if (a == G_MININT64 && b == -1)
    return "a number beyond 64 bits";
  *value = kind == STEP_DIVIDE ? a / b : a % b;
  return NULL;
}

// The value of an operator with two operands, or what is wrong with it.
static const char *
combine_operands(StepKind kind, gint64 a, gint64 b, gint64 *value) {
  gboolean overflows = FALSE;
  switch (kind) {
  case STEP_ADD:
    overflows = __builtin_add_overflow(a, b, value);
    break;
  case STEP_SUBTRACT:
  case STEP_NEGATE:
    overflows = __builtin_sub_overflow(a, b, value);
    break;
  case STEP_MULTIPLY:
    overflows = __builtin_mul_overflow(a, b, value);
    break;
  case STEP_DIVIDE:
  case STEP_REMAINDER:
    return divide_operands(kind, a, b, value);
  case STEP_SHIFT_LEFT:
  case STEP_SHIFT_RIGHT:
    return shift_operand(kind, a, b, value);
  case STEP_AND:
    *value = a & b;
    break;
  case STEP_XOR:
    *value = a ^ b;
    break;
  case STEP_OR:
    *value = a | b;
    break;
  case STEP_INVERT:
    *value = ~b;
    break;
  case STEP_NUMBER:
  case STEP_VARIABLE:
    g_assert_not_reached();
  }
  return overflows ? "a number beyond 64 bits" : NULL;
}

const char *
smb_expression_evaluate(const SmbExpression *expression, const gint64 *variables, gint64 *value) {
  gint64 operands[MAX_OPERANDS] = {0};
  guint n = 0;
  const char *problem = NULL;
  for (guint i = 0; i < expression->code->len && !problem; i++) {
    const Step *step = &g_array_index(expression->code, Step, i);
    if (step->kind == STEP_NUMBER || step->kind == STEP_VARIABLE) {
      g_assert(n < MAX_OPERANDS);
      operands[n++] = step->kind == STEP_NUMBER ? step->value : variables[step->value];
      continue;
    }
    gboolean is_unary = step->kind == STEP_NEGATE || step->kind == STEP_INVERT;
    gint64 b = operands[--n], a = is_unary ? 0 : operands[--n];
    problem = combine_operands(step->kind, a, b, &operands[n]);
    n++;
  }
  *value = problem ? 0 : operands[0];
  return problem;
}
