// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Operations on values that are affine in blockIdx, in a block whose signature is wanted (sim/machine/signature.h):
// what they decide becomes part of it. A row that is marked ROW_AFFINE is affine as a signed number of its width. Where
// it is seen as an unsigned number, its signs are noted: those of equal sign differ by a constant. A result that
// wraps around is the exact one less a multiple of 2^width, which is noted as a quotient is (affine-quotient.c).
// Of a pair whose rows are numbers of their own (Compute.is_parted) the high word and the sign of the low one are
// noted: then the low word is affine, and the high one the same in all blocks.
#include <string.h>

#include "sim/exec/compute/affine-impl.h"

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
    if (watch->affine[i] && shape != SHAPE_S32 && shape != SHAPE_S64)
      note_sign(watch, i);
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

// --- sums and products

// Operands of all lanes. One that is taken as unsigned has fewer bits than the result, so that 64 bits hold it.
typedef struct {
  gint64 of[3][SMB_MAX_LANES];
} Numbers;

static void
read_watched_numbers(const Watch *watch, Numbers *numbers) {
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
find_operand_bits(const Numbers *numbers, guint source, guint n) {
  guint64 any = 0;
  EACH_LANE(n, {
    gint64 number = numbers->of[source][lane];
    any |= (guint64)(number < 0 ? ~number : number);
  })
  return any ? 64 - (guint)__builtin_clzll(any) : 0;
}

// The same for the exact result, at most.
static guint
measure_result(const Watch *watch, const Numbers *numbers) {
  guint size[3];
  for (guint i = 0; i < G_N_ELEMENTS(size); i++)
    size[i] = find_operand_bits(numbers, i, watch->registers->n_lanes);
  switch ((Affine)watch->entry->affine) {
  case AFFINE_MOVE:
    return size[0];
  case AFFINE_ADD:
  case AFFINE_SUBTRACT:
    return MAX(MAX(size[0], size[1]), size[2]) + (watch->compute->n_sources > 2 ? 2 : 1);
  case AFFINE_NEGATE:
  case AFFINE_COMPLEMENT:
    return MAX(size[0], size[1]) + 1;
  case AFFINE_MULTIPLY:
    return MAX(size[0] + size[1], size[2]) + 1;
  case AFFINE_SHIFT:
    return size[1] < 6 ? size[0] + (1u << size[1]) - 1 : G_MAXUINT;
  case AFFINE_NONE:
  case AFFINE_QUOTIENT:
  case AFFINE_EXTREME:
  case AFFINE_REST:
  case AFFINE_BITS:
  case AFFINE_ABSOLUTE:
    break;
  }
  g_assert_not_reached();
}

// How often the result, of @bits, wraps around in each lane; @exact: what it is exactly of x, y and z.
#define COUNT_WRAPS(exact)                                                                         \
  FOR_LANES(watch->lanes, lane) {                                                                  \
    Wide x = numbers.of[0][lane], y = numbers.of[1][lane], z = numbers.of[2][lane];                \
    (void)y, (void)z;                                                                              \
    wraps[lane] = (gint64)(((exact)-read_result(watch, out, lane)) >> bits);                       \
  }                                                                                                \
  break;

static void
note_wraps(const Watch *watch, const guint32 *out) {
  Numbers numbers;
  gint64 wraps[SMB_MAX_LANES];
  guint bits = 32u * watch->compute->n_rows[0];
  read_watched_numbers(watch, &numbers);
  if (measure_result(watch, &numbers) < bits) {
    note_quotients(watch, 0, NULL);
    return;
  }
  switch ((Affine)watch->entry->affine) {
  case AFFINE_MOVE:
    COUNT_WRAPS(x)
  case AFFINE_ADD:
    COUNT_WRAPS(x + y + z)
  case AFFINE_SUBTRACT:
    COUNT_WRAPS(x - y + z)
  case AFFINE_NEGATE:
    COUNT_WRAPS(-x)
  case AFFINE_COMPLEMENT:
    COUNT_WRAPS(-x - 1)
  case AFFINE_MULTIPLY:
    COUNT_WRAPS(x * y + z)
  case AFFINE_SHIFT: // by 64 or more: of nothing
    COUNT_WRAPS(y < 64 ? x * ((Wide)1 << y) : 0)
  case AFFINE_NONE:
  case AFFINE_QUOTIENT:
  case AFFINE_EXTREME:
  case AFFINE_REST:
  case AFFINE_BITS:
  case AFFINE_ABSOLUTE:
    g_assert_not_reached();
  }
  note_quotients(watch, watch->lanes, wraps);
}

static guint
watch_exact_result(const Watch *watch, const guint32 *out) {
  for (guint i = 0; i < watch->compute->n_sources; i++)
    if (!is_modular(watch, i)) {
      note_signs(watch);
      break;
    }
  note_wraps(watch, out);
  return leave_affine(watch, out);
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

// Of the first affine operand.
static guint
count_affine_zeros(const Watch *watch) {
  return count_zeros(watch->compute, watch->registers, watch->lanes, find_affine(watch));
}

// Whether the result has 0s where all operands have.
static gboolean
keeps_zeros(const Compute *compute) {
  return compute->operation != OPERATION_LOP3 || !(compute->table & 1);
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
    return MIN(MIN(zeros[0], zeros[1]), zeros[2]);
  case AFFINE_MULTIPLY:
    return MIN(MIN(zeros[0] + zeros[1], 64), zeros[2]);
  case AFFINE_SHIFT:
    return MIN(zeros[0] + find_least_amount(compute, registers), 64);
  case AFFINE_BITS:
    if (compute->operation == OPERATION_AND_32 || compute->operation == OPERATION_AND_64)
      return MAX(zeros[0], zeros[1]);
    return keeps_zeros(compute) ? MIN(MIN(zeros[0], zeros[1]), zeros[2]) : 0;
  case AFFINE_ABSOLUTE:
    return zeros[0];
  case AFFINE_COMPLEMENT:
  case AFFINE_NONE:
  case AFFINE_QUOTIENT:
  case AFFINE_EXTREME:
  case AFFINE_REST:
    break;
  }
  return 0;
}

// --- which of them

// Operands that may be affine, as bits.
static guint
find_allowed(const Compute *compute, Affine affine) {
  switch (affine) {
  case AFFINE_NONE:
    return 0;
  case AFFINE_REST:
  case AFFINE_SHIFT:
    return 1;
  case AFFINE_QUOTIENT:
    if (compute->operation == OPERATION_MAD_UPPER_U32 ||
        compute->operation == OPERATION_MAD_UPPER_S32)
      return 7;
    return compute->operation >= OPERATION_DIV_U32 && compute->operation <= OPERATION_DIV_S64   ? 1
           : compute->operation >= OPERATION_SHR_U32 && compute->operation <= OPERATION_SHR_S64 ? 1
                                                                                                : 3;
  case AFFINE_MOVE:
  case AFFINE_ADD:
  case AFFINE_SUBTRACT:
  case AFFINE_NEGATE:
  case AFFINE_COMPLEMENT:
  case AFFINE_EXTREME:
  case AFFINE_MULTIPLY:
  case AFFINE_BITS:
  case AFFINE_ABSOLUTE:
    return 7;
  }
  g_assert_not_reached();
}

// Whether one of the first two operands at most may be affine: they are multiplied.
static gboolean
multiplies(const Watch *watch) {
  switch ((guint)watch->compute->operation) {
  case OPERATION_MUL_HI_U32:
  case OPERATION_MUL_HI_S32:
  case OPERATION_MUL_HI_U64:
  case OPERATION_MUL_HI_S64:
  case OPERATION_MAD_UPPER_U32:
  case OPERATION_MAD_UPPER_S32:
    return TRUE;
  }
  return watch->entry->affine == AFFINE_MULTIPLY;
}

static gboolean
is_followed(const Watch *watch, gboolean compares) {
  Affine affine = (Affine)watch->entry->affine;
  guint allowed = compares ? 3 : find_allowed(watch->compute, affine), n = 0;
  for (guint i = 0; i < watch->compute->n_sources; i++) {
    Shape shape = (Shape)watch->entry->info.sources[i];
    gboolean fits = shape >= SHAPE_U32 && shape <= SHAPE_S64;
    n += watch->affine[i];
    if (watch->affine[i] && (!fits || !(allowed >> i & 1)))
      return FALSE;
  }
  if (compares || affine != AFFINE_BITS)
    return compares || !multiplies(watch) || !watch->affine[0] || !watch->affine[1];
  return n == 1 && smb_affine_has_few_runs(watch, count_affine_zeros(watch));
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
      // Two numbers of 64 bits without a sign: their product takes all 128.
      WideUnsigned product = (WideUnsigned)read_integer(&watch, 0, lane, FALSE) *
                             (WideUnsigned)read_integer(&watch, 1, lane, FALSE);
      mix(&hash, (guint64)(product >> 32u * compute->n_rows[0]));
    }
  note(&watch, hash);
  note_parts(&watch, out);
  return TRUE;
}

// --- signs of values that are not affine

static guint
find_source_flags(const Watch *watch, guint source) {
  Row last = watch->compute->s[source] + watch->compute->n_rows[1 + source] - 1;
  return row_flags_in(watch->registers, last, watch->lanes);
}

// x | y is negative if one of them is, whatever they are: so the sign of a combination of bits is the same in all
// blocks if those of its operands are. ROW_SIGN: it is.
static guint
watch_sign(const Watch *watch) {
  if (watch->entry->affine != AFFINE_BITS || watch->compute->n_rows[0] != 1)
    return 0;
  for (guint i = 0; i < watch->compute->n_sources; i++) {
    guint flags = find_source_flags(watch, i);
    if (flags & ROW_BLOCK && !(flags & ROW_SIGN))
      return 0;
  }
  note_all_signs(watch);
  return ROW_SIGN;
}

static gboolean
is_number(const Watch *watch, guint source, gint32 number) {
  FOR_LANES(watch->lanes, lane) {
    if (read_integer(watch, source, lane, TRUE) != number)
      return FALSE;
  }
  return !(find_source_flags(watch, source) & ROW_DEPENDS);
}

// A comparison of which a sign is the outcome: x < 0, or -1 < x.
static gboolean
asks_for_sign(const Watch *watch) {
  return watch->compute->operation == OPERATION_LT_S32 &&
         ((find_source_flags(watch, 0) & ROW_SIGN && is_number(watch, 1, 0)) ||
          (find_source_flags(watch, 1) & ROW_SIGN && is_number(watch, 0, -1)));
}

guint
smb_affine_watch(const Compute *compute, const Registers *registers, SmbLanes lanes, guint flags,
                 const guint32 *out) {
  Watch watch = begin_watch(compute, registers, lanes);
  gboolean compares = watch.entry->info.result == SHAPE_PREDICATE;
  guint taint = flags & ROW_TAINT;
  if (compares && taint & ROW_BLOCK && asks_for_sign(&watch))
    return taint & ~(guint)ROW_BLOCK;
  if (taint & ROW_BLOCK || !is_followed(&watch, compares))
    return taint | ROW_BLOCK | watch_sign(&watch);
  if (compares)
    return taint | watch_comparison(&watch);
  switch ((Affine)watch.entry->affine) {
  case AFFINE_QUOTIENT:
    return taint | smb_affine_quotient(&watch, out);
  case AFFINE_EXTREME:
    return taint | watch_extreme(&watch);
  case AFFINE_REST:
    return taint | smb_affine_rest(&watch, out);
  case AFFINE_BITS:
    return taint | smb_affine_bits(&watch, count_affine_zeros(&watch), out);
  case AFFINE_ABSOLUTE:
    return taint | smb_affine_absolute(&watch, out);
  case AFFINE_NONE:
  case AFFINE_MOVE:
  case AFFINE_ADD:
  case AFFINE_SUBTRACT:
  case AFFINE_NEGATE:
  case AFFINE_COMPLEMENT:
  case AFFINE_SHIFT:
    return taint | watch_exact_result(&watch, out);
  case AFFINE_MULTIPLY:
    return vanishes(&watch) ? taint : taint | watch_exact_result(&watch, out);
  }
  g_assert_not_reached();
}
