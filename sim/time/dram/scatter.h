// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How scattered what blocks load lies in DRAM, and which of it they find in the second-level cache by chance.
//
// DRAM moves two sectors side by side at once. It opens rows, of which 256 bytes that follow each other are in one: measured on an H200, by
// sectors at distances of 1 to 256 of them, and by groups of 1 to 32 at random. To open one takes longer than to move two sectors, so
// single sectors cost several times their bytes. A line costs more than its bytes where nobody else asks for its row at that time. A neighbour in
// memory does if it has run just before or after: the more blocks are between, the more rarely does DRAM find the row still open, or has the second-level
// cache both lines to write. What all blocks that run together ask for, between the first and the last place that some of them ask for, is asked for
// at the same time. Of what they look up by chance, it is what is on its way.
//
// Blocks that look up a table, such as a gather's, ask for the same by chance. How often two of them do says how large the table is, as
// biologists count fish: of two sets that are drawn from N, |A ∩ B| is |A| |B| / N on average (Lincoln and Petersen). How many different places all of
// them ask for says the same, and more of a table of which some places are asked for more often than others.
#pragma once

#include <glib.h>

#include "sim/time/record/block-record.h"

G_BEGIN_DECLS

/**
 * smb_scatter_spans:
 * @middle: a block
 * @blocks: (element-type SmbBlockRecord): other blocks of the launch, at random
 *
 * Returns: (transfer full) (array): by site: pairs of sectors from the first to the last that all blocks load, about; 0: it is not known
 */
double *smb_scatter_spans(const SmbBlockRecord *middle, const GPtrArray *blocks, guint n_sites);

/**
 * smb_scatter_apart:
 * @between: bytes that blocks load, or store, from a block to its neighbour in memory
 * @stores: whether they store
 *
 * Returns: how rarely DRAM serves both together: 0 is always, 1 never. In between it grows with the logarithm (an H200: lines of blocks whose neighbours
 * are 1 to 2048 blocks away, line_write and line_read in tests/gpu/time/facts.cu)
 */
double smb_scatter_apart(double between, gboolean stores, const SmbChip *chip);

/**
 * SmbNeighbour: what a block asks for, or its neighbour
 * @table: (nullable): line → bits of the sectors that it loads, or of the words that it stores
 * @apart: smb_scatter_apart() of the block and this neighbour; 0: it is the block
 */
typedef struct {
  GHashTable *table;
  double apart;
} SmbNeighbour;

/**
 * smb_scatter_rows:
 * @middle: a block
 * @loads: (array length=n): what it loads, and what its neighbours do, the nearest first
 * @spans: (array): of smb_scatter_spans()
 * @tables: (array): of smb_scatter_tables()
 * @at_once: blocks that run at the same time
 *
 * Returns: (transfer full) (array): by site: how much longer DRAM takes for the pairs of sectors that @middle loads than their bytes say
 */
double *smb_scatter_rows(const SmbBlockRecord *middle, const SmbNeighbour *loads, guint n,
                         const double *spans, const double *tables, double at_once, guint n_sites,
                         const SmbChip *chip);

/**
 * smb_scatter_stores:
 * @middle: a block
 * @stored: (array length=n): what it stores (SmbBlockRecord.stored), and what its neighbours do, the nearest first
 * @loads: (nullable): what the block loads: line → bits of its sectors
 *
 * Lines of which not all is written are written one by one, and sectors of which not all is written are loaded first (an H200: words
 * stored at distances of 1 to 64 sectors, and at random), unless the block itself has loaded them (an H200, Nsight Compute: where every third or
 * eighth word is changed in place, DRAM loads each sector once).
 *
 * Returns: (transfer full) (array): by site: how much longer DRAM takes for what @middle stores than its bytes say, and it loads nothing
 */
double *smb_scatter_stores(const SmbBlockRecord *middle, const SmbNeighbour *stored, guint n,
                           GHashTable *loads, guint n_sites, const SmbChip *chip);

/**
 * smb_scatter_groups:
 * @blocks: (element-type SmbBlockRecord): any blocks of a launch, none of them next to another
 *
 * An unrolled loop looks up a table at several sites. They are those that do the same, load, store, or change, about as often, between about
 * the same places.
 *
 * Returns: (transfer full) (array): by site: the first site of these
 */
guint32 *smb_scatter_groups(const GPtrArray *blocks, guint n_sites);

/**
 * smb_scatter_tables:
 * @blocks: (element-type SmbBlockRecord): those of smb_scatter_groups()
 * @groups: (array): what that returned
 *
 * Returns: (transfer full) (array): by site: how many pairs of sectors a table has that blocks look up, or change; 0: they share nothing, or not by chance
 */
double *smb_scatter_tables(const GPtrArray *blocks, const guint32 *groups, guint n_sites);

G_END_DECLS
