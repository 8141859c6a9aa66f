// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Conversions: I2F, F2I, F2F, FRND, I2I, and those that pack two numbers.
#include "sim/base/scalar.h"
#include "sim/exec/compute/real.h"
#include "sim/sass/decode/compute.h"

static const SassChoice integers[] = {{PART_S8, SMB_SCALAR_I8},   {PART_U8, SMB_SCALAR_U8},
                                      {PART_S16, SMB_SCALAR_I16}, {PART_U16, SMB_SCALAR_U16},
                                      {PART_S32, SMB_SCALAR_I32}, {PART_U32, SMB_SCALAR_U32},
                                      {PART_S64, SMB_SCALAR_I64}, {PART_U64, SMB_SCALAR_U64}};
static const SassChoice reals[] = {{PART_F16, SMB_SCALAR_F16},
                                   {PART_BF16, SMB_SCALAR_BF16},
                                   {PART_F32, SMB_SCALAR_F32},
                                   {PART_F64, SMB_SCALAR_F64}};

// The @nth part that is one of them, or @otherwise.
static SmbScalar
find_scalar(const SassReading *reading, const SassChoice *scalars, guint n, guint nth,
            SmbScalar otherwise) {
  for (const guint16 *part = reading->decoder->instruction->parts; *part; part++)
    for (guint i = 0; i < n; i++)
      if (*part == scalars[i].part && nth-- == 0)
        return (SmbScalar)scalars[i].value;
  return otherwise;
}

static SmbScalar
find_integer(const SassReading *reading, guint nth) {
  return find_scalar(reading, integers, G_N_ELEMENTS(integers), nth, SMB_SCALAR_I32);
}

static SmbScalar
find_real(const SassReading *reading, guint nth) {
  return find_scalar(reading, reals, G_N_ELEMENTS(reals), nth, SMB_SCALAR_F32);
}

// A byte or half of a register (R4.B1, R4.H1), at its low end; nothing need be known of the rest.
static Row
take_piece(SassReading *reading, guint bytes) {
  const SassOperand *operand = smb_sass_peek(reading);
  SassOperand whole = operand ? *operand : (SassOperand){.kind = SASS_WORD};
  guint shift = whole.part == PART_B1                            ? 8
                : whole.part == PART_B2 || whole.part == PART_H1 ? 16
                : whole.part == PART_B3                          ? 24
                                                                 : 0;
  gboolean is_other = whole.part > PART_NONE && shift == 0;
  whole.part = PART_NONE;
  reading->at++;
  Row row = smb_sass_source(reading->decoder, &whole, 1);
  if (row == NO_ROW || is_other) {
    reading->is_other = TRUE;
    return smb_sass_number(reading, 0);
  }
  if (shift > 0)
    row = smb_sass_apply(reading, OPERATION_SHR_U32, row, smb_sass_number(reading, shift), 0);
  return smb_sass_apply(reading, OPERATION_AND_32, row,
                        smb_sass_number(reading, bytes == 1 ? 0xff : 0xffff), 0);
}

Row
smb_sass_take_scalar(SassReading *reading, SmbScalar from) {
  const SassOperand *operand = smb_sass_peek(reading);
  guint n_rows = smb_scalar_bytes(from) == 8 ? 2 : 1;
  gboolean is_half = from == SMB_SCALAR_F16 || from == SMB_SCALAR_BF16;
  if (!smb_scalar_is_real(from) && n_rows == 2)
    return smb_sass_take(reading, 2);
  if (!smb_scalar_is_real(from) && smb_scalar_bytes(from) == 4)
    return smb_sass_take(reading, 1);
  if (smb_scalar_is_real(from) && !is_half)
    return smb_sass_take_real(reading, n_rows);
  gboolean absolute = operand && operand->is_absolute, negated = operand && operand->is_negated;
  Row row = take_piece(reading, smb_scalar_bytes(from));
  if (operand && (operand->is_inverted || (!is_half && (absolute || negated))))
    reading->is_other = TRUE;
  if (absolute)
    row = smb_sass_apply(reading, OPERATION_ABS_HALF_X2, row, 0, 0);
  return negated ? smb_sass_apply(reading, OPERATION_NEG_HALF_X2, row, 0, 0) : row;
}

static void
put_conversion(SassReading *reading, SmbScalar from, SmbScalar to, guint modifiers) {
  static const Operation operations[2][2] = {{OPERATION_CONVERT_32, OPERATION_CONVERT_64_32},
                                             {OPERATION_CONVERT_32_64, OPERATION_CONVERT_64}};
  gboolean from_wide = smb_scalar_bytes(from) == 8, to_wide = smb_scalar_bytes(to) == 8;
  Row d = smb_sass_take_result(reading, to_wide ? 2 : 1), a = smb_sass_take_scalar(reading, from);
  smb_sass_emit(reading, (Compute){.operation = (guint16)operations[from_wide][to_wide],
                                   .from = (guint8)from,
                                   .to = (guint8)to,
                                   .bytes = to_wide ? 8 : 4,
                                   .modifiers = (guint16)modifiers,
                                   .d = d,
                                   .s = {a}});
}

void
smb_sass_compute_from_integer(SassReading *reading) {
  put_conversion(reading, find_integer(reading, 0), find_real(reading, 0),
                 smb_sass_modifiers(reading));
}

void
smb_sass_compute_to_integer(SassReading *reading) {
  put_conversion(reading, find_real(reading, 0), find_integer(reading, 0),
                 smb_sass_modifiers(reading));
}

// I2I.U8.S32.SAT: the result is named first.
void
smb_sass_compute_integer_conversion(SassReading *reading) {
  put_conversion(reading, find_integer(reading, 1), find_integer(reading, 0), MODIFIER_SATURATE);
}

void
smb_sass_compute_real_conversion(SassReading *reading) {
  put_conversion(reading, find_real(reading, 1), find_real(reading, 0),
                 smb_sass_modifiers(reading));
}

// FRND: to an integer, of the same type.
void
smb_sass_compute_rounding(SassReading *reading) {
  SmbScalar type = find_real(reading, 0);
  put_conversion(reading, type, type, smb_sass_modifiers(reading) | MODIFIER_INTEGER);
}

// --- two numbers in one register

// I2IP.S8.S32.SAT d, a, b, c: above them as many of the low bits of c as there is room for, which is written behind
// it: R4.24.
void
smb_sass_compute_integer_packing(SassReading *reading) {
  static const SassChoice packs[] = {
      {PART_S16, OPERATION_CVT_PACK_S16}, {PART_U16, OPERATION_CVT_PACK_U16},
      {PART_S8, OPERATION_CVT_PACK_S8},   {PART_U8, OPERATION_CVT_PACK_U8},
      {PART_S4, OPERATION_CVT_PACK_S4},   {PART_U4, OPERATION_CVT_PACK_U4},
      {PART_S2, OPERATION_CVT_PACK_S2},   {PART_U2, OPERATION_CVT_PACK_U2}};
  guint operation = SASS_CHOOSE(reading->decoder, packs, N_OPERATIONS);
  Row d = smb_sass_take_result(reading, 1), rows[3];
  for (guint i = 0; i < 2; i++)
    rows[i] = smb_sass_take(reading, 1);
  const SassOperand *last = smb_sass_peek(reading);
  rows[2] = last ? smb_sass_source(reading->decoder, last, 1) : NO_ROW;
  if (reading->is_other || rows[2] == NO_ROW || last->is_negated || operation == N_OPERATIONS)
    reading->is_other = TRUE;
  else
    smb_sass_put(reading, (Operation)operation, d, rows[0], rows[1], rows[2]);
}

// --- numbers of 8 bits and less

// N_NARROW_FORMATS: none of them is named.
static guint
find_narrow(const SassReading *reading) {
  static const SassChoice formats[] = {{PART_E4M3, NARROW_E4M3}, {PART_E5M2, NARROW_E5M2}};
  return SASS_CHOOSE(reading->decoder, formats, N_NARROW_FORMATS);
}

static void
emit_narrow(SassReading *reading, Operation operation, Row d, Row a, Row b) {
  smb_sass_emit(reading, (Compute){.operation = (guint16)operation,
                                   .table = (guint8)find_narrow(reading),
                                   .modifiers = (guint16)smb_sass_modifiers(reading),
                                   .d = d,
                                   .s = {a, b}});
}

// F2FP.F16.E4M3.UNPACK_B d, b: a pair of halves; F2FP….PACK_AB_MERGE_C d, a, b, c: a above b, and UNPACK_B_MERGE_C
// d, b, c: of a pair of halves, in the lower half, and above it the lower half of c.
static void
put_narrow(SassReading *reading, Row d) {
  gboolean from_halves = smb_sass_says(reading, PART_UNPACK_B_MERGE_C);
  if (smb_sass_says(reading, PART_UNPACK_B)) {
    emit_narrow(reading, OPERATION_WIDEN_PAIR, d, take_piece(reading, 2), 0);
    return;
  }
  Row low = smb_sass_scratch(reading->decoder, 1), a, b = 0;
  a = from_halves ? smb_sass_take(reading, 1) : smb_sass_take_real(reading, 1);
  if (!from_halves)
    b = smb_sass_take_real(reading, 1);
  Row c = smb_sass_take(reading, 1);
  emit_narrow(reading, from_halves ? OPERATION_NARROW_F16X2 : OPERATION_NARROW_PAIR, low, a, b);
  smb_sass_put(reading, OPERATION_PACK_16, d, low, c, 0);
  // Others do not clamp, or are not made of halves.
  if (!smb_sass_says(reading, PART_SATFINITE) || from_halves != smb_sass_says(reading, PART_F16))
    reading->is_other = TRUE;
}

// F2FP.PACK_AB d, a, b: a in the upper half, b in the lower one.
void
smb_sass_compute_real_packing(SassReading *reading) {
  SmbScalar to = smb_sass_says(reading, PART_BF16) ? SMB_SCALAR_BF16 : SMB_SCALAR_F16;
  Row d = smb_sass_take_result(reading, 1);
  if (find_narrow(reading) != N_NARROW_FORMATS) {
    put_narrow(reading, d);
    return;
  }
  if (!smb_sass_says(reading, PART_PACK_AB)) {
    reading->is_other = TRUE;
    return;
  }
  Row a = smb_sass_take_real(reading, 1), b = smb_sass_take_real(reading, 1);
  smb_sass_emit(reading, (Compute){.operation = OPERATION_CONVERT_PAIR,
                                   .from = SMB_SCALAR_F32,
                                   .to = (guint8)to,
                                   .bytes = 2,
                                   .modifiers = (guint16)smb_sass_modifiers(reading),
                                   .d = d,
                                   .s = {a, b}});
}
