// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// When instructions may be issued: bits 105 to 121 of each, as ptxas wrote them, and the rate of its opcode.
#include <string.h>

#include "sim/program/timing.h"
#include "sim/sass/decode/decode.h"

// By the name of the opcode, which is static: one comparison of strings for each line of the table, once an instruction.
static SmbRate
find_rate(const SassInstruction *instruction) {
  static const struct {
    const char *name;
    SmbRate rate;
  } rates[] = {
#define TIMED(name, rate) {name, SMB_RATE_##rate},
#include "sim/sass/opcodes/rates.def"
#undef TIMED
  };
  for (guint i = 0; instruction->name && i < G_N_ELEMENTS(rates); i++) {
    if (strcmp(rates[i].name, instruction->name) == 0)
      return rates[i].rate;
  }
  return SMB_RATE_CONTROL;
}

// Where the parts of an instruction make a difference.
static SmbRate
refine_rate(const SassInstruction *instruction, SmbRate rate) {
  if (rate == SMB_RATE_TENSOR && sass_has(instruction, PART_1688))
    return SMB_RATE_TENSOR_HALF_DEPTH;
  if (rate == SMB_RATE_MULTIPLY && (sass_has(instruction, PART_WIDE) || sass_has(instruction, PART_HI)))
    return SMB_RATE_MULTIPLY_WIDE;
  if (rate == SMB_RATE_BARRIER && sass_has(instruction, PART_ARV))
    return SMB_RATE_ARRIVAL;
  return rate;
}

// DEPBAR.LE SB0, 0x1, {2}: the scoreboard and how many instructions may hold it open; those of the list may not be open at all.
static void
read_wait(const SassInstruction *instruction, SmbTiming *timing) {
  for (guint i = 0; i < instruction->n_operands; i++) {
    const SassOperand *operand = &instruction->operands[i];
    if (operand->kind == SASS_SCOREBOARD)
      timing->board = operand->number;
    else if (operand->kind == SASS_SCOREBOARDS)
      timing->waits |= (guint8)operand->value;
    else if (operand->kind == SASS_IMMEDIATE)
      timing->open = (guint8)operand->value;
  }
}

void
smb_sass_add_timing(SassDecoder *decoder, const SassInstruction *instruction, const guint8 *bytes) {
  guint64 high;
  memcpy(&high, bytes + 8, sizeof(high));
  high = GUINT64_FROM_LE(high);
  SmbTiming timing = {.rate = (guint8)refine_rate(instruction, find_rate(instruction)),
                      .stall = high >> (105 - 64) & 15,
                      .yields = !(high >> (109 - 64) & 1),
                      .write_board = high >> (110 - 64) & 7,
                      .read_board = high >> (113 - 64) & 7,
                      .waits = high >> (116 - 64) & 63,
                      .board = SMB_NO_BOARD};
  if (timing.rate == SMB_RATE_WAIT)
    read_wait(instruction, &timing);
  g_array_append_val(decoder->program->timings, timing);
}
