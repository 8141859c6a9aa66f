// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Collects which lanes ask which bank for which word, and keeps the banks that are asked for several.
#include "sim/count/conflict.h"

#include "sim/arch/rule.h"
#include "sim/base/order.h"
#include "sim/count/wavefront.h"

static int
compare_uses(gconstpointer a, gconstpointer b) {
  const SmbWordUse *x = a, *y = b;
  return smb_order(x->group, y->group) ?: smb_order(x->bank, y->bank)
         ?: smb_order(smb_lanes_first(x->lanes), smb_lanes_first(y->lanes))
         ?: smb_order(x->offset, y->offset);
}

static void
add_bank_use(GArray *uses, guint group, guint bank, guint32 offset, guint32 row, guint lane) {
  for (guint i = 0; i < uses->len; i++) {
    SmbWordUse *use = &g_array_index(uses, SmbWordUse, i);
    if (use->group == group && use->offset == offset) {
      use->lanes |= (SmbLanes)1 << lane;
      return;
    }
  }
  SmbWordUse use = {group, bank, offset, row, 0, (SmbLanes)1 << lane};
  g_array_append_val(uses, use);
}

// The pass, from 0, after the last of @use. Lanes of a loop are through when @loop says so.
static guint
pass_after(const SmbWordUse *use, SmbConflict conflict, const SmbLoop *loop) {
  if (conflict == SMB_CONFLICT_LANES)
    return use->pass + smb_lanes_count(use->lanes);
  guint after = use->pass + 1;
  for (SmbLanes rest = use->lanes; rest && conflict == SMB_CONFLICT_LOOP; rest &= rest - 1)
    after = MAX(after, loop->round[smb_lanes_first(rest)] + 1u);
  return after;
}

// Whether two words of one bank are served together.
static gboolean
share_pass(const SmbWordUse *a, const SmbWordUse *b, SmbConflict conflict) {
  return (conflict == SMB_CONFLICT_WORDS || conflict == SMB_CONFLICT_ONE_BROADCAST) &&
         a->row == b->row;
}

static void
deal_passes(GArray *uses, SmbConflict conflict) {
  guint first = 0, next_pass = 0;
  for (guint i = 0; i < uses->len; i++) {
    SmbWordUse *use = &g_array_index(uses, SmbWordUse, i);
    const SmbWordUse *start = &g_array_index(uses, SmbWordUse, first);
    if (use->group != start->group || use->bank != start->bank) {
      first = i;
      next_pass = 0;
    }
    use->pass = next_pass;
    for (guint j = first; j < i; j++) {
      const SmbWordUse *earlier = &g_array_index(uses, SmbWordUse, j);
      if (share_pass(earlier, use, conflict))
        use->pass = earlier->pass;
    }
    next_pass = MAX(next_pass, pass_after(use, conflict, NULL));
  }
}

// The words of a loop: each is first swapped in the round of the first of its lanes.
static void
deal_rounds(GArray *uses, const SmbLoop *loop) {
  for (guint i = 0; i < uses->len; i++) {
    SmbWordUse *use = &g_array_index(uses, SmbWordUse, i);
    use->pass = G_MAXUINT;
    for (SmbLanes rest = use->lanes; rest; rest &= rest - 1)
      use->pass = MIN(use->pass, loop->round[smb_lanes_first(rest)]);
  }
}

GArray *
smb_request_words(const SmbArch *arch, const SmbRequest *request) {
  const SmbPlan *plan = smb_wavefronts_plan(arch, request);
  SmbConflict conflict = (SmbConflict)plan->conflict;
  guint32 word = plan->bank_bytes;
  GArray *uses = g_array_new(FALSE, FALSE, sizeof(SmbWordUse));

  for (SmbLanes lanes = request->mask & plan->lanes; lanes; lanes &= lanes - 1) {
    guint lane = smb_lanes_first(lanes);
    guint64 start = request->offset[lane];
    for (guint64 at = start; at < start + request->width; at = (at / word + 1) * word) {
      // What has an entry of its own: a word of a bank, or an address.
      guint32 offset = (guint32)(conflict == SMB_CONFLICT_ADDRESSES ? at : at / word * word);
      add_bank_use(uses, smb_plan_group(plan, lane), offset / word % plan->banks, offset,
                   offset >> plan->row_shift, lane);
    }
  }
  g_array_sort(uses, compare_uses);
  if (conflict == SMB_CONFLICT_LOOP) {
    SmbLoop loop = smb_wavefronts_loop(arch, request);
    deal_rounds(uses, &loop);
  } else {
    deal_passes(uses, conflict);
  }
  return uses;
}

// Whether the lanes of @group alone need no more passes than they would without conflicts.
static gboolean
is_group_clean(const SmbArch *arch, const SmbRequest *request, const SmbPlan *plan, guint group) {
  SmbRequest alone = *request;
  alone.mask &= plan->groups[group];
  return smb_wavefronts_count(arch, &alone).excess == 0;
}

// Passes of the first load of a loop in one bank, whose words are @uses: rows that a lane group of @plan asks for.
static guint
count_loads(const SmbPlan *plan, const SmbWordUse *uses, guint n) {
  guint most = 0;
  for (guint group = 0; group < plan->n_groups; group++) {
    guint rows = 0;
    for (guint i = 0; i < n; i++) {
      gboolean fresh = (uses[i].lanes & plan->groups[group]) != 0;
      for (guint j = 0; j < i && fresh; j++)
        fresh = !(uses[j].lanes & plan->groups[group]) || uses[j].row != uses[i].row;
      rows += fresh;
    }
    most = MAX(most, rows);
  }
  return most;
}

gboolean
smb_request_worst_bank(const SmbArch *arch, const SmbRequest *request, SmbCollision *collision) {
  g_autoptr(GArray) uses = smb_request_words(arch, request);
  const SmbPlan *plan = smb_wavefronts_plan(arch, request);
  SmbConflict conflict = (SmbConflict)plan->conflict;
  SmbLoop loop = smb_wavefronts_loop(arch, request);
  const SmbRule *rule = smb_arch_rule(arch, (SmbOp)request->op, request->width);
  gboolean merged_loop = loop.rounds && rule->merges && smb_request_mergeable(request);
  guint worst = 1;

  if (plan->passes == 0)
    return FALSE; // it goes elsewhere
  for (guint i = 0; i < uses->len;) {
    SmbCollision bank = {0};
    guint passes = 0, meetings = 0;
    const SmbWordUse *first = &g_array_index(uses, SmbWordUse, i);
    bank.group = first->group;
    bank.bank = first->bank;
    for (; i < uses->len; i++) {
      const SmbWordUse *use = &g_array_index(uses, SmbWordUse, i);
      if (use->group != bank.group || use->bank != bank.bank)
        break;
      bank.words++;
      bank.lanes |= use->lanes;
      passes = MAX(passes, pass_after(use, conflict, &loop));
      meetings += smb_lanes_count(use->lanes);
    }
    guint cost = conflict == SMB_CONFLICT_ONE_BROADCAST ? meetings : passes;
    if (merged_loop)
      cost = MAX(cost, count_loads(&rule->merged, first, bank.words));
    if (cost > worst && (conflict != SMB_CONFLICT_ONE_BROADCAST ||
                         !is_group_clean(arch, request, plan, bank.group))) {
      worst = cost;
      *collision = bank;
    }
  }
  return worst > 1;
}
