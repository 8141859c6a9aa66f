// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// validate: predicted beside measured. What was measured comes from recordings and publications.
#include <string.h>

#include "src/commands.h"
#include "src/comparison-report.h"

static gboolean option_recorded, option_all;
static char *option_kernel;

static const GOptionEntry options[] = {
    {"recorded", 0, 0, G_OPTION_ARG_NONE, &option_recorded,
     "compare with recordings: those of FILE, or the built-in ones", NULL},
    {"kernel", 0, 0, G_OPTION_ARG_STRING, &option_kernel, "only what was published of this kernel",
     "NAME"},
    {"all", 'a', 0, G_OPTION_ARG_NONE, &option_all, "one row for each request in text, too", NULL},
    G_OPTION_ENTRY_NULL,
};

gboolean
smb_cmd_validate(SmbCli *cli, GError **error) {
  static const SmbCliUsage usage = {
      "[FILE]",
      "Sets the model's predictions beside what was measured: the published counts of the "
      "built-in\n"
      "kernels and the recorded requests, or the requests of FILE, a trace whose lines carry\n"
      "'= WAVEFRONTS'. Published times are shown beside the predicted wavefronts, and not "
      "compared.\n"
      "Published counts go by the rules of their device, requests by those of --arch. A "
      "difference\n"
      "makes the exit status 1.",
      0, 1, SMB_CLI_FORMAT | SMB_CLI_ARCH};
  if (!smb_cli_parse(cli, &usage, options, error))
    return FALSE;
  const char *file = cli->n_arguments > 0 ? cli->arguments[0] : NULL;
  if (file && option_kernel)
    return smb_cli_usage_error(error, "--kernel goes with the published counts, not with a FILE");

  if (!file && strcmp(smb_arch_info(cli->arch)->name, SMB_DEFAULT_ARCH) != 0)
    return smb_cli_usage_error(error, "--arch goes with a FILE: published and recorded counts are "
                                      "compared by the rules of their own device");

  g_autoptr(SmbComparison) comparison = smb_comparison_new();
  if (!file && !smb_comparison_add_published(comparison, option_kernel, error))
    return FALSE;
  if (!option_kernel && !smb_comparison_add_requests(comparison, file, cli->arch, error))
    return FALSE;
  switch (cli->format) {
  case SMB_FORMAT_TEXT:
    smb_comparison_write_text(cli, comparison, option_all);
    break;
  case SMB_FORMAT_JSON:
    smb_comparison_write_json(cli, comparison);
    break;
  case SMB_FORMAT_CSV:
    smb_comparison_write_csv(cli, comparison);
    break;
  }
  if (comparison->mismatched > 0)
    cli->status = SMB_EXIT_DIFFERS;
  return TRUE;
}
