// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Typed nodes of values. All of C's conversions happen here, and constants are folded, so that array
// bounds can be expressions.
#include "sim/base/error.h"
#include "sim/cuda/parse/parse.h"
#include "sim/cuda/tree/compute.h"

const Infix smb_kernel_operators[] = {
#define SMB_OPERATOR(id, text, binding) {text, binding},
#include "sim/cuda/text/operator.def"
#undef SMB_OPERATOR
};

static gpointer
fail_at(Parser *parser, const Node *node, const char *message) {
  return smb_parser_fail(parser, node->start, "%s", message);
}

gboolean
smb_node_set_depth(Parser *parser, Node *node, guint depth) {
  // An operator is a level of the tree without being a level of the text: allow for long sums.
  guint max = 4 * parser->kernel->program.limits.max_depth;
  if (depth > max)
    return smb_parser_refuse(parser, node->start, "this expression has more than %u levels", max) ||
           smb_hint(parser->error, SMB_HINT_LIMIT, "max_depth", NULL);
  node->depth = (guint16)depth;
  if (parser->function)
    parser->function->height = MAX(parser->function->height, parser->depth - parser->base + depth);
  return TRUE;
}

Node *
smb_node_leaf(Parser *parser, NodeKind kind, const Type *type, guint32 start, guint32 end) {
  Node *node = kernel_pool_new_struct(parser->pool, Node);
  node->kind = (guint8)kind;
  node->type = type;
  node->start = start;
  node->end = end;
  node->load_site = node->store_site = -1;
  smb_node_set_depth(parser, node, 1);
  return node;
}

Node *
smb_node_new(Parser *parser, NodeKind kind, const Type *type, guint32 start, guint32 end, Node *a,
             Node *b, Node *c) {
  if (!a)
    return NULL;
  Node *node = smb_node_leaf(parser, kind, type, start, end);
  guint depth = MAX(a->depth, b ? b->depth : 0u);
  node->a = a;
  node->b = b;
  node->c = c;
  return smb_node_set_depth(parser, node, MAX(depth, c ? c->depth : 0u) + 1) ? node : NULL;
}

Node *
smb_node_integer(Parser *parser, const Type *type, gint64 value, guint32 start, guint32 end) {
  Node *node = smb_node_leaf(parser, NODE_CONSTANT, type, start, end);
  node->integer = smb_cuda_wrap(type->kind, value);
  return node;
}

Node *
smb_node_special(Parser *parser, ThreadSpecial special, guint component, guint32 start,
                 guint32 end) {
  Node *node = smb_node_leaf(parser, NODE_SPECIAL, smb_type_scalar(KIND_UINT), start, end);
  node->special = (guint8)special;
  node->component = (guint8)component;
  return node;
}

Node *
smb_node_convert(Parser *parser, Node *node, const Type *type) {
  node = smb_node_value(parser, node);
  if (!node || smb_type_equal(node->type, type))
    return node;
  const Type *from = node->type;
  gboolean pointers = from->kind == KIND_POINTER && type->kind == KIND_POINTER &&
                      (from->of->kind == KIND_VOID || type->of->kind == KIND_VOID);
  gboolean null = type->kind == KIND_POINTER && node->kind == NODE_CONSTANT &&
                  smb_type_is_integer(from) && node->integer == 0;
  if (!(smb_type_is_arithmetic(from) && smb_type_is_arithmetic(type)) && !pointers && !null &&
      !(from->kind == KIND_POINTER && type->kind == KIND_BOOL))
    return smb_parser_fail(parser, node->start, "expected a value of type %s, not %s",
                           smb_type_describe(parser->pool, type),
                           smb_type_describe(parser->pool, from));
  return smb_node_cast(parser, node, type, node->start);
}

Node *
smb_node_cast(Parser *parser, Node *node, const Type *type, guint32 start) {
  node = smb_node_value(parser, node);
  if (!node)
    return NULL;
  const Type *from = node->type;
  gboolean null = type->kind == KIND_POINTER && node->kind == NODE_CONSTANT &&
                  smb_type_is_integer(from) && node->integer == 0;
  gboolean allowed =
      type->kind == KIND_VOID || smb_type_equal(from, type) || null ||
      (smb_type_is_arithmetic(from) && smb_type_is_arithmetic(type)) ||
      (from->kind == KIND_POINTER && (type->kind == KIND_POINTER || type->kind == KIND_BOOL));
  if (!allowed)
    return smb_parser_fail(parser, start, "%s cannot be converted to %s here",
                           smb_type_phrase(parser->pool, from),
                           smb_type_phrase(parser->pool, type));
  if (type->kind == KIND_STRUCT)
    return node;
  Node *cast = smb_node_new(parser, NODE_CAST, type, start, node->end, node, NULL, NULL);
  if (cast && node->kind == NODE_CONSTANT && smb_type_is_arithmetic(type))
    smb_cuda_fold_cast(cast);
  return cast;
}

Node *
smb_node_condition(Parser *parser, Node *node) {
  node = smb_node_value(parser, node);
  if (!node)
    return NULL;
  if (!smb_type_is_arithmetic(node->type) && node->type->kind != KIND_POINTER)
    return smb_parser_fail(parser, node->start, "%s is not a condition",
                           smb_type_phrase(parser->pool, node->type));
  return smb_node_cast(parser, node, smb_type_scalar(KIND_BOOL), node->start);
}

Node *
smb_node_pointer_add(Parser *parser, Node *pointer, Node *index, gboolean subtract, guint32 start,
                     guint32 end) {
  if (!pointer || !index)
    return NULL;
  if (!smb_type_is_integer(index->type))
    return fail_at(parser, index, "expected an integer to add to a pointer or subtract from it");
  if (pointer->type->of->size == 0)
    return fail_at(parser, pointer, "no arithmetic on this pointer: what it points to has no size");
  index = smb_node_convert(parser, index, smb_type_scalar(KIND_LONG));
  if (index && subtract)
    index = smb_node_unary(parser, NODE_NEGATE, index, index->start);
  if (!index)
    return NULL;
  Node *node =
      smb_node_new(parser, NODE_POINTER_ADD, pointer->type, start, end, pointer, index, NULL);
  if (node)
    node->integer = (gint64)pointer->type->of->size;
  return node;
}

static gboolean
has_members(const Type *type) {
  return type->kind == KIND_VECTOR || type->kind == KIND_STRUCT;
}

static Node *
subtract_pointers(Parser *parser, Node *a, Node *b) {
  if (!smb_type_equal(a->type, b->type))
    return fail_at(parser, b, "these pointers point to different types");
  if (a->type->of->size == 0)
    return fail_at(parser, a,
                   "these pointers cannot be subtracted: what they point to has no size");
  Node *node = smb_node_new(parser, NODE_POINTER_DIFF, smb_type_scalar(KIND_LONG), a->start, b->end,
                            a, b, NULL);
  if (node)
    node->integer = (gint64)a->type->of->size;
  return node;
}

Node *
smb_node_binary(Parser *parser, Operator op, Node *a, Node *b) {
  a = smb_node_value(parser, a);
  b = smb_node_value(parser, b);
  if (!a || !b)
    return NULL;
  gboolean compares = op >= OPERATOR_LT;
  gboolean a_points = a->type->kind == KIND_POINTER, b_points = b->type->kind == KIND_POINTER;
  if (a_points && b_points && op == OPERATOR_SUB)
    return subtract_pointers(parser, a, b);
  if (a_points && !b_points && (op == OPERATOR_ADD || op == OPERATOR_SUB))
    return smb_node_pointer_add(parser, a, b, op == OPERATOR_SUB, a->start, b->end);
  if (b_points && !a_points && op == OPERATOR_ADD)
    return smb_node_pointer_add(parser, b, a, FALSE, a->start, b->end);

  if (op <= OPERATOR_DIV && smb_half_is_pair(a->type) && smb_type_equal(a->type, b->type))
    return smb_half_operate(parser, (gint)op, a, b);

  const Type *type;
  if (compares && (a_points || b_points)) {
    type = a_points ? a->type : b->type;
    a = smb_node_convert(parser, a, type);
    b = smb_node_convert(parser, b, type);
  } else {
    gboolean whole = op >= OPERATOR_MOD && op <= OPERATOR_XOR;
    if (!smb_type_is_arithmetic(a->type) || !smb_type_is_arithmetic(b->type) ||
        (whole && (smb_type_is_real(a->type) || smb_type_is_real(b->type))))
      return smb_parser_fail(
          parser, a->start, "'%s' does not take %s and %s%s", smb_kernel_operators[op].text,
          smb_type_describe(parser->pool, a->type), smb_type_describe(parser->pool, b->type),
          has_members(a->type) || has_members(b->type) ? ": use its members" : "");
    gboolean shifts = op == OPERATOR_SHL || op == OPERATOR_SHR;
    type = shifts ? smb_type_promote(a->type) : smb_type_common(a->type, b->type);
    a = smb_node_convert(parser, a, type);
    b = smb_node_convert(parser, b, shifts ? smb_type_scalar(KIND_UINT) : type);
  }
  if (!a || !b)
    return NULL;
  Node *node = smb_node_new(parser, NODE_BINARY, compares ? smb_type_scalar(KIND_BOOL) : type,
                            a->start, b->end, a, b, NULL);
  if (!node)
    return NULL;
  node->op = (guint8)op;
  if (a->kind == NODE_CONSTANT && b->kind == NODE_CONSTANT)
    smb_cuda_fold_binary(node);
  return node;
}

Node *
smb_node_unary(Parser *parser, NodeKind kind, Node *a, guint32 start) {
  a = kind == NODE_NOT ? smb_node_condition(parser, a) : smb_node_value(parser, a);
  if (!a)
    return NULL;
  if (kind == NODE_NEGATE && smb_half_is_pair(a->type))
    return smb_half_operate(parser, -1, a, NULL);
  gboolean fits =
      kind == NODE_COMPLEMENT ? smb_type_is_integer(a->type) : smb_type_is_arithmetic(a->type);
  if (!fits)
    return smb_parser_fail(parser, start, "'%s' does not take %s",
                           kind == NODE_COMPLEMENT ? "~" : "-",
                           smb_type_phrase(parser->pool, a->type));
  const Type *type = kind == NODE_NOT ? smb_type_scalar(KIND_BOOL) : smb_type_promote(a->type);
  a = kind == NODE_NOT ? a : smb_node_convert(parser, a, type);
  Node *node = a ? smb_node_new(parser, kind, type, start, a->end, a, NULL, NULL) : NULL;
  if (node && a->kind == NODE_CONSTANT)
    smb_cuda_fold_unary(node);
  return node;
}

Node *
smb_node_logical(Parser *parser, NodeKind kind, Node *a, Node *b) {
  a = smb_node_condition(parser, a);
  b = smb_node_condition(parser, b);
  if (!a || !b)
    return NULL;
  if (a->kind == NODE_CONSTANT && b->kind == NODE_CONSTANT)
    return smb_node_integer(parser, smb_type_scalar(KIND_BOOL),
                            kind == NODE_AND_THEN ? a->integer && b->integer
                                                  : a->integer || b->integer,
                            a->start, b->end);
  return smb_node_new(parser, kind, smb_type_scalar(KIND_BOOL), a->start, b->end, a, b, NULL);
}

Node *
smb_node_choice(Parser *parser, Node *condition, Node *yes, Node *no) {
  condition = smb_node_condition(parser, condition);
  yes = smb_node_value(parser, yes);
  no = smb_node_value(parser, no);
  if (!condition || !yes || !no)
    return NULL;
  const Type *type = yes->type;
  if (smb_type_is_arithmetic(yes->type) && smb_type_is_arithmetic(no->type))
    type = yes->type == no->type ? yes->type : smb_type_common(yes->type, no->type);
  else if (no->type->kind == KIND_POINTER && yes->type->kind != KIND_POINTER)
    type = no->type;
  yes = smb_node_convert(parser, yes, type);
  no = smb_node_convert(parser, no, type);
  if (!yes || !no)
    return NULL;
  if (condition->kind == NODE_CONSTANT)
    return condition->integer ? yes : no;
  if (type->kind != KIND_STRUCT)
    return smb_node_new(parser, NODE_CHOICE, type, condition->start, no->end, condition, yes, no);
  Node *address = smb_node_new(parser, NODE_CHOICE, yes->a->type, condition->start, no->end,
                               condition, yes->a, no->a);
  return smb_node_dereference(parser, address, condition->start, no->end);
}

void
smb_statement_visit(const Statement *statement, NodeVisit visit, gpointer data) {
  for (; statement; statement = statement->next) {
    visit(data, statement->value);
    visit(data, statement->step);
    smb_statement_visit(statement->first, visit, data);
    smb_statement_visit(statement->then, visit, data);
    smb_statement_visit(statement->otherwise, visit, data);
  }
}

void
smb_node_visit_parts(const Node *node, NodeVisit visit, gpointer data) {
  visit(data, node->a);
  visit(data, node->b);
  visit(data, node->c);
  for (guint i = 0; i < node->n_arguments; i++)
    visit(data, node->arguments[i]);
}

static void
visit_unseen(const Function *function, GHashTable *seen,
             void (*visit)(gpointer data, const Function *function), gpointer data) {
  if (!g_hash_table_add(seen, (gpointer)function))
    return;
  for (const Link *link = function->callees; link; link = link->next)
    visit_unseen(link->item, seen, visit, data);
  visit(data, function);
}

void
smb_function_visit_all(const Function *function,
                       void (*visit)(gpointer data, const Function *function), gpointer data) {
  g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
  visit_unseen(function, seen, visit, data);
}
