// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/time/grid/lot.h"

#include "sim/base/hash.h"

enum {
  LOT_BITS = 4,
  // Blocks of which the lengths are found, if no run has shown them: about as many as execute so many instructions.
  LEAST_LENGTHS = 64,
  MOST_LENGTHS = 1024,
  LENGTHS_INSTRUCTIONS = 1 << 23,
  MAX_LENGTHS = 1 << 17, // that are balanced
};

G_STATIC_ASSERT(1 << LOT_BITS == SMB_LOT_BLOCKS);

void
smb_lot_clear(SmbLot *lot) {
  g_clear_pointer(&lot->records, g_ptr_array_unref);
  g_clear_pointer(&lot->others, g_ptr_array_unref);
  g_clear_pointer(&lot->longest, smb_block_record_free);
  g_clear_pointer(&lot->lengths, g_free);
}

static void
free_lot_record(gpointer record) {
  smb_block_record_free(record);
}

static gboolean
record_block(SmbBlockRecorder *recorder, guint64 index, GPtrArray *records, GError **error) {
  SmbBlockRecord *record = smb_block_recorder_run(recorder, index, error);
  if (record)
    g_ptr_array_add(records, record);
  return record != NULL;
}

// Whether blocks execute as many instructions, or nearly.
static gboolean
are_alike(const GPtrArray *records) {
  guint64 least = G_MAXUINT64, most = 0;
  for (guint i = 0; i < records->len; i++) {
    const SmbBlockRecord *record = g_ptr_array_index(records, i);
    least = MIN(least, record->instructions);
    most = MAX(most, record->instructions);
  }
  return (most - least) * SMB_LOT_ALIKE <= most;
}

// The same of all blocks, as a run of the launch has shown it.
static gboolean
are_lengths_alike(const GArray *lengths) {
  guint32 least = G_MAXUINT32, most = 0;
  for (guint i = 0; i < lengths->len; i++) {
    least = MIN(least, g_array_index(lengths, guint32, i));
    most = MAX(most, g_array_index(lengths, guint32, i));
  }
  return (guint64)(most - least) * SMB_LOT_ALIKE <= most;
}

double
smb_lot_sum(const SmbLot *lot) {
  double sum = 0;
  for (guint64 i = 0; i < lot->n; i++)
    sum += lot->lengths[i];
  return sum;
}

// The block that number @i of @n stands for.
static guint64
find_sampled_block(guint64 i, guint64 n, guint64 n_blocks) {
  return n == n_blocks ? i : i * n_blocks / n + n_blocks / n / 2;
}

// How many lengths are found: by what some blocks execute.
static guint64
count_found_lengths(const GPtrArray *samples, guint64 n_blocks) {
  guint64 sum = 1;
  for (guint i = 0; i < samples->len; i++)
    sum += ((const SmbBlockRecord *)g_ptr_array_index(samples, i))->instructions;
  guint64 affordable = (guint64)LENGTHS_INSTRUCTIONS * samples->len / sum;
  return MIN(n_blocks, CLAMP(affordable, LEAST_LENGTHS, MOST_LENGTHS));
}

// Lengths of blocks at random places, one of each stretch of the grid (transfer full); NULL with an error. A regular distance might be that
// of a grid's rows.
static double *
run_for_lengths(guint64 n, guint64 n_blocks, SmbBlockRecorder *recorder, GError **error) {
  g_autofree double *lengths = g_new(double, n);
  guint64 hash = 0;
  for (guint64 i = 0; i < n; i++) {
    guint64 first = i * n_blocks / n, end = (i + 1) * n_blocks / n;
    smb_hash_mix(&hash, i + 1);
    g_autoptr(SmbBlockRecord) record =
        smb_block_recorder_run(recorder, first + (hash >> 32) % (end - first), error);
    if (!record)
      return NULL;
    lengths[i] = (double)record->instructions;
  }
  return g_steal_pointer(&lengths);
}

// Lengths of blocks at even distances: as a run has shown them, or of some that stand for those around them. FALSE with an error
static gboolean
find_lengths(SmbLot *lot, const SmbLaunch *launch, const GPtrArray *samples,
             SmbBlockRecorder *recorder, GError **error) {
  guint64 n_blocks = smb_launch_n_blocks(launch);
  guint64 n_found = count_found_lengths(samples, n_blocks);
  g_autofree double *found =
      launch->lengths ? NULL : run_for_lengths(n_found, n_blocks, recorder, error);
  if (!launch->lengths && !found)
    return FALSE;
  lot->n = MIN(n_blocks, MAX_LENGTHS);
  lot->lengths = g_new(double, lot->n);
  for (guint64 i = 0; i < lot->n; i++) {
    guint64 block = find_sampled_block(i, lot->n, n_blocks);
    lot->lengths[i] = launch->lengths ? g_array_index(launch->lengths, guint32, block)
                                      : found[block * n_found / n_blocks];
  }
  return TRUE;
}

typedef struct {
  double length;
  guint64 block;
} Place;

static gint
compare_lengths(gconstpointer a, gconstpointer b) {
  const Place *one = a, *other = b;
  gint order = (one->length > other->length) - (one->length < other->length);
  return order ? order : (one->block > other->block) - (one->block < other->block);
}

// @number, a fraction of SMB_LOT_BLOCKS, with its bits the other way round: numbers that follow each other are far apart.
static guint
reverse_lot_bits(guint number) {
  guint reversed = 0;
  for (guint bit = 0; bit < LOT_BITS; bit++)
    reversed |= (number >> bit & 1) << (LOT_BITS - 1 - bit);
  return reversed;
}

// Blocks of all lengths, as often as there are such, the middle one first; and the longest.
static gboolean
record_all_lengths(SmbLot *lot, const SmbLaunch *launch, SmbBlockRecorder *recorder,
                   GError **error) {
  guint64 n_blocks = smb_launch_n_blocks(launch);
  g_autofree Place *places = g_new(Place, lot->n);
  for (guint64 i = 0; i < lot->n; i++)
    places[i] = (Place){lot->lengths[i], find_sampled_block(i, lot->n, n_blocks)};
  qsort(places, lot->n, sizeof *places, compare_lengths);
  lot->working =
      smb_lot_sum(lot) * (double)n_blocks / (double)lot->n / MAX(1, places[lot->n - 1].length);
  lot->n_blocks = MAX(lot->n_blocks, SMB_LOT_BLOCKS);
  lot->records = g_ptr_array_new_with_free_func(free_lot_record);
  for (guint i = 0; i < SMB_LOT_BLOCKS; i++) {
    guint64 at = (2 * (guint64)reverse_lot_bits(i ^ 1) + 1) * lot->n / (2 * SMB_LOT_BLOCKS);
    if (!record_block(recorder, places[at].block, lot->records, error))
      return FALSE;
  }
  lot->longest = smb_block_recorder_run(recorder, places[lot->n - 1].block, error);
  return lot->longest != NULL;
}

// The blocks of a multiprocessor if each gets them in turn (transfer full); NULL with an error.
static GPtrArray *
record_turns(guint64 first, guint64 n_blocks, guint multiprocessors, SmbBlockRecorder *recorder,
             GError **error) {
  g_autoptr(GPtrArray) records = g_ptr_array_new_with_free_func(free_lot_record);
  for (guint64 block = first; block < n_blocks; block += multiprocessors)
    if (!record_block(recorder, block, records, error))
      return NULL;
  return g_steal_pointer(&records);
}

// The blocks of two multiprocessors: the one with the most to do, and the one with the longest block.
static gboolean
record_worst(SmbLot *lot, guint multiprocessors, SmbBlockRecorder *recorder, GError **error) {
  guint64 most = 0, longest = 0;
  g_autofree double *sums = g_new0(double, multiprocessors);
  for (guint64 i = 0; i < lot->n; i++) {
    sums[i % multiprocessors] += lot->lengths[i];
    longest = lot->lengths[i] > lot->lengths[longest] ? i : longest;
  }
  for (guint p = 0; p < multiprocessors; p++)
    most = sums[p] > sums[most] ? p : most;
  lot->n_blocks = 0;
  lot->working = smb_lot_sum(lot) / MAX(1, sums[most]);
  lot->records = record_turns(most, lot->n, multiprocessors, recorder, error);
  if (lot->records && longest % multiprocessors != most)
    lot->others = record_turns(longest % multiprocessors, lot->n, multiprocessors, recorder, error);
  return lot->records && (lot->others || longest % multiprocessors == most);
}

gboolean
smb_lot_is_alike(const SmbLaunch *launch, const GPtrArray *samples) {
  return launch->lengths ? are_lengths_alike(launch->lengths) : are_alike(samples);
}

gboolean
smb_lot_record(SmbLot *lot, const SmbLaunch *launch, const GPtrArray *samples,
               guint multiprocessors, guint64 at_once, SmbBlockRecorder *recorder, GError **error) {
  guint64 n_blocks = smb_launch_n_blocks(launch);
  if (!find_lengths(lot, launch, samples, recorder, error))
    return FALSE;
  return n_blocks <= at_once && n_blocks <= (guint64)multiprocessors * SMB_LOT_BLOCKS
             ? record_worst(lot, multiprocessors, recorder, error)
             : record_all_lengths(lot, launch, recorder, error);
}
