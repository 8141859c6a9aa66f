// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The frame of the page: its head, its heading, its parts in order, and the data of its script.
#include "config.h"

#include "sim/arch/rule.h"
#include "sim/arch/words.h"
#include "sim/base/data.h"
#include "src/analysis/verdict.h"
#include "src/analysis/warning.h"
#include "src/draw/bank-map.h"
#include "src/out/describe.h"
#include "src/out/json.h"
#include "src/rank/rank.h"
#include "src/report/impl.h"
#include "src/target/captured.h"
#include "src/target/target-json.h"

// A text of the data, such as a style or a script.
static gboolean
write_data_file(SmbSpool *page, const char *path, GError **error) {
  g_autoptr(GBytes) bytes = smb_data_load(path, error);
  gsize length;
  if (!bytes)
    return FALSE;
  const char *text = g_bytes_get_data(bytes, &length);
  smb_spool_write(page, text, length);
  return TRUE;
}

// Nothing is fetched from anywhere: the policy forbids it, also the browser's own search for an icon.
gboolean
smb_report_write_head(const char *title, SmbVendor vendor, SmbSpool *page, GError **error) {
  smb_spool_puts(page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                       "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                       "<meta name=\"color-scheme\" content=\"light dark\">\n"
                       "<meta name=\"generator\" content=\"smembank " PACKAGE_VERSION "\">\n"
                       "<link rel=\"icon\" href=\"data:,\">\n<title>");
  smb_html_text(page, title);
  smb_spool_puts(page, smb_vendor_say(vendor, ": shared-memory bank conflicts</title>\n<style>\n"));
  if (!write_data_file(page, "report/map.css", error) ||
      !write_data_file(page, "report/report.css", error))
    return FALSE;
  smb_spool_puts(page, "</style>\n</head>\n<body>\n");
  return TRUE;
}

static void
write_fact(SmbSpool *page, const char *name, const char *value) {
  smb_spool_printf(page, "<div><dt>%s</dt>", name);
  smb_html_within(page, "<dd>", value, "</dd></div>");
}

// Which launch of a capture it is.
static void
write_page_launch(const SmbTarget *target, SmbSpool *page) {
  if (!target->captured)
    return;
  g_autofree char *number = g_strdup_printf("%" G_GUINT64_FORMAT, target->captured->number);
  g_autofree char *duration = smb_rank_duration(target->captured);
  write_fact(page, "launch", number);
  if (*duration)
    write_fact(page, "duration", duration);
}

static void
write_link(const SmbReport *report, SmbSpool *page, const char *place, const char *title) {
  smb_spool_printf(page, "<a href=\"#%s%s\">%s</a> ", report->prefix, place, title);
}

static void
write_page_heading(const SmbReport *report, SmbSpool *page) {
  const SmbTarget *target = report->target;
  const SmbArchInfo *info = smb_arch_info(report->arch);
  g_autofree char *block = smb_describe_extent(target->launch.block);
  g_autofree char *grid = smb_describe_extent(target->launch.grid);
  g_autofree char *defines = g_strjoinv(" ", target->defines);
  g_autofree char *arch = g_strconcat(info->name, ", ", info->title, NULL);
  g_autofree char *bytes =
      g_strdup_printf(smb_arch_say(report->arch, "%" G_GSIZE_FORMAT " bytes a block"),
                      report->analysis->shared_bytes);
  g_autofree char *sentence =
      smb_compiled_count_summarize(report->compiled, report->analysis, report->arch);
  gboolean is_part = *report->prefix != '\0';
  smb_html_within(page, is_part ? "<header>\n<h2>" : "<header>\n<h1>", target->name,
                  is_part ? "</h2>\n<dl class=\"facts\">" : "</h1>\n<dl class=\"facts\">");
  if (!is_part)
    write_fact(page, "file", target->file);
  write_page_launch(target, page);
  if (*defines)
    write_fact(page, "macros", defines);
  write_fact(page, smb_arch_say(report->arch, "block"), block);
  write_fact(page, "grid", grid);
  write_fact(page, smb_arch_say(report->arch, "shared memory"), bytes);
  write_fact(page, "architecture", arch);
  smb_spool_puts(page, "</dl>\n<p class=\"summary\">");
  smb_html_text(page, sentence);
  if (report->time) {
    g_autofree char *time = smb_launch_time_explain(report->time, NULL);
    smb_html_within(page, "</p>\n<p class=\"summary\">", time, "");
  }
  smb_spool_puts(page, "</p>\n<nav>");
  if (report->time && report->time->time)
    write_link(report, page, "time", "Time");
  if (report->conflicts->len > 0)
    write_link(report, page, "advice", "Advice");
  if (smb_report_has_source(report))
    write_link(report, page, "source", "Source");
  write_link(report, page, "accesses", "Accesses");
  smb_spool_printf(page, "<a href=\"#%sconflicts\">Conflicts</a></nav>\n</header>\n",
                   report->prefix);
}

static void
write_warnings(const SmbReport *report, SmbSpool *page) {
  const GArray *warnings = report->analysis->warnings;
  g_autoptr(GPtrArray) notes = g_ptr_array_new_with_free_func(g_free);
  if (report->target->captured)
    smb_captured_note(report->target->captured, notes);
  if (warnings->len + notes->len == 0)
    return;
  smb_spool_printf(page, "<section id=\"%swarnings\">\n<h2>Warnings</h2>\n<ul>\n", report->prefix);
  for (guint i = 0; i < notes->len; i++)
    smb_html_within(page, "<li>", notes->pdata[i], "</li>\n");
  for (guint i = 0; i < warnings->len; i++) {
    const SmbAnalysisWarning *warning = &g_array_index(warnings, SmbAnalysisWarning, i);
    const SmbSite *site = smb_program_site(report->target->kernel, warning->site);
    g_autofree char *text = smb_analyze_tell_warning(report->target->kernel, warnings, i);
    if (!text)
      continue;
    smb_spool_puts(page, "<li>");
    smb_report_write_place(report, page, site, "Line ");
    smb_html_within(page, ": ", text, "</li>\n");
  }
  smb_spool_puts(page, "</ul>\n</section>\n");
}

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

// The data of the script: the captions of each map (doc/json-schema/report.json). Which lane is served when stands in
// the pictures.
static void
write_data(const SmbReport *report, SmbSpool *page) {
  g_autoptr(SmbSpool) text = smb_spool_new();
  JsonBuilder *json = smb_json_begin("report");
  smb_json_target(json, report->target, report->analysis->shared_bytes);
  smb_json_arch(json, report->arch);
  smb_json_array(json, "maps");
  for (guint i = 0; i < report->maps->len; i++)
    write_map_data(report, json, &g_array_index(report->maps, SmbReportMap, i));
  json_builder_end_array(json);
  smb_json_end(json, text);
  g_autoptr(GString) document = smb_spool_take(text, NULL);
  smb_spool_printf(page, "<script type=\"application/json\" id=\"%sdata\">\n", report->prefix);
  smb_html_json(page, document ? document->str : "null");
  smb_spool_puts(page, "</script>\n");
}

static void
write_sections(const SmbReport *report, SmbSpool *page) {
  write_warnings(report, page);
  smb_report_write_time(report, page);
  smb_report_write_advice(report, page);
  smb_report_write_source(report, page);
  smb_report_write_tables(report, page);
  smb_report_write_conflicts(report, page);
}

void
smb_report_write_part(const SmbReport *report, SmbSpool *page) {
  write_page_heading(report, page);
  write_sections(report, page);
  write_data(report, page);
}

gboolean
smb_report_write_script(SmbSpool *page, GError **error) {
  smb_spool_puts(page, "<script>\n");
  if (!write_data_file(page, "report/report.js", error))
    return FALSE;
  smb_spool_puts(page, "</script>\n</body>\n</html>\n");
  return TRUE;
}

gboolean
smb_report_write(const SmbReport *report, SmbSpool *page, GError **error) {
  if (!smb_report_write_head(report->target->name, smb_arch_info(report->arch)->vendor, page,
                             error))
    return FALSE;
  write_page_heading(report, page);
  smb_spool_puts(page, "<main>\n");
  write_sections(report, page);
  smb_spool_puts(page,
                 smb_arch_say(report->arch,
                              "</main>\n<footer>Wavefronts are counted by smembank " PACKAGE_VERSION
                              " from addresses alone: their number is not a run time."
                              "</footer>\n"));
  write_data(report, page);
  return smb_report_write_script(page, error);
}
