// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Machine code, read and written as text: the first byte says for which chip, each 16 that follow are an instruction.
#include <string.h>

#include "sim/sass/instruction.h"
#include "tests/fuzz/targets.h"

static void
check_parts(const SassInstruction *instruction) {
  guint n = 0;
  while (n < SASS_MAX_PARTS && instruction->parts[n])
    n++;
  if (instruction->parts[n])
    g_error("%s: the parts have no end", instruction->name);
}

void
fuzz_sass(const guint8 *data, gsize size) {
  static const guint chips[] = {75, 80, 86, 89, 90, 100, 103, 120};
  if (size == 0)
    return;
  guint chip = data[0] < 250 ? chips[data[0] % G_N_ELEMENTS(chips)] : data[0];
  for (gsize at = 1; at + SASS_BYTES <= size; at += SASS_BYTES) {
    SassInstruction instruction;
    gboolean is_known = smb_sass_read(chip, data + at, (guint32)at - 1, &instruction);
    if (is_known != (instruction.name != NULL) || (instruction.is_complete && !is_known))
      g_error("an instruction is known if it has a name");
    if (instruction.n_operands > SASS_MAX_OPERANDS)
      g_error("%u operands", instruction.n_operands);
    check_parts(&instruction);
    g_autofree char *text = smb_sass_text(&instruction);
    if (!*text)
      g_error("no text");
    if (g_getenv("FUZZ_SHOW"))
      g_printerr("%s%s\n", text, instruction.is_complete ? "" : " (not complete)");
  }
}
