// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Operations on values that are affine in blockIdx, in a block whose signature is wanted: what they decide becomes
// part of it, and so do the quotients that have to be affine (sim/machine/signature.h).
#include "sim/cuda/lower/impl.h"
#include "sim/machine/signature.h"

// Holds sums and products of all integers exactly, but for some of numbers of 64 bits.
__extension__ typedef __int128 Wide;

// The lanes of a warp that execute an operation.
typedef struct {
  SmbBlock *block;
  const Node *node;
  SmbLanes lanes;
  const Type *left, *right; // of its operands; NULL: there is none
  const void *a, *b;
  const void *out;
} Watch;

typedef struct {
  Wide x, y, result;
} Numbers;

static Wide
read_watched_integer(const Type *type, const void *values, guint lane) {
  SmbScalar kind = smb_cuda_scalar(type->kind);
  if (kind == SMB_SCALAR_U64)
    return ((const guint64 *)values)[lane];
  if (kind == SMB_SCALAR_I64)
    return ((const gint64 *)values)[lane];
  return kind == SMB_SCALAR_U32 ? (Wide)((const guint32 *)values)[lane]
                                : (Wide)((const gint32 *)values)[lane];
}

static Numbers
read_numbers(const Watch *watch, guint lane) {
  return (Numbers){.x = read_watched_integer(watch->left, watch->a, lane),
                   .y = watch->right ? read_watched_integer(watch->right, watch->b, lane) : 0,
                   .result = read_watched_integer(watch->node->type, watch->out, lane)};
}

static guint
count_bits(const Type *type) {
  return 8 * (guint)smb_scalar_bytes(smb_cuda_scalar(type->kind));
}

static gint
sign_of(Wide value) {
  return (value > 0) - (value < 0);
}

// Of the exact quotient x / divisor, which has to be the same part of a whole every so many blocks.
static void
note_hint(const Watch *watch, guint number, Wide x, guint64 divisor) {
  const SmbQuotient hint = {(const char *)watch->node + number, 1, divisor, (gint64)x};
  smb_signature_hint(watch->block, &hint);
}

// --- sums and products

// What the result would be with integers of any size; FALSE: it has too many bits.
static gboolean
find_exact(const Node *node, const Numbers *n, Wide *exact) {
  Wide x = n->x, y = n->y;
  *exact = x;
  if (node->kind == NODE_CAST)
    return TRUE;
  if (node->kind == NODE_POINTER_ADD)
    return !__builtin_mul_overflow(y, (Wide)node->integer, &y) &&
           !__builtin_add_overflow(x, y, exact);
  if (node->kind == NODE_BUILTIN || node->kind == NODE_NEGATE) {
    *exact = node->kind == NODE_NEGATE || x < 0 ? -x : x;
    return TRUE;
  }
  if (node->op == OPERATOR_MUL)
    return !__builtin_mul_overflow(x, y, exact);
  if (node->op == OPERATOR_SHL)
    return y < 64 ? !__builtin_mul_overflow(x, (Wide)1 << y, exact) : x == 0;
  *exact = node->op == OPERATOR_SUB ? x - y : x + y;
  return TRUE;
}

// How often the result wraps around.
static void
watch_exact(const Watch *watch) {
  gint64 wraps[SMB_MAX_LANES];
  guint bits = count_bits(watch->node->type);
  FOR_LANES(watch->lanes, lane) {
    const Numbers n = read_numbers(watch, lane);
    Wide exact;
    if (!find_exact(watch->node, &n, &exact)) {
      smb_signature_refuse(watch->block);
      return;
    }
    wraps[lane] = (gint64)((exact - n.result) >> bits);
  }
  smb_signature_quotients(watch->block, watch->lanes, wraps);
}

// --- quotients

// Of a division, or of the one whose rest is the result: it is rounded up if the dividend is negative.
static void
watch_quotient(const Watch *watch) {
  gint64 quotients[SMB_MAX_LANES], wraps[SMB_MAX_LANES];
  guint bits = count_bits(watch->node->type);
  gboolean shifts = watch->node->op == OPERATOR_SHR, divides = watch->node->op == OPERATOR_DIV;
  FOR_LANES(watch->lanes, lane) {
    const Numbers n = read_numbers(watch, lane);
    Wide exact = shifts || n.y == 0 ? n.result : n.x / n.y;
    if (!shifts)
      smb_signature_note(watch->block, n.x < 0);
    if (exact > G_MAXINT64)
      smb_signature_refuse(watch->block);
    quotients[lane] = (gint64)exact;
    wraps[lane] = divides ? (gint64)((exact - n.result) >> bits) : 0;
  }
  smb_signature_quotients(watch->block, watch->lanes, quotients);
  smb_signature_quotients(watch->block, watch->lanes, wraps);
  const Numbers n = read_numbers(watch, smb_lanes_first(watch->lanes));
  if (shifts)
    note_hint(watch, 0, n.x, n.y < 63 ? (guint64)1 << n.y : 0);
  else
    note_hint(watch, 0, n.x, (guint64)(n.y < 0 ? -n.y : n.y));
}

// Bits of the result are those of the affine operand, or their opposites, or 0 or 1, as those of the other operand say. Bits of
// one kind from i up to j are the quotient by 2^i, less 2^(j - i) times that by 2^j.
static void
watch_bits(const Watch *watch) {
  guint64 runs[SMB_MAX_LANES] = {0}, any = 0;
  gboolean right = watch->node->right_depends;
  guint bits = count_bits(watch->node->type);
  guint64 within = bits < 64 ? ((guint64)1 << bits) - 2 : ~(guint64)1;
  FOR_LANES(watch->lanes, lane) {
    const Numbers n = read_numbers(watch, lane);
    guint64 other = (guint64)(right ? n.x : n.y);
    runs[lane] = (other ^ other << 1) & within;
    any |= runs[lane];
  }
  for (; any; any &= any - 1) {
    gint64 quotients[SMB_MAX_LANES] = {0};
    guint bit = (guint)__builtin_ctzll(any);
    SmbLanes lanes = 0;
    FOR_LANES(watch->lanes, lane) {
      const Numbers n = read_numbers(watch, lane);
      if (!(runs[lane] >> bit & 1))
        continue;
      quotients[lane] = (gint64)((right ? n.y : n.x) >> bit);
      if (!lanes)
        note_hint(watch, bit, right ? n.y : n.x, (guint64)1 << bit);
      lanes |= (SmbLanes)1 << lane;
    }
    smb_signature_quotients(watch->block, lanes, quotients);
  }
}

// --- what is decided

// Two values that differ at both ends may be the same between them, so of their difference the sign is noted.
static void
watch_outcome(const Watch *watch) {
  const Node *node = watch->node;
  gboolean compares = node->kind == NODE_BINARY;
  gboolean equates = compares && (node->op == OPERATOR_EQ || node->op == OPERATOR_NE);
  FOR_LANES(watch->lanes, lane) {
    const Numbers n = read_numbers(watch, lane);
    guint64 word = equates || node->kind == NODE_CAST ? (guint64)sign_of(n.x - n.y)
                   : compares                         ? (guint64)n.result
                                                      : n.x < n.y;
    smb_signature_note(watch->block, word);
  }
}

static void
watch_binary(const Watch *watch) {
  switch ((Operator)watch->node->op) {
  case OPERATOR_ADD:
  case OPERATOR_SUB:
  case OPERATOR_MUL:
  case OPERATOR_SHL:
    watch_exact(watch);
    return;
  case OPERATOR_DIV:
  case OPERATOR_MOD:
  case OPERATOR_SHR:
    watch_quotient(watch);
    return;
  case OPERATOR_AND:
  case OPERATOR_OR:
  case OPERATOR_XOR:
    watch_bits(watch);
    return;
  case OPERATOR_EQ:
  case OPERATOR_NE:
  case OPERATOR_LT:
  case OPERATOR_LE:
  case OPERATOR_GT:
  case OPERATOR_GE:
    watch_outcome(watch);
    return;
  }
  g_assert_not_reached();
}

static void
watch_warp(const Watch *watch) {
  const Node *node = watch->node;
  if (node->kind == NODE_BINARY) {
    watch_binary(watch);
    return;
  }
  // Which is the smaller one, and of which sign it is.
  gboolean tests = node->kind == NODE_CAST && node->type->kind == KIND_BOOL;
  gboolean calls = node->kind == NODE_BUILTIN;
  if (tests || calls)
    watch_outcome(watch);
  if (!tests && (!calls || node->builtin == BUILTIN_ABS))
    watch_exact(watch);
}

void
smb_lowered_watch(SmbBlock *block, const Node *node, SmbLanes lanes, const void *a, const void *b,
                  const void *out) {
  gboolean calls = node->kind == NODE_BUILTIN;
  const Watch watch = {.block = block,
                       .node = node,
                       .lanes = lanes,
                       .left = calls ? node->arguments[0]->type : node->a->type,
                       .right = !b      ? NULL
                                : calls ? node->arguments[1]->type
                                        : node->b->type,
                       .a = a,
                       .b = b,
                       .out = out};
  watch_warp(&watch);
}
