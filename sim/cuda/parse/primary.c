// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Primary expressions: what operators are applied to. Above each function stands the production that
// it reads.
#include <float.h>
#include <math.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/cuda/parse/parse.h"

static const struct {
  const char *name;
  ThreadSpecial special;
} specials[] = {
    {"threadIdx", SPECIAL_THREAD},
    {"blockIdx", SPECIAL_BLOCK},
    {"blockDim", SPECIAL_BLOCK_DIM},
    {"gridDim", SPECIAL_GRID_DIM},
};

static Node *
parse_number(Parser *parser) {
  const Token *token = parser->at;
  Number number;
  if (!smb_kernel_number_parse(parser->kernel->program.source, token, &number, parser->error))
    return NULL;
  smb_parser_advance(parser);
  TypeKind kind = number.is_float  ? (number.is_single ? KIND_FLOAT : KIND_DOUBLE)
                  : number.is_long ? (number.is_unsigned ? KIND_ULONG : KIND_LONG)
                                   : (number.is_unsigned ? KIND_UINT : KIND_INT);
  if (token->kind == TOKEN_CHARACTER)
    kind = KIND_CHAR;
  Node *node = smb_node_integer(parser, smb_type_scalar(kind), (gint64)number.integer, token->start,
                                token->end);
  node->real = number.real;
  return node;
}

// special = ("threadIdx" | "blockIdx" | "blockDim" | "gridDim") "." ("x" | "y" | "z") | "warpSize"
static Node *
parse_special(Parser *parser, ThreadSpecial special, const Token *name) {
  if (!smb_parser_expect(parser, "."))
    return NULL;
  static const char letters[] = "xyz";
  const Token *member = parser->at;
  const char *letter =
      member->kind == TOKEN_NAME && !member->text[1] ? strchr(letters, member->text[0]) : NULL;
  if (!letter)
    return smb_parser_fail(parser, member->start, "expected x, y or z");
  smb_parser_advance(parser);
  return smb_node_special(parser, special, (guint)(letter - letters), name->start, member->end);
}

// Whether the definition of a structure has functions: a functor, for one.
static gboolean
has_functions(const Item *item) {
  gboolean is_inside = FALSE;
  for (const Token *token = item->first; token != item->last; token = token->next) {
    is_inside |= smb_token_is(token, "{");
    if (is_inside && (smb_token_is(token, "(") || smb_token_is(token, "operator")))
      return TRUE;
  }
  return FALSE;
}

// Why a type is not known that the text declares; FALSE: the text declares none.
static gboolean
refuse_type_name(Parser *parser, const Token *name) {
  const GPtrArray *items = smb_outline_find(parser->outline, name);
  const Item *item = items && items->len > 0 ? items->pdata[0] : NULL;
  if (!item || item->kind != ITEM_TYPE)
    return FALSE;
  if (has_functions(item))
    smb_parser_fail(parser, name->start,
                    "'%s' has functions (a functor), which are outside the subset: a structure has "
                    "variables only",
                    name->text);
  else
    smb_parser_fail(parser, name->start, "the type '%s' is declared only behind this", name->text);
  return TRUE;
}

gpointer
smb_parser_refuse_name(Parser *parser, const Token *name, gboolean is_call) {
  const char *text = name->text;
  const char *outside = smb_kernel_macros_outside(parser->kernel->macros, text);
  // Declared by a statement that could not be read, perhaps: that one is told.
  if (!is_call && g_hash_table_contains(parser->doubtful, text) && !*parser->error)
    g_set_error_literal(parser->error, SMB_ERROR, SMB_ERROR_INPUT, "");
  if (outside)
    return smb_parser_fail(parser, name->start, "macro '%s' is outside the subset: it has '%s'",
                           text, outside);
  if (!is_call && refuse_type_name(parser, name))
    return NULL;
  if (!is_call && (smb_builtin_is_name(name) || smb_outline_find(parser->outline, name)))
    return smb_parser_fail(parser, name->start, "'%s' is a function: expected a call of it", text);
  if (smb_group_is_outside(name))
    return smb_parser_fail(
        parser, name->start,
        "'%s' is outside the subset: of cooperative groups, only the block is evaluated", text);
  return smb_parser_fail(parser, name->start,
                         is_call ? "unknown function '%s'" : "'%s' is not declared", text);
}

// What the headers that are looked past define.
static const struct {
  const char *name;
  TypeKind kind;
  gint64 integer;
  double real;
} header_constants[] = {
    {"NULL", KIND_INT, 0, 0},
    {"INT_MAX", KIND_INT, G_MAXINT32, 0},
    {"LLONG_MAX", KIND_LONG, G_MAXINT64, 0},
    {"LLONG_MIN", KIND_LONG, G_MININT64, 0},
    {"ULLONG_MAX", KIND_ULONG, -1, 0},
    {"SIZE_MAX", KIND_ULONG, -1, 0},
    {"CHAR_BIT", KIND_INT, 8, 0},
    {"INT_MIN", KIND_INT, G_MININT32, 0},
    {"UINT_MAX", KIND_UINT, G_MAXUINT32, 0},
    {"FLT_MAX", KIND_FLOAT, 0, FLT_MAX},
    {"FLT_MIN", KIND_FLOAT, 0, FLT_MIN},
    {"FLT_EPSILON", KIND_FLOAT, 0, FLT_EPSILON},
    {"DBL_MAX", KIND_DOUBLE, 0, DBL_MAX},
    {"INFINITY", KIND_FLOAT, 0, INFINITY},
    {"CUDART_INF_F", KIND_FLOAT, 0, INFINITY},
    {"NAN", KIND_FLOAT, 0, NAN},
    {"CUDART_NAN_F", KIND_FLOAT, 0, NAN},
    {"HUGE_VALF", KIND_FLOAT, 0, INFINITY},
    {"CUDART_PI_F", KIND_FLOAT, 0, M_PI},
    {"M_PI", KIND_DOUBLE, 0, M_PI},
};

static Node *
make_header_constant(Parser *parser, const Token *name) {
  for (guint i = 0; i < G_N_ELEMENTS(header_constants); i++) {
    if (!smb_token_is(name, header_constants[i].name))
      continue;
    Node *node = smb_node_integer(parser, smb_type_scalar(header_constants[i].kind),
                                  header_constants[i].integer, name->start, name->end);
    node->real = header_constants[i].real;
    return node;
  }
  return smb_parser_refuse_name(parser, name, FALSE);
}

// Where the name of an object stands, if it is an argument of a macro: there it can be rewritten.
static Node *
note_spelling(Node *node, const Token *name) {
  if (node && node->kind == NODE_DEREFERENCE && node->a->kind == NODE_OBJECT &&
      name->spelled != name->start)
    node->a->spelled = name->spelled;
  return node;
}

// name = special | "true" | "false" | variable | call
static Node *
parse_name(Parser *parser) {
  const Token *name = parser->at;
  smb_parser_advance(parser);
  for (guint i = 0; i < G_N_ELEMENTS(specials); i++) {
    if (smb_token_is(name, specials[i].name))
      return parse_special(parser, specials[i].special, name);
  }
  if (smb_token_is(name, "warpSize"))
    return smb_node_integer(parser, smb_type_scalar(KIND_INT), parser->kernel->program.lanes,
                            name->start, name->end);
  if (smb_token_is(name, "true") || smb_token_is(name, "false"))
    return smb_node_integer(parser, smb_type_scalar(KIND_BOOL), smb_token_is(name, "true"),
                            name->start, name->end);
  if (smb_token_is(name, "nullptr"))
    return smb_node_integer(parser, smb_type_scalar(KIND_INT), 0, name->start, name->end);
  const Variable *variable = smb_parser_find(parser, name);
  if (variable)
    return note_spelling(smb_node_variable(parser, variable, name->start, name->end), name);
  if (smb_parse_starts_call(parser, name))
    return smb_parse_call(parser, name);
  return make_header_constant(parser, name);
}

// named-cast = ("reinterpret_cast" | "static_cast" | "const_cast") "<" type-name ">" "(" expression ")"
static Node *
parse_named_cast(Parser *parser) {
  guint32 start = parser->at->start;
  smb_parser_advance(parser);
  if (!smb_parser_expect(parser, "<"))
    return NULL;
  const Type *type = smb_parse_type_name(parser);
  if (!type || !smb_parser_expect(parser, ">") || !smb_parser_expect(parser, "("))
    return NULL;
  Node *value = smb_parse_expression(parser);
  if (!value || !smb_parser_expect(parser, ")"))
    return NULL;
  Node *cast = smb_node_cast(parser, value, type, start);
  if (cast)
    cast->end = parser->last->end;
  return cast;
}

// sizeof = "sizeof" ("(" type-name ")" | unary)
static Node *
parse_sizeof(Parser *parser) {
  guint32 start = parser->at->start;
  const Type *type;
  smb_parser_advance(parser);
  Token *opening = parser->at;
  gboolean named = FALSE;
  if (smb_parser_is(parser, "(")) {
    smb_parser_advance(parser);
    named = smb_parse_starts_type(parser);
    if (!named)
      parser->at = opening;
  }
  if (named) {
    type = smb_parse_type_name(parser);
    if (!type || !smb_parser_expect(parser, ")"))
      return NULL;
  } else {
    Node *value = smb_parse_unary(parser);
    if (!value)
      return NULL;
    type = value->type;
  }
  if (type->size == 0)
    return smb_parser_fail(parser, start, "%s has no size here",
                           smb_type_phrase(parser->pool, type));
  return smb_node_integer(parser, smb_type_scalar(KIND_ULONG), (gint64)type->size, start,
                          parser->last->end);
}

// primary = number | name | named-cast | sizeof | type ("(" expression ")" | list) | "(" expression ")"
Node *
smb_parse_primary(Parser *parser) {
  const Token *token = parser->at;
  if (token->kind == TOKEN_NUMBER || token->kind == TOKEN_CHARACTER)
    return parse_number(parser);
  if (token->kind == TOKEN_STRING && parser->in_report) {
    while (parser->at->kind == TOKEN_STRING)
      smb_parser_advance(parser);
    return smb_node_integer(parser, smb_type_scalar(KIND_INT), 1, token->start, parser->last->end);
  }
  if (token->kind == TOKEN_STRING)
    return smb_parser_fail(parser, token->start, "strings are outside the subset");
  if (smb_parser_is(parser, "reinterpret_cast") || smb_parser_is(parser, "static_cast") ||
      smb_parser_is(parser, "const_cast"))
    return parse_named_cast(parser);
  if (smb_parser_is(parser, "sizeof"))
    return parse_sizeof(parser);
  if (smb_parse_starts_type(parser)) {
    // A conversion written as a call: float(x); or a value of members: float2{x, y}.
    Specifiers specifiers;
    const Type *type = smb_parse_typed_specifiers(parser, &specifiers) ? specifiers.type : NULL;
    if (type && smb_parser_is(parser, "{"))
      return smb_parse_braces(parser, type, token->start);
    if (type && smb_half_is_pair(type) && smb_parser_is(parser, "("))
      return smb_parse_pair(parser, token, type);
    if (!type || !smb_parser_expect(parser, "("))
      return NULL;
    Node *value = smb_parse_expression(parser);
    if (!value || !smb_parser_expect(parser, ")"))
      return NULL;
    return smb_node_cast(parser, value, type, token->start);
  }
  if (token->kind == TOKEN_NAME)
    return parse_name(parser);
  if (!smb_parser_take(parser, "("))
    return smb_parser_fail(parser, token->start,
                           token->kind == TOKEN_END ? "the file ends within an expression"
                                                    : "expected an expression");
  Node *node = smb_parse_expression(parser);
  if (!node || !smb_parser_expect(parser, ")"))
    return NULL;
  // Parentheses belong to the text of what they enclose.
  node->start = token->start;
  node->end = parser->last->end;
  return node;
}
