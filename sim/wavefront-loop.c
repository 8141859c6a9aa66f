// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Atomics that are loops: in each round the remaining lanes load and try to swap. The lane groups swap one
// after the other, and of the lanes of a group in one bank the lowest swaps; it succeeds unless a group
// before it changed the same word in this round. What is counted is a warp alone, each of whose swaps
// changes what it swaps: only addresses are known here.
#include "sim/wavefront-impl.h"

// One round's swaps. Returns the lanes of @left that succeed.
static guint32
swap_round(const SmbPlan *plan, const SmbRequest *request, guint32 left) {
  guint32 unit_of[SMB_WARP_LANES]; // of each virtual bank: what is swapped there
  guint32 taken = 0, done = 0;     // virtual banks; lanes
  for (guint32 rest = left; rest; rest &= rest - 1) {
    guint lane = (guint)__builtin_ctz(rest);
    guint32 unit = request->offset[lane] >> plan->unit_shift;
    guint first = unit & ((1u << plan->bank_bits) - 1);
    guint bank = first | (lane >> plan->group_shift) << plan->bank_bits;
    if (taken >> bank & 1)
      continue;
    taken |= 1u << bank;
    unit_of[bank] = unit;
    gboolean changed = FALSE;
    for (guint before = first; before < bank; before += 1u << plan->bank_bits)
      changed |= (taken >> before & 1) && unit_of[before] == unit;
    done |= (guint32)!changed << lane;
  }
  return done;
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
    Passes load = smb_count_passes_portable(merged ? &rule->merged : &rule->plan, &left);
    if (loop.rounds == 0)
      *passes = load;
    loop.load_wavefronts += load.group_passes;
    loop.swap_wavefronts += rule->plan.passes * count_groups(left.mask, rule->plan.group_shift);
    guint32 done = swap_round(&rule->plan, &left, left.mask);
    left.mask &= ~done;
    for (; done; done &= done - 1)
      loop.round[__builtin_ctz(done)] = (guint8)loop.rounds;
  }
  return loop;
}

SmbWavefronts
smb_count_loop(const SmbRule *rule, const SmbRequest *request) {
  const SmbPlan *plan = &rule->plan;
  Passes passes;
  SmbLoop loop = run_loop(rule, request, &passes);
  guint groups = count_groups(request->mask & plan->lanes, plan->group_shift);
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
