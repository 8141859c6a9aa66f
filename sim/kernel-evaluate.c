// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Values of expressions, for all threads of a block at once. Inactive threads are computed along
// where that is harmless; what touches memory or can fail looks at the mask.
#include "sim/kernel-arith.h"
#include "sim/kernel-machine.h"

static const void *
evaluate_constant(SmbBlock *block, const Node *node, const Mask *mask) {
  char *out = scratch_take(block, node->type);
  FOR_WARPS(block, mask, w)
  kernel_lanes_fill(node, out + w * SMB_WARP_LANES * lane_bytes(node->type));
  return out;
}

static const void *
evaluate_local(SmbBlock *block, const Node *node, const Mask *mask) {
  for (guint c = 0; c < type_components(node->type); c++) {
    if (!check_set(block, node, c, mask))
      return NULL;
  }
  return block->locals[node->variable->slot];
}

static const void *
evaluate_component(SmbBlock *block, const Node *node, const Mask *mask) {
  const char *vector;
  if (node->a->kind != NODE_LOCAL)
    vector = evaluate(block, node->a, mask);
  else if (check_set(block, node->a, node->component, mask))
    vector = block->locals[node->a->variable->slot];
  else
    return NULL;
  return vector ? vector + node->component * value_stride(block, node->type) : NULL;
}

static const void *
evaluate_special(SmbBlock *block, const Node *node) {
  switch ((Special)node->special) {
  case SPECIAL_THREAD:
    return block->thread[node->component];
  case SPECIAL_BLOCK:
    return block->uniform[node->component];
  case SPECIAL_BLOCK_DIM:
    return block->sizes[node->component];
  case SPECIAL_GRID_DIM:
    return block->sizes[3 + node->component];
  case SPECIAL_WARP_SIZE:
    break;
  }
  g_assert_not_reached();
}

static const void *
evaluate_object(SmbBlock *block, const Node *node) {
  guint64 *out = scratch_take(block, node->type);
  guint64 pointer = make_pointer(node->variable->slot, 0);
  for (guint i = 0; i < block->n_warps * SMB_WARP_LANES; i++)
    out[i] = pointer;
  return out;
}

static const void *
evaluate_cast(SmbBlock *block, const Node *node, const Mask *mask) {
  const Type *from = node->a->type;
  gboolean from_pointer = from->kind == KIND_POINTER || from->kind == KIND_ARRAY;
  if (node->type->kind == KIND_VOID || type_equal(from, node->type) ||
      (node->type->kind == KIND_POINTER && from_pointer))
    return evaluate(block, node->a, mask);
  char *out = scratch_take(block, node->type);
  Scratch mark = scratch_mark(block);
  const char *value = evaluate(block, node->a, mask);
  if (!value)
    return NULL;
  TypeKind to = node->type->kind == KIND_POINTER ? KIND_ULONG : node->type->kind;
  FOR_WARPS(block, mask, w)
  kernel_lanes_cast(from->kind, to, value + w * SMB_WARP_LANES * lane_bytes(from),
                    out + w * SMB_WARP_LANES * lane_bytes(node->type));
  scratch_release(block, mark);
  return out;
}

static const void *
evaluate_unary(SmbBlock *block, const Node *node, const Mask *mask) {
  char *out = scratch_take(block, node->type);
  Scratch mark = scratch_mark(block);
  const char *a = evaluate(block, node->a, mask);
  if (!a)
    return NULL;
  FOR_WARPS(block, mask, w) {
    gsize at = w * SMB_WARP_LANES * lane_bytes(node->type);
    kernel_lanes_unary((NodeKind)node->kind, node->a->type->kind, a + at, out + at);
  }
  scratch_release(block, mark);
  return out;
}

static const void *
evaluate_binary(SmbBlock *block, const Node *node, const Mask *mask) {
  char *out = scratch_take(block, node->type);
  Scratch mark = scratch_mark(block);
  const char *a = evaluate(block, node->a, mask);
  const char *b = a ? evaluate(block, node->b, mask) : NULL;
  if (!b)
    return NULL;
  TypeKind kind = node->a->type->kind;
  gboolean divides = node->op == OPERATOR_DIV || node->op == OPERATOR_MOD;
  FOR_WARPS(block, mask, w) {
    const char *right = b + w * SMB_WARP_LANES * lane_bytes(node->b->type);
    if (divides) {
      guint32 faults = kernel_lanes_division_faults(kind, right, mask->warp[w]);
      if (faults) {
        g_autofree char *thread = describe_thread(block, w, (guint)__builtin_ctz(faults));
        block_fail(block, node->b->start, "division by zero, by %s", thread);
        return NULL;
      }
    }
    kernel_lanes_binary((Operator)node->op, kind,
                        a + w * SMB_WARP_LANES * lane_bytes(node->a->type), right,
                        out + w * SMB_WARP_LANES * lane_bytes(node->type));
  }
  scratch_release(block, mark);
  return out;
}

static const void *
evaluate_pointer_add(SmbBlock *block, const Node *node, const Mask *mask) {
  guint64 *out = scratch_take(block, node->type);
  Scratch mark = scratch_mark(block);
  const guint64 *pointers = evaluate(block, node->a, mask);
  const guint64 *indices = pointers ? evaluate(block, node->b, mask) : NULL;
  if (!indices)
    return NULL;
  guint64 step = (guint64)node->integer;
  FOR_WARPS(block, mask, w) {
    for (guint i = w * SMB_WARP_LANES; i < (w + 1) * SMB_WARP_LANES; i++)
      out[i] = pointers[i] + indices[i] * step;
  }
  scratch_release(block, mark);
  return out;
}

static const void *
evaluate_pointer_difference(SmbBlock *block, const Node *node, const Mask *mask) {
  gint64 *out = scratch_take(block, node->type);
  Scratch mark = scratch_mark(block);
  const gint64 *a = evaluate(block, node->a, mask);
  const gint64 *b = a ? evaluate(block, node->b, mask) : NULL;
  if (!b)
    return NULL;
  FOR_WARPS(block, mask, w) {
    for (guint i = w * SMB_WARP_LANES; i < (w + 1) * SMB_WARP_LANES; i++)
      out[i] = (gint64)((guint64)a[i] - (guint64)b[i]) / node->integer;
  }
  scratch_release(block, mark);
  return out;
}

gboolean
evaluate_condition(SmbBlock *block, const Node *node, const Mask *mask, Mask *holds) {
  const guint32 *values = evaluate(block, node, mask);
  if (!values)
    return FALSE;
  for (guint w = 0; w < block->n_warps; w++) {
    guint32 bits = 0;
    if (mask->warp[w]) {
      for (guint lane = 0; lane < SMB_WARP_LANES; lane++)
        bits |= (guint32)(values[w * SMB_WARP_LANES + lane] != 0) << lane;
    }
    holds->warp[w] = bits & mask->warp[w];
  }
  return TRUE;
}

static void
subtract_mask(const SmbBlock *block, const Mask *from, const Mask *what, Mask *rest) {
  for (guint w = 0; w < block->n_warps; w++)
    rest->warp[w] = from->warp[w] & ~what->warp[w];
}

// a && b, a || b: b is evaluated only by the threads that need it.
static const void *
evaluate_logical(SmbBlock *block, const Node *node, const Mask *mask) {
  Mask first, undecided, second = {{0}};
  guint32 *out = scratch_take(block, node->type);
  Scratch mark = scratch_mark(block);
  if (!evaluate_condition(block, node->a, mask, &first))
    return NULL;
  if (node->kind == NODE_AND_THEN)
    undecided = first;
  else
    subtract_mask(block, mask, &first, &undecided);
  if (mask_any(block, &undecided) && !evaluate_condition(block, node->b, &undecided, &second))
    return NULL;
  FOR_WARPS(block, mask, w) {
    guint32 bits = node->kind == NODE_AND_THEN ? second.warp[w] : first.warp[w] | second.warp[w];
    for (guint lane = 0; lane < SMB_WARP_LANES; lane++)
      out[w * SMB_WARP_LANES + lane] = bits >> lane & 1;
  }
  scratch_release(block, mark);
  return out;
}

static const void *
evaluate_choice(SmbBlock *block, const Node *node, const Mask *mask) {
  Mask yes, no;
  gboolean is_void = node->type->kind == KIND_VOID;
  void *out = is_void ? block : scratch_take(block, node->type);
  Scratch mark = scratch_mark(block);
  if (!evaluate_condition(block, node->a, mask, &yes))
    return NULL;
  subtract_mask(block, mask, &yes, &no);
  for (guint side = 0; side < 2; side++) {
    const Mask *taken = side == 0 ? &yes : &no;
    if (!mask_any(block, taken))
      continue;
    const void *value = evaluate(block, side == 0 ? node->b : node->c, taken);
    if (!value)
      return NULL;
    if (!is_void)
      blend(block, node->type, taken, value, out);
    scratch_release(block, mark);
  }
  return out;
}

static const void *
make_vector(SmbBlock *block, const Node *node, const Mask *mask) {
  char *out = scratch_take(block, node->type);
  gsize stride = value_stride(block, node->type);
  Scratch mark = scratch_mark(block);
  for (guint i = 0; i < node->n_arguments; i++) {
    const void *component = evaluate(block, node->arguments[i], mask);
    if (!component)
      return NULL;
    blend(block, node->type->of, mask, component, out + i * stride);
    scratch_release(block, mark);
  }
  return out;
}

static const void *
load(SmbBlock *block, const Node *node, const Mask *mask) {
  void *out = scratch_take(block, node->type);
  Scratch mark = scratch_mark(block);
  const guint64 *addresses = evaluate(block, node->a, mask);
  if (!addresses || !memory_load(block, node, mask, addresses, out))
    return NULL;
  scratch_release(block, mark);
  return out;
}

const void *
evaluate(SmbBlock *block, const Node *node, const Mask *mask) {
  switch ((NodeKind)node->kind) {
  case NODE_CONSTANT:
    return evaluate_constant(block, node, mask);
  case NODE_LOCAL:
    return evaluate_local(block, node, mask);
  case NODE_OBJECT:
    return evaluate_object(block, node);
  case NODE_SPECIAL:
    return evaluate_special(block, node);
  case NODE_DEREFERENCE:
    return load(block, node, mask);
  case NODE_COMPONENT:
    return evaluate_component(block, node, mask);
  case NODE_CAST:
    return evaluate_cast(block, node, mask);
  case NODE_NEGATE:
  case NODE_COMPLEMENT:
  case NODE_NOT:
    return evaluate_unary(block, node, mask);
  case NODE_BINARY:
    return evaluate_binary(block, node, mask);
  case NODE_POINTER_ADD:
    return evaluate_pointer_add(block, node, mask);
  case NODE_POINTER_DIFF:
    return evaluate_pointer_difference(block, node, mask);
  case NODE_AND_THEN:
  case NODE_OR_ELSE:
    return evaluate_logical(block, node, mask);
  case NODE_CHOICE:
    return evaluate_choice(block, node, mask);
  case NODE_ASSIGN:
    return evaluate_assignment(block, node, mask);
  case NODE_CURRENT:
    return block->current;
  case NODE_COMMA:
    return evaluate(block, node->a, mask) ? evaluate(block, node->b, mask) : NULL;
  case NODE_CALL:
    return call_function(block, node, mask);
  case NODE_BUILTIN:
    return evaluate_builtin(block, node, mask);
  case NODE_MAKE_VECTOR:
    return make_vector(block, node, mask);
  }
  g_assert_not_reached();
}
