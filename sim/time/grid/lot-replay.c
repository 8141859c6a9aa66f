// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/time/grid/lot-replay.h"

#include "sim/time/grid/balance.h"
#include "sim/time/grid/hand-out.h"

// Instructions of a block that are replayed.
static guint64
count_replayed(const SmbReplay *replay, const SmbBlockRecord *record) {
  guint64 n = 0;
  for (guint w = 0; w < record->warps->len; w++)
    n += smb_replay_warp_events(replay, ((GArray *)g_ptr_array_index(record->warps, w))->len);
  return n;
}

// How much longer blocks are than what is replayed of them.
static double
find_whole(const SmbReplay *replay) {
  guint64 replayed = 0, instructions = 0;
  for (guint i = 0; i < replay->records->len; i++) {
    const SmbBlockRecord *record = g_ptr_array_index(replay->records, i);
    replayed += replay->max_warp_events ? count_replayed(replay, record) : record->kept;
    instructions += record->instructions;
  }
  return (double)instructions / (double)replayed;
}

double
smb_lot_replay_copies(const SmbReplay *launch, SmbBlockRecord *block, guint copies) {
  g_autoptr(GPtrArray) records = g_ptr_array_new();
  SmbReplay replay = *launch;
  g_ptr_array_add(records, block);
  replay.records = records;
  replay.n_blocks = replay.resident = copies;
  return smb_multiprocessor_replay(&replay).cycles * find_whole(&replay);
}

// Instructions a cycle of all of so many copies of the longest block.
static double
find_block_rate(const SmbReplay *launch, const SmbLot *lot, guint copies) {
  double cycles = smb_lot_replay_copies(launch, lot->longest, copies);
  return copies * (double)lot->longest->instructions / MAX(1, cycles - launch->chip->block_latency);
}

// How long all blocks take, if one multiprocessor takes @cycles for those that were replayed. @replayed: of these; of all afterwards
static double
balance_blocks(const SmbReplay *replay, const SmbLot *lot, double cycles, SmbReplayed *replayed) {
  guint multiprocessors = (guint)replay->chip->multiprocessors;
  SmbBalance balance = {.resident = replay->resident, .alone = find_block_rate(replay, lot, 1)};
  balance.together = MAX(balance.alone, find_block_rate(replay, lot, replay->resident));
  g_autofree double *own = g_new(double, replay->n_blocks);
  double sum = 0;
  for (guint64 i = 0; i < replay->n_blocks; i++) {
    const SmbBlockRecord *record = g_ptr_array_index(lot->records, i % lot->records->len);
    sum += own[i] = (double)record->instructions;
  }
  smb_balance_fit(&balance, own, replay->n_blocks, cycles);
  double whole = (double)replay->grid[0] * replay->grid[1] * replay->grid[2] / (double)lot->n;
  double longest = smb_balance_cycles(&balance, lot->lengths, lot->n, multiprocessors) * whole;
  double busier = smb_lot_sum(lot) * whole / multiprocessors / MAX(1, sum) * cycles / longest;
  for (guint u = 0; u < SMB_N_UNITS; u++)
    replayed->busy[u] = MIN(1, replayed->busy[u] * busier);
  return longest;
}

static gint
compare_ends(gconstpointer a, gconstpointer b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// How many of equal blocks the multiprocessor gets that gets most of them. @ends: of those of one that gets as many as the others, or one more
static guint64
find_most_blocks(const SmbReplay *replay, GArray *ends) {
  guint multiprocessors = (guint)replay->chip->multiprocessors;
  guint64 n = (guint64)replay->grid[0] * replay->grid[1] * replay->grid[2];
  guint64 places = (guint64)replay->resident * multiprocessors;
  guint64 rounds = n / places, rest = n % places;
  if (rounds != 1 || rest == 0 || ends->len < replay->n_blocks)
    return replay->n_blocks;
  g_array_sort(ends, compare_ends);
  guint most = smb_hand_out_most((const double *)(gpointer)ends->data, replay->resident, rest,
                                 multiprocessors, replay->chip->pace_spread);
  return MAX(replay->n_blocks, rounds * replay->resident + most);
}

// Replays equal blocks: those of the multiprocessor that gets most of them, of which the others are as much less busy.
static SmbReplayed
replay_most(SmbReplay *replay) {
  g_autoptr(GArray) ends = g_array_new(FALSE, FALSE, sizeof(double));
  replay->ends = ends;
  SmbReplayed replayed = smb_multiprocessor_replay(replay);
  replay->ends = NULL;
  guint64 even = replay->n_blocks;
  replay->n_blocks = find_most_blocks(replay, ends);
  if (replay->n_blocks == even)
    return replayed;
  replayed = smb_multiprocessor_replay(replay);
  for (guint u = 0; u < SMB_N_UNITS; u++)
    replayed.busy[u] *= (double)even / (double)replay->n_blocks;
  return replayed;
}

static double
replay_records(SmbReplay *replay, const SmbLot *lot, const GPtrArray *records,
               SmbReplayed *replayed) {
  replay->records = records;
  replay->n_blocks = lot->n_blocks ? lot->n_blocks : records->len;
  gboolean are_equal = lot->n_blocks > 0 && !lot->others && !lot->longest;
  *replayed = are_equal ? replay_most(replay) : smb_multiprocessor_replay(replay);
  return replayed->cycles * find_whole(replay);
}

double
smb_lot_replay(const SmbReplay *launch, const SmbLot *lot, SmbReplayed *replayed) {
  SmbReplay replay = *launch;
  double cycles = replay_records(&replay, lot, lot->records, replayed);
  if (lot->others) {
    SmbReplayed other;
    double longer = replay_records(&replay, lot, lot->others, &other);
    *replayed = longer > cycles ? other : *replayed;
    cycles = MAX(cycles, longer);
  }
  if (lot->longest)
    cycles = balance_blocks(&replay, lot, cycles, replayed);
  return cycles + replay.chip->launch_cycles;
}
