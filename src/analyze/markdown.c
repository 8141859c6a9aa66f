// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// analyze as Markdown: the verdict, the accesses to shared memory, and the limits that are not kept, for a comment or a page.
#include "src/out/markdown.h"

#include "sim/arch/arch.h"
#include "sim/arch/words.h"
#include "src/analysis/limit.h"
#include "src/analysis/row.h"
#include "src/analysis/vendor.h"
#include "src/analysis/verdict.h"
#include "src/analyze/report.h"
#include "src/out/describe.h"

static void
write_analysis_heading(SmbSpool *out, const SmbAnalyzeReport *report, const SmbArch *arch) {
  const SmbTarget *target = report->target;
  g_autofree char *block = smb_describe_extent(target->launch.block);
  g_autofree char *grid = smb_describe_extent(target->launch.grid);
  g_autofree char *verdict = smb_analyze_verdict(smb_analyze_judged(report));
  smb_spool_puts(out, "### ");
  smb_markdown_code(out, target->name);
  smb_spool_puts(out, "\n\n**");
  smb_markdown_text(out, verdict);
  smb_spool_puts(out, "**\n\n");
  if (smb_compiled_count_has(report->compiled)) {
    g_autofree char *which = smb_compiled_count_tell(report->compiled, report->analysis);
    smb_markdown_text(out, which);
    smb_spool_puts(out, "\n\n");
  }
  if (report->time) {
    g_autofree char *time = smb_launch_time_tell(report->time);
    smb_markdown_text(out, time);
    smb_spool_puts(out, "\n\n");
  }
  smb_markdown_code(out, target->file);
  smb_spool_printf(
      out,
      smb_arch_say(arch, ", block %s, grid %s, %" G_GSIZE_FORMAT " bytes of shared memory, %s\n\n"),
      block, grid, report->analysis->shared_bytes, smb_arch_info(arch)->name);
}

// The cells of a tally that has no requests.
static void
write_no_tally(SmbSpool *out, const SmbAnalyzeReport *report, const char *why) {
  smb_spool_printf(out, " | | | |%s |%s", why, smb_analyze_has_idle(report) ? " |" : "");
}

static void
write_tally_markdown(SmbSpool *out, const SmbAnalyzeReport *report, const SmbTally *tally) {
  smb_spool_printf(out,
                   " %" G_GUINT64_FORMAT " | %" G_GUINT64_FORMAT " | %" G_GUINT64_FORMAT
                   " | %" G_GUINT64_FORMAT " | %u-way |",
                   tally->requests, tally->wavefronts, tally->ideal, tally->excess,
                   tally->max_degree);
  if (smb_analyze_has_idle(report))
    smb_spool_printf(out, " %" G_GUINT64_FORMAT " |", tally->idle_issues);
}

// The cells of the compiled count and of what conflicts cost, and the end of the row. @tally: (nullable): %NULL: they stand in another row
// of the line; @cost: negative: none
static void
end_row_markdown(SmbSpool *out, const SmbAnalyzeReport *report, const SmbTally *tally,
                 double cost) {
  if (smb_compiled_count_has(report->compiled) && tally)
    smb_spool_printf(out, " %" G_GUINT64_FORMAT " | %" G_GUINT64_FORMAT " |", tally->wavefronts,
                     tally->excess);
  else if (smb_compiled_count_has(report->compiled))
    smb_spool_puts(out, " " SMB_ANALYZE_SAME_LINE " | " SMB_ANALYZE_SAME_LINE " |");
  if (smb_analyze_is_timed(report) && cost < 0)
    smb_spool_puts(out, tally ? "  |" : " " SMB_ANALYZE_SAME_LINE " |");
  else if (smb_analyze_is_timed(report))
    smb_spool_printf(out, " %.0f |", cost);
  smb_spool_puts(out, "\n");
}

static void
begin_row_markdown(SmbSpool *out, const SmbSite *site, guint n) {
  g_autofree char *place = smb_site_place(site);
  g_autofree char *text = smb_analyze_row_text(site, n);
  smb_spool_puts(out, "| ");
  smb_markdown_text(out, place);
  smb_spool_puts(out, " | ");
  smb_markdown_code(out, text);
  smb_spool_printf(out, " | %s |", smb_op_class_name(site->op_class));
}

static void
write_access_markdown(SmbSpool *out, const SmbAnalyzeReport *report, const SmbAnalyzeRow *row) {
  const SmbSite *site = row->access->site;
  SmbTally compiled = {0};
  gboolean is_first = smb_compiled_count_share(report->compiled, row->access, &compiled);
  begin_row_markdown(out, site, row->n);
  if (row->total.requests)
    write_tally_markdown(out, report, &row->total);
  else
    write_no_tally(out, report, " not counted");
  gboolean is_own = is_first || !smb_compiled_count_has(report->compiled);
  end_row_markdown(out, report, is_own ? &compiled : NULL,
                   is_own ? smb_analyze_cost(report, row->access) : -1);
}

// What only compiled code has.
static void
write_compiled_markdown(SmbSpool *out, const SmbAnalyzeReport *report,
                        const SmbCompiledLine *line) {
  begin_row_markdown(out, line->site, line->n);
  write_no_tally(out, report, "");
  end_row_markdown(out, report, &line->total,
                   smb_compiled_line_cost(report->time, report->compiled, line));
}

static void
write_total_markdown(SmbSpool *out, const SmbAnalyzeReport *report, const char *name,
                     const SmbTally *total, const SmbTally *compiled) {
  if (total->requests + compiled->requests == 0)
    return;
  smb_spool_printf(out, "| | **total** | %s |", name);
  write_tally_markdown(out, report, total);
  end_row_markdown(out, report, compiled, -1);
}

static void
write_failed_limits_markdown(SmbSpool *out, const SmbAnalyzeReport *report) {
  for (guint i = 0; i < report->failed->len; i++) {
    const SmbFailedLimit *failure = &g_array_index(report->failed, SmbFailedLimit, i);
    const SmbSite *written =
        failure->access ? smb_compiled_count_written(report->compiled, failure->access) : NULL;
    g_autofree char *place =
        failure->access ? smb_site_place(written ? written : failure->access->site) : NULL;
    smb_spool_puts(out, i ? "- " : "\nFailed limits:\n\n- ");
    if (place)
      smb_markdown_text(out, place);
    smb_spool_puts(out, place ? ": " : "");
    smb_markdown_text(out, failure->message);
    smb_spool_puts(out, "\n");
  }
}

// What is a lower bound, and the vendor's counters and rules.
static void
write_notes_markdown(SmbSpool *out, const SmbAnalysis *analysis, const SmbArch *arch) {
  g_autoptr(GString) bounds = g_string_new(NULL);
  smb_analyze_append_bounds(bounds, analysis, NULL);
  g_autofree char *vendor = smb_analyze_describe_vendor(arch, analysis);
  const char *notes[] = {bounds->str, vendor};
  for (guint i = 0; i < G_N_ELEMENTS(notes); i++) {
    if (!*notes[i])
      continue;
    smb_spool_puts(out, "\n");
    smb_markdown_text(out, notes[i]);
    smb_spool_puts(out, "\n");
  }
}

static void
write_table_markdown(SmbSpool *out, const SmbAnalyzeReport *report, const SmbArch *arch) {
  const SmbAnalysis *analysis = report->analysis, *judged = smb_analyze_judged(report);
  gboolean has_compiled = smb_compiled_count_has(report->compiled);
  gboolean is_timed = smb_analyze_is_timed(report);
  guint n;
  g_autoptr(GArray) gathered = smb_analyze_gather(analysis->accesses, FALSE);
  g_autoptr(GArray) rows = smb_analyze_shared_rows(report, gathered, &n);
  g_autofree char *heads = g_strdup_printf(
      smb_arch_say(arch,
                   "| place | shared access | op | requests | wavefronts | ideal | excess | worst |"
                   "%s%s%s\n|---|---|---|--:|--:|--:|--:|--:|%s%s%s\n"),
      smb_analyze_has_idle(report) ? " idle issues |" : "",
      has_compiled ? " compiled wavefronts | excess |" : "", is_timed ? " cost in cycles |" : "",
      smb_analyze_has_idle(report) ? "--:|" : "", has_compiled ? "--:|--:|" : "",
      is_timed ? "--:|" : "");
  smb_spool_puts(out, heads);
  for (guint i = 0; i < rows->len; i++) {
    const SmbSharedRow *row = &g_array_index(rows, SmbSharedRow, i);
    if (row->row)
      write_access_markdown(out, report, row->row);
    else
      write_compiled_markdown(out, report, row->line);
  }
  for (guint c = 0; c < SMB_N_OP_CLASSES; c++)
    write_total_markdown(out, report, smb_op_class_name((SmbOpClass)c), &analysis->totals[c],
                         &judged->totals[c]);
  write_total_markdown(out, report, "async", &analysis->copies, &judged->copies);
  if (n > rows->len) {
    smb_spool_puts(out, "\n");
    smb_view_write_rest(smb_analyze_view(report), n, out);
  }
  if (smb_compiled_count_shares(report->compiled, analysis))
    smb_spool_puts(out, "\n" SMB_ANALYZE_SAME_LINE_LEGEND "\n");
}

void
smb_analyze_write_markdown(SmbCli *cli, gconstpointer result) {
  const SmbAnalyzeReport *report = result;
  const SmbAnalysis *judged = smb_analyze_judged(report);
  const SmbView *view = smb_analyze_view(report);
  write_analysis_heading(cli->out, report, cli->arch);
  if (view->quiet)
    return;
  if ((view->tables & 1u << SMB_TABLE_SHARED) &&
      report->analysis->accesses->len + judged->accesses->len > 0)
    write_table_markdown(cli->out, report, cli->arch);
  write_notes_markdown(cli->out, judged, cli->arch);
  write_failed_limits_markdown(cli->out, report);
}
