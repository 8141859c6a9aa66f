// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How wide the words of a bank map are, and how its banks are folded to fit a terminal.
#include <string.h>

#include "src/out/bank-map-impl.h"

enum {
  MOST_FOLDS = 8,
  WIDEST_CELL = 4, // characters of a word on a terminal, if there is room
};

static gboolean
has_gaps(const SmbBankMap *map) {
  for (guint i = 1; i < map->lines->len; i++) {
    guint32 step =
        g_array_index(map->lines, guint32, i) - g_array_index(map->lines, guint32, i - 1);
    if (step > map->n_banks * map->bank_bytes)
      return TRUE;
  }
  return FALSE;
}

// Characters that words need: those of the longest label, and a space where two would touch.
static int
measure_words(const SmbBankMap *map, gsize *longest_label) {
  gsize longest = 1;
  gboolean touch = FALSE;
  for (guint i = 0; i < map->words->len; i++) {
    const SmbBankMapWord *word = &g_array_index(map->words, SmbBankMapWord, i);
    g_autofree char *label = smb_bank_map_label(word->lanes);
    gboolean beside = i > 0 && word->bank > 0 &&
                      word[-1].offset + map->bank_bytes == word->offset &&
                      !smb_bank_map_is_rest(map, &word[-1]);
    if (smb_bank_map_is_rest(map, word))
      continue;
    touch = (touch && strlen(label) <= longest) || (beside && strlen(label) >= MAX(longest, 2));
    longest = MAX(longest, strlen(label));
  }
  *longest_label = longest;
  return MAX((int)longest + touch, 2);
}

static int
measure_margin(const SmbBankMap *map) {
  guint32 last = map->lines->len ? g_array_index(map->lines, guint32, map->lines->len - 1) : 0;
  g_autofree char *label = g_strdup_printf("byte %u", last);
  return (int)MAX(strlen(label), strlen("addresses")) + 1;
}

void
smb_bank_map_fit(Layout *layout) {
  SmbDrawMetrics *metrics = &layout->draw->metrics;
  const SmbBankMap *map = layout->map;
  gsize longest;
  int need = measure_words(map, &longest);
  int margin = measure_margin(map) + (has_gaps(map) && metrics->gap == 0);
  guint most = MIN(MOST_FOLDS, map->n_banks / 4);
  layout->margin = layout->flags & SMB_BANK_MAP_MINI ? 0 : margin * metrics->character;
  layout->folds = 1;
  if (metrics->cell_width == 0) {
    int room = metrics->width > 0 ? metrics->width - layout->margin : G_MAXINT;
    while (layout->folds < most && room < (int)(map->n_banks / layout->folds) * need)
      layout->folds *= 2;
    metrics->cell_width =
        CLAMP(room / (int)(map->n_banks / layout->folds), need, MAX(need, WIDEST_CELL));
  }
  layout->crowded = metrics->plain && metrics->cell_width <= (int)longest;
  layout->banks = map->n_banks / layout->folds;
  layout->width = layout->margin + (int)layout->banks * metrics->cell_width + (metrics->gap > 0);
}
