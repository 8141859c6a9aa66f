// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// fix as JSON and as CSV. Keys are only ever added.
#include "src/analysis/warning.h"
#include "src/fix/fix.h"
#include "src/target/target-json.h"

// The best layout that is better than now: written as CUDA C, or of compiled code, which is not rewritten.
static const SmbAdviseLayout *
find_best(const SmbFix *fix, const SmbAdviseArray *array) {
  const SmbAdviseLayout *first = array->layouts->len ? g_ptr_array_index(array->layouts, 0) : NULL;
  if (!array->is_compiled)
    return smb_advise_proven(fix->advice, array);
  return first && smb_advise_is_better(fix->advice, array, first) ? first : NULL;
}

static void
write_remedies_json(JsonBuilder *json, const SmbFix *fix, const SmbFixLine *line) {
  smb_json_array(json, "remedies");
  for (guint i = 0; i < line->arrays->len; i++) {
    const SmbAdviseArray *array = g_ptr_array_index(line->arrays, i);
    const SmbAdviseLayout *best = find_best(fix, array);
    g_autoptr(GPtrArray) remedies = smb_fix_remedies(fix, array);
    smb_json_object(json, NULL);
    smb_json_text(json, "array", array->search->use->array->name);
    smb_json_text(json, "layout", best ? best->name : NULL);
    smb_json_tally_object(json, "now", &array->now->candidate->total);
    smb_json_tally_object(json, "then", best ? &best->candidate->total : NULL);
    smb_json_texts(json, "sentences", remedies);
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
}

static void
write_fix_line_json(JsonBuilder *json, const SmbFix *fix, const SmbFixLine *line) {
  smb_json_object(json, NULL);
  smb_json_text(json, "file", line->code->file);
  smb_json_number_if(json, "line", line->code->line > 0, line->code->line);
  smb_json_number(json, "pc", line->code->pc);
  smb_json_text(json, "source", line->source);
  smb_json_number(json, "instructions", line->instructions);
  if (smb_json_object_if(json, "measured", fix->profile != NULL)) {
    smb_json_number(json, "wavefronts", (gint64)line->wavefronts);
    smb_json_number(json, "ideal_wavefronts", (gint64)line->ideal);
    smb_json_number(json, "excess_wavefronts", (gint64)line->excess);
    json_builder_end_object(json);
  }
  smb_json_tally_object(json, "predicted", &line->predicted);
  smb_json_boolean(json, "exact", line->reason == NULL);
  smb_json_text(json, "reason", line->reason);
  smb_json_text(json, "why", line->why);
  write_remedies_json(json, fix, line);
  json_builder_end_object(json);
}

// What was measured of the kernel as a whole; null where its instructions were.
static void
write_fix_metrics_json(JsonBuilder *json, const SmbFix *fix) {
  if (!fix->measured) {
    smb_json_null(json, "metrics");
    return;
  }
  smb_json_array(json, "metrics");
  for (guint i = 0; i < fix->measured->metrics->len; i++) {
    const SmbKernelMetric *metric = &g_array_index(fix->measured->metrics, SmbKernelMetric, i);
    double predicted = 0, slack;
    gboolean is_known = smb_kernel_metric_predict(metric->name, fix->analysis, &predicted, &slack);
    smb_json_object(json, NULL);
    smb_json_text(json, "name", metric->name);
    smb_json_double(json, "measured", metric->value);
    smb_json_number_if(json, "predicted", is_known, (gint64)predicted);
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
}

void
smb_fix_json_members(JsonBuilder *json, const SmbFixResult *result, SmbArch *arch) {
  const SmbFix *fix = result->fix;
  SmbTally predicted = smb_analysis_total(fix->analysis);
  const char *kernel;
  guint place = smb_fix_place(fix, &kernel);
  smb_json_target(json, smb_fix_code(fix), fix->analysis->shared_bytes);
  smb_json_arch(json, arch);
  smb_json_object(json, "profile");
  smb_json_text(json, "file", result->file);
  smb_json_number(json, "line", place);
  smb_json_text(json, "kernel", kernel);
  smb_json_number_if(json, "wavefronts", fix->profile != NULL, (gint64)fix->wavefronts);
  smb_json_number_if(json, "excess_wavefronts", fix->profile != NULL, (gint64)fix->excess);
  write_fix_metrics_json(json, fix);
  json_builder_end_object(json);
  smb_json_tally_object(json, "predicted", &predicted);
  smb_json_text(json, "advice_failure", fix->advice_failure);
  smb_json_array(json, "lines");
  for (guint i = 0; i < fix->lines->len; i++)
    write_fix_line_json(json, fix, g_ptr_array_index(fix->lines, i));
  json_builder_end_array(json);
  smb_analyze_json_warnings(json, smb_fix_code(fix), fix->analysis);
}

void
smb_fix_write_json(SmbCli *cli, gconstpointer data) {
  JsonBuilder *json = smb_json_begin("fix");
  smb_fix_json_members(json, data, cli->arch);
  smb_json_end(json, cli->out);
}

// @array: (nullable): %NULL: the line has none that was searched
static void
write_fix_csv_row(SmbCsv *csv, const SmbFix *fix, const char *of, const SmbFixLine *line,
                  const SmbAdviseArray *array) {
  const SmbAdviseLayout *best = array ? find_best(fix, array) : NULL;
  if (of)
    smb_csv_text(csv, of);
  smb_csv_text(csv, line->code->file);
  smb_csv_number_if(csv, line->code->line > 0, line->code->line);
  smb_csv_number(csv, line->code->pc);
  smb_csv_number_if(csv, fix->profile != NULL, line->wavefronts);
  smb_csv_number_if(csv, fix->profile != NULL, line->ideal);
  smb_csv_number_if(csv, fix->profile != NULL, line->excess);
  smb_csv_number(csv, line->predicted.wavefronts);
  smb_csv_text(csv, array ? array->search->use->array->name : NULL);
  smb_csv_text(csv, best ? best->name : NULL);
  smb_csv_number_if(csv, array != NULL, array ? array->now->candidate->total.wavefronts : 0);
  smb_csv_number_if(csv, best != NULL, best ? best->candidate->total.wavefronts : 0);
  smb_csv_end_row(csv);
}

void
smb_fix_csv_rows(SmbCsv *csv, const SmbFix *fix, const char *of) {
  for (guint i = 0; i < fix->lines->len; i++) {
    const SmbFixLine *line = g_ptr_array_index(fix->lines, i);
    for (guint j = 0; j < MAX(1, line->arrays->len); j++)
      write_fix_csv_row(csv, fix, of, line,
                        j < line->arrays->len ? g_ptr_array_index(line->arrays, j) : NULL);
  }
}

void
smb_fix_write_csv(SmbCli *cli, gconstpointer data) {
  SmbCsv csv = smb_csv_begin(cli->out, SMB_FIX_COLUMNS);
  smb_fix_csv_rows(&csv, ((const SmbFixResult *)data)->fix, NULL);
}
