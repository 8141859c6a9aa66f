// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// report: what analyze says, as one page of HTML with the bank maps of what conflicts.
#include "src/analyze-report.h"
#include "src/commands.h"
#include "src/out-file.h"
#include "src/report.h"
#include "src/table.h"

static SmbTargetOptions option_target;

static const GOptionEntry options[] = {SMB_TARGET_ENTRIES(option_target), G_OPTION_ENTRY_NULL};

// Two files in the wrong order would cost the user a kernel: a page has the name of a page.
static SmbOutFile *
open_page(const SmbCli *cli, GError **error) {
  const char *name = cli->arguments[0];
  g_autofree char *lower = g_ascii_strdown(name, -1);
  if (g_str_has_suffix(lower, ".html") || g_str_has_suffix(lower, ".htm"))
    return smb_out_file_new("page", name, (const char *const *)cli->arguments + 1, error);
  smb_cli_usage_error(error, "page '%s': expected a name that ends in .html", name);
  return NULL;
}

static gboolean
write_page(const SmbReport *report, const SmbOutFile *file, gsize *length, GError **error) {
  g_autoptr(SmbSpool) page = smb_spool_new();
  return smb_report_write(report, page, error) && smb_out_file_save(file, page, length, error);
}

static void
write_summary(SmbCli *cli, const SmbReport *report, const char *name, gsize length) {
  guint n = report->analysis->accesses->len, conflicts = 0;
  for (guint i = 0; i < n; i++)
    conflicts += g_array_index(report->analysis->accesses, SmbAccess, i).total.excess > 0;
  g_autofree char *sentence = smb_analyze_describe_worst(report->arch, report->analysis);
  smb_spool_printf(cli->out, "%s: %u shared access%s, %u with conflicts, %u bank map%s, %zu KiB\n",
                   name, n, n == 1 ? "" : "es", conflicts, report->maps->len,
                   report->maps->len == 1 ? "" : "s", (length + 1023) / 1024);
  smb_text_wrap(cli->out, sentence);
}

gboolean
smb_cmd_report(SmbCli *cli, GError **error) {
  static const SmbCliUsage usage = {"PAGE.html [FILE.cu]",
                                    "Writes what analyze says into one page of HTML: the best "
                                    "padding and swizzle, the annotated\n"
                                    "source, each access, and the bank map of each access that "
                                    "conflicts, wavefront by wavefront.\n"
                                    "The page needs no network.\n"
                                    "\n" SMB_TARGET_DESCRIPTION,
                                    1, 2, SMB_CLI_ARCH};
  if (!smb_cli_parse(cli, &usage, options, error))
    return FALSE;
  g_autoptr(SmbOutFile) page = open_page(cli, error);
  if (!page)
    return FALSE;
  const char *file = cli->n_arguments > 1 ? cli->arguments[1] : NULL;
  g_autoptr(SmbTarget) target = smb_target_new(&option_target, file, cli->arch, error);
  if (!target)
    return FALSE;
  target->options.keep_requests = TRUE;
  g_autoptr(SmbAnalysis) analysis =
      smb_analysis_run(target->kernel, cli->arch, &target->launch, &target->options, error);
  if (!analysis)
    return FALSE;
  gsize length = 0;
  g_autoptr(SmbReport) report = smb_report_new(cli->arch, target, analysis);
  if (!write_page(report, page, &length, error))
    return FALSE;
  write_summary(cli, report, cli->arguments[0], length);
  smb_analyze_write_warnings(target, analysis, cli->messages);
  return TRUE;
}
