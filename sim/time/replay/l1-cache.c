// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/time/replay/l1-cache.h"

enum {
  WAYS = 4,
  LINE_BYTES = 128,
};

typedef struct {
  guint64 line; // + 1; 0: none
  guint64 used;
  double there;
  guint8 sectors;
} Line;

struct _SmbL1Cache {
  guint n_sets;
  guint64 clock;
  guint64 cleared; // when, by the same clock
  Line lines[];
};

SmbL1Cache *
smb_l1_cache_new(guint64 bytes) {
  guint n_sets = (guint)MAX(1, bytes / (WAYS * LINE_BYTES));
  SmbL1Cache *cache = g_malloc0(sizeof(SmbL1Cache) + sizeof(Line) * WAYS * n_sets);
  cache->n_sets = n_sets;
  return cache;
}

void
smb_l1_cache_free(SmbL1Cache *cache) {
  g_free(cache);
}

static Line *
find_set(SmbL1Cache *cache, guint64 line) {
  guint64 hash = line * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
  return &cache->lines[(hash >> 32) % cache->n_sets * WAYS];
}

double *
smb_l1_cache_load(SmbL1Cache *cache, guint64 line, guint8 sectors, guint8 *missing) {
  Line *set = find_set(cache, line), *chosen = set;
  cache->clock++;
  for (guint i = 0; i < WAYS; i++) {
    if (set[i].line == line + 1 && set[i].used > cache->cleared) {
      *missing = (guint8)(sectors & ~set[i].sectors);
      set[i].sectors |= sectors;
      set[i].used = cache->clock;
      return &set[i].there;
    }
    if (set[i].used < chosen->used)
      chosen = &set[i];
  }
  *chosen = (Line){.line = line + 1, .used = cache->clock, .sectors = sectors};
  *missing = sectors;
  return &chosen->there;
}

void
smb_l1_cache_drop(SmbL1Cache *cache, guint64 line, guint8 sectors) {
  Line *set = find_set(cache, line);
  for (guint i = 0; i < WAYS; i++) {
    if (set[i].line == line + 1)
      set[i].sectors &= (guint8)~sectors;
  }
}

void
smb_l1_cache_clear(SmbL1Cache *cache) {
  cache->cleared = cache->clock;
}
