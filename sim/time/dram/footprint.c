// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/time/dram/footprint.h"

#include <math.h>
#include <string.h>

#include "sim/base/hash.h"
#include "sim/time/dram/common-lines.h"
#include "sim/time/dram/earlier-blocks.h"
#include "sim/time/dram/scatter.h"

enum {
  N_DIMENSIONS = 3,
  MAX_SAMPLES = 32,              // blocks that are looked at for tables,
  SAMPLE_INSTRUCTIONS = 1 << 20, // as long as they execute no more than this
  SAMPLE_DISTANCE = 16,          // one of so many, at most
  SHORT_BYTES = 4096,            // of a block (line_read, line_write in tests/gpu/time/facts.cu)
};

// Sectors of a block that are loaded (or stored): line → bits of its sectors.
static GHashTable *
collect_sectors(const SmbBlockRecord *record, gboolean stored) {
  GHashTable *table = g_hash_table_new(g_direct_hash, g_direct_equal);
  for (guint r = 0; r < record->requests->len; r++) {
    const SmbTimedRequest *request = &g_array_index(record->requests, SmbTimedRequest, r);
    if (!(stored ? request->is_store : request->is_load) || request->is_local)
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
  GHashTable *words;      // SmbBlockRecord.stored
  SmbBlockRecord *record; // what the block executes, of a neighbour
} Sectors;

static void
sectors_clear(Sectors *sectors) {
  g_clear_pointer(&sectors->loads, g_hash_table_unref);
  g_clear_pointer(&sectors->stores, g_hash_table_unref);
  g_clear_pointer(&sectors->words, g_hash_table_unref);
  g_clear_pointer(&sectors->record, smb_block_record_free);
}

static Sectors
sectors_of(const SmbBlockRecord *record) {
  return (Sectors){.loads = collect_sectors(record, FALSE),
                   .stores = collect_sectors(record, TRUE),
                   .words = g_hash_table_ref(record->stored)};
}

// Which of the sectors of a line some block asks for, too.
static guint
common_sectors(GHashTable *table, gpointer line) {
  return table ? GPOINTER_TO_UINT(g_hash_table_lookup(table, line)) : 0;
}

// What neighbours and far blocks ask for; NULL along a dimension of one block. @earlier: what of it blocks before the one in the middle have
// loaded, as far as it is still in the second-level cache; NULL: nothing is
typedef struct {
  GHashTable *near[N_DIMENSIONS];
  GHashTable *far[N_DIMENSIONS];
  GHashTable *earlier[N_DIMENSIONS];
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

// Whether an atomic queues with those of another block: at one slice of the second-level cache, whatever they change there.
static gboolean
meets_at_slice(GHashTable *table, guint64 line) {
  guint64 first = line >> SMB_SLICE_SHIFT << SMB_SLICE_SHIFT;
  for (guint i = 0; i < 1 << SMB_SLICE_SHIFT; i++)
    if (common_sectors(table, GSIZE_TO_POINTER(first + i)))
      return TRUE;
  return FALSE;
}

// Along which dimensions most of the lines of each site's loads are asked for by far blocks, too.
static guint8 *
find_sharing(const SmbBlockRecord *record, const Surroundings *around, guint n_sites) {
  guint8 *sharing = g_new0(guint8, n_sites + 1);
  typedef guint Votes[N_DIMENSIONS + 1];
  g_autofree Votes *votes = g_new0(Votes, n_sites + 1);
  for (guint r = 0; r < record->requests->len; r++) {
    const SmbTimedRequest *request = &g_array_index(record->requests, SmbTimedRequest, r);
    for (guint i = 0; request->is_load && i < request->n; i++) {
      const SmbTimedLine *line = &g_array_index(record->lines, SmbTimedLine, request->first + i);
      gpointer key = GSIZE_TO_POINTER(line->line);
      votes[request->site][N_DIMENSIONS]++;
      for (guint d = 0; d < N_DIMENSIONS; d++)
        votes[request->site][d] += request->is_store
                                       ? meets_at_slice(around->far[d], line->line)
                                       : (common_sectors(around->far[d], key) & line->sectors) != 0;
    }
  }
  for (guint s = 0; s < n_sites; s++) {
    for (guint d = 0; d < N_DIMENSIONS; d++)
      sharing[s] |= (guint8)(2 * votes[s][d] > votes[s][N_DIMENSIONS] ? 1u << d : 0);
  }
  return sharing;
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

// Runs the block whose place along @dimension is @where, and that lies in the middle along the others.
static gboolean
record_neighbour(SmbBlockRecorder *recorder, const SmbLaunch *launch, guint dimension, guint where,
                 Sectors *sectors, GError **error) {
  guint place[3];
  find_middle(launch, place);
  place[dimension] = where;
  g_autoptr(SmbBlockRecord) record =
      smb_block_recorder_run(recorder, block_at(launch, place), error);
  if (!record)
    return FALSE;
  *sectors = sectors_of(record);
  sectors->record = g_steal_pointer(&record);
  return TRUE;
}

static gboolean
look_around(SmbBlockRecorder *recorder, const SmbLaunch *launch, Sectors near[3], Sectors far[3],
            GError **error) {
  for (guint d = 0; d < N_DIMENSIONS; d++) {
    guint n = launch->grid[d], middle = n / 2;
    if (n > 1 && !record_neighbour(recorder, launch, d, middle - 1, &near[d], error))
      return FALSE;
    guint there = n > 2 ? middle - (n + 2) / 3 : 0; // no power of 2 away
    if (n > 1 && !record_neighbour(recorder, launch, d, there, &far[d], error))
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

// Which part of what a block asks for first is not there yet.
static void
find_shares(SmbFootprint *footprint, const double wave[3], const SmbLaunch *launch,
            gboolean is_kept) {
  for (guint set = 0; set < SMB_SHARINGS; set++) {
    double askers = 1;
    gboolean is_new = FALSE; // another wave asks for other lines
    for (guint d = 0; d < N_DIMENSIONS; d++) {
      if (set >> d & 1)
        askers *= wave[d];
      else
        is_new = is_new || wave[d] < launch->grid[d];
    }
    footprint->first[set] = 1 / askers;
    footprint->later[set] = is_new || !is_kept ? 1 / askers : 0;
  }
}

static double
count_sectors(GHashTable *table) {
  double sectors = 0;
  GHashTableIter iter;
  gpointer line, value;
  g_hash_table_iter_init(&iter, table);
  while (g_hash_table_iter_next(&iter, &line, &value))
    sectors += __builtin_popcount(GPOINTER_TO_UINT(value));
  return sectors;
}

// Sectors that a block stores, each as often as it does.
static double
count_stored(const SmbBlockRecord *record) {
  double stored = 0;
  for (guint r = 0; r < record->requests->len; r++) {
    const SmbTimedRequest *request = &g_array_index(record->requests, SmbTimedRequest, r);
    for (guint i = 0; request->is_store && !request->is_local && i < request->n; i++)
      stored += __builtin_popcount(
          g_array_index(record->lines, SmbTimedLine, request->first + i).sectors);
  }
  return stored;
}

// How many blocks before it along a dimension have left what they loaded in the second-level cache: as many as load, with all blocks between,
// no more than that has.
static double
count_kept_blocks(guint dimension, const SmbLaunch *launch, double block_sectors,
                  const SmbChip *chip) {
  double between = block_sectors;
  for (guint d = 0; d < dimension; d++)
    between *= launch->grid[d];
  double kept = floor(chip->l2_reach / (1 << SMB_SECTOR_SHIFT) / MAX(1, between));
  return MIN(kept, launch->grid[dimension] / 2);
}

// What blocks before a block along a dimension have loaded of what it loads (transfer full): line → bits of its sectors.
static GHashTable *
find_loaded_before(guint dimension, const SmbBlockRecord *middle, const SmbBlockRecord *before,
                   const SmbLaunch *launch, double block_sectors, const SmbChip *chip) {
  double kept = count_kept_blocks(dimension, launch, block_sectors, chip);
  return before && kept >= 1 ? smb_earlier_blocks_find(middle, before, kept) : NULL;
}

// Of what a block loads by itself or with neighbours, the part that these have not loaded before.
static double
find_own_part(GHashTable *own, const Surroundings *around) {
  double asked = 0, again = 0;
  GHashTableIter iter;
  gpointer line, value;
  g_hash_table_iter_init(&iter, own);
  while (g_hash_table_iter_next(&iter, &line, &value)) {
    guint rest = GPOINTER_TO_UINT(value), before = 0;
    for (guint d = 0; d < N_DIMENSIONS; d++)
      rest &= ~common_sectors(around->far[d], line);
    asked += __builtin_popcount(rest);
    for (guint d = 0; d < N_DIMENSIONS; d++)
      if (around->earlier[d])
        before |= common_sectors(around->near[d], line) | common_sectors(around->earlier[d], line);
    again += __builtin_popcount(rest & before);
  }
  return asked > 0 ? 1 - again / asked : 1;
}

// Of the local memory of so many blocks, the part that the second-level cache does not hold.
static double
find_local(const SmbBlockRecord *record, const SmbChip *chip, double at_once) {
  g_autoptr(GHashTable) lines = g_hash_table_new(g_direct_hash, g_direct_equal);
  for (guint r = 0; r < record->requests->len; r++) {
    const SmbTimedRequest *request = &g_array_index(record->requests, SmbTimedRequest, r);
    for (guint i = 0; request->is_local && i < request->n; i++) {
      guint64 line = g_array_index(record->lines, SmbTimedLine, request->first + i).line;
      g_hash_table_add(lines, GSIZE_TO_POINTER(line));
    }
  }
  double bytes = at_once * g_hash_table_size(lines) * (1 << SMB_LINE_SHIFT);
  return bytes > chip->l2_reach ? 1 - chip->l2_reach / bytes : 0;
}

// Those of @table that @others has not (transfer full).
static GHashTable *
drop_sectors(GHashTable *table, GHashTable *others) {
  GHashTable *left = g_hash_table_new(g_direct_hash, g_direct_equal);
  GHashTableIter iter;
  gpointer line, value;
  g_hash_table_iter_init(&iter, table);
  while (g_hash_table_iter_next(&iter, &line, &value)) {
    guint sectors = GPOINTER_TO_UINT(value) & ~common_sectors(others, line);
    g_hash_table_insert(left, line, GUINT_TO_POINTER(sectors));
  }
  return left;
}

// A block's part of what the second-level cache keeps, in pairs of sectors. @of_wave: sectors that all blocks ask for which run at the same time; @of_block: that one of
// them does
static double
find_reach(double of_wave, double of_block, const SmbChip *chip) {
  enum {
    PAIR = 2
  };
  double kept = chip->l2_reach / (1 << SMB_SECTOR_SHIFT);
  return of_wave > kept ? kept * of_block / of_wave / PAIR : G_MAXDOUBLE;
}

static void
find_footprint(const SmbBlockRecord *middle, const Sectors *own, Surroundings *loads,
               Surroundings *stores, const SmbLaunch *launch, const SmbChip *chip, double at_once,
               SmbFootprint *footprint) {
  double whole[3], wave[3];
  for (guint d = 0; d < N_DIMENSIONS; d++)
    whole[d] = launch->grid[d];
  extend_wave(launch, at_once, wave);
  memcpy(stores->extent, whole, sizeof(whole));
  double blocks = whole[0] * whole[1] * whole[2], asked = count_stored(middle) * blocks;
  double stored = MIN(asked, count_distinct_sectors(own->stores, stores));
  footprint->distinct = asked > 0 ? stored / asked : 0;
  double own_stores = count_sectors(own->stores) * blocks;
  footprint->unshared = own_stores > 0 ? MIN(1, stored / own_stores) : 0;
  double bytes = stored * (1 << SMB_SECTOR_SHIFT);
  footprint->drained = bytes > chip->l2_dirty ? 1 - chip->l2_dirty / bytes : 0;
  memcpy(loads->extent, whole, sizeof(whole));
  g_autoptr(GHashTable) others = drop_sectors(own->loads, own->stores);
  double all = bytes + count_distinct_sectors(others, loads) * (1 << SMB_SECTOR_SHIFT);
  footprint->absent = all > chip->l2_reach ? 1 - chip->l2_reach / all : 0;
  memcpy(loads->extent, wave, sizeof(wave));
  memcpy(stores->extent, wave, sizeof(wave));
  double of_wave =
      count_distinct_sectors(own->loads, loads) + count_distinct_sectors(own->stores, stores);
  double of_block = count_sectors(own->loads) + count_sectors(own->stores);
  footprint->reach = find_reach(of_wave, of_block, chip);
  footprint->loaded = find_own_part(own->loads, loads);
  footprint->local = find_local(middle, chip, at_once);
  find_shares(footprint, wave, launch, of_wave <= chip->l2_reach / (1 << SMB_SECTOR_SHIFT));
}

// Blocks all over the grid: one of each part of it, at random.
static gboolean
record_far_apart(SmbBlockRecorder *recorder, const SmbBlockRecord *middle, guint64 n_blocks,
                 GPtrArray *blocks, GError **error) {
  guint64 n = MIN(n_blocks / SAMPLE_DISTANCE, MAX_SAMPLES), place = 0;
  n = MIN(n, SAMPLE_INSTRUCTIONS / MAX(1, middle->instructions));
  for (guint64 i = 0; i < n; i++) {
    guint64 first = n_blocks * i / n, next = n_blocks * (i + 1) / n;
    smb_hash_mix(&place, i + 1);
    guint64 index = first + (place >> 32) % (next - first);
    SmbBlockRecord *record = smb_block_recorder_run(recorder, index, error);
    if (!record)
      return FALSE;
    g_ptr_array_add(blocks, record);
  }
  return TRUE;
}

// A block and its neighbours, and how far these are apart. Blocks that ask for much do so over and over, each as far as the others: what counts is
// how much later they have begun, as if they were short.
static void
place_neighbours(GHashTable *own, GHashTable *sectors, const Sectors near[3], gboolean stored,
                 const SmbLaunch *launch, const SmbChip *chip, SmbNeighbour neighbours[4]) {
  double between = MIN(count_sectors(sectors) * (1 << SMB_SECTOR_SHIFT), SHORT_BYTES);
  neighbours[0] = (SmbNeighbour){.table = own};
  for (guint d = 0; d < N_DIMENSIONS; d++) {
    neighbours[d + 1] = (SmbNeighbour){.table = stored ? near[d].words : near[d].loads,
                                       .apart = smb_scatter_apart(between, stored, chip)};
    between *= launch->grid[d];
  }
}

// What there is to know of each site. What blocks do not share along a dimension they may share by chance.
static SmbSiteFootprint *
find_sites(const SmbBlockRecord *middle, const Sectors *own, const Sectors near[3],
           const Surroundings *around, const GPtrArray *blocks, const SmbLaunch *launch,
           double at_once, guint n_sites, const SmbChip *chip) {
  SmbNeighbour loads[N_DIMENSIONS + 1], words[N_DIMENSIONS + 1];
  place_neighbours(own->loads, own->loads, near, FALSE, launch, chip, loads);
  place_neighbours(own->words, own->stores, near, TRUE, launch, chip, words);
  g_autofree guint8 *sharing = find_sharing(middle, around, n_sites);
  g_autofree double *spans = smb_scatter_spans(middle, blocks, n_sites);
  g_autofree guint32 *groups = smb_scatter_groups(blocks, n_sites);
  g_autofree double *tables = smb_scatter_tables(blocks, groups, n_sites);
  g_autofree double *moved =
      smb_scatter_rows(middle, loads, G_N_ELEMENTS(loads), spans, tables, at_once, n_sites, chip);
  g_autofree double *written =
      smb_scatter_stores(middle, words, G_N_ELEMENTS(words), own->loads, n_sites, chip);
  SmbBeside beside[N_DIMENSIONS];
  for (guint d = 0; d < N_DIMENSIONS; d++)
    beside[d] = (SmbBeside){near[d].record, near[d].loads, around->far[d]};
  g_autofree double *common =
      smb_common_lines_find(middle, own->loads, beside, N_DIMENSIONS, n_sites);
  SmbSiteFootprint *sites = g_new0(SmbSiteFootprint, n_sites + 1);
  for (guint s = 0; s < n_sites; s++)
    sites[s] = (SmbSiteFootprint){.sharing = sharing[s],
                                  .moved = moved[s],
                                  .written = written[s],
                                  .table = sharing[s] ? 0 : tables[s],
                                  .group = groups[s],
                                  .common = common[s],
                                  .span = spans[s]};
  return sites;
}

// How many slices of the second-level cache a request asks for lines that the block has not asked for before.
static guint
count_new_slices(const SmbBlockRecord *record, const SmbTimedRequest *request) {
  guint slices = 0;
  guint64 last = G_MAXUINT64;
  for (guint i = 0; i < request->n; i++) {
    const SmbTimedLine *line = &g_array_index(record->lines, SmbTimedLine, request->first + i);
    guint64 slice = line->line >> SMB_SLICE_SHIFT;
    slices += line->news && slice != last;
    last = line->news ? slice : last;
  }
  return slices;
}

static guint
find_together(const SmbBlockRecord *middle, const SmbSiteFootprint *sites) {
  guint64 slices[SMB_SHARINGS] = {0};
  for (guint r = 0; r < middle->requests->len; r++) {
    const SmbTimedRequest *request = &g_array_index(middle->requests, SmbTimedRequest, r);
    if (request->is_load && !request->is_local)
      slices[sites[request->site].sharing] += count_new_slices(middle, request);
  }
  guint most = 1;
  for (guint set = 2; set < SMB_SHARINGS; set++)
    most = slices[set] > slices[most] ? set : most;
  return most;
}

gboolean
smb_footprint_find(SmbBlockRecorder *recorder, const SmbBlockRecord *middle, guint n_sites,
                   const SmbLaunch *launch, const SmbChip *chip, guint64 at_once,
                   SmbFootprint *footprint, GError **error) {
  Sectors near[N_DIMENSIONS] = {0}, far[N_DIMENSIONS] = {0};
  g_autoptr(GPtrArray) blocks =
      g_ptr_array_new_with_free_func((GDestroyNotify)smb_block_record_free);
  guint64 n_blocks = smb_launch_n_blocks(launch);
  gboolean ran = look_around(recorder, launch, near, far, error) &&
                 record_far_apart(recorder, middle, n_blocks, blocks, error);
  *footprint = (SmbFootprint){.sites = NULL};
  if (ran) {
    Sectors own = sectors_of(middle);
    Surroundings loads = surroundings_of(near, far, FALSE);
    Surroundings stores = surroundings_of(near, far, TRUE);
    footprint->sites = find_sites(middle, &own, near, &loads, blocks, launch,
                                  (double)MIN(at_once, n_blocks), n_sites, chip);
    footprint->together = find_together(middle, footprint->sites);
    double block_sectors = g_hash_table_size(own.loads) * SMB_LINE_SECTORS;
    for (guint d = 0; d < N_DIMENSIONS; d++)
      loads.earlier[d] = find_loaded_before(d, middle, near[d].record, launch, block_sectors, chip);
    find_footprint(middle, &own, &loads, &stores, launch, chip, (double)at_once, footprint);
    for (guint d = 0; d < N_DIMENSIONS; d++)
      g_clear_pointer(&loads.earlier[d], g_hash_table_unref);
    sectors_clear(&own);
  }
  for (guint d = 0; d < N_DIMENSIONS; d++) {
    sectors_clear(&near[d]);
    sectors_clear(&far[d]);
  }
  return ran;
}

// The number that a site has in @own, by that in @sites.
static guint32
find_own_site(guint32 site, const GArray *sites, const GArray *own) {
  guint i = 0;
  while (i < sites->len && g_array_index(sites, guint, i) != site)
    i++;
  return i < sites->len ? g_array_index(own, guint, i) : 0;
}

void
smb_footprint_take(const SmbFootprint *known, const GArray *sites, const GArray *own, guint n_sites,
                   SmbFootprint *footprint) {
  *footprint = *known;
  footprint->sites = g_new0(SmbSiteFootprint, n_sites + 1);
  for (guint i = 0; i < sites->len; i++) {
    SmbSiteFootprint *site = &footprint->sites[g_array_index(own, guint, i)];
    *site = known->sites[g_array_index(sites, guint, i)];
    site->group = find_own_site(site->group, sites, own);
  }
}

void
smb_footprint_clear(SmbFootprint *footprint) {
  g_clear_pointer(&footprint->sites, g_free);
}
