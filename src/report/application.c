// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/report/application.h"

#include "config.h"

#include "sim/arch/arch.h"
#include "src/cli/hint.h"
#include "src/out/describe.h"
#include "src/report/impl.h"
#include "src/target/captured.h"

static void
write_facts(const SmbRanking *ranking, SmbSpool *page) {
  const SmbCaptureHeader *header = smb_capture_header(ranking->capture);
  const SmbCaptureEnd *end = smb_capture_end(ranking->capture);
  g_autofree char *command = g_strjoinv(" ", header->command);
  g_autofree char *summary = smb_ranking_summarize(ranking);
  smb_html_within(page, "<header>\n<h1>", command, "</h1>\n<dl class=\"facts\">");
  smb_html_within(page, "<div><dt>file</dt><dd>", smb_capture_path(ranking->capture),
                  "</dd></div>");
  smb_html_within(page, "<div><dt>started</dt><dd>", header->started, "</dd></div>");
  smb_html_within(page, "<div><dt>ended</dt><dd>",
                  end ? end->status : "unknown: the capture ends early", "</dd></div>");
  smb_html_within(page, "</dl>\n<p class=\"summary\">", summary,
                  "</p>\n<nav><a href=\"#launches\">Launches</a></nav>\n</header>\n");
}

// How long a launch takes as predicted, and what its conflicts cost.
static void
write_predicted_cells(const SmbRankRow *row, SmbSpool *page) {
  g_auto(SmbPredicted) predicted = smb_rank_predicted(row);
  const char *judgement = smb_rank_row_cost(row) > 0 ? "bad" : "good";
  smb_spool_printf(page, "<td>%s</td><td class=\"%s\">%s</td><td class=\"%s\">%s</td>",
                   predicted.time, judgement, predicted.cost, judgement, predicted.percent);
}

// A row of the ranking. @has_part: whether the page has a report of it.
static void
write_application_row(const SmbRanking *ranking, const SmbRankRow *row, gboolean has_part,
                      SmbSpool *page) {
  g_autofree char *grid = smb_describe_extent(row->launch->grid);
  g_autofree char *block = smb_describe_extent(row->launch->block);
  g_autofree char *time = smb_rank_duration(row->launch), *remark = smb_rank_remark(row);
  guint64 number = row->launch->number;
  smb_spool_printf(page, "<tr><td class=\"line\">%" G_GUINT64_FORMAT, number);
  if (row->numbers->len > 1)
    smb_spool_printf(page, " +%u", row->numbers->len - 1);
  smb_spool_puts(page, "</td><td class=\"code\">");
  if (has_part)
    smb_spool_printf(page, "<a href=\"#launch-%" G_GUINT64_FORMAT "\">", number);
  smb_html_text(page, row->name);
  smb_spool_printf(page, "%s</td><td class=\"word\">%s</td><td class=\"word\">%s</td>",
                   has_part ? "</a>" : "", grid, block);
  if (row->refused) {
    smb_spool_puts(page, "<td></td><td></td><td></td><td></td>");
  } else {
    const char *judgement = row->total.excess ? "bad" : "good";
    smb_html_number(page, NULL, row->total.requests);
    smb_html_number(page, NULL, row->total.wavefronts);
    smb_html_number(page, judgement, row->total.excess);
    smb_spool_printf(page, "<td class=\"%s\">%.0f%%</td>", judgement, smb_rank_percent(row));
  }
  if (smb_ranking_has_durations(ranking))
    smb_spool_printf(page, "<td>%s</td>", time);
  if (smb_ranking_is_timed(ranking))
    write_predicted_cells(row, page);
  smb_html_within(page, "<td class=\"word\">", remark, "</td></tr>\n");
}

static void
write_application_table(const SmbRanking *ranking, guint n_parts, SmbSpool *page) {
  gboolean is_timed = smb_ranking_is_timed(ranking);
  smb_spool_puts(page,
                 "<section id=\"launches\">\n<h2>Launches</h2>\n<div class=\"box\" tabindex=\"0\" "
                 "role=\"region\" aria-label=\"launches\">\n<table class=\"accesses\">\n<thead><tr>"
                 "<th scope=\"col\" class=\"line\">launch</th>"
                 "<th scope=\"col\" class=\"code\">kernel</th>"
                 "<th scope=\"col\" class=\"word\">grid</th>"
                 "<th scope=\"col\" class=\"word\">block</th><th scope=\"col\">requests</th>"
                 "<th scope=\"col\">wavefronts</th><th scope=\"col\">excess</th>"
                 "<th scope=\"col\">%</th>");
  if (smb_ranking_has_durations(ranking))
    smb_spool_puts(page, "<th scope=\"col\">duration</th>");
  if (is_timed)
    smb_spool_puts(page, "<th scope=\"col\">predicted</th><th scope=\"col\">conflicts</th>"
                         "<th scope=\"col\">%</th>");
  smb_spool_puts(page, "<th scope=\"col\" class=\"word\">remark</th></tr></thead>\n<tbody>\n");
  for (guint i = 0; i < ranking->rows->len; i++)
    write_application_row(ranking, ranking->rows->pdata[i], i < n_parts, page);
  smb_spool_printf(page,
                   "</tbody>\n</table>\n</div>\n<p class=\"words\">The launch %s comes first. +N: "
                   "N other launches are equal, with the same code, shape, "
                   "parameters and memory; the cost of one of them is shown.</p>\n</section>\n",
                   is_timed ? "whose conflicts cost the most time"
                            : "with the most excess wavefronts");
}

// The report of a launch.
static gboolean
write_application_launch(SmbCli *cli, const SmbRanking *ranking, const SmbRankRow *row,
                         SmbSpool *page, GError **error) {
  g_autofree char *prefix = g_strdup_printf("launch-%" G_GUINT64_FORMAT "-", row->launch->number);
  g_autoptr(SmbArch) arch = smb_captured_arch(cli, row->launch, error);
  if (!arch)
    return FALSE;
  g_autoptr(SmbTarget) target =
      smb_captured_target(smb_target_options(), ranking->capture, row->launch, arch, NULL, error);
  if (!target)
    return FALSE;
  target->options.keep_requests = TRUE;
  target->options.progress = smb_cli_progress(cli);
  g_autoptr(SmbAnalysis) analysis = smb_target_analyze(target, arch, error);
  if (!analysis)
    return FALSE;
  g_autoptr(SmbReport) report = smb_report_new(arch, target, analysis, NULL);
  report->prefix = prefix;
  smb_report_write_part(report, page);
  return TRUE;
}

gboolean
smb_application_write(SmbCli *cli, const SmbRanking *ranking, guint top, SmbSpool *page,
                      GError **error) {
  const SmbRankRow *first = ranking->rows->len ? ranking->rows->pdata[0] : NULL;
  g_autofree char *command = g_strjoinv(" ", smb_capture_header(ranking->capture)->command);
  guint n = 0;
  while (n < MIN(top, ranking->rows->len) && !((SmbRankRow *)ranking->rows->pdata[n])->refused)
    n++;
  if (!smb_report_write_head(first ? command : "no launch", SMB_VENDOR_NVIDIA, page, error))
    return FALSE;
  write_facts(ranking, page);
  smb_spool_puts(page, "<main>\n");
  write_application_table(ranking, n, page);
  for (guint i = 0; i < n; i++) {
    const SmbRankRow *row = ranking->rows->pdata[i];
    g_autoptr(GError) failure = NULL;
    smb_spool_printf(page, "<section class=\"launch\" id=\"launch-%" G_GUINT64_FORMAT "\">\n",
                     row->launch->number);
    if (!write_application_launch(cli, ranking, row, page, &failure)) {
      g_autofree char *told = smb_cli_error_text(failure);
      smb_html_message(page, "", told);
    }
    smb_spool_puts(page, "</section>\n");
  }
  smb_spool_puts(page, "</main>\n<footer>Predicted by smembank " PACKAGE_VERSION
                       " from addresses alone: wavefront counts are not run times.</footer>\n");
  return smb_report_write_script(page, error);
}
