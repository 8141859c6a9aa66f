// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// analyze: what the shared-memory accesses of a kernel cost, access by access.
#include "src/analyze/report.h"
#include "src/cli/commands.h"
#include "src/cli/target.h"
#include "src/out/finding.h"

static gboolean option_annotate, option_warps;

static const GOptionEntry options[] = {
    {"annotate", 0, 0, G_OPTION_ARG_NONE, &option_annotate,
     "print the source with the counts in the margin", NULL},
    {"warps", 0, 0, G_OPTION_ARG_NONE, &option_warps, "break each access down by warp", NULL},
    G_OPTION_ENTRY_NULL,
};

// Names what is beyond a limit.
static void
write_failed(SmbCli *cli, const SmbAnalyzeReport *report) {
  for (guint i = 0; i < report->failed->len; i++) {
    const SmbFailedLimit *failure = &g_array_index(report->failed, SmbFailedLimit, i);
    cli->status = SMB_EXIT_DIFFERS;
    if (failure->access)
      smb_analyze_write_warning(report->target->kernel, failure->access->site, failure->message,
                                cli->messages);
    else
      smb_spool_printf(cli->messages, "smembank analyze: %s\n", failure->message);
  }
}

static const SmbFormat formats[] = {{"text", smb_analyze_write_text, NULL},
                                    {"json", smb_analyze_write_json, NULL},
                                    {"csv", smb_analyze_write_csv, NULL},
                                    {"sarif", smb_analyze_write_findings, &smb_findings_sarif},
                                    {"github", smb_analyze_write_findings, &smb_findings_github},
                                    {"gitlab", smb_analyze_write_findings, &smb_findings_gitlab},
                                    {"callgrind", smb_analyze_write_callgrind, NULL},
                                    {"markdown", smb_analyze_write_markdown, NULL},
                                    {NULL, NULL, NULL}};
static const SmbFormat annotated_formats[] = {{"text", smb_analyze_annotate, NULL},
                                              {NULL, NULL, NULL}};

static const SmbCliGroup *const groups[] = {&smb_analyze_limit_group, SMB_TARGET_GROUPS, NULL};
static const SmbCliUsage usage = {
    .arguments = "[FILE|-]",
    .description = "Counts the wavefronts of each access to shared memory, and the sectors of each "
                   "access to global memory.\n" SMB_TARGET_DESCRIPTION,
    .max_arguments = 1,
    .has_arch = TRUE,
    .formats = formats,
    .groups = groups,
    .example = "smembank analyze --rows 32 --cols 32 --pad 1",
};

gboolean
smb_cmd_analyze(SmbCli *cli, GError **error) {
  if (!smb_cli_parse(cli, &usage, options, error))
    return FALSE;
  g_autoptr(GArray) limits = smb_limits_new(smb_limit_options(), error);
  if (!limits)
    return FALSE;
  if (option_annotate && !smb_cli_view(cli, "--annotate", annotated_formats, error))
    return FALSE;
  g_autoptr(SmbTarget) target = smb_target_open(cli, 0, NULL, error);
  g_autoptr(SmbAnalysis) analysis = target ? smb_target_analyze(target, cli->arch, error) : NULL;
  if (!analysis)
    return FALSE;

  g_autoptr(GArray) failed = smb_limits_check(limits, target->kernel, analysis);
  const SmbAnalyzeReport report = {target, analysis, option_warps, limits, failed};
  cli->format->write(cli, &report);
  smb_analyze_write_warnings(target, analysis, cli->messages);
  write_failed(cli, &report);
  return TRUE;
}
