// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/time/footprint.h"

#include <math.h>

enum {
  N_DIMENSIONS = 3,
};

// Sectors of a block that are loaded (or stored): line → bits of its sectors.
static GHashTable *
collect_sectors(const SmbBlockRecord *record, gboolean stored) {
  GHashTable *table = g_hash_table_new(g_direct_hash, g_direct_equal);
  for (guint r = 0; r < record->requests->len; r++) {
    const SmbTimedRequest *request = &g_array_index(record->requests, SmbTimedRequest, r);
    if (!(stored ? request->is_store : request->is_load))
      continue;
    for (guint i = 0; i < request->n; i++) {
      const SmbTimedLine *line = &g_array_index(record->lines, SmbTimedLine, request->first + i);
      gpointer key = GSIZE_TO_POINTER(line->line);
      guint sectors = GPOINTER_TO_UINT(g_hash_table_lookup(table, key)) | line->sectors;
      g_hash_table_insert(table, key, GUINT_TO_POINTER(sectors));
    }
  }
  return table;
}

typedef struct {
  GHashTable *loads, *stores;
} Sectors;

static void
sectors_clear(Sectors *sectors) {
  g_clear_pointer(&sectors->loads, g_hash_table_unref);
  g_clear_pointer(&sectors->stores, g_hash_table_unref);
}

static Sectors
sectors_of(const SmbBlockRecord *record) {
  return (Sectors){collect_sectors(record, FALSE), collect_sectors(record, TRUE)};
}

// Which of the sectors of a line some block asks for, too.
static guint
common_sectors(GHashTable *table, gpointer line) {
  return table ? GPOINTER_TO_UINT(g_hash_table_lookup(table, line)) : 0;
}

// What neighbours and far blocks ask for; NULL along a dimension of one block.
typedef struct {
  GHashTable *near[N_DIMENSIONS];
  GHashTable *far[N_DIMENSIONS];
  double extent[N_DIMENSIONS]; // blocks
} Surroundings;

// Distinct sectors of as many blocks as the extents say, if each asks for the like of what @table has.
static double
count_distinct_sectors(GHashTable *table, const Surroundings *around) {
  double total = 0;
  GHashTableIter iter;
  gpointer line, value;
  g_hash_table_iter_init(&iter, table);
  while (g_hash_table_iter_next(&iter, &line, &value)) {
    for (guint rest = GPOINTER_TO_UINT(value); rest; rest &= rest - 1) {
      guint sector = rest & -rest;
      double times = 1;
      for (guint d = 0; d < N_DIMENSIONS; d++) {
        if (common_sectors(around->far[d], line) & sector)
          continue;
        gboolean is_next = common_sectors(around->near[d], line) & sector;
        times *= is_next ? 1 / around->extent[d] : around->extent[d];
      }
      total += times;
    }
  }
  return total;
}

// A line that a far block asks for, along every dimension in which there is one, is not the block's own.
static void
mark_common(SmbBlockRecord *record, const Surroundings *around) {
  for (guint i = 0; i < record->lines->len; i++) {
    SmbTimedLine *line = &g_array_index(record->lines, SmbTimedLine, i);
    gpointer key = GSIZE_TO_POINTER(line->line);
    for (guint d = 0; d < N_DIMENSIONS; d++)
      line->is_common = line->is_common || (common_sectors(around->far[d], key) & line->sectors);
  }
}

static guint64
block_at(const SmbLaunch *launch, const guint place[3]) {
  return ((guint64)place[2] * launch->grid[1] + place[1]) * launch->grid[0] + place[0];
}

static void
find_middle(const SmbLaunch *launch, guint place[3]) {
  for (guint d = 0; d < N_DIMENSIONS; d++)
    place[d] = launch->grid[d] / 2;
}

guint64
smb_footprint_middle(const SmbLaunch *launch) {
  guint place[3];
  find_middle(launch, place);
  return block_at(launch, place);
}

// Runs a block that lies @offset from the middle along a dimension.
static gboolean
look_at(SmbBlockRecorder *recorder, const SmbLaunch *launch, guint dimension, guint where,
        Sectors *sectors, GError **error) {
  guint place[3];
  find_middle(launch, place);
  place[dimension] = where;
  g_autoptr(SmbBlockRecord) record = smb_block_recorder_run(recorder, block_at(launch, place), error);
  if (record)
    *sectors = sectors_of(record);
  return record != NULL;
}

static gboolean
look_around(SmbBlockRecorder *recorder, const SmbLaunch *launch, Sectors near[3], Sectors far[3],
            GError **error) {
  for (guint d = 0; d < N_DIMENSIONS; d++) {
    guint n = launch->grid[d], middle = n / 2;
    if (n > 1 && !look_at(recorder, launch, d, middle - 1, &near[d], error))
      return FALSE;
    if (n > 1 && !look_at(recorder, launch, d, n > 2 ? 0 : middle - 1, &far[d], error))
      return FALSE;
  }
  return TRUE;
}

// The extents of the blocks that run together: those of successive numbers.
static void
extend_wave(const SmbLaunch *launch, double at_once, double extent[3]) {
  double left = at_once;
  for (guint d = 0; d < N_DIMENSIONS; d++) {
    extent[d] = CLAMP(left, 1, launch->grid[d]);
    left = left / launch->grid[d];
  }
}

static Surroundings
surroundings_of(const Sectors near[3], const Sectors far[3], gboolean stored) {
  Surroundings around = {0};
  for (guint d = 0; d < N_DIMENSIONS; d++) {
    around.near[d] = stored ? near[d].stores : near[d].loads;
    around.far[d] = stored ? far[d].stores : far[d].loads;
  }
  return around;
}

static void
add_up(const Sectors *own, Surroundings *loads, Surroundings *stores, const SmbLaunch *launch,
       const SmbChip *chip, double at_once, SmbFootprint *footprint) {
  double whole[3], wave[3];
  double n_blocks = 1;
  double reach = chip->l2_reach / (1 << SMB_SECTOR_SHIFT);
  for (guint d = 0; d < N_DIMENSIONS; d++) {
    whole[d] = launch->grid[d];
    n_blocks *= whole[d];
  }
  extend_wave(launch, at_once, wave);
  memcpy(loads->extent, whole, sizeof(whole));
  memcpy(stores->extent, whole, sizeof(whole));
  footprint->loaded = count_distinct_sectors(own->loads, loads);
  footprint->stored = count_distinct_sectors(own->stores, stores);
  footprint->written =
      MAX(0, footprint->stored - chip->l2_dirty / (1 << SMB_SECTOR_SHIFT));
  memcpy(loads->extent, wave, sizeof(wave));
  memcpy(stores->extent, wave, sizeof(wave));
  double wave_loads = count_distinct_sectors(own->loads, loads);
  double wave_stores = count_distinct_sectors(own->stores, stores);
  // What a wave asks for and the next one again has been driven out if both do not fit.
  double again = wave_loads * MAX(1, n_blocks / at_once);
  double kept = CLAMP(reach / MAX(1, wave_loads + wave_stores), 0, 1);
  if (footprint->loaded + footprint->stored > reach && kept < 1)
    footprint->loaded = MAX(footprint->loaded, again);
}

gboolean
smb_footprint_find(SmbBlockRecorder *recorder, SmbBlockRecord *middle, const SmbLaunch *launch,
                   const SmbChip *chip, guint64 at_once, SmbFootprint *footprint, GError **error) {
  Sectors near[N_DIMENSIONS] = {0}, far[N_DIMENSIONS] = {0};
  gboolean ran = look_around(recorder, launch, near, far, error);
  if (ran) {
    Sectors own = sectors_of(middle);
    Surroundings loads = surroundings_of(near, far, FALSE);
    Surroundings stores = surroundings_of(near, far, TRUE);
    mark_common(middle, &loads);
    add_up(&own, &loads, &stores, launch, chip, (double)at_once, footprint);
    sectors_clear(&own);
  }
  for (guint d = 0; d < N_DIMENSIONS; d++) {
    sectors_clear(&near[d]);
    sectors_clear(&far[d]);
  }
  return ran;
}
