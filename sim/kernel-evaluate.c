// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Values of expressions, for all threads of a block at once. Inactive threads are computed along
// where that is harmless; what touches memory or can fail looks at the mask.
#include <string.h>

#include "sim/kernel-arith.h"
#include "sim/kernel-machine.h"

enum {
  SEGMENT_BYTES = 1 << 20,
  SCRATCH_ALIGNMENT = 64
};

static gsize
lane_bytes(const Type *type) {
  return type_is_wide(type) ? 8 : 4;
}

gsize
value_stride(const SmbBlock *block, const Type *type) {
  return lane_bytes(type) * block->n_warps * SMB_WARP_LANES;
}

void *
scratch_take(SmbBlock *block, const Type *type) {
  Scratch *scratch = &block->scratch;
  gsize size = value_stride(block, type) * type_components(type);
  size = (size + SCRATCH_ALIGNMENT - 1) & ~(gsize)(SCRATCH_ALIGNMENT - 1);
  if (scratch->used + size > SEGMENT_BYTES) {
    scratch->segment++;
    scratch->used = 0;
  }
  if (scratch->segment == scratch->segments->len)
    g_ptr_array_add(scratch->segments, g_malloc(SEGMENT_BYTES));
  char *start = g_ptr_array_index(scratch->segments, scratch->segment);
  void *memory = start + scratch->used;
  scratch->used += size;
  return memory;
}

void
blend(const SmbBlock *block, const Type *type, const Mask *mask, const void *from, void *to) {
  gsize stride = value_stride(block, type), bytes = lane_bytes(type);
  for (guint c = 0; c < type_components(type); c++) {
    const char *source = (const char *)from + c * stride;
    char *target = (char *)to + c * stride;
    FOR_WARPS(block, mask, w) {
      gsize start = w * SMB_WARP_LANES * bytes;
      if (mask->warp[w] == 0xffffffffu) {
        memcpy(target + start, source + start, SMB_WARP_LANES * bytes);
        continue;
      }
      for (guint32 lanes = mask->warp[w]; lanes; lanes &= lanes - 1) {
        gsize at = start + (guint)__builtin_ctz(lanes) * bytes;
        memcpy(target + at, source + at, bytes);
      }
    }
  }
}

static const void *
evaluate_constant(SmbBlock *block, const Node *node, const Mask *mask) {
  char *out = scratch_take(block, node->type);
  FOR_WARPS(block, mask, w)
  kernel_lanes_fill(node, out + w * SMB_WARP_LANES * lane_bytes(node->type));
  return out;
}

// Reading a variable that a thread never set is an error: hardware would read what a register holds.
// @local: its node; @component: of a vector
static gboolean
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
    return node->a->kind == NODE_DEREFERENCE ? assign_memory(block, node, mask)
                                             : assign_local(block, node, mask);
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
