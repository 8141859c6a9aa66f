// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// One instruction: those that compute registers from registers, by their table (sim/ptx/instruction.h), and those that
// are not modelled.
#include <string.h>

#include "sim/ptx/decode/decode.h"

static gboolean
set_predicate(const PtxDecoder *decoder, const PtxOperand *operand, const FormOperand *form,
              Compute *compute) {
  gboolean negated = operand->is_negated;
  if (operand->kind == PTX_OPERAND_INTEGER) {
    compute->in[form->slot] = PREDICATE_TRUE;
    negated = operand->bits == 0;
  } else if (smb_ptx_is_predicate(decoder, operand))
    compute->in[form->slot] = smb_ptx_predicate(decoder, operand);
  else
    return FALSE;
  if (negated)
    compute->modifiers ^= MODIFIER_NOT_IN;
  return !negated || form->slot == 0;
}

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
  case ROLE_MEMBERS: // they came together before (smb_ptx_decode_warp())
    decoder->members = smb_ptx_row(decoder, operand, 4, FALSE);
    return decoder->members != NO_ROW;
  case ROLE_TABLE:
    compute->table = (guint8)operand->bits;
    return operand->kind == PTX_OPERAND_INTEGER;
  }
  g_assert_not_reached();
}

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

// A predicate beside the result is no operand of its own.
static guint
count_operands(const ComputeForm *form) {
  guint n = 0;
  for (guint i = 0; i < form->n_operands; i++)
    n += i == 0 || form->operands[i].role != ROLE_P || form->operands[i - 1].role != ROLE_RESULT;
  return n;
}

static PtxResult
decode_compute(PtxDecoder *decoder) {
  const PtxOperand *first = smb_ptx_operand(decoder, 0);
  guint bytes = smb_ptx_register_bytes(decoder, first);
  ComputeForm form;
  Compute compute = {0};
  if (!smb_ptx_find_compute(decoder->parts, bytes, &form))
    return PTX_UNKNOWN;
  // Of three numbers of 32 bits there are extremes as well, not all of them in the table.
  guint n = count_operands(&form);
  gboolean is_extreme =
      (strcmp(decoder->parts[0], "min") == 0 || strcmp(decoder->parts[0], "max") == 0) &&
      strcmp(smb_ptx_last_part(decoder), "f32") == 0;
  if (!smb_ptx_check_count(decoder, n, n + is_extreme))
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

static gboolean
is_one_of(const char *name, const char *const *names, guint n) {
  for (guint i = 0; i < n; i++) {
    if (strcmp(name, names[i]) == 0)
      return TRUE;
  }
  return FALSE;
}

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

// Instructions that may have addresses and make no requests of shared memory, though they may write there.
static gboolean
is_other_traffic(const PtxDecoder *decoder) {
  static const char *const names[] = {"wgmma", "tcgen05", "clusterlaunchcontrol", "mapa",
                                      "tensormap"};
  return is_one_of(decoder->parts[0], names, G_N_ELEMENTS(names)) ||
         smb_ptx_has_part(decoder, "bulk") || smb_ptx_has_part(decoder, "async") ||
         smb_ptx_has_prefix(decoder, "shared::cluster");
}

// Of these, those that do not write there: they synchronize, or name a place.
static gboolean
writes_shared(const PtxDecoder *decoder) {
  static const char *const names[] = {"wgmma", "tcgen05", "clusterlaunchcontrol", "mapa"};
  return is_other_traffic(decoder) && !is_one_of(decoder->parts[0], names, G_N_ELEMENTS(names));
}

static gboolean
has_address(const PtxDecoder *decoder) {
  for (guint i = 0; i < decoder->instruction->n_operands; i++) {
    if (smb_ptx_operand(decoder, i)->kind == PTX_OPERAND_ADDRESS)
      return TRUE;
  }
  return FALSE;
}

static gboolean
is_elsewhere(const PtxDecoder *decoder) {
  static const char *const names[] = {"tex",   "tld4", "txq",     "suld",    "sust",
                                      "sured", "suq",  "istypep", "multimem"};
  return is_one_of(decoder->parts[0], names, G_N_ELEMENTS(names)) ||
         smb_ptx_has_part(decoder, "global") || smb_ptx_has_prefix(decoder, "param") ||
         smb_ptx_has_part(decoder, "const") || smb_ptx_has_part(decoder, "local");
}

// Instructions with an address that store nothing there.
static gboolean
only_reads(const PtxDecoder *decoder) {
  static const char *const names[] = {"ld",
                                      "ldu",
                                      "tex",
                                      "tld4",
                                      "txq",
                                      "suld",
                                      "suq",
                                      "istypep",
                                      "mapa",
                                      "wgmma",
                                      "tcgen05",
                                      "prefetch",
                                      "clusterlaunchcontrol"};
  return is_one_of(decoder->parts[0], names, G_N_ELEMENTS(names));
}

static gboolean
decode_opaque(PtxDecoder *decoder) {
  if (has_address(decoder) && !is_other_traffic(decoder) && !is_elsewhere(decoder)) {
    g_autofree char *text = smb_ptx_instruction_text(decoder->module, decoder->instruction);
    return smb_ptx_refuse(decoder, "'%s' is not supported, and could touch shared memory", text);
  }
  Step step = smb_ptx_step(decoder, STEP_OPAQUE);
  step.argument = (writes_shared(decoder) ? OPAQUE_SHARED : 0) |
                  (has_address(decoder) && !only_reads(decoder) ? OPAQUE_GLOBAL : 0);
  smb_ptx_writes_result(decoder, &step, smb_ptx_operand(decoder, 0));
  smb_ptx_writes_result(decoder, &step, smb_ptx_partner(decoder));
  smb_code_add(decoder->code, &step);
  return TRUE;
}

// --- one instruction

static gboolean
has_predicate(const PtxDecoder *decoder) {
  const PtxOperand guard = {.kind = PTX_OPERAND_REGISTER, .index = decoder->instruction->guard};
  return smb_ptx_is_predicate(decoder, &guard);
}

gboolean
smb_ptx_decode_instruction(PtxDecoder *decoder) {
  if (decoder->instruction->guard != PTX_NONE && !has_predicate(decoder))
    return smb_ptx_refuse(decoder, "the guard of an instruction is a predicate (.pred)");
  static PtxResult (*const decoders[])(PtxDecoder *) = {
      smb_ptx_decode_mbarrier, smb_ptx_decode_bulk,    smb_ptx_decode_memory,
      smb_ptx_decode_move,     smb_ptx_decode_control, smb_ptx_decode_warp,
      smb_ptx_decode_packed,   smb_ptx_decode_video,   decode_compute,
  };
  decoder->parts =
      g_array_index(decoder->module->opcodes, PtxOpcode, decoder->instruction->opcode).parts;
  decoder->members = NO_ROW;
  if (!smb_ptx_check_operands(decoder))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS(decoders); i++) {
    PtxResult result = decoders[i](decoder);
    if (result != PTX_UNKNOWN)
      return result == PTX_DECODED;
  }
  return decode_opaque(decoder);
}
