// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// compare: what got worse from one version to another.
#include "src/analysis/vendor.h"
#include "src/commands.h"
#include "src/compare/compare.h"
#include "src/compare/line.h"
#include "src/project/case.h"
#include "src/project/project.h"
#include "src/target/target.h"

static char *option_git;

static const GOptionEntry options[] = {
    {"git", 0, 0, G_OPTION_ARG_STRING, &option_git,
     "compare two revisions, or one with the working tree: of a FILE, of --case NAME, or of all "
     "cases of the project",
     "A[..B]"},
    G_OPTION_ENTRY_NULL,
};

static const SmbCliUsage usage = {
    .arguments = "OLD NEW",
    .description =
        "Compares two versions, and shows which accesses to shared memory got worse and which "
        "better. A version is a result that analyze or check wrote with --format json; a kernel's "
        "file, which is analyzed with the given options; or, with --git A..B [FILE], a revision of "
        "the repository. Accesses are matched by what they are, not by their lines. Cases of check "
        "are matched by name.\nThe exit status is 1 if something got worse.",
    .max_arguments = 2,
    .has_arch = TRUE,
    .hands_case_on = TRUE,
    .formats = smb_result_comparison_formats,
    .cases = &smb_cases,
    .groups = smb_compare_groups,
    .example = "smembank compare --git main --case transpose --format markdown",
};

static gboolean
open_files(const SmbCli *cli, SmbVersion versions[2], GError **error) {
  if (cli->n_arguments < 2)
    return smb_cli_usage_error(error, "missing argument: expected OLD NEW, or --git A..B");
  for (guint i = 0; i < 2; i++)
    smb_version_of_file(cli, cli->arguments[i], &versions[i]);
  g_autofree char *option = smb_compare_find_option(cli, TRUE);
  return versions[0].words || versions[1].words || !option ||
         smb_cli_usage_error(error, "%s is for kernels: %s and %s are results", option,
                             cli->arguments[0], cli->arguments[1]);
}

static gboolean
open_revisions(const SmbCli *cli, SmbRepository *repository, SmbVersion versions[2],
               GError **error) {
  const char *file = cli->n_arguments > 0 ? cli->arguments[0] : NULL;
  g_auto(GStrv) names = g_new0(char *, 3);
  if (cli->n_arguments > 1)
    return smb_cli_usage_error(error, "unexpected argument '%s': --git compares revisions of one",
                               cli->arguments[1]);
  g_autofree char *option = smb_compare_find_option(cli, FALSE);
  if (option && !file && !smb_compare_is_of_kernel())
    return smb_cli_usage_error(error, "%s: expected FILE or --case NAME as well", option);
  if (!smb_repository_range(repository, option_git, names, error))
    return FALSE;
  for (guint i = 0; i < 2; i++) {
    if (!smb_version_of_revision(cli, repository, names[i], i, file, &versions[i], error))
      return FALSE;
  }
  return TRUE;
}

// Those who run the cases read the project file; what is wrong with it is theirs to say.
static gboolean
check_project(const SmbCli *cli, GError **error) {
  g_autoptr(SmbProject) project =
      cli->output ? smb_project_load(smb_target_options()->project, NULL) : NULL;
  if (project)
    smb_project_note_files(project, cli->files);
  return smb_files_check(cli->files, error);
}

// By which rules the cases of a version were counted that are assumed.
static void
note_compared_assumed(SmbCli *cli, const SmbResult *result) {
  for (guint i = 0; i < result->cases->len; i++) {
    const SmbResultCase *one = &g_array_index(result->cases, SmbResultCase, i);
    g_autofree char *assumed = one->analysis ? smb_analyze_read_assumed(one->analysis) : NULL;
    if (assumed)
      smb_spool_printf(cli->messages, "smembank compare: note: %s: %s\n", one->name, assumed);
  }
}

static gboolean
compare_results(SmbCli *cli, SmbVersion versions[2], GError **error) {
  SmbResult *results[2] = {NULL, NULL};
  if (!smb_versions_read((const SmbVersion *)versions, cli->messages, cli->files,
                         smb_cli_progress(cli), results, error))
    return FALSE;
  g_autoptr(SmbResult) before = results[0], now = results[1];
  g_autoptr(SmbResultComparison) comparison = smb_results_compare(before, now, error);
  if (!comparison)
    return FALSE;
  cli->format->write(cli, comparison);
  note_compared_assumed(cli, now);
  cli->status = smb_result_comparison_status(comparison);
  return TRUE;
}

gboolean
smb_cmd_compare(SmbCli *cli, GError **error) {
  if (!smb_cli_parse(cli, &usage, options, error) || !check_project(cli, error))
    return FALSE;
  SmbVersion versions[2] = {{NULL}, {NULL}};
  g_autoptr(SmbRepository) repository = option_git ? smb_repository_open(error) : NULL;
  gboolean done = (!option_git || repository) &&
                  (option_git ? open_revisions(cli, repository, versions, error)
                              : open_files(cli, versions, error)) &&
                  compare_results(cli, versions, error);
  smb_version_clear(&versions[0]);
  smb_version_clear(&versions[1]);
  return done;
}
