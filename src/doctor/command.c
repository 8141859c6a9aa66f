// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// doctor: what of all that smembank can use is on this machine, and what does not work without the rest.
#include "config.h"

#include "src/commands.h"
#include "src/doctor/part.h"
#include "src/out/csv.h"
#include "src/out/json.h"
#include "src/out/table.h"

static void
write_doctor_text(SmbCli *cli, gconstpointer result) {
  const GPtrArray *parts = result;
  guint n_missing = 0;
  g_autoptr(SmbTable) table = smb_table_new("part|usable|detail");
  for (guint i = 0; i < parts->len; i++) {
    const SmbPart *part = parts->pdata[i];
    smb_table_cell(table, SMB_STYLE_PLAIN, part->name);
    smb_table_cell(table, part->usable ? SMB_STYLE_GOOD : SMB_STYLE_BAD,
                   part->usable ? "yes" : "no");
    smb_table_cell(table, SMB_STYLE_PLAIN, part->detail);
    n_missing += !part->usable;
  }
  smb_table_write(table, cli->out, cli->colour);
  if (n_missing == 0)
    return;
  smb_spool_puts(cli->out, "\n");
  g_autoptr(SmbTable) costs = smb_table_new("without|what does not work");
  for (guint i = 0; i < parts->len; i++) {
    const SmbPart *part = parts->pdata[i];
    if (part->usable)
      continue;
    smb_table_cell(costs, SMB_STYLE_PLAIN, part->name);
    smb_table_cell(costs, SMB_STYLE_PLAIN, part->without);
  }
  smb_table_write(costs, cli->out, cli->colour);
}

static void
write_doctor_json(SmbCli *cli, gconstpointer result) {
  const GPtrArray *parts = result;
  JsonBuilder *json = smb_json_begin(cli->command);
  smb_json_text(json, "version", PACKAGE_VERSION);
  smb_json_array(json, "parts");
  for (guint i = 0; i < parts->len; i++) {
    const SmbPart *part = parts->pdata[i];
    smb_json_object(json, NULL);
    smb_json_text(json, "part", part->name);
    smb_json_boolean(json, "usable", part->usable);
    smb_json_text(json, "detail", part->detail);
    smb_json_text(json, "without", part->without);
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
  smb_json_end(json, cli->out);
}

static void
write_doctor_csv(SmbCli *cli, gconstpointer result) {
  const GPtrArray *parts = result;
  SmbCsv csv = smb_csv_begin(cli->out, "part,usable,detail,without");
  for (guint i = 0; i < parts->len; i++) {
    const SmbPart *part = parts->pdata[i];
    smb_csv_text(&csv, part->name);
    smb_csv_text(&csv, part->usable ? "yes" : "no");
    smb_csv_text(&csv, part->detail);
    smb_csv_text(&csv, part->without);
    smb_csv_end_row(&csv);
  }
}

static const SmbFormat formats[] = {{"text", write_doctor_text, NULL},
                                    {"json", write_doctor_json, NULL},
                                    {"csv", write_doctor_csv, NULL},
                                    {NULL, NULL, NULL}};

static const SmbCliUsage usage = {
    .description = "Says what of all that smembank can use is on this machine, and what does not "
                   "work without the rest. Counting needs none of it.",
    .formats = formats,
    .example = "smembank doctor",
};

gboolean
smb_cmd_doctor(SmbCli *cli, GError **error) {
  if (!smb_cli_parse(cli, &usage, NULL, error))
    return FALSE;
  g_autoptr(GPtrArray) parts = smb_parts_find(cli->cuda);
  cli->format->write(cli, parts);
  return TRUE;
}
