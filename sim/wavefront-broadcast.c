// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How compute capability 1.x reads: in each step one word is broadcast to all lanes that ask for it,
// and every other bank serves one lane (CUDA C Programming Guide 4.2, F.3.3). Which word is
// unspecified: what is counted is the fewest steps that the procedure permits.
#include "sim/wavefront-impl.h"

#include <string.h>

// The distinct words that the lanes of one group ask of one bank, and how many lanes each.
typedef struct {
  guint n;
  guint lanes;
  guint32 words[SMB_WARP_LANES];
  guint8 shares[SMB_WARP_LANES];
} Bank;

static void
add_lane(Bank *bank, guint32 word) {
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
  guint8 shares[SMB_WARP_LANES];
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
count_steps(const Bank *banks, guint n_banks) {
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

Passes
smb_count_broadcasts(const SmbPlan *plan, const SmbRequest *request, guint32 lanes) {
  guint group_lanes = 1u << plan->group_shift;
  guint n_banks = 1u << plan->bank_bits;
  Passes passes = {0, count_groups(lanes, plan->group_shift), 0};
  Bank banks[SMB_WARP_LANES];

  for (guint first = 0; first < SMB_WARP_LANES; first += group_lanes) {
    guint32 group = lanes >> first & (guint32)((1ull << group_lanes) - 1);
    if (!group)
      continue;
    for (guint b = 0; b < n_banks; b++)
      banks[b].n = banks[b].lanes = 0;
    for (; group; group &= group - 1) {
      guint32 offset = request->offset[first + (guint)__builtin_ctz(group)];
      add_lane(&banks[offset >> plan->unit_shift & (n_banks - 1)], offset >> plan->row_shift);
    }
    for (guint b = 0; b < n_banks; b++)
      passes.degree = MAX(passes.degree, banks[b].n);
    passes.group_passes += count_steps(banks, n_banks);
  }
  return passes;
}
