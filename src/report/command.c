// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// report: what analyze says, as one page of HTML with the bank maps of what conflicts.
#include <string.h>

#include "sim/arch/words.h"
#include "sim/base/text.h"
#include "src/analyze/report.h"
#include "src/cli/commands.h"
#include "src/out/file.h"
#include "src/report/report.h"
#include "src/out/table.h"

// Two files in the wrong order would cost the user a kernel: a page has the name of a page. "-" leaves @page
// NULL.
static gboolean
open_page(const SmbCli *cli, SmbOutFile **page, GError **error) {
  const char *name = cli->arguments[0];
  g_autofree char *lower = g_ascii_strdown(name, -1);
  if (strcmp(name, "-") == 0)
    return TRUE;
  if (!g_str_has_suffix(lower, ".html") && !g_str_has_suffix(lower, ".htm"))
    return smb_cli_usage_error(error, "page '%s': expected a name that ends in .html", name);
  *page = smb_out_file_new("page", name, (const char *const *)cli->arguments + 1, error);
  return *page != NULL;
}

static gboolean
write_page(const SmbReport *report, const SmbOutFile *file, gsize *length, GError **error) {
  g_autoptr(SmbSpool) page = smb_spool_new();
  return smb_report_write(report, page, error) && smb_out_file_save(file, page, length, error);
}

static void
write_page_summary(SmbCli *cli, const SmbReport *report, const char *name, gsize length) {
  guint n = report->analysis->accesses->len, conflicts = 0;
  for (guint i = 0; i < n; i++)
    conflicts += g_array_index(report->analysis->accesses, SmbAccess, i).total.excess > 0;
  g_autofree char *sentence = smb_analyze_summarize(report->arch, report->analysis);
  smb_spool_printf(
      cli->out, smb_arch_say(cli->arch, "%s: %u shared access%s, %u with conflicts, %s, %zu KiB\n"),
      name, n, n == 1 ? "" : "es", conflicts, smb_count(report->maps->len, "bank map").text,
      (length + 1023) / 1024);
  smb_text_wrap(cli->out, sentence);
}

static const SmbCliGroup *const groups[] = {SMB_TARGET_GROUPS, &smb_target_array_group, NULL};
static const SmbCliUsage usage = {
    .arguments = "PAGE.html|- [FILE|-]",
    .description =
        "Writes one page of HTML: the best padding and swizzle, the annotated source, "
        "each access, and the bank map of each access that conflicts, wavefront by wavefront. "
        "The page needs no network; - writes it to standard output.\n" SMB_TARGET_DESCRIPTION,
    .min_arguments = 1,
    .max_arguments = 2,
    .has_arch = TRUE,
    .groups = groups,
    .example = "smembank report page.html --rows 32 --cols 32",
};

gboolean
smb_cmd_report(SmbCli *cli, GError **error) {
  if (!smb_cli_parse(cli, &usage, NULL, error))
    return FALSE;
  g_autoptr(SmbOutFile) page = NULL;
  if (!open_page(cli, &page, error))
    return FALSE;
  g_autoptr(SmbTarget) target = smb_target_open(cli, 1, page, error);
  if (!target)
    return FALSE;
  target->options.keep_requests = TRUE;
  g_autoptr(SmbAnalysis) analysis = smb_target_analyze(target, cli->arch, error);
  if (!analysis)
    return FALSE;
  gsize length = 0;
  g_autoptr(SmbReport) report = smb_report_new(cli->arch, target, analysis);
  if (!page) {
    if (!smb_report_write(report, cli->out, error))
      return FALSE;
  } else {
    if (!write_page(report, page, &length, error))
      return FALSE;
    write_page_summary(cli, report, cli->arguments[0], length);
  }
  smb_analyze_write_warnings(target, analysis, cli->messages);
  return TRUE;
}
