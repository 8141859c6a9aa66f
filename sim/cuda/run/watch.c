// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Operations on values that are affine in blockIdx, in a block whose signature is wanted: what they decide becomes
// part of it, and one whose result wraps around is refused, since that is not affine (sim/machine/signature.h).
#include "sim/cuda/run/compute.h"
#include "sim/cuda/run/walk.h"

// Holds sums and products of all integers exactly.
__extension__ typedef __int128 Wide;

static Wide
read_integer(const Type *type, const void *values, guint thread) {
  SmbScalar kind = smb_cuda_scalar(type->kind);
  if (kind == SMB_SCALAR_U64)
    return ((const guint64 *)values)[thread];
  if (kind == SMB_SCALAR_I64)
    return ((const gint64 *)values)[thread];
  return kind == SMB_SCALAR_U32 ? (Wide)((const guint32 *)values)[thread]
                                : (Wide)((const gint32 *)values)[thread];
}

static gint
sign_of(Wide value) {
  return (value > 0) - (value < 0);
}

// The result of a lane is affine if it is what it would be with integers of any size.
static void
require_exact(Walker *walker, const Node *node, guint thread, const void *out, Wide exact) {
  if (read_integer(node->type, out, thread) != exact)
    smb_signature_refuse(walker->block);
}

static void
watch_binary(Walker *walker, const Node *node, guint thread, Wide x, Wide y, const void *out) {
  SmbBlock *block = walker->block;
  switch ((Operator)node->op) {
  case OPERATOR_ADD:
    require_exact(walker, node, thread, out, x + y);
    return;
  case OPERATOR_SUB:
    require_exact(walker, node, thread, out, x - y);
    return;
  case OPERATOR_MUL:
    require_exact(walker, node, thread, out, x * y);
    return;
  case OPERATOR_SHL:
    require_exact(walker, node, thread, out, y < 64 ? x * ((Wide)1 << y) : x ? -1 : 0);
    return;
  case OPERATOR_MOD: // the quotient is the same, so the rest is affine
    smb_signature_note(block, (guint64)(x / y));
    return;
  case OPERATOR_AND: // of which one is a constant: likewise, without its low bits
    smb_signature_note(block, (guint64)(x + y - read_integer(node->type, out, thread)));
    return;
  case OPERATOR_EQ:
  case OPERATOR_NE: // two values that differ at both ends may be the same between them
    smb_signature_note(block, (guint64)sign_of(x - y));
    return;
  case OPERATOR_DIV:
  case OPERATOR_SHR:
  case OPERATOR_OR:
  case OPERATOR_XOR:
  case OPERATOR_LT:
  case OPERATOR_LE:
  case OPERATOR_GT:
  case OPERATOR_GE:
    smb_signature_note(block, (guint64)read_integer(node->type, out, thread));
    return;
  }
  g_assert_not_reached();
}

static void
watch_lane(Walker *walker, const Node *node, guint thread, Wide x, Wide y, const void *out) {
  if (node->kind == NODE_BINARY)
    watch_binary(walker, node, thread, x, y, out);
  else if (node->kind == NODE_BUILTIN) // the smaller, or the larger
    smb_signature_note(walker->block, x < y);
  else if (node->kind == NODE_CAST && node->type->kind == KIND_BOOL)
    smb_signature_note(walker->block, (guint64)sign_of(x));
  else if (node->kind == NODE_CAST)
    require_exact(walker, node, thread, out, x);
  else if (node->kind == NODE_NEGATE)
    require_exact(walker, node, thread, out, -x);
  else
    require_exact(walker, node, thread, out, x + y * node->integer);
}

void
smb_walk_watch(Walker *walker, const Node *node, const Mask *mask, const void *a, const void *b,
               const void *out) {
  gboolean calls = node->kind == NODE_BUILTIN;
  const Type *left = calls ? node->arguments[0]->type : node->a->type;
  const Type *right = !b ? NULL : calls ? node->arguments[1]->type : node->b->type;
  FOR_WARPS(walker->block, mask, w) {
    FOR_LANES(mask->warp[w], lane) {
      guint thread = w * walker->block->lanes + lane;
      Wide y = right ? read_integer(right, b, thread) : 0;
      watch_lane(walker, node, thread, read_integer(left, a, thread), y, out);
    }
  }
}
