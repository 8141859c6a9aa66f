// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/comparison-report.h"

#include <math.h>
#include <string.h>

#include "src/out-csv.h"
#include "src/out-json.h"
#include "src/table.h"

// Where the measured values come from, told in every format.
static const char provenance[] = "recorded and published values; no device was used";

// A count without a fraction; anything else with three digits behind the point.
static char *
format_value(double value) {
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];
  return g_strdup(
      g_ascii_formatd(buffer, sizeof buffer, value == floor(value) ? "%.0f" : "%.3f", value));
}

static void
add_columns(SmbTable *table, const char *const *left, const char *const *right,
            const char *const *last) {
  for (guint i = 0; left[i]; i++)
    smb_table_column(table, left[i], SMB_ALIGN_LEFT);
  for (guint i = 0; right[i]; i++)
    smb_table_column(table, right[i], SMB_ALIGN_RIGHT);
  for (guint i = 0; last[i]; i++)
    smb_table_column(table, last[i], SMB_ALIGN_LEFT);
}

static char *
describe_defines(const SmbComparisonRow *row) {
  return row->ipad >= 0 ? g_strdup_printf("IPAD=%d", row->ipad) : g_strdup("");
}

static void
write_kernel(SmbTable *table, const SmbComparisonRow *row) {
  g_autofree char *defines = describe_defines(row);
  smb_table_cell(table, SMB_STYLE_PLAIN, row->kernel);
  smb_table_cell(table, SMB_STYLE_PLAIN, row->shape);
  smb_table_cell(table, SMB_STYLE_DIM, row->ipad > 0 ? defines : "");
}

static void
write_match(SmbTable *table, const SmbComparisonRow *row) {
  g_autofree char *predicted = format_value(row->predicted);
  g_autofree char *measured = format_value(row->measured);
  SmbStyle style = row->match ? SMB_STYLE_GOOD : SMB_STYLE_BAD;
  smb_table_cell(table, SMB_STYLE_PLAIN, predicted);
  smb_table_cell(table, SMB_STYLE_PLAIN, measured);
  smb_table_cell(table, style, row->match ? "yes" : "NO");
}

static void
write_count_row(SmbTable *table, const SmbComparisonRow *row) {
  write_kernel(table, row);
  smb_table_cell(table, SMB_STYLE_PLAIN, row->metric);
  write_match(table, row);
}

static void
write_time_row(SmbTable *table, const SmbComparisonRow *row) {
  g_autofree char *predicted = format_value(row->predicted);
  g_autofree char *measured = format_value(row->measured);
  write_kernel(table, row);
  smb_table_cell(table, SMB_STYLE_PLAIN, measured);
  smb_table_cell(table, SMB_STYLE_PLAIN, predicted);
}

static SmbTable *
new_count_table(void) {
  static const char *const left[] = {"kernel", "shape", "defines", "metric", NULL};
  static const char *const right[] = {"predicted", "measured", NULL};
  static const char *const last[] = {"match", NULL};
  SmbTable *table = smb_table_new();
  add_columns(table, left, right, last);
  return table;
}

static SmbTable *
new_time_table(void) {
  static const char *const left[] = {"published times", "shape", "defines", NULL};
  static const char *const right[] = {"microseconds", "predicted wavefronts", NULL};
  static const char *const last[] = {NULL};
  SmbTable *table = smb_table_new();
  add_columns(table, left, right, last);
  return table;
}

// The source of a row, with the line of a recorded request.
static char *
describe_place(const SmbComparisonRow *row) {
  return row->line ? g_strdup_printf("%s:%" G_GUINT64_FORMAT, row->source, row->line)
                   : g_strdup(row->source);
}

static gboolean
is_same_source(const SmbComparisonRow *a, const SmbComparisonRow *b) {
  return a && strcmp(a->gpu, b->gpu) == 0 && strcmp(a->arch, b->arch) == 0 &&
         strcmp(a->source, b->source) == 0;
}

static void
write_and_clear(SmbCli *cli, SmbTable **table) {
  if (!*table)
    return;
  smb_table_write(*table, cli->out, cli->colour);
  smb_spool_puts(cli->out, "\n");
  g_clear_pointer(table, smb_table_free);
}

// Published counts, or published times: a table for each device and source, below their names.
static gboolean
write_published(SmbCli *cli, const SmbComparison *comparison, gboolean times) {
  const SmbComparisonRow *last = NULL;
  g_autoptr(SmbTable) table = NULL;
  for (guint i = 0; i < comparison->rows->len; i++) {
    const SmbComparisonRow *row = g_ptr_array_index(comparison->rows, i);
    if (!row->kernel || row->informative != times)
      continue;
    if (!is_same_source(last, row)) {
      write_and_clear(cli, &table);
      smb_style_write(cli->out, SMB_STYLE_BOLD, cli->colour, row->gpu);
      smb_spool_printf(cli->out, ", by the rules of %s; source %s\n", row->arch, row->source);
      table = times ? new_time_table() : new_count_table();
      last = row;
    }
    if (times)
      write_time_row(table, row);
    else
      write_count_row(table, row);
  }
  write_and_clear(cli, &table);
  return last != NULL;
}

// The requests that have a line of their own: all, or those that differ.
static void
write_requests(SmbCli *cli, const SmbComparison *comparison, gboolean all) {
  static const char *const left[] = {"request", NULL};
  static const char *const right[] = {"predicted", "measured", NULL};
  static const char *const last[] = {"match", "rules", "source", NULL};
  g_autoptr(SmbTable) table = NULL;
  for (guint i = 0; i < comparison->rows->len; i++) {
    const SmbComparisonRow *row = g_ptr_array_index(comparison->rows, i);
    if (row->kernel || row->informative || (row->match && !all))
      continue;
    if (!table) {
      table = smb_table_new();
      add_columns(table, left, right, last);
    }
    smb_table_printf(table, SMB_STYLE_PLAIN, "%s %u", smb_op_name(row->op), row->width);
    write_match(table, row);
    g_autofree char *place = describe_place(row);
    smb_table_cell(table, SMB_STYLE_DIM, row->arch);
    smb_table_cell(table, SMB_STYLE_DIM, place);
  }
  write_and_clear(cli, &table);
}

// Requests of one operation and width together.
typedef struct {
  guint requests;
  guint matched;
  double predicted;
  double measured;
} RequestSum;

// The device and the file of the requests, if they all have the same.
static void
write_request_heading(SmbCli *cli, const SmbComparison *comparison) {
  const SmbComparisonRow *first = NULL;
  for (guint i = 0; i < comparison->rows->len; i++) {
    const SmbComparisonRow *row = g_ptr_array_index(comparison->rows, i);
    if (row->kernel || row->informative)
      continue;
    if (first && !is_same_source(first, row))
      return;
    first = row;
  }
  if (!first)
    return;
  smb_style_write(cli->out, SMB_STYLE_BOLD, cli->colour, first->gpu);
  smb_spool_printf(cli->out, ", by the rules of %s; source %s\n", first->arch, first->source);
}

static void
write_request_sums(SmbCli *cli, const SmbComparison *comparison) {
  static const char *const left[] = {"recorded requests", NULL};
  static const char *const right[] = {"width",    "requests", "predicted wavefronts",
                                      "measured", "matched",  NULL};
  static const char *const last[] = {NULL};
  RequestSum sums[SMB_N_OPS][SMB_N_WIDTHS] = {{{0}}};
  g_autoptr(SmbTable) table = smb_table_new();
  guint requests = 0;
  for (guint i = 0; i < comparison->rows->len; i++) {
    const SmbComparisonRow *row = g_ptr_array_index(comparison->rows, i);
    if (row->kernel || row->informative)
      continue;
    RequestSum *sum = &sums[row->op][smb_width_index(row->width)];
    sum->requests++;
    sum->matched += row->match;
    sum->predicted += row->predicted;
    sum->measured += row->measured;
    requests++;
  }
  if (requests == 0)
    return;
  write_request_heading(cli, comparison);
  add_columns(table, left, right, last);
  for (guint op = 0; op < SMB_N_OPS; op++) {
    for (guint i = 0; i < SMB_N_WIDTHS; i++) {
      const RequestSum *sum = &sums[op][i];
      if (sum->requests == 0)
        continue;
      SmbStyle style = sum->matched == sum->requests ? SMB_STYLE_GOOD : SMB_STYLE_BAD;
      smb_table_cell(table, SMB_STYLE_PLAIN, smb_op_name((SmbOp)op));
      smb_table_number(table, SMB_STYLE_PLAIN, 1u << i);
      smb_table_number(table, SMB_STYLE_PLAIN, sum->requests);
      smb_table_printf(table, SMB_STYLE_PLAIN, "%.0f", sum->predicted);
      smb_table_printf(table, SMB_STYLE_PLAIN, "%.0f", sum->measured);
      smb_table_number(table, style, sum->matched);
    }
  }
  smb_table_write(table, cli->out, cli->colour);
  smb_spool_puts(cli->out, "\n");
}

void
smb_comparison_write_text(SmbCli *cli, const SmbComparison *comparison, gboolean all) {
  smb_spool_printf(cli->out, "Measured values: %s.\n\n", provenance);
  write_published(cli, comparison, FALSE);
  write_requests(cli, comparison, all);
  write_request_sums(cli, comparison);
  if (write_published(cli, comparison, TRUE))
    smb_spool_puts(cli->out, "Times are shown, not compared: a count is not a time.\n\n");
  smb_spool_printf(cli->out, "%u compared: %u match, %u differ.\n", comparison->compared,
                   comparison->matched, comparison->mismatched);
}

// Counts are whole numbers in JSON too; only a ratio or a time has a fraction.
static void
write_json_value(JsonBuilder *json, const char *key, double value) {
  if (value == floor(value))
    smb_json_number(json, key, (gint64)value);
  else
    smb_json_double(json, key, value);
}

static void
write_json_row(JsonBuilder *json, const SmbComparisonRow *row) {
  gboolean unmeasured = row->informative && !row->kernel;
  smb_json_object(json, NULL);
  smb_json_text(json, "kernel", row->kernel);
  smb_json_text(json, "shape", row->shape);
  smb_json_object(json, "defines");
  if (row->ipad >= 0)
    smb_json_number(json, "IPAD", row->ipad);
  json_builder_end_object(json);
  if (!row->kernel) {
    smb_json_text(json, "op", smb_op_name(row->op));
    smb_json_number(json, "width", row->width);
  }
  smb_json_text(json, "metric", row->metric);
  write_json_value(json, "predicted", row->predicted);
  if (unmeasured)
    smb_json_null(json, "measured");
  else
    write_json_value(json, "measured", row->measured);
  g_autofree char *place = describe_place(row);
  smb_json_text(json, "source", place);
  smb_json_text(json, "gpu", row->gpu);
  smb_json_text(json, "arch", row->arch);
  if (row->informative)
    smb_json_null(json, "match");
  else
    smb_json_boolean(json, "match", row->match);
  json_builder_end_object(json);
}

// The published times, or all other rows.
static void
write_json_rows(JsonBuilder *json, const SmbComparison *comparison, gboolean times) {
  for (guint i = 0; i < comparison->rows->len; i++) {
    const SmbComparisonRow *row = g_ptr_array_index(comparison->rows, i);
    if ((row->informative && row->kernel) == times)
      write_json_row(json, row);
  }
}

void
smb_comparison_write_json(SmbCli *cli, const SmbComparison *comparison) {
  JsonBuilder *json = smb_json_begin(cli->command);
  smb_json_null(json, "device");
  smb_json_text(json, "measured_by", provenance);
  smb_json_array(json, "rows");
  write_json_rows(json, comparison, FALSE);
  json_builder_end_array(json);
  smb_json_array(json, "times");
  write_json_rows(json, comparison, TRUE);
  json_builder_end_array(json);
  smb_json_object(json, "summary");
  smb_json_number(json, "compared", comparison->compared);
  smb_json_number(json, "matched", comparison->matched);
  smb_json_number(json, "mismatched", comparison->mismatched);
  smb_json_number(json, "unmeasured", comparison->unmeasured);
  json_builder_end_object(json);
  smb_json_end(json, cli->out);
}

void
smb_comparison_write_csv(SmbCli *cli, const SmbComparison *comparison) {
  static const char *const names[] = {"kernel", "shape",     "defines",  "op",    "width",
                                      "metric", "predicted", "measured", "match", "gpu",
                                      "arch",   "source",    NULL};
  SmbCsv csv = smb_csv_begin(cli->out, names);
  for (guint i = 0; i < comparison->rows->len; i++) {
    const SmbComparisonRow *row = g_ptr_array_index(comparison->rows, i);
    gboolean unmeasured = row->informative && !row->kernel;
    g_autofree char *defines = describe_defines(row);
    g_autofree char *predicted = format_value(row->predicted);
    g_autofree char *measured = format_value(row->measured);
    smb_csv_text(&csv, row->kernel);
    smb_csv_text(&csv, row->shape);
    smb_csv_text(&csv, defines);
    smb_csv_text(&csv, row->kernel ? NULL : smb_op_name(row->op));
    if (row->kernel)
      smb_csv_text(&csv, NULL);
    else
      smb_csv_number(&csv, row->width);
    smb_csv_text(&csv, row->metric);
    smb_csv_text(&csv, predicted);
    smb_csv_text(&csv, unmeasured ? NULL : measured);
    smb_csv_text(&csv, row->informative ? NULL : row->match ? "yes" : "no");
    smb_csv_text(&csv, row->gpu);
    smb_csv_text(&csv, row->arch);
    g_autofree char *place = describe_place(row);
    smb_csv_text(&csv, place);
    smb_csv_end_row(&csv);
  }
}
