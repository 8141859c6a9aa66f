// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Operations on values that are affine in blockIdx, in a block whose signature is wanted (sim/machine/signature.h): what
// they decide becomes part of it. A row that is marked ROW_AFFINE is affine as a signed number of its width. Where it
// is seen as an unsigned number, its signs are noted: those of equal sign differ by a constant. A result that
// wraps around is the exact one less a multiple of 2^width, which is noted: between blocks of equal multiples it is affine.
// Of a pair whose rows are numbers of their own (Compute.is_parted) the high word and the sign of the low one are
// noted: then the low word is affine, and the high one the same in all blocks.
#include <string.h>

#include "sim/compiled/compute/compute-impl.h"
#include "sim/compiled/compute/scalar.h"
#include "sim/machine/lanes.h"

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

// Whether the low word of a pair is negative, as a number of its own.
static void
note_low_signs(const Watch *watch) {
  for (guint i = 0; i < watch->compute->n_sources; i++) {
    Row row = watch->compute->s[i];
    if (watch->compute->n_rows[1 + i] == 1 ||
        !(row_flags_in(watch->registers, row, watch->lanes) & ROW_AFFINE))
      continue;
    SmbLanes negative = 0;
    FOR_LANES(watch->lanes, lane)
    negative |= (SmbLanes)(row_values(watch->registers, row)[lane] >> 31) << lane;
    note(watch, negative);
  }
}

// The bits of the result from the highest one of the low word on, or of the whole.
static void
note_parts(const Watch *watch, const guint32 *out) {
  guint shift = watch->compute->is_parted ? 31 : 32u * watch->compute->n_rows[0] - 1;
  guint64 hash = 0;
  FOR_LANES(watch->lanes, lane)
  mix(&hash, (guint64)(read_result(watch, out, lane) >> shift));
  note(watch, hash);
}

// --- sums and products

// Operands of all lanes. One that is taken as unsigned has fewer bits than the result, so that 64 bits hold it.
typedef struct {
  gint64 of[3][SMB_MAX_LANES];
} Numbers;

static void
read_numbers(const Watch *watch, Numbers *numbers) {
  const Compute *compute = watch->compute;
  guint n = watch->registers->n_lanes;
  memset(numbers, 0, sizeof *numbers);
  for (guint i = 0; i < compute->n_sources; i++) {
    const guint32 *low = row_values(watch->registers, compute->s[i]);
    gint64 *to = numbers->of[i];
    Shape shape = (Shape)watch->entry->info.sources[i];
    gboolean is_amount = watch->entry->affine == AFFINE_SHIFT && i == 1;
    if (compute->n_rows[1 + i] == 2)
      EACH_LANE(n, to[lane] = (gint64)join_32(low[lane], low[n + lane]);)
    else if (shape == SHAPE_S32 || (is_modular(watch, i) && !is_amount))
      EACH_LANE(n, to[lane] = (gint32)low[lane];)
    else
      EACH_LANE(n, to[lane] = low[lane];)
  }
}

// The bits that an operand takes in any lane, but for its sign.
static guint
measure(const Numbers *numbers, guint source, guint n) {
  guint64 any = 0;
  EACH_LANE(n, {
    gint64 number = numbers->of[source][lane];
    any |= (guint64)(number < 0 ? ~number : number);
  })
  return any ? 64 - (guint)__builtin_clzll(any) : 0;
}

// Likewise the exact result, at most.
static guint
measure_result(const Watch *watch, const Numbers *numbers) {
  guint size[3];
  for (guint i = 0; i < G_N_ELEMENTS(size); i++)
    size[i] = measure(numbers, i, watch->registers->n_lanes);
  switch ((Affine)watch->entry->affine) {
  case AFFINE_MOVE:
    return size[0];
  case AFFINE_ADD:
  case AFFINE_SUBTRACT:
    return MAX(MAX(size[0], size[1]), size[2]) + (watch->compute->n_sources > 2 ? 2 : 1);
  case AFFINE_NEGATE:
  case AFFINE_COMPLEMENT:
  case AFFINE_OR:
    return MAX(size[0], size[1]) + 1;
  case AFFINE_MULTIPLY:
    return MAX(size[0] + size[1], size[2]) + 1;
  case AFFINE_SHIFT:
    return size[1] < 6 ? size[0] + (1u << size[1]) - 1 : G_MAXUINT;
  case AFFINE_NONE:
  case AFFINE_OUTCOME:
  case AFFINE_EXTREME:
  case AFFINE_REST:
  case AFFINE_AND:
    break;
  }
  g_assert_not_reached();
}

// The hash of how often the result, of @bits, wraps around in each lane; @exact: what it is exactly of x, y and z.
#define HASH_WRAPS(exact)                                                                          \
  FOR_LANES(watch->lanes, lane) {                                                                  \
    Wide x = numbers.of[0][lane], y = numbers.of[1][lane], z = numbers.of[2][lane];                \
    Wide wraps = ((exact)-read_result(watch, out, lane)) >> bits;                                  \
    (void)y, (void)z;                                                                              \
    if (wraps != 0) {                                                                              \
      mix(&hash, lane);                                                                            \
      mix(&hash, (guint64)wraps);                                                                  \
    }                                                                                              \
  }                                                                                                \
  break;

static guint64
hash_wraps(const Watch *watch, const guint32 *out) {
  Numbers numbers;
  guint bits = 32u * watch->compute->n_rows[0];
  guint64 hash = 0;
  read_numbers(watch, &numbers);
  if (measure_result(watch, &numbers) < bits)
    return 0;
  switch ((Affine)watch->entry->affine) {
  case AFFINE_MOVE:
    HASH_WRAPS(x)
  case AFFINE_ADD:
  case AFFINE_OR: // of numbers that have no bit in common
    HASH_WRAPS(x + y + z)
  case AFFINE_SUBTRACT:
    HASH_WRAPS(x - y + z)
  case AFFINE_NEGATE:
    HASH_WRAPS(-x)
  case AFFINE_COMPLEMENT:
    HASH_WRAPS(-x - 1)
  case AFFINE_MULTIPLY:
    HASH_WRAPS(x * y + z)
  case AFFINE_SHIFT: // by 64 or more: of nothing
    HASH_WRAPS(y < 64 ? x * ((Wide)1 << y) : 0)
  case AFFINE_NONE:
  case AFFINE_OUTCOME:
  case AFFINE_EXTREME:
  case AFFINE_REST:
  case AFFINE_AND:
    g_assert_not_reached();
  }
  return hash;
}

// How often the result wraps around, in each lane.
static guint
watch_exact(const Watch *watch, const guint32 *out) {
  for (guint i = 0; i < watch->compute->n_sources; i++)
    if (!is_modular(watch, i)) {
      note_signs(watch);
      break;
    }
  note(watch, hash_wraps(watch, out));
  if (watch->compute->is_parted && watch->compute->n_rows[0] == 2)
    note_parts(watch, out);
  return ROW_AFFINE;
}

// Nothing times an affine value: the high word of an offset of 32 bits. The result is the same in all blocks.
static gboolean
vanishes(const Watch *watch) {
  guint factor = watch->affine[0] ? 1 : 0;
  if (watch->compute->n_sources > 2 && watch->affine[2])
    return FALSE;
  FOR_LANES(watch->lanes, lane) {
    if (read_integer(watch, factor, lane, FALSE) != 0)
      return FALSE;
  }
  return TRUE;
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
count_zeros(const Compute *compute, const Registers *registers, SmbLanes lanes, guint source) {
  Row from = compute->s[source];
  if (row_flags_in(registers, from, lanes) & ROW_AFFINE)
    return registers->zeros[from];
  if (row_flags_in(registers, from + compute->n_rows[1 + source] - 1, lanes) & ROW_AFFINE)
    return 0;
  guint n = registers->n_lanes;
  const guint32 *values = row_values(registers, from);
  guint64 any = 0;
  for (guint half = 0; half < compute->n_rows[1 + source]; half++)
    EACH_LANE(n, any |= (guint64)values[half * n + lane] << (32 * half);)
  Shape shape = (Shape)smb_operation_info((Operation)compute->operation)->sources[source];
  any = smb_extend(shape, bits_make(any, 0)).value;
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
smb_affine_zeros(const Compute *compute, const Registers *registers, SmbLanes lanes) {
  guint zeros[COMPUTE_SOURCES] = {64, 64, 64, 64};
  for (guint i = 0; i < compute->n_sources; i++)
    zeros[i] = count_zeros(compute, registers, lanes, i);
  switch ((Affine)smb_operation_entry((Operation)compute->operation)->affine) {
  case AFFINE_MOVE:
  case AFFINE_NEGATE:
    return zeros[0];
  case AFFINE_ADD:
  case AFFINE_SUBTRACT:
  case AFFINE_OR:
    return MIN(MIN(zeros[0], zeros[1]), zeros[2]);
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
  guint zeros = count_zeros(watch->compute, watch->registers, watch->lanes, affine);
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

static Watch
begin_watch(const Compute *compute, const Registers *registers, SmbLanes lanes) {
  Watch watch = {.compute = compute,
                 .registers = registers,
                 .lanes = lanes,
                 .entry = smb_operation_entry((Operation)compute->operation)};
  for (guint i = 0; i < compute->n_sources; i++) {
    Row row = compute->s[i];
    guint flags = row_flags_in(registers, row, lanes) |
                  row_flags_in(registers, row + compute->n_rows[1 + i] - 1, lanes);
    watch.affine[i] = (flags & ROW_AFFINE) != 0;
  }
  if (compute->is_parted)
    note_low_signs(&watch);
  return watch;
}

// Which operations with a carry are sums of operands, but for the product of the first two.
static gboolean
is_carry_followed(const Watch *watch, gboolean *multiplies) {
  const Compute *compute = watch->compute;
  *multiplies = TRUE;
  switch ((guint)compute->operation) {
  case OPERATION_ADD_CARRY_32:
  case OPERATION_ADD_CARRY_64:
    *multiplies = FALSE;
    return TRUE;
  case OPERATION_ADD3_CARRY_32: // carries of more could go unnoticed
    *multiplies = FALSE;
    return compute->table < SUM_CARRY ? __builtin_popcount(compute->table) < 2
                                      : !(compute->table & (SUM_CARRY - 1));
  case OPERATION_MAD_CARRY_32:
  case OPERATION_MAD_CARRY_64:
  case OPERATION_MAD_WIDE_CARRY_U32:
  case OPERATION_MAD_WIDE_CARRY_S32:
    return !watch->affine[0] || !watch->affine[1];
  }
  return FALSE;
}

gboolean
smb_affine_carry(const Compute *compute, const Registers *registers, SmbLanes lanes,
                 const guint32 *out) {
  Watch watch = begin_watch(compute, registers, lanes);
  gboolean multiplies;
  if (!is_carry_followed(&watch, &multiplies))
    return FALSE;
  note_signs(&watch);
  guint64 hash = 0;
  if (multiplies)
    FOR_LANES(lanes, lane) {
      Wide product = read_integer(&watch, 0, lane, FALSE) * read_integer(&watch, 1, lane, FALSE);
      mix(&hash, (guint64)(product >> 32u * compute->n_rows[0]));
    }
  note(&watch, hash);
  note_parts(&watch, out);
  return TRUE;
}

guint
smb_affine_watch(const Compute *compute, const Registers *registers, SmbLanes lanes, guint flags,
                 const guint32 *out) {
  Watch watch = begin_watch(compute, registers, lanes);
  gboolean compares = watch.entry->info.result == SHAPE_PREDICATE;
  guint taint = flags & ROW_TAINT;
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
  case AFFINE_SHIFT:
  case AFFINE_OR:
    return taint | watch_exact(&watch, out);
  case AFFINE_MULTIPLY:
    return vanishes(&watch) ? taint : taint | watch_exact(&watch, out);
  }
  g_assert_not_reached();
}
