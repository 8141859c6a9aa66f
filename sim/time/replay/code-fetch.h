// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How long a multiprocessor waits for code that it executes for the first time.
//
// The first lines of a launch come fast enough. What is beyond that comes line after line, for all warps together: measured on an H200
// (2026-11-28) by loops of FFMA without a branch, of 8 to 512 KB, executed once, by 1, 4 and 16 warps of each multiprocessor. 64 KB take no more
// than one cycle and a half an instruction longer than later turns do, further ones 13 to 14 cycles in all, of which 16 warps hide all.
// 128 KB stay there. What was there before comes back in 5.6 cycles an instruction. Which lines make room is assumed: those that were
// fetched first.
//
// Not modelled: caches within the multiprocessor. One warp takes 2.1 to 2.3 cycles for an instruction of a loop of 64 to 128 KB, in place of 1.4.
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
