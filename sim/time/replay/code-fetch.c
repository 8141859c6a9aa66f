// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/time/replay/code-fetch.h"

enum {
  LINE_BYTES = 128,
};

// Of those that a cache has fetched.
typedef struct {
  double there;   // from when on
  guint64 number; // of the lines that were fetched, from 1; 0: it was not
} CodeLine;

typedef struct {
  guint64 n_fetched;
  double free; // the next line may be fetched
  CodeLine *lines;
} CodeCache;

struct _SmbCodeFetch {
  const SmbChip *chip;
  CodeCache first, next;
};

SmbCodeFetch *
smb_code_fetch_new(const SmbChip *chip, guint64 bytes) {
  guint64 n = bytes / LINE_BYTES + 1;
  SmbCodeFetch *code = g_new0(SmbCodeFetch, 1);
  code->chip = chip;
  code->first.lines = g_new0(CodeLine, n);
  code->next.lines = g_new0(CodeLine, n);
  return code;
}

void
smb_code_fetch_free(SmbCodeFetch *code) {
  if (!code)
    return;
  g_free(code->first.lines);
  g_free(code->next.lines);
  g_free(code);
}

static gboolean
holds_code(const CodeCache *cache, const CodeLine *line, double bytes) {
  return line->number > 0 && (cache->n_fetched - line->number) * LINE_BYTES < (guint64)bytes;
}

// When a line is in the cache of 128 KB.
static double
ask_far_cache(SmbCodeFetch *code, guint64 at, double now) {
  const SmbChip *chip = code->chip;
  CodeCache *cache = &code->next;
  CodeLine *line = &cache->lines[at];
  gboolean is_known = line->number > 0;
  if (holds_code(cache, line, chip->code_bytes))
    return MAX(now, line->there);
  line->number = ++cache->n_fetched;
  line->there = now;
  if (is_known || line->number * LINE_BYTES > (guint64)chip->code_near) {
    line->there = MAX(now, cache->free) + (is_known ? chip->code_again : chip->code_line);
    cache->free = line->there;
  }
  return line->there;
}

double
smb_code_fetch_ask(SmbCodeFetch *code, guint64 offset, double now) {
  const SmbChip *chip = code->chip;
  CodeCache *cache = &code->first;
  CodeLine *line = &cache->lines[offset / LINE_BYTES];
  if (holds_code(cache, line, chip->code_first))
    return MAX(now, line->there);
  line->number = ++cache->n_fetched;
  line->there =
      MAX(ask_far_cache(code, offset / LINE_BYTES, now), cache->free + chip->code_first_line);
  cache->free = line->there;
  return line->there;
}
