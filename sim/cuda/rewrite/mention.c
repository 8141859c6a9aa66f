// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/cuda/rewrite/mention.h"

#include <string.h>

typedef struct {
  const Variable *variable;
  const GArray *carved;     // Carved
  GHashTable *aliases;      // Variable; or NULL
  const Function *function; // that is looked at
  GArray *mentions;
} Walk;

// What is done with an address. @width: bytes that are accessed there; @text, @is_address, @is_compared: as of a Mention.
typedef struct {
  gsize width;
  const Node *text;
  gboolean is_address;
  gboolean is_compared;
} Use;

static void visit(Walk *walk, const Node *node, const Use *use);

static void
visit_value(Walk *walk, const Node *node) {
  visit(walk, node, &(Use){0});
}

static gboolean
is_other_name(const Walk *walk, const Variable *pointer) {
  return walk->aliases && g_hash_table_contains(walk->aliases, pointer);
}

static gboolean
is_meant(const Walk *walk, const Variable *variable) {
  return variable == walk->variable || is_other_name(walk, variable);
}

// The variable that an address is made of, if that can be one that is looked for.
static const Node *
find_root(const Walk *walk, const Node *node) {
  while (node && (node->kind == NODE_POINTER_ADD || node->kind == NODE_CAST))
    node = node->a;
  gboolean is_pointer = node && node->kind == NODE_LOCAL && is_meant(walk, node->variable);
  return is_pointer || (node && node->kind == NODE_OBJECT) ? node : NULL;
}

// Whether a node sets one of the pointers that carve up an array.
static gboolean
is_carving(const Walk *walk, const Node *node) {
  for (guint i = 0; walk->carved && i < walk->carved->len; i++) {
    if (g_array_index(walk->carved, Carved, i).assigned == node)
      return TRUE;
  }
  return FALSE;
}

// An address that starts from the variable: from its last step down to the variable.
static void
take_mention(Walk *walk, const Node *address, const Node *object, const Use *use) {
  Mention mention = {.object = object,
                     .function = walk->function,
                     .width = use->width,
                     .text = use->text,
                     .is_address = use->is_address,
                     .is_compared = use->is_compared};
  for (const Node *node = address; node != object; node = node->a) {
    if (node->kind != NODE_POINTER_ADD)
      continue;
    visit_value(walk, node->b);
    mention.n_steps++;
  }
  guint at = mention.n_steps;
  for (const Node *node = address; node != object; node = node->a) {
    if (node->kind == NODE_POINTER_ADD && --at < MENTION_MAX_STEPS)
      mention.steps[at] = (AddressStep){(guint64)node->integer, node->b};
  }
  g_array_append_val(walk->mentions, mention);
}

// Whether an address is made of the value that a pointer has: that of "p += 4".
static gboolean
is_moved(const Node *address) {
  while (address->kind == NODE_POINTER_ADD || address->kind == NODE_CAST)
    address = address->a;
  return address->kind == NODE_CURRENT;
}

// The value that @pointer, the node @target, gets, which is another name of the variable. A reference is set to what its text is, a pointer to
// the address that its text is.
static void
visit_name(Walk *walk, const Variable *pointer, const Node *target, const Node *value) {
  guint before = walk->mentions->len;
  visit(walk, value, &(Use){.text = value, .is_address = !pointer->is_reference});
  for (guint i = before; i < walk->mentions->len; i++) {
    Mention *mention = &g_array_index(walk->mentions, Mention, i);
    if (mention->object == find_root(walk, value))
      mention->names = pointer;
  }
  if (!target || !is_moved(value))
    return;
  Mention moved = {.object = target, .function = walk->function, .n_steps = 1, .names = pointer};
  moved.steps[0] = (AddressStep){pointer->type->of->size, value};
  g_array_append_val(walk->mentions, moved);
}

static gboolean
is_atomic(const Node *node) {
  return node->kind == NODE_BUILTIN && node->store_site >= 0;
}

static gboolean
compares(const Node *node) {
  return node->kind == NODE_POINTER_DIFF ||
         (node->kind == NODE_BINARY && node->a->type->kind == KIND_POINTER);
}

static void
visit_arguments(Walk *walk, const Node *node) {
  for (guint i = 0; i < node->n_arguments; i++) {
    const Node *argument = node->arguments[i];
    const Variable *parameter = node->kind == NODE_CALL && i < node->function->n_parameters
                                    ? node->function->parameters[i]
                                    : NULL;
    if (parameter && is_other_name(walk, parameter))
      visit_name(walk, parameter, NULL, argument);
    else if (i == 0 && is_atomic(node))
      visit(walk, argument,
            &(Use){.width = node->type->size, .text = argument, .is_address = TRUE});
    else
      visit_value(walk, argument);
  }
}

// @use: of the node's value, if that is an address
static void
visit(Walk *walk, const Node *node, const Use *use) {
  if (!node || is_carving(walk, node))
    return;
  const Node *object = find_root(walk, node);
  if (object) {
    if (is_meant(walk, object->variable))
      take_mention(walk, node, object, use);
    else
      for (; node != object; node = node->a)
        visit_value(walk, node->b);
    return;
  }
  if (node->kind == NODE_ASSIGN && node->a->kind == NODE_LOCAL &&
      is_other_name(walk, node->a->variable)) {
    visit_name(walk, node->a->variable, node->a, node->b);
    return;
  }
  Use inner = {.is_compared = compares(node)};
  if (node->kind == NODE_COPY)
    inner.width = node->type->of->size;
  Use first = inner;
  if (node->kind == NODE_DEREFERENCE)
    first = (Use){.width = node->type->size, .text = node};
  visit(walk, node->a, &first);
  visit(walk, node->b, &inner);
  visit_value(walk, node->c);
  visit_arguments(walk, node);
}

static void
visit_evaluated(gpointer walk, const Node *node) {
  visit_value(walk, node);
}

static void
visit_function(gpointer data, const Function *function) {
  Walk *walk = data;
  walk->function = function;
  smb_statement_visit(function->body, visit_evaluated, walk);
}

static int
compare_mentions(gconstpointer a, gconstpointer b) {
  const Node *x = ((const Mention *)a)->object, *y = ((const Mention *)b)->object;
  gint by_start = (x->start > y->start) - (x->start < y->start);
  return by_start ? by_start : (x->spelled > y->spelled) - (x->spelled < y->spelled);
}

GArray *
smb_kernel_mentions(const SmbKernel *kernel, const Variable *variable, const GArray *carved,
                    GHashTable *aliases) {
  Walk walk = {variable, carved, aliases, NULL, g_array_new(FALSE, FALSE, sizeof(Mention))};
  smb_function_visit_all(kernel->entry, visit_function, &walk);
  g_array_sort(walk.mentions, compare_mentions);
  // Instances of one function mention it at the same place of the text.
  for (guint i = walk.mentions->len; i-- > 1;) {
    if (compare_mentions(&g_array_index(walk.mentions, Mention, i - 1),
                         &g_array_index(walk.mentions, Mention, i)) == 0)
      g_array_remove_index(walk.mentions, i);
  }
  return walk.mentions;
}

gboolean
smb_kernel_is_pure(const Node *node) {
  return !node ||
         (node->kind < NODE_DEREFERENCE && node->n_arguments == 0 && smb_kernel_is_pure(node->a) &&
          smb_kernel_is_pure(node->b) && smb_kernel_is_pure(node->c));
}

const Variable *
smb_kernel_array_variable(const SmbKernel *kernel, const SmbArray *array) {
  const char *name = array->variable ? array->variable : array->name;
  const GPtrArray *variables = array->is_carved ? kernel->locals : kernel->objects;
  for (guint i = 0; i < variables->len; i++) {
    const Variable *variable = g_ptr_array_index(variables, i);
    guint line, column;
    smb_source_locate(kernel->program.source, variable->start, &line, &column);
    if (line == array->line && column == array->column && strcmp(variable->name, name) == 0)
      return variable;
  }
  g_return_val_if_reached(NULL);
}
