// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Expressions: operators and their bindings. Above each function stands the production that it reads.
#include <string.h>

#include "sim/cuda/parse/parse.h"

static Node *
make_step(Parser *parser, Node *target, Operator op, gboolean is_post, guint32 start, guint32 end) {
  Node *one = smb_node_integer(parser, smb_type_scalar(KIND_INT), 1, start, end);
  return smb_node_assign(parser, target, op, one, is_post, start, end);
}

// postfix = primary ("[" expression "]" | "." name "(" ")" | "." member | "->" member | "++" | "--")*
static Node *
parse_postfix(Parser *parser) {
  Node *node = smb_parse_primary(parser);
  while (node) {
    guint32 start = node->start;
    if (smb_parser_take(parser, "[")) {
      Node *index = smb_parse_expression(parser);
      if (!index || !smb_parser_expect(parser, "]"))
        return NULL;
      node = smb_node_index(parser, node, index, parser->last->end);
    } else if (smb_parser_take(parser, ".")) {
      const Token *name = parser->at;
      smb_parser_advance(parser);
      node =
          smb_group_is(node) ? smb_group_member(parser, name) : smb_node_member(parser, node, name);
    } else if (smb_parser_take(parser, "->")) {
      const Token *name = parser->at;
      smb_parser_advance(parser);
      Node *pointer = smb_node_value(parser, node);
      Node *target = smb_node_dereference(parser, pointer, start, name->end);
      node = smb_node_member(parser, target, name);
    } else if (smb_parser_take(parser, "++")) {
      node = make_step(parser, node, OPERATOR_ADD, TRUE, start, parser->last->end);
    } else if (smb_parser_take(parser, "--")) {
      node = make_step(parser, node, OPERATOR_SUB, TRUE, start, parser->last->end);
    } else {
      return node;
    }
  }
  return NULL;
}

// Whether the type here makes a value: float(x), Pair{1, 2}; a "(" of a type is that of "(*)".
static gboolean
makes_value(const Token *token) {
  while (token->kind == TOKEN_NAME || smb_token_is(token, "::"))
    token = token->next;
  if (!smb_token_is(token, "("))
    return smb_token_is(token, "{");
  const Token *inner = token->next;
  return !smb_token_is(inner, "*") ||
         !(smb_token_is(inner->next, ")") || smb_parse_is_specifier(inner->next));
}

// Whether a "(" here opens a cast.
static gboolean
starts_cast(Parser *parser) {
  if (!smb_parser_is(parser, "("))
    return FALSE;
  Token *opening = parser->at;
  smb_parser_move(parser, opening->next);
  gboolean is_cast = smb_parse_starts_type(parser) && !makes_value(parser->at);
  parser->at = opening;
  return is_cast;
}

// cast = "(" type-name ")" unary
static Node *
parse_cast(Parser *parser) {
  guint32 start = parser->at->start;
  smb_parser_advance(parser);
  const Type *type = smb_parse_type_name(parser);
  if (!type || !smb_parser_expect(parser, ")"))
    return NULL;
  Node *value = smb_parse_unary(parser);
  return smb_node_cast(parser, value, type, start);
}

// What a prefix operator makes of the operand behind it.
static Node *
make_prefix(Parser *parser, const Token *prefix, Node *operand) {
  guint32 start = prefix->start;
  if (smb_token_is(prefix, "++"))
    return make_step(parser, operand, OPERATOR_ADD, FALSE, start, operand->end);
  if (smb_token_is(prefix, "--"))
    return make_step(parser, operand, OPERATOR_SUB, FALSE, start, operand->end);
  if (smb_token_is(prefix, "-"))
    return smb_node_unary(parser, NODE_NEGATE, operand, start);
  if (smb_token_is(prefix, "~"))
    return smb_node_unary(parser, NODE_COMPLEMENT, operand, start);
  if (smb_token_is(prefix, "!"))
    return smb_node_unary(parser, NODE_NOT, operand, start);
  if (smb_token_is(prefix, "&"))
    return smb_node_address(parser, operand, start);
  Node *value = smb_node_value(parser, operand);
  if (!value || smb_token_is(prefix, "+"))
    return value;
  return smb_node_dereference(parser, value, start, value->end);
}

static Node *
parse_prefix(Parser *parser) {
  static const char *const prefixes[] = {"++", "--", "-", "+", "~", "!", "*", "&"};
  if (starts_cast(parser))
    return parse_cast(parser);
  for (guint i = 0; i < G_N_ELEMENTS(prefixes); i++) {
    const Token *prefix = parser->at;
    if (!smb_parser_take(parser, prefixes[i]))
      continue;
    Node *operand = smb_parse_unary(parser);
    return operand ? make_prefix(parser, prefix, operand) : NULL;
  }
  return parse_postfix(parser);
}

// unary = ("++" | "--" | "-" | "+" | "~" | "!" | "*" | "&") unary | "(" type-name ")" unary | postfix
Node *
smb_parse_unary(Parser *parser) {
  if (!smb_parser_enter(parser))
    return NULL;
  Node *node = parse_prefix(parser);
  smb_parser_leave(parser);
  return node;
}

// The operator that the first @length bytes of a text are, or -1.
static gint
find_operator(const char *text, gsize length) {
  for (guint i = 0; i < N_OPERATORS; i++) {
    const char *own = smb_kernel_operators[i].text;
    if (strlen(own) == length && memcmp(own, text, length) == 0)
      return (gint)i;
  }
  return -1;
}

// How tightly an infix operator binds; 0: it is none. @op: the Operator, or -1 for "&&" and "||"
static gint
find_infix(const Token *token, gint *op) {
  *op = -1;
  if (token->kind != TOKEN_PUNCTUATOR)
    return 0;
  if (smb_token_is(token, "||") || smb_token_is(token, "&&"))
    return smb_token_is(token, "||") ? 1 : 2;
  *op = find_operator(token->text, strlen(token->text));
  return *op >= 0 ? smb_kernel_operators[*op].binding : 0;
}

// binary = unary (operator binary)*, by the binding of the operators
static Node *
parse_binary(Parser *parser, gint least) {
  Node *left = smb_parse_unary(parser);
  while (left) {
    gint op, binding = find_infix(parser->at, &op);
    if (binding < least)
      return left;
    smb_parser_advance(parser);
    Node *right = parse_binary(parser, binding + 1);
    if (op >= 0)
      left = smb_node_binary(parser, (Operator)op, left, right);
    else
      left = smb_node_logical(parser, binding == 2 ? NODE_AND_THEN : NODE_OR_ELSE, left, right);
  }
  return NULL;
}

Node *
smb_parse_sum(Parser *parser) {
  return parse_binary(parser, 9);
}

// conditional = binary ("?" expression ":" assignment)?
static Node *
parse_conditional(Parser *parser) {
  Node *condition = parse_binary(parser, 1);
  if (!condition || !smb_parser_take(parser, "?"))
    return condition;
  Node *yes = smb_parse_expression(parser);
  if (!yes || !smb_parser_expect(parser, ":"))
    return NULL;
  return smb_node_choice(parser, condition, yes, smb_parse_assignment(parser));
}

// assignment = conditional (("=" | "+=" | "-=" | …) assignment)?
static Node *
assign_or_not(Parser *parser) {
  Node *target = parse_conditional(parser);
  const char *text = parser->at->text;
  if (!target || parser->at->kind != TOKEN_PUNCTUATOR || !g_str_has_suffix(text, "="))
    return target;
  gint op = find_operator(text, strlen(text) - 1);
  if (op >= OPERATOR_LT || (op < 0 && !smb_parser_is(parser, "=")))
    return target;
  smb_parser_advance(parser);
  Node *value = smb_parse_assignment(parser);
  return value ? smb_node_assign(parser, target, op, value, FALSE, target->start, value->end)
               : NULL;
}

Node *
smb_parse_assignment(Parser *parser) {
  if (!smb_parser_enter(parser))
    return NULL;
  Node *node = assign_or_not(parser);
  smb_parser_leave(parser);
  return node;
}

// expression = assignment ("," assignment)*
Node *
smb_parse_expression(Parser *parser) {
  Node *left = smb_parse_assignment(parser);
  while (left && smb_parser_take(parser, ",")) {
    left = smb_node_value(parser, left);
    Node *right = left ? smb_parse_assignment(parser) : NULL;
    left = smb_node_after(parser, left, smb_node_value(parser, right));
  }
  return left;
}

gboolean
smb_parse_constant(Parser *parser, gint64 *value) {
  Node *node = smb_node_value(parser, parse_conditional(parser));
  if (!node)
    return FALSE;
  if (node->kind != NODE_CONSTANT || !smb_type_is_integer(node->type))
    return smb_parser_refuse(parser, node->start,
                             "expected an integer that is known before the kernel runs");
  *value = node->integer;
  return TRUE;
}
