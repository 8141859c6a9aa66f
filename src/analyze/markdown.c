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
  g_autofree char *verdict = smb_analyze_verdict(report->analysis);
  smb_spool_puts(out, "### ");
  smb_markdown_code(out, target->name);
  smb_spool_puts(out, "\n\n**");
  smb_markdown_text(out, verdict);
  smb_spool_puts(out, "**\n\n");
  smb_markdown_code(out, target->file);
  smb_spool_printf(
      out,
      smb_arch_say(arch, ", block %s, grid %s, %" G_GSIZE_FORMAT " bytes of shared memory, %s\n\n"),
      block, grid, report->analysis->shared_bytes, smb_arch_info(arch)->name);
}

static void
write_tally_markdown(SmbSpool *out, const SmbTally *tally) {
  smb_spool_printf(out,
                   " %" G_GUINT64_FORMAT " | %" G_GUINT64_FORMAT " | %" G_GUINT64_FORMAT
                   " | %" G_GUINT64_FORMAT " | %u-way |\n",
                   tally->requests, tally->wavefronts, tally->ideal, tally->excess,
                   tally->max_degree);
}

static void
write_access_markdown(SmbSpool *out, const SmbAnalyzeRow *row) {
  const SmbSite *site = row->access->site;
  g_autofree char *place = smb_site_place(site);
  g_autofree char *text = smb_analyze_row_text(site, row->n);
  smb_spool_puts(out, "| ");
  smb_markdown_text(out, place);
  smb_spool_puts(out, " | ");
  smb_markdown_code(out, text);
  smb_spool_printf(out, " | %s |", smb_op_class_name(site->op_class));
  if (row->total.requests)
    write_tally_markdown(out, &row->total);
  else
    smb_spool_puts(out, " | | | | not counted |\n");
}

static void
write_total_markdown(SmbSpool *out, const char *name, const SmbTally *total) {
  if (total->requests == 0)
    return;
  smb_spool_printf(out, "| | **total** | %s |", name);
  write_tally_markdown(out, total);
}

static void
write_failed_limits_markdown(SmbSpool *out, const SmbAnalyzeReport *report) {
  for (guint i = 0; i < report->failed->len; i++) {
    const SmbFailedLimit *failure = &g_array_index(report->failed, SmbFailedLimit, i);
    g_autofree char *place = failure->access ? smb_site_place(failure->access->site) : NULL;
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

void
smb_analyze_write_markdown(SmbCli *cli, gconstpointer result) {
  const SmbAnalyzeReport *report = result;
  const SmbAnalysis *analysis = report->analysis;
  write_analysis_heading(cli->out, report, cli->arch);
  if (analysis->accesses->len) {
    g_autoptr(GArray) rows = smb_analyze_gather(analysis->accesses, FALSE);
    smb_spool_puts(
        cli->out,
        smb_arch_say(
            cli->arch,
            "| place | shared access | op | requests | wavefronts | ideal | excess | worst |\n"
            "|---|---|---|--:|--:|--:|--:|--:|\n"));
    for (guint i = 0; i < rows->len; i++)
      write_access_markdown(cli->out, &g_array_index(rows, SmbAnalyzeRow, i));
    for (guint c = 0; c < SMB_N_OP_CLASSES; c++)
      write_total_markdown(cli->out, smb_op_class_name((SmbOpClass)c), &analysis->totals[c]);
    write_total_markdown(cli->out, "async", &analysis->copies);
  }
  write_notes_markdown(cli->out, analysis, cli->arch);
  write_failed_limits_markdown(cli->out, report);
}
