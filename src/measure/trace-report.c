// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/measure/trace.h"

#include <math.h>

#include "src/measure/measured-text.h"
#include "src/out/csv.h"
#include "src/out/json.h"
#include "src/out/table.h"
#include "src/target/target-json.h"

// Requests that could not be measured and have a line each in text.
enum {
  SHOWN_REASONS = 20,
};

// Sums over requests, of those that were measured in each way: the readings in whole numbers.
typedef struct {
  guint64 requests;
  guint64 measured;
  guint64 counted;
  guint64 mismatched;
  guint64 unsteady;
  guint64 unmeasured;
  guint64 cycles;
  guint64 by_clock;
  guint64 wavefronts;
  guint64 by_counter;
} Sum;

static void
add_measured_request(Sum *sum, const SmbMeasuredRequest *request) {
  sum->requests++;
  sum->mismatched += smb_measured_request_differs(request);
  sum->unsteady += smb_measured_request_is_unsteady(request);
  if (request->clock == SMB_VERDICT_NONE) {
    sum->unmeasured++;
    return;
  }
  sum->measured++;
  sum->cycles += request->predicted.cycles;
  sum->by_clock += (guint64)round(request->cycles);
  if (request->count == SMB_VERDICT_NONE)
    return;
  sum->counted++;
  sum->wavefronts += request->predicted.wavefronts;
  sum->by_counter += (guint64)MAX(round(request->wavefronts), 0);
}

static const SmbMeasuredRequest *
get_measured_request(const SmbMeasuredTrace *trace, guint i) {
  return &g_array_index(trace->requests, SmbMeasuredRequest, i);
}

static void
add_sum_row(SmbTable *table, const char *name, const Sum *sum) {
  const guint64 numbers[] = {sum->requests, sum->measured,   sum->cycles,    sum->by_clock,
                             sum->counted,  sum->wavefronts, sum->by_counter};
  smb_table_cell(table, SMB_STYLE_PLAIN, name);
  for (guint i = 0; i < G_N_ELEMENTS(numbers); i++)
    smb_table_number(table, SMB_STYLE_PLAIN, numbers[i]);
  smb_table_number(table, sum->mismatched ? SMB_STYLE_BAD : SMB_STYLE_GOOD, sum->mismatched);
}

static Sum
write_measured_sums(SmbCli *cli, const SmbMeasuredTrace *trace) {
  Sum sums[SMB_N_OPS][SMB_N_WIDTHS] = {{{0}}}, total = {0};
  g_autoptr(SmbTable) table = smb_table_new("request|requests>|measured>|cycles>|by clock>|"
                                            "counted>|wavefronts>|by counter>|differ>");
  for (guint i = 0; i < trace->requests->len; i++) {
    const SmbMeasuredRequest *request = get_measured_request(trace, i);
    add_measured_request(&sums[request->request.op][smb_width_index(request->request.width)],
                         request);
    add_measured_request(&total, request);
  }
  for (guint op = 0; op < SMB_N_OPS; op++) {
    for (guint i = 0; i < SMB_N_WIDTHS; i++) {
      g_autofree char *name = g_strdup_printf("%s %u", smb_op_name((SmbOp)op), smb_width(i));
      if (sums[op][i].requests > 0)
        add_sum_row(table, name, &sums[op][i]);
    }
  }
  smb_table_rule(table);
  add_sum_row(table, "total", &total);
  smb_table_write(table, cli->out, cli->colour);
  smb_spool_puts(cli->out, "\n");
  return total;
}

// What a person should know of a row besides its numbers.
static char *
describe_row(const SmbMeasuredRequest *request) {
  GString *words = g_string_new(request->reason);
  if (request->recorded != SMB_TRACE_NO_COUNT && request->recorded != request->predicted.wavefronts)
    g_string_append_printf(words, "%sthe trace says %" G_GINT64_FORMAT, words->len ? "; " : "",
                           request->recorded);
  if (smb_measured_request_is_unsteady(request))
    g_string_append(words, "unsteady");
  return g_string_free(words, FALSE);
}

static void
add_measured_row(SmbTable *table, const SmbMeasuredRequest *request) {
  g_autofree char *counted = smb_measured_text(request->wavefronts);
  g_autofree char *measured = smb_measured_text(request->cycles);
  g_autofree char *words = describe_row(request);
  gboolean differs = smb_measured_request_differs(request);
  const char *match = differs ? "NO" : request->reason ? "-" : "yes";
  smb_table_number(table, SMB_STYLE_PLAIN, request->line);
  smb_table_printf(table, SMB_STYLE_PLAIN, "%s %u", smb_op_name((SmbOp)request->request.op),
                   request->request.width);
  smb_table_number(table, SMB_STYLE_PLAIN, request->predicted.wavefronts);
  smb_table_cell(table, SMB_STYLE_PLAIN, counted);
  smb_table_number(table, SMB_STYLE_PLAIN, request->predicted.cycles);
  smb_table_cell(table, SMB_STYLE_PLAIN, measured);
  smb_table_cell(table, differs ? SMB_STYLE_BAD : SMB_STYLE_GOOD, match);
  smb_table_cell(table, SMB_STYLE_DIM, words);
}

// A row for each request, or for those that differ.
static void
write_measured_rows(SmbCli *cli, const SmbMeasuredTrace *trace, gboolean all) {
  g_autoptr(SmbTable) table =
      smb_table_new("line>|request|wavefronts>|counted>|cycles>|measured>|match|");
  gboolean any = FALSE;
  smb_table_wrap(table);
  for (guint i = 0; i < trace->requests->len; i++) {
    const SmbMeasuredRequest *request = get_measured_request(trace, i);
    if (!all && !smb_measured_request_differs(request))
      continue;
    add_measured_row(table, request);
    any = TRUE;
  }
  if (!any)
    return;
  smb_table_write(table, cli->out, cli->colour);
  smb_spool_puts(cli->out, "\n");
}

// The first requests that could not be measured, each with its reason; their rows have it with --all.
static void
write_unmeasured_reasons(SmbCli *cli, const SmbMeasuredTrace *trace, guint64 unmeasured) {
  guint64 shown = 0;
  for (guint i = 0; i < trace->requests->len && shown < SHOWN_REASONS; i++) {
    const SmbMeasuredRequest *request = get_measured_request(trace, i);
    if (!request->reason)
      continue;
    smb_spool_printf(cli->out, "line %s was not measured: %s\n", smb_number(request->line).text,
                     request->reason);
    shown++;
  }
  if (shown < unmeasured)
    smb_spool_printf(cli->out, "and %s more (--all shows them)\n",
                     smb_number(unmeasured - shown).text);
  if (shown > 0)
    smb_spool_puts(cli->out, "\n");
}

static char *
describe_sample(const SmbMeasuredTrace *trace) {
  if (!trace->is_sample || trace->refusal)
    return NULL;
  return g_strdup_printf("More than %d requests: all were timed, and the wavefronts of a "
                         "regular sample of that size were counted.",
                         SMB_TRACE_MAX_COUNTED);
}

static void
write_measured_text(SmbCli *cli, gconstpointer result) {
  const SmbMeasuredTraceReport *report = result;
  const SmbMeasuredTrace *trace = report->trace;
  g_autofree char *sample = describe_sample(trace);
  smb_measured_write_device(cli, smb_meter_device(report->meter), trace->arch);
  smb_measured_write_counters(cli, trace->refusal);
  if (sample)
    smb_text_wrap(cli->out, sample);
  smb_spool_puts(cli->out, "\n");
  write_measured_rows(cli, trace, report->all);
  Sum total = write_measured_sums(cli, trace);
  if (!report->all)
    write_unmeasured_reasons(cli, trace, total.unmeasured);
  g_autofree char *line =
      g_strdup_printf("%s measured, %s unmeasured: %s differ, %s unsteady.",
                      smb_number(total.measured).text, smb_number(total.unmeasured).text,
                      smb_number(total.mismatched).text, smb_number(total.unsteady).text);
  smb_style_write(cli->out, total.mismatched ? SMB_STYLE_BAD : SMB_STYLE_GOOD, cli->colour, line);
  smb_spool_puts(cli->out, "\n");
}

static void
write_measured_json_row(SmbSpool *elements, const SmbMeasuredRequest *request) {
  JsonBuilder *json = smb_json_begin_element();
  gboolean differs = smb_measured_request_differs(request);
  smb_json_number(json, "line", (gint64)request->line);
  smb_json_text(json, "op", smb_op_name((SmbOp)request->request.op));
  smb_json_number(json, "width", request->request.width);
  smb_measured_json(json, request->predicted.wavefronts, request->wavefronts,
                    request->predicted.cycles, request->cycles);
  smb_json_number_if(json, "recorded", request->recorded != SMB_TRACE_NO_COUNT, request->recorded);
  smb_json_boolean_if(json, "match", !request->reason || differs, !differs);
  smb_json_boolean(json, "unsteady", smb_measured_request_is_unsteady(request));
  smb_json_text(json, "reason", request->reason);
  smb_json_end_element(json, elements);
}

static void
write_measured_json(SmbCli *cli, gconstpointer result) {
  const SmbMeasuredTraceReport *report = result;
  const SmbMeasuredTrace *trace = report->trace;
  g_autoptr(SmbSpool) elements = smb_spool_new();
  g_autofree char *sample = describe_sample(trace);
  Sum total = {0};
  for (guint i = 0; i < trace->requests->len; i++) {
    add_measured_request(&total, get_measured_request(trace, i));
    write_measured_json_row(elements, get_measured_request(trace, i));
  }
  JsonBuilder *json = smb_json_begin(cli->command);
  smb_json_text(json, "file", report->file);
  smb_measured_json_device(json, smb_meter_device(report->meter), trace->refusal);
  smb_json_arch(json, trace->arch);
  smb_json_array(json, "notes");
  if (sample)
    smb_json_text(json, NULL, sample);
  json_builder_end_array(json);
  smb_json_object(json, "summary");
  smb_json_number(json, "requests", (gint64)total.requests);
  smb_json_number(json, "measured", (gint64)total.measured);
  smb_json_number(json, "counted", (gint64)total.counted);
  smb_json_number(json, "mismatched", (gint64)total.mismatched);
  smb_json_number(json, "unsteady", (gint64)total.unsteady);
  smb_json_number(json, "unmeasured", (gint64)total.unmeasured);
  json_builder_end_object(json);
  smb_json_end_streamed(json, "requests", elements, cli->out);
}

static void
write_csv_measured(SmbCsv *csv, double number) {
  g_autofree char *text = smb_measured_text(number);
  smb_csv_text(csv, number == SMB_NOT_MEASURED ? NULL : text);
}

static void
write_measured_csv(SmbCli *cli, gconstpointer result) {
  const SmbMeasuredTrace *trace = ((const SmbMeasuredTraceReport *)result)->trace;
  SmbCsv csv = smb_csv_begin(cli->out, "line,op,width,wavefronts,counted,cycles,measured,"
                                       "recorded,match,unsteady,reason");
  for (guint i = 0; i < trace->requests->len; i++) {
    const SmbMeasuredRequest *request = get_measured_request(trace, i);
    gboolean differs = smb_measured_request_differs(request);
    smb_csv_number(&csv, request->line);
    smb_csv_text(&csv, smb_op_name((SmbOp)request->request.op));
    smb_csv_number(&csv, request->request.width);
    smb_csv_number(&csv, request->predicted.wavefronts);
    write_csv_measured(&csv, request->wavefronts);
    smb_csv_number(&csv, request->predicted.cycles);
    write_csv_measured(&csv, request->cycles);
    smb_csv_number_if(&csv, request->recorded != SMB_TRACE_NO_COUNT, (guint64)request->recorded);
    smb_csv_text(&csv, differs ? "no" : request->reason ? NULL : "yes");
    smb_csv_text(&csv, smb_measured_request_is_unsteady(request) ? "yes" : "no");
    smb_csv_text(&csv, request->reason);
    smb_csv_end_row(&csv);
  }
}

const SmbFormat smb_measured_trace_formats[] = {{"text", write_measured_text, NULL},
                                                {"json", write_measured_json, NULL},
                                                {"csv", write_measured_csv, NULL},
                                                {NULL, NULL, NULL}};

gboolean
smb_measured_trace_matches(const SmbMeasuredTrace *trace) {
  Sum total = {0};
  for (guint i = 0; i < trace->requests->len; i++)
    add_measured_request(&total, get_measured_request(trace, i));
  return total.measured > 0 && total.mismatched == 0;
}
