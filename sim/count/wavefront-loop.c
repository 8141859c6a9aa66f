// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Atomics that are loops: in each round the remaining lanes load and try to swap. The lane groups swap one
// after the other, and of the lanes of a group in one bank the lowest swaps; it succeeds unless a group
// before it changed the same word in this round. What is counted is a warp alone, each of whose swaps
// changes what it swaps: only addresses are known here.
#include "sim/arch/rule.h"
#include "sim/count/wavefront-impl.h"

// One round's swaps. Returns the lanes of @left that succeed.
static SmbLanes
swap_round(const SmbPlan *plan, const SmbRequest *request, SmbLanes left) {
  guint32 changed[SMB_MAX_LANES]; // offsets that were swapped in this round
  guint n_changed = 0;
  SmbLanes done = 0;
  for (guint group = 0; group < plan->n_groups; group++) {
    SmbBanks taken = 0; // units of the banks
    guint n_before = n_changed;
    for (SmbLanes rest = left & plan->groups[group]; rest; rest &= rest - 1) {
      guint lane = smb_lanes_first(rest);
      guint32 offset = request->offset[lane];
      guint bank = offset >> plan->unit_shift & ((1u << plan->bank_bits) - 1);
      if (taken >> bank & 1)
        continue;
      taken |= (SmbBanks)1 << bank;
      gboolean stale = FALSE;
      for (guint i = 0; i < n_before; i++)
        stale |= changed[i] == offset;
      if (stale)
        continue;
      changed[n_changed++] = offset;
      done |= (SmbLanes)1 << lane;
    }
  }
  return done;
}

static Passes
count_passes(const SmbPlan *plan, const SmbRequest *request) {
  return plan->narrow ? smb_count_passes_narrow(plan, request)
                      : smb_count_passes_general(plan, request);
}

// All rounds of a request; @passes: of the load of the first round.
static SmbLoop
run_loop(const SmbRule *rule, const SmbRequest *request, Passes *passes) {
  SmbLoop loop = {0};
  SmbRequest left = *request;
  left.mask &= rule->plan.lanes;
  *passes = (Passes){0, 0, 0};
  for (; left.mask; loop.rounds++) {
    gboolean merged = rule->merges && smb_request_mergeable(&left);
    Passes load = count_passes(merged ? &rule->merged : &rule->plan, &left);
    if (loop.rounds == 0)
      *passes = load;
    loop.load_wavefronts += load.group_passes;
    loop.swap_wavefronts += rule->plan.passes * smb_plan_count_groups(&rule->plan, left.mask);
    SmbLanes done = swap_round(&rule->plan, &left, left.mask);
    left.mask &= ~done;
    for (; done; done &= done - 1)
      loop.round[smb_lanes_first(done)] = (guint8)loop.rounds;
  }
  return loop;
}

SmbWavefronts
smb_count_loop(const SmbRule *rule, const SmbRequest *request) {
  const SmbPlan *plan = &rule->plan;
  Passes passes;
  SmbLoop loop = run_loop(rule, request, &passes);
  guint groups = smb_plan_count_groups(plan, request->mask & plan->lanes);
  SmbWavefronts result;
  result.wavefronts = loop.load_wavefronts + loop.swap_wavefronts;
  result.ideal = passes.groups + groups * plan->passes;
  result.excess = result.wavefronts - result.ideal;
  result.degree = passes.degree;
  result.cycles = groups == 0 ? 0 : MAX(result.wavefronts * plan->cycles, (guint32)plan->floor);
  return result;
}

SmbLoop
smb_wavefronts_loop(const SmbArch *arch, const SmbRequest *request) {
  const SmbRule *rule = smb_arch_rule(arch, (SmbOp)request->op, request->width);
  Passes passes;
  if (rule->plan.conflict != SMB_CONFLICT_LOOP)
    return (SmbLoop){0};
  return run_loop(rule, request, &passes);
}
