// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The first values of variables: assignments that a declaration makes.
#include "sim/base/text.h"
#include "sim/cuda/parse.h"

// Elements of a local array that may be given first values in braces.
enum {
  MAX_INITIAL_ELEMENTS = 4096
};

static void
append(Statement ***last, Statement *statement) {
  **last = statement;
  *last = &statement->next;
}

static gboolean
append_value(Parser *parser, Statement ***last, Node *target, Node *value, guint32 start) {
  Node *assign =
      value ? smb_node_assign(parser, target, -1, value, FALSE, start, value->end) : NULL;
  Statement *statement = assign ? smb_statement_make(parser, STATEMENT_EXPRESSION, start) : NULL;
  if (!statement)
    return FALSE;
  statement->value = assign;
  append(last, statement);
  return TRUE;
}

// Numbers that a variable of that type holds.
static gsize
count_scalars(const Type *type) {
  gsize n = 1;
  for (; type->kind == KIND_ARRAY; type = type->of)
    n *= type->count;
  return n * smb_type_components(type);
}

static gboolean parse_list(Parser *parser, const Type *type, GPtrArray *values);

// A list within a list gives the values of one sub-array: those that it leaves out are zeros (NULL).
static gboolean
parse_inner_list(Parser *parser, const Type *type, gsize start, GPtrArray *values) {
  const Token *opening = parser->at;
  const Type *inner = type->kind == KIND_ARRAY ? type->of : smb_type_component(type);
  gsize n = count_scalars(inner), first = values->len;
  if ((first - start) % n != 0) {
    smb_parser_fail(parser, opening->start, "this '{' does not stand where a sub-array begins");
    return FALSE;
  }
  if (!parse_list(parser, inner, values))
    return FALSE;
  if (values->len > first + n) {
    smb_parser_fail(parser, opening->start, "too many first values here: expected at most %u",
                    (guint)n);
    return FALSE;
  }
  while (values->len < first + n && values->len <= MAX_INITIAL_ELEMENTS)
    g_ptr_array_add(values, NULL);
  return TRUE;
}

// list = "{" ((list | assignment) ("," …)*)? "}", its values one after another
static gboolean
parse_list(Parser *parser, const Type *type, GPtrArray *values) {
  gsize start = values->len;
  if (!smb_parser_enter(parser) || !smb_parser_expect(parser, "{"))
    return FALSE;
  while (!smb_parser_is(parser, "}")) {
    if (smb_parser_is(parser, "{")) {
      if (!parse_inner_list(parser, type, start, values))
        return FALSE;
    } else {
      Node *value = smb_parse_assignment(parser);
      if (!value)
        return FALSE;
      g_ptr_array_add(values, value);
    }
    if (!smb_parser_take(parser, ",") && !smb_parser_is(parser, "}"))
      return smb_parser_expect(parser, "}");
  }
  smb_parser_advance(parser);
  smb_parser_leave(parser);
  return TRUE;
}

// First values of a local array: those of the list, then zeros.
static gboolean
initialise_array(Parser *parser, Variable *variable, GPtrArray *values, Statement ***last,
                 guint32 start) {
  const Type *element = variable->type;
  while (element->kind == KIND_ARRAY)
    element = element->of;
  gsize n = variable->type->size / element->size;
  if (!smb_type_is_arithmetic(element)) {
    smb_parser_fail(parser, start, "only arrays of numbers are given first values");
    return FALSE;
  }
  if (n > MAX_INITIAL_ELEMENTS) {
    smb_parser_fail(parser, start,
                    "'%s' has %" G_GSIZE_FORMAT
                    " elements: expected at most %d where there are first values",
                    variable->name, n, MAX_INITIAL_ELEMENTS);
    return FALSE;
  }
  if (values->len > n) {
    smb_parser_fail(parser, start, "'%s' has %" G_GSIZE_FORMAT " element%s, but %u initializers",
                    variable->name, n, smb_plural(n), values->len);
    return FALSE;
  }
  for (guint i = 0; i < n; i++) {
    Node *base = smb_node_variable(parser, variable, start, start);
    const Type *pointer = smb_type_pointer(parser->pool, element);
    base = base ? smb_node_address(parser, base, start) : NULL;
    base = base ? smb_node_cast(parser, base, pointer, start) : NULL;
    Node *index =
        base ? smb_node_integer(parser, smb_type_scalar(KIND_INT), i, start, start) : NULL;
    Node *target = index ? smb_node_index(parser, base, index, start) : NULL;
    Node *value = i < values->len ? (Node *)g_ptr_array_index(values, i) : NULL;
    if (target && !value)
      value = smb_node_integer(parser, smb_type_scalar(KIND_INT), 0, start, start);
    if (!target)
      return FALSE;
    if (!append_value(parser, last, target, value, start))
      return FALSE;
  }
  return TRUE;
}

static gboolean
initialise_vector(Parser *parser, Variable *variable, GPtrArray *values, Statement ***last,
                  guint32 start) {
  guint n = smb_type_components(variable->type);
  if (values->len > n) {
    smb_parser_fail(parser, start, "a %s has %u values", variable->type->name, n);
    return FALSE;
  }
  Node **arguments = smb_kernel_pool_alloc(parser->pool, n * sizeof *arguments);
  const Type *component = smb_type_component(variable->type);
  for (guint i = 0; i < n; i++) {
    Node *value = i < values->len ? (Node *)g_ptr_array_index(values, i) : NULL;
    if (!value)
      value = smb_node_integer(parser, smb_type_scalar(KIND_INT), 0, start, start);
    arguments[i] = value ? smb_node_convert(parser, value, component) : NULL;
    if (!arguments[i])
      return FALSE;
  }
  Node *value = n == 1 ? arguments[0]
                       : smb_node_new(parser, NODE_MAKE_VECTOR, variable->type, start,
                                      parser->last->end, NULL, NULL, NULL);
  if (value && n > 1) {
    value->arguments = arguments;
    value->n_arguments = n;
  }
  Node *target = value ? smb_node_variable(parser, variable, start, start) : NULL;
  return target && append_value(parser, last, target, value, start);
}

// initializer = assignment | list
gboolean
smb_parse_initializer(Parser *parser, const Specifiers *specifiers, Variable *variable,
                      Statement ***last, guint32 start) {
  if (smb_parser_is(parser, "{")) {
    g_autoptr(GPtrArray) values = g_ptr_array_new();
    if (!parse_list(parser, variable->type, values))
      return FALSE;
    return variable->storage == STORAGE_PRIVATE
               ? initialise_array(parser, variable, values, last, start)
               : initialise_vector(parser, variable, values, last, start);
  }
  if (variable->storage == STORAGE_PRIVATE) {
    smb_parser_fail(parser, parser->at->start, "an array takes its first values in braces");
    return FALSE;
  }
  Node *value = smb_parse_assignment(parser);
  return value && smb_parser_initialise(parser, specifiers, variable, value, last);
}

gboolean
smb_parser_initialise(Parser *parser, const Specifiers *specifiers, Variable *variable, Node *value,
                      Statement ***last) {
  guint32 start = variable->start;
  value = smb_node_convert(parser, value, variable->type);
  if (!value)
    return FALSE;
  if (specifiers->is_const && value->kind == NODE_CONSTANT &&
      smb_type_is_arithmetic(variable->type)) {
    variable->is_constant = TRUE;
    variable->constant = value;
    return TRUE;
  }
  Node *target = smb_node_variable(parser, variable, start, parser->last->end);
  return target && append_value(parser, last, target, value, start);
}
