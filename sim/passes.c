// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/passes.h"

#include "sim/conflict.h"
#include "sim/wavefront.h"

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
count_steps(const Bank *bank, guint broadcasts) {
  guint steps = broadcasts;
  for (guint i = broadcasts; i < bank->n; i++)
    steps += (guint)__builtin_popcount(bank->uses[i].lanes);
  return steps;
}

// Most lanes first.
static int
compare_sharers(gconstpointer a, gconstpointer b) {
  const SmbWordUse *x = a, *y = b;
  int more = __builtin_popcount(y->lanes) - __builtin_popcount(x->lanes);
  return more ? more : (x->offset > y->offset) - (x->offset < y->offset);
}

static void
set_pass(guint8 *pass, guint32 lanes, guint value) {
  for (; lanes; lanes &= lanes - 1)
    pass[__builtin_ctz(lanes)] = (guint8)value;
}

// One bank of those below: @next is the first step that has no broadcast yet.
static void
deal_bank(const Bank *bank, guint n, guint *next, guint8 *pass) {
  guint32 taken = 0; // steps of this bank
  guint broadcasts = 0, step = 0;
  qsort(bank->uses, bank->n, sizeof *bank->uses, compare_sharers);
  while (broadcasts < bank->n && count_steps(bank, broadcasts) > n)
    broadcasts++;
  for (guint i = 0; i < broadcasts; i++) {
    taken |= 1u << *next;
    set_pass(pass, bank->uses[i].lanes, (*next)++);
  }
  for (guint i = broadcasts; i < bank->n; i++) {
    for (guint32 rest = bank->uses[i].lanes; rest; rest &= rest - 1) {
      while (taken >> step & 1)
        step++;
      set_pass(pass, rest & -rest, step++);
    }
  }
}

// Where each step broadcasts one word (loads of compute capability 1.x): the words that have to be, for
// @n steps to do, take a step each, in the order of the banks; single lanes take what steps remain. Of a
// wide access, which is several requests of a bank's width, the first is dealt: the others are like it.
static void
deal_broadcasts(GArray *uses, const SmbRequest *request, guint group, guint n, guint8 *pass) {
  guint next = 0;
  for (guint i = 0; i < uses->len;) {
    Bank bank = bank_from(uses, i);
    i += bank.n;
    if (bank.uses->group == group && bank.uses->offset % MAX(request->width, 4) == 0)
      deal_bank(&bank, n, &next, pass);
  }
}

// The pass of each lane of @group within the group.
static void
deal_words(const GArray *uses, guint group, gboolean queues, guint8 *pass) {
  for (guint i = 0; i < uses->len; i++) {
    const SmbWordUse *use = &g_array_index(uses, SmbWordUse, i);
    guint turn = use->pass;
    if (use->group != group)
      continue;
    for (guint32 rest = use->lanes; rest; rest &= rest - 1) {
      pass[__builtin_ctz(rest)] = (guint8)turn;
      turn += queues;
    }
  }
}

static guint32
lanes_of_group(const SmbPlan *plan, const SmbRequest *request, guint group) {
  guint lanes = 1u << plan->group_shift;
  return request->mask & plan->lanes & (guint32)((1ull << lanes) - 1) << group * lanes;
}

// Passes of @lanes alone.
static guint
count_alone(const SmbArch *arch, const SmbPlan *plan, const SmbRequest *request, guint32 lanes) {
  SmbRequest alone = *request;
  alone.mask = lanes;
  return smb_wavefronts_count(arch, &alone).wavefronts / plan->passes;
}

// Adds the passes of one group behind those that are there.
static void
add_group(SmbPasses *passes, guint32 lanes, guint group) {
  guint first = passes->n;
  for (; lanes; lanes &= lanes - 1) {
    guint lane = (guint)__builtin_ctz(lanes);
    guint pass = first + passes->of_lane[lane];
    passes->of_lane[lane] = (guint8)pass;
    passes->lanes[pass] |= 1u << lane;
    passes->group[pass] = (guint8)group;
    passes->n = MAX(passes->n, pass + 1);
  }
}

SmbPasses
smb_request_passes(const SmbArch *arch, const SmbRequest *request) {
  const SmbPlan *plan = smb_wavefronts_plan(arch, request);
  SmbConflict conflict = (SmbConflict)plan->conflict;
  SmbPasses passes = {0};
  if (conflict == SMB_CONFLICT_LOOP) {
    SmbLoop loop = smb_wavefronts_loop(arch, request);
    for (guint lane = 0; lane < SMB_WARP_LANES; lane++)
      passes.of_lane[lane] = loop.round[lane];
    add_group(&passes, request->mask & plan->lanes, 0);
    return passes;
  }
  passes.wavefronts = plan->passes;
  if (plan->passes == 0)
    return passes;
  g_autoptr(GArray) uses = smb_request_words(arch, request);
  for (guint group = 0; group < (guint)SMB_WARP_LANES >> plan->group_shift; group++) {
    guint32 lanes = lanes_of_group(plan, request, group);
    if (conflict == SMB_CONFLICT_ONE_BROADCAST && lanes)
      deal_broadcasts(uses, request, group, count_alone(arch, plan, request, lanes),
                      passes.of_lane);
    else
      deal_words(uses, group, conflict == SMB_CONFLICT_LANES, passes.of_lane);
    add_group(&passes, lanes, group);
  }
  return passes;
}
