// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/time/record/line-words.h"

void
smb_lines_find_words(SmbTimedLine *lines, guint n_lines, SmbLanes mask, guint width,
                     const guint64 *addresses) {
  for (SmbTimedLine *line = lines; line < lines + n_lines; line++) {
    guint bytes[SMB_LINE_WORDS] = {0};
    for (SmbLanes rest = mask; rest; rest &= rest - 1) {
      guint64 address = addresses[smb_lanes_first(rest)];
      if (address >> SMB_LINE_SHIFT != line->line)
        continue;
      guint word = address >> SMB_WORD_SHIFT & (SMB_LINE_WORDS - 1),
            n = MAX(1, width >> SMB_WORD_SHIFT);
      for (guint w = word; w < MIN(word + n, SMB_LINE_WORDS); w++)
        bytes[w] += MIN(width, 1u << SMB_WORD_SHIFT);
    }
    for (guint w = 0; w < SMB_LINE_WORDS; w++)
      line->words |= bytes[w] >= 1 << SMB_WORD_SHIFT ? 1u << w : 0;
  }
}

// How many lanes change each word of a line (@words). Returns the most that change one.
static guint8
count_same(SmbLanes mask, guint64 line, const guint64 *addresses, guint8 *words, guint8 *lanes) {
  guint8 same = 0;
  *lanes = 0;
  for (SmbLanes rest = mask; rest; rest &= rest - 1) {
    guint64 address = addresses[smb_lanes_first(rest)];
    if (address >> SMB_LINE_SHIFT != line)
      continue;
    guint8 n = ++words[address >> SMB_WORD_SHIFT & (SMB_LINE_WORDS - 1)];
    ++*lanes;
    same = MAX(same, n);
  }
  return same;
}

// Whichever lanes they are, those at different words have a turn together, as many as have 32 bytes of operands; a second lane at a word has one of the
// next turns (an H200: l2_lanes in tests/gpu/time/facts.cu).
static void
count_turns(SmbTimedLine *line, const guint8 *words, guint of_turn) {
  line->full_turns = line->other_turns = 0;
  for (guint round = 0; round < line->same; round++) {
    guint lanes = 0;
    for (guint w = 0; w < SMB_LINE_WORDS; w++)
      lanes += words[w] > round;
    line->full_turns = (guint8)(line->full_turns + lanes / of_turn);
    line->other_turns = (guint8)(line->other_turns + (lanes % of_turn != 0));
  }
}

guint16
smb_lines_count_changes(SmbTimedLine *lines, guint n_lines, SmbLanes mask, guint width,
                        const guint64 *addresses) {
  const guint of_turn = MAX(1, (1u << SMB_SECTOR_SHIFT) / MAX(1, width));
  guint16 most = 0;
  for (SmbTimedLine *line = lines; line < lines + n_lines; line++) {
    guint8 words[SMB_LINE_WORDS] = {0};
    line->same = count_same(mask, line->line, addresses, words, &line->lanes);
    line->words = 0;
    for (guint w = 0; w < SMB_LINE_WORDS; w++)
      line->words |= words[w] ? 1u << w : 0;
    most = MAX(most, line->same);
    count_turns(line, words, of_turn);
  }
  return most;
}

guint
smb_sectors_of_words(guint32 words, gboolean all) {
  enum {
    SECTOR_WORDS = SMB_LINE_WORDS / SMB_LINE_SECTORS
  };
  guint sectors = 0;
  for (guint s = 0; s < SMB_LINE_SECTORS; s++) {
    guint32 of_sector = words >> s * SECTOR_WORDS & 0xff;
    sectors |= (all ? of_sector == 0xff : of_sector != 0) ? 1u << s : 0;
  }
  return sectors;
}
