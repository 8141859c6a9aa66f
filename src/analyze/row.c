// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The rows of the tables of accesses. A compiler makes many instructions of a line: those that are alike are one row.
#include "src/analyze/row.h"

// Whether instructions of two sites are one row.
static gboolean
are_alike(const SmbSite *a, const SmbSite *b) {
  return a->opcode && b->opcode && a->file && a->line == b->line && a->op_class == b->op_class &&
         g_strcmp0(a->file, b->file) == 0 && g_str_equal(a->opcode, b->opcode);
}

char *
smb_analyze_row_text(const SmbSite *site, guint n) {
  return n == 1 ? g_strdup(site->expression) : g_strdup_printf("%u × %s", n, site->opcode);
}

GArray *
smb_analyze_gather(const GArray *accesses, gboolean each) {
  GArray *rows = g_array_new(FALSE, FALSE, sizeof(SmbAnalyzeRow));
  for (guint i = 0; i < accesses->len; i++) {
    const SmbAccess *access = &g_array_index(accesses, SmbAccess, i);
    SmbAnalyzeRow *row = NULL;
    for (guint r = 0; r < rows->len && !row && !each; r++) {
      SmbAnalyzeRow *other = &g_array_index(rows, SmbAnalyzeRow, r);
      gboolean is_counted = access->total.requests > 0;
      if (is_counted == (other->total.requests > 0) && are_alike(other->access->site, access->site))
        row = other;
    }
    if (!row) {
      SmbAnalyzeRow first = {.access = access};
      g_array_append_val(rows, first);
      row = &g_array_index(rows, SmbAnalyzeRow, rows->len - 1);
    }
    row->n++;
    smb_tally_add(&row->total, &access->total);
  }
  return rows;
}

GArray *
smb_analyze_gather_global(const GArray *globals) {
  GArray *rows = g_array_new(FALSE, FALSE, sizeof(SmbAnalyzeGlobalRow));
  for (guint i = 0; i < globals->len; i++) {
    const SmbGlobalAccess *access = &g_array_index(globals, SmbGlobalAccess, i);
    SmbAnalyzeGlobalRow *row = NULL;
    for (guint r = 0; r < rows->len && !row; r++) {
      SmbAnalyzeGlobalRow *other = &g_array_index(rows, SmbAnalyzeGlobalRow, r);
      if (are_alike(other->total.site, access->site))
        row = other;
    }
    if (!row) {
      SmbAnalyzeGlobalRow first = {.n = 1, .total = *access};
      g_array_append_val(rows, first);
      continue;
    }
    row->n++;
    row->total.requests += access->requests;
    row->total.segments += access->segments;
    row->total.ideal += access->ideal;
    row->total.bytes += access->bytes;
    row->total.max_segments = MAX(row->total.max_segments, access->max_segments);
  }
  return rows;
}
