// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A comparison for programs: every row, as JSON and CSV.
#include "src/validate/comparison-part.h"

#include <math.h>

#include "sim/measured/recording-head.h"
#include "src/out/csv.h"
#include "src/out/json.h"
#include "src/target/target-json.h"

// Counts are whole numbers in JSON too; only a mean, a ratio or a time has a fraction.
static void
write_json_value(JsonBuilder *json, const char *key, double value) {
  if (value < 0)
    smb_json_null(json, key);
  else if (value == floor(value))
    smb_json_number(json, key, (gint64)value);
  else
    smb_json_double(json, key, value);
}

static void
write_json_published(JsonBuilder *json, const SmbComparisonRow *row) {
  smb_json_array(json, "published");
  for (guint i = 0; row->published && i < row->published->len; i++) {
    const SmbComparisonRow *published = g_ptr_array_index(row->published, i);
    smb_json_object(json, NULL);
    smb_json_text(json, "gpu", published->gpu);
    write_json_value(json, "value", published->measured);
    smb_json_text(json, "source", published->source);
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
}

// Whether a row matches, in a word; NULL if it was not compared.
static const char *
match_word(SmbOutcome outcome) {
  static const char *const words[] = {
      [SMB_OUTCOME_MATCH] = "yes",   [SMB_OUTCOME_EXPLAINED] = "no",
      [SMB_OUTCOME_MISMATCH] = "no", [SMB_OUTCOME_UNMEASURED] = NULL,
      [SMB_OUTCOME_SHOWN] = NULL,
  };
  return words[outcome];
}

static void
write_comparison_json_row(JsonBuilder *json, const SmbComparison *comparison,
                          const SmbComparisonRow *row, gboolean time) {
  smb_json_object(json, NULL);
  smb_json_text(json, "kernel", row->kernel);
  smb_json_text(json, "shape", row->shape);
  smb_json_defines(json, row->defines);
  if (row->kind == SMB_ROW_REQUEST) {
    smb_json_text(json, "op", smb_op_name(row->op));
    smb_json_number(json, "width", row->width);
  }
  if (row->kind == SMB_ROW_INSTRUCTION)
    smb_json_text(json, "instruction", row->instruction);
  smb_json_text(json, "metric", row->metric);
  smb_json_text(json, "parameter", row->parameter);
  write_json_value(json, "predicted", row->predicted);
  if (row->is_range) {
    write_json_value(json, "predicted_min", row->least);
    write_json_value(json, "predicted_max", row->most);
  }
  write_json_value(json, "measured", row->measured);
  if (time) {
    write_json_value(json, "min", row->min);
    write_json_value(json, "max", row->max);
    smb_json_number(json, "bytes", (gint64)row->bytes);
    write_json_value(json, "gb_per_s", row->bandwidth);
  }
  write_json_published(json, row);
  smb_json_text(json, "source", row->place);
  smb_json_text(json, "gpu", row->gpu);
  smb_json_text(json, "arch", row->arch);
  smb_json_boolean_if(json, "match", match_word(row->outcome) != NULL,
                      row->outcome == SMB_OUTCOME_MATCH);
  smb_json_boolean(json, "explained", row->outcome == SMB_OUTCOME_EXPLAINED);
  smb_json_text(json, "note", row->note);
  if (comparison->shard.of)
    smb_comparison_json_row_part(json, comparison, row);
  json_builder_end_object(json);
}

// The times, or all other rows.
static void
write_json_rows(JsonBuilder *json, const SmbComparison *comparison, gboolean times) {
  smb_json_array(json, times ? "times" : "rows");
  for (guint i = 0; i < comparison->rows->len; i++) {
    const SmbComparisonRow *row = g_ptr_array_index(comparison->rows, i);
    if (smb_comparison_is_time(row) == times)
      write_comparison_json_row(json, comparison, row, times);
  }
  json_builder_end_array(json);
}

static void
write_comparison_json(SmbCli *cli, gconstpointer report) {
  const SmbComparison *comparison = ((const SmbComparisonReport *)report)->comparison;
  g_autofree char *provenance = smb_comparison_provenance(comparison);
  JsonBuilder *json = smb_json_begin(cli->command);
  smb_json_text(json, "device", comparison->device);
  smb_json_text(json, "measured_by", provenance);
  smb_json_array(json, "recordings");
  for (guint i = 0; i < comparison->recordings->len; i++) {
    smb_json_object(json, NULL);
    smb_json_members(json, smb_recording_head.members, smb_recording_head.n,
                     comparison->recordings->pdata[i]);
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
  write_json_rows(json, comparison, FALSE);
  write_json_rows(json, comparison, TRUE);
  smb_json_object(json, "summary");
  smb_json_number(json, "compared", comparison->compared);
  smb_json_number(json, "matched", comparison->matched);
  smb_json_number(json, "explained", comparison->explained);
  smb_json_number(json, "mismatched", comparison->mismatched);
  smb_json_number(json, "unmeasured", comparison->unmeasured);
  smb_json_number(json, "failed", comparison->failed);
  json_builder_end_object(json);
  if (comparison->shard.of)
    smb_comparison_json_part(json, report);
  smb_json_end(json, cli->out);
}

// A number, or an empty field where there is none.
static void
write_csv_value(SmbCsv *csv, double value) {
  g_autofree char *text = smb_comparison_number(value);
  smb_csv_text(csv, *text ? text : NULL);
}

static void
write_comparison_csv_row(SmbCsv *csv, const SmbComparisonRow *row) {
  g_autofree char *defines = g_strjoinv(" ", (GStrv)(gpointer)row->defines);
  g_autofree char *published = smb_comparison_published(row);
  smb_csv_text(csv, row->kernel);
  smb_csv_text(csv, row->shape);
  smb_csv_text(csv, defines);
  if (row->kind == SMB_ROW_REQUEST) {
    smb_csv_text(csv, smb_op_name(row->op));
    smb_csv_number(csv, row->width);
  } else {
    smb_csv_text(csv, NULL);
    smb_csv_text(csv, NULL);
  }
  smb_csv_text(csv, row->metric);
  write_csv_value(csv, row->predicted);
  write_csv_value(csv, row->measured);
  smb_csv_text(csv, match_word(row->outcome));
  smb_csv_text(csv, row->gpu);
  smb_csv_text(csv, row->arch);
  smb_csv_text(csv, row->place);
  smb_csv_text(csv, row->parameter);
  smb_csv_text(csv, *published ? published : NULL);
  smb_csv_text(csv, row->outcome == SMB_OUTCOME_EXPLAINED ? "explained" : NULL);
  write_csv_value(csv, row->min);
  write_csv_value(csv, row->max);
  smb_csv_text(csv, row->note);
  write_csv_value(csv, row->bandwidth);
  smb_csv_end_row(csv);
}

static void
write_comparison_csv(SmbCli *cli, gconstpointer report) {
  const SmbComparison *comparison = ((const SmbComparisonReport *)report)->comparison;
  SmbCsv csv = smb_csv_begin(cli->out, "kernel,shape,defines,op,width,metric,predicted,"
                                       "measured,match,gpu,arch,source,parameter,"
                                       "published,explained,min,max,note,gb_per_s");
  for (guint i = 0; i < comparison->rows->len; i++)
    write_comparison_csv_row(&csv, g_ptr_array_index(comparison->rows, i));
}

const SmbFormat smb_comparison_formats[] = {{"text", smb_comparison_write_text, NULL},
                                            {"json", write_comparison_json, NULL},
                                            {"csv", write_comparison_csv, NULL},
                                            {NULL, NULL, NULL}};

void
smb_comparison_write(SmbCli *cli, const SmbComparisonReport *report) {
  cli->format->write(cli, report);
  if (report->comparison->mismatched > 0 || report->comparison->failed > 0)
    cli->status = SMB_EXIT_DIFFERS;
}
