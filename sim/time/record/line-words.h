// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Which words of its lines a request of global memory changes, and of which sectors they are.
#pragma once

#include "sim/time/record/block-record.h"

G_BEGIN_DECLS

enum {
  SMB_WORD_SHIFT = 2,
  SMB_LINE_WORDS = 1 << (SMB_LINE_SHIFT - SMB_WORD_SHIFT),
};

/**
 * smb_lines_find_words: Which words of its lines a store writes as a whole (SmbTimedLine.words). Its lanes are taken to write different bytes.
 * @lines: (inout) (array length=n_lines): all lines that its lanes @mask touch
 * @width: bytes of a lane
 * @addresses: (array): by lane
 */
void smb_lines_find_words(SmbTimedLine *lines, guint n_lines, SmbLanes mask, guint width,
                          const guint64 *addresses);

/**
 * smb_lines_count_changes: How many lanes of an atomic change each line (SmbTimedLine.lanes), and a word of it, and in how many turns they do. Arguments
 * are those of smb_lines_find_words().
 *
 * Returns: the most lanes that change one word of any line
 */
guint16 smb_lines_count_changes(SmbTimedLine *lines, guint n_lines, SmbLanes mask, guint width,
                                const guint64 *addresses);

/** smb_sectors_of_words: @words: of a line. Returns: a bit for each sector of which any of them is; @all: of which all words are */
guint smb_sectors_of_words(guint32 words, gboolean all);

G_END_DECLS
