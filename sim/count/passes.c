// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/count/passes.h"

#include "sim/arch/rule.h"
#include "sim/base/order.h"
#include "sim/count/copy.h"
#include "sim/count/wavefront.h"

// The words of one bank of one lane group: a stretch of smb_request_words().
typedef struct {
  SmbWordUse *uses;
  guint n;
} Bank;

// The stretch of @uses that starts at @first.
static Bank
bank_from(const GArray *uses, guint first) {
  Bank bank = {&g_array_index(uses, SmbWordUse, first), 1};
  while (first + bank.n < uses->len && bank.uses[bank.n].group == bank.uses->group &&
         bank.uses[bank.n].bank == bank.uses->bank)
    bank.n++;
  return bank;
}

// Steps that are left when the first @broadcasts words are broadcast, in one step each.
static guint
count_steps_left(const Bank *bank, guint broadcasts) {
  guint steps = broadcasts;
  for (guint i = broadcasts; i < bank->n; i++)
    steps += smb_lanes_count(bank->uses[i].lanes);
  return steps;
}

// Most lanes first.
static int
compare_sharers(gconstpointer a, gconstpointer b) {
  const SmbWordUse *x = a, *y = b;
  return smb_order(smb_lanes_count(y->lanes), smb_lanes_count(x->lanes))
             ?: smb_order(x->offset, y->offset);
}

// Adds a pass of a group to those in which each of @lanes is served.
static void
set_pass(guint64 *turns, SmbLanes lanes, guint pass) {
  for (; lanes; lanes &= lanes - 1)
    turns[smb_lanes_first(lanes)] |= G_GUINT64_CONSTANT(1) << pass;
}

// One bank of those below: @next is the first step that has no broadcast yet.
static void
deal_bank(const Bank *bank, guint n, guint *next, guint64 *turns) {
  guint64 taken = 0; // steps of this bank
  guint broadcasts = 0, step = 0;
  qsort(bank->uses, bank->n, sizeof *bank->uses, compare_sharers);
  while (broadcasts < bank->n && count_steps_left(bank, broadcasts) > n)
    broadcasts++;
  for (guint i = 0; i < broadcasts; i++) {
    taken |= G_GUINT64_CONSTANT(1) << *next;
    set_pass(turns, bank->uses[i].lanes, (*next)++);
  }
  for (guint i = broadcasts; i < bank->n; i++) {
    for (SmbLanes rest = bank->uses[i].lanes; rest; rest &= rest - 1) {
      while (taken >> step & 1)
        step++;
      set_pass(turns, rest & -rest, step++);
    }
  }
}

// Where each step broadcasts one word (loads of compute capability 1.x): the words that have to be, for
// @n steps to do, take a step each, in the order of the banks; single lanes take what steps remain. Of a
// wide access, which is several requests of a bank's width, the first is dealt: the others are like it.
static void
deal_broadcasts(GArray *uses, const SmbRequest *request, guint group, guint n, guint64 *turns) {
  guint next = 0;
  for (guint i = 0; i < uses->len;) {
    Bank bank = bank_from(uses, i);
    i += bank.n;
    if (bank.uses->group == group && bank.uses->offset % MAX(request->width, 4) == 0)
      deal_bank(&bank, n, &next, turns);
  }
}

// The passes of each lane of @group within the group.
static void
assign_word_passes(const GArray *uses, guint group, gboolean queues, guint64 *turns) {
  for (guint i = 0; i < uses->len; i++) {
    const SmbWordUse *use = &g_array_index(uses, SmbWordUse, i);
    guint turn = use->pass;
    if (use->group != group)
      continue;
    for (SmbLanes rest = use->lanes; rest; rest &= rest - 1) {
      set_pass(turns, rest & -rest, turn);
      turn += queues;
    }
  }
}

// Passes of @lanes alone.
static guint
count_alone(const SmbArch *arch, const SmbPlan *plan, const SmbRequest *request, SmbLanes lanes) {
  SmbRequest alone = *request;
  alone.mask = lanes;
  guint others = plan->counts_empty ? plan->n_groups - 1u : 0;
  return smb_wavefronts_count(arch, &alone).wavefronts / plan->passes - others;
}

// Adds the passes of one group after those that are there: @turns has the passes of each of @lanes.
static void
add_group_passes(SmbPasses *passes, SmbLanes lanes, guint group, const guint64 *turns) {
  guint first = passes->n;
  for (; lanes; lanes &= lanes - 1) {
    guint lane = smb_lanes_first(lanes);
    for (guint64 rest = turns[lane]; rest; rest &= rest - 1) {
      guint pass = first + (guint)__builtin_ctzll(rest);
      passes->of_lane[lane] = (guint8)pass;
      passes->lanes[pass] |= (SmbLanes)1 << lane;
      passes->group[pass] = (guint8)group;
      passes->n = MAX(passes->n, pass + 1);
    }
  }
}

static SmbPasses
pass_copy(const SmbArch *arch, const SmbPlan *plan, const SmbRequest *request) {
  SmbCopy copy = smb_request_copy(arch, request);
  SmbPasses passes = {.n = MIN(copy.n, SMB_MAX_LANES), .wavefronts = 1, .is_copy = TRUE};
  for (guint pass = 0; pass < passes.n; pass++) {
    passes.lanes[pass] = copy.lanes[pass];
    if (copy.lanes[pass])
      passes.group[pass] = (guint8)smb_plan_group(plan, smb_lanes_first(copy.lanes[pass]));
    for (SmbLanes rest = copy.lanes[pass]; rest; rest &= rest - 1)
      passes.of_lane[smb_lanes_first(rest)] = (guint8)pass;
  }
  return passes;
}

SmbPasses
smb_request_passes(const SmbArch *arch, const SmbRequest *request) {
  const SmbPlan *plan = smb_wavefronts_plan(arch, request);
  SmbConflict conflict = (SmbConflict)plan->conflict;
  SmbPasses passes = {0};
  SmbLanes active = request->mask & plan->lanes;
  if (smb_wavefronts_copy_is_known(arch, request))
    return pass_copy(arch, plan, request);
  guint64 turns[SMB_MAX_LANES] = {0};
  if (conflict == SMB_CONFLICT_LOOP) {
    SmbLoop loop = smb_wavefronts_loop(arch, request);
    for (SmbLanes rest = active; rest; rest &= rest - 1)
      set_pass(turns, rest & -rest, loop.round[smb_lanes_first(rest)]);
    add_group_passes(&passes, active, 0, turns);
    return passes;
  }
  passes.wavefronts = plan->passes;
  if (plan->passes == 0)
    return passes;
  g_autoptr(GArray) uses = smb_request_words(arch, request);
  for (guint group = 0; group < plan->n_groups && active; group++) {
    SmbLanes lanes = active & plan->groups[group];
    if (conflict == SMB_CONFLICT_ONE_BROADCAST && lanes)
      deal_broadcasts(uses, request, group, count_alone(arch, plan, request, lanes), turns);
    else
      assign_word_passes(uses, group, conflict == SMB_CONFLICT_LANES, turns);
    add_group_passes(&passes, lanes, group, turns);
    if (!lanes && plan->counts_empty)
      passes.group[passes.n++] = (guint8)group;
  }
  return passes;
}

guint
smb_passes_of_bank(const SmbPasses *passes, const SmbPlan *plan, const SmbWordUse *uses, guint n) {
  guint64 turns = 0;
  guint last = 0;
  for (guint i = 0; i < n; i++) {
    guint queue = plan->conflict == SMB_CONFLICT_LANES ? smb_lanes_count(uses[i].lanes) : 1;
    last = MAX(last, uses[i].pass + queue);
    for (SmbLanes rest = uses[i].lanes; rest; rest &= rest - 1)
      turns |= G_GUINT64_CONSTANT(1) << passes->of_lane[smb_lanes_first(rest)];
  }
  if (passes->n == 0)
    return 0;
  // Where a bank waits for other banks' broadcasts, or a lane for other lanes' swaps, turns have gaps.
  gboolean gaps = passes->is_copy || plan->conflict == SMB_CONFLICT_ONE_BROADCAST ||
                  plan->conflict == SMB_CONFLICT_LOOP;
  return gaps ? smb_lanes_count(turns) : last;
}
