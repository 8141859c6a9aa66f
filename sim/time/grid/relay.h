// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Blocks that wait in a row: each polls a word until the block before it has stored it, and stores one for the next. How long a block takes
// from what it receives to what it sends follows from a replay of it alone. A store is on its way to the second-level cache for half as long as
// a load is to it and back, and the poll that finds it began up to a load's time before: half of that on average (an H200: 440 to 457 cycles from
// block to block where nothing else is done, 280 of which are a load: tests/gpu/time/waiting.cu).
//
// Not modelled: blocks that wait for others than the one before them, rows of other lengths, words that atomics change, polls that keep others from the memory.
#pragma once

#include "sim/launch/launch.h"
#include "sim/time/replay/multiprocessor.h"

G_BEGIN_DECLS

/**
 * SmbRelay: of two blocks of which the later one waits for the earlier one
 * @before, @after: (nullable): what they execute once nobody has to wait; %NULL: none waits
 * @polled: (element-type guint64): words that the later one polls
 * @n_blocks: that wait in one row
 */
typedef struct {
  SmbBlockRecord *before;
  SmbBlockRecord *after;
  GHashTable *polled;
  guint64 n_blocks;
} SmbRelay;

void smb_relay_clear(SmbRelay *relay);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SmbRelay, smb_relay_clear)

/** smb_relay_waits: Returns: whether a block asks more than once for something that is not there yet, by an instruction that loads what others may
 * change */
gboolean smb_relay_waits(const SmbProgram *program, const SmbBlockRecord *record);

/** smb_relay_may_wait: Returns: whether a block loads anything by an instruction that loads what others may change */
gboolean smb_relay_may_wait(const SmbProgram *program, const SmbBlockRecord *record);

/**
 * smb_relay_hands_over:
 * @recorder: of the launch, on the memory that it finds
 * @middle: a block of it
 * @counts: blocks take their places in the row from an atomic
 *
 * Returns: whether that block loads, past the first-level cache, what the one before it stores. Then it waits for that, and for how long is known
 * only if a run has shown what it finds
 */
gboolean smb_relay_hands_over(SmbBlockRecorder *recorder, const SmbBlockRecord *middle,
                              gboolean counts);

/**
 * smb_relay_find:
 * @recorder: of the launch, on the memory that all its blocks have left
 * @polling: a block on the memory that the launch finds
 * @counts: blocks take their places in the row from an atomic
 * @relay: (out caller-allocates): for smb_relay_clear()
 *
 * What fails here is not what the launch does: then none waits.
 */
void smb_relay_find(SmbBlockRecorder *recorder, const SmbProgram *program, const SmbLaunch *launch,
                    const SmbBlockRecord *polling, gboolean counts, SmbRelay *relay);

/** smb_relay_cycles: @launch: as all blocks are replayed. Returns: how long the blocks of a row take one after
 * the other; 0: they do not wait */
double smb_relay_cycles(const SmbRelay *relay, const SmbReplay *launch);

G_END_DECLS
