// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// report: what analyze says, as one page of HTML with the bank maps of what conflicts.
#include <string.h>

#include "sim/arch/words.h"
#include "sim/base/text.h"
#include "src/analysis/verdict.h"
#include "src/analysis/warning.h"
#include "src/commands.h"
#include "src/out/file.h"
#include "src/out/table.h"
#include "src/project/case.h"
#include "src/report/application.h"
#include "src/report/report.h"
#include "src/run/stand-in.h"
#include "src/target/captured.h"

// Two files in the wrong order would cost the user a kernel: a page has the name of a page. "-" leaves @page
// NULL.
static gboolean
open_page(const SmbCli *cli, const SmbOutFile **page, GError **error) {
  const char *name = cli->arguments[0];
  g_autofree char *lower = g_ascii_strdown(name, -1);
  if (strcmp(name, "-") == 0)
    return TRUE;
  if (!g_str_has_suffix(lower, ".html") && !g_str_has_suffix(lower, ".htm"))
    return smb_cli_usage_error(error, "page '%s': expected a name that ends in .html", name);
  *page = smb_files_open(cli->files, "page", name, error);
  return *page != NULL;
}

static gboolean
write_page(const SmbCli *cli, const SmbReport *report, const SmbOutFile *file, gsize *length,
           GError **error) {
  g_autoptr(SmbSpool) page = smb_spool_new();
  return smb_report_write(report, page, error) &&
         smb_files_save(cli->files, file, page, length, error);
}

static void
write_page_summary(SmbCli *cli, const SmbReport *report, const char *name, gsize length) {
  guint n = report->analysis->accesses->len, conflicts = 0;
  for (guint i = 0; i < n; i++)
    conflicts += g_array_index(report->analysis->accesses, SmbAccess, i).total.excess > 0;
  g_autofree char *sentence =
      smb_compiled_count_summarize(report->compiled, report->analysis, report->arch);
  smb_spool_printf(cli->out, smb_arch_say(cli->arch, "%s: %s, %u with conflicts, %s, %zu KiB\n"),
                   name, smb_count(n, smb_arch_say(cli->arch, "shared access")).text, conflicts,
                   smb_count(report->maps->len, "bank map").text, (length + 1023) / 1024);
  smb_text_wrap(cli->out, sentence);
  smb_launch_time_write(cli, report->time);
}

static char *option_top;

static const GOptionEntry options[] = {
    {"top", 0, 0, G_OPTION_ARG_STRING, &option_top,
     "for a capture, launches with a report of their own (default 10)", "N"},
    G_OPTION_ENTRY_NULL,
};

// FILE is a capture of which no launch is chosen: the application.
static gboolean
report_application(SmbCli *cli, const SmbOutFile *file, GError **error) {
  guint top = SMB_APPLICATION_TOP;
  SmbAnalysisOptions checked = {.threads = 0};
  const SmbTargetOptions *typed = smb_target_options();
  if (!smb_cli_number("--top", option_top, 0, SMB_APPLICATION_MAX_TOP, &top, error) ||
      !smb_captured_check(typed, error) || !smb_target_parse_limits(typed, &checked, error))
    return FALSE;
  g_autoptr(SmbCapture) capture = smb_captured_open_file(typed, cli->arguments[1], error);
  if (!capture)
    return FALSE;
  g_autoptr(SmbRanking) ranking = smb_ranking_new(cli, typed, capture, smb_rank_note);
  g_autoptr(SmbSpool) page = smb_spool_new();
  gsize length = 0;
  if (!smb_application_write(cli, ranking, top, file ? page : cli->out, error) ||
      (file && !smb_files_save(cli->files, file, page, &length, error)))
    return FALSE;
  if (file) {
    g_autofree char *summary = smb_ranking_summarize(ranking);
    smb_spool_printf(cli->out, "%s: %zu KiB\n", cli->arguments[0], (length + 1023) / 1024);
    smb_text_wrap(cli->out, summary);
  }
  smb_captured_write_end(capture, cli->messages);
  return TRUE;
}

static const SmbCliGroup *const groups[] = {SMB_TARGET_GROUPS, &smb_target_array_group,
                                            &smb_launch_time_group, NULL};
static const SmbCliUsage usage = {
    .arguments = "PAGE.html|- [FILE|-]",
    .description =
        "Writes one HTML page: the best padding and swizzle, the annotated source, each access, "
        "and the bank map of each access that conflicts, wavefront by wavefront. The page needs no "
        "network; - writes it to standard output. For a capture, it has the ranking of the "
        "launches, and a report of each of the costliest.\n" SMB_TARGET_DESCRIPTION,
    .min_arguments = 1,
    .max_arguments = 2,
    .n_results = 1,
    .has_arch = TRUE,
    .cases = &smb_cases,
    .groups = groups,
    .example = "smembank report page.html --rows 32 --cols 32",
};

gboolean
smb_cmd_report(SmbCli *cli, GError **error) {
  if (!smb_cli_parse(cli, &usage, options, error) || !smb_launch_time_check(cli->arch, error))
    return FALSE;
  const SmbOutFile *page = NULL;
  if (!open_page(cli, &page, error))
    return FALSE;
  g_autoptr(SmbStandIn) stand_in = NULL;
  if (!smb_stand_in_open(cli, 1, TRUE, &stand_in, error))
    return FALSE;
  if (stand_in && stand_in->ranking->rows->len == 1 && !smb_stand_in_choose(cli, stand_in, error))
    return FALSE;
  if (cli->n_arguments > 1 && smb_captured_is_whole(smb_target_options(), cli->arguments[1]))
    return report_application(cli, page, error);
  if (option_top)
    return smb_cli_usage_error(error, "--top is for a whole capture, not for one launch");
  g_autoptr(SmbTarget) target = smb_target_open(cli, 1, error);
  if (!target)
    return FALSE;
  target->options.keep_requests = TRUE;
  g_autoptr(SmbAnalysis) analysis = smb_target_analyze(target, cli->arch, error);
  if (!analysis)
    return FALSE;
  gsize length = 0;
  g_autoptr(SmbCompiledCount) compiled = smb_compiled_count_new(target, analysis, cli->arch);
  g_autoptr(SmbReport) report = smb_report_new(cli->arch, target, analysis, compiled);
  if (!page) {
    if (!smb_report_write(report, cli->out, error))
      return FALSE;
  } else {
    if (!write_page(cli, report, page, &length, error))
      return FALSE;
    write_page_summary(cli, report, cli->arguments[0], length);
  }
  smb_analyze_write_warnings(target, analysis, cli->messages);
  smb_compiled_count_warn(compiled, target, cli->messages);
  return TRUE;
}
