// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Loads of compute capability 1.x step by step, where the oracle counts the words to announce: slower
// still, for a few lanes.
#include "tests/oracle.h"

// Follows the procedure: announces each of the remaining words in turn and, in every other bank, serves
// each of the remaining lanes in turn; whatever is best in the end.
static guint
search_from(const guint32 *words, guint n_lanes, guint32 left, guint8 *known) {
  if (!left)
    return 0;
  if (known[left])
    return known[left];
  guint fewest = G_MAXUINT;
  for (guint choice = 0; choice < n_lanes; choice++) {
    if (!(left >> choice & 1))
      continue;
    guint32 rest = left;
    guint32 others[16] = {0}; // of each bank but the announced word's: the lanes that remain
    for (guint lane = 0; lane < n_lanes; lane++) {
      if ((left >> lane & 1) && words[lane] == words[choice])
        rest &= ~(1u << lane);
      else if ((left >> lane & 1) && words[lane] % 16 != words[choice] % 16)
        others[words[lane] % 16] |= 1u << lane;
    }
    // One lane of each other bank: count through all combinations.
    guint combinations = 1;
    for (guint b = 0; b < 16; b++)
      combinations *= MAX(1, (guint)__builtin_popcount(others[b]));
    for (guint c = 0; c < combinations; c++) {
      guint32 next = rest;
      guint digits = c;
      for (guint b = 0; b < 16; b++) {
        guint n = (guint)__builtin_popcount(others[b]);
        if (!n)
          continue;
        guint32 lanes = others[b];
        for (guint skip = digits % n; skip; skip--)
          lanes &= lanes - 1;
        next &= ~(lanes & -lanes);
        digits /= n;
      }
      fewest = MIN(fewest, 1 + search_from(words, n_lanes, next, known));
    }
  }
  known[left] = (guint8)fewest;
  return fewest;
}

guint
oracle_search_steps(const guint32 *words, guint n_lanes) {
  g_autofree guint8 *known = g_new0(guint8, (gsize)1 << n_lanes);
  return search_from(words, n_lanes, (guint32)((1ull << n_lanes) - 1), known);
}
