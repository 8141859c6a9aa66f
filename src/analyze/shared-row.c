// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The rows of the table of accesses to shared memory, in the order in which they are shown.
#include "src/analyze/report.h"

static SmbViewRow
describe_accesses(const SmbAnalyzeReport *report, const SmbAnalyzeRow *row) {
  SmbTally tally = row->total;
  if (smb_compiled_count_has(report->compiled))
    smb_compiled_count_share(report->compiled, row->access, &tally);
  return (SmbViewRow){row->access->site, tally.excess, tally.wavefronts, tally.requests,
                      smb_analyze_is_timed(report) ? smb_analyze_cost(report, row->access) : 0};
}

GArray *
smb_analyze_shared_rows(const SmbAnalyzeReport *report, const GArray *gathered, guint *n) {
  g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(SmbSharedRow));
  g_autoptr(GArray) described = g_array_new(FALSE, FALSE, sizeof(SmbViewRow));
  g_autoptr(GPtrArray) places = g_ptr_array_new_with_free_func(g_free);
  const SmbCompiledCount *compiled = report->compiled;
  for (guint i = 0; i < gathered->len; i++) {
    const SmbAnalyzeRow *row = &g_array_index(gathered, SmbAnalyzeRow, i);
    g_array_append_val(rows, ((SmbSharedRow){row, NULL}));
    g_array_append_val(described, ((SmbViewRow[]){describe_accesses(report, row)})[0]);
  }
  for (guint i = 0; smb_compiled_count_has(compiled) && i < compiled->lines->len; i++) {
    const SmbCompiledLine *line = &g_array_index(compiled->lines, SmbCompiledLine, i);
    if (line->first)
      continue;
    SmbSite *place = g_memdup2(line->site, sizeof *place);
    SmbViewRow row = {place, line->total.excess, line->total.wavefronts, line->total.requests,
                      smb_compiled_line_cost(report->time, compiled, line)};
    g_ptr_array_add(places, place);
    if (g_strcmp0(place->file, smb_program_file(report->target->kernel)) == 0)
      place->file = NULL; // as the rows of the text have it
    g_array_append_val(rows, ((SmbSharedRow){NULL, line}));
    g_array_append_val(described, row);
  }
  g_autoptr(GArray) order = smb_view_order(smb_analyze_view(report), described);
  GArray *shown = g_array_new(FALSE, FALSE, sizeof(SmbSharedRow));
  for (guint i = 0; i < order->len; i++)
    g_array_append_val(shown, g_array_index(rows, SmbSharedRow, g_array_index(order, guint, i)));
  *n = rows->len;
  return shown;
}
