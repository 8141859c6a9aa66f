// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Lines of global memory that stores of a multiprocessor wait in before they are sent to the second-level cache. What is stored to the same line
// in the meantime goes with it, whichever warp does. So vectors of three words, stored word by word, are sent in whole sectors.
//
// Measured on an H200 (2026-11-28) by how many sectors leave the first-level cache: stores of 1 to 16 words side by side by each lane, one after
// the other. Those that a warp spreads over four lines or less merge all, over five or six two thirds, over eight or more hardly any.
// Which line makes room is assumed: the one that was stored to longest ago.
#pragma once

#include <glib.h>

G_BEGIN_DECLS

enum {
  SMB_MAX_STORE_LINES = 64,
  SMB_UNMERGED_LINES = 8, // of one store, or more: these do not wait for others
};

/**
 * SmbStoreLine: what waits of a line
 * @tag: of the line, for the multiprocessor; 0: none
 * @words: a bit for each that is written as a whole
 * @sectors: a bit for each that something of is written
 * @is_host: whether it is memory of the host
 */
typedef struct {
  guint64 tag;
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

/** smb_store_line_partial: Returns: of the sectors of a line, those that are written in part */
guint smb_store_line_partial(const SmbStoreLine *line);

G_END_DECLS
