// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Values of expressions, for all threads of a block at once. Inactive threads are computed along
// where that is harmless; what touches memory or can fail looks at the mask.
#include "sim/cuda/run/compute.h"
#include "sim/cuda/run/walk.h"
#include "sim/machine/lanes.h"

static const void *
evaluate_constant(Walker *walker, const Node *node, const Mask *mask) {
  char *out = smb_walk_take(walker, node->type);
  gsize step = warp_bytes(walker, node->type);
  FOR_WARPS(walker->block, mask, w)
  smb_cuda_fill(node, walker->block->lanes, out + w * step);
  return out;
}

static const void *
evaluate_local(Walker *walker, const Node *node, const Mask *mask) {
  for (guint c = 0; c < smb_type_components(node->type); c++) {
    if (!smb_walk_check_set(walker, node, c, mask))
      return NULL;
  }
  return walker->locals[node->variable->slot];
}

static const void *
evaluate_component(Walker *walker, const Node *node, const Mask *mask) {
  const char *vector;
  if (node->a->kind != NODE_LOCAL)
    vector = smb_walk_evaluate(walker, node->a, mask);
  else if (smb_walk_check_set(walker, node->a, node->component, mask))
    vector = walker->locals[node->a->variable->slot];
  else
    return NULL;
  return vector ? vector + node->component * smb_walk_stride(walker, node->type) : NULL;
}

static const void *
evaluate_special(Walker *walker, const Node *node) {
  switch ((ThreadSpecial)node->special) {
  case SPECIAL_THREAD:
    return walker->block->thread[node->component];
  case SPECIAL_BLOCK:
    return walker->block->uniform[node->component];
  case SPECIAL_BLOCK_DIM:
    return walker->block->sizes[node->component];
  case SPECIAL_GRID_DIM:
    return walker->block->sizes[3 + node->component];
  }
  g_assert_not_reached();
}

static const void *
evaluate_object(Walker *walker, const Node *node) {
  guint64 *out = smb_walk_take(walker, node->type);
  guint64 pointer = make_pointer(node->variable->slot, 0);
  for (guint i = 0; i < walker->block->n_warps * walker->block->lanes; i++)
    out[i] = pointer;
  return out;
}

// The end of an operation whose operands are at hand: what they took from the scratch is released.
static const void *
finish(Walker *walker, const Node *node, const Mask *mask, const void *a, const void *b,
       const void *out, Scratch mark) {
  if (is_watched(walker, node))
    smb_walk_watch(walker, node, mask, a, b, out);
  scratch_release(walker, mark);
  return out;
}

static const void *
evaluate_cast(Walker *walker, const Node *node, const Mask *mask) {
  const Type *from = node->a->type;
  gboolean from_pointer = from->kind == KIND_POINTER || from->kind == KIND_ARRAY;
  if (node->type->kind == KIND_VOID || smb_type_equal(from, node->type) ||
      (node->type->kind == KIND_POINTER && from_pointer))
    return smb_walk_evaluate(walker, node->a, mask);
  char *out = smb_walk_take(walker, node->type);
  Scratch mark = scratch_mark(walker);
  const char *value = smb_walk_evaluate(walker, node->a, mask);
  if (!value)
    return NULL;
  gsize step = warp_bytes(walker, from), out_step = warp_bytes(walker, node->type);
  FOR_WARPS(walker->block, mask, w)
  smb_arith_convert(smb_cuda_scalar(from->kind), smb_cuda_scalar(node->type->kind),
                    walker->block->lanes, value + w * step, out + w * out_step);
  return finish(walker, node, mask, value, NULL, out, mark);
}

static const void *
evaluate_unary(Walker *walker, const Node *node, const Mask *mask) {
  char *out = smb_walk_take(walker, node->type);
  Scratch mark = scratch_mark(walker);
  const char *a = smb_walk_evaluate(walker, node->a, mask);
  if (!a)
    return NULL;
  gsize step = warp_bytes(walker, node->type);
  FOR_WARPS(walker->block, mask, w) {
    gsize at = w * step;
    smb_arith_unary(smb_cuda_unary(node), smb_cuda_scalar(node->a->type->kind),
                    walker->block->lanes, a + at, out + at);
  }
  return finish(walker, node, mask, a, NULL, out, mark);
}

static const void *
evaluate_binary(Walker *walker, const Node *node, const Mask *mask) {
  char *out = smb_walk_take(walker, node->type);
  Scratch mark = scratch_mark(walker);
  const char *a = smb_walk_evaluate(walker, node->a, mask);
  const char *b = a ? smb_walk_evaluate(walker, node->b, mask) : NULL;
  if (!b)
    return NULL;
  SmbScalar kind = smb_cuda_scalar(node->a->type->kind);
  gboolean divides = node->op == OPERATOR_DIV || node->op == OPERATOR_MOD;
  gsize step = warp_bytes(walker, node->a->type), b_step = warp_bytes(walker, node->b->type);
  gsize out_step = warp_bytes(walker, node->type);
  FOR_WARPS(walker->block, mask, w) {
    const char *right = b + w * b_step;
    if (divides) {
      SmbLanes faults = smb_arith_division_faults(kind, walker->block->lanes, right, mask->warp[w]);
      if (faults) {
        g_autofree char *thread = smb_block_thread(walker->block, w, smb_lanes_first(faults));
        smb_block_fail(walker->block, node->b->start, "division by zero, by %s", thread);
        return NULL;
      }
    }
    smb_arith_binary(smb_cuda_binary((Operator)node->op), kind, walker->block->lanes, a + w * step,
                     right, out + w * out_step);
  }
  return finish(walker, node, mask, a, b, out, mark);
}

static const void *
evaluate_pointer_add(Walker *walker, const Node *node, const Mask *mask) {
  guint64 *out = smb_walk_take(walker, node->type);
  Scratch mark = scratch_mark(walker);
  const guint64 *pointers = smb_walk_evaluate(walker, node->a, mask);
  const guint64 *indices = pointers ? smb_walk_evaluate(walker, node->b, mask) : NULL;
  if (!indices)
    return NULL;
  guint64 step = (guint64)node->integer;
  guint n = walker->block->lanes;
  FOR_WARPS(walker->block, mask, w) {
    guint at = w * n;
    EACH_LANE(n, out[at + lane] = pointers[at + lane] + indices[at + lane] * step;)
  }
  return finish(walker, node, mask, pointers, indices, out, mark);
}

static const void *
evaluate_pointer_difference(Walker *walker, const Node *node, const Mask *mask) {
  gint64 *out = smb_walk_take(walker, node->type);
  Scratch mark = scratch_mark(walker);
  const gint64 *a = smb_walk_evaluate(walker, node->a, mask);
  const gint64 *b = a ? smb_walk_evaluate(walker, node->b, mask) : NULL;
  if (!b)
    return NULL;
  guint n = walker->block->lanes;
  FOR_WARPS(walker->block, mask, w) {
    for (guint i = w * n; i < (w + 1) * n; i++)
      out[i] = (gint64)((guint64)a[i] - (guint64)b[i]) / node->integer;
  }
  scratch_release(walker, mark);
  return out;
}

gboolean
smb_walk_condition(Walker *walker, const Node *node, const Mask *mask, Mask *holds) {
  const guint32 *values = smb_walk_evaluate(walker, node, mask);
  if (!values)
    return FALSE;
  guint n = walker->block->lanes;
  for (guint w = 0; w < walker->block->n_warps; w++)
    holds->warp[w] = mask->warp[w] ? find_set_lanes(n, values + w * n) & mask->warp[w] : 0;
  return TRUE;
}

// a && b, a || b: b is evaluated only by the threads that need it.
static const void *
evaluate_logical(Walker *walker, const Node *node, const Mask *mask) {
  Mask first, undecided = *mask, second = {{0}};
  guint32 *out = smb_walk_take(walker, node->type);
  Scratch mark = scratch_mark(walker);
  if (!smb_walk_condition(walker, node->a, mask, &first))
    return NULL;
  if (node->kind == NODE_AND_THEN)
    undecided = first;
  else
    remove_mask(walker, &undecided, &first);
  if (mask_any(walker->block, &undecided) &&
      !smb_walk_condition(walker, node->b, &undecided, &second))
    return NULL;
  guint n = walker->block->lanes;
  FOR_WARPS(walker->block, mask, w) {
    SmbLanes bits = node->kind == NODE_AND_THEN ? second.warp[w] : first.warp[w] | second.warp[w];
    EACH_LANE(n, out[w * n + lane] = bits >> lane & 1;)
  }
  scratch_release(walker, mark);
  return out;
}

static const void *
evaluate_choice(Walker *walker, const Node *node, const Mask *mask) {
  Mask yes, no = *mask;
  gboolean is_void = node->type->kind == KIND_VOID;
  void *out = is_void ? walker : smb_walk_take(walker, node->type);
  Scratch mark = scratch_mark(walker);
  if (!smb_walk_condition(walker, node->a, mask, &yes))
    return NULL;
  remove_mask(walker, &no, &yes);
  for (guint side = 0; side < 2; side++) {
    const Mask *taken = side == 0 ? &yes : &no;
    if (!mask_any(walker->block, taken))
      continue;
    const void *value = smb_walk_evaluate(walker, side == 0 ? node->b : node->c, taken);
    if (!value)
      return NULL;
    if (!is_void)
      smb_walk_blend(walker, node->type, taken, value, out);
    scratch_release(walker, mark);
  }
  return out;
}

static const void *
make_vector(Walker *walker, const Node *node, const Mask *mask) {
  char *out = smb_walk_take(walker, node->type);
  gsize stride = smb_walk_stride(walker, node->type);
  Scratch mark = scratch_mark(walker);
  for (guint i = 0; i < node->n_arguments; i++) {
    const void *component = smb_walk_evaluate(walker, node->arguments[i], mask);
    if (!component)
      return NULL;
    smb_walk_blend(walker, node->type->of, mask, component, out + i * stride);
    scratch_release(walker, mark);
  }
  return out;
}

static const void *
load(Walker *walker, const Node *node, const Mask *mask) {
  void *out = smb_walk_take(walker, node->type);
  Scratch mark = scratch_mark(walker);
  const guint64 *addresses = smb_walk_evaluate(walker, node->a, mask);
  if (!addresses || !smb_walk_load(walker, node, mask, addresses, out))
    return NULL;
  scratch_release(walker, mark);
  return out;
}

const void *
smb_walk_evaluate(Walker *walker, const Node *node, const Mask *mask) {
  switch ((NodeKind)node->kind) {
  case NODE_CONSTANT:
    return evaluate_constant(walker, node, mask);
  case NODE_LOCAL:
    return evaluate_local(walker, node, mask);
  case NODE_OBJECT:
    return evaluate_object(walker, node);
  case NODE_SPECIAL:
    return evaluate_special(walker, node);
  case NODE_DEREFERENCE:
    return node->type->kind == KIND_STRUCT ? smb_walk_evaluate(walker, node->a, mask)
                                           : load(walker, node, mask);
  case NODE_COMPONENT:
    return evaluate_component(walker, node, mask);
  case NODE_CAST:
    return evaluate_cast(walker, node, mask);
  case NODE_BITS:
    return smb_walk_evaluate(walker, node->a, mask);
  case NODE_NEGATE:
  case NODE_COMPLEMENT:
  case NODE_NOT:
    return evaluate_unary(walker, node, mask);
  case NODE_BINARY:
    return evaluate_binary(walker, node, mask);
  case NODE_POINTER_ADD:
    return evaluate_pointer_add(walker, node, mask);
  case NODE_POINTER_DIFF:
    return evaluate_pointer_difference(walker, node, mask);
  case NODE_AND_THEN:
  case NODE_OR_ELSE:
    return evaluate_logical(walker, node, mask);
  case NODE_CHOICE:
    return evaluate_choice(walker, node, mask);
  case NODE_ASSIGN:
    return smb_walk_assign(walker, node, mask);
  case NODE_COPY:
    return smb_walk_copy(walker, node, mask);
  case NODE_CURRENT:
    return walker->current;
  case NODE_COMMA:
    return smb_walk_evaluate(walker, node->a, mask) ? smb_walk_evaluate(walker, node->b, mask)
                                                    : NULL;
  case NODE_CALL:
    return smb_walk_call(walker, node, mask);
  case NODE_BUILTIN:
    return smb_walk_builtin(walker, node, mask);
  case NODE_MAKE_VECTOR:
    return make_vector(walker, node, mask);
  }
  g_assert_not_reached();
}
