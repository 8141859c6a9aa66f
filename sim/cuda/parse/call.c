// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Calls: of __device__ functions, of what is built in, and of make_float4 and its kin.
#include <string.h>

#include "sim/cuda/parse/parse.h"

// What the arguments of a builtin must be.
typedef enum {
  GROUP_COMMON,   // arithmetic, converted to a common type
  GROUP_FLOAT,    // float
  GROUP_DOUBLE,   // double
  GROUP_UNSIGNED, // unsigned int, giving the same, and so on
  GROUP_LONG,
  GROUP_UNSIGNED_LONG,
  GROUP_BITS,      // unsigned int, giving int
  GROUP_LOAD,      // a pointer; gives what it points at
  GROUP_BARRIER,   // none
  GROUP_FENCE,     // any; does nothing in lockstep
  GROUP_SHUFFLE,   // mask, value, lane, width = warpSize
  GROUP_LANE,      // value, lane
  GROUP_LONG_BITS, // unsigned long long, giving int
  GROUP_VOTE,      // mask, condition; gives what the lanes of a warp say together
  GROUP_ATOMIC,    // a pointer to a 32- or 64-bit number, then values of its type
} Group;

static const struct {
  const char *name;
  guint arguments;
  Group group;
} builtins[] = {
#define SMB_BUILTIN(id, name, arguments, group, operation) {name, arguments, GROUP_##group},
#include "sim/cuda/builtin/builtin.def"
#undef SMB_BUILTIN
};

// HIP's functions on a whole wave have no mask: __shfl() is __shfl_sync() of all lanes.
static gboolean
lacks_mask(const Token *name, Group group) {
  return (group == GROUP_SHUFFLE || group == GROUP_VOTE) && !g_str_has_suffix(name->text, "_sync");
}

static gint
find_builtin(const Token *name) {
  for (guint i = 0; i < G_N_ELEMENTS(builtins); i++) {
    if (smb_token_is(name, builtins[i].name))
      return (gint)i;
    gsize length = strlen(builtins[i].name) - MIN(strlen(builtins[i].name), strlen("_sync"));
    if (lacks_mask(name, builtins[i].group) && strlen(name->text) == length &&
        strncmp(name->text, builtins[i].name, length) == 0)
      return (gint)i;
  }
  return -1;
}

// arguments = "(" (assignment ("," assignment)*)? ")"
static Node **
parse_arguments(Parser *parser, guint *n) {
  Node *arguments[MAX_ARGUMENTS];
  *n = 0;
  if (!smb_parser_expect(parser, "("))
    return NULL;
  while (!smb_parser_is(parser, ")")) {
    if (*n == MAX_ARGUMENTS)
      return smb_parser_fail(parser, parser->at->start, "a call has at most %d arguments",
                             MAX_ARGUMENTS);
    if (*n > 0 && !smb_parser_expect(parser, ","))
      return NULL;
    arguments[*n] = smb_parse_assignment(parser);
    if (!arguments[*n])
      return NULL;
    (*n)++;
  }
  smb_parser_advance(parser);
  // One more for where a result is put.
  Node **copy = smb_kernel_pool_alloc(parser->pool, (*n + 1) * sizeof *copy);
  memcpy(copy, arguments, *n * sizeof *copy);
  return copy;
}

static Node *
make_call(Parser *parser, NodeKind kind, const Type *type, const Token *name, Node **arguments,
          guint n) {
  guint depth = 0;
  for (guint i = 0; i < n; i++)
    depth = MAX(depth, (guint)arguments[i]->depth);
  Node *node = smb_node_leaf(parser, kind, type, name->start, parser->last->end);
  node->arguments = arguments;
  node->n_arguments = n;
  return smb_node_set_depth(parser, node, depth + 1) ? node : NULL;
}

gboolean
smb_parser_convert(Parser *parser, Node **arguments, guint first, guint n, const Type *type) {
  for (guint i = first; i < n; i++) {
    arguments[i] = smb_node_convert(parser, arguments[i], type);
    if (!arguments[i])
      return FALSE;
  }
  return TRUE;
}

gboolean
smb_parser_evaluate(Parser *parser, Node **arguments, guint n) {
  for (guint i = 0; i < n; i++) {
    arguments[i] = smb_node_value(parser, arguments[i]);
    if (!arguments[i])
      return FALSE;
  }
  return TRUE;
}

// make_float4(x, y, z, w)
Node *
smb_parser_make_vector(Parser *parser, const Token *name, const Type *type, Node **arguments,
                       guint n) {
  if (!smb_parser_check_count(parser, name, type->count, n) ||
      !smb_parser_convert(parser, arguments, 0, n, type->of))
    return NULL;
  return make_call(parser, NODE_MAKE_VECTOR, type, name, arguments, n);
}

// What is passed for a parameter. A structure is passed by the address of a copy.
static Node *
bind_argument(Parser *parser, const Formal *formal, Node *argument) {
  if (formal->kind == BIND_VALUE)
    return smb_node_convert(parser, argument, formal->type);
  if (!formal->is_reference) {
    Node *copy = smb_node_temporary(parser, formal->type, argument->start, argument->end);
    argument = smb_node_set(parser, copy, argument, argument->start, argument->end);
  }
  return argument ? smb_node_address(parser, argument, argument->start) : NULL;
}

static Node *
call_function(Parser *parser, const Token *name, Item *item, const TemplateArguments *given,
              Node **arguments, guint n) {
  TemplateArguments all = given ? *given : (TemplateArguments){0};
  if (item->parameters && !smb_parser_deduce(parser, name, item, arguments, n, &all))
    return NULL;
  if (item->parameters)
    given = &all;
  const Function *function = smb_parser_read_function(parser, item, given, arguments, n);
  if (!function || !smb_parser_check_count(parser, name, function->n_formals, n))
    return NULL;
  guint n_passed = 0;
  for (guint i = 0; i < n; i++) {
    const Formal *formal = &function->formals[i];
    if (formal->kind == BIND_ALIAS)
      continue;
    Node *value = bind_argument(parser, formal, arguments[i]);
    if (!value)
      return NULL;
    arguments[n_passed++] = value;
  }
  Node *result = NULL;
  const Type *type = function->type;
  if (type->kind == KIND_STRUCT) {
    result = smb_node_temporary(parser, type, name->start, parser->last->end);
    type = smb_type_scalar(KIND_VOID);
    arguments[n_passed++] = smb_node_address(parser, result, name->start);
    if (!arguments[n_passed - 1])
      return NULL;
  }
  Node *node = make_call(parser, NODE_CALL, type, name, arguments, n_passed);
  if (!node)
    return NULL;
  node->function = function;
  parser->n_touches++;
  if (!smb_node_set_depth(parser, node, MAX((guint)node->depth, function->height + 1)))
    return NULL;
  smb_parser_link(parser, &parser->function->callees, function);
  return result ? smb_node_after(parser, node, result) : node;
}

const char *
smb_kernel_builtin_name(Builtin builtin) {
  return builtins[builtin].name;
}

// Whether CUDA C has an atomic on a type (CUDA C++ Programming Guide, Atomic Functions); signed 64-bit
// integers stand for unsigned ones.
static gboolean
has_atomic(Builtin builtin, const Type *type) {
  if (builtin == BUILTIN_ATOMIC_INC || builtin == BUILTIN_ATOMIC_DEC)
    return type->kind == KIND_UINT;
  if (type->kind == KIND_INT || type->kind == KIND_UINT)
    return TRUE;
  if (type->kind == KIND_LONG || type->kind == KIND_ULONG)
    return builtin != BUILTIN_ATOMIC_SUB;
  if (type->kind == KIND_FLOAT)
    return builtin == BUILTIN_ATOMIC_ADD || builtin == BUILTIN_ATOMIC_EXCH;
  return type->kind == KIND_DOUBLE && builtin == BUILTIN_ATOMIC_ADD;
}

static Node *
make_builtin(Parser *parser, const Token *name, Builtin builtin, const Type *type, Node **arguments,
             guint n) {
  Node *node = make_call(parser, NODE_BUILTIN, type, name, arguments, n);
  if (node)
    node->builtin = builtin;
  return node;
}

static Node *
make_atomic(Parser *parser, const Token *name, Builtin builtin, Node **arguments, guint n) {
  Node *pointer = arguments[0] = smb_node_value(parser, arguments[0]);
  if (!pointer)
    return NULL;
  const Type *type = pointer->type->kind == KIND_POINTER ? pointer->type->of : pointer->type;
  if (pointer->type->kind != KIND_POINTER || !has_atomic(builtin, type))
    return smb_parser_fail(parser, pointer->start, "%s does not take %s", name->text,
                           smb_type_phrase(parser->pool, pointer->type));
  if (!smb_parser_convert(parser, arguments, 1, n, type))
    return NULL;
  const Variable *root = smb_node_root(pointer);
  if (!root || !storage_is_shared(root->storage))
    parser->function->meets_in_globals = TRUE;
  Node *node = make_builtin(parser, name, builtin, type, arguments, n);
  // The site shows the call; what is moved is what the pointer points at.
  if (node)
    smb_node_add_site(parser, node, SMB_OP_CLASS_ATOMIC, &node->store_site);
  return node;
}

// What names the lanes of a warp: 32 bits in CUDA, 64 where a warp has as many lanes (as in HIP).
static const Type *
mask_type(const Parser *parser) {
  return smb_type_scalar(parser->kernel->program.lanes > 32 ? KIND_ULONG : KIND_UINT);
}

static Node *
make_shuffle(Parser *parser, const Token *name, Builtin builtin, Node **arguments, guint n) {
  if (!smb_parser_evaluate(parser, arguments, n))
    return NULL;
  const Type *type = smb_type_promote(arguments[1]->type);
  if (!smb_type_is_arithmetic(type))
    return smb_parser_fail(parser, arguments[1]->start, "%s cannot be shuffled",
                           smb_type_phrase(parser->pool, type));
  if (!smb_parser_convert(parser, arguments, 0, 1, mask_type(parser)) ||
      !smb_parser_convert(parser, arguments, 1, 2, type) ||
      !smb_parser_convert(parser, arguments, 2, n, smb_type_scalar(KIND_INT)))
    return NULL;
  Node *node = make_builtin(parser, name, builtin, type, arguments, n);
  smb_node_add_site(parser, node, SMB_OP_CLASS_LOAD, &node->load_site);
  return node;
}

// What one lane has, for all (v_readlane_b32), which has nothing to do with shared memory.
static Node *
make_readlane(Parser *parser, const Token *name, Builtin builtin, Node **arguments, guint n) {
  if (!smb_parser_evaluate(parser, arguments, n))
    return NULL;
  const Type *type = smb_type_promote(arguments[0]->type);
  if (!smb_type_is_arithmetic(type))
    return smb_parser_fail(parser, arguments[0]->start, "'%s' does not take %s", name->text,
                           smb_type_phrase(parser->pool, type));
  if (!smb_parser_convert(parser, arguments, 0, 1, type) ||
      !smb_parser_convert(parser, arguments, 1, n, smb_type_scalar(KIND_INT)))
    return NULL;
  return make_builtin(parser, name, builtin, type, arguments, n);
}

// A vote, with the conditions of the lanes as its last argument.
static Node *
make_vote(Parser *parser, const Token *name, Builtin builtin, Node **arguments, guint n) {
  gboolean is_mask = builtin == BUILTIN_BALLOT || builtin == BUILTIN_ACTIVEMASK;
  gboolean is_hip = smb_kernel_macros_is_hip(parser->kernel->macros);
  if (is_mask && !is_hip && parser->kernel->program.lanes > 32)
    return smb_parser_fail(parser, name->start, "'%s' gives 32 bits, too few for warps of %u lanes",
                           name->text, parser->kernel->program.lanes);
  for (guint i = 0; i < n; i++) {
    arguments[i] = i + 1 == n ? smb_node_condition(parser, arguments[i])
                              : smb_node_convert(parser, arguments[i], mask_type(parser));
    if (!arguments[i])
      return NULL;
  }
  TypeKind kind = !is_mask ? KIND_INT : is_hip ? KIND_ULONG : KIND_UINT;
  return make_builtin(parser, name, builtin, smb_type_scalar(kind), arguments, n);
}

// What functions of a group compute with, whatever they are given.
static const Type *
group_type(Group group) {
  return smb_type_scalar(group == GROUP_FLOAT                             ? KIND_FLOAT
                         : group == GROUP_DOUBLE                          ? KIND_DOUBLE
                         : group == GROUP_LONG                            ? KIND_LONG
                         : group == GROUP_BITS || group == GROUP_UNSIGNED ? KIND_UINT
                                                                          : KIND_ULONG);
}

static Node *
make_arithmetic(Parser *parser, const Token *name, Builtin builtin, Group group, Node **arguments,
                guint n) {
  if (!smb_parser_evaluate(parser, arguments, n))
    return NULL;
  for (guint i = 0; i < n; i++) {
    if (!smb_type_is_arithmetic(arguments[i]->type))
      return smb_parser_fail(parser, arguments[i]->start, "'%s' does not take %s", name->text,
                             smb_type_phrase(parser->pool, arguments[i]->type));
  }
  const Type *type = smb_type_promote(arguments[0]->type);
  for (guint i = 1; i < n; i++)
    type = smb_type_common(type, arguments[i]->type);
  if (group != GROUP_COMMON)
    type = group_type(group);
  if (!smb_parser_convert(parser, arguments, 0, n, type))
    return NULL;
  const Type *result = smb_type_is_unsigned(type) &&
                               (group == GROUP_BITS || group == GROUP_LONG_BITS) &&
                               builtin != BUILTIN_BREV && builtin != BUILTIN_BREVLL
                           ? smb_type_scalar(KIND_INT)
                           : type;
  return make_builtin(parser, name, builtin, result, arguments, n);
}

Node *
smb_node_function(Parser *parser, const Token *name, Builtin builtin, Node **arguments, guint n) {
  return make_arithmetic(parser, name, builtin, GROUP_COMMON, arguments, n);
}

Node *
smb_parse_pair(Parser *parser, const Token *name, const Type *type) {
  guint n;
  Node **arguments = parse_arguments(parser, &n);
  return arguments ? smb_parser_make_vector(parser, name, type, arguments, n) : NULL;
}

Node *
smb_node_minimum(Parser *parser, Node *a, gint64 number) {
  static const Token name = {.text = "min", .kind = TOKEN_NAME};
  Node **arguments = smb_kernel_pool_alloc(parser->pool, 2 * sizeof *arguments);
  arguments[0] = a;
  arguments[1] = smb_node_integer(parser, a->type, number, a->start, a->end);
  return smb_node_function(parser, &name, BUILTIN_MIN, arguments, 2);
}

Node *
smb_parser_make_barrier(Parser *parser, const Token *name) {
  return make_builtin(parser, name, BUILTIN_SYNCTHREADS, smb_type_scalar(KIND_VOID), NULL, 0);
}

// Puts a mask of all lanes in front of the arguments. NULL: the text is no HIP, where such a function has a mask.
static Node **
add_mask(Parser *parser, const Token *name, Node **arguments, guint *n) {
  if (!smb_kernel_macros_is_hip(parser->kernel->macros)) {
    smb_parser_fail(parser, name->start, "unknown function '%s': CUDA has %s_sync(), with a mask",
                    name->text, name->text);
    return NULL;
  }
  Node **all = smb_kernel_pool_alloc(parser->pool, (*n + 1) * sizeof *all);
  all[0] = smb_node_integer(parser, mask_type(parser), -1, name->start, name->end);
  memcpy(all + 1, arguments, *n * sizeof *all);
  ++*n;
  return all;
}

static Node *
call_builtin(Parser *parser, const Token *name, Node **arguments, guint n) {
  Builtin builtin = (Builtin)find_builtin(name);
  Group group = builtins[builtin].group;
  guint wanted = builtins[builtin].arguments;
  if (wanted > 0 && lacks_mask(name, group) && !(arguments = add_mask(parser, name, arguments, &n)))
    return NULL;
  gboolean optional = group == GROUP_SHUFFLE || builtin == BUILTIN_SYNCWARP;
  if (!(optional && n + 1 == wanted) && !smb_parser_check_count(parser, name, wanted, n))
    return NULL;
  switch (group) {
  case GROUP_ATOMIC:
    return make_atomic(parser, name, builtin, arguments, n);
  case GROUP_SHUFFLE:
    return make_shuffle(parser, name, builtin, arguments, n);
  case GROUP_LANE:
    return make_readlane(parser, name, builtin, arguments, n);
  case GROUP_VOTE:
    return make_vote(parser, name, builtin, arguments, n);
  case GROUP_LOAD: {
    Node *pointer = smb_node_value(parser, arguments[0]);
    return smb_node_dereference(parser, pointer, name->start, parser->last->end);
  }
  case GROUP_BARRIER:
  case GROUP_FENCE:
    return smb_parser_evaluate(parser, arguments, n)
               ? make_builtin(parser, name, builtin, smb_type_scalar(KIND_VOID), arguments, n)
               : NULL;
  case GROUP_COMMON:
  case GROUP_FLOAT:
  case GROUP_DOUBLE:
  case GROUP_UNSIGNED:
  case GROUP_LONG:
  case GROUP_UNSIGNED_LONG:
  case GROUP_BITS:
  case GROUP_LONG_BITS:
    return make_arithmetic(parser, name, builtin, group, arguments, n);
  }
  g_assert_not_reached();
}

static gboolean
is_builtin(const Token *name) {
  return find_builtin(name) >= 0;
}

// The functions that are built in.
static const struct {
  gboolean (*is_name)(const Token *name);
  Node *(*call)(Parser *parser, const Token *name, Node **arguments, guint n);
} families[] = {
    {smb_fill_is_name, smb_fill_call}, {smb_group_is_name, smb_group_call},
    {smb_half_is_name, smb_half_call}, {smb_composition_is_name, smb_composition_call},
    {is_builtin, call_builtin},
};

// Which of them a name belongs to, or -1.
static gint
find_family(const Token *name) {
  for (guint i = 0; i < G_N_ELEMENTS(families); i++) {
    if (families[i].is_name(name))
      return (gint)i;
  }
  return -1;
}

gboolean
smb_builtin_is_name(const Token *name) {
  return find_family(name) >= 0;
}

// printf and assert: their arguments are evaluated, since they may read memory, and nothing is made of
// them.
static Node *
parse_report(Parser *parser, const Token *name) {
  guint n;
  gboolean outer = parser->in_report;
  parser->in_report = TRUE;
  Node **arguments = parse_arguments(parser, &n);
  parser->in_report = outer;
  if (!arguments || !smb_parser_evaluate(parser, arguments, n))
    return NULL;
  guint32 end = parser->last->end;
  Node *all = smb_node_integer(parser, smb_type_scalar(KIND_INT), 0, name->start, end);
  while (all && n-- > 0)
    all = smb_node_new(parser, NODE_COMMA, all->type, name->start, end, arguments[n], all, NULL);
  return all;
}

gboolean
smb_parse_starts_call(const Parser *parser, const Token *name) {
  const GPtrArray *items =
      smb_parser_is(parser, "<") ? smb_outline_find(parser->outline, name) : NULL;
  for (guint i = 0; items && i < items->len; i++) {
    const Item *item = g_ptr_array_index(items, i);
    if (item->parameters && item->kind == ITEM_FUNCTION)
      return TRUE;
  }
  return smb_parser_is(parser, "(");
}

// call = name template-arguments? arguments
Node *
smb_parse_call(Parser *parser, const Token *name) {
  guint n;
  gint family = find_family(name);
  const Type *vector = NULL;
  Item *item = NULL;
  if (g_str_has_prefix(name->text, "make_"))
    vector = smb_type_by_name(name->text + strlen("make_"));
  if (!parser->function)
    return smb_parser_fail(parser, name->start, "a call is not known before the kernel runs");
  // A function of the file comes first, unless it is the host's.
  gboolean known = family >= 0 || (vector && vector->kind == KIND_VECTOR);
  if (!smb_parser_find_function(parser, name, &item, known))
    return NULL;
  if (!item && !known && (smb_token_is(name, "printf") || smb_token_is(name, "assert")))
    return parse_report(parser, name);
  if (!item && !known)
    return smb_parser_refuse_name(parser, name, TRUE);
  TemplateArguments given;
  gboolean is_instance = smb_parser_is(parser, "<");
  if (is_instance && !smb_parse_template_arguments(parser, &given))
    return NULL;
  Node **arguments = parse_arguments(parser, &n);
  if (!arguments)
    return NULL;
  if (item)
    return call_function(parser, name, item, is_instance ? &given : NULL, arguments, n);
  return family >= 0 ? families[family].call(parser, name, arguments, n)
                     : smb_parser_make_vector(parser, name, vector, arguments, n);
}
