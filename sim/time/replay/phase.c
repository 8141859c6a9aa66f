// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Barriers of a block, of all its warps or of some, and barriers in shared memory (mbarrier). A phase of a barrier ends when as many
// instructions and copies have arrived as did when the block was executed (SmbTimedPhase); who waits for it goes on then. So warps meet
// whom they met, in the order in which the replay has them.
//
// Blocks of a cluster are taken to do the same at the same time: its barrier is one of the block, which takes longer.
//
// Not modelled: that a test of a barrier in shared memory fails, and is repeated.
#include <string.h>

#include "sim/time/replay/multiprocessor-impl.h"

void
smb_phase_start_block(TimedBlock *block, const SmbBlockRecord *record) {
  guint n = record->phases->len;
  block->states = g_renew(PhaseState, block->states, n + 1);
  for (guint i = 0; i < n; i++)
    block->states[i] =
        (PhaseState){.left = g_array_index(record->phases, SmbTimedPhase, i).arrivals};
}

static PhaseState *
state_of(const Multiprocessor *sm, const TimedWarp *warp, guint phase) {
  return &sm->blocks[warp->block].states[phase - 1];
}

// The phase has ended: those who wait for it go on.
static void
end_phase(Multiprocessor *sm, guint index, guint phase) {
  TimedBlock *block = &sm->blocks[index];
  block->phase++;
  for (guint p = 0; p < N_PARTITIONS; p++) {
    for (guint i = 0; i < sm->partitions[p].n; i++) {
      TimedWarp *warp = sm->partitions[p].warps[i];
      if (warp->block == index && warp->awaits == phase)
        smb_warp_resume(sm, warp, block->states[phase - 1].until + warp->wake);
    }
  }
}

static void
arrive(Multiprocessor *sm, const TimedWarp *warp, guint phase, double when) {
  PhaseState *state = state_of(sm, warp, phase);
  state->until = MAX(state->until, when);
  if (--state->left == 0)
    end_phase(sm, warp->block, phase);
}

static void
await(TimedWarp *warp, guint phase, double wake, SmbStall reason) {
  warp->awaits = phase;
  warp->wake = wake;
  warp->ready = NEVER;
  warp->reason = reason;
}

// All have come to a barrier, the last one by an instruction that was issued at @now: the unit goes on with it, if they are few. If they have used
// shared memory since the last one, its pipe takes part (an H200: two wavefronts), and serves others until then.
static void
complete_barrier(Multiprocessor *sm, const TimedWarp *warp, guint phase, double interval,
                 double now) {
  const SmbChip *chip = sm->chip;
  TimedBlock *block = &sm->blocks[warp->block];
  guint arrivals = g_array_index(warp->record->phases, SmbTimedPhase, phase - 1).arrivals;
  sm->barrier += MAX(0, chip->barrier_least - arrivals * interval);
  if (!block->has_asked)
    return;
  block->has_asked = FALSE;
  sm->lsu = MAX(now + chip->queue_latency, sm->lsu) + chip->barrier_memory;
  sm->busy[SMB_UNIT_SHARED] += chip->barrier_memory;
}

void
smb_phase_meet(Multiprocessor *sm, Partition *partition, TimedWarp *warp, const SmbTiming *timing,
               const SmbTimedRequest *request, double now) {
  const SmbChip *chip = sm->chip;
  gboolean has_register = timing->read_board < SMB_N_BOARDS; // with the number of the barrier
  double interval = has_register ? chip->barrier_register_arrival : chip->barrier_arrival;
  // It sends no registers, and need not wait for those of what is before it (H200: a store before a barrier takes its issue, and nothing more).
  double start = MAX(now + chip->queue_latency, MAX(partition->left, sm->barrier));
  smb_queue_leave(sm, partition, start, MAX(0, partition->dequeued - start));
  sm->barrier = start + interval;
  double when = sm->barrier - chip->queue_latency + (has_register ? chip->barrier_register : 0);
  if (state_of(sm, warp, request->phase)->left == 1)
    complete_barrier(sm, warp, request->phase, interval, now);
  if (timing->rate == SMB_RATE_ARRIVAL)
    when = MAX(when, sm->barrier - chip->queue_latency + chip->barrier_notice);
  if (request->actions & SMB_PHASE_WAITS)
    await(warp, request->phase,
          timing->rate == SMB_RATE_CLUSTER_BARRIER ? chip->cluster_latency : chip->barrier_latency,
          SMB_STALL_BARRIER);
  if (request->actions & SMB_PHASE_ARRIVES)
    arrive(sm, warp, request->phase, when);
  else if (state_of(sm, warp, request->phase)->left == 0)
    smb_warp_resume(sm, warp, MAX(when, state_of(sm, warp, request->phase)->until) + warp->wake);
}

void
smb_phase_issue(Multiprocessor *sm, Partition *partition, TimedWarp *warp, const SmbTiming *timing,
                const SmbTimedRequest *request, double now) {
  const SmbChip *chip = sm->chip;
  double start = smb_queue_start(sm, partition, now, MAX(sm->phases, warp->phases));
  sm->phases = start + chip->phase_interval;
  warp->phases = start + 2 * chip->phase_interval; // those of one warp come half as often
  smb_queue_leave(sm, partition, start, 0);
  double begun = start - chip->queue_latency, there = begun + chip->phase_latency;
  if (request && request->actions & SMB_PHASE_ARRIVES)
    arrive(sm, warp, request->phase, MAX(begun, warp->copies) + chip->phase_arrival);
  if (request && request->actions & SMB_PHASE_WAITS && request->phase) {
    const PhaseState *state = state_of(sm, warp, request->phase);
    if (state->left) {
      await(warp, request->phase, chip->phase_wake, SMB_STALL_LONG_SCOREBOARD);
      return;
    }
    if (state->until > begun + chip->phase_arrival)
      there = MAX(there, state->until + chip->phase_wake);
  }
  if (timing->write_board < SMB_N_BOARDS)
    smb_board_open(&warp->boards[timing->write_board], now, there, SMB_STALL_LONG_SCOREBOARD);
}

void
smb_phase_copied(Multiprocessor *sm, const TimedWarp *warp, const SmbTimedRequest *request,
                 double when) {
  if (request->actions & SMB_PHASE_ARRIVES)
    arrive(sm, warp, request->phase, when);
}

gboolean
smb_phase_release_some(Multiprocessor *sm) {
  for (guint p = 0; p < N_PARTITIONS; p++) {
    for (guint i = 0; i < sm->partitions[p].n; i++) {
      const TimedWarp *warp = sm->partitions[p].warps[i];
      if (!warp->awaits)
        continue;
      state_of(sm, warp, warp->awaits)->until =
          MAX(state_of(sm, warp, warp->awaits)->until, warp->issued);
      end_phase(sm, warp->block, warp->awaits);
      return TRUE;
    }
  }
  return FALSE;
}
