// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/time/replay/block-lines.h"

enum {
  PAIR_BITS = 3, // of which the second one is no pair
  ALL_PAIRS = (1 << PAIR_BITS) - 1,
};

// @touched, @stored: line → bits of its pairs, and how many had come in when they were touched, or stored to, for the last time; @filled: pairs of sectors that have come
// into the second-level cache for the block
struct _SmbBlockLines {
  GHashTable *touched, *stored;
  double reach;
  guint64 filled;
};

SmbBlockLines *
smb_block_lines_new(double reach) {
  SmbBlockLines *lines = g_new0(SmbBlockLines, 1);
  lines->touched = g_hash_table_new(g_direct_hash, g_direct_equal);
  lines->stored = g_hash_table_new(g_direct_hash, g_direct_equal);
  lines->reach = reach;
  return lines;
}

void
smb_block_lines_free(SmbBlockLines *lines) {
  g_hash_table_unref(lines->touched);
  g_hash_table_unref(lines->stored);
  g_free(lines);
}

static gboolean
has_left(const SmbBlockLines *lines, guint64 last) {
  return last && (double)(lines->filled - (last >> PAIR_BITS)) > lines->reach;
}

// A line is touched, or stored to, now: @pairs of it have been so far.
static void
note_line(const SmbBlockLines *lines, GHashTable *table, guint64 line, guint64 pairs) {
  g_hash_table_insert(table, GSIZE_TO_POINTER(line),
                      GSIZE_TO_POINTER(lines->filled << PAIR_BITS | pairs));
}

SmbAskedPairs
smb_block_lines_ask(SmbBlockLines *lines, guint64 line, guint8 pairs, guint8 missing) {
  guint64 last = GPOINTER_TO_SIZE(g_hash_table_lookup(lines->touched, GSIZE_TO_POINTER(line)));
  guint8 before = last & ALL_PAIRS, asked = before & missing;
  const SmbAskedPairs found = {.news = missing & (guint8)~before,
                               .lost = has_left(lines, last) ? asked : 0};
  lines->filled += (guint)__builtin_popcount(found.news | found.lost);
  // What the first-level cache has the second one is not asked for: it keeps that no longer.
  if (missing || (pairs & ~before))
    note_line(lines, lines->touched, line, before | pairs);
  return found;
}

SmbAskedPairs
smb_block_lines_store(SmbBlockLines *lines, guint64 line, guint8 pairs) {
  gpointer key = GSIZE_TO_POINTER(line);
  guint64 last = GPOINTER_TO_SIZE(g_hash_table_lookup(lines->stored, key));
  guint64 touched = GPOINTER_TO_SIZE(g_hash_table_lookup(lines->touched, key));
  guint8 before = last & ALL_PAIRS, again = before & pairs;
  const SmbAskedPairs found = {.news = pairs & (guint8)~before,
                               .lost = has_left(lines, last) ? again : 0};
  guint8 there = has_left(lines, touched) ? 0 : touched & ALL_PAIRS;
  lines->filled += (guint)__builtin_popcount(pairs & (guint8)~there);
  note_line(lines, lines->stored, line, before | pairs);
  note_line(lines, lines->touched, line, (touched & ALL_PAIRS) | pairs);
  return found;
}
