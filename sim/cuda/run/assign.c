// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Assignments to variables and to memory, and which threads have set a variable.
#include "sim/cuda/run/walk.h"

gboolean
smb_walk_check_set(Walker *walker, const Node *local, guint component, const Mask *mask) {
  const Variable *variable = local->variable;
  const Mask *set = &walker->locals_set[variable->slot + component];
  FOR_WARPS(walker->block, mask, w) {
    SmbLanes unset = mask->warp[w] & ~set->warp[w];
    if (!unset)
      continue;
    g_autofree char *thread = smb_block_thread(walker->block, w, smb_lanes_first(unset));
    const char member[] = {'.', "xyzw"[component & 3], '\0'};
    return smb_block_fail(walker->block, local->start, "'%s%s' is read before it was set, by %s",
                          variable->name, variable->type->kind == KIND_VECTOR ? member : "",
                          thread);
  }
  return TRUE;
}

void
smb_walk_mark_set(Walker *walker, const Variable *variable, guint component, const Type *type,
                  const Mask *mask) {
  for (guint c = component; c < component + smb_type_components(type); c++)
    add_mask(walker, &walker->locals_set[variable->slot + c], mask);
}

// The new value of an assignment, with the old one at hand for those that use it.
static const void *
evaluate_new_value(Walker *walker, const Node *node, const Mask *mask, const void *old) {
  const void *outer = walker->current;
  walker->current = old;
  const void *value = smb_walk_evaluate(walker, node->b, mask);
  walker->current = outer;
  return value;
}

static const void *
assign_memory(Walker *walker, const Node *node, const Mask *mask) {
  const Node *target = node->a;
  const guint64 *addresses = smb_walk_evaluate(walker, target->a, mask);
  void *old = NULL;
  if (!addresses)
    return NULL;
  if (node->special) {
    old = smb_walk_take(walker, target->type);
    if (!smb_walk_load(walker, target, mask, addresses, old))
      return NULL;
  }
  const void *value = evaluate_new_value(walker, node, mask, old);
  if (!value || !smb_walk_store(walker, target, mask, addresses, value))
    return NULL;
  return node->is_post ? old : value;
}

static const void *
assign_local(Walker *walker, const Node *node, const Mask *mask) {
  const Node *target = node->a;
  const Node *local = target->kind == NODE_COMPONENT ? target->a : target;
  char *storage = walker->locals[local->variable->slot];
  if (target->kind == NODE_COMPONENT)
    storage += target->component * smb_walk_stride(walker, target->type);
  void *old = NULL;
  guint component = target->kind == NODE_COMPONENT ? target->component : 0;
  if (node->special) {
    if (!smb_walk_check_set(walker, local, component, mask))
      return NULL;
    old = smb_walk_take(walker, target->type);
    smb_walk_blend(walker, target->type, mask, storage, old);
  }
  const void *value = evaluate_new_value(walker, node, mask, old);
  if (!value)
    return NULL;
  smb_walk_blend(walker, target->type, mask, value, storage);
  smb_walk_mark_set(walker, local->variable, component, target->type, mask);
  return node->is_post ? old : value;
}

const void *
smb_walk_assign(Walker *walker, const Node *node, const Mask *mask) {
  return node->a->kind == NODE_DEREFERENCE ? assign_memory(walker, node, mask)
                                           : assign_local(walker, node, mask);
}

// A structure is moved piece by piece. The result is the address of the copy.
const void *
smb_walk_copy(Walker *walker, const Node *node, const Mask *mask) {
  const guint64 *to = smb_walk_evaluate(walker, node->a, mask);
  const guint64 *from = to ? smb_walk_evaluate(walker, node->b, mask) : NULL;
  Scratch mark = scratch_mark(walker);
  for (guint i = 0; from && i < node->n_arguments; i += 2) {
    void *piece = smb_walk_take(walker, node->arguments[i]->type);
    if (!smb_walk_load(walker, node->arguments[i], mask, from, piece) ||
        !smb_walk_store(walker, node->arguments[i + 1], mask, to, piece))
      return NULL;
    scratch_release(walker, mark);
  }
  return from ? to : NULL;
}
