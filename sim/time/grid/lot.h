// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Which blocks are replayed for all of a launch. Where blocks are alike, a few are enough. Where they differ in length, and all of them are
// resident together, they are those of the multiprocessor that has the most to do, and of the one that has the longest block, if blocks
// are dealt in turn. Else they are blocks of all lengths, from which follows how long all of them take (sim/time/grid/balance.h).
//
// Not modelled: an order of multiprocessors other than that of their numbers.
#pragma once

#include "sim/time/record/block-record.h"

G_BEGIN_DECLS

enum {
  SMB_LOT_BLOCKS = 16, // that are recorded for a multiprocessor, at most
  SMB_LOT_ALIKE =
      50, // the inverse of the part by which the lengths of blocks may differ that stand for each other
};

/**
 * SmbLot:
 * @n_blocks: of a multiprocessor, of which each is a copy of a record, in turns; 0: as many as there are records
 * @records: (element-type SmbBlockRecord)
 * @others: (nullable) (element-type SmbBlockRecord): of a second multiprocessor
 * @longest: (nullable): of blocks of all lengths, the longest of the launch
 * @lengths: (nullable) (array length=n): with it: instructions of blocks at even distances, in their order
 * @working: multiprocessors that would have as much to do as the one with the most, if all of it was divided among them; 0: it is not known
 */
typedef struct {
  guint64 n_blocks;
  GPtrArray *records;
  GPtrArray *others;
  SmbBlockRecord *longest;
  double *lengths;
  guint64 n;
  double working;
} SmbLot;

/** smb_lot_is_alike: @samples: (element-type SmbBlockRecord): blocks. Returns: whether all blocks execute as many instructions, or nearly: as
 * @launch says, else as @samples do */
gboolean smb_lot_is_alike(const SmbLaunch *launch, const GPtrArray *samples);

/**
 * smb_lot_record:
 * @lot: (inout): whose @n_blocks says how many a multiprocessor gets; the rest is nothing yet
 * @samples: (element-type SmbBlockRecord): blocks
 * @at_once: blocks that are resident together, of all multiprocessors
 * @error: those of smb_block_recorder_run()
 *
 * Records what is replayed of blocks that differ.
 */
gboolean smb_lot_record(SmbLot *lot, const SmbLaunch *launch, const GPtrArray *samples,
                        guint multiprocessors, guint64 at_once, SmbBlockRecorder *recorder,
                        GError **error);
/** smb_lot_sum: Returns: instructions of all blocks of SmbLot.lengths */
double smb_lot_sum(const SmbLot *lot);

void smb_lot_clear(SmbLot *lot);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SmbLot, smb_lot_clear)

G_END_DECLS
