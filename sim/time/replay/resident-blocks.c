// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The blocks that a multiprocessor has at a time: when the next one comes, and to which sub-partitions its warps go.
#include <string.h>

#include "sim/time/replay/multiprocessor-impl.h"

// When the blocks before the next one have been handed out, to all multiprocessors together. Each of these gets those of the first wave at once,
// the last one when all others have theirs.
static double
find_turn(const Multiprocessor *sm) {
  double interval = sm->chip->grid_interval * sm->given;
  return sm->started >= sm->replay->resident ? interval * (double)sm->started : sm->head_start;
}

// A warp comes to the sub-partition that has the fewest: where all have as many, they take turns.
static guint
choose_partition(const Multiprocessor *sm) {
  guint chosen = sm->n_warps % N_PARTITIONS;
  for (guint i = 1; i < N_PARTITIONS; i++) {
    guint other = (sm->n_warps + i) % N_PARTITIONS;
    if (sm->partitions[other].resident < sm->partitions[chosen].resident)
      chosen = other;
  }
  return chosen;
}

void
smb_resident_start(Multiprocessor *sm, guint index, double now, double when) {
  const SmbReplay *replay = sm->replay;
  TimedBlock *block = &sm->blocks[index];
  block->is_used = sm->started < replay->n_blocks && sm->instructions < replay->max_instructions;
  if (!block->is_used)
    return;
  const SmbBlockRecord *record =
      g_ptr_array_index(replay->records, sm->started % replay->records->len);
  // One that has to wait for what others have stored does not keep those back that come before it.
  double soonest =
      MAX(MAX(MIN(when, now + sm->chip->block_latency), sm->next_block), find_turn(sm));
  when = MAX(when, soonest);
  sm->next_block = soonest + sm->chip->first_interval;
  sm->busy[SMB_UNIT_LAUNCHES] += sm->chip->grid_interval * sm->given;
  g_clear_pointer(&block->lines, smb_block_lines_free);
  *block = (TimedBlock){
      .living = record->warps->len, .is_used = TRUE, .states = block->states, .phase = 1};
  if (record->has_common || replay->footprint->reach < G_MAXDOUBLE)
    block->lines = smb_block_lines_new(replay->footprint->reach);
  smb_phase_start_block(block, record);
  for (guint w = 0; w < record->warps->len; w++) {
    GArray *events = g_ptr_array_index(record->warps, w);
    const double from = when + w * sm->chip->warp_interval;
    TimedWarp *warp = &sm->pool[index * sm->warps_per_block + w];
    *warp = (TimedWarp){.events = (const SmbEvent *)(gpointer)events->data,
                        .n = smb_replay_warp_events(replay, events->len),
                        .block = index,
                        .partition = choose_partition(sm),
                        .number = sm->n_warps++,
                        .sequence = (guint)sm->started,
                        .record = record,
                        .issued = from - 1,
                        .since = from,
                        .stalled = from,
                        .reason = SMB_STALL_WAIT,
                        .ready = from};
    Partition *partition = &sm->partitions[warp->partition];
    partition->resident++;
    partition->warps[partition->n++] = warp;
    smb_partition_wake(sm, warp, from);
  }
  sm->started++;
}

void
smb_resident_end_warp(Multiprocessor *sm, Partition *partition, TimedWarp *warp, double now) {
  guint at = 0;
  while (partition->warps[at] != warp)
    at++;
  memmove(&partition->warps[at], &partition->warps[at + 1],
          (--partition->n - at) * sizeof(TimedWarp *));
  partition->last = NULL;
  smb_store_path_end(sm, warp);
  double when = MAX(now, warp->done);
  sm->stalls[SMB_STALL_DRAIN] += when - now;
  sm->end = MAX(sm->end, when);
  TimedBlock *block = &sm->blocks[warp->block];
  block->ended = MAX(block->ended, when);
  block->living--;
  if (block->living)
    return;
  when = block->ended;
  for (guint w = 0; w < warp->record->warps->len; w++)
    sm->partitions[sm->pool[warp->block * sm->warps_per_block + w].partition].resident--;
  sm->ended++;
  if (sm->replay->ends)
    g_array_append_val(sm->replay->ends, when);
  if (sm->ended == MIN(sm->replay->resident, sm->replay->n_blocks))
    sm->warm = (Progress){when, sm->instructions};
  smb_resident_start(sm, warp->block, now, when + sm->chip->block_latency);
  if (!block->is_used && sm->full.when == 0)
    sm->full = (Progress){when, sm->instructions};
}
