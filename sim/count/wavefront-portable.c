// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The counter of narrow plans in portable C.
#include "sim/arch/rule.h"
#include "sim/count/wavefront-impl.h"

// Lanes 0 to 31 as bits.
#define BITS4(bit) 1u << (bit), 2u << (bit), 4u << (bit), 8u << (bit)
static const guint32 lane_bits[NARROW_LANES] = {
    BITS4(0), BITS4(4), BITS4(8), BITS4(12), BITS4(16), BITS4(20), BITS4(24), BITS4(28),
};

// The lanes that have a key.
static inline guint32
find_key(const guint32 *keys, guint32 key) {
  guint32 lanes = 0;
  for (guint lane = 0; lane < NARROW_LANES; lane++)
    lanes |= keys[lane] == key ? lane_bits[lane] : 0;
  return lanes;
}

// Counts the keys of each bank. The last lane of a bank stands for all that share its key, which settles
// most lanes of most requests; each lane that is left counts if no lane before it has its key.
static Passes
count_keys(const SmbPlan *plan, const LaneKeys *keys, guint32 lanes) {
  guint group_lanes = 1u << plan->group_shift;
  guint32 group = (guint32)((1ull << group_lanes) - 1);
  guint32 claimed[SPARE_BANK + 1];
  guint8 counts[SPARE_BANK + 1] = {0};
  guint32 left = 0;

  for (guint lane = 0; lane < NARROW_LANES; lane++) {
    claimed[keys->bank[lane]] = keys->key[lane];
    counts[keys->bank[lane]] = 1;
  }
  for (guint lane = 0; lane < NARROW_LANES; lane++)
    left |= (guint32)(claimed[keys->bank[lane]] != keys->key[lane]) << lane;
  left &= lanes;
  for (guint32 rest = left; rest; rest &= rest - 1) {
    guint lane = (guint)__builtin_ctz(rest);
    guint32 before = left & (lane_bits[lane] - 1) & group << (lane & ~(group_lanes - 1));
    counts[keys->bank[lane]] += !(before && find_key(keys->key, keys->key[lane]) & before);
  }
  return sum_banks(plan, lanes, counts);
}

// Finds the virtual bank of every lane. Returns whether no bank is asked twice.
static gboolean
find_banks(const SmbPlan *plan, const SmbRequest *request, guint32 lanes, guint32 *banks) {
  guint32 bank_mask = (1u << plan->bank_bits) - 1;
  guint32 asked = 0;
  for (guint lane = 0; lane < NARROW_LANES; lane++)
    banks[lane] = (request->offset[lane] >> plan->unit_shift & bank_mask) |
                  (lane >> plan->group_shift) << plan->bank_bits;
  for (guint lane = 0; lane < NARROW_LANES; lane++)
    asked |= (lanes >> lane & 1) << banks[lane];
  return __builtin_popcount(asked) == __builtin_popcount(lanes);
}

Passes
smb_count_passes_narrow(const SmbPlan *plan, const SmbRequest *request) {
  guint32 lanes = (guint32)(request->mask & plan->lanes);
  guint groups = count_groups(lanes, plan->group_shift);
  gboolean whole_addresses = plan->conflict == SMB_CONFLICT_ADDRESSES;
  LaneKeys keys;

  if (find_banks(plan, request, lanes, keys.bank))
    return (Passes){groups, groups, groups != 0};
  if (plan->conflict == SMB_CONFLICT_ONE_BROADCAST)
    return smb_count_passes_general(plan, request);

  for (guint lane = 0; lane < NARROW_LANES; lane++) {
    guint32 row = request->offset[lane] >> plan->row_shift;
    keys.key[lane] = whole_addresses ? request->offset[lane] : row << 5 | keys.bank[lane];
    keys.bank[lane] = lanes >> lane & 1 ? keys.bank[lane] : SPARE_BANK;
  }
  Passes passes = count_keys(plan, &keys, lanes);
  if (plan->conflict == SMB_CONFLICT_LANES) {
    guint8 counts[SPARE_BANK + 1] = {0};
    for (guint lane = 0; lane < NARROW_LANES; lane++)
      counts[keys.bank[lane]]++;
    passes.group_passes = sum_banks(plan, lanes, counts).group_passes;
  }
  return passes;
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
