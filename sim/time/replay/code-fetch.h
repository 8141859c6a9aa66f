// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How long a multiprocessor waits for code.
//
// What it executes comes from a cache of 32 KB for all its sub-partitions, line after line. A line that is not there comes from the next cache, one every 17.5
// cycles for all warps together, and before a warp that goes straight on needs it: measured on an H200 (2026-11-29) by loops of FFMA without a branch, of 16 to
// 192 KB, executed by 1 to 32 warps. Loops of 40 to 112 KB take 2.2 cycles an instruction with one warp in each of one to four sub-partitions, 1.03 with two.
//
// The next cache has the first lines of a launch as soon as they are asked for. What is beyond 64 KB comes there line after line the first time, in 13 to 14
// cycles an instruction in all, of which 16 warps hide all (2026-11-28). 128 KB stay there. What was there before comes back in 5.6 cycles an instruction.
// Which lines make room is assumed, in both caches: those that were fetched first.
//
// Not modelled: that some of a loop that is little larger than the first cache stays there (36 KB: 1.7 cycles an instruction, not 2.2), what a branch waits for
// that goes to a line that is not there (10 cycles), and lines that warps ask for more than once as they drift apart (32 warps: 1.1 to 1.2 cycles an instruction).
#pragma once

#include "sim/time/chip.h"

G_BEGIN_DECLS

/** SmbCodeFetch: the code of a launch, as a multiprocessor has it */
typedef struct _SmbCodeFetch SmbCodeFetch;

/** smb_code_fetch_new: @bytes: of the code; Returns: (transfer full): nothing of it is there */
SmbCodeFetch *smb_code_fetch_new(const SmbChip *chip, guint64 bytes);
void smb_code_fetch_free(SmbCodeFetch *code);

/** smb_code_fetch_ask: Returns: when the code at @offset is there, for a warp that could execute it at @now */
double smb_code_fetch_ask(SmbCodeFetch *code, guint64 offset, double now);

G_END_DECLS
