// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A kernel and the functions that it calls, one after the other; what all kinds of instructions need to become steps.
#include "sim/ptx/decode/decode.h"

#include <string.h>

gboolean
smb_ptx_refuse(PtxDecoder *decoder, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  smb_source_error(decoder->module->source, decoder->instruction->offset, decoder->error, "%s",
                   text);
  return FALSE;
}

gboolean
smb_ptx_has_part(const PtxDecoder *decoder, const char *part) {
  return g_strv_contains(decoder->parts + 1, part);
}

gboolean
smb_ptx_has_prefix(const PtxDecoder *decoder, const char *prefix) {
  for (guint i = 1; decoder->parts[i]; i++) {
    if (g_str_has_prefix(decoder->parts[i], prefix))
      return TRUE;
  }
  return FALSE;
}

const char *
smb_ptx_last_part(const PtxDecoder *decoder) {
  guint n = 0;
  while (decoder->parts[n + 1])
    n++;
  return decoder->parts[n];
}

Step
smb_ptx_step(const PtxDecoder *decoder, StepOpcode opcode) {
  const PtxInstruction *instruction = decoder->instruction;
  Step step = {.place = instruction->offset};
  smb_step_bind(&step, opcode);
  if (instruction->guard != PTX_NONE) {
    step.guard = decoder->current->rows[instruction->guard];
    step.unless = instruction->guard_negated;
  }
  return step;
}

void
smb_ptx_add_compute(PtxDecoder *decoder, Compute *compute) {
  Step step = smb_ptx_step(decoder, STEP_COMPUTE);
  step.compute = *compute;
  smb_compute_approximate(&step.compute, decoder->program->cuda_arch / 10);
  smb_compute_prepare(&step.compute);
  if (decoder->members != NO_ROW && smb_compute_has_members(&step.compute)) {
    smb_step_bind(&step, STEP_EXCHANGE);
    step.argument = decoder->members;
  }
  smb_code_add(decoder->code, &step);
}

// --- barriers of convergence

guint32
smb_ptx_new_barriers(PtxDecoder *decoder, guint n) {
  gboolean own = decoder->current->is_recursive;
  guint *count = own ? &decoder->code->n_call_barriers : &decoder->code->n_barriers;
  *count += n;
  return (*count - n) | (own ? BARRIER_OF_CALL : 0);
}

void
smb_ptx_add_meeting(PtxDecoder *decoder, PtxMeeting meeting, guint32 barrier, Predicate guard,
                    gboolean unless) {
  static const StepOpcode opcodes[][2] = {
      [PTX_MEETING_ARM] = {STEP_ARM, STEP_ARM_OWN},
      [PTX_MEETING_ENTER] = {STEP_ENTER, STEP_ENTER_OWN},
      [PTX_MEETING_SYNC] = {STEP_SYNC, STEP_SYNC_OWN},
      [PTX_MEETING_BREAK] = {STEP_BREAK, STEP_BREAK_OWN},
  };
  Step step = {
      .place = decoder->instruction->offset, .guard = guard, .unless = unless, .argument = barrier};
  smb_step_bind(&step, opcodes[meeting][decoder->current->is_recursive]);
  smb_code_add(decoder->code, &step);
}

// --- all functions

// Whether an instruction writes its first operand, if that is a register; if not, it reads that, too.
static gboolean
writes_first(const PtxDecoder *decoder, const PtxInstruction *instruction) {
  static const char *const readers[] = {"bar",       "barrier",      "brx", "call",
                                        "nanosleep", "stackrestore", NULL};
  return !g_strv_contains(readers, smb_ptx_name(decoder, instruction));
}

static void
count_reads(const PtxDecoder *decoder, PtxDecoded *decoded) {
  const PtxFunction *function = decoded->function;
  decoded->reads = g_new0(guint8, function->registers->len + 1);
  for (guint i = 0; i < function->returns->len && i < function->registers->len; i++)
    decoded->reads[i] = 1; // the first registers are those that are returned
  for (guint i = 0; i < function->instructions->len; i++) {
    const PtxInstruction *instruction = &g_array_index(function->instructions, PtxInstruction, i);
    if (instruction->guard != PTX_NONE)
      decoded->reads[instruction->guard] = 1;
    // What is in brackets or lists may be read, wherever it stands.
    for (guint o = writes_first(decoder, instruction); o < instruction->n_operands; o++) {
      const PtxOperand *operand =
          &g_array_index(function->operands, PtxOperand, instruction->operand + o);
      if (operand->kind == PTX_OPERAND_REGISTER)
        decoded->reads[operand->index] = 1;
      for (guint e = 0; e < operand->n; e++) {
        const PtxOperand *element =
            &g_array_index(function->operands, PtxOperand, operand->index + e);
        if (element->kind == PTX_OPERAND_REGISTER)
          decoded->reads[element->index] = 1;
      }
    }
    if (instruction->n_operands == 0)
      continue;
    const PtxOperand *first = &g_array_index(function->operands, PtxOperand, instruction->operand);
    for (guint e = 0; e < first->n; e++) {
      const PtxOperand *element = &g_array_index(function->operands, PtxOperand, first->index + e);
      if (element->kind == PTX_OPERAND_REGISTER)
        decoded->reads[element->index] = 1;
    }
  }
}

static void
allocate_registers(PtxDecoder *decoder, PtxDecoded *decoded) {
  const GArray *registers = decoded->function->registers;
  decoded->rows = g_new0(guint32, registers->len + 1);
  for (guint i = 0; i < registers->len; i++) {
    const PtxRegister *named = &g_array_index(registers, PtxRegister, i);
    guint bytes = smb_ptx_type_bytes(named->type);
    decoded->rows[i] = bytes == 0 ? smb_code_new_predicate(decoder->code)
                                  : smb_code_new_rows(decoder->code, smb_ptx_register_rows(named));
  }
  decoded->carry = smb_code_new_predicate(decoder->code);
  decoded->frame = smb_code_new_rows(decoder->code, 2);
}

static void
resolve_calls(PtxDecoder *decoder) {
  for (guint32 i = 0; i < decoder->code->steps->len; i++) {
    Step *step = &g_array_index(decoder->code->steps, Step, i);
    if (step->opcode == STEP_CALL)
      step->target = ((const PtxDecoded *)step->callee)->first_step;
  }
}

// What pointers to functions point at.
static void
add_entries(PtxDecoder *decoder) {
  const GPtrArray *functions = decoder->module->functions;
  g_array_set_size(decoder->code->entries, functions->len + 1);
  for (guint32 i = 0; i < functions->len; i++) {
    const PtxFunction *function = g_ptr_array_index(functions, i);
    const PtxDecoded *decoded = smb_ptx_find_decoded(decoder, i);
    gboolean has_body = decoded && !decoded->is_kernel;
    g_array_index(decoder->code->entries, CodeEntry, i + 1) = (CodeEntry){
        has_body ? decoded->first_step : NO_STEP, has_body ? decoded->shape : 0, function->name};
  }
}

gboolean
smb_ptx_decode(PtxDecoder *decoder, const PtxFunction *kernel) {
  smb_ptx_collect(decoder, kernel);
  for (guint i = 0; i < decoder->functions->len; i++) {
    allocate_registers(decoder, g_ptr_array_index(decoder->functions, i));
    count_reads(decoder, g_ptr_array_index(decoder->functions, i));
  }
  decoder->stack = smb_code_new_rows(decoder->code, 2);
  if (!smb_ptx_lay_out(decoder))
    return FALSE;
  for (guint i = 0; i < decoder->functions->len; i++) {
    if (!smb_ptx_decode_function(decoder, g_ptr_array_index(decoder->functions, i)))
      return FALSE;
  }
  resolve_calls(decoder);
  add_entries(decoder);
  return TRUE;
}
