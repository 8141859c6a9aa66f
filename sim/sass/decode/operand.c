// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Operands of machine code as rows and predicates. R4 and UR4 are rows for as long as the kernel runs; immediates
// are constant rows; words of constant banks are rows that are set when a warp starts, or that a load ahead of the
// instruction fills. Scratch rows are those of one instruction: the next one has them again.
#include "sim/sass/decode/decode.h"

enum {
  SCRATCH_ROWS = 4, // of each piece
};

Row
smb_sass_scratch(SassDecoder *decoder, guint n) {
  g_assert(n <= SCRATCH_ROWS);
  if (decoder->n_scratch == decoder->scratch->len) {
    Row row = smb_code_new_rows(decoder->code, SCRATCH_ROWS);
    g_array_append_val(decoder->scratch, row);
  }
  return g_array_index(decoder->scratch, Row, decoder->n_scratch++);
}

Predicate
smb_sass_scratch_predicate(SassDecoder *decoder) {
  if (decoder->n_scratch_predicates == decoder->scratch_predicates->len) {
    Predicate predicate = smb_code_new_predicate(decoder->code);
    g_array_append_val(decoder->scratch_predicates, predicate);
  }
  return g_array_index(decoder->scratch_predicates, Predicate, decoder->n_scratch_predicates++);
}

Row
smb_sass_constant(SassDecoder *decoder, guint64 bits, guint n_rows) {
  return smb_constants_add(decoder->code->constants, n_rows == 1 ? (guint32)bits : bits, n_rows);
}

gboolean
smb_sass_is_dropped(const SassOperand *operand) {
  return operand->kind == SASS_UNIFORM    ? operand->number == SASS_URZ
         : operand->kind == SASS_REGISTER ? operand->number == SASS_RZ
         : smb_sass_is_predicate(operand) ? operand->number == SASS_PT
                                          : FALSE;
}

gboolean
smb_sass_is_register(const SassOperand *operand) {
  return operand->kind == SASS_REGISTER || operand->kind == SASS_UNIFORM;
}

gboolean
smb_sass_is_predicate(const SassOperand *operand) {
  return operand->kind == SASS_PREDICATE || operand->kind == SASS_UNIFORM_PREDICATE;
}

Row
smb_sass_source(SassDecoder *decoder, const SassOperand *operand, guint n_rows) {
  if (smb_sass_is_register(operand) && smb_sass_is_dropped(operand))
    return smb_sass_constant(decoder, 0, n_rows);
  if (operand->kind == SASS_REGISTER)
    return decoder->registers + operand->number;
  if (operand->kind == SASS_UNIFORM)
    return decoder->uniforms + operand->number;
  if (operand->kind == SASS_IMMEDIATE)
    return smb_sass_constant(decoder, (guint64)operand->value, n_rows);
  if (operand->kind == SASS_REAL)
    return smb_sass_constant(decoder, (guint64)operand->value, n_rows);
  return operand->kind == SASS_CONSTANT ? smb_sass_load_bank(decoder, operand, n_rows) : NO_ROW;
}

// What goes to RZ goes to rows that nobody reads: so a handler need not ask.
Row
smb_sass_result(const SassDecoder *decoder, const SassOperand *operand, guint n_rows) {
  g_assert(n_rows <= SASS_DROPPED_ROWS);
  if (!smb_sass_is_register(operand))
    return NO_ROW;
  if (smb_sass_is_dropped(operand))
    return decoder->dropped;
  return (operand->kind == SASS_REGISTER ? decoder->registers : decoder->uniforms) +
         operand->number;
}

Predicate
smb_sass_predicate(const SassDecoder *decoder, const SassOperand *operand) {
  if (!smb_sass_is_predicate(operand) || operand->number >= SASS_PT)
    return PREDICATE_TRUE;
  return (operand->kind == SASS_PREDICATE ? decoder->predicates : decoder->uniform_predicates) +
         operand->number;
}

// !P0 as a source becomes a predicate of its own: operations read them as they are.
Predicate
smb_sass_condition(SassDecoder *decoder, const SassOperand *operand) {
  Predicate predicate = smb_sass_predicate(decoder, operand);
  if (!operand->is_inverted)
    return predicate;
  if (predicate == PREDICATE_TRUE)
    return decoder->never;
  Compute compute = {.operation = OPERATION_PREDICATE,
                     .table = 0x0f, // not the first one
                     .p = smb_sass_scratch_predicate(decoder),
                     .in = {predicate}};
  smb_sass_add_compute(decoder, &compute);
  return compute.p;
}
