// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/trace/report.h"

#include "sim/arch/rule.h"
#include "sim/arch/words.h"
#include "sim/base/text.h"
#include "src/analysis/vendor.h"
#include "src/cli/input.h"
#include "src/out/json.h"
#include "src/out/table.h"
#include "src/target/target-json.h"

void
smb_trace_describe_mismatch(SmbTraceReport *report, const SmbTraceBatch *batch, gsize i,
                            guint32 predicted) {
  const SmbRequest *request = &batch->requests[i];
  smb_spool_printf(
      report->mismatches,
      "%s%s:%" G_GUINT64_FORMAT ":1: warning: %s %u: predicted %u, recorded %" G_GINT64_FORMAT "\n",
      smb_text_ahead(smb_input_name(report->file)), smb_input_name(report->file), batch->lines[i],
      smb_op_name((SmbOp)request->op), request->width, predicted, batch->expected[i]);
}

static void
add_trace_mismatch(SmbTraceReport *report, const SmbTraceBatch *batch, gsize i, guint32 predicted) {
  const SmbRequest *request = &batch->requests[i];
  JsonBuilder *json = smb_json_begin_element();
  smb_json_number(json, "line", (gint64)batch->lines[i]);
  smb_json_text(json, "op", smb_op_name((SmbOp)request->op));
  smb_json_number(json, "width", request->width);
  smb_json_number(json, "predicted", predicted);
  smb_json_number(json, "recorded", batch->expected[i]);
  smb_json_end_element(json, report->mismatches);
}

SmbTraceReport *
smb_trace_report_new(SmbCli *cli, const char *file) {
  SmbTraceReport *report = g_new0(SmbTraceReport, 1);
  const SmbTraceMethods *methods = cli->format->methods;
  report->cli = cli;
  report->file = file;
  for (guint i = 0; i < SMB_TRACE_N_SUMS; i++) {
    report->sums[i].op = (SmbOp)(i / SMB_N_WIDTHS);
    report->sums[i].width = smb_width(i % SMB_N_WIDTHS);
  }
  report->mismatches = smb_spool_new();
  report->rows = smb_spool_new();
  report->notes = g_ptr_array_new_with_free_func(g_free);
  if (methods->begin)
    methods->begin(report);
  return report;
}

void
smb_trace_report_free(SmbTraceReport *report) {
  if (!report)
    return;
  smb_spool_free(report->mismatches);
  smb_spool_free(report->rows);
  g_ptr_array_unref(report->notes);
  g_free(report);
}

void
smb_trace_report_add(SmbTraceReport *report, const SmbTraceBatch *batch,
                     const SmbWavefronts *counts) {
  const SmbTraceMethods *methods = report->cli->format->methods;
  for (gsize i = 0; i < batch->n; i++) {
    const SmbRequest *request = &batch->requests[i];
    guint at = request->op * SMB_N_WIDTHS + smb_width_index(request->width);
    smb_tally_count(&report->sums[at].tally, &counts[i], 1);
    if (methods->add)
      methods->add(report, batch, i, &counts[i]);
    if (batch->expected[i] == SMB_TRACE_NO_COUNT)
      continue;
    report->compared++;
    if (batch->expected[i] == counts[i].wavefronts)
      continue;
    report->mismatched++;
    methods->mismatch(report, batch, i, counts[i].wavefronts);
  }
}

static SmbTally
sum_class(const SmbTraceReport *report, SmbOpClass op_class) {
  SmbTally total = {0};
  for (guint i = 0; i < SMB_TRACE_N_SUMS; i++) {
    if (smb_op_class(report->sums[i].op) == op_class)
      smb_tally_add(&total, &report->sums[i].tally);
  }
  return total;
}

// Whether the chips of @arch came before those that have an instruction.
static gboolean
is_older_arch(const SmbArch *arch, const char *since, gboolean *older, GError **error) {
  g_autoptr(SmbArch) first = smb_arch_load(since, error);
  if (!first)
    return FALSE;
  const SmbArchInfo *a = smb_arch_info(arch), *b = smb_arch_info(first);
  *older = a->capability_major != b->capability_major ? a->capability_major < b->capability_major
                                                      : a->capability_minor < b->capability_minor;
  return TRUE;
}

// A sentence for each operation of the trace that no chip of the architecture has, or whose count is a
// lower bound.
static gboolean
make_notes(SmbTraceReport *report, GError **error) {
  const SmbArch *arch = report->cli->arch;
  for (guint i = 0; i < SMB_TRACE_N_SUMS; i++) {
    const SmbTraceSum *sum = &report->sums[i];
    const SmbRule *rule = smb_arch_rule(arch, sum->op, sum->width);
    gboolean older = FALSE;
    if (sum->tally.requests == 0)
      continue;
    if (rule->evidence == SMB_EVIDENCE_ASSUMED && smb_arch_info(arch)->active_counter)
      g_ptr_array_add(report->notes,
                      g_strdup_printf("%s %u is counted by a rule that is assumed%s%s",
                                      smb_op_name(sum->op), sum->width,
                                      rule->disputed ? ", and disputed: " : "",
                                      rule->disputed ? rule->disputed : ""));
    if (rule->lower_bound)
      g_ptr_array_add(report->notes,
                      g_strdup_printf("%s %u: a lower bound: %s add to it", smb_op_name(sum->op),
                                      sum->width, rule->lower_bound));
    if (rule->since && !is_older_arch(arch, rule->since, &older, error))
      return FALSE;
    if (older)
      g_ptr_array_add(report->notes,
                      g_strdup_printf("%s came with %s; counted by the rule of its family",
                                      smb_op_name(sum->op), rule->since));
  }
  return TRUE;
}

static void
add_table_row(SmbTable *table, const char *name, const char *width, const SmbTally *sum,
              gboolean cycles) {
  SmbStyle style = sum->excess > 0 ? SMB_STYLE_BAD : SMB_STYLE_GOOD;
  smb_table_cell(table, SMB_STYLE_PLAIN, name);
  smb_table_cell(table, SMB_STYLE_PLAIN, width);
  smb_table_number(table, SMB_STYLE_PLAIN, sum->requests);
  smb_table_number(table, SMB_STYLE_PLAIN, sum->wavefronts);
  smb_table_number(table, SMB_STYLE_PLAIN, sum->ideal);
  smb_table_number(table, style, sum->excess);
  if (cycles)
    smb_table_number(table, SMB_STYLE_PLAIN, sum->cycles);
  smb_table_printf(table, style, "%u-way", sum->max_degree);
}

static void
write_trace_table(const SmbTraceReport *report, SmbCli *cli) {
  gboolean cycles = !smb_arch_counts_cycles(cli->arch);
  g_autoptr(SmbTable) table = smb_table_new(
      smb_arch_say(cli->arch, "op|width>|whole trace: requests>|wavefronts>|ideal>|excess>"));
  smb_table_columns(table, cycles ? "cycles>|per request: worst>" : "per request: worst>");
  for (guint i = 0; i < SMB_TRACE_N_SUMS; i++) {
    const SmbTraceSum *sum = &report->sums[i];
    g_autofree char *width = g_strdup_printf("%u", sum->width);
    if (sum->tally.requests > 0)
      add_table_row(table, smb_op_name(sum->op), width, &sum->tally, cycles);
  }
  smb_table_rule(table);
  for (guint c = 0; c < SMB_N_OP_CLASSES; c++) {
    SmbTally total = sum_class(report, (SmbOpClass)c);
    g_autofree char *name =
        g_strconcat("all ", smb_noun(2, smb_op_class_name((SmbOpClass)c)).text, NULL);
    if (total.requests > 0)
      add_table_row(table, name, "", &total, cycles);
  }
  smb_table_write(table, cli->out, cli->colour);
}

// By the names of a vendor's profiler, where it has any.
static SmbAnalyzeCounters
count_whole_trace(const SmbTraceReport *report) {
  SmbTally total = {0};
  gboolean exact = TRUE;
  for (guint i = 0; i < SMB_TRACE_N_SUMS; i++) {
    const SmbTraceSum *sum = &report->sums[i];
    smb_tally_add(&total, &sum->tally);
    exact = exact && !(sum->tally.requests &&
                       smb_arch_rule(report->cli->arch, sum->op, sum->width)->lower_bound);
  }
  return smb_analyze_count(report->cli->arch, &total, exact);
}

static void
write_trace_text(SmbCli *cli, gconstpointer result) {
  const SmbTraceReport *report = result;
  const SmbAnalyzeCounters counters = count_whole_trace(report);
  g_autofree char *described = smb_analyze_describe_counters(&counters);
  write_trace_table(report, cli);
  smb_spool_puts(cli->out, "\n");
  if (*described) {
    smb_text_wrap(cli->out, described);
    smb_spool_puts(cli->out, "\n");
  }
  for (guint i = 0; i < report->notes->len; i++)
    smb_spool_printf(cli->out, "note: %s\n", (const char *)report->notes->pdata[i]);
  if (report->compared == 0) {
    smb_spool_puts(cli->out, "no line has a count to compare with\n");
    return;
  }
  g_autofree char *line = g_strdup_printf(
      "compared %" G_GUINT64_FORMAT ": %" G_GUINT64_FORMAT " match, %" G_GUINT64_FORMAT " differ",
      report->compared, report->compared - report->mismatched, report->mismatched);
  smb_style_write(cli->out, report->mismatched ? SMB_STYLE_BAD : SMB_STYLE_GOOD, cli->colour, line);
  smb_spool_puts(cli->out, "\n");
  smb_spool_append(cli->out, report->mismatches);
}

static void
add_json_operations(JsonBuilder *json, const SmbTraceReport *report) {
  smb_json_array(json, "operations");
  for (guint i = 0; i < SMB_TRACE_N_SUMS; i++) {
    const SmbTraceSum *sum = &report->sums[i];
    if (sum->tally.requests == 0)
      continue;
    smb_json_object(json, NULL);
    smb_json_text(json, "op", smb_op_name(sum->op));
    smb_json_number(json, "width", sum->width);
    smb_json_costs(json, &sum->tally);
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
  SmbTally totals[SMB_N_OP_CLASSES];
  for (guint c = 0; c < SMB_N_OP_CLASSES; c++)
    totals[c] = sum_class(report, (SmbOpClass)c);
  smb_json_totals(json, totals, NULL);
}

static void
write_trace_json(SmbCli *cli, gconstpointer result) {
  const SmbTraceReport *report = result;
  JsonBuilder *json = smb_json_begin(cli->command);
  smb_json_text(json, "file", report->file);
  smb_json_arch(json, cli->arch);
  add_json_operations(json, report);
  const SmbAnalyzeCounters counters = count_whole_trace(report);
  smb_analyze_json_counters(json, &counters);
  smb_json_object(json, "comparison");
  smb_json_number(json, "compared", (gint64)report->compared);
  smb_json_number(json, "matched", (gint64)(report->compared - report->mismatched));
  smb_json_number(json, "mismatched", (gint64)report->mismatched);
  json_builder_end_object(json);
  smb_json_texts(json, "notes", report->notes);
  smb_json_end_streamed(json, "mismatches", report->mismatches, cli->out);
}

static void
write_trace_csv(SmbCli *cli, gconstpointer result) {
  const SmbTraceReport *report = result;
  SmbCsv csv = smb_csv_begin(cli->out, "op,width,requests,wavefronts,ideal_wavefronts,"
                                       "excess_wavefronts,max_degree,cycles");
  for (guint i = 0; i < SMB_TRACE_N_SUMS; i++) {
    const SmbTally *tally = &report->sums[i].tally;
    if (tally->requests == 0)
      continue;
    smb_csv_text(&csv, smb_op_name(report->sums[i].op));
    SMB_CSV_NUMBERS(&csv, report->sums[i].width, tally->requests, tally->wavefronts, tally->ideal,
                    tally->excess, tally->max_degree, tally->cycles);
    smb_csv_end_row(&csv);
  }
  smb_spool_append(cli->messages, report->mismatches);
}

// CSV has no place for differences: they are messages.
static const SmbTraceMethods described = {smb_trace_describe_mismatch, NULL, NULL};
static const SmbTraceMethods elements = {add_trace_mismatch, NULL, NULL};

const SmbFormat smb_trace_sum_formats[] = {{"text", write_trace_text, &described},
                                           {"json", write_trace_json, &elements},
                                           {"csv", write_trace_csv, &described},
                                           {NULL, NULL, NULL}};

gboolean
smb_trace_report_write(SmbTraceReport *report, GError **error) {
  const SmbFormat *format = report->cli->format;
  if (!make_notes(report, error))
    return FALSE;
  format->write(report->cli, report);
  // Rows, and CSV, have no place for them.
  gboolean has_notes = format->write == write_trace_text || format->write == write_trace_json;
  for (guint i = 0; i < report->notes->len && !has_notes; i++)
    smb_spool_printf(report->cli->messages, "%s: note: %s\n", smb_input_name(report->file),
                     (const char *)report->notes->pdata[i]);
  return TRUE;
}
