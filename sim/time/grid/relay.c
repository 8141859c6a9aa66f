// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/time/grid/relay.h"

#include "sim/program/inside.h"

void
smb_relay_clear(SmbRelay *relay) {
  g_clear_pointer(&relay->before, smb_block_record_free);
  g_clear_pointer(&relay->after, smb_block_record_free);
  g_clear_pointer(&relay->polled, g_hash_table_unref);
}

// How often a warp executes an instruction.
static guint
count_executed(const SmbBlockRecord *record, guint warp, guint32 number) {
  guint n = 0;
  if (warp >= record->warps->len)
    return 0;
  const GArray *events = g_ptr_array_index(record->warps, warp);
  for (guint e = 0; e < events->len; e++)
    n += g_array_index(events, SmbEvent, e).number == number;
  return n;
}

static gboolean
loads_strongly(const SmbProgram *program, guint32 number) {
  const SmbTiming *timing = &g_array_index(program->timings, SmbTiming, number);
  return timing->is_strong && timing->write_board < SMB_N_BOARDS;
}

gboolean
smb_relay_waits(const SmbProgram *program, const SmbBlockRecord *record) {
  for (guint w = 0; w < record->warps->len; w++) {
    const GArray *events = g_ptr_array_index(record->warps, w);
    guint32 last = G_MAXUINT32;
    for (guint e = 0; e < events->len; e++) {
      guint32 number = g_array_index(events, SmbEvent, e).number;
      if (!loads_strongly(program, number))
        continue;
      if (number == last)
        return TRUE;
      last = number;
    }
  }
  return FALSE;
}

// Whether a load asked more often while what it asks for was not there.
static gboolean
is_poll(const SmbBlockRecord *polling, const SmbBlockRecord *after, const SmbTimedTouch *touch) {
  const GArray *events = g_ptr_array_index(after->warps, touch->warp);
  guint32 number = g_array_index(events, SmbEvent, touch->event).number;
  return count_executed(polling, touch->warp, number) > count_executed(after, touch->warp, number);
}

// A block that has this place in the row.
static SmbBlockRecord *
record_place(SmbBlockRecorder *recorder, guint64 place, gboolean counts) {
  smb_block_recorder_set_earlier(recorder, counts ? place : 0);
  return smb_block_recorder_run(recorder, place, NULL);
}

// Whether a block loads, past the first-level cache, what the one before it stores.
static gboolean
is_linked(SmbBlockRecorder *recorder, guint64 place, gboolean counts) {
  g_autoptr(SmbBlockRecord) after = record_place(recorder, place, counts);
  g_autoptr(SmbBlockRecord) before = record_place(recorder, place - 1, counts);
  GHashTableIter iter;
  gpointer word;
  if (!after || !before)
    return FALSE;
  g_hash_table_iter_init(&iter, after->loaded_at);
  while (g_hash_table_iter_next(&iter, &word, NULL)) {
    if (g_hash_table_contains(before->stored_at, word))
      return TRUE;
  }
  return FALSE;
}

gboolean
smb_relay_may_wait(const SmbProgram *program, const SmbBlockRecord *record) {
  for (guint w = 0; w < record->warps->len; w++) {
    const GArray *events = g_ptr_array_index(record->warps, w);
    for (guint e = 0; e < events->len; e++) {
      if (loads_strongly(program, g_array_index(events, SmbEvent, e).number))
        return TRUE;
    }
  }
  return FALSE;
}

gboolean
smb_relay_hands_over(SmbBlockRecorder *recorder, const SmbBlockRecord *middle, gboolean counts) {
  if (middle->block == 0)
    return FALSE;
  smb_block_recorder_set_touches(recorder);
  return is_linked(recorder, middle->block, counts);
}

// Whether a row may begin at a multiple of so many blocks: one of them waits for nobody.
static gboolean
begins_row(SmbBlockRecorder *recorder, guint64 place, guint64 extent, guint64 n_blocks,
           gboolean counts) {
  guint64 first = MAX(place / extent, 1) * extent;
  return extent > 1 && first < n_blocks && !is_linked(recorder, first, counts);
}

// How many blocks wait in one row: all, those along dimensions of the grid, or a power of two of them.
static guint64
find_length(SmbBlockRecorder *recorder, const SmbLaunch *launch, guint64 place, gboolean counts) {
  guint64 n_blocks = smb_launch_n_blocks(launch);
  const guint64 rows[] = {launch->grid[0], (guint64)launch->grid[0] * launch->grid[1]};
  guint64 length = n_blocks;
  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    if (rows[i] < length && begins_row(recorder, place, rows[i], n_blocks, counts))
      length = rows[i];
  }
  for (guint64 extent = 2; extent < length; extent *= 2) {
    if (begins_row(recorder, place, extent, n_blocks, counts))
      return extent;
  }
  return length;
}

void
smb_relay_find(SmbBlockRecorder *recorder, const SmbProgram *program, const SmbLaunch *launch,
               const SmbBlockRecord *polling, gboolean counts, SmbRelay *relay) {
  *relay = (SmbRelay){0};
  if (polling->block == 0 || !smb_relay_waits(program, polling))
    return;
  smb_block_recorder_set_touches(recorder);
  g_auto(SmbRelay) found = {
      .after = record_place(recorder, polling->block, counts),
      .before = record_place(recorder, polling->block - 1, counts),
      .polled = g_hash_table_new(g_direct_hash, g_direct_equal),
  };
  if (!found.after || !found.before)
    return;
  GHashTableIter iter;
  gpointer word, touch;
  g_hash_table_iter_init(&iter, found.after->loaded_at);
  while (g_hash_table_iter_next(&iter, &word, &touch)) {
    if (g_hash_table_contains(found.before->stored_at, word) &&
        is_poll(polling, found.after, touch))
      g_hash_table_add(found.polled, word);
  }
  if (g_hash_table_size(found.polled) == 0)
    return;
  found.n_blocks = find_length(recorder, launch, polling->block, counts);
  *relay = found;
  found = (SmbRelay){0};
}

// When a block by itself issues each of its instructions, by warp (transfer full). @cycles: (out): that it takes
static GPtrArray *
find_moments(const SmbReplay *launch, SmbBlockRecord *record, double *cycles) {
  static const guint one[3] = {1, 1, 1};
  GPtrArray *moments = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GPtrArray) records = g_ptr_array_new();
  SmbReplay replay = *launch;
  g_ptr_array_add(records, record);
  for (guint w = 0; w < record->warps->len; w++)
    g_ptr_array_add(moments,
                    g_new0(double, ((const GArray *)g_ptr_array_index(record->warps, w))->len + 1));
  replay.records = records;
  replay.n_blocks = replay.resident = 1;
  replay.grid = one;
  replay.is_warm = TRUE;
  replay.moments = moments;
  *cycles = smb_multiprocessor_replay(&replay).cycles;
  return moments;
}

static double
moment_of(const GPtrArray *moments, const SmbTimedTouch *touch) {
  const double *of_warp = g_ptr_array_index(moments, touch->warp);
  return of_warp[touch->event];
}

double
smb_relay_cycles(const SmbRelay *relay, const SmbReplay *launch) {
  double alone = 0, ignored = 0, longest = 0;
  if (!relay->after)
    return 0;
  g_autoptr(GPtrArray) sends = find_moments(launch, relay->before, &ignored);
  g_autoptr(GPtrArray) receives = find_moments(launch, relay->after, &alone);
  GHashTableIter iter;
  gpointer word;
  g_hash_table_iter_init(&iter, relay->polled);
  while (g_hash_table_iter_next(&iter, &word, NULL)) {
    const SmbTimedTouch *load = g_hash_table_lookup(relay->after->loaded_at, word);
    const SmbTimedTouch *store = g_hash_table_lookup(relay->before->stored_at, word);
    longest = MAX(longest, moment_of(sends, store) - moment_of(receives, load));
  }
  if (longest <= 0) // it has stored what others wait for before it waits itself
    return 0;
  return alone + (double)(relay->n_blocks - 1) * (longest + launch->chip->l2_latency / 2);
}
