// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/time/record/request-lines.h"

#include "sim/machine/access/lanes.h"
#include "sim/time/record/line-words.h"

enum {
  ALL_SECTORS = (1 << SMB_LINE_SECTORS) - 1,
};

// Lines of one request are few, and most come in order.
void
smb_request_add_sector(const SmbBlockRecord *record, SmbTimedRequest *request, guint64 address) {
  guint64 line = address >> SMB_LINE_SHIFT;
  guint8 sector = (guint8)(1u << (address >> SMB_SECTOR_SHIFT & 3));
  SmbTimedLine *lines = smb_request_lines(record, request);
  guint i = request->n;
  while (i > 0 && lines[i - 1].line != line)
    i--;
  if (i > 0) {
    lines[i - 1].sectors |= sector;
    return;
  }
  const SmbTimedLine added = {.line = line, .sectors = sector};
  g_array_append_val(record->lines, added);
  request->n++;
}

void
smb_request_count_sectors(const SmbBlockRecord *record, SmbTimedRequest *request) {
  request->sectors = 0;
  for (guint i = 0; i < request->n; i++)
    request->sectors += (guint16)__builtin_popcount(smb_request_lines(record, request)[i].sectors);
}

void
smb_request_find_news(SmbBlockRecord *record, GHashTable *seen, const SmbTimedRequest *request,
                      guint warp, gboolean loads) {
  for (guint i = 0; i < request->n; i++) {
    SmbTimedLine *line = &smb_request_lines(record, request)[i];
    gpointer key = GSIZE_TO_POINTER(line->line);
    guint last = GPOINTER_TO_UINT(g_hash_table_lookup(seen, key));
    guint before = last & ALL_SECTORS, first = last ? last >> SMB_LINE_SECTORS : warp;
    guint pairs = smb_sector_pairs(line->sectors & ~before);
    guint now = before | line->sectors | (loads ? pairs * 3 : 0);
    line->news = (guint8)(line->news | (loads ? pairs : 0));
    record->has_common |= first != warp; // no two have local memory in common
    if (now != before)
      g_hash_table_insert(seen, key, GUINT_TO_POINTER(first << SMB_LINE_SECTORS | now));
  }
}

void
smb_request_note_stored(const SmbBlockRecord *record, SmbLanes mask, guint width,
                        const guint64 *addresses) {
  guint64 line = G_MAXUINT64;
  guint32 words = 0;
  for (SmbLanes rest = mask; rest; rest &= rest - 1) {
    guint64 address = addresses[smb_lanes_first(rest)];
    if (address >> SMB_LINE_SHIFT != line) {
      if (words)
        g_hash_table_insert(record->stored, GSIZE_TO_POINTER(line), GUINT_TO_POINTER(words));
      line = address >> SMB_LINE_SHIFT;
      words = GPOINTER_TO_UINT(g_hash_table_lookup(record->stored, GSIZE_TO_POINTER(line)));
    }
    guint n = MAX(1, width >> SMB_WORD_SHIFT),
          at = address >> SMB_WORD_SHIFT & (SMB_LINE_WORDS - 1);
    words |= (guint32)((((guint64)1 << n) - 1) << at);
  }
  if (words)
    g_hash_table_insert(record->stored, GSIZE_TO_POINTER(line), GUINT_TO_POINTER(words));
}

void
smb_request_count_l1(SmbTimedRequest *request, SmbRecall *recall, guint site, SmbLanes mask,
                     guint width, const guint64 *addresses) {
  enum {
    LINES_A_CYCLE = 4
  };
  SmbRequest asked = {.op = SMB_OP_LD, .width = (guint8)width, .mask = mask};
  if (width > 16)
    return;
  guint64 line = 0;
  for (SmbLanes rest = mask; rest; rest &= rest - 1) {
    guint lane = smb_lanes_first(rest);
    line = line ? line : addresses[lane] >> SMB_LINE_SHIFT << SMB_LINE_SHIFT;
    asked.offset[lane] = (guint32)(addresses[lane] - line) & (G_MAXUINT32 >> 2);
  }
  guint banks = smb_recall_count(recall, site, &asked)->pipe.wavefronts;
  guint taken = MAX(banks, (request->n + LINES_A_CYCLE - 1) / LINES_A_CYCLE);
  request->loads = (guint16)MIN(request->loads + taken, G_MAXUINT16);
  request->banks = (guint16)MIN(request->banks + banks, G_MAXUINT16);
}
