// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// mov, with the vectors that it packs and unpacks, and what turns addresses of one space into others or tells them
// apart (PTX ISA, section 9.7.9). A generic address is a pointer of the machine, whose region is in its upper bits.
#include <string.h>

#include "sim/ptx/decode/decode.h"

static PtxResult
refuse_result(PtxDecoder *decoder) {
  return smb_ptx_wants(decoder, "a register for the result");
}

static Operation
find_move_operation(guint bytes) {
  return bytes == 8 ? OPERATION_MOV_64 : bytes == 4 ? OPERATION_MOV_32 : OPERATION_MOV_16;
}

// Whether a vector of so many bytes has two or four parts, none of them less than a byte.
static gboolean
check_vector_parts(PtxDecoder *decoder, const PtxOperand *vector, guint bytes) {
  return (vector->n == 2 || (vector->n == 4 && bytes >= 4 && bytes <= 8)) ||
         smb_ptx_refuse(decoder, "expected 2 or 4 parts with %u bits in total, not %u", 8 * bytes,
                        vector->n);
}

// {a, b, …} into one register: parts of 8, 16, 32 or 64 bits.
static PtxResult
pack_vector(PtxDecoder *decoder, Row d, guint bytes, const PtxOperand *vector) {
  guint part = bytes / vector->n;
  Row parts[4];
  if (!check_vector_parts(decoder, vector, bytes))
    return PTX_FAILED;
  for (guint i = 0; i < vector->n; i++) {
    parts[i] = smb_ptx_row(decoder, smb_ptx_element(decoder, vector, i), part, TRUE);
    if (parts[i] == NO_ROW)
      return PTX_UNKNOWN;
  }
  // The result may be one of the parts: it is made aside.
  Row scratch = smb_code_new_rows(decoder->code, 4);
  for (guint i = 0; part >= 4 && i < vector->n; i++) {
    for (guint row = 0; row < part / 4; row++)
      smb_ptx_add_operation(decoder, OPERATION_PART_32, scratch + i * part / 4 + row,
                            parts[i] + row, 0);
  }
  for (guint i = 0; part == 2 && i < vector->n; i += 2)
    smb_ptx_add_operation(decoder, OPERATION_PACK_16, scratch + i / 2, parts[i], parts[i + 1]);
  if (part == 1 && bytes == 2)
    smb_ptx_add_operation(decoder, OPERATION_PACK_8, scratch, parts[0], parts[1]);
  if (part == 1 && bytes == 4) {
    Row halves = smb_code_new_rows(decoder->code, 2);
    smb_ptx_add_operation(decoder, OPERATION_PACK_8, halves, parts[0], parts[1]);
    smb_ptx_add_operation(decoder, OPERATION_PACK_8, halves + 1, parts[2], parts[3]);
    smb_ptx_add_operation(decoder, OPERATION_PACK_16, scratch, halves, halves + 1);
  }
  for (guint row = 0; row < MAX(bytes, 4u) / 4; row++)
    smb_ptx_add_operation(decoder, OPERATION_PART_32, d + row, scratch + row, 0);
  return PTX_DECODED;
}

// A register into {a, b, …}. The source may be one of them: it is copied first.
static PtxResult
unpack(PtxDecoder *decoder, const PtxOperand *vector, Row a, guint bytes) {
  guint part = bytes / vector->n, rows = MAX(bytes, 4u) / 4;
  if (!check_vector_parts(decoder, vector, bytes))
    return PTX_FAILED;
  Row scratch = smb_code_new_rows(decoder->code, rows);
  for (guint row = 0; row < rows; row++)
    smb_ptx_add_operation(decoder, OPERATION_PART_32, scratch + row, a + row, 0);
  for (guint i = 0; i < vector->n; i++) {
    const PtxOperand *element = smb_ptx_element(decoder, vector, i);
    if (element->kind == PTX_OPERAND_SINK)
      continue;
    Row d = smb_ptx_row(decoder, element, part, FALSE);
    guint at = i * part;
    if (element->kind != PTX_OPERAND_REGISTER)
      return refuse_result(decoder);
    if (d == NO_ROW)
      return PTX_UNKNOWN;
    for (guint row = 0; part >= 4 && row < part / 4; row++)
      smb_ptx_add_operation(decoder, OPERATION_PART_32, d + row, scratch + at / 4 + row, 0);
    if (part == 2)
      smb_ptx_add_operation(decoder, at % 4 ? OPERATION_HIGH_16 : OPERATION_LOW_16, d,
                            scratch + at / 4, 0);
    if (part == 1) {
      Row half = smb_code_new_rows(decoder->code, 1);
      smb_ptx_add_operation(decoder, at % 4 >= 2 ? OPERATION_HIGH_16 : OPERATION_LOW_16, half,
                            scratch + at / 4, 0);
      smb_ptx_add_operation(decoder, at % 2 ? OPERATION_HIGH_8 : OPERATION_LOW_8, d, half, 0);
    }
  }
  return PTX_DECODED;
}

// mov d, a; mov d, {a, …}; mov {d, …}, a
PtxResult
smb_ptx_decode_move(PtxDecoder *decoder) {
  const PtxOperand *d = smb_ptx_operand(decoder, 0), *a = smb_ptx_operand(decoder, 1);
  guint bytes = smb_ptx_type_bytes(smb_ptx_last_part(decoder));
  if (bytes == 0 || smb_ptx_has_prefix(decoder, "v"))
    return PTX_UNKNOWN;
  if (d->kind == PTX_OPERAND_VECTOR) {
    Row from = smb_ptx_row(decoder, a, bytes, TRUE);
    return from == NO_ROW ? PTX_UNKNOWN : unpack(decoder, d, from, bytes);
  }
  if (d->kind != PTX_OPERAND_REGISTER)
    return refuse_result(decoder);
  Row to = smb_ptx_row(decoder, d, bytes, FALSE);
  if (to == NO_ROW)
    return PTX_UNKNOWN;
  if (a->kind == PTX_OPERAND_VECTOR)
    return pack_vector(decoder, to, bytes, a);
  Row from = smb_ptx_row(decoder, a, bytes, TRUE);
  if (from == NO_ROW)
    return PTX_UNKNOWN;
  if (bytes == 16) {
    smb_ptx_add_operation(decoder, OPERATION_MOV_64, to, from, 0);
    smb_ptx_add_operation(decoder, OPERATION_MOV_64, to + 2, from + 2, 0);
  } else
    smb_ptx_add_operation(decoder, find_move_operation(bytes), to, from, 0);
  return PTX_DECODED;
}

// cvta{.to}: only addresses of shared memory differ from generic ones.
PtxResult
smb_ptx_decode_convert_address(PtxDecoder *decoder) {
  const PtxOperand *d = smb_ptx_operand(decoder, 0), *a = smb_ptx_operand(decoder, 1);
  guint bytes = smb_ptx_type_bytes(smb_ptx_last_part(decoder));
  if (bytes != 8)
    return PTX_UNKNOWN;
  Row to = smb_ptx_row(decoder, d, 8, FALSE), from = smb_ptx_row(decoder, a, 8, FALSE);
  if (to == NO_ROW || from == NO_ROW)
    return PTX_UNKNOWN;
  if (d->kind != PTX_OPERAND_REGISTER)
    return refuse_result(decoder);
  if (!smb_ptx_has_prefix(decoder, "shared")) {
    smb_ptx_add_operation(decoder, OPERATION_MOV_64, to, from, 0);
    return PTX_DECODED;
  }
  Row base = smb_ptx_constant(decoder, make_pointer(REGION_SHARED, 0), 8);
  gboolean leaves = smb_ptx_has_part(decoder, "to");
  smb_ptx_add_operation(decoder, leaves ? OPERATION_SUB_64 : OPERATION_ADD_64, to, from, base);
  return PTX_DECODED;
}

// p = whether the number of a region compares so with a constant, combined with p.
static void
compare_region(PtxDecoder *decoder, Row number, guint region, Predicate p, guint modifiers) {
  Compute compute = {.operation = OPERATION_EQ_64,
                     .s = {number, smb_ptx_constant(decoder, region + 1, 8)},
                     .p = p,
                     .in = {p},
                     .modifiers = (guint16)modifiers};
  smb_ptx_add_compute(decoder, &compute);
}

// Constant memory has a region for each variable; those of global memory are the others behind the fixed ones.
static void
compare_constant_regions(PtxDecoder *decoder, Row number, Predicate p, guint modifiers) {
  const GArray *variables = decoder->module->variables;
  for (guint i = 0; i < variables->len; i++) {
    if (strcmp(g_array_index(variables, PtxVariable, i).space, "const") == 0)
      compare_region(decoder, number, decoder->regions[i], p, modifiers);
  }
}

// isspacep.shared: of this block.
static void
exclude_other_blocks(PtxDecoder *decoder, Row pointer, Predicate result) {
  const PtxOperand self = {.kind = PTX_OPERAND_SPECIAL, .text = "%cluster_ctarank"};
  Row own = decoder->code->carries_rank ? smb_ptx_row(decoder, &self, 4, FALSE)
                                        : smb_ptx_constant(decoder, 0, 4);
  Row above = smb_code_new_rows(decoder->code, 1);
  smb_ptx_add_operation(decoder, OPERATION_SHR_U32, above, pointer,
                        smb_ptx_constant(decoder, CLUSTER_SHIFT, 4));
  Compute same = {.operation = OPERATION_EQ_32,
                  .s = {above, own},
                  .p = result,
                  .in = {result},
                  .modifiers = MODIFIER_AND};
  smb_ptx_add_compute(decoder, &same);
}

// Which region a generic pointer names is in its upper bits; an address of the process (SmbLaunch.memory), which has
// none there, is global. Null is, too (PTX ISA, isspacep).
PtxResult
smb_ptx_decode_test_space(PtxDecoder *decoder) {
  const PtxOperand *p = smb_ptx_operand(decoder, 0), *a = smb_ptx_operand(decoder, 1);
  gboolean shared = smb_ptx_has_prefix(decoder, "shared");
  gboolean local = smb_ptx_has_part(decoder, "local"), global = smb_ptx_has_part(decoder, "global");
  gboolean constant = smb_ptx_has_part(decoder, "const");
  gboolean parameter = smb_ptx_has_prefix(decoder, "param");
  if (!smb_ptx_is_predicate(decoder, p) ||
      (!shared && !local && !global && !constant && !parameter))
    return PTX_UNKNOWN;
  Row from = smb_ptx_row(decoder, a, 8, FALSE);
  if (from == NO_ROW)
    return PTX_UNKNOWN;
  Row number = smb_code_new_rows(decoder->code, 2);
  smb_ptx_add_operation(decoder, OPERATION_SHR_U64, number, from,
                        smb_ptx_constant(decoder, POINTER_OFFSET_BITS, 4));
  Predicate result = smb_code_new_predicate(decoder->code);
  Row behind = smb_ptx_constant(decoder, REGION_GRID, 8);
  Compute compute = {.operation = OPERATION_LT_U64, .p = result};
  if (global || constant) {
    Row index = smb_code_new_rows(decoder->code, 2); // without a number beyond all of them
    smb_ptx_add_operation(decoder, OPERATION_ADD_64, index, number,
                          smb_ptx_constant(decoder, G_MAXUINT64, 8));
    compute.s[0] = smb_ptx_constant(decoder, REGION_GRID - 1, 8);
    compute.s[1] = index;
    smb_ptx_add_compute(decoder, &compute);
    compare_constant_regions(decoder, number, result, MODIFIER_NOT | MODIFIER_AND);
  } else
    compare_region(decoder, number,
                   shared  ? REGION_SHARED
                   : local ? REGION_LOCAL
                           : REGION_PARAMETERS,
                   result, 0);
  if (shared && !smb_ptx_has_part(decoder, "shared::cluster"))
    exclude_other_blocks(decoder, from, result);
  if (constant) { // behind the fixed ones, and not global
    Compute outside = {.operation = OPERATION_LT_U64,
                       .s = {behind, number},
                       .p = result,
                       .in = {result},
                       .modifiers = MODIFIER_AND | MODIFIER_NOT_IN};
    smb_ptx_add_compute(decoder, &outside);
  }
  Compute move = {.operation = OPERATION_PREDICATE,
                  .p = smb_ptx_predicate(decoder, p),
                  .in = {result},
                  .table = 0xf0};
  smb_ptx_add_compute(decoder, &move);
  return PTX_DECODED;
}

// mapa d, a, block: what lies at a, in the shared memory of a block of the cluster, by its rank. The rank is above the offset, as in
// machine code, also in the low word of a generic address.
PtxResult
smb_ptx_decode_map_address(PtxDecoder *decoder) {
  enum {
    AND_OR = 0xea // LOP3: a & b | c
  };
  const PtxOperand *d = smb_ptx_operand(decoder, 0), *a = smb_ptx_operand(decoder, 1);
  const PtxOperand *rank = smb_ptx_operand(decoder, 2);
  guint bytes = smb_ptx_type_bytes(smb_ptx_last_part(decoder));
  if (bytes < 4 || bytes > 8 || d->kind != PTX_OPERAND_REGISTER)
    return smb_ptx_add_opaque(decoder, LOOKS | APART_ONLY);
  Row to = smb_ptx_row(decoder, d, bytes, FALSE), from = smb_ptx_row(decoder, a, bytes, FALSE);
  Row block = smb_ptx_row(decoder, rank, 4, FALSE);
  if (to == NO_ROW || from == NO_ROW || block == NO_ROW)
    return smb_ptx_add_opaque(decoder, LOOKS | APART_ONLY);
  Row above = smb_code_new_rows(decoder->code, 1);
  smb_ptx_add_operation(decoder, OPERATION_SHL_32, above, block,
                        smb_ptx_constant(decoder, CLUSTER_SHIFT, 4));
  if (bytes == 8)
    smb_ptx_add_operation(decoder, OPERATION_MOV_32, to + 1, from + 1, 0);
  const guint32 offset = (1u << CLUSTER_SHIFT) - 1;
  Compute join = {.operation = OPERATION_LOP3,
                  .d = to,
                  .s = {from, smb_ptx_constant(decoder, offset, 4), above},
                  .table = AND_OR};
  smb_ptx_add_compute(decoder, &join);
  decoder->code->maps_cluster = TRUE;
  return PTX_DECODED;
}

// getctarank d, a: the rank of the block in whose shared memory a lies.
PtxResult
smb_ptx_decode_address_rank(PtxDecoder *decoder) {
  enum {
    AND = 0xc0, // LOP3: a & b
  };
  const PtxOperand *d = smb_ptx_operand(decoder, 0), *a = smb_ptx_operand(decoder, 1);
  guint bytes = smb_ptx_type_bytes(smb_ptx_last_part(decoder));
  if (bytes < 4 || bytes > 8 || d->kind != PTX_OPERAND_REGISTER)
    return smb_ptx_add_opaque(decoder, 0);
  Row to = smb_ptx_row(decoder, d, 4, FALSE), from = smb_ptx_row(decoder, a, bytes, FALSE);
  if (to == NO_ROW || from == NO_ROW)
    return smb_ptx_add_opaque(decoder, 0);
  Row above = smb_code_new_rows(decoder->code, 1);
  Row ranks = smb_ptx_constant(decoder, SMB_MAX_CLUSTER_BLOCKS - 1, 4);
  smb_ptx_add_operation(decoder, OPERATION_SHR_U32, above, from,
                        smb_ptx_constant(decoder, CLUSTER_SHIFT, 4));
  Compute low = {.operation = OPERATION_LOP3, .d = to, .s = {above, ranks, ranks}, .table = AND};
  smb_ptx_add_compute(decoder, &low);
  return PTX_DECODED;
}

// mov.pred p, a; of special registers %is_explicit_cluster is a predicate.
PtxResult
smb_ptx_decode_move_predicate(PtxDecoder *decoder) {
  const PtxOperand *p = smb_ptx_operand(decoder, 0), *a = smb_ptx_operand(decoder, 1);
  if (a->kind != PTX_OPERAND_SPECIAL)
    return smb_ptx_decode_compute(decoder);
  Row row = smb_ptx_row(decoder, a, 4, FALSE);
  if (row == NO_ROW || !smb_ptx_is_predicate(decoder, p))
    return PTX_UNKNOWN;
  Compute test = {.operation = OPERATION_EQ_32,
                  .p = smb_ptx_predicate(decoder, p),
                  .modifiers = MODIFIER_NOT,
                  .s = {row, smb_ptx_constant(decoder, 0, 4)}};
  smb_ptx_add_compute(decoder, &test);
  return PTX_DECODED;
}
