// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/trace/rows.h"

#include "src/cli/describe.h"
#include "src/cli/target-json.h"
#include "src/out/json.h"
#include "src/out/table.h"

// What one row says. @conflict: which lanes conflict where, or "".
typedef struct {
  const SmbRequest *request;
  const SmbWavefronts *cost;
  guint64 line;
  gint64 recorded; // or SMB_TRACE_NO_COUNT
  const char *conflict;
} Row;

// How a format writes rows as they come.
typedef struct {
  void (*begin)(SmbTraceRows *rows, SmbCli *cli);
  void (*add)(SmbTraceRows *rows, SmbCli *cli, const Row *row);
  void (*end)(SmbTraceRows *rows, SmbCli *cli, const char *file);
} Methods;

static const Methods *
find_methods(const SmbCli *cli) {
  return cli->format->methods;
}

static guint
count_active(const SmbRequest *request) {
  return (guint)__builtin_popcount(smb_request_lanes(request));
}

enum {
  CONFLICT_INDENT = 8, // of a conflict that stands below its row
};

// Whether a conflict stands beside the numbers of its row: a terminal has no room for it.
static gboolean
has_room(const SmbCli *cli) {
  return smb_spool_table_columns(cli->out) == G_MAXUINT;
}

static void
begin_text(G_GNUC_UNUSED SmbTraceRows *rows, SmbCli *cli) {
  smb_spool_printf(
      cli->out, "  line  op           width  lanes  wavefronts  ideal  excess  worst  cycles%s\n",
      has_room(cli) ? "  conflict" : "");
}

static void
add_text(G_GNUC_UNUSED SmbTraceRows *rows, SmbCli *cli, const Row *row) {
  const SmbWavefronts *cost = row->cost;
  smb_spool_printf(
      cli->out, "%6" G_GUINT64_FORMAT "  %-11s  %5u  %5u  %10u  %5u  %6u  %2u-way  %6u", row->line,
      smb_op_name((SmbOp)row->request->op), row->request->width, count_active(row->request),
      cost->wavefronts, cost->ideal, cost->excess, cost->degree, cost->cycles);
  gboolean below = *row->conflict && !has_room(cli);
  if (*row->conflict && !below)
    smb_spool_printf(cli->out, "  %s", row->conflict);
  if (row->recorded != SMB_TRACE_NO_COUNT && row->recorded != cost->wavefronts)
    smb_spool_printf(cli->out, "  (recorded: %" G_GINT64_FORMAT ")", row->recorded);
  smb_spool_puts(cli->out, "\n");
  if (below) {
    smb_spool_fill(cli->out, ' ', CONFLICT_INDENT);
    smb_text_wrap_at(cli->out, row->conflict, CONFLICT_INDENT, CONFLICT_INDENT);
  }
}

static void
end_rows(G_GNUC_UNUSED SmbTraceRows *rows, G_GNUC_UNUSED SmbCli *cli,
         G_GNUC_UNUSED const char *file) {
}

static void
begin_csv(SmbTraceRows *rows, SmbCli *cli) {
  rows->csv = smb_csv_begin(cli->out, "line,op,width,active_lanes,wavefronts,"
                                      "ideal_wavefronts,excess_wavefronts,degree,cycles,"
                                      "recorded,conflict");
}

static void
add_csv(SmbTraceRows *rows, G_GNUC_UNUSED SmbCli *cli, const Row *row) {
  SmbCsv *csv = &rows->csv;
  const SmbWavefronts *cost = row->cost;
  smb_csv_number(csv, row->line);
  smb_csv_text(csv, smb_op_name((SmbOp)row->request->op));
  SMB_CSV_NUMBERS(csv, row->request->width, count_active(row->request), cost->wavefronts,
                  cost->ideal, cost->excess, cost->degree, cost->cycles);
  smb_csv_number_if(csv, row->recorded != SMB_TRACE_NO_COUNT, (guint64)row->recorded);
  smb_csv_text(csv, *row->conflict ? row->conflict : NULL);
  smb_csv_end_row(csv);
}

static void
begin_json(G_GNUC_UNUSED SmbTraceRows *rows, G_GNUC_UNUSED SmbCli *cli) {
}

static void
add_json(SmbTraceRows *rows, G_GNUC_UNUSED SmbCli *cli, const Row *row) {
  const SmbWavefronts *cost = row->cost;
  JsonBuilder *json = smb_json_begin_element();
  smb_json_number(json, "line", (gint64)row->line);
  smb_json_text(json, "op", smb_op_name((SmbOp)row->request->op));
  smb_json_number(json, "width", row->request->width);
  smb_json_number(json, "active_lanes", count_active(row->request));
  smb_json_number(json, "wavefronts", cost->wavefronts);
  smb_json_number(json, "ideal_wavefronts", cost->ideal);
  smb_json_number(json, "excess_wavefronts", cost->excess);
  smb_json_number(json, "degree", cost->degree);
  smb_json_number(json, "cycles", cost->cycles);
  smb_json_number_if(json, "recorded", row->recorded != SMB_TRACE_NO_COUNT, row->recorded);
  smb_json_text(json, "conflict", *row->conflict ? row->conflict : NULL);
  smb_json_end_element(json, rows->elements);
}

static void
end_json(SmbTraceRows *rows, SmbCli *cli, const char *file) {
  JsonBuilder *json = smb_json_begin(cli->command);
  smb_json_text(json, "file", file);
  smb_json_arch(json, cli->arch);
  smb_json_end_streamed(json, "requests", rows->elements, cli->out);
}

static const Methods text_methods = {begin_text, add_text, end_rows};
static const Methods json_methods = {begin_json, add_json, end_json};
static const Methods csv_methods = {begin_csv, add_csv, end_rows};

const SmbFormat smb_trace_row_formats[] = {{"text", NULL, &text_methods},
                                           {"json", NULL, &json_methods},
                                           {"csv", NULL, &csv_methods},
                                           {NULL, NULL, NULL}};

void
smb_trace_rows_begin(SmbTraceRows *rows, SmbCli *cli) {
  find_methods(cli)->begin(rows, cli);
}

void
smb_trace_rows_add(SmbTraceRows *rows, SmbCli *cli, const SmbTraceBatch *batch,
                   const SmbWavefronts *counts) {
  g_autoptr(GString) conflict = g_string_new(NULL);
  for (gsize i = 0; i < batch->n; i++) {
    g_string_truncate(conflict, 0);
    smb_describe_meeting(conflict, cli->arch, &batch->requests[i]);
    const Row row = {&batch->requests[i], &counts[i], batch->lines[i], batch->expected[i],
                     conflict->str};
    find_methods(cli)->add(rows, cli, &row);
  }
}

void
smb_trace_rows_end(SmbTraceRows *rows, SmbCli *cli, const char *file) {
  find_methods(cli)->end(rows, cli, file);
}
