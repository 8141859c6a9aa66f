// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the files of sim/exec that compute share. Private to them.
#pragma once

#include "sim/exec/compute/bits.h"
#include "sim/exec/compute/compute.h"
#include "sim/exec/compute/loop.h"
#include "sim/exec/compute/scalar.h"

// What happens to operands that are affine in blockIdx (sim/exec/compute/affine.c).
typedef enum {
  AFFINE_NONE,
  AFFINE_MOVE,
  AFFINE_ADD,
  AFFINE_SUBTRACT,
  AFFINE_NEGATE,
  AFFINE_COMPLEMENT,
  AFFINE_MULTIPLY, // and add, if there is a third operand
  AFFINE_SHIFT,
  AFFINE_QUOTIENT,
  AFFINE_EXTREME,
  AFFINE_REST,
  AFFINE_BITS,
  AFFINE_ABSOLUTE,
} Affine;

typedef enum {
  SPREAD_PARTS,  // only the rule knows
  SPREAD_WHOLE,  // the result is entirely unknown if an operand is
  SPREAD_STRICT, // or if a bit of one is
} Spread;

typedef Bits (*ComputeRule)(const Compute *compute, Bits x, Bits y, Bits z, Bits w);

typedef struct {
  OperationInfo info;
  guint8 spread;    // Spread
  guint8 affine;    // Affine
  ComputeRule rule; // unless it is strict
} OperationEntry;

const OperationEntry *smb_operation_entry(Operation operation);

// --- of operands

// The flags of all operands that are rows.
guint smb_compute_flags(const Compute *compute, const Registers *registers);
// The same, of how they depend on blockIdx as far as these lanes do.
guint smb_compute_flags_in(const Compute *compute, const Registers *registers, SmbLanes lanes);
// The first origin of unknown bits among them.
guint32 smb_compute_origin(const Compute *compute, const Registers *registers);
// An operand of one lane, extended to 64 bits as its shape says.
Bits smb_extend(Shape shape, Bits bits);
Bits smb_compute_read(const Compute *compute, const Registers *registers, guint source, guint lane);
void smb_compute_sources(const Compute *compute, const Registers *registers,
                         const guint32 **sources);

// What flags of operands become where nothing is known of how the result depends on the block.
static inline guint
taint_of(guint flags) {
  return (flags & ROW_TAINT) | (flags & ROW_AFFINE ? ROW_BLOCK : 0);
}

// For an operand that is a predicate: lanes as bits. The first one may be negated.
Bits smb_compute_in(const Compute *compute, const Registers *registers, guint i);

// Known values for some lanes of the result; others keep theirs.
void smb_compute_merge(const Compute *compute, Registers *registers, SmbLanes lanes, guint flags,
                       const guint32 *values);

// --- sums with a carry (sim/exec/compute/carry.c)

void smb_compute_carry(const Compute *compute, Registers *registers, SmbLanes lanes);
// Of three operands, with up to two carries.
void smb_compute_sum(const Compute *compute, Registers *registers, SmbLanes lanes);

// --- modifiers of floating point (sim/exec/compute/loop-modified.c)

// Whether an operation's loop needs something done before or after it.
gboolean smb_is_modified(const Compute *compute);
// The loop of the operation between these.
void smb_loop_modified(const Compute *compute, guint n, const guint32 *const *sources, guint32 *d);

// --- between lanes (sim/exec/compute/exchange.c)

void smb_exchange_shuffle(const Compute *compute, Registers *registers, SmbLanes lanes);
void smb_exchange_vote(const Compute *compute, Registers *registers, SmbLanes lanes);
void smb_exchange_ballot(const Compute *compute, Registers *registers, SmbLanes lanes);
void smb_exchange_match(const Compute *compute, Registers *registers, SmbLanes lanes);
void smb_exchange_reduce(const Compute *compute, Registers *registers, SmbLanes lanes);
void smb_exchange_reduce_real(const Compute *compute, Registers *registers, SmbLanes lanes);
void smb_exchange_transpose(const Compute *compute, Registers *registers, SmbLanes lanes);
void smb_exchange_first(const Compute *compute, Registers *registers, SmbLanes lanes);
void smb_exchange_first_predicate(const Compute *compute, Registers *registers, SmbLanes lanes);
void smb_exchange_activemask(const Compute *compute, Registers *registers, SmbLanes lanes);
void smb_exchange_elect(const Compute *compute, Registers *registers, SmbLanes lanes);

// --- slower ways

// With unknown bits in operands.
void smb_compute_unknown(const Compute *compute, Registers *registers, SmbLanes lanes, guint flags);
// The same of a comparison, before it is negated and combined: lanes in which it is true, or not known.
Bits smb_compare_unknown(const Compute *compute, const Registers *registers, SmbLanes lanes);

// With affine operands: notes in the signature what decides the result, @out, and returns the flags of it.
guint smb_affine_watch(const Compute *compute, const Registers *registers, SmbLanes lanes,
                       guint flags, const guint32 *out);
// The same of a sum with a carry, but for what is carried, which is to be noted beside: then the result is affine.
// FALSE: it is not followed.
gboolean smb_affine_carry(const Compute *compute, const Registers *registers, SmbLanes lanes,
                          const guint32 *out);
// The low bits of its result that are 0 in all blocks.
guint smb_affine_zeros(const Compute *compute, const Registers *registers, SmbLanes lanes);
