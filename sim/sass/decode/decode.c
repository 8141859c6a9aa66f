// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Instructions, one after the other: what all kinds of them need to become steps. What an instruction is not known
// to do is not known afterwards, and refused only if it could be anything of shared memory or of control.
#include "sim/sass/decode/decode.h"

#include <string.h>

#include "sim/base/error.h"
#include "sim/base/text.h"

const SassOperand *
smb_sass_operand(const SassDecoder *decoder, guint index) {
  const SassInstruction *instruction = decoder->instruction;
  return index < instruction->n_operands ? &instruction->operands[index] : NULL;
}

guint
smb_sass_choose(const SassDecoder *decoder, const SassChoice *choices, guint n, guint otherwise) {
  for (guint i = 0; i < n; i++) {
    if (smb_sass_has(decoder, choices[i].part))
      return choices[i].value;
  }
  return otherwise;
}

gboolean
smb_sass_refuse(SassDecoder *decoder, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = smb_text_format(format, arguments);
  va_end(arguments);
  g_autofree char *message = smb_program_message(decoder->program, decoder->builder.place, text);
  g_set_error_literal(decoder->error, SMB_ERROR, SMB_ERROR_INPUT, message);
  return FALSE;
}

// --- steps

Step
smb_sass_step(const SassDecoder *decoder, StepOpcode opcode) {
  return smb_build_step(&decoder->builder, opcode);
}

void
smb_sass_add_compute(SassDecoder *decoder, Compute *compute) {
  compute->is_parted = TRUE;
  smb_build_compute(&decoder->builder, compute, TRUE, NO_ROW);
}

// Uniform registers are the same in all lanes: they get what the first of those that run has.
void
smb_sass_add_move(SassDecoder *decoder, const SassOperand *result, Row to, Row from) {
  Compute compute = {.operation = result->kind == SASS_UNIFORM ? OPERATION_FIRST : OPERATION_MOV_32,
                     .d = to,
                     .s = {from}};
  smb_sass_add_compute(decoder, &compute);
}

void
smb_sass_add_jump(SassDecoder *decoder, Step *step, guint32 target) {
  const SassJump jump = {.step = decoder->code->steps->len, .target = target};
  g_array_append_val(decoder->jumps, jump);
  smb_code_add(decoder->code, step);
}

void
smb_sass_add_unknown(SassDecoder *decoder, Row row, guint n) {
  Step step = smb_sass_step(decoder, STEP_OPAQUE);
  smb_code_writes_row(decoder->code, &step, row, n);
  smb_code_add(decoder->code, &step);
}

void
smb_sass_add_unknown_predicate(SassDecoder *decoder, Predicate predicate) {
  Step step = smb_sass_step(decoder, STEP_OPAQUE);
  smb_code_writes_predicate(decoder->code, &step, predicate);
  smb_code_add(decoder->code, &step);
}

// --- the kernel

void
smb_sass_begin(SassDecoder *decoder) {
  static const SassInstruction none;
  decoder->instruction = &none;
  decoder->builder =
      (Builder){.code = decoder->code, .add_site = smb_sass_add_site, .decoder = decoder};
  decoder->code->barriers = SMB_BARRIERS_IN_REGISTERS;
  decoder->registers = smb_code_new_rows(decoder->code, SASS_REGISTERS);
  decoder->uniforms = smb_code_new_rows(decoder->code, SASS_UNIFORMS);
  decoder->dropped = smb_code_new_rows(decoder->code, SASS_DROPPED_ROWS);
  decoder->answer = smb_code_new_rows(decoder->code, 1);
  decoder->return_address = smb_code_new_rows(decoder->code, 2);
  decoder->answer_predicate = smb_code_new_predicate(decoder->code);
  decoder->predicates = decoder->code->n_predicates;
  decoder->uniform_predicates = decoder->predicates + SASS_PREDICATE_REGISTERS;
  decoder->code->n_predicates += 2 * SASS_PREDICATE_REGISTERS;
  decoder->never = smb_code_new_predicate(decoder->code);
  Compute compute = {.operation = OPERATION_PREDICATE, .p = decoder->never};
  smb_sass_add_compute(decoder, &compute);
}
