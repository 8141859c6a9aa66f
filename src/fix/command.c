// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// fix: what Nsight Compute measured in excess, why, and what removes it.
#include "src/analyze/report.h"
#include "src/cli/commands.h"
#include "src/cli/input.h"
#include "src/fix/fix.h"

enum {
  DEFAULT_TOP = 5,      // lines that are shown
  TOP_LAYOUTS = 1,      // of each kind
  MAX_COUNTS = 1 << 29, // of requests, in all layouts
};

static char *option_top, *option_launch;

static const GOptionEntry options[] = {
    {"top", 0, 0, G_OPTION_ARG_STRING, &option_top, "in text, show N lines (default: 5)", "N"},
    {"ncu-launch", 0, 0, G_OPTION_ARG_STRING, &option_launch,
     "which of the launches of the kernel in FILE.csv, from 1", "N"},
    G_OPTION_ENTRY_NULL,
};

static const SmbFormat formats[] = {{"text", smb_fix_write_text, NULL},
                                    {"json", smb_fix_write_json, NULL},
                                    {"csv", smb_fix_write_csv, NULL},
                                    {NULL, NULL, NULL}};
static const SmbCliGroup *const groups[] = {SMB_TARGET_GROUPS, &smb_target_array_group, NULL};
static const SmbCliUsage usage = {
    .arguments = "FILE.csv [FILE|-]",
    .description =
        "Takes what Nsight Compute measured of a kernel ('ncu --page source --csv --print-source "
        "sass'), and says of each line with wavefronts in excess, the costliest first, why they "
        "are, and which layout removes them, as compiled.\n"
        "The kernel is machine code, or CUDA C, which nvcc compiles as it was compiled for the "
        "profile (--nvcc); launched as it was measured.",
    .min_arguments = 1,
    .max_arguments = 2,
    .has_arch = TRUE,
    .formats = formats,
    .groups = groups,
    .example = "smembank fix profile.csv kernel.cu --block 32,8 --nvcc -O3",
};

gboolean
smb_cmd_fix(SmbCli *cli, GError **error) {
  guint top = DEFAULT_TOP, number = 0;
  if (!smb_cli_parse(cli, &usage, options, error) ||
      !smb_cli_number("--top", option_top, 1, G_MAXINT, &top, error) ||
      !smb_cli_number("--ncu-launch", option_launch, 1, G_MAXINT, &number, error))
    return FALSE;
  g_autoptr(SmbSource) source = smb_input_source(cli->arguments[0], error);
  g_autoptr(SmbProfile) profile = source ? smb_profile_read(source, error) : NULL;
  g_autoptr(SmbTarget) target = profile ? smb_target_open_text(cli, 1, NULL, error) : NULL;
  if (!target)
    return FALSE;
  const SmbAdviseSearch search = {.arrays = (const char *const *)smb_target_options()->arrays,
                                  .top = TOP_LAYOUTS,
                                  .max_counts = MAX_COUNTS,
                                  .compiles = TRUE};
  g_autoptr(SmbFix) fix =
      smb_fix_new(target, cli->arch, profile, smb_source_name(source), number, &search, error);
  if (!fix)
    return FALSE;
  const SmbFixResult result = {fix, smb_source_name(source), top};
  cli->format->write(cli, &result);
  smb_analyze_write_warnings(smb_fix_code(fix), fix->analysis, cli->messages);
  return TRUE;
}
