// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What an instruction is called, where its opcode does not say it.
#include <string.h>

#include "sim/sass/instruction.h"

enum {
  OPCODE_NUMBER = 0x1ff,
  NUMBER_IMAD = 0x024,
  NUMBER_TENSOR_PRODUCT = 0x1ea,
};

void
smb_sass_add_part(SassInstruction *instruction, guint at, SassPart part) {
  g_assert(instruction->parts[SASS_MAX_PARTS - 1] == 0);
  memmove(instruction->parts + at + 1, instruction->parts + at,
          (SASS_MAX_PARTS - 1 - at) * sizeof *instruction->parts);
  instruction->parts[at] = (guint16)part;
  instruction->has[part / 64] |= G_GUINT64_CONSTANT(1) << part % 64;
}

static gboolean
is_zero_operand(const SassOperand *operand) {
  return (operand->kind == SASS_REGISTER && operand->number == SASS_RZ) ||
         (operand->kind == SASS_UNIFORM && operand->number == SASS_URZ);
}

// A multiplication that is another operation is named after it: there is no bit for that.
static void
name_multiplication(SassInstruction *instruction) {
  const SassOperand *b = &instruction->operands[2];
  const SassOperand *c = &instruction->operands[3];
  if (instruction->n_operands != 4)
    return;
  gboolean is_times_0 = is_zero_operand(b) || (b->kind == SASS_IMMEDIATE && b->value == 0);
  gboolean is_times_1 = b->kind == SASS_IMMEDIATE && b->value == 1;
  if ((is_times_0 && b->kind != SASS_UNIFORM && c->kind != SASS_UNIFORM) ||
      (is_times_1 && is_zero_operand(c)))
    smb_sass_add_part(instruction, 0, PART_MOV);
  else if (is_times_1)
    smb_sass_add_part(instruction, 0, PART_IADD);
  else if (b->kind == SASS_IMMEDIATE && b->value > 1 && b->value != 0x10000 &&
           (b->value & (b->value - 1)) == 0 && is_zero_operand(c))
    smb_sass_add_part(instruction, 0, PART_SHL);
}

// A product in tensor memory is named after its numbers: halves, bytes and floats of 8 bits; or, if bits say which scales it has, those
// of two in a byte, which forms 2 and 4 have.
static void
name_tensor_product(SassInstruction *instruction, const guint64 *words) {
  static const char *const names[] = {"UTCHMMA", "UTCIMMA", "UTCHMMA", "UTCQMMA"};
  guint form = instruction->opcode >> 9;
  gboolean is_packed = (form == 2 || form == 4) && words[0] >> 62 != 0;
  instruction->name = is_packed ? "UTCOMMA" : names[words[1] >> 8 & 3];
}

void
smb_sass_name_product(SassInstruction *instruction, const guint64 *words) {
  guint number = instruction->opcode & OPCODE_NUMBER;
  if (number == NUMBER_IMAD)
    name_multiplication(instruction);
  else if (number == NUMBER_TENSOR_PRODUCT)
    name_tensor_product(instruction, words);
}
