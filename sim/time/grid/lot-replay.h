// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How long a lot takes: its blocks are replayed on a multiprocessor, and from that follows when all blocks of the launch have ended.
#pragma once

#include "sim/time/grid/lot.h"
#include "sim/time/replay/multiprocessor.h"

G_BEGIN_DECLS

/**
 * smb_lot_replay:
 * @launch: what is replayed, but for SmbReplay.records and SmbReplay.n_blocks, which are those of @lot
 * @replayed: (out): how busy its multiprocessor is, and what its warps wait for: of the one that takes longest
 *
 * May be called in several threads at the same time.
 *
 * Returns: cycles of the launch, from its begin to the end of its last block
 */
double smb_lot_replay(const SmbReplay *launch, const SmbLot *lot, SmbReplayed *replayed);

/** smb_lot_replay_copies: Returns: cycles that a multiprocessor takes for so many copies of a block, all at the same time */
double smb_lot_replay_copies(const SmbReplay *launch, SmbBlockRecord *block, guint copies);

G_END_DECLS
