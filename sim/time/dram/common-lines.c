// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/time/dram/common-lines.h"

// Sectors of a site: those that it loads and no far block does, and those that a block beside it loads, too.
typedef struct {
  double all, common;
} Loaded;

static guint
find_sectors(GHashTable *table, guint64 line) {
  return table ? GPOINTER_TO_UINT(g_hash_table_lookup(table, GSIZE_TO_POINTER(line))) : 0;
}

static void
count_beside(const SmbBlockRecord *record, GHashTable *other, GHashTable *far, Loaded *loaded) {
  for (guint r = 0; r < record->requests->len; r++) {
    const SmbTimedRequest *request = &g_array_index(record->requests, SmbTimedRequest, r);
    for (guint i = 0;
         request->is_load && !request->is_store && !request->is_local && i < request->n; i++) {
      const SmbTimedLine *line = &g_array_index(record->lines, SmbTimedLine, request->first + i);
      guint sectors = line->sectors & ~find_sectors(far, line->line);
      Loaded *site = &loaded[request->site];
      site->all += __builtin_popcount(sectors);
      site->common += __builtin_popcount(sectors & find_sectors(other, line->line));
    }
  }
}

static void
take_larger(double *parts, const Loaded *loaded, guint n_sites) {
  for (guint s = 0; s < n_sites; s++)
    parts[s] = MAX(parts[s], loaded[s].all > 0 ? loaded[s].common / loaded[s].all : 0);
}

double *
smb_common_lines_find(const SmbBlockRecord *block, GHashTable *own, const SmbBeside *beside,
                      guint n, guint n_sites) {
  double *parts = g_new0(double, n_sites + 1);
  for (guint d = 0; d < n; d++) {
    if (!beside[d].record)
      continue;
    g_autofree Loaded *before = g_new0(Loaded, n_sites + 1);
    g_autofree Loaded *behind = g_new0(Loaded, n_sites + 1);
    count_beside(block, beside[d].loads, beside[d].far, before);
    count_beside(beside[d].record, own, beside[d].far, behind);
    take_larger(parts, before, n_sites);
    take_larger(parts, behind, n_sites);
  }
  return parts;
}
