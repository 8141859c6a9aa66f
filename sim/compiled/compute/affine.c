// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Operations on values that are affine in blockIdx, in a block whose signature is wanted (sim/machine/signature.h): what
// they decide becomes part of it. A row that is marked ROW_AFFINE is affine as a signed number of its width. Where it
// is seen as an unsigned number, its signs are noted: those of equal sign differ by a constant. A result that
// wraps around is the exact one less a multiple of 2^width, which is noted: between blocks of equal multiples it is affine.
#include "sim/compiled/compute/compute-impl.h"
#include "sim/compiled/compute/scalar.h"

typedef struct {
  const Compute *compute;
  const Registers *registers;
  SmbLanes lanes;
  const OperationEntry *entry;
  gboolean affine[COMPUTE_SOURCES]; // operands; the others are the same in all blocks
} Watch;

// An operand as an integer, as its shape says; as a signed one if @is_signed.
static Wide
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
static Wide
read_result(const Watch *watch, const guint32 *out, guint lane) {
  guint n = watch->registers->n_lanes;
  if (watch->compute->n_rows[0] == 1)
    return (gint32)out[lane];
  return (gint64)join_32(out[lane], out[n + lane]);
}

static void
mix(guint64 *hash, guint64 word) {
  *hash = (*hash ^ word) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
  *hash ^= *hash >> 32;
}

static void
note(const Watch *watch, guint64 word) {
  smb_signature_note(watch->registers->block, word);
}

// Whether an operand is taken as a signed number whatever its shape says, since the result is one of no more bits,
// which the signs do not change.
static gboolean
is_modular(const Watch *watch, guint source) {
  return watch->compute->n_rows[1 + source] >= watch->compute->n_rows[0];
}

// The signs of operands that are seen as unsigned.
static void
note_signs(const Watch *watch) {
  for (guint i = 0; i < watch->compute->n_sources; i++) {
    Shape shape = (Shape)watch->entry->info.sources[i];
    if (!watch->affine[i] || shape == SHAPE_S32 || shape == SHAPE_S64)
      continue;
    SmbLanes negative = 0;
    FOR_LANES(watch->lanes, lane)
    negative |= (SmbLanes)(read_integer(watch, i, lane, TRUE) < 0) << lane;
    note(watch, negative);
  }
}

// --- sums and products

static Wide
compute_exactly(const Watch *watch, guint lane) {
  Wide v[3] = {0, 0, 0};
  for (guint i = 0; i < watch->compute->n_sources; i++)
    v[i] = read_integer(watch, i, lane, is_modular(watch, i));
  switch ((Affine)watch->entry->affine) {
  case AFFINE_MOVE:
    return v[0];
  case AFFINE_ADD:
    return v[0] + v[1];
  case AFFINE_SUBTRACT:
    return v[0] - v[1];
  case AFFINE_NEGATE:
    return -v[0];
  case AFFINE_COMPLEMENT:
    return -v[0] - 1;
  case AFFINE_MULTIPLY:
    return v[0] * v[1] + v[2];
  case AFFINE_SHIFT: // by 64 or more: of nothing
    v[1] = read_integer(watch, 1, lane, FALSE);
    return v[1] < 64 ? v[0] * ((Wide)1 << v[1]) : 0;
  case AFFINE_OR: // of numbers that have no bit in common
    return v[0] + v[1];
  case AFFINE_NONE:
  case AFFINE_OUTCOME:
  case AFFINE_EXTREME:
  case AFFINE_REST:
  case AFFINE_AND:
    break;
  }
  g_assert_not_reached();
}

// How often the result wraps around, in each lane.
static guint
watch_exact(const Watch *watch, const guint32 *out) {
  guint bits = 32u * watch->compute->n_rows[0];
  guint64 hash = 0;
  for (guint i = 0; i < watch->compute->n_sources; i++)
    if (!is_modular(watch, i)) {
      note_signs(watch);
      break;
    }
  FOR_LANES(watch->lanes, lane) {
    Wide wraps = (compute_exactly(watch, lane) - read_result(watch, out, lane)) >> bits;
    if (wraps != 0) {
      mix(&hash, lane);
      mix(&hash, (guint64)wraps);
    }
  }
  note(watch, hash);
  return ROW_AFFINE;
}

// --- what is decided

static guint
watch_outcome(const Watch *watch, const guint32 *out) {
  guint64 hash = 0;
  note_signs(watch);
  FOR_LANES(watch->lanes, lane)
  mix(&hash, (guint64)read_result(watch, out, lane));
  note(watch, hash);
  return 0;
}

// Two values that differ at both ends may be the same between them, so the sign of their difference is noted.
static guint
watch_comparison(const Watch *watch) {
  SmbLanes less = 0, more = 0;
  Operation operation = (Operation)watch->compute->operation;
  note_signs(watch);
  FOR_LANES(watch->lanes, lane) {
    Wide x = read_integer(watch, 0, lane, FALSE), y = read_integer(watch, 1, lane, FALSE);
    less |= (SmbLanes)(x < y) << lane;
    more |= (SmbLanes)(x > y) << lane;
  }
  note(watch, less);
  if (operation == OPERATION_EQ_32 || operation == OPERATION_EQ_64)
    note(watch, more);
  return 0;
}

// The smaller or the larger one: of the same operand in all blocks.
static guint
watch_extreme(const Watch *watch) {
  watch_comparison(watch);
  return ROW_AFFINE;
}

// If the quotient is the same in all blocks, what remains is affine.
static guint
watch_rest(const Watch *watch) {
  guint64 hash = 0;
  note_signs(watch);
  FOR_LANES(watch->lanes, lane) {
    Wide x = read_integer(watch, 0, lane, FALSE), y = read_integer(watch, 1, lane, FALSE);
    mix(&hash, (guint64)(y == 0 ? 0 : x / y));
  }
  note(watch, hash);
  return ROW_AFFINE;
}

// Of low bits what remains is affine if the bits above are the same in all blocks; those themselves are the same then.
// Other masks tell nothing.
static guint
watch_and(const Watch *watch) {
  guint mask_source = watch->affine[0] ? 1 : 0;
  guint64 hash = 0;
  FOR_LANES(watch->lanes, lane) {
    Wide x = read_integer(watch, 1 - mask_source, lane, TRUE);
    Wide mask = read_integer(watch, mask_source, lane, TRUE);
    guint64 low = (guint64)(mask < 0 ? ~mask : mask);
    if (low & (low + 1))
      return ROW_BLOCK;
    mix(&hash, (guint64)(x >> (guint)__builtin_popcountll(low)));
  }
  note(watch, hash);
  return ROW_AFFINE;
}

// --- low bits that are 0 in all blocks: what is or-ed to these is added

static guint
count_zeros(const Compute *compute, const Registers *registers, guint source) {
  Row row = compute->s[source];
  if (row_flags(registers, row) & ROW_AFFINE)
    return registers->zeros[row];
  guint64 any = 0;
  for (guint lane = 0; lane < registers->n_lanes; lane++)
    any |= smb_compute_read(compute, registers, source, lane).value;
  return any ? (guint)__builtin_ctzll(any) : 64;
}

// By how many bits at least a shift goes.
static guint
find_least_amount(const Compute *compute, const Registers *registers) {
  guint64 least = 64;
  FOR_LANES(registers->lanes, lane)
  least = MIN(least, smb_compute_read(compute, registers, 1, lane).value);
  return (guint)least;
}

guint
smb_affine_zeros(const Compute *compute, const Registers *registers) {
  guint zeros[3] = {64, 64, 64};
  for (guint i = 0; i < compute->n_sources; i++)
    zeros[i] = count_zeros(compute, registers, i);
  switch ((Affine)smb_operation_entry((Operation)compute->operation)->affine) {
  case AFFINE_MOVE:
  case AFFINE_NEGATE:
    return zeros[0];
  case AFFINE_ADD:
  case AFFINE_SUBTRACT:
  case AFFINE_OR:
    return MIN(zeros[0], zeros[1]);
  case AFFINE_MULTIPLY:
    return MIN(MIN(zeros[0] + zeros[1], 64), zeros[2]);
  case AFFINE_SHIFT:
    return MIN(zeros[0] + find_least_amount(compute, registers), 64);
  case AFFINE_AND:
    return MAX(zeros[0], zeros[1]);
  case AFFINE_COMPLEMENT:
  case AFFINE_NONE:
  case AFFINE_OUTCOME:
  case AFFINE_EXTREME:
  case AFFINE_REST:
    break;
  }
  return 0;
}

// Whether an operand that is the same in all blocks has 1s only where the other one, which is affine, has 0s.
static gboolean
has_no_bit_in_common(const Watch *watch) {
  guint affine = watch->affine[0] ? 0 : 1;
  guint zeros = count_zeros(watch->compute, watch->registers, affine);
  FOR_LANES(watch->lanes, lane) {
    guint64 other = smb_compute_read(watch->compute, watch->registers, 1 - affine, lane).value;
    if (zeros < 64 && other >> zeros)
      return FALSE;
  }
  return TRUE;
}

// --- which of them

// Operands that may be affine, as bits.
static guint
find_allowed(Affine affine) {
  switch (affine) {
  case AFFINE_NONE:
    return 0;
  case AFFINE_OUTCOME:
  case AFFINE_REST:
  case AFFINE_SHIFT:
    return 1;
  case AFFINE_MOVE:
  case AFFINE_ADD:
  case AFFINE_SUBTRACT:
  case AFFINE_NEGATE:
  case AFFINE_COMPLEMENT:
  case AFFINE_EXTREME:
  case AFFINE_MULTIPLY:
  case AFFINE_AND:
  case AFFINE_OR:
    return 7;
  }
  g_assert_not_reached();
}

static gboolean
is_followed(const Watch *watch, gboolean compares) {
  Affine affine = (Affine)watch->entry->affine;
  guint allowed = compares ? 3 : find_allowed(affine);
  gboolean alone = affine == AFFINE_MULTIPLY || affine == AFFINE_AND || affine == AFFINE_OR;
  if (alone && watch->affine[0] && watch->affine[1])
    return FALSE;
  for (guint i = 0; i < watch->compute->n_sources; i++) {
    Shape shape = (Shape)watch->entry->info.sources[i];
    gboolean fits = shape >= SHAPE_U32 && shape <= SHAPE_S64;
    if (watch->affine[i] && (!fits || !(allowed >> i & 1)))
      return FALSE;
  }
  return compares || affine != AFFINE_OR || has_no_bit_in_common(watch);
}

guint
smb_affine_watch(const Compute *compute, const Registers *registers, SmbLanes lanes, guint flags,
                 const guint32 *out) {
  Watch watch = {.compute = compute,
                 .registers = registers,
                 .lanes = lanes,
                 .entry = smb_operation_entry((Operation)compute->operation)};
  gboolean compares = watch.entry->info.result == SHAPE_PREDICATE;
  guint taint = flags & ROW_TAINT;
  for (guint i = 0; i < compute->n_sources; i++)
    watch.affine[i] = (row_flags(registers, compute->s[i]) & ROW_AFFINE) != 0;
  if (taint & ROW_BLOCK || !is_followed(&watch, compares))
    return taint | ROW_BLOCK;
  if (compares)
    return taint | watch_comparison(&watch);
  switch ((Affine)watch.entry->affine) {
  case AFFINE_OUTCOME:
    return taint | watch_outcome(&watch, out);
  case AFFINE_EXTREME:
    return taint | watch_extreme(&watch);
  case AFFINE_REST:
    return taint | watch_rest(&watch);
  case AFFINE_AND:
    return taint | watch_and(&watch);
  case AFFINE_NONE:
  case AFFINE_MOVE:
  case AFFINE_ADD:
  case AFFINE_SUBTRACT:
  case AFFINE_NEGATE:
  case AFFINE_COMPLEMENT:
  case AFFINE_MULTIPLY:
  case AFFINE_SHIFT:
  case AFFINE_OR:
    return taint | watch_exact(&watch, out);
  }
  g_assert_not_reached();
}
