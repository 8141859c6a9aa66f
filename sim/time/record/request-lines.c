// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/time/record/request-lines.h"

#include <string.h>

#include "sim/machine/access/lanes.h"
#include "sim/time/record/line-words.h"

enum {
  ALL_SECTORS = (1 << SMB_LINE_SECTORS) - 1,
  AT_ONCE = 256, // sectors that a warp asks for between two touches of a line that count as one
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
smb_seen_lines_init(SmbSeenLines *seen) {
  seen->sectors = g_hash_table_new(g_direct_hash, g_direct_equal);
  seen->of_warps = g_hash_table_new(g_direct_hash, g_direct_equal);
}

void
smb_seen_lines_clear(SmbSeenLines *seen) {
  g_clear_pointer(&seen->sectors, g_hash_table_unref);
  g_clear_pointer(&seen->of_warps, g_hash_table_unref);
}

void
smb_seen_lines_reset(SmbSeenLines *seen) {
  g_hash_table_remove_all(seen->sectors);
  g_hash_table_remove_all(seen->of_warps);
  memset(seen->asked, 0, sizeof seen->asked);
}

// What a warp has touched of a line, or stored there, and when: sectors that it had asked for by then.
static gpointer
warp_key(guint64 line, guint warp, gboolean stores) {
  return GSIZE_TO_POINTER((line * SMB_MAX_WARPS + warp) << 1 | stores);
}

// Notes that a warp touches a line, or stores there. Returns which of its sectors it has before; @since: sectors asked for since then
static guint
note_touch(SmbSeenLines *seen, const SmbTimedLine *line, guint warp, gboolean stores,
           guint64 *since) {
  gpointer key = warp_key(line->line, warp, stores);
  guint64 last = GPOINTER_TO_SIZE(g_hash_table_lookup(seen->of_warps, key));
  guint sectors = last & (ALL_SECTORS);
  *since = last ? seen->asked[warp] - (last >> SMB_LINE_SECTORS) : 0;
  last = seen->asked[warp] << SMB_LINE_SECTORS | sectors | line->sectors;
  g_hash_table_insert(seen->of_warps, key, GSIZE_TO_POINTER(last));
  return sectors;
}

void
smb_request_find_news(SmbBlockRecord *record, SmbSeenLines *seen, const SmbTimedRequest *request,
                      guint warp, gboolean loads) {
  for (guint i = 0; i < request->n; i++) {
    SmbTimedLine *line = &smb_request_lines(record, request)[i];
    gpointer key = GSIZE_TO_POINTER(line->line);
    guint before = GPOINTER_TO_UINT(g_hash_table_lookup(seen->sectors, key));
    guint pairs = smb_sector_pairs(line->sectors & ~before);
    guint now = before | line->sectors | (loads ? pairs * 3 : 0);
    line->news = (guint8)(line->news | (loads ? pairs : 0));
    if (now != before)
      g_hash_table_insert(seen->sectors, key, GUINT_TO_POINTER(now));
    guint64 since, stored = 0;
    guint own = note_touch(seen, line, warp, FALSE, &since);
    if (!loads)
      note_touch(seen, line, warp, TRUE, &stored);
    guint others = smb_sector_pairs(line->sectors & before & ~own);
    line->others = (guint8)(line->others | (loads ? others : 0));
    line->since = (guint32)MIN(MAX(line->since, loads ? since : stored), G_MAXUINT32);
    record->has_others |= line->others != 0;
    seen->asked[warp] +=
        (line->sectors & ~own) || since >= AT_ONCE ? (guint)__builtin_popcount(line->sectors) : 0;
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
