// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The first values of variables: assignments that a declaration makes. A list gives values to parts: elements
// of an array, members of a structure, components of a vector. What it leaves out is zero.
#include <string.h>

#include "sim/cuda/parse/parse.h"
#include "sim/cuda/tree/compute.h"

// Numbers that a variable may hold that is given its value by a list.
enum {
  MAX_INITIAL_ELEMENTS = 4096
};

typedef struct {
  Parser *parser;
  GPtrArray *assignments; // Node, in their order; or
  GByteArray *bytes;      // of a variable outside functions: what is not there is zero
  Node *value;            // was read, and is the next to be used; or NULL
  guint32 start;          // of what is given values
} List;

// Numbers that a variable of that type holds.
static gsize
count_scalars(const Type *type) {
  gsize n = 0;
  if (type->kind == KIND_ARRAY)
    return type->count * count_scalars(type->of);
  for (gsize i = 0; type->kind == KIND_STRUCT && i < type->count; i++)
    n += count_scalars(type->members[i].type);
  return type->kind == KIND_STRUCT ? n : smb_type_components(type);
}

static gsize
count_parts(const Type *type) {
  return type->kind == KIND_POINTER ? 1 : type->count;
}

static gboolean
has_parts(const Type *type) {
  return smb_type_is_aggregate(type) || type->kind == KIND_VECTOR;
}

static Node *
find_part(const List *list, Node *place, gsize i) {
  const Type *type = place->type;
  if (type->kind == KIND_STRUCT)
    return smb_node_part(list->parser, place, type->members[i].type, type->members[i].offset,
                         place->end);
  if (place->kind == NODE_DEREFERENCE)
    return smb_node_part(list->parser, place, type->of, i * type->of->size, place->end);
  return smb_node_component(list->parser, place, (guint)i, place->end);
}

// Where a part lies in its variable, from its address.
static gsize
find_offset(const Node *address) {
  gsize offset = 0;
  for (; address->kind != NODE_OBJECT; address = address->a) {
    if (address->kind == NODE_POINTER_ADD)
      offset += (gsize)(address->b->integer * address->integer);
  }
  return offset;
}

static gboolean
encode(const List *list, const Node *place, Node *value) {
  const Type *type = place->type;
  guint32 start = value->start;
  value = smb_node_convert(list->parser, value, type);
  if (!value || value->kind != NODE_CONSTANT)
    return smb_parser_refuse(list->parser, start,
                             "an initializer outside functions must be a constant");
  gsize offset = find_offset(place->a);
  if (list->bytes->len < offset + type->size) {
    gsize before = list->bytes->len;
    g_byte_array_set_size(list->bytes, (guint)(offset + type->size));
    memset(list->bytes->data + before, 0, list->bytes->len - before);
  }
  SmbScalar scalar = smb_cuda_scalar(type->kind);
  if (smb_scalar_is_real(scalar))
    smb_scalar_encode_real(scalar, value->real, list->bytes->data + offset);
  else
    smb_scalar_encode_whole(scalar, (guint64)value->integer, list->bytes->data + offset);
  return TRUE;
}

static gboolean
assign_initial(List *list, Node *place, Node *value) {
  if (list->bytes)
    return encode(list, place, value);
  Node *node = smb_node_set(list->parser, place, value, list->start, list->parser->last->end);
  if (node)
    g_ptr_array_add(list->assignments, node);
  return node != NULL;
}

static gboolean
assign_zero(List *list, Node *place) {
  Node *zero = NULL;
  if (!has_parts(place->type)) {
    zero = smb_node_integer(list->parser, smb_type_scalar(KIND_INT), 0, list->start, list->start);
    return assign_initial(list, place, zero);
  }
  for (gsize i = 0; i < count_parts(place->type); i++) {
    Node *part = find_part(list, place, i);
    if (!part || !assign_zero(list, part))
      return FALSE;
  }
  return TRUE;
}

static gboolean initialise(List *list, Node *place);

// Parts in their order, as far as there are values; those behind are zero.
static gboolean
initialise_parts(List *list, Node *place) {
  Parser *parser = list->parser;
  gboolean more = list->value || !smb_parser_is(parser, "}");
  for (gsize i = 0; i < count_parts(place->type) && (more || !list->bytes); i++) {
    Node *part = has_parts(place->type) ? find_part(list, place, i) : place;
    if (!part || !(more ? initialise : assign_zero)(list, part))
      return FALSE;
    more = more && smb_parser_is(parser, ",") && !smb_token_is(parser->at->next, "}");
    if (more && i + 1 < count_parts(place->type))
      smb_parser_advance(parser);
  }
  return TRUE;
}

// list = "{" ((list | assignment) ("," …)*)? "}"
static gboolean
parse_list(List *list, Node *place) {
  Parser *parser = list->parser;
  if (!smb_parser_enter(parser))
    return FALSE;
  smb_parser_advance(parser);
  if (!initialise_parts(list, place))
    return FALSE;
  if (smb_parser_take(parser, ",") && !smb_parser_is(parser, "}"))
    return smb_parser_refuse(
        parser, parser->at->start, "too many initializers: %s takes %" G_GSIZE_FORMAT,
        smb_type_phrase(parser->pool, place->type), count_scalars(place->type));
  smb_parser_leave(parser);
  return smb_parser_expect(parser, "}");
}

// Without braces of its own, something of parts takes as many values as it has, or one of its own type.
static gboolean
initialise(List *list, Node *place) {
  Parser *parser = list->parser;
  if (!list->value && smb_parser_is(parser, "{"))
    return parse_list(list, place);
  if (!list->value && !(list->value = smb_parse_assignment(parser)))
    return FALSE;
  if (has_parts(place->type) && !smb_type_equal(list->value->type, place->type))
    return initialise_parts(list, place);
  return assign_initial(list, place, g_steal_pointer(&list->value));
}

// The assignments of a list; NULL with an error.
static GPtrArray *
read_list(Parser *parser, Node *place, guint32 start) {
  gsize n = count_scalars(place->type);
  List list = {parser, g_ptr_array_new(), NULL, NULL, start};
  if (n > MAX_INITIAL_ELEMENTS)
    smb_parser_fail(parser, start,
                    "%s has %" G_GSIZE_FORMAT
                    " elements: expected at most %d where there are initializers",
                    smb_type_phrase(parser->pool, place->type), n, MAX_INITIAL_ELEMENTS);
  else if (parse_list(&list, place))
    return list.assignments;
  g_ptr_array_unref(list.assignments);
  return NULL;
}

gboolean
smb_parse_data(Parser *parser, Variable *variable) {
  const Type *given = variable->type;
  gboolean is_open = given->kind == KIND_ARRAY && given->count == 0;
  if (!smb_parser_take(parser, "=") && !smb_parser_is(parser, "{"))
    return TRUE;
  if (given->kind == KIND_ARRAY && !smb_parser_is(parser, "{"))
    return smb_parser_refuse(parser, parser->at->start,
                             "the initializer of an array must be in braces");
  if (is_open)
    variable->type = smb_type_array(parser->pool, given->of, MAX_OBJECT_BYTES / given->of->size);
  g_autoptr(GByteArray) bytes = g_byte_array_new();
  List list = {parser, NULL, bytes, NULL, variable->start};
  Node *place = smb_node_variable(parser, variable, variable->start, variable->start);
  if (!initialise(&list, place))
    return FALSE;
  if (is_open)
    variable->type =
        smb_type_array(parser->pool, given->of,
                       MAX((bytes->len + given->of->size - 1) / given->of->size, (gsize)1));
  variable->contents =
      (SmbContents){.fill = SMB_FILL_BYTES,
                    .bytes = (const guchar *)smb_kernel_pool_text(
                        parser->pool, bytes->len ? (const char *)bytes->data : "", bytes->len),
                    .length = bytes->len};
  return TRUE;
}

// A number or a pointer in braces, which is a constant as without them.
static Node *
parse_braced_scalar(Parser *parser, guint32 start) {
  smb_parser_advance(parser);
  Node *value = smb_parser_is(parser, "}")
                    ? smb_node_integer(parser, smb_type_scalar(KIND_INT), 0, start, start)
                    : smb_parse_assignment(parser);
  (void)smb_parser_take(parser, ",");
  return value && smb_parser_expect(parser, "}") ? value : NULL;
}

// initializer = assignment | list
gboolean
smb_parse_initializer(Parser *parser, const Specifiers *specifiers, Variable *variable,
                      Statement ***last, guint32 start) {
  gboolean in_braces = smb_parser_is(parser, "{");
  if (in_braces && has_parts(variable->type)) {
    Node *place = smb_node_variable(parser, variable, start, start);
    g_autoptr(GPtrArray) assignments = read_list(parser, place, start);
    for (guint i = 0; assignments && i < assignments->len; i++)
      smb_statement_append(parser, last, STATEMENT_EXPRESSION, start)->value =
          g_ptr_array_index(assignments, i);
    return assignments != NULL;
  }
  if (variable->type->kind == KIND_ARRAY)
    return smb_parser_refuse(parser, parser->at->start,
                             "the initializer of an array must be in braces");
  Node *value = in_braces ? parse_braced_scalar(parser, start) : smb_parse_assignment(parser);
  return value && smb_parser_initialise(parser, specifiers, variable, value, last);
}

// All of them in their order, as one expression that is no deeper than it must be.
static Node *
join(Parser *parser, gpointer *nodes, guint n) {
  if (n == 1)
    return nodes[0];
  Node *first = join(parser, nodes, n / 2);
  return smb_node_after(parser, first, join(parser, nodes + n / 2, n - n / 2));
}

Node *
smb_parse_braces(Parser *parser, const Type *type, guint32 start) {
  if (!parser->function)
    return smb_parser_fail(parser, start, "a list of values is not known before the kernel runs");
  if (type->size == 0)
    return smb_parser_fail(parser, start, "%s has no value", smb_type_phrase(parser->pool, type));
  Node *place = smb_node_temporary(parser, type, start, parser->last->end);
  g_autoptr(GPtrArray) assignments = place ? read_list(parser, place, start) : NULL;
  Node *all = assignments ? join(parser, assignments->pdata, assignments->len) : NULL;
  return smb_node_after(parser, all, place);
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
  Node *node = smb_node_set(parser, target, value, start, value->end);
  if (node)
    smb_statement_append(parser, last, STATEMENT_EXPRESSION, start)->value = node;
  return node != NULL;
}
