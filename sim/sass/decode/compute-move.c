// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Moves and choices, and predicates as bits of a register.
#include "sim/sass/decode/compute.h"

// MOV, UMOV.
void
smb_sass_compute_move(SassReading *reading) {
  gboolean is_wide = smb_sass_says(reading, PART_64);
  Row d = smb_sass_take_result(reading, is_wide ? 2 : 1);
  Row a = smb_sass_take(reading, is_wide ? 2 : 1);
  if (smb_sass_peek(reading) && smb_sass_take_number(reading) != 0xf) // which bytes
    reading->is_other = TRUE;
  smb_sass_put(reading, is_wide ? OPERATION_MOV_64 : OPERATION_MOV_32, d, a, 0, 0);
}

// RPCMOV: to or from the register of two words that returns go to, where ptxas keeps registers for a while.
void
smb_sass_compute_rpc(SassReading *reading) {
  const SassOperand *first = smb_sass_peek(reading);
  gboolean is_target = first && first->kind == SASS_WORD;
  reading->at += is_target;
  Row d = is_target ? NO_ROW : smb_sass_take_result(reading, 1);
  const SassOperand *word = is_target ? first : smb_sass_peek(reading);
  Row kept = reading->decoder->return_address + (word ? word->number : 0);
  d = is_target ? kept : d;
  if (is_target)
    smb_sass_note_result(reading, (Written){.row = kept, .n = 1});
  Row a = is_target ? smb_sass_take(reading, 1) : kept;
  reading->at += !is_target;
  smb_sass_put(reading, OPERATION_MOV_32, d, a, 0, 0);
}

// SEL: a if the predicate is true, else b.
void
smb_sass_compute_choice(SassReading *reading) {
  guint n_rows = smb_sass_says(reading, PART_64) ? 2 : 1;
  Row d = smb_sass_take_result(reading, n_rows), rows[2];
  for (guint i = 0; i < 2; i++)
    rows[i] = smb_sass_take(reading, n_rows);
  smb_sass_emit(reading,
                (Compute){.operation = n_rows == 2 ? OPERATION_SELECT_64 : OPERATION_SELECT_32,
                          .d = d,
                          .s = {rows[0], rows[1]},
                          .in = {smb_sass_take_condition(reading)}});
}

void
smb_sass_compute_real_choice(SassReading *reading) {
  Row d = smb_sass_take_result(reading, 1);
  Row a = smb_sass_take_real(reading, 1), b = smb_sass_take_real(reading, 1);
  smb_sass_emit(reading, (Compute){.operation = OPERATION_SELECT_32,
                                   .d = d,
                                   .s = {a, b},
                                   .in = {smb_sass_take_condition(reading)}});
}

// --- predicates as bits: P0 is bit 0, of the byte that an operand names (R4.B1)

static Predicate
nth_predicate(const SassReading *reading, guint i) {
  SassOperand operand = {.kind = reading->is_uniform ? SASS_UNIFORM_PREDICATE : SASS_PREDICATE,
                         .number = (guint8)i};
  return smb_sass_predicate(reading->decoder, &operand);
}

// Where a byte begins: of R4.B1, or P2R.B1.
static guint
find_shift(SassPart part) {
  return part == PART_B1 ? 8 : part == PART_B2 ? 16 : part == PART_B3 ? 24 : 0;
}

// All predicates, as they are written: PR, or UPR.
static void
skip_all_predicates(SassReading *reading) {
  const SassOperand *operand = smb_sass_peek(reading);
  if (operand && (operand->kind == SASS_PREDICATES || operand->kind == SASS_WORD))
    reading->at++;
}

// P2R.B1 d, PR, a, mask: the bits of the mask are those of predicates, in that byte, the others those of a.
void
smb_sass_compute_pack(SassReading *reading) {
  guint shift = find_shift(reading->decoder->instruction->parts[0]);
  Row d = smb_sass_take_result(reading, 1);
  skip_all_predicates(reading);
  Row word = smb_sass_take(reading, 1);
  guint32 mask = (guint32)smb_sass_take_number(reading) & 0x7f;
  word = smb_sass_apply(reading, OPERATION_AND_32, word, smb_sass_number(reading, ~(mask << shift)),
                        0);
  for (guint i = 0; i < SASS_PREDICATE_REGISTERS; i++) {
    if (!(mask >> i & 1))
      continue;
    guint32 bit = 1u << (i + shift);
    Row set = smb_sass_apply(reading, OPERATION_OR_32, word, smb_sass_number(reading, bit), 0);
    Row next = smb_sass_scratch(reading->decoder, 1);
    smb_sass_emit(reading, (Compute){.operation = OPERATION_SELECT_32,
                                     .d = next,
                                     .s = {set, word},
                                     .in = {nth_predicate(reading, i)}});
    word = next;
  }
  smb_sass_put(reading, OPERATION_MOV_32, d, word, 0, 0);
}

// R2P PR, a, mask: the guard's predicate last.
void
smb_sass_compute_unpack(SassReading *reading) {
  skip_all_predicates(reading);
  const SassOperand *operand = smb_sass_peek(reading);
  guint shift = operand ? find_shift(operand->part) : 0;
  SassOperand plain = operand ? *operand : (SassOperand){.kind = SASS_WORD};
  plain.part = PART_NONE;
  Row word = smb_sass_source(reading->decoder, &plain, 1);
  reading->at++;
  // Without a mask: all of them.
  guint32 mask = smb_sass_peek(reading) ? (guint32)smb_sass_take_number(reading) & 0x7f : 0x7f;
  for (guint i = 0; i < SASS_PREDICATE_REGISTERS; i++)
    smb_sass_note_result(reading, (Written){.predicate = nth_predicate(reading, i)});
  if (word == NO_ROW || reading->is_other) {
    reading->is_other = TRUE;
    return;
  }
  for (guint round = 0; round < 2; round++)
    for (guint i = 0; i < SASS_PREDICATE_REGISTERS; i++) {
      Predicate p = nth_predicate(reading, i);
      if (!(mask >> i & 1) || (p == reading->decoder->builder.guard) != (round == 1))
        continue;
      Row bit = smb_sass_apply(reading, OPERATION_AND_32, word,
                               smb_sass_number(reading, 1u << (i + shift)), 0);
      smb_sass_emit(reading, (Compute){.operation = OPERATION_EQ_32,
                                       .p = p,
                                       .s = {bit, smb_sass_number(reading, 0)},
                                       .modifiers = MODIFIER_NOT});
    }
}
