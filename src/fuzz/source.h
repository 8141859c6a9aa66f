// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Random requests of one instruction with what the model says of them, batch by batch: while one batch is
// measured, all processors make the next; what no thread has made by then is made when it is asked for. What is
// made depends on the seed, the instruction and the place in the sequence; never on the number of threads.
#pragma once

#include "src/measure/trial.h"

/** Requests of a batch, of which there are two: 136 MiB of requests each, about a fifth of a second of an H200.
 * A sample of each batch is counted, and to begin to count takes about a tenth. */
#define SMB_FUZZ_BATCH_REQUESTS (1u << 20)

typedef struct _SmbFuzzSource SmbFuzzSource;

/**
 * smb_fuzz_source_new:
 * @arch: whose rules predict
 * @shared_bytes: every offset stays below it
 * @seed: any number
 *
 * Returns: (transfer full): a source that gives nothing yet
 */
SmbFuzzSource *smb_fuzz_source_new(SmbArch *arch, gsize shared_bytes, guint64 seed);
void smb_fuzz_source_free(SmbFuzzSource *source);

/** Requests of a piece, which a generator of its own makes: what any of them is depends on no other piece. */
#define SMB_FUZZ_PIECE_REQUESTS 4096

/** smb_fuzz_source_begin: requests @first, the first of a piece, to @end (exclusive) of an instruction follow; nothing may
 * be left of another */
void smb_fuzz_source_begin(SmbFuzzSource *source, guint instruction, guint64 first, guint64 end);

/**
 * smb_fuzz_source_next:
 *
 * Returns: (transfer none) (nullable): the next batch, to be measured before the next call; %NULL at the
 *   end
 */
SmbTrial *smb_fuzz_source_next(SmbFuzzSource *source);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbFuzzSource, smb_fuzz_source_free)
