// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Counts requests by any plan: any lane groups, up to 64 lanes and banks, accesses of 12 bytes. Of each lane group,
// every word that a lane accesses is put into its bank; the words and the lanes of a bank give its passes.
//
// Compute capability 1.x reads in steps: in each, one word is broadcast to all lanes that access it, and every other
// bank serves one lane (CUDA C Programming Guide 4.2, F.3.3). Which word is unspecified: what is counted is the
// fewest steps that the procedure permits.
//
// Atomics that are loops: in each round the remaining lanes load and try to swap. The lane groups swap one
// after the other, and of the lanes of a group in one bank the lowest swaps; it succeeds unless a group
// before it changed the same word in this round. What is counted is a warp alone, each of whose swaps
// changes what it swaps: only addresses are known here.
#include "sim/arch/rule.h"
#include "sim/count/wavefront-impl.h"

#include <string.h>

// What the lanes of one group ask of one bank: distinct words (or addresses), and how many lanes access each.
typedef struct {
  guint n;
  guint lanes;
  guint32 words[SMB_MAX_LANES];
  guint8 shares[SMB_MAX_LANES];
} Bank;

static void
add_bank_word(Bank *bank, guint32 word) {
  guint i = 0;
  while (i < bank->n && bank->words[i] != word)
    i++;
  if (i == bank->n) {
    bank->words[i] = word;
    bank->shares[i] = 0;
    bank->n++;
  }
  bank->shares[i]++;
  bank->lanes++;
}

// Steps that a bank needs when @broadcasts of its words, those with the most lanes, are broadcast.
static guint
steps_after_broadcasts(const Bank *bank, guint broadcasts) {
  guint8 shares[SMB_MAX_LANES];
  guint steps = bank->lanes;
  memcpy(shares, bank->shares, bank->n);
  for (guint i = 0; i < broadcasts; i++) {
    guint best = 0;
    for (guint j = 1; j < bank->n; j++)
      best = shares[j] > shares[best] ? j : best;
    steps -= shares[best] ? (guint)shares[best] - 1 : 0;
    shares[best] = 0;
  }
  return steps;
}

// Fewest steps for one group: as many as broadcasts that keep every bank within that many steps.
static guint
count_fewest_steps(const Bank *banks, guint n_banks) {
  for (guint steps = 1;; steps++) {
    guint needed = 0;
    for (guint b = 0; b < n_banks && needed <= steps; b++) {
      guint broadcasts = 0;
      while (broadcasts < banks[b].n && steps_after_broadcasts(&banks[b], broadcasts) > steps)
        broadcasts++;
      needed += steps_after_broadcasts(&banks[b], broadcasts) > steps ? steps + 1 : broadcasts;
    }
    if (needed <= steps)
      return steps;
  }
}

// Puts the words that a lane accesses at @offset into their banks.
static void
put_words_into_banks(const SmbPlan *plan, guint32 offset, guint bytes, Bank *banks) {
  guint64 word = plan->bank_bytes;
  for (guint64 at = offset; at < (guint64)offset + bytes; at = (at / word + 1) * word) {
    guint32 row = (guint32)(at >> plan->row_shift);
    add_bank_word(&banks[at / word & (plan->banks - 1u)],
                  plan->conflict == SMB_CONFLICT_ADDRESSES ? (guint32)at : row);
  }
}

// Passes of one lane group; the most words of a bank raise @degree.
static guint
count_lane_group(const SmbPlan *plan, const Bank *banks, guint *degree) {
  guint words = 0, lanes = 0;
  for (guint b = 0; b < plan->banks; b++) {
    words = MAX(words, banks[b].n);
    lanes = MAX(lanes, banks[b].lanes);
  }
  *degree = MAX(*degree, words);
  if (plan->conflict == SMB_CONFLICT_LANES)
    return lanes;
  return plan->conflict == SMB_CONFLICT_ONE_BROADCAST ? count_fewest_steps(banks, plan->banks)
                                                      : words;
}

Passes
smb_count_passes_general(const SmbPlan *plan, const SmbRequest *request) {
  SmbLanes active = request->mask & plan->lanes;
  Passes passes = {0, smb_plan_count_groups(plan, active), 0};
  guint bytes = MIN(request->width, plan->unit_bytes);
  Bank banks[SMB_MAX_BANKS];

  for (guint group = 0; group < plan->n_groups && active; group++) {
    SmbLanes lanes = active & plan->groups[group];
    if (!lanes) {
      passes.group_passes += plan->counts_empty;
      continue;
    }
    for (guint b = 0; b < plan->banks; b++)
      banks[b].n = banks[b].lanes = 0;
    for (; lanes; lanes &= lanes - 1)
      put_words_into_banks(plan, request->offset[smb_lanes_first(lanes)], bytes, banks);
    passes.group_passes += count_lane_group(plan, banks, &passes.degree);
  }
  return passes;
}

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
count_request_passes(const SmbPlan *plan, const SmbRequest *request) {
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
    Passes load = count_request_passes(merged ? &rule->merged : &rule->plan, &left);
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

static SmbWavefronts
count_loop(const SmbRule *rule, const SmbRequest *request) {
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

SmbWavefronts
smb_count_general(const SmbRule *rule, const SmbRequest *request) {
  if (rule->plan.conflict == SMB_CONFLICT_LOOP)
    return count_loop(rule, request);
  if (rule->plan.source_lines && request->has_source)
    return smb_count_copy(&rule->plan, request);
  gboolean merges = rule->merges && smb_request_mergeable(request);
  const SmbPlan *plan = merges ? &rule->merged : &rule->plan;
  return finish_count(plan, smb_count_passes_general(plan, request));
}

SmbLoop
smb_wavefronts_loop(const SmbArch *arch, const SmbRequest *request) {
  const SmbRule *rule = smb_arch_rule(arch, (SmbOp)request->op, request->width);
  Passes passes;
  if (rule->plan.conflict != SMB_CONFLICT_LOOP)
    return (SmbLoop){0};
  return run_loop(rule, request, &passes);
}
