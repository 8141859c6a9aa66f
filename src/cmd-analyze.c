// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// analyze: what the shared-memory accesses of a kernel cost, access by access.
#include "src/analyze-report.h"
#include "src/commands.h"
#include "src/target.h"

static SmbTargetOptions option_target;
static char *option_max_ways;
static gboolean option_annotate, option_warps;

static const GOptionEntry options[] = {
    SMB_TARGET_ENTRIES(option_target),
    {"max-ways", 0, 0, G_OPTION_ARG_STRING, &option_max_ways,
     "exit with status 1 if an access is more than N-way", "N"},
    {"annotate", 0, 0, G_OPTION_ARG_NONE, &option_annotate,
     "print the source with the counts in the margin", NULL},
    {"warps", 0, 0, G_OPTION_ARG_NONE, &option_warps, "break each access down by warp", NULL},
    G_OPTION_ENTRY_NULL,
};

// --max-ways: each access that is beyond it is named.
static void
check_limit(SmbCli *cli, const SmbAnalysis *analysis, guint max_ways) {
  for (guint i = 0; i < analysis->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(analysis->accesses, SmbAccess, i);
    if (access->total.max_degree <= max_ways)
      continue;
    cli->status = SMB_EXIT_DIFFERS;
    smb_spool_printf(cli->messages,
                     "smembank analyze: line %u: the %s of %s is %u-way: more than --max-ways %u\n",
                     access->site->line, smb_op_class_name(access->site->op_class),
                     access->site->expression, access->total.max_degree, max_ways);
  }
}

gboolean
smb_cmd_analyze(SmbCli *cli, GError **error) {
  static const SmbCliUsage usage = {
      "[FILE.cu]",
      "Counts the wavefronts that each access to shared memory takes, and the sectors that each\n"
      "access to global memory takes.\n" SMB_TARGET_DESCRIPTION,
      0, 1, SMB_CLI_FORMAT | SMB_CLI_ARCH};
  guint max_ways = G_MAXUINT;
  if (!smb_cli_parse(cli, &usage, options, error) ||
      !smb_cli_number("--max-ways", option_max_ways, 1, G_MAXINT, &max_ways, error))
    return FALSE;
  if (option_annotate && cli->format != SMB_FORMAT_TEXT)
    return smb_cli_usage_error(error, "--annotate is for --format text");
  const char *file = cli->n_arguments > 0 ? cli->arguments[0] : NULL;
  g_autoptr(SmbTarget) target = smb_target_new(&option_target, file, cli->arch, error);
  if (!target)
    return FALSE;
  g_autoptr(SmbAnalysis) analysis =
      smb_analysis_run(target->kernel, cli->arch, &target->launch, &target->options, error);
  if (!analysis)
    return FALSE;

  SmbAnalyzeReport report = {target, analysis, option_warps, max_ways};
  switch (cli->format) {
  case SMB_FORMAT_TEXT:
    if (option_annotate)
      smb_analyze_annotate(cli, &report);
    else
      smb_analyze_write_text(cli, &report);
    break;
  case SMB_FORMAT_JSON:
    smb_analyze_write_json(cli, &report);
    break;
  case SMB_FORMAT_CSV:
    smb_analyze_write_csv(cli, &report);
    break;
  }
  smb_analyze_write_warnings(target, analysis, cli->messages);
  check_limit(cli, analysis, max_ways);
  return TRUE;
}
