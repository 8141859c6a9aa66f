// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Integer expressions: the condition of #if, and what the command line says of numbers.
#include <math.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/cuda/cuda.h"
#include "sim/cuda/text/macro-impl.h"

// Nested parentheses and operators of one condition.
enum {
  MAX_CONDITION_DEPTH = 200,
  MAX_CALL_ARGUMENTS = 8
};

typedef struct {
  const SmbSource *source;
  const Token *at;
  const Token *whole;
  const ConstantNames *names; // or NULL: of #if, where all is whole
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

static gboolean parse_choice(Condition *condition, ConstantValue *value);
static gboolean parse_primary(Condition *condition, ConstantValue *value);

// --- values

static void
set_whole(ConstantValue *value, gint64 whole) {
  *value = (ConstantValue){.whole = whole};
}

static double
get_real(const ConstantValue *value) {
  return value->is_real ? value->real : (double)value->whole;
}

// A float, as operations of floats give it: rounding what doubles come to does not round twice.
static void
set_single(ConstantValue *value, double real) {
  *value = (ConstantValue){.is_real = TRUE, .is_single = TRUE, .real = (double)(float)real};
}

static gboolean
has_truth(const ConstantValue *value) {
  return value->is_real ? value->real != 0 : value->whole != 0;
}

gboolean
smb_kernel_constant_convert(ConstantValue *value, gboolean to_real) {
  if (to_real) {
    *value = (ConstantValue){.is_real = TRUE, .real = get_real(value)};
  } else if (value->is_real) {
    if (!(fabs(value->real) < 0x1p62))
      return FALSE;
    set_whole(value, (gint64)value->real);
  }
  return TRUE;
}

// --- names

// A type that a cast may name: of numbers with a fraction, of floats.
typedef struct {
  gboolean is_real, is_single;
} NumberType;

static gboolean
is_number_type(const Token *token, NumberType *type) {
  static const char *const whole[] = {"int",      "unsigned", "signed",  "long",    "short",
                                      "char",     "bool",     "size_t",  "uint",    "uint8_t",
                                      "uint16_t", "int8_t",   "int16_t", "int32_t", "uint32_t",
                                      "int64_t",  "uint64_t", "const",   NULL};
  gboolean is_single = smb_token_is(token, "float");
  gboolean is_real = is_single || smb_token_is(token, "double");
  type->is_real |= is_real;
  type->is_single |= is_single;
  return is_real || smb_token_is_any(token, whole);
}

// A type, up to a token that ends it, behind which it goes on; FALSE: there is none, and nothing was read.
static gboolean
take_number_type(Condition *condition, const char *end, NumberType *type) {
  const Token *at = condition->at;
  *type = (NumberType){FALSE, FALSE};
  while (is_number_type(at, type))
    at = at->next;
  if (at == condition->at || !smb_token_is(at, end))
    return FALSE;
  condition->at = at->next;
  return TRUE;
}

static gboolean
convert_condition(Condition *condition, const NumberType *type, ConstantValue *value) {
  if (!smb_kernel_constant_convert(value, type->is_real))
    return fail_condition(condition, "the value does not fit 64 bits");
  if (type->is_single)
    set_single(value, value->real);
  return TRUE;
}

// What is left of a bracket: choice ")"
static gboolean
parse_bracket(Condition *condition, ConstantValue *value) {
  if (!parse_choice(condition, value))
    return FALSE;
  if (!smb_token_is(condition->at, ")"))
    return fail_condition(condition, "expected ')'");
  condition->at = condition->at->next;
  return TRUE;
}

// sizeof "(" type { "*" } ")", where @condition is behind the first word; a type may be of std
static gboolean
parse_size(Condition *condition, ConstantValue *value) {
  g_autoptr(GString) type = g_string_new(NULL);
  if (!smb_token_is(condition->at, "("))
    return fail_condition(condition, "expected '(' after sizeof");
  const Token *at = condition->at->next;
  for (; at->kind == TOKEN_NAME || smb_token_is(at, "::"); at = at->next) {
    if (smb_token_is(at->next, "::") ? !smb_token_is(at, "std") : at->kind == TOKEN_NAME)
      g_string_append_printf(type, " %s", at->text);
  }
  gsize size = smb_cuda_type_size(type->str);
  for (; type->len && smb_token_is(at, "*"); at = at->next)
    size = sizeof(guint64);
  condition->at = at;
  if (size == 0 || !smb_token_is(at, ")"))
    return fail_condition(condition, "expected a type of the kernel language in sizeof(…)");
  set_whole(value, (gint64)size);
  condition->at = at->next;
  return TRUE;
}

// "a::b", or "a.x" of a member (transfer full); @condition: at its first word, then behind it
static char *
take_constant_name(Condition *condition) {
  GString *name = g_string_new(condition->at->text);
  condition->at = condition->at->next;
  while ((smb_token_is(condition->at, "::") || smb_token_is(condition->at, ".")) &&
         condition->at->next->kind == TOKEN_NAME) {
    g_string_append(name, condition->at->text);
    g_string_append(name, condition->at->next->text);
    condition->at = condition->at->next->next;
  }
  return g_string_free(name, FALSE);
}

static gboolean
call_known(const char *name, const ConstantValue *arguments, guint n, ConstantValue *value) {
  const char *plain = g_str_has_prefix(name, "std::") ? name + strlen("std::") : name;
  gboolean is_min = strcmp(plain, "min") == 0, is_max = strcmp(plain, "max") == 0;
  gboolean is_ceil = strcmp(plain, "ceil") == 0 || strcmp(plain, "ceilf") == 0;
  gboolean is_floor = strcmp(plain, "floor") == 0 || strcmp(plain, "floorf") == 0;
  if (n == 2 && (is_min || is_max)) {
    gboolean is_less = arguments[0].is_real || arguments[1].is_real
                           ? get_real(&arguments[0]) < get_real(&arguments[1])
                           : arguments[0].whole < arguments[1].whole;
    *value = arguments[is_less == is_min ? 0 : 1];
    return TRUE;
  }
  if (n != 1 || (!is_ceil && !is_floor))
    return FALSE;
  gboolean is_single = g_str_has_suffix(plain, "f") || arguments[0].is_single;
  double real = get_real(&arguments[0]);
  real = is_single ? (double)(float)real : real;
  *value = (ConstantValue){
      .is_real = TRUE, .is_single = is_single, .real = is_ceil ? ceil(real) : floor(real)};
  return TRUE;
}

// What is behind "NAME(": the arguments.
static gboolean
parse_constant_call(Condition *condition, const char *name, ConstantValue *value) {
  ConstantValue arguments[MAX_CALL_ARGUMENTS];
  guint n = 0;
  while (n < MAX_CALL_ARGUMENTS && !smb_token_is(condition->at, ")")) {
    if (!parse_choice(condition, &arguments[n++]))
      return FALSE;
    if (smb_token_is(condition->at, ","))
      condition->at = condition->at->next;
    else if (!smb_token_is(condition->at, ")"))
      return fail_condition(condition, "expected ',' or ')'");
  }
  if (!smb_token_is(condition->at, ")"))
    return fail_condition(condition, "expected ')'");
  condition->at = condition->at->next;
  return condition->idle || call_known(name, arguments, n, value) ||
         (condition->names->call &&
          condition->names->call(condition->names->data, name, arguments, n, value)) ||
         smb_fail(condition->error, SMB_ERROR, SMB_ERROR_USAGE,
                  "'%s(…)' is not a constant expression", name);
}

// A name that is no macro; of the words of C++ "static_cast<int>(x)" and "int(x)".
static gboolean
parse_condition_name(Condition *condition, ConstantValue *value) {
  const Token *token = condition->at;
  NumberType type;
  set_whole(value, smb_token_is(token, "true"));
  condition->at = token->next;
  if (!condition->names || value->whole || smb_token_is(token, "false"))
    return TRUE;
  if (smb_token_is(token, "sizeof"))
    return parse_size(condition, value);
  if (smb_token_is(token, "static_cast") && smb_token_is(token->next, "<")) {
    condition->at = token->next->next;
    if (!take_number_type(condition, ">", &type) || !smb_token_is(condition->at, "("))
      return fail_condition(condition, "expected a type of numbers in static_cast<…>(…)");
    condition->at = condition->at->next;
    return parse_bracket(condition, value) && convert_condition(condition, &type, value);
  }
  condition->at = token;
  if (take_number_type(condition, "(", &type))
    return parse_bracket(condition, value) && convert_condition(condition, &type, value);
  g_autofree char *name = take_constant_name(condition);
  if (smb_token_is(condition->at, "(")) {
    condition->at = condition->at->next;
    return parse_constant_call(condition, name, value);
  }
  if (condition->idle || condition->names->value_of(condition->names->data, name, value))
    return TRUE;
  return smb_fail(condition->error, SMB_ERROR, SMB_ERROR_USAGE, "'%s' is not defined as a constant",
                  name);
}

// --- operators

static gboolean
parse_constant_number(Condition *condition, ConstantValue *value) {
  Number number;
  if (!smb_kernel_number_parse(condition->source, condition->at, &number, condition->error))
    return FALSE;
  if (number.is_float && !condition->names)
    return fail_condition(condition, "a condition of the preprocessor takes integers only");
  *value = (ConstantValue){.is_real = number.is_float,
                           .is_single = number.is_float && number.is_single,
                           .whole = (gint64)number.integer,
                           .real = number.real};
  condition->at = condition->at->next;
  return TRUE;
}

// ("!" | "~" | "-" | "+") primary
static gboolean
parse_sign(Condition *condition, ConstantValue *value) {
  char op = condition->at->text[0];
  condition->at = condition->at->next;
  if (!parse_primary(condition, value))
    return FALSE;
  if (op == '!')
    set_whole(value, !has_truth(value));
  else if (op == '-' && value->is_real)
    value->real = -value->real;
  else if (op == '-')
    value->whole = (gint64)(0 - (guint64)value->whole);
  else if (op == '~' && value->is_real)
    return fail_condition(condition, "expected an integer expression");
  else if (op == '~')
    value->whole = ~value->whole;
  return TRUE;
}

// primary = number | name | "(" choice ")" | "(" type ")" primary | ("!" | "~" | "-" | "+") primary
static gboolean
parse_primary(Condition *condition, ConstantValue *value) {
  static const char *const signs[] = {"!", "~", "-", "+", NULL};
  const Token *token = condition->at;
  gboolean ok;
  NumberType type;
  if (condition->depth++ > MAX_CONDITION_DEPTH)
    return fail_condition(condition, "this expression is nested too deeply");
  if (token->kind == TOKEN_NUMBER || token->kind == TOKEN_CHARACTER) {
    ok = parse_constant_number(condition, value);
  } else if (token->kind == TOKEN_NAME) {
    ok = parse_condition_name(condition, value);
  } else if (smb_token_is(token, "(")) {
    condition->at = token->next;
    if (condition->names && take_number_type(condition, ")", &type))
      ok = parse_primary(condition, value) && convert_condition(condition, &type, value);
    else
      ok = parse_bracket(condition, value);
  } else if (smb_token_is_any(token, signs)) {
    ok = parse_sign(condition, value);
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
apply_whole_operator(Condition *condition, const char *op, gint64 right, gint64 *left) {
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

// The same of numbers of which one has a fraction.
static gboolean
apply_real_operator(Condition *condition, const char *op, const ConstantValue *b,
                    ConstantValue *left) {
  gboolean is_single = left->is_real <= left->is_single && b->is_real <= b->is_single;
  gboolean is_longer = op[1] != '\0';
  double a = get_real(left), right = get_real(b);
  a = is_single ? (double)(float)a : a;
  right = is_single ? (double)(float)right : right;
  if (strchr("+-*/", op[0])) {
    double result = op[0] == '+'   ? a + right
                    : op[0] == '-' ? a - right
                    : op[0] == '*' ? a * right
                                   : a / right;
    *left = (ConstantValue){.is_real = TRUE, .real = result};
    if (is_single)
      set_single(left, result);
    return condition->idle || isfinite(left->real) ||
           fail_condition(condition, "this expression is not finite");
  }
  if (op[0] == '%' || op[0] == '^' || (strchr("&|", op[0]) && !is_longer) ||
      (is_longer && op[0] == op[1] && strchr("<>", op[0])))
    return fail_condition(condition, "expected an integer expression");
  set_whole(left, op[0] == '|'   ? a != 0 || right != 0
                  : op[0] == '&' ? a != 0 && right != 0
                  : op[0] == '=' ? a == right
                  : op[0] == '!' ? a != right
                  : op[0] == '<' ? (is_longer ? a <= right : a < right)
                  : is_longer    ? a >= right
                                 : a > right);
  return TRUE;
}

static gboolean
apply_condition_operator(Condition *condition, const char *op, const ConstantValue *right,
                         ConstantValue *left) {
  if (left->is_real || right->is_real)
    return apply_real_operator(condition, op, right, left);
  return apply_whole_operator(condition, op, right->whole, &left->whole);
}

// binary = primary (operator binary)*, by the binding of the operators
static gboolean
parse_condition_binary(Condition *condition, guint binding, ConstantValue *value) {
  if (!parse_primary(condition, value))
    return FALSE;
  for (;;) {
    const BinaryOperator *op = find_condition_operator(condition->at);
    if (!op || op->binding < binding)
      return TRUE;
    condition->at = condition->at->next;
    gboolean idle = condition->idle;
    if ((strcmp(op->name, "&&") == 0 && !has_truth(value)) ||
        (strcmp(op->name, "||") == 0 && has_truth(value)))
      condition->idle = TRUE;
    ConstantValue right;
    if (!parse_condition_binary(condition, op->binding + 1u, &right))
      return FALSE;
    condition->idle = idle;
    if (!apply_condition_operator(condition, op->name, &right, value))
      return FALSE;
  }
}

// choice = binary ("?" choice ":" choice)?
static gboolean
parse_choice(Condition *condition, ConstantValue *value) {
  ConstantValue yes, no;
  if (!parse_condition_binary(condition, 1, value))
    return FALSE;
  if (!smb_token_is(condition->at, "?"))
    return TRUE;
  gboolean idle = condition->idle;
  gboolean chosen = has_truth(value);
  condition->at = condition->at->next;
  condition->idle = idle || !chosen;
  condition->depth++; // what begins an operand has looked at it
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
smb_kernel_constant_evaluate(const SmbSource *source, const Token *tokens, const Token *whole,
                             const ConstantNames *names, ConstantValue *value, GError **error) {
  Condition condition = {source, tokens, whole, names, 0, FALSE, error};
  *value = (ConstantValue){0};
  if (!parse_choice(&condition, value))
    return FALSE;
  if (condition.at->kind != TOKEN_END)
    return fail_condition(&condition, "expected an operator or the end of the line");
  return TRUE;
}

gboolean
smb_kernel_condition_evaluate(const SmbSource *source, const Token *tokens, const Token *whole,
                              const ConstantNames *names, gint64 *value, GError **error) {
  ConstantValue found;
  if (!smb_kernel_constant_evaluate(source, tokens, whole, names, &found, error))
    return FALSE;
  *value = found.whole;
  return !found.is_real ||
         smb_source_error(source, whole->start, error, "expected an integer expression");
}
