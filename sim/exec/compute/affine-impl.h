// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// An operation on affine values that is watched: its operands, and what it notes. Private to affine.c and
// affine-quotient.c.
#pragma once

#include "sim/exec/compute/compute-impl.h"
#include "sim/exec/compute/scalar.h"
#include "sim/machine/access/lanes.h"

typedef struct {
  const Compute *compute;
  const Registers *registers;
  SmbLanes lanes;
  const OperationEntry *entry;
  gboolean affine[COMPUTE_SOURCES]; // operands; the others are the same in all blocks
} Watch;

// An operand as an integer, as its shape says; as a signed one if @is_signed.
static inline Wide
read_integer(const Watch *watch, guint source, guint lane, gboolean is_signed) {
  const Compute *compute = watch->compute;
  const Registers *registers = watch->registers;
  Shape shape = (Shape)watch->entry->info.sources[source];
  guint64 low = row_values(registers, compute->s[source])[lane];
  is_signed = is_signed || shape == SHAPE_S32 || shape == SHAPE_S64;
  if (compute->n_rows[1 + source] == 1)
    return is_signed ? (Wide)(gint32)low : (Wide)low;
  guint64 wide = low | (guint64)row_values(registers, compute->s[source] + 1)[lane] << 32;
  return is_signed ? (Wide)(gint64)wide : (Wide)wide;
}

// The result as a signed integer.
static inline Wide
read_result(const Watch *watch, const guint32 *out, guint lane) {
  guint n = watch->registers->n_lanes;
  if (watch->compute->n_rows[0] == 1)
    return (gint32)out[lane];
  return (gint64)join_32(out[lane], out[n + lane]);
}

static inline void
mix(guint64 *hash, guint64 word) {
  *hash = (*hash ^ word) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
  *hash ^= *hash >> 32;
}

static inline void
note(const Watch *watch, guint64 word) {
  smb_signature_note(watch->registers->block, word);
}

// The same of each of these lanes, which must be affine in blocks that are alike.
static inline void
note_quotients(const Watch *watch, SmbLanes lanes, const gint64 *quotients) {
  smb_signature_quotients(watch->registers->block, lanes, quotients);
}

// The @number-th quotient of the operation, of the exact one x * numerator / denominator.
static inline void
note_hint(const Watch *watch, guint number, gint64 x, guint64 numerator, guint64 denominator) {
  const SmbQuotient hint = {(const char *)watch->compute + number, numerator, denominator, x};
  smb_signature_hint(watch->registers->block, &hint);
}

static inline void
note_sign(const Watch *watch, guint source) {
  SmbLanes negative = 0;
  FOR_LANES(watch->lanes, lane)
  negative |= (SmbLanes)(read_integer(watch, source, lane, TRUE) < 0) << lane;
  note(watch, negative);
}

// Of all affine operands.
static inline void
note_all_signs(const Watch *watch) {
  for (guint i = 0; i < watch->compute->n_sources; i++)
    if (watch->affine[i])
      note_sign(watch, i);
}

// The bits of the result from the highest one of the low word on, or of the whole.
static inline void
note_parts(const Watch *watch, const guint32 *out) {
  guint shift = watch->compute->is_parted ? 31 : 32u * watch->compute->n_rows[0] - 1;
  guint64 hash = 0;
  FOR_LANES(watch->lanes, lane)
  mix(&hash, (guint64)(read_result(watch, out, lane) >> shift));
  note(watch, hash);
}

// The result is affine; of a pair whose rows are numbers of their own, the low word.
static inline guint
leave_affine(const Watch *watch, const guint32 *out) {
  if (watch->compute->is_parted && watch->compute->n_rows[0] == 2)
    note_parts(watch, out);
  return ROW_AFFINE;
}

// The first affine operand; there is one.
static inline guint
find_affine(const Watch *watch) {
  guint i = 0;
  while (!watch->affine[i])
    i++;
  return i;
}

// --- affine-quotient.c
// An operation whose result is a quotient of its operands, rounded, or what remains of it, or a part of its bits; notes
// the quotients, and returns the flags of the result.
guint smb_affine_quotient(const Watch *watch, const guint32 *out);
guint smb_affine_rest(const Watch *watch, const guint32 *out);
guint smb_affine_absolute(const Watch *watch, const guint32 *out);
guint smb_affine_bits(const Watch *watch, guint zeros, const guint32 *out);
// Whether the affine operand has few runs of bits that become such of the result; @zeros: its low bits that are always
// 0.
gboolean smb_affine_has_few_runs(const Watch *watch, guint zeros);
