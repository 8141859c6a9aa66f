// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a block has asked for of global memory, in the order in which its warps do, and what of it the second-level cache has lost since.
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _SmbBlockLines SmbBlockLines;

/** SmbAskedPairs: of the pairs of sectors of a line (bits as of smb_sector_pairs()): @news: that the block has not asked for before; @lost: that it has, and that have
 * left the second-level cache since */
typedef struct {
  guint8 news;
  guint8 lost;
} SmbAskedPairs;

/** smb_block_lines_new: @reach: SmbFootprint.reach. Returns: (transfer full): of a block that begins */
SmbBlockLines *smb_block_lines_new(double reach);
void smb_block_lines_free(SmbBlockLines *lines);

/**
 * smb_block_lines_ask:
 * @line: that a load or an atomic of the block touches
 * @pairs: of its sectors
 * @missing: those of them that the first-level cache does not have: what the second-level cache is asked for
 *
 * Returns: of @missing, what was not there
 */
SmbAskedPairs smb_block_lines_ask(SmbBlockLines *lines, guint64 line, guint8 pairs, guint8 missing);

/** smb_block_lines_store: The block stores to @pairs of a line. Returns: those to which it has not stored before, and those to which it has, and that have left the
 * second-level cache since */
SmbAskedPairs smb_block_lines_store(SmbBlockLines *lines, guint64 line, guint8 pairs);

G_END_DECLS
