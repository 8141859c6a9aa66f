// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Pairs of binary16, or of bfloat16 (.BF16_V2).
#include <string.h>

#include "sim/base/scalar.h"
#include "sim/sass/decode/compute.h"

static gboolean
is_bfloat(const SassReading *reading) {
  return smb_sass_says(reading, "BF16_V2");
}

static guint
find_modifiers(const SassReading *reading) {
  static const struct {
    const char *part;
    guint modifier;
  } modifiers[] = {{"FTZ", MODIFIER_FLUSH},
                   {"SAT", MODIFIER_SATURATE},
                   {"RELU", MODIFIER_RELU},
                   {"NAN", MODIFIER_NAN},
                   {"XORSIGN", MODIFIER_ABSOLUTE | MODIFIER_XOR_SIGN}};
  guint all = 0;
  for (guint i = 0; i < G_N_ELEMENTS(modifiers); i++)
    if (smb_sass_says(reading, modifiers[i].part))
      all |= modifiers[i].modifier;
  return all;
}

static gboolean
is_half_number(const SassOperand *operand) {
  return operand && operand->kind == SASS_REAL;
}

// A bfloat16 is the upper half of a binary32.
static guint32
half_bits(const SassOperand *operand) {
  return (guint32)(operand->bytes == 2 ? operand->value : operand->value >> 16) & 0xffff;
}

// A binary32 that is added to nothing: what its digits have more is dropped ("cvt.rz.f16.f32" is so on sm_75), in both halves.
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
spread_half(SassReading *reading, const char *part, Row row) {
  if (!part)
    return row;
  if (strcmp(part, "F32") == 0)
    return round_to_half(reading, row);
  if (strcmp(part, "H0_NH1") ==
      0) { // of complex numbers: the lower half above, and below it the upper one, negated
    Row turned =
        smb_sass_apply(reading, OPERATION_PRMT, row, row, smb_sass_number(reading, 0x1032));
    return smb_sass_apply(reading, OPERATION_XOR_32, turned, smb_sass_number(reading, 0x8000), 0);
  }
  gboolean high = strcmp(part, "H1_H1") == 0;
  if (!high && strcmp(part, "H0_H0") != 0)
    reading->is_other = TRUE;
  Row selector = smb_sass_number(reading, high ? 0x3232 : 0x1010);
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
  row = spread_half(reading, smb_sass_part(operand), row);
  if (operand->is_absolute && with_absolute)
    row = smb_sass_apply(reading, OPERATION_ABS_HALF_X2, row, 0, 0);
  return operand->is_negated ? smb_sass_apply(reading, OPERATION_NEG_HALF_X2, row, 0, 0) : row;
}

// HADD2.F32: of the lower halves, into a binary32.
static void
put_wide_sum(SassReading *reading, Row d, const Row *rows) {
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
is_constant(SassReading *reading) {
  for (guint i = 1; i < 3; i++) {
    const SassOperand *operand = smb_sass_operand(reading->decoder, i);
    if (!operand || !smb_sass_is_zero(operand) || operand->is_negated != (i == 1))
      return FALSE;
  }
  return is_half_number(smb_sass_operand(reading->decoder, 3)) && find_modifiers(reading) == 0;
}

static guint32
canonical(guint32 half, guint32 infinity) {
  return (half & 0x7fff) > infinity ? 0x7fff : half;
}

static gboolean
put_constant(SassReading *reading) {
  const SassOperand *high = smb_sass_operand(reading->decoder, 3);
  const SassOperand *low = smb_sass_operand(reading->decoder, 4);
  if (!is_constant(reading) || !is_half_number(low))
    return FALSE;
  guint32 infinity = is_bfloat(reading) ? 0x7f80 : 0x7c00;
  guint32 number = canonical(half_bits(high), infinity) << 16 | canonical(half_bits(low), infinity);
  smb_sass_put(reading, OPERATION_MOV_32, smb_sass_take_result(reading, 1),
               smb_sass_number(reading, number), 0, 0);
  return TRUE;
}

// HADD2, HMUL2, HFMA2; HMNMX2, with a predicate behind: the smaller ones if it is true.
void
smb_sass_compute_half(SassReading *reading) {
  static const Operation operations[][2] = {{OPERATION_ADD_F16X2, OPERATION_ADD_BF16X2},
                                            {OPERATION_MUL_F16X2, OPERATION_MUL_BF16X2},
                                            {OPERATION_FMA_F16X2, OPERATION_FMA_BF16X2},
                                            {OPERATION_MAX_F16X2, OPERATION_MAX_BF16X2},
                                            {OPERATION_MIN_F16X2, OPERATION_MIN_BF16X2}};
  const char *verb = reading->name + 1;
  guint which = strcmp(verb, "ADD2") == 0   ? 0
                : strcmp(verb, "MUL2") == 0 ? 1
                : strcmp(verb, "FMA2") == 0 ? 2
                                            : 3;
  if (which == 2 && put_constant(reading))
    return;
  Row d = smb_sass_take_result(reading, 1), rows[3] = {0};
  gboolean xors = smb_sass_says(reading, "XORSIGN");
  for (guint i = 0; i < (which == 2 ? 3 : 2); i++)
    rows[i] = take_pair(reading, !xors);
  if (which == 3) {
    Predicate is_smallest = smb_sass_take_condition(reading);
    which = is_smallest == PREDICATE_TRUE ? 4 : 3;
    if (is_smallest != PREDICATE_TRUE && is_smallest != reading->decoder->never)
      reading->is_other = TRUE;
  }
  if (smb_sass_says(reading, "F32"))
    put_wide_sum(reading, d, rows);
  else
    smb_sass_emit(reading, (Compute){.operation = (guint16)operations[which][is_bfloat(reading)],
                                     .modifiers = (guint16)find_modifiers(reading),
                                     .d = d,
                                     .s = {rows[0], rows[1], rows[2]}});
}

// --- comparisons: of the lower halves, and of the upper ones

static Compute
begin_test(const SassReading *reading, const SassComparison *comparison, const Row *rows) {
  guint offset = is_bfloat(reading) ? OPERATION_EQ_BF16 - OPERATION_EQ_F32
                                    : OPERATION_EQ_F16 - OPERATION_EQ_F32;
  return (Compute){
      .operation = (guint16)(comparison->operation + offset),
      .modifiers = (guint16)(comparison->modifiers | (find_modifiers(reading) & MODIFIER_FLUSH)),
      .s = {rows[comparison->exchanged], rows[!comparison->exchanged]}};
}

// HSET2 d, a, b, with: all ones, or 1.0, in each half.
static void
put_set(SassReading *reading, Row d, Compute *tests, Predicate with) {
  static const guint combinations[] = {MODIFIER_AND, MODIFIER_OR, MODIFIER_XOR};
  static const char *const names[] = {"AND", "OR", "XOR"};
  gboolean ones = !smb_sass_says(reading, "BF");
  Row halves[2];
  for (guint half = 0; half < 2; half++) {
    Compute *test = &tests[half];
    test->bytes = 2;
    test->to = ones ? SMB_SCALAR_U16 : is_bfloat(reading) ? SMB_SCALAR_BF16 : SMB_SCALAR_F16;
    test->d = halves[half] = smb_sass_scratch(reading->decoder, 1);
    test->in[0] = with;
    for (guint i = 0; i < G_N_ELEMENTS(names); i++)
      if (smb_sass_says(reading, names[i]))
        test->modifiers |= (guint16)combinations[i];
    smb_sass_emit(reading, *test);
  }
  smb_sass_put(reading, OPERATION_PACK_16, d, halves[0], halves[1], 0);
}

// HSETP2 p, q, a, b, with; HSET2
void
smb_sass_compute_half_test(SassReading *reading) {
  SassDecoder *decoder = reading->decoder;
  gboolean sets = strcmp(reading->name, "HSET2") == 0;
  Row d = sets ? smb_sass_take_result(reading, 1) : 0, rows[2], upper[2];
  Predicate targets[2] = {PREDICATE_TRUE, PREDICATE_TRUE};
  for (guint i = 0; i < 2 && !sets; i++)
    targets[i] = smb_sass_take_target(reading);
  for (guint i = 0; i < 2; i++)
    rows[i] = take_pair(reading, TRUE);
  for (guint i = 0; i < 2; i++)
    upper[i] = smb_sass_apply(reading, OPERATION_SHR_U32, rows[i], smb_sass_number(reading, 16), 0);
  Predicate with = smb_sass_take_condition(reading);
  SassComparison comparison;
  if (!smb_sass_find_real_comparison(reading, &comparison)) {
    reading->is_other = TRUE;
    return;
  }
  Compute tests[2] = {begin_test(reading, &comparison, rows),
                      begin_test(reading, &comparison, upper)};
  if (sets) {
    put_set(reading, d, tests, with);
    return;
  }
  for (guint i = 0; i < 2; i++) {
    tests[i].p = smb_sass_scratch_predicate(decoder);
    smb_sass_emit(reading, tests[i]);
  }
  // Both are read before one is written; the guard is written last.
  gboolean is_late = targets[0] == decoder->guard || targets[0] == with;
  guint first = is_late ? 1 : 0;
  smb_sass_put_combined(reading, targets[first], PREDICATE_TRUE, tests[first].p, with);
  smb_sass_put_combined(reading, targets[!first], PREDICATE_TRUE, tests[!first].p, with);
}
