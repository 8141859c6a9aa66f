// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// From nodes that touch memory to what the machine moves, a warp at a time.
#include "sim/cuda/run/compute.h"
#include "sim/cuda/run/walk.h"
#include "sim/machine/lanes.h"

static gboolean
is_parameter(const SmbKernel *kernel, const Variable *variable) {
  const Function *entry = kernel->entry;
  for (guint i = 0; i < entry->n_parameters; i++) {
    if (entry->parameters[i] == variable)
      return TRUE;
  }
  return FALSE;
}

// Whether an address is known before the kernel runs: that of a variable, of a structure that is a parameter, or so many
// bytes further.
static gboolean
is_fixed(const SmbKernel *kernel, const Node *address) {
  NodeKind kind = (NodeKind)address->kind;
  if (kind == NODE_POINTER_ADD || kind == NODE_BINARY)
    return is_fixed(kernel, address->a) && is_fixed(kernel, address->b);
  if (kind == NODE_CAST || (kind == NODE_DEREFERENCE && address->type->kind == KIND_STRUCT))
    return is_fixed(kernel, address->a);
  if (kind == NODE_LOCAL)
    return address->variable->is_reference && is_parameter(kernel, address->variable);
  return kind == NODE_CONSTANT || kind == NODE_OBJECT;
}

Move
smb_walk_make_move(const SmbKernel *kernel, const Node *node, gint site, SmbOpClass op_class) {
  const Type *type = node->type, *component = smb_type_component(type);
  guint width = node_access_bytes(node);
  return (Move){
      .place = node->start,
      .site = (guint)site,
      .op_class = op_class,
      .op = op_class == SMB_OP_CLASS_STORE ? SMB_OP_ST : SMB_OP_LD,
      .kind = smb_cuda_scalar(component->kind),
      .components = (guint)(width / component->size),
      .width = width,
      .align = MIN(width, type->align),
      .reads = op_class != SMB_OP_CLASS_STORE,
      .constant_bytes =
          op_class == SMB_OP_CLASS_LOAD && !(node->a && is_fixed(kernel, node->a))
              ? smb_constant_bytes((guint)component->size, (guint)(width / component->size))
              : 0,
  };
}

// The addresses of a warp, so many bytes further.
static const guint64 *
shift(guint n_lanes, const guint64 *addresses, guint64 by, guint64 *room) {
  if (by == 0)
    return addresses;
  EACH_LANE(n_lanes, room[lane] = addresses[lane] + by;)
  return room;
}

// What no instruction moves at once is moved in several, warp by warp. @values: are only read where they are stored
static gboolean
move_all(Walker *walker, const Node *node, Move move, const Mask *mask, const guint64 *addresses,
         void *values) {
  gsize stride = smb_walk_stride(walker, node->type), bytes = lane_bytes(node->type);
  FOR_WARPS(walker->block, mask, w) {
    guint n = walker->block->lanes, first = w * n;
    char *own = (char *)values + first * bytes;
    for (gsize at = 0; at < node->type->size; at += move.width) {
      guint64 room[SMB_MAX_LANES];
      const guint64 *places = shift(n, addresses + first, (guint64)node->integer + at, room);
      move.padding = node->padding >> at;
      if (move.reads
              ? !smb_memory_load(walker->block, &move, w, mask->warp[w], places, own, stride)
              : !smb_memory_store(walker->block, &move, w, mask->warp[w], places, own, stride))
        return FALSE;
      own += move.components * stride;
    }
  }
  return TRUE;
}

gboolean
smb_walk_load(Walker *walker, const Node *node, const Mask *mask, const guint64 *addresses,
              void *out) {
  return move_all(walker, node,
                  smb_walk_make_move(walker->kernel, node, node->load_site, SMB_OP_CLASS_LOAD),
                  mask, addresses, out);
}

gboolean
smb_walk_store(Walker *walker, const Node *node, const Mask *mask, const guint64 *addresses,
               const void *value) {
  return move_all(walker, node,
                  smb_walk_make_move(walker->kernel, node, node->store_site, SMB_OP_CLASS_STORE),
                  mask, addresses, (void *)value);
}

gboolean
smb_walk_update(Walker *walker, const Node *node, Atomic atomic, const Mask *mask,
                const void *const *operands, void *out) {
  const Node *value = node->arguments[1];
  gboolean increments = atomic == ATOMIC_ADD && node->result_unused && node->type->size == 4 &&
                        value->kind == NODE_CONSTANT && value->integer == 1;
  Move move = smb_walk_make_move(walker->kernel, node, node->store_site, SMB_OP_CLASS_ATOMIC);
  move.atomic = atomic;
  move.op = smb_atomic_op(walker->block->arch, atomic, move.kind, increments);
  move.reads = !(atomic == ATOMIC_EXCHANGE && node->result_unused);
  gsize bytes = lane_bytes(node->type);
  FOR_WARPS(walker->block, mask, w) {
    guint first = w * walker->block->lanes;
    const char *operand = operands[1], *swap = operands[2];
    if (!smb_memory_atomic(walker->block, &move, w, mask->warp[w],
                           (const guint64 *)operands[0] + first, operand + first * bytes,
                           swap ? swap + first * bytes : NULL, (char *)out + first * bytes))
      return FALSE;
  }
  return TRUE;
}
