// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Instructions, one after the other: what all kinds of them need to become steps. What an instruction is not known to do
// is not known afterwards, and refused only if it could be anything of shared memory or of control.
#include "sim/sass/decode/decode.h"

#include <string.h>

#include "sim/base/error.h"
#include "sim/base/text.h"

const SassOperand *
smb_sass_operand(const SassDecoder *decoder, guint index) {
  const SassInstruction *instruction = decoder->instruction;
  return index < instruction->n_operands ? &instruction->operands[index] : NULL;
}

gboolean
smb_sass_is(const SassDecoder *decoder, const char *name) {
  return decoder->instruction->name && strcmp(decoder->instruction->name, name) == 0;
}

gboolean
smb_sass_is_one_of(const SassDecoder *decoder, const char *const *names) {
  return decoder->instruction->name && g_strv_contains(names, decoder->instruction->name);
}

gboolean
smb_sass_has(const SassDecoder *decoder, const char *part) {
  const gsize length = strlen(part);
  for (guint i = 0; decoder->instruction->parts[i]; i++) {
    // Some are several in one: "POPC.INC.32".
    for (const char *at = decoder->instruction->parts[i]; at; at = strchr(at, '.')) {
      at += *at == '.';
      if (strncmp(at, part, length) == 0 && (at[length] == '\0' || at[length] == '.'))
        return TRUE;
    }
  }
  return FALSE;
}

gboolean
smb_sass_refuse(SassDecoder *decoder, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = smb_text_format(format, arguments);
  va_end(arguments);
  g_autofree char *message = smb_program_message(decoder->program, decoder->place, text);
  g_set_error_literal(decoder->error, SMB_ERROR, SMB_ERROR_INPUT, message);
  return FALSE;
}

// --- steps

Step
smb_sass_step(const SassDecoder *decoder, StepOpcode opcode) {
  Step step = {.place = decoder->place, .guard = decoder->guard, .unless = decoder->unless};
  smb_step_bind(&step, opcode);
  return step;
}

void
smb_sass_add_compute(SassDecoder *decoder, Compute *compute) {
  Step step = smb_sass_step(decoder, STEP_COMPUTE);
  step.compute = *compute;
  step.compute.is_parted = TRUE;
  smb_compute_prepare(&step.compute);
  if (smb_compute_has_members(&step.compute)) {
    smb_step_bind(&step, STEP_EXCHANGE);
    step.argument = NO_ROW;
  }
  smb_code_add(decoder->code, &step);
}

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
  decoder->code->barriers = SMB_BARRIERS_IN_REGISTERS;
  decoder->registers = smb_code_new_rows(decoder->code, SASS_REGISTERS);
  decoder->uniforms = smb_code_new_rows(decoder->code, SASS_UNIFORMS);
  decoder->dropped = smb_code_new_rows(decoder->code, SASS_DROPPED_ROWS);
  decoder->answer = smb_code_new_rows(decoder->code, 1);
  decoder->return_address = smb_code_new_rows(decoder->code, 1);
  decoder->answer_predicate = smb_code_new_predicate(decoder->code);
  decoder->predicates = decoder->code->n_predicates;
  decoder->uniform_predicates = decoder->predicates + SASS_PREDICATE_REGISTERS;
  decoder->code->n_predicates += 2 * SASS_PREDICATE_REGISTERS;
  decoder->never = smb_code_new_predicate(decoder->code);
  Compute compute = {.operation = OPERATION_PREDICATE, .p = decoder->never};
  smb_sass_add_compute(decoder, &compute);
}

// What could ask for shared memory, or say where threads go on, is not passed over.
static gboolean
is_dangerous(const SassInstruction *instruction) {
  static const char *const starts[] = {"LD",   "ST",    "ATOM",  "RED",   "BAR",   "BRA",
                                       "BRX",  "JM",    "CALL",  "RET",   "SYNC",  "UBLK",
                                       "UTMA", "HGMMA", "QGMMA", "IGMMA", "BGMMA", "WARPSYNC",
                                       "EXIT", "RPC",   "UTC",   "SUATOM"};
  for (guint i = 0; i < G_N_ELEMENTS(starts); i++) {
    if (g_str_has_prefix(instruction->name, starts[i]))
      return TRUE;
  }
  return FALSE;
}

// Results of an instruction that is not modelled: registers and predicates ahead of the first source. How many
// registers a result has is not known either: as many as may be aligned like it, four at most.
static gboolean
decode_unknown(SassDecoder *decoder) {
  const SassInstruction *instruction = decoder->instruction;
  if (!instruction->name)
    return smb_sass_refuse(decoder, "an instruction that is not known (opcode 0x%03x)",
                           instruction->opcode);
  if (is_dangerous(instruction)) {
    g_autofree char *text = smb_sass_text(instruction);
    return smb_sass_refuse(decoder, "an instruction that is not modelled: '%s'", text);
  }
  gboolean seen = FALSE;
  for (guint i = 0; i < instruction->n_operands; i++) {
    const SassOperand *operand = &instruction->operands[i];
    if (smb_sass_is_predicate(operand) && !operand->is_inverted && i < 3)
      smb_sass_add_unknown_predicate(decoder, smb_sass_predicate(decoder, operand));
    else if (smb_sass_is_register(operand) && !seen) {
      guint n = operand->number % 4 == 0 ? 4 : operand->number % 2 == 0 ? 2 : 1;
      seen = TRUE;
      if (!smb_sass_is_dropped(operand))
        smb_sass_add_unknown(decoder, smb_sass_result(decoder, operand, n), n);
    } else
      break;
  }
  return TRUE;
}

gboolean
smb_sass_decode(SassDecoder *decoder, const SassInstruction *instruction, guint32 place) {
  static SassResult (*const kinds[])(SassDecoder *) = {
      smb_sass_decode_memory,  smb_sass_decode_bulk,    smb_sass_decode_control,
      smb_sass_decode_special, smb_sass_decode_compute,
  };
  decoder->instruction = instruction;
  decoder->place = place;
  decoder->n_scratch = decoder->n_scratch_predicates = 0;
  gboolean uniform = instruction->guard_is_uniform;
  decoder->guard =
      instruction->guard == SASS_PT
          ? PREDICATE_TRUE
          : (uniform ? decoder->uniform_predicates : decoder->predicates) + instruction->guard;
  decoder->unless = instruction->guard_is_inverted;
  if (instruction->guard == SASS_PT && instruction->guard_is_inverted) { // it never runs
    Step step = smb_sass_step(decoder, STEP_NOTHING);
    step.unless = FALSE;
    smb_code_add(decoder->code, &step);
    return TRUE;
  }
  for (guint i = 0; i < G_N_ELEMENTS(kinds); i++) {
    SassResult result = instruction->name ? kinds[i](decoder) : SASS_OTHER;
    if (result != SASS_OTHER)
      return result == SASS_DECODED;
  }
  return decode_unknown(decoder);
}
