// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// merge: the whole of the parts that --shard made.
#include <string.h>

#include "src/analyze/part.h"
#include "src/check/part.h"
#include "src/commands.h"
#include "src/fuzz/part.h"
#include "src/validate/comparison-part.h"

static const SmbMerger *const mergers[] = {&smb_analyze_merger, &smb_check_merger, &smb_fuzz_merger,
                                           &smb_comparison_merger};

static const SmbCliUsage usage = {
    .arguments = "FILE…",
    .description =
        "Combines parts into the whole. FILEs are what analyze, check, fuzz or validate wrote with "
        "--shard and --format json: all parts, in any order. The result and the exit status are "
        "those that the command would have had without --shard, to the last number; limits of a "
        "launch are checked here. Neither the kernels nor a GPU are needed.",
    .min_arguments = 1,
    .max_arguments = G_MAXUINT,
    .formats = smb_check_formats, // those of each kind are among them
    .example = "smembank merge part-1.json part-2.json --format json",
};

static const SmbMerger *
find_merger(const SmbPartResults *results, GError **error) {
  for (guint i = 0; i < G_N_ELEMENTS(mergers); i++) {
    if (strcmp(mergers[i]->command, results->command) == 0)
      return mergers[i];
  }
  smb_cli_usage_error(error, "%s: a result of %s, which has no --shard", smb_part_name(results, 0),
                      results->command);
  return NULL;
}

gboolean
smb_cmd_merge(SmbCli *cli, GError **error) {
  if (!smb_cli_parse(cli, &usage, NULL, error))
    return FALSE;
  g_autoptr(SmbPartResults) results =
      smb_part_results_read((const char *const *)cli->arguments, error);
  const SmbMerger *merger = results ? find_merger(results, error) : NULL;
  if (!merger || !smb_part_results_agree(results, merger, error) ||
      !smb_cli_view(cli, results->command, merger->formats, error))
    return FALSE;
  // The result is that of the command.
  const char *own = cli->command;
  cli->command = merger->command;
  gboolean merged = merger->merge(cli, results, error);
  cli->command = own;
  return merged;
}
