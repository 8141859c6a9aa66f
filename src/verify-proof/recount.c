// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/verify-proof/recount.h"

enum {
  BANK_BYTES = 4,
  MAX_BANKS = 64,
  MAX_WORDS = SMB_RECOUNT_LANES * 16 / BANK_BYTES,
};

// Whether two lanes are in one group.
static gboolean
are_together(const guint8 *masks, guint a, guint b) {
  for (guint i = 0; i < SMB_RECOUNT_MASKS; i++) {
    if (__builtin_parity(a & masks[i]) != __builtin_parity(b & masks[i]))
      return FALSE;
  }
  return TRUE;
}

// What the fullest bank is asked for by @lanes: @words, different ones, and @askers, lanes.
static void
count_fullest(const SmbRecountRule *rule, guint width, guint64 lanes, const guint64 *address,
              guint *words, guint *askers) {
  guint64 seen[MAX_WORDS];
  guint words_of[MAX_BANKS] = {0}, askers_of[MAX_BANKS] = {0}, n = 0;
  *words = *askers = 0;
  for (guint lane = 0; lane < rule->lanes; lane++) {
    for (guint byte = 0; lanes >> lane & 1 && byte < width; byte += BANK_BYTES) {
      guint64 word = (address[lane] + byte) / BANK_BYTES;
      guint bank = (guint)(word % rule->banks), i = 0;
      askers_of[bank]++;
      *askers = MAX(*askers, askers_of[bank]);
      while (i < n && seen[i] != word)
        i++;
      if (i < n)
        continue;
      seen[n++] = word;
      words_of[bank]++;
      *words = MAX(*words, words_of[bank]);
    }
  }
}

// Whether each active lane has the address of its neighbour, 1 or 2 lanes away, if that is active, too.
static gboolean
is_in_pairs(guint64 mask, const guint64 *address) {
  for (guint distance = 1; distance <= 2; distance++) {
    gboolean agrees = TRUE;
    for (guint lane = 0; lane < SMB_RECOUNT_LANES; lane++) {
      guint other = lane ^ distance;
      agrees &= !(mask >> lane & 1) || !(mask >> other & 1) || address[lane] == address[other];
    }
    if (agrees)
      return TRUE;
  }
  return FALSE;
}

guint
smb_recount_groups(const SmbRecountRule *rule, guint64 mask, const guint64 *address,
                   guint64 *groups) {
  const guint8 *masks = rule->merges && is_in_pairs(mask, address) ? rule->merged : rule->group;
  guint64 done = 0;
  guint n = 0;
  for (guint first = 0; first < rule->lanes; first++) {
    if (done >> first & 1)
      continue;
    groups[n] = 0;
    for (guint lane = first; lane < rule->lanes; lane++)
      groups[n] |= (guint64)are_together(masks, first, lane) << lane;
    done |= groups[n++];
  }
  return n;
}

SmbRecount
smb_recount(const SmbRecountRule *rule, guint width, guint64 mask, const guint64 *address) {
  SmbRecount all = {0, 0, 0};
  guint64 groups[SMB_RECOUNT_GROUPS];
  guint n = mask ? smb_recount_groups(rule, mask, address, groups) : 0;
  for (guint i = 0; i < n; i++) {
    guint words, askers;
    count_fullest(rule, width, mask & groups[i], address, &words, &askers);
    guint times = rule->waits_for_lanes ? askers : words;
    guint ideal = times > 0 || rule->pays_all;
    all.wavefronts += rule->passes * MAX(times, ideal);
    all.ideal += rule->passes * ideal;
    all.degree = MAX(all.degree, words);
  }
  return all;
}
