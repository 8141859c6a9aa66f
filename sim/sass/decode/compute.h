// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the files that decode computing instructions share: operands, read one after the other, and steps. Private to
// them.
#pragma once

#include "sim/sass/decode/decode.h"

/**
 * SassReading: an instruction while its operands are read, in the order in which its disassembly has them
 * @is_uniform: its steps run in all lanes of the warp
 * @at: the next operand
 * @is_other: it is not modelled, or an operand is missing or of another kind: then nothing is known of its results
 * @results, @n_results: what it writes
 */
enum {
  SASS_MAX_RESULTS = 8
};
typedef struct {
  SassDecoder *decoder;
  gboolean is_uniform;
  guint at;
  gboolean is_other;
  Written results[SASS_MAX_RESULTS];
  guint n_results;
} SassReading;

typedef void (*SassComputing)(SassReading *reading);

// --- operands (compute-operand.c). For one that is missing or of another kind any row is returned, and @is_other set.

const SassOperand *smb_sass_peek(const SassReading *reading);
// Whether the next operand is a predicate.
gboolean smb_sass_at_predicate(const SassReading *reading);
Row smb_sass_take_result(SassReading *reading, guint n_rows);
// An integer, with its "-" and "~".
Row smb_sass_take(SassReading *reading, guint n_rows);
// The same, but for "-", of which it says whether it is there.
Row smb_sass_take_addend(SassReading *reading, guint n_rows, gboolean *is_negated);
// A floating-point number of 4 or 8 bytes, with its "-" and "|".
Row smb_sass_take_real(SassReading *reading, guint n_rows);
// The same of a number of any type, of which the instruction may name a byte or half of a register; signs are those of
// real numbers, of wide integers and of those of 32 bits.
Row smb_sass_take_scalar(SassReading *reading, SmbScalar from);
// What it writes beside those.
void smb_sass_note_result(SassReading *reading, Written written);
// A predicate that is written: PREDICATE_TRUE if it is dropped, or if the next operand is none.
Predicate smb_sass_take_target(SassReading *reading);
// One that is read, with its "!"; if there is none, SassDecoder.never.
Predicate smb_sass_take_condition(SassReading *reading);
// The value of an immediate.
guint64 smb_sass_take_number(SassReading *reading);
static inline gboolean
smb_sass_says(const SassReading *reading, SassPart part) {
  return smb_sass_has(reading->decoder, part);
}
// Whether something is written after it.
static inline gboolean
smb_sass_has_suffix(const SassOperand *operand) {
  return operand->part > PART_NONE;
}
// What its parts say of how it computes: MODIFIER_FLUSH of ".FTZ" and so on.
guint smb_sass_modifiers(const SassReading *reading);
// The same of how a comparison goes with a predicate: MODIFIER_AND of ".AND" and so on.
guint smb_sass_combination(const SassReading *reading);
// Whether an operand is RZ or URZ, or 0.
gboolean smb_sass_is_zero(const SassOperand *operand);

// --- steps

void smb_sass_emit(SassReading *reading, Compute compute);
// An operation on up to three rows.
void smb_sass_put(SassReading *reading, Operation operation, Row d, Row a, Row b, Row c);
// The same into a row, or a pair, of this instruction's own.
Row smb_sass_apply(SassReading *reading, Operation operation, Row a, Row b, Row c);
// A constant of one row.
Row smb_sass_number(SassReading *reading, guint32 bits);
Predicate smb_sass_not(SassReading *reading, Predicate predicate);
// p = table(a, b, c), as of LOP3: a is 0xf0, b 0xcc, c 0xaa.
void smb_sass_put_predicate(SassReading *reading, Predicate p, guint table, Predicate a,
                            Predicate b, Predicate c);

// A comparison by its name: which operation, whether its operands are exchanged, and MODIFIER_NOT.
typedef struct {
  Operation operation;
  gboolean exchanged;
  guint modifiers;
} SassComparison;
// Of integers that are signed or not, and have one row or two. FALSE: no comparison is named.
gboolean smb_sass_find_comparison(const SassReading *reading, gboolean is_signed, guint n_rows,
                                  SassComparison *comparison);
// The same of floating point, as an operation of binary32 (compute-real.c).
gboolean smb_sass_find_real_comparison(const SassReading *reading, SassComparison *comparison);
// p = a < b and so on, combined with a predicate by AND, OR or XOR; q, unless it is dropped, of its opposite.
void smb_sass_put_combined(SassReading *reading, Predicate p, Predicate q, Predicate found,
                           Predicate with);

// --- handlers: what the rows of sim/sass/opcodes name, each of which takes the operands and emits steps
#define COMPUTE(number, forms, first, last, datapath, name, handler, ...)                          \
  void smb_sass_compute_##handler(SassReading *reading);
#include "sim/sass/opcodes/opcodes.def"

// Decodes the instruction by one of them (compute.c).
gboolean smb_sass_compute(SassDecoder *decoder, SassComputing compute);
