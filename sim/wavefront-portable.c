// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The counter in portable C.
#include "sim/wavefront-impl.h"

// One round is one pass of every lane group that still has lanes to serve: each bank serves the key of
// the last lane that claims it, and with it all lanes of that key.
Passes
smb_count_rounds(const LaneKeys *keys, guint32 lanes, guint group_shift) {
  Passes passes = {0, count_groups(lanes, group_shift), 0};
  guint32 claimed[SPARE_BANK + 1];

  for (guint32 left = lanes; left;) {
    guint32 next = 0;
    passes.group_passes += count_groups(left, group_shift);
    passes.degree++;
    for (guint32 rest = left; rest; rest &= rest - 1) {
      guint lane = (guint)__builtin_ctz(rest);
      claimed[keys->bank[lane]] = keys->key[lane];
    }
    for (guint32 rest = left; rest; rest &= rest - 1) {
      guint lane = (guint)__builtin_ctz(rest);
      next |= (guint32)(claimed[keys->bank[lane]] != keys->key[lane]) << lane;
    }
    left = next;
  }
  return passes;
}

// Finds the virtual bank of every lane. Returns the banks that are asked twice or more.
static guint32
find_banks(const SmbPlan *plan, const SmbRequest *request, guint32 lanes, LaneKeys *keys) {
  guint32 bank_mask = (1u << plan->bank_bits) - 1;
  guint32 once = 0, twice = 0;
  for (guint lane = 0; lane < SMB_WARP_LANES; lane++) {
    guint32 group = lane >> plan->group_shift;
    guint32 bank = (request->offset[lane] >> plan->unit_shift & bank_mask) | group
                                                                                 << plan->bank_bits;
    guint32 bit = (lanes >> lane & 1) << bank;
    keys->bank[lane] = bank;
    twice |= once & bit;
    once |= bit;
  }
  return twice;
}

Passes
smb_count_passes_portable(const SmbPlan *plan, const SmbRequest *request) {
  guint32 lanes = request->mask & plan->lanes;
  guint groups = count_groups(lanes, plan->group_shift);
  LaneKeys keys;

  if (!find_banks(plan, request, lanes, &keys))
    return (Passes){groups, groups, groups != 0};
  if (plan->conflict == SMB_CONFLICT_ONE_BROADCAST)
    return smb_count_broadcasts(plan, request, lanes);

  guint word_shift = plan->conflict == SMB_CONFLICT_ADDRESSES ? 0 : plan->row_shift;
  for (guint lane = 0; lane < SMB_WARP_LANES; lane++)
    keys.key[lane] = request->offset[lane] >> word_shift;
  Passes passes = smb_count_rounds(&keys, lanes, plan->group_shift);
  if (plan->conflict == SMB_CONFLICT_LANES) {
    for (guint lane = 0; lane < SMB_WARP_LANES; lane++)
      keys.key[lane] = lane;
    passes.group_passes = smb_count_rounds(&keys, lanes, plan->group_shift).group_passes;
  }
  return passes;
}

void
smb_count_span_portable(const SmbArch *arch, const SmbRequest *requests, gsize n,
                        SmbWavefronts *out) {
  for (gsize i = 0; i < n; i++) {
    const SmbPlan *plan = smb_wavefronts_plan(arch, &requests[i]);
    out[i] = finish_count(plan, smb_count_passes_portable(plan, &requests[i]));
  }
}
