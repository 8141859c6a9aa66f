// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Where the lanes of a warp go after each instruction, as a recorded block sees it: from which lanes executed one, and which of them come to the next.
#pragma once

#include "sim/time/record/block-record.h"

// Where a warp is.
typedef struct {
  guint32 number;     // of the instruction that it executed last
  SmbLanes lanes;     // that did
  SmbLanes active;    // that came to it
  SmbLanes scattered; // that an indirect branch has sent elsewhere, and that have not gone on since
} SmbPath;

/**
 * smb_path_flow:
 * @path: (inout): after its last instruction; forgets the lanes of @active that an indirect branch had left behind
 * @rate: (SmbRate) of that instruction
 * @next: the number of the instruction that comes next
 * @active: the lanes that come to it
 *
 * Returns: what the last instruction came to
 */
SmbFlow smb_path_flow(SmbPath *path, guint rate, guint32 next, SmbLanes active);
