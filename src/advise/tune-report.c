// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The result of advise --tune in each format.
#include "sim/arch/arch.h"
#include "sim/base/text.h"
#include "src/advise/tune-impl.h"
#include "src/out/csv.h"
#include "src/out/json.h"
#include "src/out/table.h"
#include "src/cli/target-json.h"

static void
write_row(SmbTable *table, const Tuning *tuning, const Trial *trial, guint rank) {
  SmbStyle style = trial->total.excess ? SMB_STYLE_BAD : SMB_STYLE_GOOD;
  smb_table_number(table, SMB_STYLE_BOLD, rank);
  for (guint i = 0; i < tuning->n_ranges; i++)
    smb_table_printf(table, SMB_STYLE_PLAIN, "%" G_GINT64_FORMAT, trial->values[i]);
  if (trial->failure) {
    for (guint i = 0; i < tuning->n_classes + 4; i++)
      smb_table_cell(table, SMB_STYLE_DIM, "-");
    smb_table_cell(table, SMB_STYLE_BAD, trial->failure);
    return;
  }
  for (guint c = 0; c < tuning->n_classes; c++)
    smb_table_number(table, SMB_STYLE_PLAIN, trial->classes[c].wavefronts);
  smb_table_number(table, style, trial->total.wavefronts);
  smb_table_number(table, style, trial->total.excess);
  smb_table_number(table, SMB_STYLE_PLAIN, trial->shared_bytes);
  if (trial->occupancy.known)
    smb_table_number(table, SMB_STYLE_PLAIN, trial->occupancy.blocks);
  else
    smb_table_cell(table, SMB_STYLE_DIM, "-");
  smb_table_cell(table, SMB_STYLE_BOLD, trial->is_present ? "now" : "");
}

static void
write_table(SmbCli *cli, const Tuning *tuning) {
  g_autoptr(SmbTable) table = smb_table_new(">");
  for (guint i = 0; i < tuning->n_ranges; i++)
    smb_table_column(table, tuning->ranges[i].name, SMB_ALIGN_RIGHT);
  smb_table_columns(table, tuning->n_classes > SMB_OP_CLASS_ATOMIC ? "loads>|stores>|atomics>"
                                                                   : "loads>|stores>");
  smb_table_columns(table, "wavefronts>|excess>|bytes>|blocks/SM>|");
  smb_table_wrap(table);
  for (guint i = 0; i < tuning->trials->len; i++) {
    if (smb_tuning_shows(tuning, i))
      write_row(table, tuning, g_ptr_array_index(tuning->trials, i), i + 1);
  }
  smb_table_write(table, cli->out, cli->colour);
}

void
smb_tuning_write_text(SmbCli *cli, gconstpointer result) {
  const Tuning *tuning = result;
  const Trial *best = g_ptr_array_index(tuning->trials, 0);
  g_autoptr(SmbTarget) target = smb_tuning_target(tuning, best->values, NULL);
  smb_style_write(cli->out, SMB_STYLE_BOLD, cli->colour, target->name);
  smb_spool_printf(cli->out, "  %s, %s\n\n", target->file, smb_arch_info(cli->arch)->name);
  write_table(cli, tuning);
  guint ties = 0, failed = 0;
  for (guint i = 0; i < tuning->trials->len; i++) {
    const Trial *trial = g_ptr_array_index(tuning->trials, i);
    failed += trial->failure != NULL;
    ties += !trial->failure && trial->total.wavefronts == best->total.wavefronts;
  }
  g_autoptr(GString) text = g_string_new(NULL);
  g_string_append_printf(text, "Tried %u combination%s. Best: %" G_GUINT64_FORMAT " wavefront%s",
                         tuning->trials->len, smb_plural(tuning->trials->len),
                         best->total.wavefronts, smb_plural(best->total.wavefronts));
  if (best->total.excess)
    g_string_append_printf(text, ", %" G_GUINT64_FORMAT " of them in excess", best->total.excess);
  g_string_append_printf(
      text, ", reached by %u; these are listed by shared memory, the least first.", ties);
  if (failed)
    g_string_append_printf(text, " %u cannot be run.", failed);
  smb_spool_puts(cli->out, "\n");
  smb_text_wrap(cli->out, text->str);
  if (tuning->measured)
    smb_advise_write_measured(cli, "macros", tuning->measured);
}

void
smb_tuning_write_json(SmbCli *cli, gconstpointer result) {
  const Tuning *tuning = result;
  const Trial *best = g_ptr_array_index(tuning->trials, 0);
  g_autoptr(SmbTarget) target = smb_tuning_target(tuning, best->values, NULL);
  JsonBuilder *json = smb_json_begin(cli->command);
  smb_json_target(json, target, best->shared_bytes);
  smb_json_arch(json, cli->arch);
  smb_json_array(json, "tuned");
  for (guint i = 0; i < tuning->trials->len; i++) {
    const Trial *trial = g_ptr_array_index(tuning->trials, i);
    smb_json_object(json, NULL);
    smb_json_number(json, "rank", i + 1);
    smb_json_object(json, "values");
    for (guint j = 0; j < tuning->n_ranges; j++)
      smb_json_number(json, tuning->ranges[j].name, trial->values[j]);
    json_builder_end_object(json);
    smb_json_boolean(json, "present", trial->is_present);
    smb_json_text(json, "failure", trial->failure);
    if (trial->failure) {
      smb_json_null(json, "totals");
      smb_json_null(json, "shared_bytes");
      smb_json_null(json, "blocks_per_sm");
    } else {
      smb_json_totals(json, trial->classes);
      smb_json_number(json, "shared_bytes", (gint64)trial->shared_bytes);
      smb_json_number_if(json, "blocks_per_sm", trial->occupancy.known, trial->occupancy.blocks);
    }
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
  smb_advise_json_measured(json, tuning->measured);
  smb_json_end(json, cli->out);
}

static void
write_csv(SmbCli *cli, gconstpointer result) {
  const Tuning *tuning = result;
  g_autoptr(GString) names = g_string_new("rank");
  for (guint i = 0; i < tuning->n_ranges; i++)
    g_string_append_printf(names, ",%s", tuning->ranges[i].name);
  g_string_append(names, ",present,requests,wavefronts,ideal_wavefronts,shared_bytes,failure");
  SmbCsv csv = smb_csv_begin(cli->out, names->str);
  for (guint i = 0; i < tuning->trials->len; i++) {
    const Trial *trial = g_ptr_array_index(tuning->trials, i);
    smb_csv_number(&csv, i + 1);
    for (guint j = 0; j < tuning->n_ranges; j++) {
      g_autofree char *value = g_strdup_printf("%" G_GINT64_FORMAT, trial->values[j]);
      smb_csv_text(&csv, value);
    }
    smb_csv_text(&csv, trial->is_present ? "yes" : "no");
    for (guint empty = 0; trial->failure && empty < 4; empty++)
      smb_csv_text(&csv, NULL);
    if (!trial->failure)
      SMB_CSV_NUMBERS(&csv, trial->total.requests, trial->total.wavefronts, trial->total.ideal,
                      trial->shared_bytes);
    smb_csv_text(&csv, trial->failure);
    smb_csv_end_row(&csv);
  }
}

const SmbFormat smb_tuning_formats[] = {{"text", smb_tuning_write_text, NULL},
                                        {"json", smb_tuning_write_json, NULL},
                                        {"csv", write_csv, NULL},
                                        {NULL, NULL, NULL}};
