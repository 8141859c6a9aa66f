// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How scattered what blocks load lies in DRAM, and which of it they find in the second-level cache by chance.
//
// DRAM moves two sectors side by side at once. It opens rows, of which 256 bytes that follow each other are in one: measured on an H200, by
// sectors at distances of 1 to 256 of them, and by groups of 1 to 32 at random. To open one takes longer than to move two sectors, so
// single sectors cost several times their bytes. What one block asks for in a row is taken to be asked for at the same time. What is stored is gathered
// in the second-level cache, that of neighbours as well.
//
// Blocks that look up a table, such as a gather's, ask for the same by chance. How often two of them do says how large the table is, as
// biologists count fish: of two sets that are drawn from N, |A ∩ B| is |A| |B| / N on average (Lincoln and Petersen).
#pragma once

#include <glib.h>

#include "sim/time/block-record.h"

                             G_BEGIN_DECLS

                             /**
 * smb_scatter_rows:
 * @middle: a block
 * @loads: (element-type GHashTable): what it loads: line → bits of its sectors
 *
 * Returns: (transfer full) (array): by site: how much longer DRAM takes for the pairs of sectors that @middle loads than their bytes say
 */
                             double *
                             smb_scatter_rows(const SmbBlockRecord *middle, GHashTable *loads,
                                              guint n_sites, const SmbChip *chip);

/**
 * smb_scatter_stores:
 * @stored: (array length=n) (element-type GHashTable): what the block and then its neighbours store: SmbBlockRecord.stored; %NULL: nothing
 *
 * Lines of which not all is written are written one by one, and sectors of which not all is written are loaded first (an H200: words
 * stored at distances of 1 to 64 sectors, and at random).
 *
 * Returns: (transfer full) (array): by site: how much longer DRAM takes for what @middle stores than its bytes say
 */
double *smb_scatter_stores(const SmbBlockRecord *middle, GHashTable *const *stored, guint n,
                           guint n_sites, const SmbChip *chip);

/**
 * smb_scatter_tables:
 * @blocks: (element-type SmbBlockRecord): any blocks of a launch, none of them next to another
 *
 * Returns: (transfer full) (array): by site: how many pairs of sectors a table has that blocks look up, or change; 0: they share nothing, or not by chance
 */
double *smb_scatter_tables(const GPtrArray *blocks, guint n_sites);

G_END_DECLS
