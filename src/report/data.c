// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The data of the script: the captions of each map (doc/json-schema/report.json). Which lane is served when
// stands in the pictures.
#include "sim/arch/rule.h"
#include "src/out/bank-map.h"
#include "src/out/json.h"
#include "src/report/impl.h"
#include "src/cli/target-json.h"

static void
write_map_data(const SmbReport *report, JsonBuilder *json, const SmbReportMap *map) {
  const SmbAccess *access = &g_array_index(report->analysis->accesses, SmbAccess, map->access);
  g_autoptr(SmbBankMap) drawn = smb_bank_map_new(report->arch, &map->request);
  g_autofree char *whole = smb_bank_map_caption(drawn, SMB_BANK_MAP_ALL);
  smb_json_object(json, NULL);
  smb_json_number(json, "access", map->access);
  smb_json_number(json, "line", access->site->line);
  smb_json_number(json, "column", access->site->column);
  smb_json_text(json, "expression", access->site->expression);
  smb_json_number(json, "warp", map->warp);
  smb_json_number(json, "block", (gint64)map->block);
  smb_json_number(json, "wavefronts", drawn->cost.wavefronts);
  smb_json_number(json, "ideal_wavefronts", drawn->cost.ideal);
  smb_json_number(json, "group_lanes", smb_lanes_count(smb_plan_group_lanes(drawn->plan, 0)));
  smb_json_text(json, "whole", whole);
  smb_json_array(json, "passes");
  for (guint pass = 0; pass < drawn->passes.n; pass++) {
    g_autofree char *caption = smb_bank_map_caption(drawn, (int)pass);
    smb_json_text(json, NULL, caption);
  }
  json_builder_end_array(json);
  json_builder_end_object(json);
}

void
smb_report_write_data(const SmbReport *report, SmbSpool *page) {
  g_autoptr(SmbSpool) text = smb_spool_new();
  JsonBuilder *json = smb_json_begin("report");
  smb_json_target(json, report->target, report->analysis->shared_bytes);
  smb_json_arch(json, report->arch);
  smb_json_array(json, "maps");
  for (guint i = 0; i < report->maps->len; i++)
    write_map_data(report, json, &g_array_index(report->maps, SmbReportMap, i));
  json_builder_end_array(json);
  smb_json_end(json, text);
  GString *document = smb_spool_take(text, NULL);
  smb_spool_puts(page, "<script type=\"application/json\" id=\"data\">\n");
  smb_html_json(page, document ? document->str : "null");
  smb_spool_puts(page, "</script>\n");
  if (document)
    g_string_free(document, TRUE);
}
