// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Operands of computing instructions, in the order in which the disassembly has them, and the steps that handlers
// make of them. What a register has before it or after it ("-R4", "|R4|", "~R4") is a step of its own, unless the
// operation has it.
#include "sim/sass/decode/compute.h"

const SassOperand *
smb_sass_peek(const SassReading *reading) {
  return smb_sass_operand(reading->decoder, reading->at);
}

gboolean
smb_sass_at_predicate(const SassReading *reading) {
  const SassOperand *operand = smb_sass_peek(reading);
  return operand && smb_sass_is_predicate(operand);
}

gboolean
smb_sass_is_zero(const SassOperand *operand) {
  return operand->kind == SASS_IMMEDIATE
             ? operand->value == 0
             : smb_sass_is_register(operand) && smb_sass_is_dropped(operand);
}

// --- steps

void
smb_sass_emit(SassReading *reading, Compute compute) {
  compute.is_uniform = (guint8)reading->is_uniform;
  smb_sass_add_compute(reading->decoder, &compute);
}

void
smb_sass_put(SassReading *reading, Operation operation, Row d, Row a, Row b, Row c) {
  smb_sass_emit(reading, (Compute){.operation = (guint16)operation, .d = d, .s = {a, b, c}});
}

Row
smb_sass_apply(SassReading *reading, Operation operation, Row a, Row b, Row c) {
  guint n_rows = shape_rows((Shape)smb_operation_info(operation)->result);
  Row d = smb_sass_scratch(reading->decoder, n_rows);
  smb_sass_put(reading, operation, d, a, b, c);
  return d;
}

Row
smb_sass_number(SassReading *reading, guint32 bits) {
  return smb_sass_constant(reading->decoder, bits, 1);
}

void
smb_sass_put_predicate(SassReading *reading, Predicate p, guint table, Predicate a, Predicate b,
                       Predicate c) {
  if (p != PREDICATE_TRUE)
    smb_sass_emit(reading, (Compute){.operation = OPERATION_PREDICATE,
                                     .table = (guint8)table,
                                     .p = p,
                                     .in = {a, b, c}});
}

// Of what is known it is what is known, too: no step.
Predicate
smb_sass_not(SassReading *reading, Predicate predicate) {
  SassDecoder *decoder = reading->decoder;
  if (predicate == PREDICATE_TRUE || predicate == decoder->never)
    return predicate == PREDICATE_TRUE ? decoder->never : PREDICATE_TRUE;
  Predicate opposite = smb_sass_scratch_predicate(decoder);
  smb_sass_put_predicate(reading, opposite, 0x0f, predicate, PREDICATE_TRUE, PREDICATE_TRUE);
  return opposite;
}

// --- parts

guint
smb_sass_modifiers(const SassReading *reading) {
  static const SassChoice modifiers[] = {
      {PART_FTZ, MODIFIER_FLUSH},  {PART_SAT, MODIFIER_SATURATE},    {PART_RZ, MODIFIER_ZERO},
      {PART_TRUNC, MODIFIER_ZERO}, {PART_RM, MODIFIER_DOWN},         {PART_FLOOR, MODIFIER_DOWN},
      {PART_RP, MODIFIER_UP},      {PART_CEIL, MODIFIER_UP},         {PART_NAN, MODIFIER_NAN},
      {PART_RELU, MODIFIER_RELU},  {PART_SATFINITE, MODIFIER_FINITE}};
  guint all = 0;
  for (guint i = 0; i < G_N_ELEMENTS(modifiers); i++)
    if (smb_sass_says(reading, modifiers[i].part))
      all |= modifiers[i].value;
  return all;
}

guint
smb_sass_combination(const SassReading *reading) {
  static const SassChoice combinations[] = {
      {PART_AND, MODIFIER_AND}, {PART_OR, MODIFIER_OR}, {PART_XOR, MODIFIER_XOR}};
  return SASS_CHOOSE(reading->decoder, combinations, 0);
}

// --- operands

// The next operand, whatever it is: one that is missing makes the instruction another one than its handler thinks.
static const SassOperand *
take_sass_operand(SassReading *reading) {
  static const SassOperand none = {.kind = SASS_WORD};
  const SassOperand *operand = smb_sass_peek(reading);
  reading->at++;
  if (operand)
    return operand;
  reading->is_other = TRUE;
  return &none;
}

// Handlers continue with any row, so that they need not ask after each operand: their steps are dropped in the end.
static Row
check_operand_row(SassReading *reading, Row row) {
  if (row != NO_ROW)
    return row;
  reading->is_other = TRUE;
  return smb_sass_constant(reading->decoder, 0, 2);
}

void
smb_sass_note_result(SassReading *reading, Written written) {
  if (reading->n_results < SASS_MAX_RESULTS)
    reading->results[reading->n_results++] = written;
}

Row
smb_sass_take_result(SassReading *reading, guint n_rows) {
  Row row = check_operand_row(
      reading, smb_sass_result(reading->decoder, take_sass_operand(reading), n_rows));
  if (!(row & ROW_CONSTANT))
    smb_sass_note_result(reading, (Written){.row = row, .n = n_rows});
  return row;
}

// "-" is left to the operation, which subtracts: with a carry that is another thing than adding the negative.
Row
smb_sass_take_addend(SassReading *reading, guint n_rows, gboolean *is_negated) {
  const SassOperand *operand = take_sass_operand(reading);
  Row row = check_operand_row(reading, smb_sass_source(reading->decoder, operand, n_rows));
  *is_negated = FALSE;
  if (operand->kind == SASS_IMMEDIATE || operand->kind == SASS_REAL)
    return row;
  if (operand->is_absolute || smb_sass_has_suffix(operand))
    reading->is_other = TRUE;
  *is_negated = operand->is_negated;
  if (operand->is_inverted)
    row = smb_sass_apply(reading, n_rows == 2 ? OPERATION_NOT_64 : OPERATION_NOT_32, row, 0, 0);
  return row;
}

Row
smb_sass_take(SassReading *reading, guint n_rows) {
  gboolean is_negated;
  Row row = smb_sass_take_addend(reading, n_rows, &is_negated);
  if (is_negated)
    row = smb_sass_apply(reading, n_rows == 2 ? OPERATION_NEG_64 : OPERATION_NEG_32, row, 0, 0);
  return row;
}

Row
smb_sass_take_real(SassReading *reading, guint n_rows) {
  const SassOperand *operand = take_sass_operand(reading);
  Row row = check_operand_row(reading, smb_sass_source(reading->decoder, operand, n_rows));
  if (operand->kind == SASS_IMMEDIATE || operand->kind == SASS_REAL)
    return row;
  if (operand->is_inverted || smb_sass_has_suffix(operand))
    reading->is_other = TRUE;
  if (operand->is_absolute)
    row = smb_sass_apply(reading, n_rows == 2 ? OPERATION_ABS_F64 : OPERATION_ABS_F32, row, 0, 0);
  if (operand->is_negated)
    row = smb_sass_apply(reading, n_rows == 2 ? OPERATION_NEG_F64 : OPERATION_NEG_F32, row, 0, 0);
  return row;
}

Predicate
smb_sass_take_target(SassReading *reading) {
  if (!smb_sass_at_predicate(reading))
    return PREDICATE_TRUE;
  Predicate predicate = smb_sass_predicate(reading->decoder, take_sass_operand(reading));
  if (predicate != PREDICATE_TRUE)
    smb_sass_note_result(reading, (Written){.predicate = predicate});
  return predicate;
}

Predicate
smb_sass_take_condition(SassReading *reading) {
  if (!smb_sass_at_predicate(reading))
    return reading->decoder->never;
  const SassOperand *operand = take_sass_operand(reading);
  Predicate predicate = smb_sass_predicate(reading->decoder, operand);
  return operand->is_inverted ? smb_sass_not(reading, predicate) : predicate;
}

guint64
smb_sass_take_number(SassReading *reading) {
  const SassOperand *operand = take_sass_operand(reading);
  if (operand->kind != SASS_IMMEDIATE)
    reading->is_other = TRUE;
  return (guint64)operand->value;
}
