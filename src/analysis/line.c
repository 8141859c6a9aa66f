// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/analysis/line.h"

// What stands in another file has no line here: it counts in row 0. Compiled code stands where its instruction does, or in
// the @file that it was compiled from.
static guint
find_tally_row(const SmbSite *site, const char *file, guint n_lines) {
  if (file)
    return g_strcmp0(site->file, file) == 0 && site->line <= n_lines ? site->line : 0;
  if (site->opcode)
    return site->pc <= n_lines ? site->pc : 0;
  return site->file ? 0 : site->line;
}

GArray *
smb_analyze_sum_lines(const SmbAnalysis *analysis, const char *file, guint n_lines,
                      const SmbLaunchTime *time) {
  GArray *lines = g_array_new(FALSE, TRUE, sizeof(SmbLineTally));
  g_array_set_size(lines, n_lines + 1);
  for (guint i = 0; i < analysis->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(analysis->accesses, SmbAccess, i);
    SmbLineTally *line =
        &g_array_index(lines, SmbLineTally, find_tally_row(access->site, file, n_lines));
    double cost;
    smb_tally_add(&line->shared, &access->total);
    smb_launch_time_cost(time, access->site, &cost);
    line->cost = MIN(line->cost + cost, smb_launch_time_conflicts(time));
    if (access->total.excess > (line->worst ? line->worst->total.excess : 0))
      line->worst = access;
  }
  for (guint i = 0; i < analysis->globals->len; i++) {
    const SmbGlobalAccess *access = &g_array_index(analysis->globals, SmbGlobalAccess, i);
    g_array_index(lines, SmbLineTally, find_tally_row(access->site, file, n_lines)).segments +=
        access->segments;
  }
  return lines;
}
