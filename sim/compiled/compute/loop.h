// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What an operation does in every lane, as one loop, compiled for several processors.
// Private to sim/compiled.
#pragma once

#include "sim/compiled/compute/compute.h"

#if defined __x86_64__
#  define SMB_HAVE_AVX2_LOOPS 1
#else
#  define SMB_HAVE_AVX2_LOOPS 0
#endif

// A ComputeLoop has rows of operands, and rows of the result, which may be those of an operand. That of a comparison
// writes a byte for each lane: whether it is true.

typedef struct {
  ComputeLoop compute[N_OPERATIONS]; // NULL of those that are no loops
  // The values of some lanes; the others keep theirs.
  void (*blend)(SmbLanes lanes, guint n, const guint32 *from, guint32 *to);
} Loops;

extern const Loops smb_loops_portable;
#if SMB_HAVE_AVX2_LOOPS
extern const Loops smb_loops_avx2;
#endif

// Those that run best here.
const Loops *smb_loops_choose(void);

static inline ComputeLoop
find_loop(Operation operation) {
  return smb_loops_choose()->compute[operation];
}
