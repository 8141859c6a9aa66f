// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Expressions. Above each function stands the production that it reads.
#include <string.h>

#include "sim/kernel-number.h"
#include "sim/kernel-parse.h"

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

static const struct {
  const char *name;
  Special special;
} specials[] = {
    {"threadIdx", SPECIAL_THREAD},
    {"blockIdx", SPECIAL_BLOCK},
    {"blockDim", SPECIAL_BLOCK_DIM},
    {"gridDim", SPECIAL_GRID_DIM},
};

static Node *parse_unary(Parser *parser);

static Node *
parse_number(Parser *parser) {
  const Token *token = parser->at;
  Number number;
  if (!kernel_number_parse(parser->kernel->source, token, &number, parser->error))
    return NULL;
  parser_advance(parser);
  TypeKind kind = number.is_float  ? (number.is_single ? KIND_FLOAT : KIND_DOUBLE)
                  : number.is_long ? (number.is_unsigned ? KIND_ULONG : KIND_LONG)
                                   : (number.is_unsigned ? KIND_UINT : KIND_INT);
  if (token->kind == TOKEN_CHARACTER)
    kind = KIND_CHAR;
  Node *node =
      node_integer(parser, type_scalar(kind), (gint64)number.integer, token->start, token->end);
  if (node)
    node->real = number.real;
  return node;
}

// special = ("threadIdx" | "blockIdx" | "blockDim" | "gridDim") "." ("x" | "y" | "z") | "warpSize"
static Node *
parse_special(Parser *parser, Special special, const Token *name) {
  if (!parser_expect(parser, "."))
    return NULL;
  static const char letters[] = "xyz";
  const Token *member = parser->at;
  const char *letter =
      member->kind == TOKEN_NAME && member->length == 1 ? strchr(letters, member->text[0]) : NULL;
  if (!letter)
    return parser_fail(parser, member->start, "expected x, y or z");
  parser_advance(parser);
  Node *node = node_new(parser, NODE_SPECIAL, type_scalar(KIND_UINT), name->start, member->end,
                        NULL, NULL, NULL);
  if (node) {
    node->special = (guint8)special;
    node->component = (guint8)(letter - letters);
  }
  return node;
}

// Says why a name means nothing.
static gpointer
refuse_name(Parser *parser, const Token *name) {
  const char *text = token_text(parser->pool, name);
  const char *outside = kernel_macros_outside(parser->kernel->macros, text);
  if (outside)
    return parser_fail(parser, name->start, "macro '%s' is outside the subset: it has '%s'", text,
                       outside);
  if (is_builtin(name) || g_hash_table_contains(parser->hidden, text))
    return parser_fail(parser, name->start, "'%s' is a function: expected a call of it", text);
  return parser_fail(parser, name->start, "'%s' is not declared", text);
}

// name = special | "true" | "false" | variable | call
static Node *
parse_name(Parser *parser) {
  const Token *name = parser->at;
  parser_advance(parser);
  for (guint i = 0; i < G_N_ELEMENTS(specials); i++) {
    if (token_is(name, specials[i].name))
      return parse_special(parser, specials[i].special, name);
  }
  if (token_is(name, "warpSize"))
    return node_integer(parser, type_scalar(KIND_INT), SMB_WARP_LANES, name->start, name->end);
  if (token_is(name, "true") || token_is(name, "false"))
    return node_integer(parser, type_scalar(KIND_BOOL), token_is(name, "true"), name->start,
                        name->end);
  if (token_is(name, "nullptr"))
    return node_integer(parser, type_scalar(KIND_INT), 0, name->start, name->end);
  const Variable *variable = parser_find(parser, name);
  if (variable)
    return node_variable(parser, variable, name->start, name->end);
  if (parser_is(parser, "("))
    return parse_call(parser, name);
  return refuse_name(parser, name);
}

// named-cast = ("reinterpret_cast" | "static_cast" | "const_cast") "<" type-name ">" "(" expression ")"
static Node *
parse_named_cast(Parser *parser) {
  guint32 start = parser->at->start;
  parser_advance(parser);
  if (!parser_expect(parser, "<"))
    return NULL;
  const Type *type = parse_type_name(parser);
  if (!type || !parser_expect(parser, ">") || !parser_expect(parser, "("))
    return NULL;
  Node *value = parse_expression(parser);
  if (!value || !parser_expect(parser, ")"))
    return NULL;
  Node *cast = node_cast(parser, value, type, start);
  if (cast)
    cast->end = parser->last->end;
  return cast;
}

// sizeof = "sizeof" ("(" type-name ")" | unary)
static Node *
parse_sizeof(Parser *parser) {
  guint32 start = parser->at->start;
  const Type *type;
  parser_advance(parser);
  Token *opening = parser->at;
  gboolean named = FALSE;
  if (parser_is(parser, "(")) {
    parser_advance(parser);
    named = parse_starts_type(parser);
    if (!named)
      parser->at = opening;
  }
  if (named) {
    type = parse_type_name(parser);
    if (!type || !parser_expect(parser, ")"))
      return NULL;
  } else {
    Node *value = parse_unary(parser);
    if (!value)
      return NULL;
    type = value->type;
  }
  if (type->size == 0)
    return parser_fail(parser, start, "a %s has no size here", type_describe(parser->pool, type));
  return node_integer(parser, type_scalar(KIND_ULONG), (gint64)type->size, start,
                      parser->last->end);
}

// primary = number | name | named-cast | sizeof | type "(" expression ")" | "(" expression ")"
static Node *
parse_primary(Parser *parser) {
  const Token *token = parser->at;
  if (token->kind == TOKEN_NUMBER || token->kind == TOKEN_CHARACTER)
    return parse_number(parser);
  if (token->kind == TOKEN_STRING)
    return parser_fail(parser, token->start, "strings are outside the subset");
  if (parser_is(parser, "reinterpret_cast") || parser_is(parser, "static_cast") ||
      parser_is(parser, "const_cast"))
    return parse_named_cast(parser);
  if (parser_is(parser, "sizeof"))
    return parse_sizeof(parser);
  if (parse_starts_type(parser)) {
    // A conversion written as a call: float(x).
    const Type *type = parse_type_name(parser);
    if (!type || !parser_expect(parser, "("))
      return NULL;
    Node *value = parse_expression(parser);
    if (!value || !parser_expect(parser, ")"))
      return NULL;
    return node_cast(parser, value, type, token->start);
  }
  if (token->kind == TOKEN_NAME)
    return parse_name(parser);
  if (!parser_take(parser, "("))
    return parser_fail(parser, token->start,
                       token->kind == TOKEN_END ? "the file ends within an expression"
                                                : "expected an expression");
  Node *node = parse_expression(parser);
  if (!node || !parser_expect(parser, ")"))
    return NULL;
  // Parentheses belong to the text of what they enclose.
  node->start = token->start;
  node->end = parser->last->end;
  return node;
}

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
  parser->at = opening->next;
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

// Each prefix operator takes the unary expression behind it.
static Node *
parse_prefix(Parser *parser) {
  guint32 start = parser->at->start;
  if (starts_cast(parser))
    return parse_cast(parser);
  if (parser_take(parser, "++") || parser_take(parser, "--")) {
    Operator op = token_is(parser->last, "++") ? OPERATOR_ADD : OPERATOR_SUB;
    Node *target = parse_unary(parser);
    return target ? make_step(parser, target, op, FALSE, start, target->end) : NULL;
  }
  if (parser_take(parser, "-")) {
    Node *value = parse_unary(parser);
    return value ? node_unary(parser, NODE_NEGATE, value, start) : NULL;
  }
  if (parser_take(parser, "+")) {
    Node *value = parse_unary(parser);
    return value ? node_value(parser, value) : NULL;
  }
  if (parser_take(parser, "~")) {
    Node *value = parse_unary(parser);
    return value ? node_unary(parser, NODE_COMPLEMENT, value, start) : NULL;
  }
  if (parser_take(parser, "!")) {
    Node *value = parse_unary(parser);
    return value ? node_unary(parser, NODE_NOT, value, start) : NULL;
  }
  if (parser_take(parser, "*")) {
    Node *pointer = parse_unary(parser);
    pointer = pointer ? node_value(parser, pointer) : NULL;
    return pointer ? node_dereference(parser, pointer, start, pointer->end) : NULL;
  }
  if (parser_take(parser, "&")) {
    Node *place = parse_unary(parser);
    return place ? node_address(parser, place, start) : NULL;
  }
  return parse_postfix(parser);
}

// unary = ("++" | "--" | "-" | "+" | "~" | "!" | "*" | "&") unary | "(" type-name ")" unary | postfix
static Node *
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
