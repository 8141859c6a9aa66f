// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// "did you mean": the nearest of some names.
#include "sim/base/suggest.h"

#include <string.h>

enum {
  MAX_LENGTH = 64, // of a name that is compared
  MIN_PREFIX = 3,  // characters that can stand for a name that they begin
  MAX_NAMES = 3,   // that are suggested
};

static gboolean
differ(char a, char b) {
  return g_ascii_tolower(a) != g_ascii_tolower(b);
}

// The optimal string alignment distance, in bytes.
static guint
count_changes(const char *a, gsize n_a, const char *b, gsize n_b) {
  guint rows[3][MAX_LENGTH + 1]; // the last three of the matrix
  for (gsize j = 0; j <= n_b; j++)
    rows[0][j] = (guint)j;
  for (gsize i = 1; i <= n_a; i++) {
    guint *row = rows[i % 3], *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
    row[0] = (guint)i;
    for (gsize j = 1; j <= n_b; j++) {
      row[j] = MIN(above[j], row[j - 1]) + 1;
      row[j] = MIN(row[j], above[j - 1] + differ(a[i - 1], b[j - 1]));
      if (i > 1 && j > 1 && !differ(a[i - 1], b[j - 2]) && !differ(a[i - 2], b[j - 1]))
        row[j] = MIN(row[j], before[j - 2] + 1);
    }
  }
  return rows[n_a % 3][n_b];
}

// How far a name is away; G_MAXUINT: too far.
static guint
measure_word_distance(const char *word, const char *name) {
  gsize length = strlen(word), other = strlen(name);
  if (length > MAX_LENGTH || other > MAX_LENGTH)
    return G_MAXUINT;
  guint changes = count_changes(word, length, name, other);
  if (length >= MIN_PREFIX && g_ascii_strncasecmp(word, name, length) == 0)
    return MIN(changes, 1);
  return changes * 3 <= MAX(length, other) ? changes : G_MAXUINT;
}

char *
smb_suggest(const char *word, const char *const *names) {
  GString *text = g_string_new(NULL);
  guint least = G_MAXUINT, n = 0;
  for (guint i = 0; names[i]; i++)
    least = MIN(least, measure_word_distance(word, names[i]));
  for (guint i = 0; names[i] && least != G_MAXUINT && n < MAX_NAMES; i++) {
    if (measure_word_distance(word, names[i]) == least)
      g_string_append_printf(text, "%s'%s'", n++ ? " or " : "; did you mean ", names[i]);
  }
  g_string_append(text, n ? "?" : "");
  return g_string_free(text, FALSE);
}
