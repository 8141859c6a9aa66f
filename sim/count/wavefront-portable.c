// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The counter of narrow plans in portable C.
#include "sim/arch/rule.h"
#include "sim/count/wavefront-impl.h"

// Finds the virtual bank of every lane. Returns whether no bank is asked twice.
static gboolean
find_virtual_banks(const SmbPlan *plan, const SmbRequest *request, guint32 lanes, guint32 *banks) {
  guint32 bank_mask = (1u << plan->bank_bits) - 1;
  guint32 asked = 0;
  for (guint lane = 0; lane < NARROW_LANES; lane++)
    banks[lane] = (request->offset[lane] >> plan->unit_shift & bank_mask) |
                  (lane >> plan->group_shift) << plan->bank_bits;
  for (guint lane = 0; lane < NARROW_LANES; lane++)
    asked |= (lanes >> lane & 1) << banks[lane];
  return __builtin_popcount(asked) == __builtin_popcount(lanes);
}

// A request that asks some bank twice. On its own, so that the others save no registers.
__attribute__((noinline)) static Passes
count_conflicts_portable(const SmbPlan *plan, const SmbRequest *request, guint32 lanes,
                         LaneKeys *keys) {
  gboolean whole_addresses = plan->conflict == SMB_CONFLICT_ADDRESSES;
  if (plan->conflict == SMB_CONFLICT_ONE_BROADCAST)
    return smb_count_passes_general(plan, request);
  for (guint lane = 0; lane < NARROW_LANES; lane++) {
    guint32 row = request->offset[lane] >> plan->row_shift;
    keys->key[lane] = whole_addresses ? request->offset[lane] : row << 5 | keys->bank[lane];
    keys->bank[lane] = lanes >> lane & 1 ? keys->bank[lane] : SPARE_BANK;
  }
  return count_keys(plan, keys, lanes);
}

Passes
smb_count_passes_narrow(const SmbPlan *plan, const SmbRequest *request) {
  guint32 lanes = (guint32)(request->mask & plan->lanes);
  guint groups = count_groups(lanes, plan->group_shift);
  LaneKeys keys;
  if (find_virtual_banks(plan, request, lanes, keys.bank))
    return (Passes){groups, groups, groups != 0};
  return count_conflicts_portable(plan, request, lanes, &keys);
}

void
smb_count_span_portable(const SmbArch *arch, const SmbRequest *requests, gsize n,
                        SmbWavefronts *out) {
  for (gsize i = 0; i < n; i++) {
    const SmbRule *rule = smb_arch_rule(arch, (SmbOp)requests[i].op, requests[i].width);
    if (!rule->narrow) {
      out[i] = smb_count_general(rule, &requests[i]);
      continue;
    }
    gboolean merges = rule->merges && smb_request_mergeable(&requests[i]);
    const SmbPlan *plan = merges ? &rule->merged : &rule->plan;
    out[i] = finish_count(plan, smb_count_passes_narrow(plan, &requests[i]));
  }
}

gboolean
smb_is_moved_portable(const SmbRequest *request, const SmbRequest *other, guint32 distance) {
  return is_moved(request, other, distance);
}
