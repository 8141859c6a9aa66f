// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How much of what a launch asks of the second-level cache DRAM has to serve, if that cache is empty when it begins.
//
// A few blocks say it for all: a block in the middle of the grid, its neighbours along each dimension, and one far away along each. A
// sector of the first that none of the others asks for is asked for by no other block; one that the far block asks for, too, is asked
// for by all along that dimension; one that only the neighbour asks for is counted with that. So the sectors of a grid, or of the blocks
// that run at the same time, are a sum of products.
//
// What the launch asks for again is found in the cache if all that it asks for between fits there: all of the launch, or else what the
// blocks of two waves ask for.
//
// Not modelled: blocks that ask for other places by chance (tables, hashes): these are taken to ask for places of their own, up to the
// bytes that the launch's buffers have.
#pragma once

#include <glib.h>

#include "sim/time/block-record.h"

G_BEGIN_DECLS

/**
 * SmbFootprint: of a launch, in sectors
 * @asked: loads that miss the first-level cache are not told from those that hit: all of them
 * @loaded: distinct ones that are loaded, from DRAM
 * @stored: distinct ones that are written
 * @written: of these, those that are written to DRAM before the launch ends
 */
typedef struct {
  double loaded;
  double stored;
  double written;
} SmbFootprint;

/**
 * smb_footprint_find:
 * @recorder: runs the blocks
 * @middle: (inout): a record of the block that smb_footprint_middle() says; its lines are marked (SmbTimedLine.is_common)
 * @at_once: blocks that run at the same time
 * @error: those of smb_block_recorder_run()
 *
 * Returns: FALSE with an error
 */
gboolean smb_footprint_find(SmbBlockRecorder *recorder, SmbBlockRecord *middle, const SmbLaunch *launch,
                            const SmbChip *chip, guint64 at_once, SmbFootprint *footprint,
                            GError **error);

/** smb_footprint_middle: Returns: the number of the block in the middle of the grid */
guint64 smb_footprint_middle(const SmbLaunch *launch);

G_END_DECLS
