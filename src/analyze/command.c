// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// analyze: what the shared-memory accesses of a kernel cost, access by access.
#include "src/analyze/report.h"
#include "src/cli/commands.h"
#include "src/cli/target.h"

static char *option_max_ways;
static gboolean option_annotate, option_warps;

static const GOptionEntry options[] = {
    {"max-ways", 0, 0, G_OPTION_ARG_STRING, &option_max_ways,
     "exit with status 1 if an access is more than N-way", "N"},
    {"annotate", 0, 0, G_OPTION_ARG_NONE, &option_annotate,
     "print the source with the counts in the margin", NULL},
    {"warps", 0, 0, G_OPTION_ARG_NONE, &option_warps, "break each access down by warp", NULL},
    G_OPTION_ENTRY_NULL,
};

// --max-ways: each access that is beyond it is named, and each whose count is not that of the contents of memory: requests of
// it are not counted, or contents were assumed. Where a condition kept all threads away, nothing was checked.
static void
check_limit(SmbCli *cli, const SmbAnalyzeReport *report) {
  if (report->max_ways != G_MAXUINT && report->analysis->idle) {
    cli->status = SMB_EXIT_DIFFERS;
    smb_spool_printf(cli->messages, "smembank analyze: --max-ways %u: nothing was checked\n",
                     report->max_ways);
  }
  for (guint i = 0; i < report->analysis->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(report->analysis->accesses, SmbAccess, i);
    guint ways = smb_analyze_ways(access);
    if ((access->uncounted || access->data_source) && report->max_ways != G_MAXUINT) {
      g_autofree char *reason = smb_analyze_describe_reason(access);
      cli->status = SMB_EXIT_DIFFERS;
      smb_spool_printf(cli->messages, "smembank analyze: --max-ways %u: %s\n", report->max_ways,
                       reason);
    }
    if (ways <= report->max_ways)
      continue;
    cli->status = SMB_EXIT_DIFFERS;
    smb_spool_printf(cli->messages, "smembank analyze: line %u: the %s of %s ", access->site->line,
                     smb_op_class_name(access->site->op_class), access->site->expression);
    smb_spool_printf(cli->messages,
                     ways == access->total.max_degree
                         ? "is %u-way: more than --max-ways %u\n"
                         : "queues %u deep in a bank: more than --max-ways %u\n",
                     ways, report->max_ways);
  }
}

static const SmbFormat formats[] = {{"text", smb_analyze_write_text, NULL},
                                    {"json", smb_analyze_write_json, NULL},
                                    {"csv", smb_analyze_write_csv, NULL},
                                    {NULL, NULL, NULL}};
static const SmbFormat annotated_formats[] = {{"text", smb_analyze_annotate, NULL},
                                              {NULL, NULL, NULL}};

static const SmbCliGroup *const groups[] = {SMB_TARGET_GROUPS, NULL};
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
  guint max_ways = G_MAXUINT;
  if (!smb_cli_parse(cli, &usage, options, error) ||
      !smb_cli_number("--max-ways", option_max_ways, 1, G_MAXINT, &max_ways, error))
    return FALSE;
  if (option_annotate && !smb_cli_view(cli, "--annotate", annotated_formats, error))
    return FALSE;
  g_autoptr(SmbTarget) target = smb_target_open(cli, 0, NULL, error);
  g_autoptr(SmbAnalysis) analysis = target ? smb_target_analyze(target, cli->arch, error) : NULL;
  if (!analysis)
    return FALSE;

  SmbAnalyzeReport report = {target, analysis, option_warps, max_ways};
  cli->format->write(cli, &report);
  smb_analyze_write_warnings(target, analysis, cli->messages);
  check_limit(cli, &report);
  return TRUE;
}
