// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Operations on registers of which bits are unknown: the rules of operations.def, lane by lane, and the cases that need
// no rule, since nothing is known of the result.
#include <string.h>

#include "sim/exec/compute/compute-impl.h"
#include "sim/exec/compute/real.h"
#include "sim/machine/access/lanes.h"

// --- the rules and the table

#define NO_RULE bits_unknown(G_MAXUINT64)
#define RULE(name, rule)                                                                           \
  static Bits rule_##name(const Compute *op, Bits x, Bits y, Bits z, Bits w) {                     \
    (void)op, (void)x, (void)y, (void)z, (void)w;                                                  \
    return rule;                                                                                   \
  }
#define OPERATION(name, tr, ta, tb, tc, td, expression, rule, ...) RULE(name, rule)
#define COMPARISON(name, ta, tb, expression, rule, ...)            RULE(name, rule)
#include "sim/exec/compute/operations.def"

const OperationEntry *
smb_operation_entry(Operation operation) {
  static const OperationEntry entries[N_OPERATIONS] = {
#define INFO(name, tr, ta, tb, tc, td)                                                             \
  {                                                                                                \
#    name, SHAPE_##tr, {                                                                           \
      SHAPE_##ta, SHAPE_##tb, SHAPE_##tc, SHAPE_##td                                               \
    }                                                                                              \
  }
#define OPERATION(name, tr, ta, tb, tc, td, expression, rule, spread, affine)                      \
  [OPERATION_##                                                                                    \
      name] = {INFO(name, tr, ta, tb, tc, td), SPREAD_##spread, AFFINE_##affine, rule_##name},
#define COMPARISON(name, ta, tb, expression, rule, spread)                                         \
  [OPERATION_##name] = {INFO(name, PREDICATE, ta, tb, NONE, NONE), SPREAD_##spread, AFFINE_NONE,   \
                        rule_##name},
#define SPECIAL(name, tr, ta, tb, tc, td, handler)                                                 \
  [OPERATION_##name] = {INFO(name, tr, ta, tb, tc, td), SPREAD_PARTS, AFFINE_NONE, NULL},
#include "sim/exec/compute/operations.def"
  };
  return &entries[operation];
}

// --- operands

// What of one or two rows an operand is, extended as its shape says.
Bits
smb_extend(Shape shape, Bits bits) {
  switch (shape) {
  case SHAPE_U8:
    return bits_field(bits, 8);
  case SHAPE_S8:
    return bits_sign_extend(bits, 8);
  case SHAPE_U16:
    return bits_field(bits, 16);
  case SHAPE_S16:
    return bits_sign_extend(bits, 16);
  case SHAPE_S32:
    return bits_sign_extend(bits, 32);
  case SHAPE_U32:
  case SHAPE_F32:
  case SHAPE_U64:
  case SHAPE_S64:
  case SHAPE_F64:
  case SHAPE_NONE:
  case SHAPE_PREDICATE:
    break;
  }
  return bits;
}

static Bits
read_row_bits(const Registers *registers, Row row, guint lane) {
  return bits_make(row_values(registers, row)[lane], row_lane_unknown(registers, row, lane));
}

static Bits
read_operand_bits(const OperationEntry *entry, const Compute *compute, const Registers *registers,
                  guint source, guint lane) {
  Row row = compute->s[source];
  Bits bits = read_row_bits(registers, row, lane);
  if (compute->n_rows[1 + source] == 2)
    return bits_join(bits, read_row_bits(registers, row + 1, lane));
  return smb_extend((Shape)entry->info.sources[source], bits);
}

Bits
smb_compute_read(const Compute *compute, const Registers *registers, guint source, guint lane) {
  const OperationEntry *entry = smb_operation_entry((Operation)compute->operation);
  return read_operand_bits(entry, compute, registers, source, lane);
}

static Bits
apply_rule(const OperationEntry *entry, const Compute *compute, const Registers *registers,
           guint lane) {
  Bits operands[COMPUTE_SOURCES] = {{0, 0}};
  for (guint i = 0; i < compute->n_sources; i++)
    operands[i] = read_operand_bits(entry, compute, registers, i, lane);
  return entry->rule(compute, operands[0], operands[1], operands[2], operands[3]);
}

// How many operands have no known bit in any lane.
static guint
count_entirely_unknown(const Compute *compute, const Registers *registers) {
  guint n = 0;
  for (guint i = 0; i < compute->n_sources; i++)
    n += (row_flags(registers, compute->s[i]) &
          row_flags(registers, compute->s[i] + compute->n_rows[1 + i] - 1) & ROW_ALL_UNKNOWN) != 0;
  return n;
}

static gboolean
is_entirely_unknown(const Compute *compute, const Registers *registers, Spread spread) {
  guint n = count_entirely_unknown(compute, registers);
  return (n > 0 && spread != SPREAD_PARTS) || (n == compute->n_sources && compute->forgets);
}

// Whether a row is alike in all lanes, as far as is easily seen.
static gboolean
is_uniform(const Registers *registers, Row row) {
  guint flags = row_flags(registers, row);
  if (flags & ROW_UNKNOWN)
    return (flags & ROW_ALL_UNKNOWN) != 0;
  const guint32 *values = row_values(registers, row);
  return memcmp(values, values + 1, (registers->n_lanes - 1) * sizeof *values) == 0;
}

static gboolean
are_uniform(const Compute *compute, const Registers *registers) {
  for (guint i = 0; i < compute->n_sources; i++)
    for (guint j = 0; j < compute->n_rows[1 + i]; j++)
      if (!is_uniform(registers, compute->s[i] + j))
        return FALSE;
  return TRUE;
}

// Lanes in which a bit of an operand is unknown.
static SmbLanes
find_unknown_lanes(const Compute *compute, const Registers *registers, SmbLanes lanes) {
  SmbLanes known = lanes;
  for (guint i = 0; i < compute->n_sources; i++)
    for (guint j = 0; j < compute->n_rows[1 + i]; j++)
      known &= smb_row_known(registers, compute->s[i] + j, lanes);
  return lanes & ~known;
}

// --- results

// A result of rows, as it is made lane by lane.
typedef struct {
  guint32 values[2 * SMB_MAX_LANES];
  guint32 unknown[2 * SMB_MAX_LANES];
} Result;

static void
put_lane(const OperationEntry *entry, const Compute *compute, guint n, guint lane, Bits bits,
         Result *result) {
  gboolean is_short = entry->info.result == SHAPE_U16;
  bits = bits_field(bits, is_short ? 16 : 64);
  for (guint i = 0; i < compute->n_rows[0]; i++) {
    result->values[i * n + lane] = (guint32)(bits.value >> 32 * i);
    result->unknown[i * n + lane] = (guint32)(bits.unknown >> 32 * i);
  }
}

// Known lanes by the loop; the others are unknown entirely.
static void
compute_strictly(const Compute *compute, const Registers *registers, SmbLanes lanes,
                 Result *result) {
  const guint32 *sources[COMPUTE_SOURCES];
  guint n = registers->n_lanes;
  smb_compute_sources(compute, registers, sources);
  compute->loop(compute, n, sources, result->values);
  for (guint i = 0; i < compute->n_rows[0]; i++) {
    guint32 *values = result->values + i * n, *unknown = result->unknown + i * n;
    smb_lanes_spread(find_unknown_lanes(compute, registers, lanes), n, unknown);
    EACH_LANE(n, values[lane] &= ~unknown[lane];)
  }
}

static void
compute_by_rule(const OperationEntry *entry, const Compute *compute, const Registers *registers,
                SmbLanes lanes, Result *result) {
  guint n = registers->n_lanes;
  memset(result, 0, sizeof *result);
  if (are_uniform(compute, registers)) {
    Bits bits = apply_rule(entry, compute, registers, 0);
    for (guint lane = 0; lane < n; lane++)
      put_lane(entry, compute, n, lane, bits, result);
    return;
  }
  FOR_LANES(lanes, lane)
  put_lane(entry, compute, n, lane, apply_rule(entry, compute, registers, lane), result);
}

void
smb_compute_unknown(const Compute *compute, Registers *registers, SmbLanes lanes, guint flags) {
  const OperationEntry *entry = smb_operation_entry((Operation)compute->operation);
  guint marks = taint_of(flags);
  guint32 origin = smb_compute_origin(compute, registers);
  if (is_entirely_unknown(compute, registers, (Spread)entry->spread)) {
    for (guint i = 0; i < compute->n_rows[0]; i++)
      smb_row_forget(registers, compute->d + i, lanes, marks, origin);
    return;
  }
  Result result;
  if (entry->spread == SPREAD_STRICT)
    compute_strictly(compute, registers, lanes, &result);
  else
    compute_by_rule(entry, compute, registers, lanes, &result);
  for (guint i = 0; i < compute->n_rows[0]; i++)
    smb_row_set(registers, compute->d + i, lanes, result.values + i * registers->n_lanes,
                result.unknown + i * registers->n_lanes, marks, origin);
}

Bits
smb_compare_unknown(const Compute *compute, const Registers *registers, SmbLanes lanes) {
  Bits result = {0, 0};
  const OperationEntry *entry = smb_operation_entry((Operation)compute->operation);
  if (entry->spread == SPREAD_STRICT) {
    guint8 bytes[SMB_MAX_LANES] = {0};
    const guint32 *sources[COMPUTE_SOURCES];
    smb_compute_sources(compute, registers, sources);
    compute->loop(compute, registers->n_lanes, sources, (guint32 *)(gpointer)bytes);
    FOR_LANES(lanes, lane)
    result.value |= (SmbLanes)bytes[lane] << lane;
    return bits_make(result.value, find_unknown_lanes(compute, registers, lanes));
  }
  if (are_uniform(compute, registers)) {
    Bits one = apply_rule(entry, compute, registers, 0);
    return (Bits){one.value ? lanes : 0, one.unknown ? lanes : 0};
  }
  FOR_LANES(lanes, lane)
  result =
      bits_or(result, bits_left(bits_field(apply_rule(entry, compute, registers, lane), 1), lane));
  return result;
}
