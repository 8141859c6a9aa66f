// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Pairs of binary16, or of bfloat16 (.BF16_V2).
#include "sim/base/scalar.h"
#include "sim/sass/decode/compute.h"

static gboolean
is_bfloat(const SassReading *reading) {
  return smb_sass_says(reading, PART_BF16_V2);
}

static guint
find_modifiers(const SassReading *reading) {
  gboolean xors = smb_sass_says(reading, PART_XORSIGN);
  return smb_sass_modifiers(reading) | (xors ? MODIFIER_ABSOLUTE | MODIFIER_XOR_SIGN : 0);
}

// A number that is written in the instruction: one half of a pair.
static gboolean
is_half_number(const SassOperand *operand) {
  return operand && operand->kind == SASS_REAL;
}

// A bfloat16 is the upper half of a binary32.
static guint32
half_bits(const SassOperand *operand) {
  return (guint32)(operand->bytes == 2 ? operand->value : operand->value >> 16) & 0xffff;
}

// A binary32 that is added to nothing: what its digits have more is dropped ("cvt.rz.f16.f32" is so on sm_75), in
// both halves.
static Row
round_to_half(SassReading *reading, Row row) {
  const SassOperand *other = smb_sass_operand(reading->decoder, reading->at == 2 ? 2 : 1);
  Row pair = smb_sass_scratch(reading->decoder, 1);
  if (!other || !smb_sass_is_zero(other) || !other->is_negated || is_bfloat(reading))
    reading->is_other = TRUE;
  smb_sass_emit(reading, (Compute){.operation = OPERATION_CONVERT_PAIR,
                                   .from = SMB_SCALAR_F32,
                                   .to = SMB_SCALAR_F16,
                                   .bytes = 2,
                                   .modifiers = MODIFIER_ZERO,
                                   .d = pair,
                                   .s = {row, row}});
  return pair;
}

// One half twice, or the pair as it is.
static Row
spread_half(SassReading *reading, SassPart part, Row row) {
  if (part <= PART_NONE)
    return row;
  if (part == PART_F32)
    return round_to_half(reading, row);
  if (part ==
      PART_H0_NH1) { // of complex numbers: the lower half above, below it the upper one, negated
    row = smb_sass_apply(reading, OPERATION_PRMT, row, row, smb_sass_number(reading, 0x1032));
    return smb_sass_apply(reading, OPERATION_XOR_32, row, smb_sass_number(reading, 0x8000), 0);
  }
  if (part != PART_H0_H0 && part != PART_H1_H1)
    reading->is_other = TRUE;
  Row selector = smb_sass_number(reading, part == PART_H1_H1 ? 0x3232 : 0x1010);
  return smb_sass_apply(reading, OPERATION_PRMT, row, row, selector);
}

// A register, with its signs, or two numbers, of which the first is the upper half.
static Row
take_pair(SassReading *reading, gboolean with_absolute) {
  const SassOperand *operand = smb_sass_peek(reading);
  reading->at++;
  if (is_half_number(operand) && is_half_number(smb_sass_peek(reading))) {
    guint32 low = half_bits(smb_sass_peek(reading));
    reading->at++;
    return smb_sass_number(reading, half_bits(operand) << 16 | low);
  }
  Row row = operand ? smb_sass_source(reading->decoder, operand, 1) : NO_ROW;
  if (row == NO_ROW || is_half_number(operand)) {
    reading->is_other = TRUE;
    return smb_sass_number(reading, 0);
  }
  if (operand->kind == SASS_IMMEDIATE)
    return row;
  row = spread_half(reading, operand->part, row);
  if (operand->is_absolute && with_absolute)
    row = smb_sass_apply(reading, OPERATION_ABS_HALF_X2, row, 0, 0);
  return operand->is_negated ? smb_sass_apply(reading, OPERATION_NEG_HALF_X2, row, 0, 0) : row;
}

// HADD2.F32: of the lower halves, into a binary32.
static void
put_widened_half_sum(SassReading *reading, Row d, const Row *rows) {
  Row wide[2];
  for (guint i = 0; i < 2; i++) {
    wide[i] = smb_sass_scratch(reading->decoder, 1);
    smb_sass_emit(reading, (Compute){.operation = OPERATION_CONVERT_32,
                                     .from = SMB_SCALAR_F16,
                                     .to = SMB_SCALAR_F32,
                                     .bytes = 4,
                                     .d = wide[i],
                                     .s = {rows[i]}});
  }
  smb_sass_emit(reading, (Compute){.operation = OPERATION_ADD_F32,
                                   .modifiers = (guint16)find_modifiers(reading),
                                   .d = d,
                                   .s = {wide[0], wide[1]}});
}

// HFMA2 -RZ, RZ, number: a move of a constant.
static gboolean
is_half_constant(SassReading *reading) {
  for (guint i = 1; i < 3; i++) {
    const SassOperand *operand = smb_sass_operand(reading->decoder, i);
    if (!operand || !smb_sass_is_zero(operand) || operand->is_negated != (i == 1))
      return FALSE;
  }
  return is_half_number(smb_sass_operand(reading->decoder, 3)) && find_modifiers(reading) == 0;
}

// Every NaN becomes this one, as an addition makes it.
static guint32
make_canonical_nan(guint32 half, guint32 infinity) {
  return (half & 0x7fff) > infinity ? 0x7fff : half;
}

static gboolean
put_constant(SassReading *reading) {
  const SassOperand *high = smb_sass_operand(reading->decoder, 3);
  const SassOperand *low = smb_sass_operand(reading->decoder, 4);
  if (!is_half_constant(reading) || !is_half_number(low))
    return FALSE;
  guint32 infinity = is_bfloat(reading) ? 0x7f80 : 0x7c00;
  guint32 number = make_canonical_nan(half_bits(high), infinity) << 16 |
                   make_canonical_nan(half_bits(low), infinity);
  smb_sass_put(reading, OPERATION_MOV_32, smb_sass_take_result(reading, 1),
               smb_sass_number(reading, number), 0, 0);
  return TRUE;
}

static void
put_half(SassReading *reading, Operation operation, Row d, const Row *rows) {
  smb_sass_emit(reading, (Compute){.operation = (guint16)operation,
                                   .modifiers = (guint16)find_modifiers(reading),
                                   .d = d,
                                   .s = {rows[0], rows[1], rows[2]}});
}

// HADD2, HMUL2, HFMA2: the argument is the operation on binary16.
void
smb_sass_compute_half(SassReading *reading) {
  static const Operation of_bfloat[][2] = {{OPERATION_ADD_F16X2, OPERATION_ADD_BF16X2},
                                           {OPERATION_MUL_F16X2, OPERATION_MUL_BF16X2},
                                           {OPERATION_FMA_F16X2, OPERATION_FMA_BF16X2}};
  Operation operation = (Operation)reading->decoder->argument;
  guint n = operation == OPERATION_FMA_F16X2 ? 3 : 2;
  if (n == 3 && put_constant(reading))
    return;
  Row d = smb_sass_take_result(reading, 1), rows[3] = {0};
  for (guint i = 0; i < n; i++)
    rows[i] = take_pair(reading, TRUE);
  for (guint i = 0; is_bfloat(reading) && i < G_N_ELEMENTS(of_bfloat); i++)
    if (of_bfloat[i][0] == operation) {
      operation = of_bfloat[i][1];
      break;
    }
  gboolean is_wide = smb_sass_says(reading, PART_F32);
  reading->is_other = reading->is_other || (is_wide && is_bfloat(reading)); // nobody has seen one
  if (is_wide)
    put_widened_half_sum(reading, d, rows);
  else
    put_half(reading, operation, d, rows);
}

// HMNMX2, with a predicate behind: the smaller ones if it is true.
void
smb_sass_compute_half_extreme(SassReading *reading) {
  static const Operation operations[2][2] = {{OPERATION_MAX_F16X2, OPERATION_MAX_BF16X2},
                                             {OPERATION_MIN_F16X2, OPERATION_MIN_BF16X2}};
  gboolean xors = smb_sass_says(reading, PART_XORSIGN);
  Row d = smb_sass_take_result(reading, 1), rows[3] = {0};
  for (guint i = 0; i < 2; i++)
    rows[i] = take_pair(reading, !xors);
  Predicate is_smallest = smb_sass_take_condition(reading);
  if (is_smallest != PREDICATE_TRUE && is_smallest != reading->decoder->never)
    reading->is_other = TRUE;
  put_half(reading, operations[is_smallest == PREDICATE_TRUE][is_bfloat(reading)], d, rows);
}

// --- comparisons: of the lower halves, and of the upper ones

// The same comparison as of binary32, of the low 16 bits of each row.
static Compute
begin_half_comparison(const SassReading *reading, const SassComparison *comparison,
                      const Row *rows) {
  guint offset = is_bfloat(reading) ? OPERATION_EQ_BF16 - OPERATION_EQ_F32
                                    : OPERATION_EQ_F16 - OPERATION_EQ_F32;
  return (Compute){
      .operation = (guint16)(comparison->operation + offset),
      .modifiers = (guint16)(comparison->modifiers | (find_modifiers(reading) & MODIFIER_FLUSH)),
      .s = {rows[comparison->exchanged], rows[!comparison->exchanged]}};
}

// Both comparisons of a pair, and the predicate behind. FALSE: it is not modelled.
static gboolean
take_tests(SassReading *reading, Compute *tests, Predicate *with) {
  Row rows[2], upper[2];
  SassComparison comparison;
  for (guint i = 0; i < 2; i++)
    rows[i] = take_pair(reading, TRUE);
  for (guint i = 0; i < 2; i++)
    upper[i] = smb_sass_apply(reading, OPERATION_SHR_U32, rows[i], smb_sass_number(reading, 16), 0);
  *with = smb_sass_take_condition(reading);
  if (!smb_sass_find_real_comparison(reading, &comparison)) {
    reading->is_other = TRUE;
    return FALSE;
  }
  tests[0] = begin_half_comparison(reading, &comparison, rows);
  tests[1] = begin_half_comparison(reading, &comparison, upper);
  return TRUE;
}

// HSET2 d, a, b, with: all ones, or 1.0, in each half.
void
smb_sass_compute_half_set(SassReading *reading) {
  gboolean ones = !smb_sass_says(reading, PART_BF);
  Row d = smb_sass_take_result(reading, 1), halves[2];
  Compute tests[2];
  Predicate with;
  if (!take_tests(reading, tests, &with))
    return;
  for (guint half = 0; half < 2; half++) {
    Compute *test = &tests[half];
    test->bytes = 2;
    test->to = ones ? SMB_SCALAR_U16 : is_bfloat(reading) ? SMB_SCALAR_BF16 : SMB_SCALAR_F16;
    test->d = halves[half] = smb_sass_scratch(reading->decoder, 1);
    test->in[0] = with;
    test->modifiers |= (guint16)smb_sass_combination(reading);
    smb_sass_emit(reading, *test);
  }
  smb_sass_put(reading, OPERATION_PACK_16, d, halves[0], halves[1], 0);
}

// HSETP2 p, q, a, b, with
void
smb_sass_compute_half_test(SassReading *reading) {
  SassDecoder *decoder = reading->decoder;
  Predicate targets[2], with;
  Compute tests[2];
  for (guint i = 0; i < 2; i++)
    targets[i] = smb_sass_take_target(reading);
  if (!take_tests(reading, tests, &with))
    return;
  for (guint i = 0; i < 2; i++) {
    tests[i].p = smb_sass_scratch_predicate(decoder);
    smb_sass_emit(reading, tests[i]);
  }
  // Both are read before one is written; the guard is written last.
  gboolean is_late = targets[0] == decoder->builder.guard || targets[0] == with;
  guint first = is_late ? 1 : 0;
  smb_sass_put_combined(reading, targets[first], PREDICATE_TRUE, tests[first].p, with);
  smb_sass_put_combined(reading, targets[!first], PREDICATE_TRUE, tests[!first].p, with);
}
