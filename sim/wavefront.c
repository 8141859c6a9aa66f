// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The counter in portable C, and the choice between it and the vector versions.
#include "sim/wavefront.h"

#include <string.h>

#include "sim/wavefront-impl.h"

gboolean
smb_request_mergeable(const SmbRequest *request) {
  for (guint x = 1; x <= 2; x++) {
    guint32 differs = 0;
    for (guint lane = 0; lane < SMB_WARP_LANES; lane++) {
      guint partner = lane ^ x;
      gboolean both = (request->mask >> lane & 1) && (request->mask >> partner & 1);
      differs |= both && request->offset[lane] != request->offset[partner];
    }
    if (!differs)
      return TRUE;
  }
  return FALSE;
}

const SmbPlan *
smb_wavefronts_plan(const SmbArch *arch, const SmbRequest *request) {
  const SmbRule *rule = smb_arch_rule(arch, (SmbOp)request->op, request->width);
  return rule->merges && smb_request_mergeable(request) ? &rule->merged : &rule->plan;
}

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

// Passes that a bank needs when @broadcasts of its words, those with the most lanes, are broadcast.
static guint
passes_after_broadcasts(const Bank *bank, guint broadcasts) {
  guint8 shares[SMB_WARP_LANES];
  guint passes = bank->lanes;
  memcpy(shares, bank->shares, bank->n);
  for (guint i = 0; i < broadcasts; i++) {
    guint best = 0;
    for (guint j = 1; j < bank->n; j++)
      best = shares[j] > shares[best] ? j : best;
    passes -= shares[best] ? (guint)shares[best] - 1 : 0;
    shares[best] = 0;
  }
  return passes;
}

// Fewest steps in which one group is done if each step broadcasts one word to all lanes that ask for
// it and serves one lane in every other bank (compute capability 1.x).
static guint
count_broadcast_steps(const Bank *banks, guint n_banks) {
  for (guint steps = 1;; steps++) {
    guint needed = 0;
    for (guint b = 0; b < n_banks && needed <= steps; b++) {
      guint broadcasts = 0;
      while (broadcasts < banks[b].n && passes_after_broadcasts(&banks[b], broadcasts) > steps)
        broadcasts++;
      needed += passes_after_broadcasts(&banks[b], broadcasts) > steps ? steps + 1 : broadcasts;
    }
    if (needed <= steps)
      return steps;
  }
}

static guint
count_group(const SmbPlan *plan, const Bank *banks, guint *degree) {
  guint n_banks = 1u << plan->bank_bits;
  guint most_words = 0, most_lanes = 0;
  for (guint b = 0; b < n_banks; b++) {
    most_words = MAX(most_words, banks[b].n);
    most_lanes = MAX(most_lanes, banks[b].lanes);
  }
  *degree = MAX(*degree, most_words);
  switch ((SmbConflict)plan->conflict) {
  case SMB_CONFLICT_WORDS:
  case SMB_CONFLICT_ADDRESSES:
    return most_words;
  case SMB_CONFLICT_LANES:
    return most_lanes;
  case SMB_CONFLICT_ONE_BROADCAST:
    return count_broadcast_steps(banks, n_banks);
  }
  g_assert_not_reached();
}

Passes
smb_count_passes_portable(const SmbPlan *plan, const SmbRequest *request) {
  guint32 lanes = request->mask & plan->lanes;
  guint group_lanes = 1u << plan->group_shift;
  guint32 bank_mask = (1u << plan->bank_bits) - 1;
  guint word_shift = plan->conflict == SMB_CONFLICT_ADDRESSES ? 0 : plan->row_shift;
  Passes passes = {0, count_groups(lanes, plan->group_shift), 0};
  Bank banks[SMB_WARP_LANES];

  for (guint first = 0; first < SMB_WARP_LANES; first += group_lanes) {
    guint32 group = lanes >> first & (guint32)((1ull << group_lanes) - 1);
    if (!group)
      continue;
    for (guint b = 0; b <= bank_mask; b++)
      banks[b].n = banks[b].lanes = 0;
    for (; group; group &= group - 1) {
      guint32 offset = request->offset[first + (guint)__builtin_ctz(group)];
      add_lane(&banks[offset >> plan->unit_shift & bank_mask], offset >> word_shift);
    }
    passes.group_passes += count_group(plan, banks, &passes.degree);
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

const char *
smb_counter_name(SmbCounter counter) {
  static const char *const names[SMB_N_COUNTERS] = {"portable", "avx2", "avx512"};
  return names[counter];
}

gboolean
smb_counter_available(SmbCounter counter) {
  return counter == SMB_COUNTER_PORTABLE;
}

SmbCounter
smb_counter_best(void) {
  return SMB_COUNTER_PORTABLE;
}

void
smb_wavefronts_count_span(const SmbArch *arch, SmbCounter counter, const SmbRequest *requests,
                          gsize n, SmbWavefronts *out) {
  g_return_if_fail(smb_counter_available(counter));
  smb_count_span_portable(arch, requests, n, out);
}

SmbWavefronts
smb_wavefronts_count(const SmbArch *arch, const SmbRequest *request) {
  SmbWavefronts result;
  smb_count_span_portable(arch, request, 1, &result);
  return result;
}
