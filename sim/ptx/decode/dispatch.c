// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Checks the operands of an instruction, and calls its handler. Both come from its line in instructions.def, which the
// reader found. An instruction that no handler accepts is opaque. Handlers are safe without the checks: a missing
// operand is PTX_OPERAND_NONE. Sources: PTX ISA 9.0, and what ptxas of CUDA 13.0 takes.
#include <string.h>

#include "sim/ptx/decode/decode.h"

static const struct {
  PtxHandler *decode;
  guint argument;
} handlers[] = {
#define INSTRUCTION(words, operands, handler, argument, fate) {smb_ptx_decode_##handler, argument},
#define COMPUTATION(words, more, operation, operands, modifiers, table, handler, fate)             \
  {smb_ptx_decode_##handler, 0},
#include "sim/ptx/isa/instructions.def"
};

// Modifiers that have operands of their own.
static const struct {
  const char *part;
  guint operands;
} additions[] = {
    {"L2::cache_hint", 1},
    {"multicast::cluster", 1},
    {"cp_mask", 1},
    {"ignore_oob", 2},
};

gboolean
smb_ptx_check_count(PtxDecoder *decoder, guint least, guint most) {
  guint n = decoder->instruction->n_operands;
  if (n >= least && n <= most)
    return TRUE;
  g_autofree char *range = least == most       ? g_strdup_printf("%u", most)
                           : most == G_MAXUINT ? g_strdup_printf("at least %u", least)
                                               : g_strdup_printf("%u or %u", least, most);
  gboolean is_one = most == 1 || (most == G_MAXUINT && least == 1);
  return smb_ptx_refuse(decoder, "%s has %s operand%s, not %u", smb_ptx_opcode(decoder), range,
                        is_one ? "" : "s", n);
}

static gboolean
check_operand_count(PtxDecoder *decoder, guint line) {
  guint more = 0, least, most;
  if (line != PTX_NO_LINE)
    smb_ptx_line_count(line, &least, &most);
  else if (!smb_ptx_name_count(decoder->parts[0], &least, &most))
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS(additions); i++)
    more += smb_ptx_has_part(decoder, additions[i].part) ? additions[i].operands : 0;
  return smb_ptx_check_count(decoder, least + more, most == G_MAXUINT ? most : most + more);
}

// The letter of the first operand; by default it is a result.
static char
first_letter(guint line) {
  const char *operands = line == PTX_NO_LINE ? NULL : smb_ptx_line(line)->operands;
  return operands ? operands[0] : 'd';
}

gboolean
smb_ptx_reads_first(const PtxDecoder *decoder, const PtxInstruction *instruction) {
  return strchr("rv*", first_letter(smb_ptx_opcode_of(decoder, instruction)->line)) != NULL;
}

// The first operand is the result or an address, unless its letter says otherwise. Special registers cannot be written,
// and only mov reads one (ptxas).
static gboolean
check_first(PtxDecoder *decoder, guint line) {
  const PtxOperand *first = smb_ptx_operand(decoder, 0);
  if (first->kind == PTX_OPERAND_SPECIAL)
    return smb_ptx_refuse(decoder, "'%s' is a special register, which cannot be written",
                          first->text);
  gboolean is_value = first->kind == PTX_OPERAND_INTEGER || first->kind == PTX_OPERAND_SINGLE ||
                      first->kind == PTX_OPERAND_DOUBLE || first->kind == PTX_OPERAND_SYMBOL;
  return !is_value || strchr("v*", first_letter(line)) ||
         smb_ptx_refuse(decoder, "expected a register or an address as the first operand");
}

static gboolean
check_guard(PtxDecoder *decoder) {
  const PtxOperand guard = {.kind = PTX_OPERAND_REGISTER, .index = decoder->instruction->guard};
  return decoder->instruction->guard == PTX_NONE || smb_ptx_is_predicate(decoder, &guard) ||
         smb_ptx_refuse(decoder, "expected a predicate (.pred) as the guard");
}

PtxResult
smb_ptx_handle(PtxDecoder *decoder) {
  guint line = smb_ptx_opcode_of(decoder, decoder->instruction)->line;
  if (line == PTX_NO_LINE)
    return PTX_UNKNOWN;
  decoder->argument = handlers[line].argument;
  return handlers[line].decode(decoder);
}

gboolean
smb_ptx_decode_instruction(PtxDecoder *decoder) {
  guint line = smb_ptx_opcode_of(decoder, decoder->instruction)->line;
  if (!check_guard(decoder) || !check_operand_count(decoder, line) || !check_first(decoder, line))
    return FALSE;
  PtxResult result = smb_ptx_handle(decoder);
  if (result == PTX_UNKNOWN)
    result = smb_ptx_add_opaque(decoder, 0);
  return result == PTX_DECODED;
}
