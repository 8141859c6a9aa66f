// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// References: another name for a variable, or the address of what lies in memory. A function with
// references is read for each way in which its calls bind them.
#include "sim/cuda/parse/parse.h"

static gboolean
is_variable(const Node *value) {
  const Node *place = value->kind == NODE_COMPONENT ? value->a : value;
  return place->kind == NODE_LOCAL;
}

gboolean
smb_reference_classify(Parser *parser, const Node *value, const Type *type, gboolean is_const,
                       BindKind *kind) {
  gboolean same = smb_type_equal(value->type, type);
  gboolean in_memory = value->kind == NODE_DEREFERENCE;
  *kind = same && in_memory ? BIND_ADDRESS : same && is_variable(value) ? BIND_ALIAS : BIND_VALUE;
  if (*kind != BIND_VALUE || is_const)
    return TRUE;
  const char *wanted = smb_type_describe(parser->pool, type);
  if (same)
    return smb_parser_refuse(parser, value->start,
                             "a reference to %s must be bound to a variable, not to a value",
                             wanted);
  return smb_parser_refuse(parser, value->start,
                           "a reference to %s must be bound to a variable of that type, not of %s",
                           wanted, smb_type_describe(parser->pool, value->type));
}

Variable *
smb_reference_declare(Parser *parser, const Token *name, const Type *type, BindKind kind,
                      const Node *value) {
  if (kind == BIND_ADDRESS)
    type = smb_type_pointer(parser->pool, type);
  Variable *variable = smb_parser_declare(parser, name, type, STORAGE_LOCAL);
  if (!variable)
    return NULL;
  variable->is_reference = kind == BIND_ADDRESS;
  variable->alias = kind == BIND_ALIAS ? value : NULL;
  return variable;
}

Node *
smb_reference_address(Parser *parser, const Variable *variable, guint32 start, guint32 end) {
  Node *node = smb_node_leaf(parser, NODE_LOCAL, variable->type, start, end);
  node->variable = variable;
  return node;
}
