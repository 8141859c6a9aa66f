// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/time/replay/code-fetch.h"

enum {
  LINE_BYTES = 128,
};

typedef struct {
  double there;   // from when on
  guint64 number; // of the lines that were fetched, from 1; 0: it was not
} CodeLine;

struct _SmbCodeFetch {
  const SmbChip *chip;
  guint64 n_fetched;
  double free; // the next line may be fetched
  CodeLine lines[];
};

SmbCodeFetch *
smb_code_fetch_new(const SmbChip *chip, guint64 bytes) {
  guint64 n = bytes / LINE_BYTES + 1;
  SmbCodeFetch *code = g_malloc0(sizeof(SmbCodeFetch) + n * sizeof(CodeLine));
  code->chip = chip;
  return code;
}

void
smb_code_fetch_free(SmbCodeFetch *code) {
  g_free(code);
}

double
smb_code_fetch_ask(SmbCodeFetch *code, guint64 offset, double now) {
  const SmbChip *chip = code->chip;
  CodeLine *line = &code->lines[offset / LINE_BYTES];
  gboolean is_known = line->number > 0;
  guint64 since = (code->n_fetched - line->number) * LINE_BYTES;
  if (is_known && since < (guint64)chip->code_bytes)
    return MAX(now, line->there);
  line->number = ++code->n_fetched;
  line->there = now;
  if (is_known || line->number * LINE_BYTES > (guint64)chip->code_near) {
    line->there = MAX(now, code->free) + (is_known ? chip->code_again : chip->code_line);
    code->free = line->there;
  }
  return line->there;
}
