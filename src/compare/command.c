// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// compare: what got worse from one result to another.
#include "src/cli/commands.h"
#include "src/compare/compare.h"

static const SmbCliUsage usage = {
    .arguments = "OLD NEW",
    .description =
        "Compares two results that analyze or check wrote with --format json: which accesses to "
        "shared memory take more wavefronts than before, and which fewer. Accesses are matched by "
        "what they are and not by their lines. Cases of check are matched by name.\n"
        "The exit status is 1 if something got worse.",
    .min_arguments = 2,
    .max_arguments = 2,
    .formats = smb_result_comparison_formats,
    .example = "smembank compare main.json branch.json --format markdown",
};

gboolean
smb_cmd_compare(SmbCli *cli, GError **error) {
  if (!smb_cli_parse(cli, &usage, NULL, error))
    return FALSE;
  g_autoptr(SmbResult) before = smb_result_read(cli->arguments[0], error);
  g_autoptr(SmbResult) now = before ? smb_result_read(cli->arguments[1], error) : NULL;
  g_autoptr(SmbResultComparison) comparison = now ? smb_results_compare(before, now, error) : NULL;
  if (!comparison)
    return FALSE;
  cli->format->write(cli, comparison);
  if (smb_result_comparison_is_worse(comparison))
    cli->status = SMB_EXIT_DIFFERS;
  return TRUE;
}
