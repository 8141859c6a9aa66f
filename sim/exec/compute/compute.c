// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Handlers: what all operations of a kind have in common. Where everything is known and all lanes take part, they are a
// loop over the lanes and nothing else.
#include "sim/exec/compute/compute.h"

#include <string.h>

#include "sim/exec/compute/compute-impl.h"
#include "sim/exec/compute/multifunction.h"
#include "sim/machine/access/lanes.h"

// Every lane that still runs takes part.
static inline gboolean
is_whole_warp(const Registers *registers, SmbLanes lanes) {
  return !(registers->lanes & ~lanes);
}

// --- operands

guint
smb_compute_flags(const Compute *compute, const Registers *registers) {
  guint flags = 0;
  for (guint i = 0; i < compute->n_sources; i++)
    flags |= row_flags(registers, compute->s[i]) |
             row_flags(registers, compute->s[i] + compute->n_rows[1 + i] - 1);
  return flags;
}

guint
smb_compute_flags_in(const Compute *compute, const Registers *registers, SmbLanes lanes) {
  guint flags = smb_compute_flags(compute, registers);
  if (!(flags & ROW_OF_LANES))
    return flags;
  flags = 0;
  for (guint i = 0; i < compute->n_sources; i++)
    flags |= row_flags_in(registers, compute->s[i], lanes) |
             row_flags_in(registers, compute->s[i] + compute->n_rows[1 + i] - 1, lanes);
  return flags;
}

// Rows that only other lanes have written also have unknown bits, without an origin.
static inline guint32
find_origin(const Compute *compute, const Registers *registers) {
  for (guint i = 0; i < compute->n_sources; i++) {
    Row low = compute->s[i], high = low + compute->n_rows[1 + i] - 1;
    if (row_flags(registers, low) & ROW_UNKNOWN && row_origin(registers, low))
      return row_origin(registers, low);
    if (row_flags(registers, high) & ROW_UNKNOWN && row_origin(registers, high))
      return row_origin(registers, high);
  }
  return 0;
}

guint32
smb_compute_origin(const Compute *compute, const Registers *registers) {
  return find_origin(compute, registers);
}

void
smb_compute_sources(const Compute *compute, const Registers *registers, const guint32 **sources) {
  for (guint i = 0; i < COMPUTE_SOURCES; i++)
    sources[i] = i < compute->n_sources ? row_values(registers, compute->s[i]) : NULL;
}

// --- rows

void
smb_compute_merge(const Compute *compute, Registers *registers, SmbLanes lanes, guint flags,
                  const guint32 *values) {
  for (guint i = 0; i < compute->n_rows[0]; i++)
    smb_row_set(registers, compute->d + i, lanes, values + (gsize)i * registers->n_lanes, NULL,
                i > 0 && compute->is_parted ? flags & ~(guint)ROW_AFFINE : flags, 0);
}

// Whether the operands are known in these lanes; they may be unknown in others. @flags: of the operands.
static gboolean
is_known_here(const Compute *compute, const Registers *registers, SmbLanes lanes, guint flags) {
  if (flags & ROW_ALL_UNKNOWN)
    return FALSE;
  for (guint i = 0; i < compute->n_sources; i++) {
    for (guint row = 0; row < compute->n_rows[1 + i]; row++) {
      if (smb_row_known(registers, compute->s[i] + row, lanes) != lanes)
        return FALSE;
    }
  }
  return TRUE;
}

// Operands that are not simply known.
G_GNUC_NO_INLINE static void
run_marked(const Compute *compute, Registers *registers, SmbLanes lanes, guint flags) {
  if (flags & ROW_DEPENDS) // unknown bits in other lanes are asked for next
    flags = smb_compute_flags_in(compute, registers, lanes);
  if (flags & ROW_UNKNOWN && !is_known_here(compute, registers, lanes, flags)) {
    smb_compute_unknown(compute, registers, lanes, flags);
    return;
  }
  const guint32 *sources[COMPUTE_SOURCES];
  guint32 values[2 * SMB_MAX_LANES];
  smb_compute_sources(compute, registers, sources);
  compute->loop(compute, registers->n_lanes, sources, values);
  guint marks = taint_of(flags), zeros = 0;
  if (flags & (ROW_AFFINE | ROW_SIGN)) {
    marks = smb_affine_watch(compute, registers, lanes, flags, values);
    zeros = smb_affine_zeros(compute, registers, lanes);
  }
  smb_compute_merge(compute, registers, lanes, marks, values);
  if (compute->is_parted)
    zeros = MIN(zeros, 31);
  if (is_whole_warp(registers, lanes))
    registers->zeros[compute->d] = (guint8)zeros;
}

G_GNUC_NO_INLINE static void
run_some_lanes(const Compute *compute, Registers *registers, SmbLanes lanes,
               const guint32 *const *sources) {
  guint32 values[2 * SMB_MAX_LANES];
  compute->loop(compute, registers->n_lanes, sources, values);
  for (guint i = 0; i < compute->n_rows[0]; i++)
    smb_row_set_known(registers, compute->d + i, lanes, values + (gsize)i * registers->n_lanes);
}

// Nothing is known of the result, since nothing is known of an operand; the whole warp takes part.
static void
forget_result(const Compute *compute, Registers *registers, guint flags) {
  guint32 origin = find_origin(compute, registers);
  guint8 marks = (guint8)(taint_of(flags) | ROW_ALL_UNKNOWN);
  Row row = compute->d, last = row + compute->n_rows[0] - 1;
  if (G_UNLIKELY(flags & ROW_DEPENDS))
    registers->depends[1][row] = registers->depends[1][last] = registers->lanes;
  registers->flags[0][row] = registers->flags[0][last] = marks;
  registers->origin[row] = registers->origin[last] = origin;
}

void
smb_compute_marked(const Compute *compute, Registers *registers, SmbLanes lanes, guint flags) {
  const guint32 *sources[COMPUTE_SOURCES];
  gboolean is_whole = is_whole_warp(registers, lanes);
  if (flags & ROW_ALL_UNKNOWN && compute->spreads && is_whole) {
    forget_result(compute, registers, flags);
    return;
  }
  if (flags) {
    run_marked(compute, registers, lanes, flags);
    return;
  }
  smb_compute_sources(compute, registers, sources);
  if (!is_whole) {
    run_some_lanes(compute, registers, lanes, sources);
    return;
  }
  registers->flags[0][compute->d] = 0;
  registers->flags[0][compute->d + compute->n_rows[0] - 1] = 0;
  compute->loop(compute, registers->n_lanes, sources,
                registers->values[0] + (gsize)compute->d * registers->n_lanes);
}

// Operands and results of one row or two.
static void
run_rows(const Compute *compute, Registers *registers, SmbLanes lanes) {
  smb_compute_marked(compute, registers, lanes, smb_compute_flags(compute, registers));
}

// --- comparisons

// A bit for each byte of 0 or 1.
static SmbLanes
pack_lanes(guint n, const guint8 *bytes) {
  SmbLanes lanes = 0;
  for (guint i = 0; i < n; i += 8) {
    guint64 eight;
    memcpy(&eight, bytes + i, sizeof eight);
    // Byte k goes to bit 56 + k: by a shift of 56 - 7 k, at which no two bytes meet.
    lanes |= (GUINT64_FROM_LE(eight) * G_GUINT64_CONSTANT(0x0102040810204080) >> 56) << i;
  }
  return lanes;
}

Bits
smb_compute_in(const Compute *compute, const Registers *registers, guint i) {
  Bits lanes = {registers->predicates[compute->in[i]],
                registers->unknown_predicates[compute->in[i]]};
  return i == 0 && compute->modifiers & MODIFIER_NOT_IN ? bits_not(lanes) : lanes;
}

static Bits
combine_with_destination(const Compute *compute, const Registers *registers, Bits result) {
  switch (compute->modifiers & MODIFIER_COMBINE) {
  case MODIFIER_AND:
    return bits_and(result, smb_compute_in(compute, registers, 0));
  case MODIFIER_OR:
    return bits_or(result, smb_compute_in(compute, registers, 0));
  case MODIFIER_XOR:
    return bits_xor(result, smb_compute_in(compute, registers, 0));
  }
  return result;
}

// What "true" is in a row.
static guint32
true_word(const Compute *compute) {
  switch ((SmbScalar)compute->to) {
  case SMB_SCALAR_F32:
    return 0x3f800000;
  case SMB_SCALAR_F16:
    return 0x3c00;
  case SMB_SCALAR_BF16:
    return 0x3f80;
  case SMB_SCALAR_BOOL:
  case SMB_SCALAR_I8:
  case SMB_SCALAR_U8:
  case SMB_SCALAR_I16:
  case SMB_SCALAR_U16:
  case SMB_SCALAR_I32:
  case SMB_SCALAR_U32:
  case SMB_SCALAR_I64:
  case SMB_SCALAR_U64:
  case SMB_SCALAR_F64:
    break;
  }
  return compute->bytes == 2 ? 0xffff : G_MAXUINT32;
}

static void
set_row(const Compute *compute, Registers *registers, SmbLanes lanes, Bits result, guint flags,
        guint32 origin) {
  guint32 values[SMB_MAX_LANES], unknown[SMB_MAX_LANES], word = true_word(compute);
  smb_lanes_spread(result.value, registers->n_lanes, values);
  smb_lanes_spread(result.unknown, registers->n_lanes, unknown);
  for (guint lane = 0; lane < registers->n_lanes; lane++) {
    values[lane] &= word;
    unknown[lane] &= word;
  }
  smb_row_set(registers, compute->d, lanes, values, result.unknown ? unknown : NULL, flags, origin);
}

static void
set_predicates(const Compute *compute, Registers *registers, SmbLanes lanes, Bits result,
               guint flags, guint32 origin) {
  gboolean combines = compute->modifiers & MODIFIER_COMBINE;
  guint in_flags = combines ? predicate_flags_in(registers, compute->in[0], lanes) : 0;
  flags = (flags | in_flags) & ROW_TAINT;
  if (origin == 0 && in_flags & ROW_UNKNOWN)
    origin = registers->predicate_origin[compute->in[0]];
  if (compute->modifiers & MODIFIER_NOT)
    result = bits_not(result);
  Bits p = combine_with_destination(compute, registers, result);
  Bits q = combine_with_destination(compute, registers, bits_not(result));
  if (compute->bytes) {
    set_row(compute, registers, lanes, p, flags, origin);
    return;
  }
  smb_predicate_set(registers, compute->p, lanes, p.value, p.unknown, flags, origin);
  smb_predicate_set(registers, compute->q, lanes, q.value, q.unknown, flags, origin);
}

static Bits
compare_known(const Compute *compute, const Registers *registers) {
  const guint32 *sources[COMPUTE_SOURCES];
  guint32 bytes[SMB_MAX_LANES / sizeof(guint32)];
  smb_compute_sources(compute, registers, sources);
  compute->loop(compute, registers->n_lanes, sources, bytes);
  return bits_of(pack_lanes(registers->n_lanes, (const guint8 *)bytes));
}

// Whether the result of a comparison is written to one predicate, as it is.
static gboolean
writes_predicate(const Compute *compute) {
  return compute->modifiers == 0 && compute->q == PREDICATE_TRUE && compute->bytes == 0;
}

G_GNUC_NO_INLINE static void
compare_marked(const Compute *compute, Registers *registers, SmbLanes lanes, guint flags) {
  guint32 origin = 0;
  Bits result;
  if (flags & ROW_OF_LANES)
    flags = smb_compute_flags_in(compute, registers, lanes);
  if (flags & ROW_UNKNOWN && !is_known_here(compute, registers, lanes, flags)) {
    result = smb_compare_unknown(compute, registers, lanes);
    flags = taint_of(flags);
    origin = find_origin(compute, registers);
  } else {
    result = compare_known(compute, registers);
    if (flags & (ROW_AFFINE | ROW_SIGN))
      flags = smb_affine_watch(compute, registers, lanes, flags, NULL);
  }
  if (writes_predicate(compute))
    smb_predicate_set(registers, compute->p, lanes, result.value, result.unknown, flags & ROW_TAINT,
                      origin);
  else
    set_predicates(compute, registers, lanes, result, flags, origin);
}

// If everything is known, the loop compares all lanes at once, a byte per lane, which is packed into the bits of a
// predicate.
static void
run_comparison(const Compute *compute, Registers *registers, SmbLanes lanes) {
  guint flags = smb_compute_flags(compute, registers);
  if (G_UNLIKELY(flags))
    compare_marked(compute, registers, lanes, flags);
  else if (writes_predicate(compute))
    smb_predicate_set_known(registers, compute->p, lanes, compare_known(compute, registers).value);
  else
    set_predicates(compute, registers, lanes, compare_known(compute, registers), 0, 0);
}

// p = table(in[0], in[1], in[2])
static void
run_predicate(const Compute *compute, Registers *registers, SmbLanes lanes) {
  guint flags = 0;
  guint32 origin = 0;
  for (guint i = 0; i < G_N_ELEMENTS(compute->in); i++) {
    guint marks = predicate_flags_in(registers, compute->in[i], lanes);
    flags |= marks;
    if (origin == 0 && marks & ROW_UNKNOWN)
      origin = registers->predicate_origin[compute->in[i]];
  }
  Bits p =
      bits_look_up(compute->table, smb_compute_in(compute, registers, 0),
                   smb_compute_in(compute, registers, 1), smb_compute_in(compute, registers, 2));
  smb_predicate_set(registers, compute->p, lanes, p.value, p.unknown, flags & ROW_TAINT, origin);
}

// LOP3, and whether its result is not 0.
static void
run_test(const Compute *compute, Registers *registers, SmbLanes lanes) {
  Compute lop3 = *compute;
  lop3.operation = OPERATION_LOP3;
  run_rows(&lop3, registers, lanes);
  const guint32 *values = row_values(registers, compute->d);
  guint flags = row_flags_in(registers, compute->d, lanes);
  Bits result = {0, 0};
  FOR_LANES(lanes, lane) {
    guint32 unknown = row_lane_unknown(registers, compute->d, lane);
    SmbLanes one = (SmbLanes)1 << lane;
    if (values[lane] & ~unknown)
      result.value |= one;
    else if (unknown)
      result.unknown |= one;
  }
  guint32 origin = flags & ROW_UNKNOWN ? row_origin(registers, compute->d) : 0;
  Compute test = *compute;
  test.q = PREDICATE_TRUE;
  set_predicates(&test, registers, lanes, result, flags, origin);
}

// --- a choice between two operands by a predicate

// Of 16 bits: the low half of a row.
static void
cut_row(const Compute *compute, guint n, guint32 *words) {
  if (compute->operation == OPERATION_SELECT_16)
    EACH_LANE(n, words[lane] &= 0xffff;)
}

// Values and unknown bits of an operand, whatever its rows are marked with.
static void
copy_operand(const Registers *registers, Row row, guint32 *values, guint32 *unknown) {
  guint n = registers->n_lanes;
  guint flags = row_flags(registers, row);
  gsize bytes = n * sizeof *values;
  if (flags & ROW_ALL_UNKNOWN) {
    memset(values, 0, bytes);
    memset(unknown, 0xff, bytes);
    return;
  }
  memcpy(values, row_values(registers, row), bytes);
  if (flags & ROW_SOME_UNKNOWN)
    memcpy(unknown, row_unknown(registers, row), bytes);
  else
    memset(unknown, 0, bytes);
}

// One row of the result: the second operand, or the first one where the predicate is true; where that is not known, the
// bits in which both agree.
static void
select_row(const Compute *compute, Registers *registers, guint row, guint32 *values,
           guint32 *unknown) {
  guint32 other[SMB_MAX_LANES], other_unknown[SMB_MAX_LANES];
  guint n = registers->n_lanes;
  Bits which = smb_compute_in(compute, registers, 0);
  copy_operand(registers, compute->s[0] + row, other, other_unknown);
  copy_operand(registers, compute->s[1] + row, values, unknown);
  smb_loops(smb_processor())->blend(which.value, n, other, values);
  smb_loops(smb_processor())->blend(which.value, n, other_unknown, unknown);
  FOR_LANES(which.unknown & registers->lanes, lane) {
    Bits both = bits_either(bits_make(other[lane], other_unknown[lane]),
                            bits_make(values[lane], unknown[lane]));
    values[lane] = (guint32)both.value;
    unknown[lane] = (guint32)both.unknown;
  }
  cut_row(compute, n, values);
  cut_row(compute, n, unknown);
}

// The same of operands that are known.
static void
select_known(const Compute *compute, const Registers *registers, guint row, guint32 *values) {
  memcpy(values, row_values(registers, compute->s[1] + row), registers->n_lanes * sizeof *values);
  smb_loops(smb_processor())
      ->blend(smb_compute_in(compute, registers, 0).value, registers->n_lanes,
              row_values(registers, compute->s[0] + row), values);
  cut_row(compute, registers->n_lanes, values);
}

// Marks of the result: a choice that is known and the same in all blocks leaves affine what is affine.
static guint
mark_selected(guint flags, guint in_flags) {
  if ((flags | in_flags) & (ROW_UNKNOWN | ROW_BLOCK))
    return taint_of(flags | in_flags);
  return (flags & (ROW_TAINT | ROW_AFFINE)) | (in_flags & ROW_TAINT);
}

G_GNUC_NO_INLINE static void
select_marked(const Compute *compute, Registers *registers, SmbLanes lanes) {
  guint flags = smb_compute_flags_in(compute, registers, lanes);
  guint in_flags = predicate_flags_in(registers, compute->in[0], lanes);
  guint32 origin = smb_compute_origin(compute, registers);
  guint32 values[2][SMB_MAX_LANES], unknown[2][SMB_MAX_LANES];
  if (origin == 0)
    origin = registers->predicate_origin[compute->in[0]];
  for (guint i = 0; i < compute->n_rows[0]; i++) {
    if ((flags | in_flags) & ROW_UNKNOWN)
      select_row(compute, registers, i, values[i], unknown[i]);
    else
      select_known(compute, registers, i, values[i]);
  }
  for (guint i = 0; i < compute->n_rows[0]; i++)
    smb_row_set(registers, compute->d + i, lanes, values[i],
                (flags | in_flags) & ROW_UNKNOWN ? unknown[i] : NULL,
                mark_selected(flags, in_flags), origin);
}

static void
run_select(const Compute *compute, Registers *registers, SmbLanes lanes) {
  guint32 values[2][SMB_MAX_LANES];
  if (smb_compute_flags(compute, registers) | registers->predicate_flags[compute->in[0]]) {
    select_marked(compute, registers, lanes);
    return;
  }
  for (guint i = 0; i < compute->n_rows[0]; i++)
    select_known(compute, registers, i, values[i]);
  for (guint i = 0; i < compute->n_rows[0]; i++)
    smb_row_set_known(registers, compute->d + i, lanes, values[i]);
}

// --- the table

// Rules are in sim/exec/compute/unknown.c.
const OperationInfo *
smb_operation_info(Operation operation) {
  return &smb_operation_entry(operation)->info;
}

static ComputeHandler
find_handler(const Compute *compute) {
  static const ComputeHandler special[N_OPERATIONS] = {
#define COMPARISON(name, ...)                  [OPERATION_##name] = run_comparison,
#define SPECIAL(name, tr, ta, tb, tc, td, run) [OPERATION_##name] = run,
#include "sim/exec/compute/operations.def"
  };
  ComputeHandler fast = NULL;
  if (compute->loop != smb_loop_modified)
    fast = smb_loops(smb_processor())->run[compute->operation];
  return special[compute->operation] ? special[compute->operation] : fast ? fast : run_rows;
}

// Whether a result of which no operand is known is entirely unknown.
static gboolean
is_forgotten(const Compute *compute) {
  const OperationEntry *entry = smb_operation_entry((Operation)compute->operation);
  if (!entry->rule || entry->spread != SPREAD_PARTS)
    return entry->spread != SPREAD_PARTS;
  Bits operands[COMPUTE_SOURCES];
  for (guint i = 0; i < COMPUTE_SOURCES; i++) {
    Bits none = bits_unknown(mask_below(32u * MAX(compute->n_rows[1 + i], 1)));
    operands[i] = smb_extend((Shape)entry->info.sources[i], none);
  }
  Bits result = entry->rule(compute, operands[0], operands[1], operands[2], operands[3]);
  guint64 all = mask_below(entry->info.result == SHAPE_U16 ? 16 : 32u * compute->n_rows[0]);
  return (result.unknown & all) == all;
}

void
smb_compute_approximate(Compute *compute, guint chip) {
  gboolean is_measured = compute->operation >= OPERATION_UNIT_RCP_F32 &&
                         compute->operation <= OPERATION_UNIT_TANH_BF16X2;
  if (is_measured && chip == SMB_MUFU_CHIP)
    compute->modifiers &= (guint16)~MODIFIER_APPROXIMATE;
}

// The device's last bits are not documented: nothing is known of the result, or, of a launch that is run for its results, it
// is as exact as ours is.
static void
run_approximate(const Compute *compute, Registers *registers, SmbLanes lanes) {
  SmbRuntime *runtime = registers->block ? registers->block->runtime : NULL;
  if (runtime && lanes) {
    compute->handler(compute, registers, compute->is_uniform ? registers->lanes : lanes);
    smb_runtime_approximate(runtime, SMB_APPROXIMATE_FUNCTIONS);
    return;
  }
  guint flags = taint_of(smb_compute_flags(compute, registers));
  for (guint i = 0; i < compute->n_rows[0]; i++)
    smb_row_forget(registers, compute->d + i, lanes, flags, compute->index + 1);
}

// Whether what the first of the lanes has is written in all.
static gboolean
is_first(const Compute *compute) {
  return compute->operation == OPERATION_FIRST || compute->operation == OPERATION_FIRST_PREDICATE;
}

static void
run_uniform(const Compute *compute, Registers *registers, SmbLanes lanes) {
  if (lanes)
    compute->handler(compute, registers, registers->lanes);
}

void
smb_compute_prepare(Compute *compute) {
  const OperationInfo *info = smb_operation_info((Operation)compute->operation);
  compute->n_rows[0] = (guint8)shape_rows((Shape)info->result);
  compute->n_sources = 0;
  while (compute->n_sources < COMPUTE_SOURCES && info->sources[compute->n_sources]) {
    guint i = compute->n_sources++;
    compute->n_rows[1 + i] = (guint8)shape_rows((Shape)info->sources[i]);
  }
  compute->is_uniform |= is_first(compute);
  gboolean tests = compute->operation == OPERATION_LOP3_TEST;
  compute->loop = find_loop(tests ? OPERATION_LOP3 : (Operation)compute->operation);
  if (smb_is_modified(compute))
    compute->loop = smb_loop_modified;
  compute->forgets = is_forgotten(compute);
  compute->spreads = smb_operation_entry((Operation)compute->operation)->spread != SPREAD_PARTS;
  compute->handler = find_handler(compute);
  compute->run = compute->modifiers & MODIFIER_APPROXIMATE   ? run_approximate
                 : compute->is_uniform && !is_first(compute) ? run_uniform
                                                             : compute->handler;
}
