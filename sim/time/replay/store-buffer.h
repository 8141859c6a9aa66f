// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Lines of global memory that stores of a multiprocessor wait in before they are sent to the second-level cache. What is stored to the same line
// in the meantime goes with it, whichever warp does. So vectors of three words, stored word by word, are sent in whole sectors.
//
// Measured on an H200 (2026-11-28 and 2026-12-01) by how many lines come to the second-level cache. Lines stay as long as there is room: 24 that are stored to in turns
// merge all, 28 nearly all, and 32 not, whether by 1, 2, 4 or 8 lines of each store; those of one warp that stores every 225 cycles merge, too. A line that is whole leaves as soon as
// its way is free, and those of a warp leave when it ends (of four warps that store to the same lines and end, half of the stores are sent). Which line makes room is assumed: the one that
// was stored to longest ago.
#pragma once

#include <glib.h>

G_BEGIN_DECLS

enum {
  SMB_MAX_STORE_LINES = 64,
};

/**
 * SmbStoreLine: what waits of a line
 * @tag: of the line, for the multiprocessor; 0: none
 * @warps: a bit for each place of a warp that has stored to it
 * @words: a bit for each that is written as a whole
 * @sectors: a bit for each that something of is written
 * @is_host: whether it is memory of the host
 */
typedef struct {
  guint64 tag;
  guint64 warps;
  guint32 words;
  guint8 sectors;
  gboolean is_host;
} SmbStoreLine;

/** SmbStoreBuffer: the lines, the last one that was stored to first; zeros: none */
typedef struct {
  SmbStoreLine lines[SMB_MAX_STORE_LINES];
} SmbStoreBuffer;

/**
 * smb_store_buffer_put:
 * @n: lines that it has, at most %SMB_MAX_STORE_LINES
 * @stored: to a line
 *
 * Returns: what is sent to make room; with tag 0: nothing
 */
SmbStoreLine smb_store_buffer_put(SmbStoreBuffer *buffer, guint n, SmbStoreLine stored);

/** smb_store_buffer_take_whole: Returns: a line that is whole, which is sent because its way is free: the one that was stored to longest ago; with tag 0: there is none */
SmbStoreLine smb_store_buffer_take_whole(SmbStoreBuffer *buffer);

/** smb_store_buffer_end: Returns: a line that the warp of @place has stored to, which is sent because that has ended; with tag 0: there is none */
SmbStoreLine smb_store_buffer_end(SmbStoreBuffer *buffer, guint place);

/** smb_store_line_partial: Returns: of the sectors of a line, those that are written in part */
guint smb_store_line_partial(const SmbStoreLine *line);

G_END_DECLS
