// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Typed nodes. All of C's conversions happen here, and constants are folded, so that array bounds can
// be expressions.
#include <string.h>

#include "sim/kernel-arith.h"
#include "sim/kernel-parse.h"

const char *
kernel_operator_text(Operator op) {
  static const char *const texts[] = {"+", "-", "*", "/",  "%", "<<", ">>", "&",
                                      "|", "^", "<", "<=", ">", ">=", "==", "!="};
  return texts[op];
}

static gpointer
fail_at(Parser *parser, const Node *node, const char *message) {
  return parser_fail(parser, node->start, "%s", message);
}

gboolean
node_set_depth(Parser *parser, Node *node, guint depth) {
  // An operator is a level of the tree without being a level of the text: allow for long sums.
  guint max = 4 * parser->kernel->limits.max_depth;
  if (depth > max) {
    parser_fail(parser, node->start,
                "this expression has more than %u levels (--max-depth allows more)", max);
    return FALSE;
  }
  node->depth = (guint16)depth;
  if (parser->function)
    parser->function->height = MAX(parser->function->height, parser->depth + depth);
  return TRUE;
}

Node *
node_new(Parser *parser, NodeKind kind, const Type *type, guint32 start, guint32 end, Node *a,
         Node *b, Node *c) {
  Node *node = kernel_pool_new_struct(parser->pool, Node);
  guint depth = MAX(a ? a->depth : 0u, b ? b->depth : 0u);
  depth = MAX(depth, c ? c->depth : 0u) + 1;
  node->kind = (guint8)kind;
  node->type = type;
  node->start = start;
  node->end = end;
  node->a = a;
  node->b = b;
  node->c = c;
  node->load_site = node->store_site = -1;
  return node_set_depth(parser, node, depth) ? node : NULL;
}

Node *
node_integer(Parser *parser, const Type *type, gint64 value, guint32 start, guint32 end) {
  Node *node = node_new(parser, NODE_CONSTANT, type, start, end, NULL, NULL, NULL);
  if (node)
    node->integer = kernel_wrap_integer(type->kind, value);
  return node;
}

Node *
node_variable(Parser *parser, const Variable *variable, guint32 start, guint32 end) {
  if (variable->is_constant) {
    Node *constant = node_new(parser, NODE_CONSTANT, variable->type, start, end, NULL, NULL, NULL);
    if (constant) {
      constant->variable = variable;
      constant->integer = variable->constant->integer;
      constant->real = variable->constant->real;
    }
    return constant;
  }
  Node *node;
  if (variable->storage == STORAGE_LOCAL) {
    node = node_new(parser, NODE_LOCAL, variable->type, start, end, NULL, NULL, NULL);
    if (node)
      node->variable = variable;
    return node;
  }
  if (variable->storage != STORAGE_PRIVATE && parser->function)
    parser_link(parser, &parser->function->shared, variable);
  const Type *pointer = type_pointer(parser->pool, variable->type);
  node = node_new(parser, NODE_OBJECT, pointer, start, end, NULL, NULL, NULL);
  if (!node)
    return NULL;
  node->variable = variable;
  return node_dereference(parser, node, start, end);
}

gboolean
node_add_site(Parser *parser, Node *node, SmbOpClass op_class, gint *site) {
  SmbKernel *kernel = parser->kernel;
  const char *text = smb_source_text(kernel->source) + node->start;
  SmbSite new_site = {
      .offset = node->start, .op_class = op_class, .width = (guint)node->type->size};
  if (new_site.width > SMB_MAX_WIDTH || (new_site.width & (new_site.width - 1))) {
    parser_fail(parser, node->start,
                "a %s is %u bytes: no instruction moves it at once; use its members",
                type_describe(parser->pool, node->type), new_site.width);
    return FALSE;
  }
  smb_source_locate(kernel->source, node->start, &new_site.line, &new_site.column);
  // One line of text: runs of white space become one space.
  GString *expression = g_string_new(NULL);
  for (guint32 i = 0; i < node->end - node->start; i++) {
    gboolean space = g_ascii_isspace(text[i]) || (text[i] == '\\' && g_ascii_isspace(text[i + 1]));
    if (!space)
      g_string_append_c(expression, text[i]);
    else if (expression->len > 0 && expression->str[expression->len - 1] != ' ')
      g_string_append_c(expression, ' ');
  }
  new_site.expression = kernel_pool_text(parser->pool, expression->str, expression->len);
  g_string_free(expression, TRUE);
  *site = (gint)kernel->sites->len;
  g_array_append_val(kernel->sites, new_site);
  return TRUE;
}

// An array stands for the address of its first element.
static Node *
decay(Parser *parser, Node *node) {
  if (node->type->kind != KIND_ARRAY)
    return node;
  g_assert(node->kind == NODE_DEREFERENCE);
  const Type *pointer = type_pointer(parser->pool, node->type->of);
  return node_new(parser, NODE_CAST, pointer, node->start, node->end, node->a, NULL, NULL);
}

Node *
node_value(Parser *parser, Node *node) {
  node = decay(parser, node);
  if (!node)
    return NULL;
  if (node->type->kind == KIND_VOID && node->kind != NODE_CALL && node->kind != NODE_BUILTIN &&
      node->kind != NODE_CAST && node->kind != NODE_COMMA && node->kind != NODE_CHOICE)
    return fail_at(parser, node, "a void has no value");
  if (node->kind == NODE_DEREFERENCE && node->load_site < 0 &&
      !node_add_site(parser, node, SMB_OP_CLASS_LOAD, &node->load_site))
    return NULL;
  return node;
}

const Variable *
node_root(const Node *node) {
  while (node && (node->kind == NODE_POINTER_ADD || node->kind == NODE_CAST))
    node = node->a;
  return node && node->kind == NODE_OBJECT ? node->variable : NULL;
}

Node *
node_convert(Parser *parser, Node *node, const Type *type) {
  node = node_value(parser, node);
  if (!node || type_equal(node->type, type))
    return node;
  const Type *from = node->type;
  gboolean pointers = from->kind == KIND_POINTER && type->kind == KIND_POINTER &&
                      (from->of->kind == KIND_VOID || type->of->kind == KIND_VOID);
  gboolean null = type->kind == KIND_POINTER && node->kind == NODE_CONSTANT &&
                  type_is_integer(from) && node->integer == 0;
  if (!(type_is_arithmetic(from) && type_is_arithmetic(type)) && !pointers && !null &&
      !(from->kind == KIND_POINTER && type->kind == KIND_BOOL))
    return parser_fail(parser, node->start, "expected a value of type %s, not %s",
                       type_describe(parser->pool, type), type_describe(parser->pool, from));
  return node_cast(parser, node, type, node->start);
}

Node *
node_cast(Parser *parser, Node *node, const Type *type, guint32 start) {
  node = node_value(parser, node);
  if (!node)
    return NULL;
  const Type *from = node->type;
  gboolean null = type->kind == KIND_POINTER && node->kind == NODE_CONSTANT &&
                  type_is_integer(from) && node->integer == 0;
  gboolean allowed =
      type->kind == KIND_VOID || type_equal(from, type) || null ||
      (type_is_arithmetic(from) && type_is_arithmetic(type)) ||
      (from->kind == KIND_POINTER && (type->kind == KIND_POINTER || type->kind == KIND_BOOL));
  if (!allowed)
    return parser_fail(parser, start, "a %s cannot be turned into a %s here",
                       type_describe(parser->pool, from), type_describe(parser->pool, type));
  Node *cast = node_new(parser, NODE_CAST, type, start, node->end, node, NULL, NULL);
  if (cast && node->kind == NODE_CONSTANT && type_is_arithmetic(type))
    kernel_fold_cast(cast);
  return cast;
}

Node *
node_condition(Parser *parser, Node *node) {
  node = node_value(parser, node);
  if (!node)
    return NULL;
  if (!type_is_arithmetic(node->type) && node->type->kind != KIND_POINTER)
    return parser_fail(parser, node->start, "a %s is no condition",
                       type_describe(parser->pool, node->type));
  return node_cast(parser, node, type_scalar(KIND_BOOL), node->start);
}

// pointer + index, in elements
static Node *
add_to_pointer(Parser *parser, Node *pointer, Node *index, gboolean subtract, guint32 start,
               guint32 end) {
  if (!type_is_integer(index->type))
    return fail_at(parser, index, "expected an integer to move a pointer by");
  if (pointer->type->of->size == 0)
    return fail_at(parser, pointer, "this pointer cannot be moved: what it points at has no size");
  index = node_convert(parser, index, type_scalar(KIND_LONG));
  if (index && subtract)
    index = node_unary(parser, NODE_NEGATE, index, index->start);
  if (!index)
    return NULL;
  Node *node = node_new(parser, NODE_POINTER_ADD, pointer->type, start, end, pointer, index, NULL);
  if (node)
    node->integer = (gint64)pointer->type->of->size;
  return node;
}

static Node *
subtract_pointers(Parser *parser, Node *a, Node *b) {
  if (!type_equal(a->type, b->type))
    return fail_at(parser, b, "these pointers point to different types");
  if (a->type->of->size == 0)
    return fail_at(parser, a, "these pointers have no distance: what they point at has no size");
  Node *node =
      node_new(parser, NODE_POINTER_DIFF, type_scalar(KIND_LONG), a->start, b->end, a, b, NULL);
  if (node)
    node->integer = (gint64)a->type->of->size;
  return node;
}

Node *
node_binary(Parser *parser, Operator op, Node *a, Node *b) {
  a = node_value(parser, a);
  b = a ? node_value(parser, b) : NULL;
  if (!b)
    return NULL;
  gboolean compares = op >= OPERATOR_LT;
  gboolean a_points = a->type->kind == KIND_POINTER, b_points = b->type->kind == KIND_POINTER;
  if (a_points && b_points && op == OPERATOR_SUB)
    return subtract_pointers(parser, a, b);
  if (a_points && !b_points && (op == OPERATOR_ADD || op == OPERATOR_SUB))
    return add_to_pointer(parser, a, b, op == OPERATOR_SUB, a->start, b->end);
  if (b_points && !a_points && op == OPERATOR_ADD)
    return add_to_pointer(parser, b, a, FALSE, a->start, b->end);

  const Type *type;
  if (compares && (a_points || b_points)) {
    type = a_points ? a->type : b->type;
    a = node_convert(parser, a, type);
    b = a ? node_convert(parser, b, type) : NULL;
  } else {
    gboolean whole = op >= OPERATOR_MOD && op <= OPERATOR_XOR;
    if (!type_is_arithmetic(a->type) || !type_is_arithmetic(b->type) ||
        (whole && (type_is_real(a->type) || type_is_real(b->type))))
      return parser_fail(
          parser, a->start, "'%s' does not take %s and %s%s", kernel_operator_text(op),
          type_describe(parser->pool, a->type), type_describe(parser->pool, b->type),
          a->type->kind == KIND_VECTOR || b->type->kind == KIND_VECTOR ? ": use its members" : "");
    gboolean shifts = op == OPERATOR_SHL || op == OPERATOR_SHR;
    type = shifts ? type_promote(a->type) : type_common(a->type, b->type);
    a = node_convert(parser, a, type);
    b = a ? node_convert(parser, b, shifts ? type_scalar(KIND_UINT) : type) : NULL;
  }
  if (!b)
    return NULL;
  Node *node = node_new(parser, NODE_BINARY, compares ? type_scalar(KIND_BOOL) : type, a->start,
                        b->end, a, b, NULL);
  if (!node)
    return NULL;
  node->op = (guint8)op;
  if (a->kind == NODE_CONSTANT && b->kind == NODE_CONSTANT)
    kernel_fold_binary(node);
  return node;
}

Node *
node_unary(Parser *parser, NodeKind kind, Node *a, guint32 start) {
  a = kind == NODE_NOT ? node_condition(parser, a) : node_value(parser, a);
  if (!a)
    return NULL;
  gboolean fits = kind == NODE_COMPLEMENT ? type_is_integer(a->type) : type_is_arithmetic(a->type);
  if (!fits)
    return parser_fail(parser, start, "'%s' does not take a %s",
                       kind == NODE_COMPLEMENT ? "~" : "-", type_describe(parser->pool, a->type));
  const Type *type = kind == NODE_NOT ? type_scalar(KIND_BOOL) : type_promote(a->type);
  a = kind == NODE_NOT ? a : node_convert(parser, a, type);
  Node *node = a ? node_new(parser, kind, type, start, a->end, a, NULL, NULL) : NULL;
  if (node && a->kind == NODE_CONSTANT)
    kernel_fold_unary(node);
  return node;
}

Node *
node_logical(Parser *parser, NodeKind kind, Node *a, Node *b) {
  a = node_condition(parser, a);
  b = a ? node_condition(parser, b) : NULL;
  if (!b)
    return NULL;
  if (a->kind == NODE_CONSTANT && b->kind == NODE_CONSTANT)
    return node_integer(parser, type_scalar(KIND_BOOL),
                        kind == NODE_AND_THEN ? a->integer && b->integer : a->integer || b->integer,
                        a->start, b->end);
  return node_new(parser, kind, type_scalar(KIND_BOOL), a->start, b->end, a, b, NULL);
}

Node *
node_choice(Parser *parser, Node *condition, Node *yes, Node *no) {
  condition = node_condition(parser, condition);
  yes = condition ? node_value(parser, yes) : NULL;
  no = yes ? node_value(parser, no) : NULL;
  if (!no)
    return NULL;
  const Type *type = yes->type;
  if (type_is_arithmetic(yes->type) && type_is_arithmetic(no->type))
    type = yes->type == no->type ? yes->type : type_common(yes->type, no->type);
  else if (no->type->kind == KIND_POINTER && yes->type->kind != KIND_POINTER)
    type = no->type;
  yes = node_convert(parser, yes, type);
  no = yes ? node_convert(parser, no, type) : NULL;
  if (!no)
    return NULL;
  if (condition->kind == NODE_CONSTANT)
    return condition->integer ? yes : no;
  return node_new(parser, NODE_CHOICE, type, condition->start, no->end, condition, yes, no);
}

Node *
node_dereference(Parser *parser, Node *pointer, guint32 start, guint32 end) {
  if (pointer->type->kind != KIND_POINTER)
    return parser_fail(parser, start, "a %s is no pointer or array",
                       type_describe(parser->pool, pointer->type));
  if (pointer->type->of->kind == KIND_VOID)
    return parser_fail(parser, start, "a void pointer points at nothing that has a value");
  return node_new(parser, NODE_DEREFERENCE, pointer->type->of, start, end, pointer, NULL, NULL);
}

Node *
node_index(Parser *parser, Node *base, Node *index, guint32 end) {
  guint32 start = base->start;
  base = node_value(parser, base);
  index = base ? node_value(parser, index) : NULL;
  if (!index)
    return NULL;
  if (base->type->kind != KIND_POINTER)
    return parser_fail(parser, start, "a %s cannot be indexed",
                       type_describe(parser->pool, base->type));
  Node *address = add_to_pointer(parser, base, index, FALSE, start, end);
  return address ? node_dereference(parser, address, start, end) : NULL;
}

Node *
node_member(Parser *parser, Node *base, const Token *name) {
  static const char letters[] = "xyzw";
  const char *letter =
      name->kind == TOKEN_NAME && name->length == 1 ? strchr(letters, name->text[0]) : NULL;
  guint component = letter ? (guint)(letter - letters) : G_MAXUINT;
  if (base->type->kind != KIND_VECTOR || component >= base->type->count)
    return parser_fail(parser, name->start, "a %s has no member '%.*s'",
                       type_describe(parser->pool, base->type), (int)name->length, name->text);
  const Type *type = base->type->of;
  if (base->kind != NODE_DEREFERENCE) {
    Node *node = node_new(parser, NODE_COMPONENT, type, base->start, name->end, base, NULL, NULL);
    if (node)
      node->component = (guint8)component;
    return node;
  }
  // A member of a vector in memory is memory itself: only its bytes are moved.
  const Type *pointer = type_pointer(parser->pool, type);
  Node *cast = node_new(parser, NODE_CAST, pointer, base->start, name->end, base->a, NULL, NULL);
  Node *index =
      cast ? node_integer(parser, type_scalar(KIND_INT), component, name->start, name->end) : NULL;
  Node *address = index ? add_to_pointer(parser, cast, index, FALSE, base->start, name->end) : NULL;
  return address ? node_dereference(parser, address, base->start, name->end) : NULL;
}

Node *
node_address(Parser *parser, Node *node, guint32 start) {
  if (node->kind == NODE_LOCAL || node->kind == NODE_COMPONENT)
    return parser_fail(parser, start,
                       "the address of a local variable is outside the subset: only "
                       "arrays have one");
  if (node->kind != NODE_DEREFERENCE)
    return parser_fail(parser, start, "'&' takes something that lies in memory");
  const Type *pointer = type_pointer(parser->pool, node->type);
  return node_new(parser, NODE_CAST, pointer, start, node->end, node->a, NULL, NULL);
}

static gpointer
refuse_const(Parser *parser, const Node *target, const char *name) {
  return parser_fail(parser, target->start, "'%s' is const: it cannot be assigned to", name);
}

static gpointer
refuse_target(Parser *parser, const Node *target, const Node *place) {
  if (place->kind == NODE_CONSTANT && place->variable)
    return refuse_const(parser, target, place->variable->name);
  return parser_fail(parser, target->start, "this cannot be assigned to");
}

Node *
node_assign(Parser *parser, Node *target, gint op, Node *value, gboolean is_post, guint32 start,
            guint32 end) {
  const Node *place = target->kind == NODE_COMPONENT ? target->a : target;
  if (place->kind != NODE_LOCAL && place->kind != NODE_DEREFERENCE)
    return refuse_target(parser, target, place);
  if (place->kind == NODE_LOCAL && place->variable->is_const)
    return refuse_const(parser, target, place->variable->name);
  if (target->type->kind == KIND_ARRAY)
    return fail_at(parser, target, "an array cannot be assigned to");
  if (op >= 0) {
    if (target->kind == NODE_DEREFERENCE &&
        !node_add_site(parser, target, SMB_OP_CLASS_LOAD, &target->load_site))
      return NULL;
    Node *current =
        node_new(parser, NODE_CURRENT, target->type, target->start, target->end, NULL, NULL, NULL);
    value = current ? node_binary(parser, (Operator)op, current, value) : NULL;
  }
  gboolean narrows = value && op >= 0 && type_is_arithmetic(value->type);
  value = !value    ? NULL
          : narrows ? node_cast(parser, value, target->type, value->start)
                    : node_convert(parser, value, target->type);
  if (!value)
    return NULL;
  if (target->kind == NODE_DEREFERENCE &&
      !node_add_site(parser, target, SMB_OP_CLASS_STORE, &target->store_site))
    return NULL;
  Node *node = node_new(parser, NODE_ASSIGN, target->type, start, end, target, value, NULL);
  if (node) {
    node->is_post = is_post != 0;
    node->special = op >= 0; // the old value is read
  }
  return node;
}
