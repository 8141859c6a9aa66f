// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Places: variables and memory, which have an address or can be assigned to. A place in memory that is
// read or written becomes a site.
#include <string.h>

#include "sim/cuda/parse/parse.h"

Node *
smb_node_variable(Parser *parser, const Variable *variable, guint32 start, guint32 end) {
  if (variable->alias) {
    Node *same = kernel_pool_new_struct(parser->pool, Node);
    *same = *variable->alias;
    same->start = start;
    same->end = end;
    return same;
  }
  if (variable->is_constant) {
    Node *constant = smb_node_leaf(parser, NODE_CONSTANT, variable->type, start, end);
    constant->variable = variable;
    constant->integer = variable->constant->integer;
    constant->real = variable->constant->real;
    return constant;
  }
  if (variable->storage == STORAGE_LOCAL) {
    Node *local = smb_reference_address(parser, variable, start, end);
    return variable->is_reference ? smb_node_dereference(parser, local, start, end) : local;
  }
  if (storage_is_shared(variable->storage) && parser->function)
    smb_parser_link(parser, &parser->function->shared, variable);
  const Type *pointer = smb_type_pointer(parser->pool, variable->type);
  Node *object = smb_node_leaf(parser, NODE_OBJECT, pointer, start, end);
  object->variable = variable;
  return smb_node_dereference(parser, object, start, end);
}

// The index of a site. What instances of one function do at one place is counted together.
static gint
find_site(Parser *parser, const SmbSite *site) {
  GArray *sites = parser->kernel->program.sites, *firsts = parser->item->sites;
  guint number = parser->n_sites++, index = sites->len;
  if (number < firsts->len) {
    const SmbSite *first = &g_array_index(sites, SmbSite, g_array_index(firsts, guint, number));
    if (first->offset == site->offset && first->op_class == site->op_class &&
        first->width == site->width)
      return (gint)g_array_index(firsts, guint, number);
  } else {
    g_array_append_val(firsts, index);
  }
  g_array_append_vals(sites, site, 1);
  return (gint)index;
}

void
smb_node_add_site(Parser *parser, Node *node, SmbOpClass op_class, gint *site) {
  SmbKernel *kernel = parser->kernel;
  g_autofree char *text = smb_source_slice(kernel->program.source, node->start, node->end);
  SmbSite new_site = {.file = smb_source_file(kernel->program.source, node->start),
                      .offset = node->start,
                      .op_class = op_class,
                      .width = node_access_bytes(node)};
  smb_source_locate(kernel->program.source, node->start, &new_site.line, &new_site.column);
  // One line of text: runs of white space become one space.
  GString *expression = g_string_new(NULL);
  for (gsize i = 0; text[i]; i++) {
    gboolean space = g_ascii_isspace(text[i]) || (text[i] == '\\' && g_ascii_isspace(text[i + 1]));
    if (!space)
      g_string_append_c(expression, text[i]);
    else if (expression->len > 0 && expression->str[expression->len - 1] != ' ')
      g_string_append_c(expression, ' ');
  }
  new_site.expression = smb_kernel_pool_text(parser->pool, expression->str, expression->len);
  g_string_free(expression, TRUE);
  *site = find_site(parser, &new_site);
  parser->n_touches++;
}

Node *
smb_node_value(Parser *parser, Node *node) {
  if (!node)
    return NULL;
  if (node->type->kind == KIND_ARRAY) {
    // An array stands for the address of its first element.
    g_assert(node->kind == NODE_DEREFERENCE);
    const Type *pointer = smb_type_pointer(parser->pool, node->type->of);
    return smb_node_new(parser, NODE_CAST, pointer, node->start, node->end, node->a, NULL, NULL);
  }
  if (node->type->kind == KIND_VOID && node->kind != NODE_CALL && node->kind != NODE_BUILTIN &&
      node->kind != NODE_CAST && node->kind != NODE_COMMA && node->kind != NODE_CHOICE)
    return smb_parser_fail(parser, node->start, "void has no value");
  if (node->kind == NODE_DEREFERENCE && node->type->kind != KIND_STRUCT && node->load_site < 0)
    smb_node_add_site(parser, node, SMB_OP_CLASS_LOAD, &node->load_site);
  return node;
}

const Variable *
smb_node_root(const Node *node) {
  while (node && (node->kind == NODE_POINTER_ADD || node->kind == NODE_CAST))
    node = node->a;
  return node && node->kind == NODE_OBJECT ? node->variable : NULL;
}

Node *
smb_node_dereference(Parser *parser, Node *pointer, guint32 start, guint32 end) {
  if (!pointer)
    return NULL;
  if (pointer->type->kind != KIND_POINTER)
    return smb_parser_fail(parser, start, "%s is not a pointer or an array",
                           smb_type_phrase(parser->pool, pointer->type));
  if (pointer->type->of->kind == KIND_VOID)
    return smb_parser_fail(parser, start, "a void pointer cannot be dereferenced");
  return smb_node_new(parser, NODE_DEREFERENCE, pointer->type->of, start, end, pointer, NULL, NULL);
}

Node *
smb_node_index(Parser *parser, Node *base, Node *index, guint32 end) {
  guint32 start = base->start;
  base = smb_node_value(parser, base);
  index = smb_node_value(parser, index);
  if (!base || !index)
    return NULL;
  if (base->type->kind != KIND_POINTER)
    return smb_parser_fail(parser, start, "%s cannot be indexed",
                           smb_type_phrase(parser->pool, base->type));
  Node *address = smb_node_pointer_add(parser, base, index, FALSE, start, end);
  return smb_node_dereference(parser, address, start, end);
}

Node *
smb_node_component(Parser *parser, Node *vector, guint i, guint32 end) {
  Node *node = smb_node_new(parser, NODE_COMPONENT, vector->type->of, vector->start, end, vector,
                            NULL, NULL);
  if (node)
    node->component = (guint8)i;
  return node;
}

Node *
smb_node_member(Parser *parser, Node *base, const Token *name) {
  static const char letters[] = "xyzw";
  if (!base)
    return NULL;
  if (base->type->kind == KIND_STRUCT)
    return smb_structure_member(parser, base, name);
  const char *letter =
      name->kind == TOKEN_NAME && !name->text[1] ? strchr(letters, name->text[0]) : NULL;
  guint component = letter ? (guint)(letter - letters) : G_MAXUINT;
  if (base->type->kind != KIND_VECTOR || component >= base->type->count)
    return smb_parser_fail(parser, name->start, "%s has no member '%s'",
                           smb_type_phrase(parser->pool, base->type), name->text);
  const Type *type = base->type->of;
  if (base->kind != NODE_DEREFERENCE)
    return smb_node_component(parser, base, component, name->end);
  // A member of a vector in memory is memory itself: only its bytes are moved.
  return smb_node_part(parser, base, type, component * type->size, name->end);
}

Node *
smb_node_after(Parser *parser, Node *before, Node *value) {
  if (!before || !value)
    return NULL;
  gboolean is_place = value->type->kind == KIND_STRUCT;
  Node *result = is_place ? value->a : value;
  Node *node = smb_node_new(parser, NODE_COMMA, result->type, before->start, value->end, before,
                            result, NULL);
  return is_place ? smb_node_dereference(parser, node, before->start, value->end) : node;
}

Node *
smb_node_address(Parser *parser, Node *node, guint32 start) {
  if (!node)
    return NULL;
  if (node->kind == NODE_LOCAL || node->kind == NODE_COMPONENT)
    return smb_parser_fail(parser, start,
                           "the address of a local variable is outside the subset: only "
                           "arrays have one");
  if (node->kind != NODE_DEREFERENCE)
    return smb_parser_fail(parser, start, "'&' needs an object in memory");
  const Type *pointer = smb_type_pointer(parser->pool, node->type);
  return smb_node_new(parser, NODE_CAST, pointer, start, node->end, node->a, NULL, NULL);
}

static gpointer
refuse_const(Parser *parser, const Node *target, const char *name) {
  return smb_parser_fail(parser, target->start, "'%s' is const: it cannot be assigned to", name);
}

static gpointer
refuse_target(Parser *parser, const Node *target, const Node *place) {
  if (place->kind == NODE_CONSTANT && place->variable)
    return refuse_const(parser, target, place->variable->name);
  return smb_parser_fail(parser, target->start, "this cannot be assigned to");
}

Node *
smb_node_assign(Parser *parser, Node *target, gint op, Node *value, gboolean is_post, guint32 start,
                guint32 end) {
  if (!target || !value)
    return NULL;
  const Node *place = target->kind == NODE_COMPONENT ? target->a : target;
  if (place->kind != NODE_LOCAL && place->kind != NODE_DEREFERENCE)
    return refuse_target(parser, target, place);
  if (place->kind == NODE_LOCAL && place->variable->is_const)
    return refuse_const(parser, target, place->variable->name);
  if (target->type->kind == KIND_ARRAY)
    return smb_parser_fail(parser, target->start, "an array cannot be assigned to");
  if (target->type->kind == KIND_STRUCT && op < 0) {
    value = smb_node_convert(parser, value, target->type);
    return value ? smb_node_copy(parser, target, value, start, end) : NULL;
  }
  if (op >= 0) {
    if (target->kind == NODE_DEREFERENCE)
      smb_node_add_site(parser, target, SMB_OP_CLASS_LOAD, &target->load_site);
    Node *current = smb_node_leaf(parser, NODE_CURRENT, target->type, target->start, target->end);
    value = smb_node_binary(parser, (Operator)op, current, value);
  }
  gboolean narrows = value && op >= 0 && smb_type_is_arithmetic(value->type);
  value = !value    ? NULL
          : narrows ? smb_node_cast(parser, value, target->type, value->start)
                    : smb_node_convert(parser, value, target->type);
  if (!value)
    return NULL;
  if (target->kind == NODE_DEREFERENCE)
    smb_node_add_site(parser, target, SMB_OP_CLASS_STORE, &target->store_site);
  Node *node = smb_node_new(parser, NODE_ASSIGN, target->type, start, end, target, value, NULL);
  if (node) {
    node->is_post = is_post != 0;
    node->special = op >= 0; // the old value is read
  }
  return node;
}

Node *
smb_node_set(Parser *parser, Node *target, Node *value, guint32 start, guint32 end) {
  return smb_node_assign(parser, target, -1, value, FALSE, start, end);
}
