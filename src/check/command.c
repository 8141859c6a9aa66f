// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// check [CASE…]: whether the kernels of a project keep their limits.
#include "src/analysis/launch-time.h"
#include "src/analysis/prove-option.h"
#include "src/check/baseline.h"
#include "src/check/part.h"
#include "src/commands.h"
#include "src/target/target.h"

enum {
  MAX_JOBS = 1024,
  MAX_CASES = 1 << 20
};

static char *option_project, *option_jobs, *option_baseline, *option_shard;

static const GOptionEntry options[] = {
    {"project", 0, 0, G_OPTION_ARG_FILENAME, &option_project,
     "the project file (default: smembank.ini in this folder or above it)", SMB_CLI_FILE},
    {"baseline", 0, 0, G_OPTION_ARG_FILENAME, &option_baseline,
     "fail only what got worse since FILE, a result of check --format json", SMB_CLI_FILE},
    {"jobs", 'j', 0, G_OPTION_ARG_STRING, &option_jobs,
     "cases to analyze at a time (default: one per processor)", "N"},
    {"shard", 0, 0, G_OPTION_ARG_STRING, &option_shard,
     "check only the K-th of N parts of the cases: with --format json, for 'smembank merge'",
     SMB_SHARD_FORM},
    G_OPTION_ENTRY_NULL,
};

static const SmbCliGroup *const groups[] = {&smb_launch_time_group, &smb_prove_group,
                                            &smb_target_compiler_group, NULL};
static const SmbCliUsage usage = {
    .arguments = "[CASE…]",
    .description = "Analyzes the cases of a project file, all or those that are named, and shows "
                   "which keep their limits. The exit status is 1 if a limit failed, and 3 if a "
                   "case could not be counted; the other cases are still checked. A case without "
                   "a limit is counted, and neither passes nor fails.",
    .max_arguments = MAX_CASES,
    .formats = smb_check_formats,
    .groups = groups,
    .example = "smembank check --project smembank.ini",
};

// The cases that are named, or all of them (element-type SmbCase).
static GPtrArray *
choose_cases(const SmbCli *cli, const SmbProject *project, GError **error) {
  g_autoptr(GPtrArray) chosen = g_ptr_array_new();
  for (guint i = 0; i < cli->n_arguments; i++) {
    const SmbCase *one = smb_project_find(project, cli->arguments[i], error);
    if (!one)
      return NULL;
    if (!g_ptr_array_find(chosen, one, NULL))
      g_ptr_array_add(chosen, (gpointer)one);
  }
  for (guint i = 0; cli->n_arguments == 0 && i < project->cases->len; i++)
    g_ptr_array_add(chosen, project->cases->pdata[i]);
  if (chosen->len > 0)
    return g_steal_pointer(&chosen);
  smb_cli_usage_error(error, "%s has no case: nothing to check", project->path);
  return NULL;
}

// Those of a part: every N-th, so that neighbours, which are often alike, are shared.
static GPtrArray *
choose_part(const GPtrArray *cases, const SmbShard *shard) {
  GPtrArray *chosen = g_ptr_array_new();
  for (guint i = 0; i < cases->len; i++) {
    if (smb_shard_has(shard, i))
      g_ptr_array_add(chosen, cases->pdata[i]);
  }
  return chosen;
}

gboolean
smb_cmd_check(SmbCli *cli, GError **error) {
  guint jobs = g_get_num_processors();
  SmbCheckPart part = {.n_cases = 0};
  if (!smb_cli_parse(cli, &usage, options, error) ||
      !smb_shard_parse(option_shard, &part.shard, error) ||
      !smb_cli_number("--jobs", option_jobs, 1, MAX_JOBS, &jobs, error))
    return FALSE;
  g_autoptr(SmbResult) baseline = option_baseline ? smb_result_read(option_baseline, error) : NULL;
  if (option_baseline && !baseline)
    return FALSE;
  g_autoptr(SmbProject) project = smb_project_load(option_project, error);
  g_autoptr(GPtrArray) all = project ? choose_cases(cli, project, error) : NULL;
  if (!all)
    return FALSE;
  smb_project_note_files(project, cli->files);
  if (!smb_files_check(cli->files, error))
    return FALSE;
  g_autofree char *digest = part.shard.of ? smb_check_digest(all, baseline) : NULL;
  part.digest = digest;
  part.n_cases = all->len;
  part.has_baseline = baseline != NULL;
  g_autoptr(GPtrArray) cases = choose_part(all, &part.shard);
  g_autoptr(SmbCheck) check =
      smb_check_run(project, cases, jobs, NULL, cli->files, smb_cli_progress(cli));
  if (baseline)
    smb_check_apply_baseline(check, baseline);
  check->part = part.shard.of ? &part : NULL;
  smb_check_write(cli, check);
  return TRUE;
}
