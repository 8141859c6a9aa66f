// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Atomics: what they leave in memory, and which instruction they become. The lanes of a warp take their
// turns in rising order.
#include <string.h>

#include "sim/kernel-access.h"

// What an atomic leaves in memory, from what was there and its operands.
static gint64
combine_integers(Builtin builtin, const Type *type, gint64 old, gint64 value, gint64 extra) {
  gboolean less = type_is_unsigned(type) ? (guint64)old < (guint64)value : old < value;
  switch ((guint)builtin) {
  case BUILTIN_ATOMIC_ADD:
    return (gint64)((guint64)old + (guint64)value);
  case BUILTIN_ATOMIC_SUB:
    return (gint64)((guint64)old - (guint64)value);
  case BUILTIN_ATOMIC_MIN:
    return less ? old : value;
  case BUILTIN_ATOMIC_MAX:
    return less ? value : old;
  case BUILTIN_ATOMIC_AND:
    return old & value;
  case BUILTIN_ATOMIC_OR:
    return old | value;
  case BUILTIN_ATOMIC_XOR:
    return old ^ value;
  case BUILTIN_ATOMIC_CAS:
    return old == value ? extra : old;
  default:
    return value; // exchange
  }
}

static double
combine_reals(Builtin builtin, double old, double value) {
  switch ((guint)builtin) {
  case BUILTIN_ATOMIC_ADD:
    return old + value;
  default:
    return value; // exchange
  }
}

static gint64
integer_at(const Type *type, const void *values, guint thread) {
  if (type_is_wide(type))
    return ((const gint64 *)values)[thread];
  return type->kind == KIND_UINT ? (gint64)((const guint32 *)values)[thread]
                                 : (gint64)((const gint32 *)values)[thread];
}

static double
real_at(const Type *type, const void *values, guint thread) {
  return type->kind == KIND_FLOAT ? (double)((const float *)values)[thread]
                                  : ((const double *)values)[thread];
}

// One lane of an atomic: @old holds what was in memory; @bytes gets what is left there.
static void
combine(const Node *node, const void *const *operands, const void *old, guint thread,
        guchar *bytes) {
  const Type *type = node->type;
  if (type->kind == KIND_FLOAT) {
    float result = (float)combine_reals(node->builtin, real_at(type, old, thread),
                                        real_at(type, operands[1], thread));
    memcpy(bytes, &result, sizeof result);
  } else if (type->kind == KIND_DOUBLE) {
    double result = combine_reals(node->builtin, real_at(type, old, thread),
                                  real_at(type, operands[1], thread));
    memcpy(bytes, &result, sizeof result);
  } else {
    gint64 extra = operands[2] ? integer_at(type, operands[2], thread) : 0;
    gint64 result = combine_integers(node->builtin, type, integer_at(type, old, thread),
                                     integer_at(type, operands[1], thread), extra);
    memcpy(bytes, &result, type->size);
  }
}

// Whether the hardware has an atomic as one instruction on shared memory: all on 32-bit integers; of the
// rest, exchange and compare-and-swap. Seen in what the compiler makes for sm_75 to sm_120. The others
// are loops.
static gboolean
is_single(Builtin builtin, const Type *type) {
  return type->kind == KIND_INT || type->kind == KIND_UINT || builtin == BUILTIN_ATOMIC_EXCH ||
         builtin == BUILTIN_ATOMIC_CAS;
}

// Which instruction an atomic becomes. Adding the constant 1 and dropping the result is counted by
// the hardware itself where the compiler uses that (seen in what it makes for sm_90, not for sm_75). Of the
// loops, minimum and maximum swap only as long as they have something to change: of these, only the first
// load is sure.
static SmbOp
choose_atomic_op(const SmbBlock *block, const Node *node) {
  if (!is_single(node->builtin, node->type))
    return node->builtin == BUILTIN_ATOMIC_MIN || node->builtin == BUILTIN_ATOMIC_MAX
               ? SMB_OP_LD
               : SMB_OP_ATOM_LOOP;
  if (node->builtin == BUILTIN_ATOMIC_CAS)
    return SMB_OP_CAS;
  const Node *value = node->arguments[1];
  gboolean increment = node->builtin == BUILTIN_ATOMIC_ADD && node->result_unused &&
                       node->type->size == 4 && value->kind == NODE_CONSTANT && value->integer == 1;
  return increment && block->has_increment ? SMB_OP_RED_UNIFORM : SMB_OP_ATOM;
}

static gboolean
check_shared_atomic(SmbBlock *block, const Node *node, SmbOp op) {
  SmbOp atomic = op == SMB_OP_LD ? SMB_OP_ATOM_LOOP : op;
  if (smb_arch_rule(block->arch, atomic, (guint)node->type->size)->defined)
    return TRUE;
  return block_fail(block, node->start, "%s has no atomics on shared memory",
                    smb_arch_info(block->arch)->name);
}

gboolean
memory_atomic(SmbBlock *block, const Node *node, const Mask *mask, const guint64 *addresses,
              const void *const *operands, void *out) {
  SmbOp op = choose_atomic_op(block, node);
  Access access;
  FOR_WARPS(block, mask, w) {
    if (!access_resolve(block, node, w, mask->warp[w], addresses, &access))
      return FALSE;
    if (access.lanes[SPACE_SHARED] && !check_shared_atomic(block, node, op))
      return FALSE;
    access_report(block, node, node->store_site, &access, op, SMB_OP_CLASS_ATOMIC);
    for (guint32 rest = mask->warp[w]; rest; rest &= rest - 1) {
      guint lane = (guint)__builtin_ctz(rest), thread = w * SMB_WARP_LANES + lane;
      guchar bytes[8];
      if (!memory_read_lane(block, node, &access, lane, bytes))
        return FALSE;
      memory_decode(node->type->kind, bytes, out, thread);
      combine(node, operands, out, thread, bytes);
      if (!memory_write_lane(block, node, &access, lane, bytes))
        return FALSE;
    }
  }
  return TRUE;
}
