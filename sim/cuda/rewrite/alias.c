// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Pointers and references that are other names of an array: local variables and parameters of functions, all of whose values are addresses in
// it. What part of it they point at is not looked at here (pointer.c).
#include "sim/cuda/rewrite/mention.h"

// @pointers: Variable → GPtrArray of Node: what a pointer is set to
static void
note_value(GHashTable *pointers, const Variable *pointer, const Node *value) {
  if (!pointer || pointer->type->kind != KIND_POINTER)
    return;
  GPtrArray *values = g_hash_table_lookup(pointers, pointer);
  if (!values) {
    values = g_ptr_array_new();
    g_hash_table_insert(pointers, (gpointer)pointer, values);
  }
  g_ptr_array_add(values, (gpointer)value);
}

static void
note_values(gpointer data, const Node *node) {
  if (!node)
    return;
  if (node->kind == NODE_ASSIGN && node->a->kind == NODE_LOCAL)
    note_value(data, node->a->variable, node->b);
  if (node->kind == NODE_CALL) {
    for (guint i = 0; i < node->n_arguments && i < node->function->n_parameters; i++)
      note_value(data, node->function->parameters[i], node->arguments[i]);
  }
  smb_node_visit_parts(node, note_values, data);
}

static void
note_function_values(gpointer pointers, const Function *function) {
  smb_statement_visit(function->body, note_values, pointers);
}

// Whether an address is made of that of the array, of a pointer that may be one of its names, or of what the pointer that it is for had before.
static gboolean
is_made_of(const GHashTable *values, const Variable *array, const Node *address) {
  while (address->kind == NODE_POINTER_ADD || address->kind == NODE_CAST)
    address = address->a;
  return address->kind == NODE_CURRENT ||
         ((address->kind == NODE_OBJECT || address->kind == NODE_LOCAL) &&
          address->variable == array) ||
         (address->kind == NODE_LOCAL &&
          g_hash_table_contains((GHashTable *)values, address->variable));
}

// Takes out the pointers that have other values as well. Returns: whether there were any
static gboolean
drop_others(GHashTable *values, const Variable *array) {
  g_autoptr(GPtrArray) others = g_ptr_array_new();
  GHashTableIter iter;
  gpointer pointer, list;
  g_hash_table_iter_init(&iter, values);
  while (g_hash_table_iter_next(&iter, &pointer, &list)) {
    const GPtrArray *all = list;
    gboolean inside = TRUE;
    for (guint i = 0; inside && i < all->len; i++)
      inside = is_made_of(values, array, g_ptr_array_index(all, i));
    if (!inside)
      g_ptr_array_add(others, pointer);
  }
  for (guint i = 0; i < others->len; i++)
    g_hash_table_remove(values, g_ptr_array_index(others, i));
  return others->len > 0;
}

void
smb_aliases_drop(GHashTable *aliases, const Variable *array, const Variable *pointer) {
  g_hash_table_remove(aliases, pointer);
  while (drop_others(aliases, array))
    continue;
}

GHashTable *
smb_kernel_aliases(const SmbKernel *kernel, const Variable *array) {
  GHashTable *pointers = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_ptr_array_unref);
  smb_function_visit_all(kernel->entry, note_function_values, pointers);
  for (guint i = 0; i < kernel->entry->n_parameters; i++) // whose first value is that of the launch
    g_hash_table_remove(pointers, kernel->entry->parameters[i]);
  while (drop_others(pointers, array))
    continue;
  return pointers;
}
