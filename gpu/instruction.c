// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The table of instructions.def, and look-ups in it.
#include "gpu/instruction.h"

#include <string.h>

static const SmbInstruction instructions[] = {
#define SMB_INSTRUCTION(name, op, width, capability, whole_warp, text)                             \
  {name, SMB_OP_##op, width, capability, whole_warp, text},
#include "gpu/instructions.def"
#undef SMB_INSTRUCTION
};

guint
smb_instruction_count(void) {
  return G_N_ELEMENTS(instructions);
}

const SmbInstruction *
smb_instruction(guint index) {
  g_return_val_if_fail(index < G_N_ELEMENTS(instructions), NULL);
  return &instructions[index];
}

gboolean
smb_instruction_for(SmbOp op, guint width, guint *index) {
  for (guint i = 0; i < G_N_ELEMENTS(instructions); i++) {
    if (instructions[i].op == op && instructions[i].width == width) {
      *index = i;
      return TRUE;
    }
  }
  return FALSE;
}

gboolean
smb_instruction_find(const char *name, guint *index) {
  for (guint i = 0; i < G_N_ELEMENTS(instructions); i++) {
    if (strcmp(instructions[i].name, name) == 0) {
      *index = i;
      return TRUE;
    }
  }
  return FALSE;
}
