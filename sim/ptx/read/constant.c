// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Constant expressions, as of C: integers are of 64 bits, signed unless they say U or do not fit; floating-point
// ones are doubles (PTX ISA 9.0, section 4.6).
#include <string.h>

#include "sim/ptx/read/read-impl.h"

// How tightly an operator binds; as in C.
static guint
find_precedence(guint16 operator) {
  static const struct {
    guint16 operator;
    guint precedence;
  } operators[] = {
      {PTX_PAIR('|', '|'), 1},
      {PTX_PAIR('&', '&'), 2},
      {'|', 3},
      {'^', 4},
      {'&', 5},
      {PTX_PAIR('=', '='), 6},
      {PTX_PAIR('!', '='), 6},
      {'<', 7},
      {'>', 7},
      {PTX_PAIR('<', '='), 7},
      {PTX_PAIR('>', '='), 7},
      {PTX_PAIR('<', '<'), 8},
      {PTX_PAIR('>', '>'), 8},
      {'+', 9},
      {'-', 9},
      {'*', 10},
      {'/', 10},
      {'%', 10},
  };
  for (guint i = 0; i < G_N_ELEMENTS(operators); i++) {
    if (operators[i].operator== operator)
      return operators[i].precedence;
  }
  return 0;
}

// Any constant as a double.
static double
get_double(PtxConstant value) {
  double number;
  memcpy(&number, &value.bits, sizeof number);
  return value.kind == PTX_CONSTANT_DOUBLE     ? number
         : value.kind == PTX_CONSTANT_UNSIGNED ? (double)value.bits
                                               : (double)(gint64)value.bits;
}

static PtxConstant
make_double(double number) {
  PtxConstant value = {PTX_CONSTANT_DOUBLE, 0};
  memcpy(&value.bits, &number, sizeof number);
  return value;
}

static gboolean
is_true(PtxConstant value) {
  return value.kind == PTX_CONSTANT_DOUBLE ? get_double(value) != 0 : value.bits != 0;
}

// Operators on doubles. Returns FALSE for those that need integers: % and bitwise operators.
static gboolean
compute_constant_double(guint16 operator, double a, double b, PtxConstant *result) {
  gboolean truth = operator== '<' ? a < b :
                   operator== '>' ? a > b
                   :
                   operator== PTX_PAIR('<', '=') ? a <= b
                   :
                   operator== PTX_PAIR('>', '=') ? a >= b
                   :
                   operator== PTX_PAIR('=', '=') ? a == b
                                                 : a != b;
  *result = (PtxConstant){PTX_CONSTANT_SIGNED, (guint64)truth};
  if (operator== '+')
    *result = make_double(a + b);
  else if (operator== '-')
    *result = make_double(a - b);
  else if (operator== '*')
    *result = make_double(a * b);
  else if (operator== '/')
    *result = make_double(a / b);
  guint precedence = find_precedence(operator);
  return operator!= '%' &&(precedence == 6 || precedence == 7 || precedence >= 9);
}

// Shifting by 64 or more leaves only the sign.
static guint64
shift_constant(guint16 operator, PtxConstant a, guint64 by) {
  gint64 value = (gint64)a.bits;
  if (operator== PTX_PAIR('<', '<'))
    return by < 64 ? a.bits << by : 0;
  if (a.kind == PTX_CONSTANT_UNSIGNED)
    return by < 64 ? a.bits >> by : 0;
  return (guint64)(value >> MIN(by, 63));
}

static guint64
divide_constants(guint16 operator, PtxConstant a, PtxConstant b, gboolean is_unsigned) {
  gint64 divided = (gint64)a.bits, by = (gint64)b.bits;
  if (is_unsigned)
    return operator== '/' ? a.bits / b.bits : a.bits % b.bits;
  if (by == -1) // the least integer has no counterpart
    return operator== '/' ? -a.bits : 0;
  return (guint64)(operator== '/' ? divided / by : divided % by);
}

// Integers are compared as unsigned if one of them is.
static gboolean
compare_ptx_constants(guint16 operator, PtxConstant a, PtxConstant b, gboolean is_unsigned) {
  gboolean less = is_unsigned ? a.bits < b.bits : (gint64)a.bits < (gint64)b.bits;
  gboolean equal = a.bits == b.bits;
  switch (operator) {
  case '<':
    return less;
  case '>':
    return !less && !equal;
  case PTX_PAIR('<', '='):
    return less || equal;
  case PTX_PAIR('>', '='):
    return !less;
  default:
    return equal == (operator== PTX_PAIR('=', '='));
  }
}

// Operators whose low 64 bits do not depend on the sign.
static guint64
compute_constant_bits(guint16 operator, guint64 a, guint64 b) {
  return operator== '+' ? a + b :
         operator== '-' ? a - b
         :
         operator== '*' ? a * b
         :
         operator== '&' ? (a & b)
         :
         operator== '|' ? (a | b)
                        : (a ^ b);
}

static gboolean
compute(PtxReader *reader, const PtxToken *token, PtxConstant *a, PtxConstant b) {
  guint16 operator= token->punctuator;
  gboolean is_unsigned = a->kind == PTX_CONSTANT_UNSIGNED || b.kind == PTX_CONSTANT_UNSIGNED;
  gboolean is_double = a->kind == PTX_CONSTANT_DOUBLE || b.kind == PTX_CONSTANT_DOUBLE;
  guint precedence = find_precedence(operator);
  PtxConstant result = {is_unsigned ? PTX_CONSTANT_UNSIGNED : PTX_CONSTANT_SIGNED, 0};
  if (precedence <= 2) {
    gboolean truth = precedence == 1 ? is_true(*a) || is_true(b) : is_true(*a) && is_true(b);
    result = (PtxConstant){PTX_CONSTANT_SIGNED, (guint64)truth};
  } else if (is_double) {
    if (!compute_constant_double(operator, get_double(*a), get_double(b), &result))
      return smb_ptx_fail(reader, token->start, "expected integers as operands");
  } else if (precedence == 8) {
    result = (PtxConstant){a->kind, shift_constant(operator, * a, b.bits)};
  } else if (operator== '/' || operator== '%') {
    if (b.bits == 0)
      return smb_ptx_fail(reader, token->start, "division by zero");
    result.bits = divide_constants(operator, * a, b, is_unsigned);
  } else if (precedence == 6 || precedence == 7) {
    result = (PtxConstant){PTX_CONSTANT_SIGNED,
                           (guint64)compare_ptx_constants(operator, * a, b, is_unsigned)};
  } else {
    result.bits = compute_constant_bits(operator, a->bits, b.bits);
  }
  *a = result;
  return TRUE;
}

gboolean
smb_ptx_is_warp_size(const PtxLexer *lexer) {
  static const char name[] = "WARP_SZ";
  return lexer->token.kind == PTX_TOKEN_NAME && lexer->token.length == strlen(name) &&
         memcmp(lexer->text + lexer->token.start, name, strlen(name)) == 0;
}

static gboolean read_conditional(PtxReader *reader, PtxConstant *value);

// (.s64) or (.u64), behind "(": what it makes of a constant. Or a constant in parentheses.
static gboolean read_unary(PtxReader *reader, PtxConstant *value);

static gboolean
read_parenthesis(PtxReader *reader, PtxConstant *value) {
  gboolean to_unsigned = smb_ptx_is_directive(reader, ".u64");
  if (!to_unsigned && !smb_ptx_is_directive(reader, ".s64"))
    return read_conditional(reader, value) && smb_ptx_expect(reader, ')');
  guint32 start = reader->lexer.token.start;
  smb_ptx_lex(&reader->lexer);
  if (!smb_ptx_expect(reader, ')') || !read_unary(reader, value))
    return FALSE;
  if (value->kind == PTX_CONSTANT_DOUBLE)
    return smb_ptx_fail(reader, start, "expected an integer after this cast");
  value->kind = to_unsigned ? PTX_CONSTANT_UNSIGNED : PTX_CONSTANT_SIGNED;
  return TRUE;
}

static gboolean
read_primary(PtxReader *reader, PtxConstant *value) {
  const PtxToken *token = &reader->lexer.token;
  if (smb_ptx_accept(reader, '('))
    return read_parenthesis(reader, value);
  if (smb_ptx_is_warp_size(&reader->lexer))
    *value = (PtxConstant){PTX_CONSTANT_SIGNED, 32};
  else if (token->kind == PTX_TOKEN_DOUBLE)
    *value = (PtxConstant){PTX_CONSTANT_DOUBLE, token->bits};
  else if (token->kind == PTX_TOKEN_INTEGER)
    *value = (PtxConstant){token->is_unsigned ? PTX_CONSTANT_UNSIGNED : PTX_CONSTANT_SIGNED,
                           token->bits};
  else
    return smb_ptx_fail_expected(reader, "a constant");
  smb_ptx_lex(&reader->lexer);
  return TRUE;
}

static gboolean
read_unary(PtxReader *reader, PtxConstant *value) {
  const PtxToken operator= reader->lexer.token;
  if (operator.kind != PTX_TOKEN_PUNCTUATOR || !operator.punctuator || operator.punctuator>
      0xff || !strchr("+-!~(", operator.punctuator))
    return read_primary(reader, value);
  if (!smb_ptx_enter(reader))
    return FALSE;
  if (operator.punctuator == '(') {
    if (!read_primary(reader, value))
      return FALSE;
    smb_ptx_leave(reader);
    return TRUE;
  }
  smb_ptx_lex(&reader->lexer);
  if (!read_unary(reader, value))
    return FALSE;
  smb_ptx_leave(reader);
  if (value->kind == PTX_CONSTANT_DOUBLE && operator.punctuator == '-')
    *value = make_double(-get_double(*value));
  else if (value->kind == PTX_CONSTANT_DOUBLE && operator.punctuator != '+')
    return smb_ptx_fail(reader, operator.start, "expected an integer after this operator");
  else if (operator.punctuator == '-')
    value->bits = -value->bits;
  else if (operator.punctuator == '~')
    value->bits = ~value->bits;
  else if (operator.punctuator == '!')
    *value = (PtxConstant){PTX_CONSTANT_SIGNED, value->bits == 0};
  return TRUE;
}

static gboolean
read_binary(PtxReader *reader, guint lowest, PtxConstant *value) {
  if (!read_unary(reader, value))
    return FALSE;
  for (;;) {
    const PtxToken operator= reader->lexer.token;
    guint precedence = operator.kind == PTX_TOKEN_PUNCTUATOR ? find_precedence(operator.punctuator)
                                                             : 0;
    if (precedence == 0 || precedence < lowest)
      return TRUE;
    PtxConstant right;
    smb_ptx_lex(&reader->lexer);
    if (!read_binary(reader, precedence + 1, &right) || !compute(reader, &operator, value, right))
      return FALSE;
  }
}

static gboolean
read_conditional(PtxReader *reader, PtxConstant *value) {
  if (!read_binary(reader, 1, value))
    return FALSE;
  if (!smb_ptx_accept(reader, '?'))
    return TRUE;
  PtxConstant yes, no;
  if (!smb_ptx_enter(reader) || !read_conditional(reader, &yes) || !smb_ptx_expect(reader, ':') ||
      !read_conditional(reader, &no))
    return FALSE;
  smb_ptx_leave(reader);
  *value = is_true(*value) ? yes : no;
  return TRUE;
}

gboolean
smb_ptx_read_constant(PtxReader *reader, PtxConstant *constant) {
  return read_conditional(reader, constant);
}

gboolean
smb_ptx_read_integer(PtxReader *reader, guint64 *bits) {
  guint32 start = reader->lexer.token.start;
  PtxConstant constant;
  if (!read_conditional(reader, &constant))
    return FALSE;
  if (constant.kind == PTX_CONSTANT_DOUBLE)
    return smb_ptx_fail(reader, start, "expected an integer");
  *bits = constant.bits;
  return TRUE;
}

gboolean
smb_ptx_at_constant(const PtxReader *reader) {
  const PtxToken *token = &reader->lexer.token;
  return token->kind == PTX_TOKEN_INTEGER || token->kind == PTX_TOKEN_DOUBLE ||
         smb_ptx_is_warp_size(&reader->lexer) || smb_ptx_is(reader, '+') ||
         smb_ptx_is(reader, '-') || smb_ptx_is(reader, '~') || smb_ptx_is(reader, '!') ||
         smb_ptx_is(reader, '(');
}
