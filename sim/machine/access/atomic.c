// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Atomics: what they leave in memory, and which instruction they become. The lanes of a warp take their
// turns in rising order.
#include <math.h>
#include <string.h>

#include "sim/arch/arch.h"
#include "sim/arch/rule.h"
#include "sim/arch/words.h"
#include "sim/machine/access/access.h"

// What an atomic leaves in memory, from what was there and its operand.
static gint64
combine_integers(const Move *move, gint64 old, gint64 value) {
  gboolean is_unsigned = move->kind == SMB_SCALAR_U32 || move->kind == SMB_SCALAR_U64;
  gboolean less = is_unsigned ? (guint64)old < (guint64)value : old < value;
  switch (move->atomic) {
  case ATOMIC_ADD:
    return (gint64)((guint64)old + (guint64)value);
  case ATOMIC_SUB:
    return (gint64)((guint64)old - (guint64)value);
  case ATOMIC_EXCHANGE:
    return value;
  case ATOMIC_MIN:
    return less ? old : value;
  case ATOMIC_MAX:
    return less ? value : old;
  case ATOMIC_AND:
    return old & value;
  case ATOMIC_OR:
    return old | value;
  case ATOMIC_XOR:
    return old ^ value;
  case ATOMIC_INCREMENT:
    return less ? old + 1 : 0;
  case ATOMIC_DECREMENT:
    return old == 0 || (guint64)old > (guint64)value ? value : old - 1;
  case ATOMIC_CAS:
    break;
  }
  g_assert_not_reached();
}

// Whether the hardware has an atomic as one instruction on shared memory. The others are loops.
static gboolean
is_single(const SmbArch *arch, Atomic atomic, SmbScalar kind) {
  guint all_of = smb_arch_info(arch)->single_atomics;
  if (kind == SMB_SCALAR_I32 || kind == SMB_SCALAR_U32 || atomic == ATOMIC_EXCHANGE ||
      atomic == ATOMIC_CAS)
    return TRUE;
  return all_of >= (kind == SMB_SCALAR_F64 ? SMB_SINGLE_DOUBLES : SMB_SINGLE_FLOATS);
}

// Adding the constant 1 and dropping the result is counted by the hardware itself where the compiler uses
// that (seen in what it makes for sm_90, not for sm_75). Of the loops, minimum and maximum swap only as
// long as they have something to change: of these, only the first load is sure.
// One of 16 bits is a loop on the word that they are in; a compare-and-swap stops where the comparison fails (seen for
// sm_90).
SmbOp
smb_atomic_op(const SmbArch *arch, Atomic atomic, SmbScalar kind, gboolean increments) {
  if (kind == SMB_SCALAR_U16)
    return SMB_OP_LD;
  if (!is_single(arch, atomic, kind))
    return atomic == ATOMIC_MIN || atomic == ATOMIC_MAX ? SMB_OP_LD : SMB_OP_ATOM_LOOP;
  if (atomic == ATOMIC_CAS)
    return SMB_OP_CAS;
  return increments && smb_arch_info(arch)->has_increment ? SMB_OP_RED_UNIFORM : SMB_OP_ATOM;
}

static gboolean
check_shared_atomic(SmbBlock *block, const Move *move) {
  SmbOp atomic = move->op == SMB_OP_LD ? SMB_OP_ATOM_LOOP : move->op;
  if (smb_arch_rule(block->arch, atomic, move->width)->defined)
    return TRUE;
  gboolean has_others = smb_arch_rule(block->arch, SMB_OP_ATOM, 4)->defined;
  return smb_block_fail(block, move->place,
                        has_others ? "%s has no rule for this atomic on shared memory"
                                   : "%s has no atomics on shared memory",
                        smb_arch_info(block->arch)->name);
}

static float
float_of(guint64 bits, gboolean flushes) {
  guint32 low = (guint32)bits;
  float real;
  if (flushes && (low & 0x7f800000) == 0)
    low &= 0x80000000;
  memcpy(&real, &low, sizeof real);
  return real;
}

static guint32
float_bits(float real, gboolean flushes) {
  guint32 bits;
  memcpy(&bits, &real, sizeof bits);
  if (isnan(real))
    return 0x7fffffff;
  return flushes && (bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits;
}

static double
double_of(guint64 bits) {
  double real;
  memcpy(&real, &bits, sizeof real);
  return real;
}

// Sums, and of halves extremes, where a number prevails over NaN (as reductions in bulk did on an H200); not those of two
// NaN, nor of two zeros.
static gboolean
combine_bits(const Move *move, guint64 old, guint64 value, gboolean flushes, guint64 *result) {
  gboolean adds = move->atomic == ATOMIC_ADD;
  if (move->kind == SMB_SCALAR_F32) {
    *result = float_bits(float_of(old, flushes) + float_of(value, flushes), flushes);
    return adds;
  }
  if (move->kind == SMB_SCALAR_F64) {
    double sum = double_of(old) + double_of(value);
    memcpy(result, &sum, sizeof sum);
    return adds;
  }
  double x = smb_half_to_real(move->kind, (guint16)old);
  double y = smb_half_to_real(move->kind, (guint16)value);
  gboolean first = isnan(y) || (move->atomic == ATOMIC_MIN ? x < y : x > y);
  if (adds)
    *result = isnan(x + y) ? 0x7fff : smb_half_from_real(move->kind, x + y);
  else
    *result = first ? old : value;
  return adds || x < y || x > y || isnan(x) != isnan(y) || (old == value && !isnan(x));
}

gboolean
smb_atomic_combine(const Move *move, guint64 old, guint64 value, gboolean flushes,
                   guint64 *result) {
  if (smb_scalar_is_real(move->kind))
    return combine_bits(move, old, value, flushes, result);
  gint64 left = smb_scalar_wrap(move->kind, (gint64)old);
  *result = (guint64)combine_integers(move, left, smb_scalar_wrap(move->kind, (gint64)value));
  return TRUE;
}

// The bits of a lane, of numbers of 4 bytes or of 8.
static guint64
bits_at(const Move *move, const void *values, guint lane) {
  return smb_scalar_is_wide(move->kind) ? ((const guint64 *)values)[lane]
                                        : ((const guint32 *)values)[lane];
}

// What one lane leaves in memory, where it found @old.
static guint64
leave_result(const Move *move, guint64 old, guint64 value, const void *swap, guint lane) {
  guint64 result = value;
  if (move->atomic == ATOMIC_CAS)
    return old == value ? bits_at(move, swap, lane) : old;
  if (move->atomic != ATOMIC_EXCHANGE)
    smb_atomic_combine(move, old, value, FALSE, &result);
  return result;
}

gboolean
smb_memory_atomic(SmbBlock *block, const Move *move, guint warp, SmbLanes lanes,
                  const guint64 *addresses, const void *operand, const void *swap, void *values) {
  Access access;
  if (!smb_access_resolve(block, move, warp, lanes, addresses, &access))
    return FALSE;
  if (access.lanes[SPACE_SHARED] && !check_shared_atomic(block, move))
    return FALSE;
  if (!smb_access_report(block, move, &access))
    return FALSE;
  FOR_LANES(lanes, lane) {
    guchar bytes[8];
    if (!smb_memory_read_lane(block, move, &access, lane, bytes))
      return FALSE;
    smb_memory_decode(move->kind, bytes, values, lane);
    guint64 result =
        leave_result(move, bits_at(move, values, lane), bits_at(move, operand, lane), swap, lane);
    memcpy(bytes, &result, sizeof bytes);
    if (!smb_memory_write_lane(block, move, &access, lane, bytes))
      return FALSE;
  }
  return smb_memory_check_kept(block, move, &access);
}
