// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/analyze/report.h"
#include "src/report/impl.h"

static void
write_count_cell(SmbSpool *page, const char *css_class, guint64 count) {
  if (count)
    smb_html_number(page, css_class, count);
  else
    smb_spool_puts(page, "<td></td>");
}

static void
write_line_counts(SmbSpool *page, const SmbLineTally *line) {
  const SmbTally *shared = &line->shared;
  write_count_cell(page, NULL, shared->requests);
  write_count_cell(page, NULL, shared->wavefronts);
  write_count_cell(page, "bad", shared->excess);
  if (shared->requests)
    smb_spool_printf(page, "<td class=\"%s\">%u-way</td>", shared->excess ? "bad" : "good",
                     shared->max_degree);
  else
    smb_spool_puts(page, "<td></td>");
  write_count_cell(page, NULL, line->segments);
}

static void
write_line(const SmbReport *report, guint number, const SmbLineTally *line, SmbSpool *page) {
  const SmbSource *source = smb_program_source(report->target->kernel);
  g_autofree char *text = smb_source_line(source, number);
  const SmbAccess *worst = line->worst; // the line leads to it
  smb_spool_printf(page, "<tr id=\"line-%u\"%s>", number, worst ? " class=\"conflicts\"" : "");
  write_line_counts(page, line);
  if (worst)
    smb_spool_printf(
        page, "<th scope=\"row\"><a href=\"#access-%u\">%u</a></th><td class=\"code\">",
        (guint)(worst - &g_array_index(report->analysis->accesses, SmbAccess, 0)), number);
  else
    smb_spool_printf(page, "<th scope=\"row\">%u</th><td class=\"code\">", number);
  smb_html_text(page, text);
  smb_spool_puts(page, "</td></tr>\n");
}

void
smb_report_write_place(SmbSpool *page, const SmbSite *site, const char *word) {
  if (site->line && !site->file) {
    smb_spool_printf(page, "<a href=\"#line-%u\">%s%u</a>", site->line, word, site->line);
    return;
  }
  // What stands in another file has no line on the page.
  g_autofree char *place = smb_site_place(site);
  smb_html_text(page, place);
}

void
smb_report_write_source(const SmbReport *report, SmbSpool *page) {
  const SmbSource *source = smb_program_source(report->target->kernel);
  if (!source)
    return; // a program without a text has its accesses in the tables only
  guint n_lines = smb_source_n_lines(source);
  g_autoptr(GArray) lines = smb_analyze_sum_lines(report->analysis, n_lines);
  SmbLineTally total = {0};
  smb_spool_printf(
      page,
      "<section id=\"source\">\n<h2>Source, counts of the whole launch</h2>\n<div class=\"box "
      "source-box\" tabindex=\"0\" "
      "role=\"region\" aria-label=\"annotated source\">\n<table class=\"source\">\n"
      "<thead><tr><th scope=\"col\">requests</th><th scope=\"col\">wavefronts</th>"
      "<th scope=\"col\">excess</th><th scope=\"col\">worst</th><th scope=\"col\">%s</th>"
      "<th scope=\"col\">line</th><th scope=\"col\" class=\"code\">source</th></tr></thead>\n"
      "<tbody>\n",
      smb_analyze_segment_name(report->arch));
  for (guint i = 0; i <= n_lines; i++) {
    const SmbLineTally *line = &g_array_index(lines, SmbLineTally, i);
    if (i > 0)
      write_line(report, i, line, page);
    smb_tally_add(&total.shared, &line->shared);
    total.segments += line->segments;
  }
  smb_spool_puts(page, "</tbody>\n<tfoot><tr>");
  write_line_counts(page, &total);
  smb_spool_puts(page, "<th></th><td class=\"code\">total</td></tr></tfoot>\n</table>\n</div>\n"
                       "</section>\n");
}
