// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Arrays of each thread in registers: those of which only elements are used, at places that are known, and never one that some
// thread may not have set.
#include "sim/cuda/lower/impl.h"

enum {
  MAX_ELEMENTS = 512, // of an array
};

static gsize
count_array_elements(const Variable *variable) {
  const Type *leaf = smb_type_leaf(variable->type);
  return leaf && leaf->size > 0 ? variable->type->size / leaf->size : 0;
}

void
smb_lower_place_arrays(Lower *lower) {
  const SmbKernel *kernel = lower->kernel;
  // Of a program that may use little memory, what it uses is of interest.
  gboolean is_limited = kernel->program.limits.max_memory < SMB_PROGRAM_MAX_MEMORY;
  for (guint i = 0; i < kernel->objects->len; i++) {
    const Variable *variable = g_ptr_array_index(kernel->objects, i);
    gsize n = variable && variable->storage == STORAGE_PRIVATE ? count_array_elements(variable) : 0;
    lower->arrays[i] = NO_ROW;
    if (n == 0 || n > MAX_ELEMENTS || lower->in_memory[i] || is_limited)
      continue;
    lower->arrays[i] = smb_lower_take(lower, (guint)n * type_rows(smb_type_leaf(variable->type)));
    lower->elements[i] = lower->n_slots;
    lower->n_slots += (guint)n;
  }
}

void
smb_lower_put_in_memory(Lower *lower, const Variable *variable) {
  if (variable->storage != STORAGE_PRIVATE || lower->arrays[variable->slot] == NO_ROW)
    return;
  lower->asks_more = TRUE;
  // Loops around that were too long to be unrolled may be the reason.
  for (guint i = 0; i < lower->rolled->len; i++) {
    gpointer loop = g_ptr_array_index(lower->rolled, i);
    if (!g_hash_table_contains(lower->deciding, loop)) {
      g_hash_table_add(lower->decides, loop);
      return;
    }
  }
  lower->in_memory[variable->slot] = TRUE;
}

// The array that an address is in, and where.
static const Variable *
find_array(const Lower *lower, const Node *address, gint64 *offset) {
  Node index;
  while (address->kind == NODE_POINTER_ADD || address->kind == NODE_CAST ||
         (address->kind == NODE_DEREFERENCE && address->type->kind == KIND_STRUCT)) {
    if (address->kind == NODE_POINTER_ADD) {
      if (address->is_watched || !smb_lower_known(lower, address->b, &index))
        return NULL;
      *offset += address->integer * index.integer;
    }
    address = address->a;
  }
  return address->kind == NODE_OBJECT ? address->variable : NULL;
}

gboolean
smb_lower_find_element(Lower *lower, const Node *node, Row *row, guint *slot) {
  gint64 offset = node->integer;
  const Variable *array = find_array(lower, node->a, &offset);
  if (!array || array->storage != STORAGE_PRIVATE || lower->arrays[array->slot] == NO_ROW)
    return FALSE;
  const Type *leaf = smb_type_leaf(array->type), *component = smb_type_component(node->type);
  gboolean fits = component->kind == leaf->kind && offset >= 0 &&
                  offset % (gint64)leaf->size == 0 &&
                  offset % (gint64)MIN(node_access_bytes(node), node->type->align) == 0 &&
                  (guint64)offset + node->type->size <= array->type->size;
  if (!fits)
    return FALSE;
  guint number = (guint)(offset / (gint64)leaf->size);
  *row = lower->arrays[array->slot] + number * type_rows(leaf);
  *slot = lower->elements[array->slot] + number;
  return TRUE;
}
