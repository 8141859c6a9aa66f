// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/fuzz/part.h"

#include <math.h>

#include "gpu/error.h"
#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/trace/trace.h"
#include "src/measure/measured-text.h"
#include "src/out/csv.h"
#include "src/out/json.h"
#include "src/out/table.h"
#include "src/target/target-json.h"

SmbFuzzResult
smb_fuzz_report_total(const SmbFuzzReport *report) {
  SmbFuzzResult total = {0};
  for (guint i = 0; i < report->results->len; i++)
    smb_fuzz_result_add(&total, &g_array_index(report->results, SmbFuzzResult, i));
  return total;
}

static double
rate(guint64 patterns, double seconds) {
  return seconds > 0 ? (double)patterns / seconds : 0;
}

static void
add_numbers(SmbTable *table, const SmbFuzzResult *result) {
  SmbStyle clock = result->mismatches ? SMB_STYLE_BAD : SMB_STYLE_GOOD;
  SmbStyle count = result->count_mismatches ? SMB_STYLE_BAD : SMB_STYLE_GOOD;
  smb_table_number(table, SMB_STYLE_PLAIN, result->patterns);
  smb_table_number(table, clock, result->mismatches);
  smb_table_number(table, SMB_STYLE_PLAIN, result->unsteady);
  smb_table_number(table, SMB_STYLE_PLAIN, result->counted);
  smb_table_number(table, count, result->count_mismatches);
  smb_table_printf(table, SMB_STYLE_DIM, "%.2f", rate(result->patterns, result->seconds) / 1e6);
  smb_table_printf(table, SMB_STYLE_DIM, "%.2f",
                   rate(result->patterns, result->device_seconds) / 1e6);
}

static void
write_fuzz_table(SmbCli *cli, const SmbFuzzReport *report) {
  g_autoptr(SmbTable) table =
      smb_table_new("instruction|rule|patterns>|differ>|unsteady>|counted>|differ>|M/s>|device>");
  for (guint i = 0; i < report->results->len; i++) {
    const SmbFuzzResult *result = &g_array_index(report->results, SmbFuzzResult, i);
    const SmbInstruction *instruction = smb_instruction(result->instruction);
    if (result->failure)
      continue;
    smb_table_cell(table, SMB_STYLE_PLAIN, instruction->name);
    smb_table_printf(table, SMB_STYLE_DIM, "%s%s %u", result->is_bound ? ">= " : "",
                     smb_op_name(instruction->op), instruction->width);
    add_numbers(table, result);
  }
  SmbFuzzResult total = smb_fuzz_report_total(report);
  smb_table_rule(table);
  smb_table_cell(table, SMB_STYLE_PLAIN, "total");
  smb_table_cell(table, SMB_STYLE_PLAIN, "");
  add_numbers(table, &total);
  smb_table_write(table, cli->out, cli->colour);
}

// The request as a line of a trace that carries what was counted, and all numbers behind it.
static void
write_mismatch(SmbSpool *out, const SmbFuzzMismatch *mismatch) {
  g_autoptr(GString) line = g_string_new(NULL);
  g_autofree char *cycles = smb_measured_text(mismatch->cycles);
  g_autofree char *wavefronts = smb_measured_text(mismatch->wavefronts);
  smb_trace_append_request(line, &mismatch->request, SMB_NVIDIA_LANES);
  if (mismatch->wavefronts != SMB_NOT_MEASURED)
    g_string_append_printf(line, " = %.0f", MAX(round(mismatch->wavefronts), 0));
  smb_spool_printf(
      out, "%s # %s: wavefronts: predicted %u, counted %s; cycles: predicted %u, measured %s\n",
      line->str, smb_instruction(mismatch->instruction)->name, mismatch->predicted.wavefronts,
      wavefronts, mismatch->predicted.cycles, cycles);
}

static guint
count_shown(const SmbFuzzReport *report) {
  return MIN(report->mismatches->len, SMB_FUZZ_SHOWN);
}

static void
write_mismatches(SmbSpool *out, const SmbFuzzReport *report) {
  for (guint i = 0; i < count_shown(report); i++)
    write_mismatch(out, &g_array_index(report->mismatches, SmbFuzzMismatch, i));
}

static void
write_fuzz_verdict(SmbCli *cli, const SmbFuzzOptions *options, const SmbFuzzResult *total) {
  gboolean differ = total->mismatches + total->count_mismatches > 0;
  g_autofree char *line =
      differ ? g_strdup_printf("%s, %s by the clock, %s by counters.",
                               smb_count(total->patterns, "pattern").text,
                               smb_count(total->mismatches, "mismatch").text,
                               smb_number(total->count_mismatches).text)
             : g_strdup_printf("%s, 0 mismatches.", smb_count(total->patterns, "pattern").text);
  smb_style_write(cli->out, differ ? SMB_STYLE_BAD : SMB_STYLE_GOOD, cli->colour, line);
  smb_spool_printf(cli->out, " %s random requests of each instruction, seed %s.\n\n",
                   smb_number(options->count).text, smb_number(options->seed).text);
}

static void
write_fuzz_text(SmbCli *cli, gconstpointer written) {
  const SmbFuzzReport *report = written;
  SmbFuzzResult total = smb_fuzz_report_total(report);
  smb_measured_write_device(cli, report->device, report->arch);
  write_fuzz_verdict(cli, report->options, &total);
  write_fuzz_table(cli, report);
  smb_spool_puts(cli->out, "\n");
  for (guint i = 0; i < report->results->len; i++) {
    const SmbFuzzResult *result = &g_array_index(report->results, SmbFuzzResult, i);
    if (result->failure)
      smb_spool_printf(cli->out, "not measured: %s: %s\n",
                       smb_instruction(result->instruction)->name, result->failure);
  }
  smb_measured_write_counters(cli, report->refusal);
  smb_text_wrap(cli->out,
                "differ: requests that differ from the model in all 4 readings of the clock, or of "
                "those counted, in all 4 counts. unsteady: requests that differed at least once, "
                "but not always. M/s: million patterns a second, in all and on the GPU alone.");
  if (report->mismatches->len > 0)
    smb_spool_puts(cli->out, "\nThe first mismatches, as lines of a trace:\n");
  write_mismatches(cli->out, report);
  if (report->options->shard.of)
    smb_shard_write_text(&report->options->shard, cli->out);
}

static void
add_json_numbers(JsonBuilder *json, const SmbFuzzResult *result) {
  smb_json_number(json, "patterns", (gint64)result->patterns);
  smb_json_number(json, "mismatches", (gint64)result->mismatches);
  smb_json_number(json, "unsteady", (gint64)result->unsteady);
  smb_json_number(json, "counted", (gint64)result->counted);
  smb_json_number(json, "count_mismatches", (gint64)result->count_mismatches);
  smb_json_double(json, "seconds", result->seconds);
  smb_json_double(json, "device_seconds", result->device_seconds);
  smb_json_double(json, "patterns_per_second", rate(result->patterns, result->seconds));
  smb_json_double(json, "device_patterns_per_second",
                  rate(result->patterns, result->device_seconds));
}

static void
add_json_result(JsonBuilder *json, const SmbFuzzResult *result) {
  const SmbInstruction *instruction = smb_instruction(result->instruction);
  smb_json_object(json, NULL);
  smb_json_text(json, "instruction", instruction->name);
  smb_json_text(json, "op", smb_op_name(instruction->op));
  smb_json_number(json, "width", instruction->width);
  smb_json_boolean(json, "bound", result->is_bound);
  add_json_numbers(json, result);
  smb_json_text(json, "failure", result->failure);
  json_builder_end_object(json);
}

static void
add_fuzz_mismatch(JsonBuilder *json, const SmbFuzzMismatch *mismatch) {
  g_autoptr(GString) line = g_string_new(NULL);
  smb_trace_append_request(line, &mismatch->request, SMB_NVIDIA_LANES);
  smb_json_object(json, NULL);
  smb_json_text(json, "request", line->str);
  smb_json_text(json, "instruction", smb_instruction(mismatch->instruction)->name);
  smb_measured_json(json, mismatch->predicted.wavefronts, mismatch->wavefronts,
                    mismatch->predicted.cycles, mismatch->cycles);
  json_builder_end_object(json);
}

static void
write_fuzz_json(SmbCli *cli, gconstpointer written) {
  const SmbFuzzReport *report = written;
  SmbFuzzResult total = smb_fuzz_report_total(report);
  JsonBuilder *json = smb_json_begin(cli->command);
  smb_measured_json_device(json, report->device, report->refusal);
  smb_json_arch(json, report->arch);
  smb_json_number(json, "count", (gint64)report->options->count);
  // Any number of 64 bits: JSON's integers are signed.
  g_autofree char *seed = g_strdup_printf("%s", smb_number(report->options->seed).text);
  smb_json_text(json, "seed", seed);
  smb_json_array(json, "instructions");
  for (guint i = 0; i < report->results->len; i++)
    add_json_result(json, &g_array_index(report->results, SmbFuzzResult, i));
  json_builder_end_array(json);
  smb_json_object(json, "total");
  add_json_numbers(json, &total);
  json_builder_end_object(json);
  smb_json_array(json, "mismatches");
  for (guint i = 0; i < count_shown(report); i++)
    add_fuzz_mismatch(json, &g_array_index(report->mismatches, SmbFuzzMismatch, i));
  json_builder_end_array(json);
  if (report->options->shard.of)
    smb_fuzz_json_part(json, report);
  smb_json_end(json, cli->out);
}

static void
write_fuzz_csv(SmbCli *cli, gconstpointer written) {
  const SmbFuzzReport *report = written;
  SmbCsv csv = smb_csv_begin(cli->out, "instruction,op,width,patterns,mismatches,unsteady,"
                                       "counted,count_mismatches,patterns_per_second,"
                                       "device_patterns_per_second,failure");
  for (guint i = 0; i < report->results->len; i++) {
    const SmbFuzzResult *result = &g_array_index(report->results, SmbFuzzResult, i);
    const SmbInstruction *instruction = smb_instruction(result->instruction);
    smb_csv_text(&csv, instruction->name);
    smb_csv_text(&csv, smb_op_name(instruction->op));
    SMB_CSV_NUMBERS(&csv, instruction->width, result->patterns, result->mismatches,
                    result->unsteady, result->counted, result->count_mismatches,
                    (guint64)rate(result->patterns, result->seconds),
                    (guint64)rate(result->patterns, result->device_seconds));
    smb_csv_text(&csv, result->failure);
    smb_csv_end_row(&csv);
  }
  write_mismatches(cli->messages, report);
}

const SmbFormat smb_fuzz_formats[] = {{"text", write_fuzz_text, NULL},
                                      {"json", write_fuzz_json, NULL},
                                      {"csv", write_fuzz_csv, NULL},
                                      {NULL, NULL, NULL}};

// If the device could do nothing of what was asked, the first reason is the error.
static gboolean
check_measured(const SmbFuzzReport *report, GError **error) {
  for (guint i = 0; i < report->results->len; i++) {
    if (!g_array_index(report->results, SmbFuzzResult, i).failure)
      return TRUE;
  }
  return smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_UNAVAILABLE, "nothing could be measured: %s",
                  g_array_index(report->results, SmbFuzzResult, 0).failure);
}

gboolean
smb_fuzz_report_finish(SmbCli *cli, const SmbFuzzReport *report, GError **error) {
  if (!report->options->shard.of && !check_measured(report, error))
    return FALSE;
  cli->format->write(cli, report);
  SmbFuzzResult total = smb_fuzz_report_total(report);
  if (total.mismatches + total.count_mismatches > 0)
    cli->status = SMB_EXIT_DIFFERS;
  return TRUE;
}
