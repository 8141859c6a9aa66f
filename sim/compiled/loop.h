// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What an operation does in every lane, as one loop, compiled for several processors.
// Private to sim/compiled.
#pragma once

#include "sim/compiled/compute.h"

#if defined __x86_64__
#  define SMB_HAVE_AVX2_LOOPS 1
#else
#  define SMB_HAVE_AVX2_LOOPS 0
#endif

// A ComputeLoop has rows of operands, and rows of the result, which may be those of an operand. That of a comparison
// writes a byte for each lane: whether it is true.

// By operation; NULL of those that are no loops.
extern const ComputeLoop smb_loops_portable[N_OPERATIONS];
#if SMB_HAVE_AVX2_LOOPS
extern const ComputeLoop smb_loops_avx2[N_OPERATIONS];
#endif

// The one that runs best here.
ComputeLoop smb_compute_loop(Operation operation);
