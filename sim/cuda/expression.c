// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Expressions: operators and their bindings. Above each function stands the production that it reads.
#include "sim/cuda/parse.h"

typedef struct {
  const char *text;
  gint8 binding;
  gint8 op; // Operator, or -1
} Infix;

static const Infix infixes[] = {
    {"||", 1, -1},           {"&&", 2, -1},           {"|", 3, OPERATOR_OR},
    {"^", 4, OPERATOR_XOR},  {"&", 5, OPERATOR_AND},  {"==", 6, OPERATOR_EQ},
    {"!=", 6, OPERATOR_NE},  {"<", 7, OPERATOR_LT},   {"<=", 7, OPERATOR_LE},
    {">", 7, OPERATOR_GT},   {">=", 7, OPERATOR_GE},  {"<<", 8, OPERATOR_SHL},
    {">>", 8, OPERATOR_SHR}, {"+", 9, OPERATOR_ADD},  {"-", 9, OPERATOR_SUB},
    {"*", 10, OPERATOR_MUL}, {"/", 10, OPERATOR_DIV}, {"%", 10, OPERATOR_MOD},
};

static const struct {
  const char *text;
  gint8 op;
} assignments[] = {
    {"=", -1},
    {"+=", OPERATOR_ADD},
    {"-=", OPERATOR_SUB},
    {"*=", OPERATOR_MUL},
    {"/=", OPERATOR_DIV},
    {"%=", OPERATOR_MOD},
    {"<<=", OPERATOR_SHL},
    {">>=", OPERATOR_SHR},
    {"&=", OPERATOR_AND},
    {"|=", OPERATOR_OR},
    {"^=", OPERATOR_XOR},
};

static Node *
make_step(Parser *parser, Node *target, Operator op, gboolean is_post, guint32 start, guint32 end) {
  Node *one = node_integer(parser, type_scalar(KIND_INT), 1, start, end);
  return one ? node_assign(parser, target, op, one, is_post, start, end) : NULL;
}

// postfix = primary ("[" expression "]" | "." member | "->" member | "++" | "--")*
static Node *
parse_postfix(Parser *parser) {
  Node *node = parse_primary(parser);
  while (node) {
    guint32 start = node->start;
    if (parser_take(parser, "[")) {
      Node *index = parse_expression(parser);
      if (!index || !parser_expect(parser, "]"))
        return NULL;
      node = node_index(parser, node, index, parser->last->end);
    } else if (parser_take(parser, ".")) {
      const Token *name = parser->at;
      parser_advance(parser);
      node = node_member(parser, node, name);
    } else if (parser_take(parser, "->")) {
      const Token *name = parser->at;
      parser_advance(parser);
      Node *pointer = node_value(parser, node);
      Node *target = pointer ? node_dereference(parser, pointer, start, name->end) : NULL;
      node = target ? node_member(parser, target, name) : NULL;
    } else if (parser_take(parser, "++")) {
      node = make_step(parser, node, OPERATOR_ADD, TRUE, start, parser->last->end);
    } else if (parser_take(parser, "--")) {
      node = make_step(parser, node, OPERATOR_SUB, TRUE, start, parser->last->end);
    } else {
      return node;
    }
  }
  return NULL;
}

// Whether a "(" here opens a cast.
static gboolean
starts_cast(Parser *parser) {
  if (!parser_is(parser, "("))
    return FALSE;
  Token *opening = parser->at;
  parser_move(parser, opening->next);
  gboolean is_type = parse_starts_type(parser);
  parser->at = opening;
  return is_type;
}

// cast = "(" type-name ")" unary
static Node *
parse_cast(Parser *parser) {
  guint32 start = parser->at->start;
  parser_advance(parser);
  const Type *type = parse_type_name(parser);
  if (!type || !parser_expect(parser, ")"))
    return NULL;
  Node *value = parse_unary(parser);
  return value ? node_cast(parser, value, type, start) : NULL;
}

// What a prefix operator makes of the operand behind it.
static Node *
make_prefix(Parser *parser, const Token *prefix, Node *operand) {
  guint32 start = prefix->start;
  if (token_is(prefix, "++"))
    return make_step(parser, operand, OPERATOR_ADD, FALSE, start, operand->end);
  if (token_is(prefix, "--"))
    return make_step(parser, operand, OPERATOR_SUB, FALSE, start, operand->end);
  if (token_is(prefix, "-"))
    return node_unary(parser, NODE_NEGATE, operand, start);
  if (token_is(prefix, "~"))
    return node_unary(parser, NODE_COMPLEMENT, operand, start);
  if (token_is(prefix, "!"))
    return node_unary(parser, NODE_NOT, operand, start);
  if (token_is(prefix, "&"))
    return node_address(parser, operand, start);
  Node *value = node_value(parser, operand);
  if (!value || token_is(prefix, "+"))
    return value;
  return node_dereference(parser, value, start, value->end);
}

static Node *
parse_prefix(Parser *parser) {
  static const char *const prefixes[] = {"++", "--", "-", "+", "~", "!", "*", "&"};
  if (starts_cast(parser))
    return parse_cast(parser);
  for (guint i = 0; i < G_N_ELEMENTS(prefixes); i++) {
    const Token *prefix = parser->at;
    if (!parser_take(parser, prefixes[i]))
      continue;
    Node *operand = parse_unary(parser);
    return operand ? make_prefix(parser, prefix, operand) : NULL;
  }
  return parse_postfix(parser);
}

// unary = ("++" | "--" | "-" | "+" | "~" | "!" | "*" | "&") unary | "(" type-name ")" unary | postfix
Node *
parse_unary(Parser *parser) {
  if (!parser_enter(parser))
    return NULL;
  Node *node = parse_prefix(parser);
  parser_leave(parser);
  return node;
}

static const Infix *
find_infix(const Token *token) {
  for (guint i = 0; token->kind == TOKEN_PUNCTUATOR && i < G_N_ELEMENTS(infixes); i++) {
    if (token_is(token, infixes[i].text))
      return &infixes[i];
  }
  return NULL;
}

// binary = unary (operator binary)*, by the binding of the operators
static Node *
parse_binary(Parser *parser, gint binding) {
  Node *left = parse_unary(parser);
  while (left) {
    const Infix *infix = find_infix(parser->at);
    if (!infix || infix->binding < binding)
      return left;
    parser_advance(parser);
    Node *right = parse_binary(parser, infix->binding + 1);
    if (!right)
      return NULL;
    if (infix->op >= 0)
      left = node_binary(parser, (Operator)infix->op, left, right);
    else
      left = node_logical(parser, infix->binding == 2 ? NODE_AND_THEN : NODE_OR_ELSE, left, right);
  }
  return NULL;
}

Node *
parse_sum(Parser *parser) {
  return parse_binary(parser, 9);
}

// conditional = binary ("?" expression ":" assignment)?
static Node *
parse_conditional(Parser *parser) {
  Node *condition = parse_binary(parser, 1);
  if (!condition || !parser_take(parser, "?"))
    return condition;
  Node *yes = parse_expression(parser);
  if (!yes || !parser_expect(parser, ":"))
    return NULL;
  Node *no = parse_assignment(parser);
  return no ? node_choice(parser, condition, yes, no) : NULL;
}

// assignment = conditional (("=" | "+=" | "-=" | …) assignment)?
static Node *
assign_or_not(Parser *parser) {
  Node *target = parse_conditional(parser);
  if (!target)
    return NULL;
  for (guint i = 0; i < G_N_ELEMENTS(assignments); i++) {
    if (!parser_take(parser, assignments[i].text))
      continue;
    Node *value = parse_assignment(parser);
    if (!value)
      return NULL;
    return node_assign(parser, target, assignments[i].op, value, FALSE, target->start, value->end);
  }
  return target;
}

Node *
parse_assignment(Parser *parser) {
  if (!parser_enter(parser))
    return NULL;
  Node *node = assign_or_not(parser);
  parser_leave(parser);
  return node;
}

// expression = assignment ("," assignment)*
Node *
parse_expression(Parser *parser) {
  Node *left = parse_assignment(parser);
  while (left && parser_take(parser, ",")) {
    left = node_value(parser, left);
    Node *right = left ? parse_assignment(parser) : NULL;
    right = right ? node_value(parser, right) : NULL;
    if (!right)
      return NULL;
    left = node_new(parser, NODE_COMMA, right->type, left->start, right->end, left, right, NULL);
  }
  return left;
}

gboolean
parse_constant(Parser *parser, gint64 *value) {
  Node *node = parse_conditional(parser);
  node = node ? node_value(parser, node) : NULL;
  if (!node)
    return FALSE;
  if (node->kind != NODE_CONSTANT || !type_is_integer(node->type)) {
    parser_fail(parser, node->start, "expected an integer that is known before the kernel runs");
    return FALSE;
  }
  *value = node->integer;
  return TRUE;
}
