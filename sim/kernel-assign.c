// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Assignments to variables and to memory, and which threads have set a variable.
#include "sim/kernel-machine.h"

gboolean
check_set(SmbBlock *block, const Node *local, guint component, const Mask *mask) {
  const Variable *variable = local->variable;
  const Mask *set = &block->locals_set[variable->slot + component];
  FOR_WARPS(block, mask, w) {
    guint32 unset = mask->warp[w] & ~set->warp[w];
    if (!unset)
      continue;
    g_autofree char *thread = describe_thread(block, w, (guint)__builtin_ctz(unset));
    const char member[] = {'.', "xyzw"[component & 3], '\0'};
    return block_fail(block, local->start, "'%s%s' is read before it was set, by %s",
                      variable->name, variable->type->kind == KIND_VECTOR ? member : "", thread);
  }
  return TRUE;
}

// The new value of an assignment, with the old one at hand for those that use it.
static const void *
evaluate_new_value(SmbBlock *block, const Node *node, const Mask *mask, const void *old) {
  const void *outer = block->current;
  block->current = old;
  const void *value = evaluate(block, node->b, mask);
  block->current = outer;
  return value;
}

static const void *
assign_memory(SmbBlock *block, const Node *node, const Mask *mask) {
  const Node *target = node->a;
  const guint64 *addresses = evaluate(block, target->a, mask);
  void *old = NULL;
  if (!addresses)
    return NULL;
  if (node->special) {
    old = scratch_take(block, target->type);
    if (!memory_load(block, target, mask, addresses, old))
      return NULL;
  }
  const void *value = evaluate_new_value(block, node, mask, old);
  if (!value || !memory_store(block, target, mask, addresses, value))
    return NULL;
  return node->is_post ? old : value;
}

static const void *
assign_local(SmbBlock *block, const Node *node, const Mask *mask) {
  const Node *target = node->a;
  const Node *local = target->kind == NODE_COMPONENT ? target->a : target;
  guint slot = local->variable->slot;
  char *storage = block->locals[slot];
  if (target->kind == NODE_COMPONENT)
    storage += target->component * value_stride(block, target->type);
  void *old = NULL;
  guint component = target->kind == NODE_COMPONENT ? target->component : 0;
  if (node->special) {
    if (!check_set(block, local, component, mask))
      return NULL;
    old = scratch_take(block, target->type);
    blend(block, target->type, mask, storage, old);
  }
  const void *value = evaluate_new_value(block, node, mask, old);
  if (!value)
    return NULL;
  blend(block, target->type, mask, value, storage);
  guint n_set = type_components(target->type);
  for (guint c = component; c < component + n_set; c++) {
    for (guint w = 0; w < block->n_warps; w++)
      block->locals_set[slot + c].warp[w] |= mask->warp[w];
  }
  return node->is_post ? old : value;
}

const void *
evaluate_assignment(SmbBlock *block, const Node *node, const Mask *mask) {
  return node->a->kind == NODE_DEREFERENCE ? assign_memory(block, node, mask)
                                           : assign_local(block, node, mask);
}
