// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Instructions that are several operations: on two numbers of 32 bits in one register, comparisons of pairs of halves,
// extremes of three, sums of 32 bits with addends of 16 (PTX ISA, sections 9.7.3 to 9.7.6). Each is made of operations
// of the same opcode with another type.
#include <string.h>

#include "sim/ptx/decode/decode.h"

enum {
  MAX_PARTS = 16
};

typedef struct {
  const char *part[MAX_PARTS];
  guint n;
} Parts;

// The parts of the opcode, to look up another one.
static gboolean
copy_parts(const PtxDecoder *decoder, Parts *parts) {
  parts->n = g_strv_length((char **)decoder->parts);
  if (parts->n < 2 || parts->n >= MAX_PARTS)
    return FALSE;
  memcpy(parts->part, decoder->parts, (parts->n + 1) * sizeof(char *));
  return TRUE;
}

// The operation of an opcode.
static gboolean
find_packed_operation(const Parts *parts, Compute *compute) {
  ComputeForm form;
  if (!smb_ptx_find_compute(parts->part, 0, &form))
    return FALSE;
  smb_ptx_compute_init(&form, compute);
  return TRUE;
}

// add.f32x2 d, a, b: one after the other.
PtxResult
smb_ptx_decode_f32x2(PtxDecoder *decoder) {
  Parts parts;
  Compute compute;
  ComputeForm form;
  guint n = decoder->instruction->n_operands;
  if (!copy_parts(decoder, &parts))
    return PTX_UNKNOWN;
  parts.part[parts.n - 1] = "f32";
  if (!smb_ptx_find_compute(parts.part, 0, &form) || n != form.n_operands)
    return PTX_UNKNOWN;
  for (guint i = 0; i < n; i++) {
    const PtxOperand *operand = smb_ptx_operand(decoder, i);
    if (operand->kind != PTX_OPERAND_REGISTER || smb_ptx_register_bytes(decoder, operand) != 8)
      return PTX_UNKNOWN;
  }
  smb_ptx_compute_init(&form, &compute);
  if (!smb_ptx_set_operands(decoder, &form, &compute))
    return PTX_UNKNOWN;
  smb_ptx_add_compute(decoder, &compute);
  compute.d++;
  for (guint i = 0; i + 1 < n; i++)
    compute.s[i]++;
  smb_ptx_add_compute(decoder, &compute);
  return PTX_DECODED;
}

// The halves of two operands: lower ones, then upper ones.
static gboolean
split_halves(PtxDecoder *decoder, guint first, Row halves[2][2]) {
  for (guint i = 0; i < 2; i++) {
    const PtxOperand *operand = smb_ptx_operand(decoder, first + i);
    Row row = smb_ptx_row(decoder, operand, 4, FALSE);
    if (row == NO_ROW)
      return FALSE;
    for (guint half = 0; half < 2; half++) {
      Compute part = {.operation = half ? OPERATION_HIGH_16 : OPERATION_LOW_16,
                      .d = halves[half][i] = smb_code_new_rows(decoder->code, 1),
                      .s = {row}};
      smb_ptx_add_compute(decoder, &part);
    }
  }
  return TRUE;
}

// What the comparison is combined with.
static gboolean
set_combined(PtxDecoder *decoder, Compute *compute) {
  const PtxOperand *c = smb_ptx_operand(decoder, 3);
  if (!(compute->modifiers & MODIFIER_COMBINE))
    return c->kind == PTX_OPERAND_NONE;
  if (!smb_ptx_is_predicate(decoder, c))
    return FALSE;
  compute->in[0] = smb_ptx_predicate(decoder, c);
  compute->modifiers ^= c->is_negated ? MODIFIER_NOT_IN : 0;
  return TRUE;
}

// One half of a comparison.
static void
compare_halves(PtxDecoder *decoder, Compute *compute, gboolean exchanged, const Row *halves) {
  compute->s[0] = halves[exchanged];
  compute->s[1] = halves[!exchanged];
  smb_ptx_add_compute(decoder, compute);
}

// The operands of a comparison may be exchanged.
static gboolean
is_exchanged(const Parts *parts, guint result_operands) {
  ComputeForm form;
  return smb_ptx_find_compute(parts->part, 0, &form) && form.operands[result_operands].slot == 1;
}

// setp p|q, a, b{, c}: p of the lower halves, q of the upper ones. Operands are read before p is written.
static PtxResult
decode_setp(PtxDecoder *decoder, Parts *parts) {
  const PtxOperand *p = smb_ptx_operand(decoder, 0);
  Row halves[2][2];
  Compute compute;
  parts->part[parts->n - 1] = parts->part[parts->n - 1][0] == 'b' ? "bf16" : "f16";
  if (!find_packed_operation(parts, &compute) || decoder->instruction->partner == PTX_NONE)
    return PTX_UNKNOWN;
  const PtxOperand *q = smb_ptx_partner(decoder);
  gboolean has_p = p->kind == PTX_OPERAND_SINK || smb_ptx_is_predicate(decoder, p);
  gboolean has_q = q->kind == PTX_OPERAND_SINK || smb_ptx_is_predicate(decoder, q);
  if (!has_p || !has_q || !set_combined(decoder, &compute) || !split_halves(decoder, 1, halves))
    return PTX_UNKNOWN;
  gboolean exchanged = is_exchanged(parts, 1);
  Predicate upper = compute.p = smb_code_new_predicate(decoder->code);
  compare_halves(decoder, &compute, exchanged, halves[1]);
  compute.p = smb_ptx_predicate(decoder, p);
  compare_halves(decoder, &compute, exchanged, halves[0]);
  Compute move = {.operation = OPERATION_PREDICATE,
                  .p = smb_ptx_predicate(decoder, q),
                  .in = {upper},
                  .table = 0xf0};
  smb_ptx_add_compute(decoder, &move);
  return PTX_DECODED;
}

// set d, a, b{, c}: 1.0, or all ones, in each half.
static PtxResult
decode_set(PtxDecoder *decoder, Parts *parts) {
  const PtxOperand *d = smb_ptx_operand(decoder, 0);
  Row halves[2][2], results[2];
  Compute compute;
  if (parts->n < 4 || !d || d->kind != PTX_OPERAND_REGISTER)
    return PTX_UNKNOWN;
  const char **to = &parts->part[parts->n - 2], **from = to + 1;
  gboolean is_pair = g_str_has_suffix(*to, "x2");
  if (!is_pair && strcmp(*to, "u32") != 0 && strcmp(*to, "s32") != 0)
    return PTX_UNKNOWN;
  *to = !is_pair ? "u16" : (*to)[0] == 'b' ? "bf16" : "f16";
  *from = (*from)[0] == 'b' ? "bf16" : "f16";
  Row row = smb_ptx_row(decoder, d, 4, FALSE);
  if (row == NO_ROW || !find_packed_operation(parts, &compute) ||
      !set_combined(decoder, &compute) || !split_halves(decoder, 1, halves))
    return PTX_UNKNOWN;
  for (guint half = 0; half < 2; half++) {
    compute.d = results[half] = smb_code_new_rows(decoder->code, 1);
    compare_halves(decoder, &compute, is_exchanged(parts, 1), halves[half]);
  }
  Compute pack = {.operation = OPERATION_PACK_16, .d = row, .s = {results[0], results[1]}};
  smb_ptx_add_compute(decoder, &pack);
  return PTX_DECODED;
}

// setp and set, on pairs of halves or on any other type.
PtxResult
smb_ptx_decode_comparison(PtxDecoder *decoder) {
  Parts parts;
  const char *type = smb_ptx_last_part(decoder);
  if (strcmp(type, "f16x2") != 0 && strcmp(type, "bf16x2") != 0)
    return smb_ptx_decode_compute(decoder);
  if (!copy_parts(decoder, &parts))
    return PTX_UNKNOWN;
  return strcmp(decoder->parts[0], "set") == 0 ? decode_set(decoder, &parts)
                                               : decode_setp(decoder, &parts);
}

// min d, a, b, c: of two of them, and of that and the third.
PtxResult
smb_ptx_decode_extreme(PtxDecoder *decoder) {
  ComputeForm form;
  Compute compute;
  if (decoder->instruction->n_operands < 4)
    return smb_ptx_decode_compute(decoder);
  Row third = smb_ptx_row(decoder, smb_ptx_operand(decoder, 3), 4, TRUE);
  if (third == NO_ROW || !smb_ptx_find_form(decoder, &form))
    return PTX_UNKNOWN;
  smb_ptx_compute_init(&form, &compute);
  if (!smb_ptx_set_operands(decoder, &form, &compute))
    return PTX_UNKNOWN;
  Row d = compute.d;
  compute.d = smb_code_new_rows(decoder->code, 1);
  smb_ptx_add_compute(decoder, &compute);
  compute.s[0] = compute.d;
  compute.s[1] = third;
  compute.d = d;
  smb_ptx_add_compute(decoder, &compute);
  return PTX_DECODED;
}

// The row of an operand, converted to 32 bits if it is a half. NO_ROW: it has none.
static Row
widen_half(PtxDecoder *decoder, const PtxOperand *operand, gboolean is_half, SmbScalar type) {
  Row row = smb_ptx_row(decoder, operand, is_half ? 2 : 4, TRUE);
  if (row == NO_ROW || !is_half)
    return row;
  Compute convert = {.operation = OPERATION_CONVERT_32,
                     .from = type,
                     .to = SMB_SCALAR_F32,
                     .bytes = 4,
                     .d = smb_code_new_rows(decoder->code, 1),
                     .s = {row}};
  smb_ptx_add_compute(decoder, &convert);
  return convert.d;
}

// add.f32.f16 d, a, c and fma.f32.f16 d, a, b, c: all but the last operand have 16 bits, which are exact as 32.
PtxResult
smb_ptx_decode_mixed(PtxDecoder *decoder) {
  Parts parts;
  Compute compute;
  guint n = decoder->instruction->n_operands;
  const PtxOperand *d = smb_ptx_operand(decoder, 0);
  if (!copy_parts(decoder, &parts))
    return PTX_UNKNOWN;
  SmbScalar type = parts.part[--parts.n][0] == 'b' ? SMB_SCALAR_BF16 : SMB_SCALAR_F16;
  parts.part[parts.n] = NULL;
  if (d->kind != PTX_OPERAND_REGISTER || !find_packed_operation(&parts, &compute))
    return PTX_UNKNOWN;
  for (guint i = 1; i < n; i++) {
    compute.s[i - 1] = widen_half(decoder, smb_ptx_operand(decoder, i), i + 1 < n, type);
    if (compute.s[i - 1] == NO_ROW)
      return PTX_UNKNOWN;
  }
  compute.d = smb_ptx_row(decoder, d, 4, FALSE);
  if (compute.d == NO_ROW)
    return PTX_UNKNOWN;
  smb_ptx_add_compute(decoder, &compute);
  return PTX_DECODED;
}
