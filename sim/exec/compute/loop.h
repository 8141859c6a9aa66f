// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What an operation does in every lane, as one loop, compiled for several processors.
// Private to sim/exec.
#pragma once

#include "sim/base/processor.h"
#include "sim/exec/compute/compute.h"

// A ComputeLoop has rows of operands, and rows of the result, which may be those of an operand. That of a comparison
// writes a byte for each lane: whether it is true.

typedef struct {
  ComputeLoop compute[N_OPERATIONS]; // NULL of those that are no loops
  // The same with operands that are known, in all lanes; else smb_compute_marked(). NULL likewise, and of comparisons.
  ComputeHandler run[N_OPERATIONS];
  // The values of some lanes; the others keep theirs.
  void (*blend)(SmbLanes lanes, guint n, const guint32 *from, guint32 *to);
} Loops;

extern const Loops smb_loops_portable;
extern const Loops smb_loops_avx2;
extern const Loops smb_loops_avx512;

// Those for a kind of processor.
const Loops *smb_loops(SmbProcessor processor);

// An operation whose operands have the marks @flags; 0 if they are known, and @lanes may be some of the warp.
void smb_compute_marked(const Compute *compute, Registers *registers, SmbLanes lanes, guint flags);

static inline ComputeLoop
find_loop(Operation operation) {
  return smb_loops(smb_processor())->compute[operation];
}
