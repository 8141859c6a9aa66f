// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Predicates: comparisons of integers, and logic.
#include "sim/sass/decode/compute.h"

gboolean
smb_sass_find_comparison(const SassReading *reading, gboolean is_signed, guint n_rows,
                         SassComparison *comparison) {
  Operation less = n_rows == 2 ? (is_signed ? OPERATION_LT_S64 : OPERATION_LT_U64)
                               : (is_signed ? OPERATION_LT_S32 : OPERATION_LT_U32);
  Operation equal = n_rows == 2 ? OPERATION_EQ_64 : OPERATION_EQ_32;
  const struct {
    SassPart part;
    SassComparison comparison;
  } comparisons[] = {{PART_EQ, {equal, FALSE, 0}}, {PART_NE, {equal, FALSE, MODIFIER_NOT}},
                     {PART_LT, {less, FALSE, 0}},  {PART_GE, {less, FALSE, MODIFIER_NOT}},
                     {PART_GT, {less, TRUE, 0}},   {PART_LE, {less, TRUE, MODIFIER_NOT}}};
  for (guint i = 0; i < G_N_ELEMENTS(comparisons); i++)
    if (smb_sass_says(reading, comparisons[i].part)) {
      *comparison = comparisons[i].comparison;
      return TRUE;
    }
  return FALSE;
}

// Both are computed before one is written, which may be an operand, or the guard.
void
smb_sass_put_combined(SassReading *reading, Predicate p, Predicate q, Predicate found,
                      Predicate with) {
  static const guint tables[][2] = {{0xc0, 0x0c}, {0xfc, 0xcf}, {0x3c, 0xc3}}; // of found, and not
  guint combination = smb_sass_combination(reading);
  const guint *table = tables[combination == MODIFIER_AND ? 0 : combination == MODIFIER_OR ? 1 : 2];
  if (q == PREDICATE_TRUE) {
    smb_sass_put_predicate(reading, p, table[0], found, with, PREDICATE_TRUE);
    return;
  }
  Predicate opposite = smb_sass_scratch_predicate(reading->decoder);
  smb_sass_put_predicate(reading, opposite, table[1], found, with, PREDICATE_TRUE);
  if (q == reading->decoder->builder.guard) {
    smb_sass_put_predicate(reading, p, table[0], found, with, PREDICATE_TRUE);
    smb_sass_put_predicate(reading, q, 0xf0, opposite, PREDICATE_TRUE, PREDICATE_TRUE);
    return;
  }
  Predicate result = smb_sass_scratch_predicate(reading->decoder);
  smb_sass_put_predicate(reading, result, table[0], found, with, PREDICATE_TRUE);
  smb_sass_put_predicate(reading, q, 0xf0, opposite, PREDICATE_TRUE, PREDICATE_TRUE);
  smb_sass_put_predicate(reading, p, 0xf0, result, PREDICATE_TRUE, PREDICATE_TRUE);
}

// The high words of two numbers, of which another comparison, @low, has looked at the low ones.
static Predicate
compare_high(SassReading *reading, const SassComparison *comparison, const Row *rows,
             Predicate low) {
  SassDecoder *decoder = reading->decoder;
  Predicate equal = smb_sass_scratch_predicate(decoder);
  Predicate found = smb_sass_scratch_predicate(decoder);
  gboolean negates = (comparison->modifiers & MODIFIER_NOT) != 0;
  smb_sass_emit(reading,
                (Compute){.operation = OPERATION_EQ_32, .p = equal, .s = {rows[0], rows[1]}});
  if (comparison->operation == OPERATION_EQ_32) {
    // Equal and low; not equal or low.
    smb_sass_put_predicate(reading, found, negates ? 0xcf : 0xc0, equal, low, PREDICATE_TRUE);
    return found;
  }
  // GE and LE are GT and LT here: what low says of equal ones is in it.
  gboolean exchanged = comparison->exchanged != negates;
  Predicate less = smb_sass_scratch_predicate(decoder);
  smb_sass_emit(reading, (Compute){.operation = (guint16)comparison->operation,
                                   .p = less,
                                   .s = {rows[exchanged], rows[!exchanged]}});
  // Less, or equal and low.
  smb_sass_put_predicate(reading, found, 0xf8, less, equal, low);
  return found;
}

// ISETP p, q, a, b, with: p = (a < b) and with, q = !(a < b) and with; .EX has low behind.
void
smb_sass_compute_comparison(SassReading *reading) {
  gboolean is_wide = smb_sass_says(reading, PART_U64) || smb_sass_says(reading, PART_S64) ||
                     smb_sass_says(reading, PART_64);
  gboolean is_unsigned = smb_sass_says(reading, PART_U32) || smb_sass_says(reading, PART_U64);
  guint n_rows = is_wide ? 2 : 1;
  Predicate p = smb_sass_take_target(reading), q = smb_sass_take_target(reading);
  Row rows[2];
  for (guint i = 0; i < 2; i++)
    rows[i] = smb_sass_take(reading, n_rows);
  Predicate with = smb_sass_take_condition(reading), found;
  SassComparison comparison;
  if (!smb_sass_find_comparison(reading, !is_unsigned, n_rows, &comparison) ||
      (is_wide && smb_sass_says(reading, PART_EX))) {
    reading->is_other = TRUE;
    return;
  }
  if (smb_sass_says(reading, PART_EX)) {
    found = compare_high(reading, &comparison, rows, smb_sass_take_condition(reading));
    smb_sass_put_combined(reading, p, q, found, with);
    return;
  }
  Compute compute = {.operation = (guint16)comparison.operation,
                     .modifiers = (guint16)(comparison.modifiers | smb_sass_combination(reading)),
                     .s = {rows[comparison.exchanged], rows[!comparison.exchanged]},
                     .in = {with}};
  // One step, unless it would write what it reads, or its guard, first.
  if (q != PREDICATE_TRUE) {
    compute.p = smb_sass_scratch_predicate(reading->decoder);
    compute.modifiers = (guint16)comparison.modifiers;
    smb_sass_emit(reading, compute);
    smb_sass_put_combined(reading, p, q, compute.p, with);
    return;
  }
  compute.p = p;
  if (with == PREDICATE_TRUE && smb_sass_says(reading, PART_AND))
    compute.modifiers = (guint16)comparison.modifiers;
  smb_sass_emit(reading, compute);
}

// A predicate, or whether a register is negative: R4.SIGN.
static Predicate
take_truth(SassReading *reading) {
  const SassOperand *operand = smb_sass_peek(reading);
  if (!operand || !smb_sass_is_register(operand))
    return smb_sass_take_condition(reading);
  if (operand->part != PART_SIGN)
    reading->is_other = TRUE;
  Predicate sign = smb_sass_scratch_predicate(reading->decoder);
  reading->at++;
  smb_sass_emit(reading, (Compute){.operation = OPERATION_LT_S32,
                                   .p = sign,
                                   .s = {smb_sass_source(reading->decoder, operand, 1),
                                         smb_sass_number(reading, 0)}});
  return operand->is_inverted ? smb_sass_not(reading, sign) : sign;
}

// PLOP3 p, q, a, b, c, table, table of q.
void
smb_sass_compute_predicates(SassReading *reading) {
  SassDecoder *decoder = reading->decoder;
  Predicate p = smb_sass_take_target(reading), q = smb_sass_take_target(reading), in[3];
  for (guint i = 0; i < 3; i++)
    in[i] = take_truth(reading);
  guint first = (guint)smb_sass_take_number(reading) & 0xff;
  guint second = smb_sass_peek(reading) ? (guint)smb_sass_take_number(reading) & 0xff : 0;
  if (q == PREDICATE_TRUE) {
    smb_sass_put_predicate(reading, p, first, in[0], in[1], in[2]);
    return;
  }
  Predicate results[2] = {smb_sass_scratch_predicate(decoder), smb_sass_scratch_predicate(decoder)};
  smb_sass_put_predicate(reading, results[0], first, in[0], in[1], in[2]);
  smb_sass_put_predicate(reading, results[1], second, in[0], in[1], in[2]);
  gboolean q_last = q == decoder->builder.guard;
  for (guint i = 0; i < 2; i++) {
    gboolean is_q = (i == 1) == q_last;
    smb_sass_put_predicate(reading, is_q ? q : p, 0xf0, results[is_q], PREDICATE_TRUE,
                           PREDICATE_TRUE);
  }
}
