// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The instructions that can be issued on a device (gpu/instructions.def), each with the operation of
// the model that is to give its cost.
#pragma once

#include "sim/base/request.h"

/**
 * SmbInstruction:
 * @name: as PTX calls it, without ".shared": "atom.max.u32"; "constant-1": its operand is that number
 * @op, @width: the rule of the model
 * @capability: the first compute capability that has it, times 10
 * @whole_warp: all lanes take part, whatever the mask; for the others the mask says which
 * @text: the statement that issues it: address a, lane number l, result v
 */
typedef struct {
  const char *name;
  SmbOp op;
  guint width;
  guint capability;
  gboolean whole_warp;
  const char *text;
} SmbInstruction;

/** Number of instructions. */
guint smb_instruction_count(void);

/** The instruction at @index (transfer none). */
const SmbInstruction *smb_instruction(guint index);

/** smb_instruction_for: Returns: whether there is an instruction of that operation and width; @index is the
 * first then, which stands for them */
gboolean smb_instruction_for(SmbOp op, guint width, guint *index);

/** smb_instruction_find: Returns: whether @name is an instruction, whose index is @index then */
gboolean smb_instruction_find(const char *name, guint *index);
