// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/verify-proof/recount.h"

enum {
  BANKS = 32,
  BANK_BYTES = 4,
  MAX_WORDS = SMB_RECOUNT_LANES * 16 / BANK_BYTES,
};

// How many words of the fullest bank lanes @first to @end - 1 ask for; 0: none of them is active.
static guint
count_fullest(guint width, guint32 mask, const guint64 *address, guint first, guint end) {
  guint64 words[MAX_WORDS];
  guint in_bank[BANKS] = {0}, n = 0, most = 0;
  for (guint lane = first; lane < end; lane++) {
    for (guint byte = 0; mask >> lane & 1 && byte < width; byte += BANK_BYTES) {
      guint64 word = (address[lane] + byte) / BANK_BYTES;
      guint i = 0;
      while (i < n && words[i] != word)
        i++;
      if (i < n)
        continue;
      words[n++] = word;
      in_bank[word % BANKS]++;
      most = MAX(most, in_bank[word % BANKS]);
    }
  }
  return most;
}

// Whether each active lane has the address of its neighbour, 1 or 2 lanes away, if that is active, too.
static gboolean
is_in_pairs(guint32 mask, const guint64 *address) {
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

SmbRecount
smb_recount(gboolean is_load, guint width, guint32 mask, const guint64 *address) {
  SmbRecount all = {0, 0, 0};
  guint group = width <= 4 ? 32 : width == 8 ? 16 : 8;
  if (is_load && width > 4 && is_in_pairs(mask, address))
    group *= 2;
  for (guint first = 0; first < SMB_RECOUNT_LANES; first += group) {
    guint most = count_fullest(width, mask, address, first, first + group);
    all.wavefronts += most;
    all.ideal += most > 0;
    all.degree = MAX(all.degree, most);
  }
  return all;
}
