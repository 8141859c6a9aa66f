// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// All warps of a block together, a step after the other: the lanes that are at the lowest step of all go on, in all warps, before
// any other step is executed. Of code that is laid out as its text is, in which only loops lead back, so lanes meet where
// a statement ends: those that skip a branch, leave a loop or return wait further down, until those that are above have come there.
// No barriers of convergence are needed. Statements are executed as sim/machine/block.h says of CUDA C.
//
// Steps that only compute are executed warp by warp up to the next one that anybody else could notice.
#pragma once

#include "sim/exec/code.h"

/**
 * smb_lockstep_new: the state of a block (SmbFrontEnd.state_new) of code that runs so
 * @parameters: what its presets read (SPECIAL_PARAMETER); all of it is known
 */
gpointer smb_lockstep_new(SmbBlock *block, const Code *code, GBytes *parameters);
void smb_lockstep_free(gpointer exec);
gboolean smb_lockstep_run(gpointer exec);
