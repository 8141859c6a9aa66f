// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Integer expressions: the condition of #if, and what the command line says of numbers.
#include <string.h>

#include "sim/base/error.h"
#include "sim/cuda/cuda.h"
#include "sim/cuda/text/macro-impl.h"

// Nested parentheses and operators of one condition.
enum {
  MAX_CONDITION_DEPTH = 200
};

typedef struct {
  const SmbSource *source;
  const Token *at;
  const Token *whole;
  const ConstantNames *names; // or NULL
  guint depth;
  gboolean idle; // inside an operand that is not evaluated: 0 && 1 / 0
  GError **error;
} Condition;

typedef struct {
  const char *name;
  guint8 binding;
} BinaryOperator;

static const BinaryOperator operators[] = {
    {"||", 1},
    {"&&", 2},
#define SMB_OPERATOR(id, text, binding) {text, binding},
#include "sim/cuda/text/operator.def"
#undef SMB_OPERATOR
};

static gboolean
fail_condition(Condition *condition, const char *message) {
  const Token *at = condition->at->kind == TOKEN_END ? condition->whole : condition->at;
  smb_source_error(condition->source, at->start, condition->error, "%s", message);
  return FALSE;
}

static gboolean parse_choice(Condition *condition, gint64 *value);

// sizeof "(" type ")", where @condition is behind the first word
static gboolean
parse_size(Condition *condition, gint64 *value) {
  g_autoptr(GString) type = g_string_new(NULL);
  if (!smb_token_is(condition->at, "("))
    return fail_condition(condition, "expected '(' after sizeof");
  for (condition->at = condition->at->next; condition->at->kind == TOKEN_NAME;
       condition->at = condition->at->next)
    g_string_append_printf(type, "%s%s", type->len ? " " : "", condition->at->text);
  *value = (gint64)smb_cuda_element_size(type->str);
  if (*value == 0 || !smb_token_is(condition->at, ")"))
    return fail_condition(condition, "expected a type of 1 to 16 bytes in sizeof(…)");
  condition->at = condition->at->next;
  return TRUE;
}

// A name that is no macro.
static gboolean
parse_condition_name(Condition *condition, gint64 *value) {
  const Token *token = condition->at;
  *value = smb_token_is(token, "true");
  condition->at = token->next;
  if (!condition->names || *value || smb_token_is(token, "false"))
    return TRUE;
  if (smb_token_is(token, "sizeof"))
    return parse_size(condition, value);
  if (condition->names->value_of(condition->names->data, token->text, value))
    return TRUE;
  return smb_fail(condition->error, SMB_ERROR, SMB_ERROR_USAGE, "'%s' is not defined as a constant",
                  token->text);
}

// primary = number | name | "(" choice ")" | ("!" | "~" | "-" | "+") primary
static gboolean
parse_primary(Condition *condition, gint64 *value) {
  const Token *token = condition->at;
  if (condition->depth++ > MAX_CONDITION_DEPTH)
    return fail_condition(condition, "this expression is nested too deeply");
  gboolean ok = TRUE;
  if (token->kind == TOKEN_NUMBER || token->kind == TOKEN_CHARACTER) {
    Number number;
    if (!smb_kernel_number_parse(condition->source, token, &number, condition->error))
      return FALSE;
    if (number.is_float)
      return fail_condition(condition, "a condition of the preprocessor takes integers only");
    *value = (gint64)number.integer;
    condition->at = token->next;
  } else if (token->kind == TOKEN_NAME) {
    ok = parse_condition_name(condition, value);
  } else if (smb_token_is(token, "(")) {
    condition->at = token->next;
    ok = parse_choice(condition, value);
    if (ok && !smb_token_is(condition->at, ")"))
      return fail_condition(condition, "expected ')'");
    if (ok)
      condition->at = condition->at->next;
  } else if (smb_token_is(token, "!") || smb_token_is(token, "~") || smb_token_is(token, "-") ||
             smb_token_is(token, "+")) {
    condition->at = token->next;
    ok = parse_primary(condition, value);
    switch (token->text[0]) {
    case '!':
      *value = !*value;
      break;
    case '~':
      *value = ~*value;
      break;
    case '-':
      *value = (gint64)(0 - (guint64)*value);
      break;
    }
  } else {
    return fail_condition(condition, "expected an integer expression");
  }
  condition->depth--;
  return ok;
}

static const BinaryOperator *
find_condition_operator(const Token *token) {
  for (guint i = 0; i < G_N_ELEMENTS(operators); i++) {
    if (smb_token_is(token, operators[i].name))
      return &operators[i];
  }
  return NULL;
}

static gboolean
divide(Condition *condition, char op, gint64 right, gint64 *left) {
  if (condition->idle)
    return TRUE;
  if (right == 0)
    return fail_condition(condition, "this expression divides by zero");
  if (right == -1)
    *left = op == '/' ? (gint64)(0 - (guint64)*left) : 0;
  else
    *left = op == '/' ? *left / right : *left % right;
  return TRUE;
}

// What C leaves undefined is refused: a size that wrapped around is not the size that was meant.
static gboolean
calculate(Condition *condition, char op, gint64 right, gint64 *left) {
  gint64 result = 0;
  gboolean wraps;
  switch (op) {
  case '+':
    wraps = __builtin_add_overflow(*left, right, &result);
    break;
  case '-':
    wraps = __builtin_sub_overflow(*left, right, &result);
    break;
  case '*':
    wraps = __builtin_mul_overflow(*left, right, &result);
    break;
  default: // a shift to the left
    wraps = right < 0 || right > 63 ||
            (right == 63 ? *left != 0
                         : __builtin_mul_overflow(*left, G_GINT64_CONSTANT(1) << right, &result));
    break;
  }
  *left = result;
  return !wraps || condition->idle || fail_condition(condition, "the value does not fit 64 bits");
}

static gboolean
apply_condition_operator(Condition *condition, const char *op, gint64 right, gint64 *left) {
  guint64 a = (guint64)*left, b = (guint64)right;
  gint64 signed_a = *left;
  switch (op[0]) {
  case '|':
    *left = op[1] ? signed_a || right : (gint64)(a | b);
    return TRUE;
  case '&':
    *left = op[1] ? signed_a && right : (gint64)(a & b);
    return TRUE;
  case '^':
    *left = (gint64)(a ^ b);
    return TRUE;
  case '=':
    *left = signed_a == right;
    return TRUE;
  case '!':
    *left = signed_a != right;
    return TRUE;
  case '<':
    if (op[1] == '<')
      return calculate(condition, op[0], right, left);
    *left = op[1] ? signed_a <= right : signed_a < right;
    return TRUE;
  case '>':
    *left = op[1] == '>' ? signed_a >> (b & 63) : op[1] ? signed_a >= right : signed_a > right;
    return TRUE;
  case '+':
  case '-':
  case '*':
    return calculate(condition, op[0], right, left);
  default:
    return divide(condition, op[0], right, left);
  }
}

// binary = primary (operator binary)*, by the binding of the operators
static gboolean
parse_condition_binary(Condition *condition, guint binding, gint64 *value) {
  if (!parse_primary(condition, value))
    return FALSE;
  for (;;) {
    const BinaryOperator *op = find_condition_operator(condition->at);
    if (!op || op->binding < binding)
      return TRUE;
    condition->at = condition->at->next;
    gboolean idle = condition->idle;
    if ((strcmp(op->name, "&&") == 0 && !*value) || (strcmp(op->name, "||") == 0 && *value))
      condition->idle = TRUE;
    gint64 right;
    if (!parse_condition_binary(condition, op->binding + 1u, &right))
      return FALSE;
    condition->idle = idle;
    if (!apply_condition_operator(condition, op->name, right, value))
      return FALSE;
  }
}

// choice = binary ("?" choice ":" choice)?
static gboolean
parse_choice(Condition *condition, gint64 *value) {
  gint64 yes, no;
  if (!parse_condition_binary(condition, 1, value))
    return FALSE;
  if (!smb_token_is(condition->at, "?"))
    return TRUE;
  gboolean idle = condition->idle;
  gboolean chosen = *value != 0;
  condition->at = condition->at->next;
  condition->idle = idle || !chosen;
  if (condition->depth++ > MAX_CONDITION_DEPTH)
    return fail_condition(condition, "this expression is nested too deeply");
  if (!parse_choice(condition, &yes))
    return FALSE;
  if (!smb_token_is(condition->at, ":"))
    return fail_condition(condition, "expected ':'");
  condition->at = condition->at->next;
  condition->idle = idle || chosen;
  if (!parse_choice(condition, &no))
    return FALSE;
  condition->depth--;
  condition->idle = idle;
  *value = chosen ? yes : no;
  return TRUE;
}

gboolean
smb_kernel_condition_evaluate(const SmbSource *source, const Token *tokens, const Token *whole,
                              const ConstantNames *names, gint64 *value, GError **error) {
  Condition condition = {source, tokens, whole, names, 0, FALSE, error};
  if (!parse_choice(&condition, value))
    return FALSE;
  if (condition.at->kind != TOKEN_END)
    return fail_condition(&condition, "expected an operator or the end of the line");
  return TRUE;
}
