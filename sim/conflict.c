// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/conflict.h"

#include "sim/wavefront.h"

static int
compare_uses(gconstpointer a, gconstpointer b) {
  const SmbWordUse *x = a, *y = b;
  if (x->group != y->group)
    return x->group < y->group ? -1 : 1;
  if (x->bank != y->bank)
    return x->bank < y->bank ? -1 : 1;
  int lane_x = __builtin_ctz(x->lanes), lane_y = __builtin_ctz(y->lanes);
  if (lane_x != lane_y)
    return lane_x - lane_y;
  return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static void
add_use(GArray *uses, guint group, guint bank, guint32 offset, guint32 row, guint lane) {
  for (guint i = 0; i < uses->len; i++) {
    SmbWordUse *use = &g_array_index(uses, SmbWordUse, i);
    if (use->group == group && use->offset == offset) {
      use->lanes |= 1u << lane;
      return;
    }
  }
  SmbWordUse use = {group, bank, offset, row, 0, 1u << lane};
  g_array_append_val(uses, use);
}

// The pass, from 0, after the last of @use.
static guint
pass_after(const SmbWordUse *use, SmbConflict conflict) {
  return use->pass + (conflict == SMB_CONFLICT_LANES ? (guint)__builtin_popcount(use->lanes) : 1);
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
    next_pass = MAX(next_pass, pass_after(use, conflict));
  }
}

GArray *
smb_request_words(const SmbArch *arch, const SmbRequest *request) {
  const SmbArchInfo *info = smb_arch_info(arch);
  const SmbPlan *plan = smb_wavefronts_plan(arch, request);
  SmbConflict conflict = (SmbConflict)plan->conflict;
  // What has an entry of its own: a word of a bank, or an address.
  guint32 entry_mask = conflict == SMB_CONFLICT_ADDRESSES ? ~0u : ~(info->bank_bytes - 1);
  GArray *uses = g_array_new(FALSE, FALSE, sizeof(SmbWordUse));

  for (guint32 lanes = request->mask & plan->lanes; lanes; lanes &= lanes - 1) {
    guint lane = (guint)__builtin_ctz(lanes);
    guint32 first = request->offset[lane] & entry_mask;
    for (guint32 part = 0; part < MAX(request->width, info->bank_bytes); part += info->bank_bytes) {
      guint32 offset = first + part;
      add_use(uses, lane >> plan->group_shift, offset / info->bank_bytes % info->banks, offset,
              offset >> plan->row_shift, lane);
    }
  }
  g_array_sort(uses, compare_uses);
  deal_passes(uses, conflict);
  return uses;
}

// Whether the lanes of @group alone need no more passes than they would without conflicts.
static gboolean
is_group_clean(const SmbArch *arch, const SmbRequest *request, const SmbPlan *plan, guint group) {
  SmbRequest alone = *request;
  guint lanes = 1u << plan->group_shift;
  alone.mask &= (guint32)((1ull << lanes) - 1) << group * lanes;
  return smb_wavefronts_count(arch, &alone).excess == 0;
}

gboolean
smb_request_worst_bank(const SmbArch *arch, const SmbRequest *request, SmbCollision *collision) {
  g_autoptr(GArray) uses = smb_request_words(arch, request);
  const SmbPlan *plan = smb_wavefronts_plan(arch, request);
  SmbConflict conflict = (SmbConflict)plan->conflict;
  guint worst = 1;

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
      passes = MAX(passes, pass_after(use, conflict));
      meetings += (guint)__builtin_popcount(use->lanes);
    }
    guint cost = conflict == SMB_CONFLICT_ONE_BROADCAST ? meetings : passes;
    if (cost > worst && (conflict != SMB_CONFLICT_ONE_BROADCAST ||
                         !is_group_clean(arch, request, plan, bank.group))) {
      worst = cost;
      *collision = bank;
    }
  }
  return worst > 1;
}
