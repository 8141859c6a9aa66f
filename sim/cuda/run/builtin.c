// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the built-in functions do: arithmetic, shuffles, atomics, and the barrier.
#include "sim/cuda/run/compute.h"
#include "sim/cuda/run/walk.h"

// The lane that a shuffle reads from, or the lane itself where there is none in its segment.
static guint
find_source(Builtin builtin, guint lane, gint32 by, guint width) {
  guint first = lane & ~(width - 1), last = first + width - 1;
  guint32 distance = (guint32)by;
  switch ((guint)builtin) {
  case BUILTIN_SHFL:
    return first + (distance & (width - 1));
  case BUILTIN_SHFL_UP:
    return distance > lane - first ? lane : lane - distance;
  case BUILTIN_SHFL_DOWN:
    return distance > last - lane ? lane : lane + distance;
  default: {
    guint source = lane ^ (distance & (SMB_WARP_LANES - 1));
    return source > last ? lane : source;
  }
  }
}

static gboolean
shuffle_warp(Walker *walker, const Node *node, guint warp, LaneMask lanes,
             const void *const *arguments, void *out) {
  gboolean wide = smb_type_is_wide(node->type);
  FOR_LANES(lanes, lane) {
    guint thread = warp * SMB_WARP_LANES + lane;
    gint32 width = arguments[3] ? ((const gint32 *)arguments[3])[thread] : SMB_WARP_LANES;
    if (width < 1 || width > SMB_WARP_LANES || (width & (width - 1)))
      return smb_block_fail(walker->block, node->start,
                            "a shuffle of width %d: expected a power of two up to 32", width);
    gint32 by = ((const gint32 *)arguments[2])[thread];
    guint source = find_source(node->builtin, lane, by, (guint)width);
    if (!(lanes >> source & 1)) {
      g_autofree char *who = smb_block_thread(walker->block, warp, lane);
      return smb_block_fail(walker->block, node->start,
                            "%s shuffles from lane %u, which is not active", who, source);
    }
    guint from = warp * SMB_WARP_LANES + source;
    if (wide)
      ((guint64 *)out)[thread] = ((const guint64 *)arguments[1])[from];
    else
      ((guint32 *)out)[thread] = ((const guint32 *)arguments[1])[from];
  }
  return TRUE;
}

static gboolean
evaluate_shuffle(Walker *walker, const Node *node, const Mask *mask, const void *const *arguments,
                 void *out) {
  FOR_WARPS(walker->block, mask, w) {
    if (!shuffle_warp(walker, node, w, mask->warp[w], arguments, out))
      return FALSE;
  }
  return TRUE;
}

static void
evaluate_vote(const Walker *walker, const Node *node, const Mask *mask,
              const void *const *arguments, guint32 *out) {
  const guint32 *members = arguments[0], *conditions = arguments[1];
  FOR_WARPS(walker->block, mask, w) {
    LaneMask lanes = mask->warp[w], holds = 0;
    guint first = w * SMB_WARP_LANES;
    FOR_LANES(lanes, lane)
    holds |= (LaneMask)(conditions ? conditions[first + lane] != 0 : 1) << lane;
    FOR_LANES(lanes, lane) {
      LaneMask asked = members ? members[first + lane] & lanes : lanes;
      out[first + lane] = node->builtin == BUILTIN_ANY   ? (holds & asked) != 0
                          : node->builtin == BUILTIN_ALL ? (holds & asked) == asked
                                                         : holds & asked;
    }
  }
}

static void
evaluate_arithmetic(const Walker *walker, const Node *node, const Mask *mask,
                    const void *const *arguments, char *out) {
  const Type *operand = node->arguments[0]->type;
  ArithFunction function = (ArithFunction)smb_cuda_builtin_operation(node->builtin);
  gsize operand_bytes = lane_bytes(operand), bytes = lane_bytes(node->type);
  FOR_WARPS(walker->block, mask, w) {
    const void *lanes[3] = {NULL, NULL, NULL};
    for (guint i = 0; i < node->n_arguments; i++)
      lanes[i] = (const char *)arguments[i] + w * SMB_WARP_LANES * operand_bytes;
    smb_arith_function(function, smb_cuda_scalar(operand->kind), lanes,
                       out + w * SMB_WARP_LANES * bytes);
  }
}

const void *
smb_walk_builtin(Walker *walker, const Node *node, const Mask *mask) {
  const void *arguments[4] = {NULL, NULL, NULL, NULL};
  void *out = node->type->kind == KIND_VOID ? NULL : smb_walk_take(walker, node->type);
  Scratch mark = scratch_mark(walker);
  for (guint i = 0; i < node->n_arguments; i++) {
    arguments[i] = smb_walk_evaluate(walker, node->arguments[i], mask);
    if (!arguments[i])
      return NULL;
  }
  if (node->builtin == BUILTIN_SYNCTHREADS)
    return smb_block_barrier(walker->block, node->start, smb_kernel_builtin_name(node->builtin),
                             mask)
               ? walker
               : NULL;
  if (node->type->kind == KIND_VOID)
    return walker; // fences: lockstep keeps their promise
  gboolean ok = TRUE;
  if (node->builtin >= BUILTIN_SHFL && node->builtin <= BUILTIN_SHFL_XOR)
    ok = evaluate_shuffle(walker, node, mask, arguments, out);
  else if (node->builtin >= BUILTIN_BALLOT && node->builtin <= BUILTIN_ACTIVEMASK)
    evaluate_vote(walker, node, mask, arguments, out);
  else if (node->builtin < BUILTIN_ATOMIC_ADD)
    evaluate_arithmetic(walker, node, mask, arguments, out);
  else
    ok = smb_walk_update(walker, node, (Atomic)smb_cuda_builtin_operation(node->builtin), mask,
                         arguments, out);
  scratch_release(walker, mark);
  return ok ? out : NULL;
}
