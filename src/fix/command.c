// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// fix: what Nsight Compute measured in excess, why, and what removes it.
#include "sim/arch/arch.h"
#include "src/analysis/warning.h"
#include "src/cli/words.h"
#include "src/commands.h"
#include "src/fix/project.h"
#include "src/project/case.h"
#include "src/target/ncu.h"
#include "src/target/profile.h"

enum {
  DEFAULT_TOP = 5,      // lines that are shown
  TOP_LAYOUTS = 1,      // of each kind
  MAX_COUNTS = 1 << 29, // of requests, in all layouts
};

static char *option_top, *option_launch;

static const GOptionEntry options[] = {
    {"top", 0, 0, G_OPTION_ARG_STRING, &option_top, "in text, show N lines (default: 5)", "N"},
    {"ncu-launch", 0, 0, G_OPTION_ARG_STRING, &option_launch,
     "which of the launches of the kernel in PROFILE, from 1", "N"},
    G_OPTION_ENTRY_NULL,
};

static const SmbFormat formats[] = {{"text", smb_fix_write_text, NULL},
                                    {"json", smb_fix_write_json, NULL},
                                    {"csv", smb_fix_write_csv, NULL},
                                    {NULL, NULL, NULL}};
static const SmbCliGroup *const groups[] = {SMB_TARGET_GROUPS, &smb_target_array_group, NULL};
static const SmbCliUsage usage = {
    .arguments = "PROFILE [FILE|-]",
    .description =
        "Explains each bank conflict that Nsight Compute measured, line by line, the costliest "
        "first, and finds a layout that removes it, as compiled. PROFILE is what 'ncu --page "
        "source --csv --print-source sass' writes, or a report. If it is what 'ncu --metrics …' "
        "writes, as text or CSV, the kernel is compared as a whole, and its lines are "
        "predicted.\nThe kernel is machine code, or CUDA C that nvcc compiles as for the profile "
        "(--nvcc), launched as it was measured. Without FILE or --case, each kernel that was "
        "measured is looked up among the cases of the project file.",
    .min_arguments = 1,
    .max_arguments = 2,
    .has_arch = TRUE,
    .takes_project = TRUE,
    .formats = formats,
    .cases = &smb_cases,
    .groups = groups,
    .example = "smembank fix profile.csv kernel.cu --block 32,8 --nvcc -O3",
};

// What the command line says besides the profile, for all cases of a project.
typedef struct {
  const SmbCli *cli;
  GStrv words;
} Cases;

// As if the user had named the case.
static SmbTarget *
open_case(gpointer data, const SmbCase *one, SmbArch **arch, GError **error) {
  const Cases *cases = data;
  g_autoptr(GPtrArray) argv = g_ptr_array_new();
  g_autofree char *name = g_strconcat("--" SMB_CASE_OPTION "=", one->name, NULL);
  g_ptr_array_add(argv, cases->cli->argv[0]);
  g_ptr_array_add(argv, cases->cli->arguments[0]);
  g_ptr_array_add(argv, name);
  for (guint i = 0; cases->words[i]; i++)
    g_ptr_array_add(argv, cases->words[i]);
  SmbCli cli = *cases->cli;
  cli.argc = (int)argv->len;
  cli.argv = (char **)argv->pdata;
  cli.arguments = NULL;
  cli.case_origin = cli.case_project = NULL;
  cli.arch = NULL;
  smb_target_clear_options();
  SmbTarget *target =
      smb_cli_parse(&cli, &usage, NULL, error) ? smb_target_open_text(&cli, 1, error) : NULL;
  *arch = cli.arch;
  g_strfreev(cli.arguments);
  g_free(cli.case_origin);
  g_free(cli.case_project);
  return target;
}

static gboolean
fix_project(SmbCli *cli, const SmbNcuFile *ncu, guint number, const SmbAdviseSearch *search,
            guint top, GError **error) {
  if (!ncu->profile)
    return smb_cli_usage_error(
        error,
        "%s has metrics of whole kernels: expected the FILE of the kernel, or "
        "--case NAME",
        ncu->name);
  g_autoptr(SmbProject) project = smb_project_load(smb_target_options()->project, error);
  if (!project)
    return FALSE;
  smb_project_note_files(project, cli->files);
  if (!smb_files_check(cli->files, error) ||
      !smb_cli_view(cli, "a project", smb_fix_project_formats, error))
    return FALSE;
  smb_cli_progress(cli); // one for all cases
  g_auto(GStrv) words = smb_words_of_options(groups);
  g_autofree char *arch = g_strconcat("--arch=", smb_arch_info(cli->arch)->name, NULL);
  g_autoptr(GStrvBuilder) builder = g_strv_builder_new();
  g_strv_builder_addv(builder, (const char **)words);
  if (cli->arch_named)
    g_strv_builder_add(builder, arch);
  g_auto(GStrv) all_words = g_strv_builder_end(builder);
  Cases cases = {cli, all_words};
  const SmbFixOpener opener = {open_case, &cases};
  g_autoptr(SmbFixProject) all = smb_fix_project_new(g_steal_pointer(&project), ncu->profile,
                                                     ncu->name, number, search, &opener, error);
  if (!all)
    return FALSE;
  all->top = top;
  cli->format->write(cli, all);
  cli->status = smb_fix_project_status(all);
  return TRUE;
}

// What was measured of the kernel, as a whole or instruction by instruction.
static SmbFix *
open_fix(SmbCli *cli, const SmbNcuFile *ncu, SmbTarget *target, guint number,
         const SmbAdviseSearch *search, GError **error) {
  if (ncu->profile)
    return smb_fix_new(target, cli->arch, ncu->profile, ncu->name, number, search, error);
  const SmbMeasuredLaunch *measured =
      smb_target_find_metrics(target, ncu->metrics, ncu->name, number, error);
  return measured ? smb_fix_new_metrics(target, cli->arch, measured, search, error) : NULL;
}

static gboolean
fix_kernel(SmbCli *cli, const SmbNcuFile *ncu, guint number, const SmbAdviseSearch *search,
           guint top, GError **error) {
  const SmbTargetOptions *typed = smb_target_options();
  if (typed->project && !typed->case_name)
    return smb_cli_usage_error(error, "--project '%s': expected --case NAME as well",
                               typed->project);
  g_autoptr(SmbTarget) target = smb_target_open_text(cli, 1, error);
  g_autoptr(SmbFix) fix = target ? open_fix(cli, ncu, target, number, search, error) : NULL;
  if (!fix)
    return FALSE;
  const SmbFixResult result = {fix, ncu->name, top};
  cli->format->write(cli, &result);
  smb_analyze_write_warnings(smb_fix_code(fix), fix->analysis, cli->messages);
  return TRUE;
}

gboolean
smb_cmd_fix(SmbCli *cli, GError **error) {
  guint top = DEFAULT_TOP, number = 0;
  if (!smb_cli_parse(cli, &usage, options, error) ||
      !smb_cli_number("--top", option_top, 1, G_MAXINT, &top, error) ||
      !smb_cli_number("--ncu-launch", option_launch, 1, G_MAXINT, &number, error))
    return FALSE;
  g_autoptr(SmbNcuFile) ncu = smb_ncu_open(cli->arguments[0], error);
  if (!ncu)
    return FALSE;
  g_auto(GStrv) arrays = g_strdupv(smb_target_options()->arrays);
  const SmbAdviseSearch search = {.arrays = (const char *const *)arrays,
                                  .top = TOP_LAYOUTS,
                                  .max_counts = MAX_COUNTS,
                                  .compiles = TRUE};
  gboolean is_named = cli->n_arguments > 1 || smb_target_options()->case_name ||
                      smb_target_is_named(smb_target_options());
  return (is_named ? fix_kernel : fix_project)(cli, ncu, number, &search, top, error);
}
