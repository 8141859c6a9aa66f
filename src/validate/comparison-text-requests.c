// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Requests in text: the sums of each operation and width, and those that differ.
#include "src/validate/comparison-text.h"

#include <math.h>
#include <string.h>

// Requests of one operation and width together. A request may be counted, timed or both.
typedef struct {
  guint counted;
  guint matched;
  double predicted;
  double measured;
  guint timed;
  guint in_time;
} RequestSum;

typedef struct {
  RequestSum of[SMB_N_OPS][SMB_N_WIDTHS];
  guint counted;
  guint timed;
} RequestSums;

static gboolean
is_cycles(const SmbComparisonRow *row) {
  return strcmp(row->metric, "cycles") == 0;
}

static gboolean
is_compared(const SmbComparisonRow *row, const char *source) {
  return row->kind == SMB_ROW_REQUEST && row->outcome != SMB_OUTCOME_UNMEASURED &&
         strcmp(row->source, source) == 0;
}

// The requests that have a line of their own: all, or those that differ.
static void
write_request_rows(SmbCli *cli, const SmbComparison *comparison, const char *source, gboolean all) {
  g_autoptr(SmbTable) table = NULL;
  for (guint i = 0; i < comparison->rows->len; i++) {
    const SmbComparisonRow *row = g_ptr_array_index(comparison->rows, i);
    if (!is_compared(row, source) || (row->outcome == SMB_OUTCOME_MATCH && !all))
      continue;
    if (!table)
      table = smb_table_new("request|metric|predicted>|measured>|match|rules|source");
    smb_table_printf(table, SMB_STYLE_PLAIN, "%s %u", smb_op_name(row->op), row->width);
    smb_table_cell(table, SMB_STYLE_PLAIN, row->metric);
    smb_comparison_numbers(table, row);
    smb_comparison_outcome(table, row->outcome);
    smb_table_cell(table, SMB_STYLE_DIM, row->arch);
    // The heading names a recording; within it the index is enough.
    const char *index = row->recording ? strrchr(row->place, ' ') : NULL;
    smb_table_cell(table, SMB_STYLE_DIM, index ? index + 1 : row->place);
  }
  smb_comparison_end_table(cli, &table);
}

static void
add_up(const SmbComparison *comparison, const char *source, RequestSums *sums) {
  for (guint i = 0; i < comparison->rows->len; i++) {
    const SmbComparisonRow *row = g_ptr_array_index(comparison->rows, i);
    if (!is_compared(row, source))
      continue;
    RequestSum *sum = &sums->of[row->op][smb_width_index(row->width)];
    gboolean match = row->outcome == SMB_OUTCOME_MATCH;
    if (is_cycles(row)) {
      sums->timed++;
      sum->timed++;
      sum->in_time += match;
      continue;
    }
    sums->counted++;
    sum->counted++;
    sum->matched += match;
    sum->predicted += row->predicted;
    sum->measured += row->measured;
  }
}

static void
write_sum(SmbTable *table, const RequestSums *sums, SmbOp op, guint width_index) {
  const RequestSum *sum = &sums->of[op][width_index];
  if (sum->counted == 0 && sum->timed == 0)
    return;
  smb_table_cell(table, SMB_STYLE_PLAIN, smb_op_name(op));
  smb_table_number(table, SMB_STYLE_PLAIN, smb_width(width_index));
  if (sums->counted) {
    smb_table_number(table, SMB_STYLE_PLAIN, sum->counted);
    smb_table_printf(table, SMB_STYLE_PLAIN, "%.0f", sum->predicted);
    smb_table_printf(table, SMB_STYLE_PLAIN,
                     sum->measured == floor(sum->measured) ? "%.0f" : "%.1f", sum->measured);
    smb_table_number(table, sum->matched == sum->counted ? SMB_STYLE_GOOD : SMB_STYLE_BAD,
                     sum->matched);
  }
  if (sums->timed) {
    smb_table_number(table, SMB_STYLE_PLAIN, sum->timed);
    smb_table_number(table, sum->in_time == sum->timed ? SMB_STYLE_GOOD : SMB_STYLE_BAD,
                     sum->in_time);
  }
}

static void
write_sums(SmbCli *cli, const RequestSums *sums, gboolean now) {
  g_autoptr(SmbTable) table =
      smb_table_new(now ? "measured requests|width>" : "recorded requests|width>");
  if (sums->counted)
    smb_table_columns(table, "requests>|predicted wavefronts>|measured>|matched>");
  if (sums->timed)
    smb_table_columns(table, "timed>|cycles matched>");
  for (guint op = 0; op < SMB_N_OPS; op++) {
    for (guint i = 0; i < SMB_N_WIDTHS; i++)
      write_sum(table, sums, (SmbOp)op, i);
  }
  smb_comparison_end_table(cli, &table);
}

void
smb_comparison_write_requests(SmbCli *cli, const SmbComparison *comparison, const char *source,
                              gboolean all) {
  RequestSums sums = {.counted = 0};
  add_up(comparison, source, &sums);
  if (sums.counted + sums.timed == 0)
    return;
  write_request_rows(cli, comparison, source, all);
  write_sums(cli, &sums, strcmp(source, SMB_RECORDING_THIS_DEVICE) == 0);
}
