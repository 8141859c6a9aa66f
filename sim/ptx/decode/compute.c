// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// One instruction: those that compute registers from registers, by their table (sim/ptx/isa/computation.h), and those
// that are not modelled.
#include <string.h>

#include "sim/ptx/decode/decode.h"

// A predicate as a source, which may be negated, or a constant 0 or 1. A Compute can negate only the first one.
static gboolean
set_predicate(const PtxDecoder *decoder, const PtxOperand *operand, const FormOperand *form,
              Compute *compute) {
  enum {
    B = 0xcc // where the second operand is true
  };
  gboolean negated = operand->is_negated;
  if (operand->kind == PTX_OPERAND_INTEGER) {
    compute->in[form->slot] = PREDICATE_TRUE;
    negated = operand->bits == 0;
  } else if (smb_ptx_is_predicate(decoder, operand))
    compute->in[form->slot] = smb_ptx_predicate(decoder, operand);
  else
    return FALSE;
  if (!negated)
    return TRUE;
  if (form->slot == 0)
    compute->modifiers ^= MODIFIER_NOT_IN;
  else if (compute->operation == OPERATION_PREDICATE) // and, or, xor: in the table (Compute.table)
    compute->table = (guint8)((compute->table & B) >> 2 | (compute->table & ~B) << 2);
  return form->slot == 0 || compute->operation == OPERATION_PREDICATE;
}

// A predicate result may be dropped: _.
static gboolean
takes_predicate(const PtxDecoder *decoder, const PtxOperand *operand) {
  return operand->kind == PTX_OPERAND_SINK || smb_ptx_is_predicate(decoder, operand);
}

static gboolean
set_operand(PtxDecoder *decoder, const PtxOperand *operand, const FormOperand *form,
            Compute *compute) {
  Row row;
  switch ((FormRole)form->role) {
  case ROLE_RESULT:
    compute->d = operand->kind == PTX_OPERAND_REGISTER
                     ? smb_ptx_row(decoder, operand, form->bytes, FALSE)
                     : NO_ROW;
    if (operand->kind == PTX_OPERAND_SINK)
      compute->d = smb_code_new_rows(decoder->code, 2);
    return compute->d != NO_ROW;
  case ROLE_P:
    if (!takes_predicate(decoder, operand))
      return FALSE;
    compute->p = smb_ptx_predicate(decoder, operand);
    return TRUE;
  case ROLE_SOURCE:
    row = smb_ptx_row(decoder, operand, form->bytes, form->is_real);
    compute->s[form->slot] = row;
    return row != NO_ROW;
  case ROLE_IN:
    return set_predicate(decoder, operand, form, compute);
  case ROLE_MEMBERS: // they came together before (smb_ptx_decode_exchange())
    decoder->members = smb_ptx_row(decoder, operand, 4, FALSE);
    return decoder->members != NO_ROW;
  case ROLE_TABLE:
    compute->table = (guint8)operand->bits;
    return operand->kind == PTX_OPERAND_INTEGER;
  }
  g_assert_not_reached();
}

// The predicate of d|p is the partner of d; in p|q both are results, of which q is the opposite.
gboolean
smb_ptx_set_operands(PtxDecoder *decoder, const ComputeForm *form, Compute *compute) {
  const PtxInstruction *instruction = decoder->instruction;
  gboolean paired = FALSE;
  guint at = 0;
  for (guint i = 0; i < form->n_operands; i++) {
    const FormOperand *wanted = &form->operands[i];
    // "d|p": the predicate stands beside the row.
    gboolean beside = wanted->role == ROLE_P && i > 0 && form->operands[i - 1].role == ROLE_RESULT;
    const PtxOperand *operand = beside ? smb_ptx_partner(decoder) : smb_ptx_operand(decoder, at);
    at += !beside;
    if (beside && operand->kind == PTX_OPERAND_NONE)
      continue;
    paired = paired || wanted->role == ROLE_P;
    if (!set_operand(decoder, operand, wanted, compute))
      return FALSE;
    if (wanted->role == ROLE_P && !beside && instruction->partner != PTX_NONE) {
      const PtxOperand *partner = smb_ptx_partner(decoder);
      if (!takes_predicate(decoder, partner))
        return FALSE;
      compute->q = smb_ptx_predicate(decoder, partner);
    }
  }
  return paired || instruction->partner == PTX_NONE; // else nobody would write it
}

gboolean
smb_ptx_find_form(const PtxDecoder *decoder, ComputeForm *form) {
  guint bytes = smb_ptx_register_bytes(decoder, smb_ptx_operand(decoder, 0));
  guint line = smb_ptx_opcode_of(decoder, decoder->instruction)->line;
  return smb_ptx_compute_form(line, decoder->parts, bytes, form);
}

PtxResult
smb_ptx_decode_compute(PtxDecoder *decoder) {
  ComputeForm form;
  Compute compute;
  if (!smb_ptx_find_form(decoder, &form))
    return PTX_UNKNOWN;
  guint n = smb_ptx_form_count(&form);
  if (!smb_ptx_check_count(decoder, n, n))
    return PTX_FAILED;
  smb_ptx_compute_init(&form, &compute);
  if (!smb_ptx_set_operands(decoder, &form, &compute))
    return PTX_UNKNOWN;
  if (form.carries_in)
    compute.in[0] = decoder->current->carry;
  if (form.carries_out)
    compute.p = decoder->current->carry;
  smb_ptx_add_compute(decoder, &compute);
  return PTX_DECODED;
}

// --- instructions that are not modelled

// What an instruction that is not modelled may write: all rows of the operand.
void
smb_ptx_writes_result(PtxDecoder *decoder, Step *step, const PtxOperand *operand) {
  if (operand->kind == PTX_OPERAND_VECTOR) {
    for (guint i = 0; i < operand->n; i++)
      smb_ptx_writes_result(decoder, step, smb_ptx_element(decoder, operand, i));
    return;
  }
  if (!smb_ptx_register(decoder, operand))
    return;
  guint bytes = smb_ptx_register_bytes(decoder, operand);
  Row row = bytes > 0 ? smb_ptx_register_row(decoder, operand) : NO_ROW;
  if (bytes == 0)
    smb_code_writes_predicate(decoder->code, step, smb_ptx_predicate(decoder, operand));
  else
    smb_code_writes_row(decoder->code, step,
                        row == NO_ROW ? decoder->current->rows[operand->index] : row,
                        MAX(bytes, 4u) / 4);
}

static gboolean
has_address(const PtxDecoder *decoder) {
  for (guint i = 0; i < decoder->instruction->n_operands; i++) {
    if (smb_ptx_operand(decoder, i)->kind == PTX_OPERAND_ADDRESS)
      return TRUE;
  }
  return FALSE;
}

// Whether the opcode says that shared memory is accessed without requests, though it may be written.
static gboolean
accesses_without_request(const PtxDecoder *decoder) {
  return smb_ptx_has_part(decoder, "bulk") || smb_ptx_has_part(decoder, "async") ||
         smb_ptx_has_prefix(decoder, "shared::cluster");
}

// Whether the opcode names another state space.
static gboolean
names_other_space(const PtxDecoder *decoder) {
  return smb_ptx_has_part(decoder, "global") || smb_ptx_has_prefix(decoder, "param") ||
         smb_ptx_has_part(decoder, "const") || smb_ptx_has_part(decoder, "local");
}

// What a launch that is run for its results is refused for: memory, or what it does, would not be that of a device.
static void
add_unsupported(PtxDecoder *decoder) {
  Step step = smb_build_step(&decoder->build, STEP_UNSUPPORTED);
  step.callee = smb_ptx_opcode(decoder);
  smb_code_add(decoder->code, &step);
}

PtxResult
smb_ptx_add_opaque(PtxDecoder *decoder, guint effects) {
  gboolean apart = effects & APART_ONLY || accesses_without_request(decoder),
           addresses = has_address(decoder);
  if (addresses && !apart && !(effects & ELSEWHERE) && !names_other_space(decoder)) {
    g_autofree char *text = smb_ptx_instruction_text(decoder->module, decoder->instruction);
    smb_ptx_refuse(decoder, "'%s' is not supported, and could access shared memory", text);
    return PTX_FAILED;
  }
  gboolean only_named = (effects & (LOOKS | APART_ONLY)) == (LOOKS | APART_ONLY);
  guint writes = (apart && !only_named ? OPAQUE_SHARED : 0) |
                 (addresses && !(effects & LOOKS) ? OPAQUE_GLOBAL : 0);
  if (writes || effects & NOT_RUN)
    add_unsupported(decoder);
  Step step = smb_build_step(&decoder->build, STEP_OPAQUE);
  step.argument = writes;
  smb_ptx_writes_result(decoder, &step, smb_ptx_operand(decoder, 0));
  smb_ptx_writes_result(decoder, &step, smb_ptx_partner(decoder));
  smb_code_add(decoder->code, &step);
  return PTX_DECODED;
}

PtxResult
smb_ptx_decode_opaque(PtxDecoder *decoder) {
  return smb_ptx_add_opaque(decoder, decoder->argument);
}
