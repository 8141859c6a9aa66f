// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// When a warp goes on after a branch, or after a fence: later than ptxas says. All lanes of a branch that is taken go on some cycles later; one to a place
// in a register takes longer still, and its unit. Where lanes part, one part goes on at once and the other one after it; the whole costs so much once.
//
// Measured on an H200 by chains of such instructions (tests/gpu/time/flow.cu). Not modelled: that the code there has to be fetched first;
// where a fence finds the memory that it waits for.
#include "sim/time/replay/multiprocessor-impl.h"

// A fence of a warp. When it ends.
static double
pass_fence(Multiprocessor *sm, TimedWarp *warp, double now) {
  const SmbChip *chip = sm->chip;
  double start = MAX(now, sm->fences);
  sm->fences = start + (warp->is_exposed ? chip->fence_memory_interval : chip->fence_interval);
  double latency = chip->fence_latency + (warp->is_exposed ? chip->fence_memory_latency : 0);
  warp->is_exposed = FALSE;
  return start + latency;
}

// A fence of a warp for its block: it waits until the pipe has taken what the warp has asked for.
static double
pass_block_fence(Multiprocessor *sm, const TimedWarp *warp, double now) {
  double start = MAX(MAX(now, warp->lsu), sm->block_fences);
  sm->block_fences = start + sm->chip->fence_block_interval;
  return start + sm->chip->fence_block_latency;
}

double
smb_flow_next(Multiprocessor *sm, Partition *partition, TimedWarp *warp, const SmbEvent *event,
              double now) {
  const SmbTiming *timing = &sm->timings[event->number];
  const SmbChip *chip = sm->chip;
  double next = now + MAX(1, timing->stall);
  if (event->flow == SMB_FLOW_IDLE)
    return next;
  if (timing->rate == SMB_RATE_BLOCK_FENCE)
    return pass_block_fence(sm, warp, now);
  if (timing->rate == SMB_RATE_FENCE)
    return pass_fence(sm, warp, now);
  if (timing->rate == SMB_RATE_SYSTEM_FENCE)
    return now + chip->fence_system_latency;
  if (timing->rate == SMB_RATE_INVALIDATE)
    smb_l1_cache_clear(sm->cache);
  gboolean is_indirect = timing->rate == SMB_RATE_INDIRECT || event->flow == SMB_FLOW_OTHERS;
  if (is_indirect) {
    double *unit = &partition->pipes[PIPE_INDIRECT];
    double start = MAX(now, *unit);
    *unit = start + chip->rate[SMB_RATE_INDIRECT];
    next += start - now + chip->indirect_latency;
  }
  switch ((SmbFlow)event->flow) {
  case SMB_FLOW_ON:
  case SMB_FLOW_IDLE:
    return next;
  case SMB_FLOW_TAKEN:
    return next + (is_indirect ? 0 : chip->branch_latency);
  case SMB_FLOW_PARTS:
  case SMB_FLOW_OTHERS:
    return next + chip->parting_latency;
  case SMB_FLOW_MEETS:
    return next + chip->meeting_latency;
  }
  return next;
}
