// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The frame of the page: its head, its heading, and its parts in order.
#include "config.h"

#include "sim/arch/arch.h"
#include "sim/base/data.h"
#include "src/analyze/report.h"
#include "src/cli/describe.h"
#include "src/report/impl.h"

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
static gboolean
write_head(const SmbReport *report, SmbSpool *page, GError **error) {
  smb_spool_puts(page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                       "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                       "<meta name=\"color-scheme\" content=\"light dark\">\n"
                       "<meta name=\"generator\" content=\"smembank " PACKAGE_VERSION "\">\n"
                       "<link rel=\"icon\" href=\"data:,\">\n<title>");
  smb_html_text(page, report->target->name);
  smb_spool_puts(page, ": shared-memory bank conflicts</title>\n<style>\n");
  if (!write_data_file(page, "report/map.css", error) ||
      !write_data_file(page, "report/report.css", error))
    return FALSE;
  smb_spool_puts(page, "</style>\n</head>\n<body>\n");
  return TRUE;
}

static void
write_fact(SmbSpool *page, const char *name, const char *value) {
  smb_spool_printf(page, "<div><dt>%s</dt><dd>", name);
  smb_html_text(page, value);
  smb_spool_puts(page, "</dd></div>");
}

static void
write_heading(const SmbReport *report, SmbSpool *page) {
  const SmbTarget *target = report->target;
  const SmbArchInfo *info = smb_arch_info(report->arch);
  g_autofree char *block = smb_describe_extent(target->launch.block);
  g_autofree char *grid = smb_describe_extent(target->launch.grid);
  g_autofree char *defines = g_strjoinv(" ", target->defines);
  g_autofree char *arch = g_strconcat(info->name, ", ", info->title, NULL);
  g_autofree char *bytes =
      g_strdup_printf("%" G_GSIZE_FORMAT " bytes a block", report->analysis->shared_bytes);
  g_autofree char *sentence = smb_analyze_summarize(report->arch, report->analysis);
  smb_html_within(page, "<header>\n<h1>", target->name, "</h1>\n<dl class=\"facts\">");
  write_fact(page, "file", target->file);
  if (*defines)
    write_fact(page, "macros", defines);
  write_fact(page, "block", block);
  write_fact(page, "grid", grid);
  write_fact(page, "shared memory", bytes);
  write_fact(page, "architecture", arch);
  smb_spool_puts(page, "</dl>\n<p class=\"summary\">");
  smb_html_text(page, sentence);
  smb_spool_printf(page,
                   "</p>\n<nav>%s<a href=\"#source\">Source</a> <a href=\"#accesses\">Accesses</a> "
                   "<a href=\"#conflicts\">Conflicts</a></nav>\n</header>\n<main>\n",
                   report->order->len > 0 ? "<a href=\"#advice\">Advice</a> " : "");
}

static void
write_warnings(const SmbReport *report, SmbSpool *page) {
  const GArray *warnings = report->analysis->warnings;
  if (warnings->len == 0)
    return;
  smb_spool_puts(page, "<section id=\"warnings\">\n<h2>Warnings</h2>\n<ul>\n");
  for (guint i = 0; i < warnings->len; i++) {
    const SmbAnalysisWarning *warning = &g_array_index(warnings, SmbAnalysisWarning, i);
    const SmbSite *site = smb_program_site(report->target->kernel, warning->site);
    smb_spool_puts(page, "<li>");
    smb_report_write_place(page, site, "Line ");
    smb_html_within(page, ": ", warning->message, "</li>\n");
  }
  smb_spool_puts(page, "</ul>\n</section>\n");
}

gboolean
smb_report_write(const SmbReport *report, SmbSpool *page, GError **error) {
  if (!write_head(report, page, error))
    return FALSE;
  write_heading(report, page);
  write_warnings(report, page);
  smb_report_write_advice(report, page);
  smb_report_write_source(report, page);
  smb_report_write_tables(report, page);
  smb_report_write_conflicts(report, page);
  smb_spool_puts(page, "</main>\n<footer>Predicted by smembank " PACKAGE_VERSION
                       " from addresses alone: wavefront counts are not run times.</footer>\n");
  smb_report_write_data(report, page);
  smb_spool_puts(page, "<script>\n");
  if (!write_data_file(page, "report/report.js", error))
    return FALSE;
  smb_spool_puts(page, "</script>\n</body>\n</html>\n");
  return TRUE;
}
