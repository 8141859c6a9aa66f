// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// merge: the whole of the parts that --shard made.
#include <string.h>

#include "src/analyze/part.h"
#include "src/check/part.h"
#include "src/commands.h"
#include "src/fuzz/part.h"
#include "src/merge/document.h"
#include "src/validate/comparison-part.h"

// How the parts of a command become its result, in the format of the same name.
typedef struct {
  const char *command;
  const SmbFormat *formats;
  const char *const *members; // that all parts have in common
  guint n_members;
  gboolean (*merge)(SmbCli *cli, const char *const *names, const GPtrArray *parts, GError **error);
} Merger;

static const char *const analyze_members[] = {"command",     "kernel",       "launch?",
                                              "level",       "arch",         "shard.digest",
                                              "shard.warps", "shard.limits", "shard.assumes_block"};
static const char *const check_members[] = {"command", "project", "shard.digest", "shard.cases",
                                            "shard.baseline"};
static const char *const fuzz_members[] = {
    "command", "device",  "compute_capability", "driver",
    "toolkit", "counter", "counters_refused",   "arch",
    "count",   "seed",    "shard.counted",      "shard.instructions"};
static const char *const validate_members[] = {"command",       "device",      "shard.digest",
                                               "shard.kernels", "shard.times", "shard.requests"};
static const Merger mergers[] = {
    {"analyze", smb_analyze_merged_formats, analyze_members, G_N_ELEMENTS(analyze_members),
     smb_analyze_merge},
    {"check", smb_check_formats, check_members, G_N_ELEMENTS(check_members), smb_check_merge},
    {"fuzz", smb_fuzz_formats, fuzz_members, G_N_ELEMENTS(fuzz_members), smb_fuzz_merge},
    {"validate", smb_comparison_formats, validate_members, G_N_ELEMENTS(validate_members),
     smb_comparison_merge},
};

static const SmbCliUsage usage = {
    .arguments = "FILE…",
    .description =
        "Makes the whole of its parts: FILEs are what analyze, check, fuzz or validate wrote with "
        "--shard and --format json, all of them, in any order. The result and the exit status are "
        "those that the command would have had without --shard, to the last number; limits of a "
        "launch are checked here. Neither the kernels nor a GPU are needed.",
    .min_arguments = 1,
    .max_arguments = G_MAXUINT,
    .formats = smb_check_formats, // those of each kind are among them
    .example = "smembank merge part-1.json part-2.json --format json",
};

static const Merger *
find_merger(const SmbPartDocuments *documents, GError **error) {
  for (guint i = 0; i < G_N_ELEMENTS(mergers); i++) {
    if (strcmp(mergers[i].command, documents->command) == 0)
      return &mergers[i];
  }
  smb_cli_usage_error(error, "%s: a result of %s, which has no parts", documents->names[0],
                      documents->command);
  return NULL;
}

gboolean
smb_cmd_merge(SmbCli *cli, GError **error) {
  if (!smb_cli_parse(cli, &usage, NULL, error))
    return FALSE;
  g_autoptr(SmbPartDocuments) documents =
      smb_part_documents_read((const char *const *)cli->arguments, error);
  const Merger *merger = documents ? find_merger(documents, error) : NULL;
  if (!merger || !smb_part_documents_agree(documents, merger->members, merger->n_members, error) ||
      !smb_cli_view(cli, documents->command, merger->formats, error))
    return FALSE;
  // The result is that of the command.
  const char *own = cli->command;
  cli->command = merger->command;
  gboolean merged =
      merger->merge(cli, (const char *const *)documents->names, documents->objects, error);
  cli->command = own;
  return merged;
}
