// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Floating point of 32 and 64 bits.
#include <string.h>

#include "sim/sass/decode/compute.h"

// FMUL.D2 … M8: the product is divided or multiplied, which a product with 0 does not show.
static gboolean
is_scaled(const SassReading *reading) {
  static const SassPart scales[] = {PART_D2, PART_D4, PART_D8, PART_M2, PART_M4, PART_M8};
  const SassOperand *a = smb_sass_operand(reading->decoder, 1);
  const SassOperand *b = smb_sass_operand(reading->decoder, 2);
  if ((a && smb_sass_is_zero(a)) || (b && smb_sass_is_zero(b)))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS(scales); i++)
    if (smb_sass_says(reading, scales[i]))
      return TRUE;
  return FALSE;
}

// FADD, FMUL, FFMA and those of binary64: the argument is the operation.
void
smb_sass_compute_real(SassReading *reading) {
  Compute compute = {.operation = (guint16)reading->decoder->argument,
                     .modifiers = (guint16)smb_sass_modifiers(reading)};
  const OperationInfo *info = smb_operation_info((Operation)compute.operation);
  guint n_rows = shape_rows((Shape)info->result);
  reading->is_other = reading->is_other || is_scaled(reading);
  compute.d = smb_sass_take_result(reading, n_rows);
  for (guint i = 0; i < COMPUTE_SOURCES && info->sources[i] != SHAPE_NONE; i++)
    compute.s[i] = smb_sass_take_real(reading, n_rows);
  smb_sass_emit(reading, compute);
}

// FMNMX, FMNMX3: the smaller one of two or three if the predicate is true.
void
smb_sass_compute_real_extreme(SassReading *reading) {
  guint n = reading->decoder->argument;
  gboolean xors = smb_sass_says(reading, PART_XORSIGN);
  Compute compute = {.modifiers = (guint16)smb_sass_modifiers(reading)};
  Row d = smb_sass_take_result(reading, 1), rows[3];
  for (guint i = 0; i < n; i++) {
    const SassOperand *operand = smb_sass_peek(reading);
    if (xors && operand && !operand->is_negated)
      rows[i] = smb_sass_source(reading->decoder, operand, 1), reading->at++;
    else
      rows[i] = smb_sass_take_real(reading, 1);
    reading->is_other = reading->is_other || rows[i] == NO_ROW;
  }
  Predicate is_smallest = smb_sass_take_condition(reading);
  gboolean known = is_smallest == PREDICATE_TRUE || is_smallest == reading->decoder->never;
  if (!known || reading->is_other || (xors && n == 3)) {
    reading->is_other = TRUE;
    return;
  }
  compute.operation = is_smallest == PREDICATE_TRUE ? OPERATION_MIN_F32 : OPERATION_MAX_F32;
  if (xors)
    compute.modifiers |= MODIFIER_ABSOLUTE | MODIFIER_XOR_SIGN;
  compute.s[0] = rows[0];
  for (guint i = 1; i < n; i++) {
    compute.s[1] = rows[i];
    compute.d = i + 1 == n ? d : smb_sass_scratch(reading->decoder, 1);
    smb_sass_emit(reading, compute);
    compute.s[0] = compute.d;
  }
}

// --- comparisons: FSETP, DSETP, FSET. Those that end with U are true if one of the numbers is none

typedef struct {
  SassPart part;
  Operation operation;
  gboolean exchanged;
  guint modifiers;
} RealComparison;

static const RealComparison comparisons[] = {
    {PART_LT, OPERATION_LT_F32, FALSE, 0},
    {PART_EQ, OPERATION_EQ_F32, FALSE, 0},
    {PART_LE, OPERATION_LE_F32, FALSE, 0},
    {PART_GT, OPERATION_LT_F32, TRUE, 0},
    {PART_NE, OPERATION_LG_F32, FALSE, 0},
    {PART_GE, OPERATION_LE_F32, TRUE, 0},
    {PART_NUM, OPERATION_UNO_F32, FALSE, MODIFIER_NOT},
    {PART_NAN, OPERATION_UNO_F32, FALSE, 0},
    {PART_LTU, OPERATION_LE_F32, TRUE, MODIFIER_NOT},
    {PART_EQU, OPERATION_LG_F32, FALSE, MODIFIER_NOT},
    {PART_LEU, OPERATION_LT_F32, TRUE, MODIFIER_NOT},
    {PART_GTU, OPERATION_LE_F32, FALSE, MODIFIER_NOT},
    {PART_NEU, OPERATION_EQ_F32, FALSE, MODIFIER_NOT},
    {PART_GEU, OPERATION_LT_F32, FALSE, MODIFIER_NOT},
};

gboolean
smb_sass_find_real_comparison(const SassReading *reading, SassComparison *comparison) {
  for (guint i = 0; i < G_N_ELEMENTS(comparisons); i++)
    if (smb_sass_says(reading, comparisons[i].part)) {
      *comparison = (SassComparison){comparisons[i].operation, comparisons[i].exchanged,
                                     comparisons[i].modifiers};
      return TRUE;
    }
  return FALSE;
}

// DSETP.MIN p, q, a, b: p where a is the smaller number, or the only one; q where neither is one.
static void
put_choice(SassReading *reading, Predicate p, Predicate q, const Row *rows) {
  Operation operation = smb_sass_says(reading, PART_MIN) ? OPERATION_MIN_F64 : OPERATION_MAX_F64;
  Row chosen = smb_sass_apply(reading, operation, rows[0], rows[1], 0);
  if (p == reading->decoder->builder.guard)
    reading->is_other = TRUE;
  smb_sass_emit(reading, (Compute){.operation = OPERATION_EQ_64, .p = p, .s = {chosen, rows[0]}});
  smb_sass_emit(reading, (Compute){.operation = OPERATION_UNO_F64, .p = q, .s = {chosen, chosen}});
}

// A comparison of two numbers of @n_rows rows. FALSE: none is named.
static gboolean
begin_real_comparison(SassReading *reading, guint n_rows, const Row *rows, Compute *compute) {
  SassComparison comparison;
  if (!smb_sass_find_real_comparison(reading, &comparison)) {
    reading->is_other = TRUE;
    return FALSE;
  }
  guint offset = n_rows == 2 ? OPERATION_EQ_F64 - OPERATION_EQ_F32 : 0;
  guint flush = smb_sass_modifiers(reading) & MODIFIER_FLUSH;
  *compute = (Compute){.operation = (guint16)(comparison.operation + offset),
                       .modifiers = (guint16)(comparison.modifiers | flush),
                       .s = {rows[comparison.exchanged], rows[!comparison.exchanged]}};
  return TRUE;
}

// FSETP, DSETP p, q, a, b, with: the argument says how many rows a number has.
void
smb_sass_compute_real_test(SassReading *reading) {
  guint n_rows = reading->decoder->argument;
  Predicate p = smb_sass_take_target(reading), q = smb_sass_take_target(reading);
  Row rows[2];
  Compute compute;
  for (guint i = 0; i < 2; i++)
    rows[i] = smb_sass_take_real(reading, n_rows);
  Predicate with = smb_sass_take_condition(reading);
  if (smb_sass_says(reading, PART_MIN) || smb_sass_says(reading, PART_MAX)) {
    reading->is_other = reading->is_other || with != PREDICATE_TRUE;
    put_choice(reading, p, q, rows);
  } else if (begin_real_comparison(reading, n_rows, rows, &compute)) {
    compute.p = smb_sass_scratch_predicate(reading->decoder);
    smb_sass_emit(reading, compute);
    smb_sass_put_combined(reading, p, q, compute.p, with);
  }
}

// FSET d, a, b, with: all ones, or 1.0.
void
smb_sass_compute_real_set(SassReading *reading) {
  Row d = smb_sass_take_result(reading, 1), rows[2];
  for (guint i = 0; i < 2; i++)
    rows[i] = smb_sass_take_real(reading, 1);
  Predicate with = smb_sass_take_condition(reading);
  Compute compute;
  if (!begin_real_comparison(reading, 1, rows, &compute))
    return;
  compute.bytes = 4;
  compute.to = smb_sass_says(reading, PART_BF) ? SMB_SCALAR_F32 : SMB_SCALAR_U32;
  compute.d = d;
  compute.in[0] = with;
  compute.modifiers |= (guint16)smb_sass_combination(reading);
  smb_sass_emit(reading, compute);
}

// --- functions

// A NaN that is written: that is how one is made.
static gboolean
is_written_nan(const SassOperand *operand) {
  return operand && operand->kind == SASS_REAL && (operand->value & 0x7fffffff) > 0x7f800000;
}

enum {
  NEAR = 12, // instructions from a root to the test of its operand, or back
};

// What ptxas subtracts from the bits of an operand, or from their high word, to see whether it is in the middle of the
// range; and what __frsqrt_rn adds to those of a subnormal one, which it has multiplied by 2^24.
static gboolean
tests_range(const SassInstruction *instruction) {
  for (guint i = 0; i < instruction->n_operands; i++) {
    const SassOperand *operand = &instruction->operands[i];
    guint32 bits = (guint32)operand->value;
    if (operand->kind == SASS_IMMEDIATE &&
        (bits == 0 - 0xd000000u || bits == 0 - 0x3500000u || bits == 0xc000000))
      return TRUE;
  }
  return FALSE;
}

// Whether .RSQ is where a rounded root (sqrt.rn and so on) or the rounded reciprocal of one (__frsqrt_rn) begins, which
// is refined until its last bit does not matter: in the code for operands in the middle of the range, or in the
// function for others. Then the results of sm_90 do for all chips: IEEE 754 defines the root, and CUDA documents the
// reciprocal as rounded to nearest. Over all 2^24 operands that .RSQ has in __frsqrt_rn, whatever is within the error
// of rsqrt.approx (PTX ISA: 2^-22.9) is refined to that, but for one number at the very limit, of 1 - 2^-23
// (tests/test-multifunction.c).
static gboolean
begins_root(const SassDecoder *decoder) {
  const SassSection *section = smb_sass_section_at(decoder, decoder->builder.place);
  if (!section)
    return FALSE;
  guint32 at = decoder->builder.place - section->base;
  for (guint i = 0; i < decoder->cubin->functions->len; i++) {
    const SmbCubinFunction *function = g_ptr_array_index(decoder->cubin->functions, i);
    if (function->section == section->section && at - function->offset < function->bytes &&
        strstr(function->name, "sqrt_r"))
      return TRUE;
  }
  guint32 first = at - MIN(at, NEAR * SASS_BYTES);
  guint32 last = MIN(at + NEAR * SASS_BYTES, section->bytes - SASS_BYTES);
  for (guint32 offset = first; offset <= last; offset += SASS_BYTES) {
    SassInstruction near;
    if (smb_sass_read(decoder->chip, section->code + offset, section->base + offset, &near) &&
        tests_range(&near))
      return TRUE;
  }
  return FALSE;
}

// MUFU of a number of 16 bits, in either half of a register; the result is in the lower one, below zeros.
static void
put_half_function(SassReading *reading, SmbScalar kind) {
  gboolean is_power = smb_sass_says(reading, PART_EX2);
  Operation powers = kind == SMB_SCALAR_F16 ? OPERATION_UNIT_EX2_F16 : OPERATION_UNIT_EX2_BF16;
  Operation tangents = kind == SMB_SCALAR_F16 ? OPERATION_UNIT_TANH_F16 : OPERATION_UNIT_TANH_BF16;
  if (!is_power && !smb_sass_says(reading, PART_TANH))
    reading->is_other = TRUE;
  Compute compute = {.operation = (guint16)(is_power ? powers : tangents),
                     .modifiers = MODIFIER_APPROXIMATE};
  compute.d = smb_sass_take_result(reading, 1);
  compute.s[0] = smb_sass_take_scalar(reading, kind);
  smb_compute_approximate(&compute, reading->decoder->chip);
  smb_sass_emit(reading, compute);
}

// MUFU: subnormal numbers count as 0. Integers are divided with .RCP, whose last bit does not matter then: the
// reciprocals of sm_90 do for all chips.
void
smb_sass_compute_function(SassReading *reading) {
  static const SassChoice functions[] = {
      {PART_RCP, OPERATION_UNIT_RCP_F32},   {PART_RCP64H, OPERATION_UNIT_RCP_64H},
      {PART_RSQ, OPERATION_UNIT_RSQRT_F32}, {PART_RSQ64H, OPERATION_UNIT_RSQ_64H},
      {PART_SQRT, OPERATION_UNIT_SQRT_F32}, {PART_EX2, OPERATION_UNIT_EX2_F32},
      {PART_LG2, OPERATION_UNIT_LG2_F32},   {PART_SIN, OPERATION_UNIT_SIN_TURNS},
      {PART_COS, OPERATION_UNIT_COS_TURNS}, {PART_TANH, OPERATION_UNIT_TANH_F32}};
  if (smb_sass_says(reading, PART_F16) || smb_sass_says(reading, PART_BF16)) {
    put_half_function(reading, smb_sass_says(reading, PART_F16) ? SMB_SCALAR_F16 : SMB_SCALAR_BF16);
    return;
  }
  gboolean is_root = smb_sass_says(reading, PART_RSQ) || smb_sass_says(reading, PART_RSQ64H);
  gboolean is_known = smb_sass_says(reading, PART_RCP) || smb_sass_says(reading, PART_RCP64H) ||
                      (is_root && begins_root(reading->decoder));
  Compute compute = {.operation = (guint16)SASS_CHOOSE(reading->decoder, functions, 0),
                     .modifiers = MODIFIER_FLUSH | (is_known ? 0 : MODIFIER_APPROXIMATE)};
  compute.d = smb_sass_take_result(reading, 1);
  gboolean is_none = is_written_nan(smb_sass_peek(reading));
  compute.s[0] = smb_sass_take_real(reading, 1);
  if (is_none)
    compute.modifiers = MODIFIER_FLUSH;
  else
    smb_compute_approximate(&compute, reading->decoder->chip);
  smb_sass_emit(reading, compute);
}

// FCHK p, a, b
void
smb_sass_compute_quotient_test(SassReading *reading) {
  Predicate p = smb_sass_take_target(reading);
  Row a = smb_sass_take_real(reading, 1), b = smb_sass_take_real(reading, 1);
  smb_sass_emit(reading, (Compute){.operation = OPERATION_DIVIDES_SLOWLY, .p = p, .s = {a, b}});
}
