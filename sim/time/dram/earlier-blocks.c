// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/time/dram/earlier-blocks.h"

// A sector that a block loads. @distance: from the block before, in sectors; @position: the sector, in the direction in which blocks go on
typedef struct {
  gint64 distance, position;
  gint64 rest; // of the position, divided by the distance
  gboolean is_backward;
} Loaded;

static gint64
first_sector(const SmbBlockRecord *record, const SmbTimedRequest *request) {
  const SmbTimedLine *line = &g_array_index(record->lines, SmbTimedLine, request->first);
  return (gint64)line->line * SMB_LINE_SECTORS + __builtin_ctz(line->sectors);
}

static void
add_loaded(GArray *all, const SmbBlockRecord *block, const SmbTimedRequest *request,
           gint64 distance) {
  for (guint i = 0; i < request->n; i++) {
    const SmbTimedLine *line = &g_array_index(block->lines, SmbTimedLine, request->first + i);
    for (guint rest = line->sectors; rest; rest &= rest - 1) {
      gint64 sector = (gint64)line->line * SMB_LINE_SECTORS + __builtin_ctz(rest);
      Loaded loaded = {.distance = ABS(distance), .is_backward = distance < 0};
      loaded.position = loaded.is_backward ? -sector : sector;
      loaded.rest = loaded.position % loaded.distance;
      loaded.rest += loaded.rest < 0 ? loaded.distance : 0;
      g_array_append_val(all, loaded);
    }
  }
}

// Those that are a multiple of the distance apart come one after the other, the last one first.
static gint
compare_loaded(gconstpointer a, gconstpointer b) {
  const Loaded *one = a, *other = b;
  gint order = (one->distance > other->distance) - (one->distance < other->distance);
  if (!order)
    order = one->is_backward - other->is_backward;
  if (!order)
    order = (one->rest > other->rest) - (one->rest < other->rest);
  return order ? order : (one->position < other->position) - (one->position > other->position);
}

// What the block loads, with the distances from the block before, where that makes the same requests.
static GArray *
collect_loaded(const SmbBlockRecord *block, const SmbBlockRecord *before) {
  GArray *all = g_array_new(FALSE, FALSE, sizeof(Loaded));
  for (guint r = 0; r < MIN(block->requests->len, before->requests->len); r++) {
    const SmbTimedRequest *request = &g_array_index(block->requests, SmbTimedRequest, r);
    const SmbTimedRequest *other = &g_array_index(before->requests, SmbTimedRequest, r);
    if (!request->is_load || request->is_store || !request->n || !other->n ||
        request->site != other->site)
      continue;
    gint64 distance = first_sector(block, request) - first_sector(before, other);
    if (distance)
      add_loaded(all, block, request, distance);
  }
  return all;
}

GHashTable *
smb_earlier_blocks_find(const SmbBlockRecord *block, const SmbBlockRecord *before, double most) {
  GHashTable *known = g_hash_table_new(g_direct_hash, g_direct_equal);
  g_autoptr(GArray) all = collect_loaded(block, before);
  g_array_sort(all, compare_loaded);
  const Loaded *next = NULL; // the next place that a block after this one loads as well
  for (guint i = 0; i < all->len; i++) {
    const Loaded *loaded = &g_array_index(all, Loaded, i);
    const Loaded *last = i > 0 ? loaded - 1 : NULL;
    gboolean is_related = last && last->distance == loaded->distance &&
                          last->is_backward == loaded->is_backward && last->rest == loaded->rest;
    if (!is_related)
      next = NULL;
    else if (last->position != loaded->position)
      next = last;
    if (!next || (double)(next->position - loaded->position) > most * (double)loaded->distance)
      continue;
    gint64 sector = ABS(loaded->position);
    gpointer key = GSIZE_TO_POINTER((gsize)(sector / SMB_LINE_SECTORS));
    guint bits = GPOINTER_TO_UINT(g_hash_table_lookup(known, key));
    g_hash_table_insert(known, key, GUINT_TO_POINTER(bits | 1u << sector % SMB_LINE_SECTORS));
  }
  return known;
}
