// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A kernel and the functions that it calls, one after the other; what all kinds of instructions need to become steps.
#include "sim/ptx/decode/decode.h"

#include <string.h>

// Fails with a message at the current instruction.
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

PtxResult
smb_ptx_wants(PtxDecoder *decoder, const char *what) {
  smb_ptx_refuse(decoder, "expected %s", what);
  return PTX_FAILED;
}

// --- steps

// Steps that follow are those of @instruction, with its guard (PTX ISA 9.0, section 9.3).
static void
begin_steps(PtxDecoder *decoder, const PtxInstruction *instruction) {
  gboolean has_guard = instruction->guard != PTX_NONE;
  decoder->instruction = instruction;
  decoder->members = NO_ROW;
  decoder->build =
      (Builder){.code = decoder->code,
                .add_site = smb_ptx_add_site,
                .decoder = decoder,
                .place = instruction->offset,
                .guard = has_guard ? decoder->current->rows[instruction->guard] : PREDICATE_TRUE,
                .unless = has_guard && instruction->guard_negated};
}

void
smb_ptx_go_to(PtxDecoder *decoder, const PtxInstruction *instruction) {
  decoder->parts = smb_ptx_opcode_of(decoder, instruction)->parts;
  begin_steps(decoder, instruction);
}

void
smb_ptx_go_beside(PtxDecoder *decoder, guint32 offset) {
  decoder->blank = (PtxInstruction){.guard = PTX_NONE, .offset = offset};
  begin_steps(decoder, &decoder->blank);
}

// Approximate operations become exact ones where the target was measured. Among the lanes that an instruction names
// (.sync), it is an exchange.
void
smb_ptx_add_compute(PtxDecoder *decoder, const Compute *compute) {
  Compute known = *compute;
  smb_compute_approximate(&known, decoder->program->cuda_arch / 10);
  smb_build_compute(&decoder->build, &known, decoder->members != NO_ROW, decoder->members);
}

void
smb_ptx_add_operation(PtxDecoder *decoder, Operation operation, Row d, Row a, Row b) {
  smb_ptx_add_compute(decoder, &(Compute){.operation = (guint16)operation, .d = d, .s = {a, b}});
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
smb_ptx_add_meeting(PtxDecoder *decoder, StepOpcode opcode, guint32 barrier, Predicate guard,
                    gboolean unless) {
  Builder build = decoder->build;
  build.guard = guard;
  build.unless = unless;
  smb_build_plain(&build, opcode, barrier);
}

// --- all functions

// Which registers are read anywhere: the result of an atomic that nothing reads is dropped, and only registers that are
// read are saved by a recursive call. Elements of vectors, lists and addresses count as read.
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
    for (guint o = smb_ptx_reads_first(decoder, instruction) ? 0 : 1; o < instruction->n_operands;
         o++) {
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

// Each register gets rows of its own, or a predicate. Its carry flag and its frame belong to a function, too.
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

// Functions are decoded one after the other, so a call may precede the steps of its callee.
static void
resolve_calls(PtxDecoder *decoder) {
  for (guint32 i = 0; i < decoder->code->steps->len; i++) {
    Step *step = smb_code_step(decoder->code, i);
    if (step->opcode == STEP_CALL)
      step->target = ((const PtxDecoded *)step->callee)->first_step;
  }
}

// What a pointer to a function refers to (CodeEntry).
static void
add_pointer_entries(PtxDecoder *decoder) {
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
  add_pointer_entries(decoder);
  return TRUE;
}
