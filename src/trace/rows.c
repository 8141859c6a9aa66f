// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// trace --requests and --counts: a row or a number for each request.
#include "src/trace/report.h"

#include "sim/arch/words.h"
#include "src/out/describe.h"
#include "src/out/json.h"
#include "src/out/table.h"
#include "src/target/target-json.h"

static guint
count_lanes_of(const SmbRequest *request) {
  return smb_lanes_count(smb_request_lanes(request));
}

// Which lanes conflict where, or "" (transfer full).
static char *
describe_conflict(const SmbTraceReport *report, const SmbRequest *request) {
  GString *text = g_string_new(NULL);
  smb_describe_meeting(text, report->cli->arch, request);
  return g_string_free(text, FALSE);
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
start_text(SmbTraceReport *report) {
  const SmbArch *arch = report->cli->arch;
  smb_spool_printf(report->cli->out,
                   "  line  op           width  lanes  %10s  ideal  excess  worst%s%s\n",
                   smb_arch_say(arch, "wavefronts"), smb_arch_counts_cycles(arch) ? "" : "  cycles",
                   has_room(report->cli) ? "  conflict" : "");
}

static void
put_text(SmbTraceReport *report, const SmbTraceBatch *batch, gsize i, const SmbWavefronts *cost) {
  SmbSpool *out = report->cli->out;
  const SmbRequest *request = &batch->requests[i];
  g_autofree char *conflict = describe_conflict(report, request);
  smb_spool_printf(out, "%6" G_GUINT64_FORMAT "  %-11s  %5u  %5u  %10u  %5u  %6u  %2u-way",
                   batch->lines[i], smb_op_name((SmbOp)request->op), request->width,
                   count_lanes_of(request), cost->wavefronts, cost->ideal, cost->excess,
                   cost->degree);
  if (!smb_arch_counts_cycles(report->cli->arch))
    smb_spool_printf(out, "  %6u", cost->cycles);
  gboolean below = *conflict && !has_room(report->cli);
  if (*conflict && !below)
    smb_spool_printf(out, "  %s", conflict);
  if (batch->expected[i] != SMB_TRACE_NO_COUNT && batch->expected[i] != cost->wavefronts)
    smb_spool_printf(out, "  (recorded: %" G_GINT64_FORMAT ")", batch->expected[i]);
  smb_spool_puts(out, "\n");
  if (below) {
    smb_spool_fill(out, ' ', CONFLICT_INDENT);
    smb_text_wrap_at(out, conflict, CONFLICT_INDENT, CONFLICT_INDENT);
  }
}

static void
start_csv(SmbTraceReport *report) {
  report->csv = smb_csv_begin(report->cli->out, "line,op,width,active_lanes,wavefronts,"
                                                "ideal_wavefronts,excess_wavefronts,degree,cycles,"
                                                "recorded,conflict");
}

static void
add_csv(SmbTraceReport *report, const SmbTraceBatch *batch, gsize i, const SmbWavefronts *cost) {
  SmbCsv *csv = &report->csv;
  const SmbRequest *request = &batch->requests[i];
  g_autofree char *conflict = describe_conflict(report, request);
  smb_csv_number(csv, batch->lines[i]);
  smb_csv_text(csv, smb_op_name((SmbOp)request->op));
  SMB_CSV_NUMBERS(csv, request->width, count_lanes_of(request), cost->wavefronts, cost->ideal,
                  cost->excess, cost->degree, cost->cycles);
  smb_csv_number_if(csv, batch->expected[i] != SMB_TRACE_NO_COUNT, (guint64)batch->expected[i]);
  smb_csv_text(csv, *conflict ? conflict : NULL);
  smb_csv_end_row(csv);
}

static void
add_json(SmbTraceReport *report, const SmbTraceBatch *batch, gsize i, const SmbWavefronts *cost) {
  const SmbRequest *request = &batch->requests[i];
  g_autofree char *conflict = describe_conflict(report, request);
  JsonBuilder *json = smb_json_begin_element();
  smb_json_number(json, "line", (gint64)batch->lines[i]);
  smb_json_text(json, "op", smb_op_name((SmbOp)request->op));
  smb_json_number(json, "width", request->width);
  smb_json_number(json, "active_lanes", count_lanes_of(request));
  smb_json_number(json, "wavefronts", cost->wavefronts);
  smb_json_number(json, "ideal_wavefronts", cost->ideal);
  smb_json_number(json, "excess_wavefronts", cost->excess);
  smb_json_number(json, "degree", cost->degree);
  smb_json_number(json, "cycles", cost->cycles);
  smb_json_number_if(json, "recorded", batch->expected[i] != SMB_TRACE_NO_COUNT,
                     batch->expected[i]);
  smb_json_text(json, "conflict", *conflict ? conflict : NULL);
  smb_json_end_element(json, report->rows);
}

static void
put_count(SmbTraceReport *report, G_GNUC_UNUSED const SmbTraceBatch *batch, G_GNUC_UNUSED gsize i,
          const SmbWavefronts *cost) {
  smb_spool_number(report->cli->out, cost->wavefronts);
  smb_spool_write(report->cli->out, "\n", 1);
}

// All is written but what differs from the counts of the trace.
static void
end_rows(SmbCli *cli, gconstpointer result) {
  const SmbTraceReport *report = result;
  smb_spool_append(cli->messages, report->mismatches);
}

static void
end_json(SmbCli *cli, gconstpointer result) {
  const SmbTraceReport *report = result;
  JsonBuilder *json = smb_json_begin(cli->command);
  smb_json_text(json, "file", report->file);
  smb_json_arch(json, cli->arch);
  smb_json_end_streamed(json, "requests", report->rows, cli->out);
  end_rows(cli, result);
}

static const SmbTraceMethods text_methods = {smb_trace_describe_mismatch, start_text, put_text};
static const SmbTraceMethods json_methods = {smb_trace_describe_mismatch, NULL, add_json};
static const SmbTraceMethods csv_methods = {smb_trace_describe_mismatch, start_csv, add_csv};
static const SmbTraceMethods count_methods = {smb_trace_describe_mismatch, NULL, put_count};

const SmbFormat smb_trace_row_formats[] = {{"text", end_rows, &text_methods},
                                           {"json", end_json, &json_methods},
                                           {"csv", end_rows, &csv_methods},
                                           {NULL, NULL, NULL}};
const SmbFormat smb_trace_count_formats[] = {{"text", end_rows, &count_methods},
                                             {NULL, NULL, NULL}};
