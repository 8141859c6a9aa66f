// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// advise: layouts of shared arrays that take fewer wavefronts, and the kernel written so.
#include <string.h>

#include "sim/arch/arch.h"
#include "sim/base/text.h"
#include "src/advise/check.h"
#include "src/advise/text.h"
#include "src/advise/tune.h"
#include "src/analysis/vendor.h"
#include "src/analysis/warning.h"
#include "src/commands.h"
#include "src/out/file.h"
#include "src/out/patch.h"
#include "src/project/case.h"
#include "src/run/launched-text.h"

// Layouts of each kind that are shown, and values of macros.
enum {
  DEFAULT_TOP = 1,
  DEFAULT_TOP_OF_ALL = 3,
  DEFAULT_TUNED = 8,
  MAX_TOP = 100
};

// Blocks that stand for those of a grid that do not repeat each other: each form is run as often.
enum {
  SAMPLE_BLOCKS = 16
};

// Requests that a search may count: well under a minute.
static const guint64 default_max_counts = G_GUINT64_CONSTANT(1) << 29;

static char *option_device, *option_timeout, *option_only, *option_top, *option_check, *option_out,
    *option_max_counts;
static char **option_tune, **option_row;
static gboolean option_measure, option_all, option_verbose, option_quiet, option_in_place,
    option_patch;

#define KINDS "pad|swizzle|both"

static const GOptionEntry options[] = {
    {"row", 0, 0, G_OPTION_ARG_STRING_ARRAY, &option_row,
     "elements in a row of every one-dimensional array, or of the array NAME, padding included",
     "[NAME=]N"},
    {"only", 0, 0, G_OPTION_ARG_STRING, &option_only, "one kind of layout", KINDS},
    {"top", 0, 0, G_OPTION_ARG_STRING, &option_top,
     "layouts of each kind to show (default 1, with --all 3); with --tune, values to show (default "
     "8)",
     "N"},
    {"all", 0, 0, G_OPTION_ARG_NONE, &option_all,
     "also show layouts that are no better than others, and the cost of each access in each layout "
     "(JSON and CSV always have them)",
     NULL},
    {"verbose", 'v', 0, G_OPTION_ARG_NONE, &option_verbose, "explain the columns", NULL},
    {"quiet", 'q', 0, G_OPTION_ARG_NONE, &option_quiet,
     "show only what is recommended and what it gains", NULL},
    {"check", 0, 0, G_OPTION_ARG_STRING, &option_check,
     "show what this swizzle does to each access, and why conflicts remain", "'Swizzle<B,M,S>'"},
    {"tune", 0, 0, G_OPTION_ARG_STRING_ARRAY, &option_tune,
     "try values of a macro of the kernel instead", "NAME=LO..HI"},
    {"max-counts", 0, 0, G_OPTION_ARG_STRING, &option_max_counts,
     "requests that the search for an array may count (default 536870912)", "N"},
    {"measure", 0, 0, G_OPTION_ARG_NONE, &option_measure,
     "run the kernel and its rewritten forms on a GPU", NULL},
    {"device", 0, 0, G_OPTION_ARG_STRING, &option_device,
     "the device that times are predicted for (default: the first one of the architecture); with "
     "--measure, the number of the GPU (default 0)",
     "NAME|N"},
    {"timeout", 0, 0, G_OPTION_ARG_STRING, &option_timeout,
     "seconds that one measurement may take (default 30)", "N"},
    {"out", 0, 0, G_OPTION_ARG_FILENAME, &option_out, "write the best rewritten kernel to FILE",
     "FILE"},
    {"in-place", 'i', 0, G_OPTION_ARG_NONE, &option_in_place,
     "write the best rewritten kernel to its own file", NULL},
    {"patch", 0, 0, G_OPTION_ARG_NONE, &option_patch,
     "write the change to the file as a patch (for 'git apply' or 'patch -p1')", NULL},
    G_OPTION_ENTRY_NULL,
};

// The option that has the rewritten kernel written, or NULL.
static const char *
writer(void) {
  return option_out ? "--out" : option_in_place ? "--in-place" : option_patch ? "--patch" : NULL;
}

static gboolean
check_rows(GError **error) {
  for (guint i = 0; option_row && option_row[i]; i++) {
    const char *equals = strchr(option_row[i], '=');
    guint row;
    if (!smb_cli_number("--row", equals ? equals + 1 : option_row[i], 1, 1 << 20, &row, error))
      return FALSE;
  }
  return TRUE;
}

// Readers that are programs choose for themselves: they get all, as elsewhere.
static gboolean
shows_all(const SmbCli *cli) {
  return option_all || strcmp(cli->format->name, "text") != 0;
}

static gboolean
parse_search(const SmbCli *cli, SmbAdviseSearch *search, guint *tuned, GError **error) {
  static const SmbAdviseKinds kinds[] = {SMB_ADVISE_PAD, SMB_ADVISE_SWIZZLE, SMB_ADVISE_BOTH};
  guint kind = 0;
  search->arrays = (const char *const *)smb_target_options()->arrays;
  search->rows = (const char *const *)option_row;
  search->all = shows_all(cli);
  search->top = search->all ? DEFAULT_TOP_OF_ALL : DEFAULT_TOP;
  search->max_counts = default_max_counts;
  search->compiles = TRUE;
  *tuned = DEFAULT_TUNED;
  if (!smb_cli_choice("--only", option_only, KINDS, &kind, error) || !check_rows(error) ||
      !smb_cli_number64("--max-counts", option_max_counts, 1, G_MAXINT64, &search->max_counts,
                        error) ||
      !smb_cli_number("--top", option_top, 1, MAX_TOP, &search->top, error) ||
      !smb_cli_number("--top", option_top, 1, MAX_TOP, tuned, error))
    return FALSE;
  search->kinds = option_only ? kinds[kind] : 0;
  search->writes = search->kinds == 0 || search->kinds == SMB_ADVISE_PAD;
  return TRUE;
}

static const SmbFormat formats[] = {{"text", smb_advise_write_text, NULL},
                                    {"json", smb_advise_write_json, NULL},
                                    {"csv", smb_advise_write_csv, NULL},
                                    {NULL, NULL, NULL}};
static const SmbFormat measured_formats[] = {{"text", smb_advise_write_text, NULL},
                                             {"json", smb_advise_write_json, NULL},
                                             {NULL, NULL, NULL}};

// What is written depends on what is asked; a table for each.
static gboolean
choose_formats(SmbCli *cli, GError **error) {
  if (option_check)
    return smb_cli_view(cli, "--check", smb_advise_check_formats, error);
  if (option_tune && option_measure)
    return smb_cli_view(cli, "--measure", smb_tuning_measured_formats, error);
  if (option_tune)
    return smb_cli_view(cli, "--tune", smb_tuning_formats, error);
  return !option_measure || smb_cli_view(cli, "--measure", measured_formats, error);
}

// --device names what times are predicted for, or with --measure what is measured.
static gboolean
check_times(const SmbCli *cli, GError **error) {
  if (!option_measure)
    smb_launch_time_choose(option_device);
  return smb_launch_time_check(cli->arch, error);
}

static gboolean
check_advise_options(SmbCli *cli, GError **error) {
  const gboolean no_search = writer() || option_only || option_max_counts;
  const struct {
    gboolean is_wrong;
    const char *message;
  } rules[] = {
      {option_check && option_tune, "--check and --tune cannot be combined"},
      {option_check && no_search, "--check does not search layouts: it cannot be combined with "
                                  "--only, --out, --in-place, --patch or --max-counts"},
      {option_tune && no_search, "--tune does not search layouts: it cannot be combined with "
                                 "--only, --out, --in-place, --patch or --max-counts"},
      {(option_out != NULL) + option_in_place + option_patch > 1,
       "the rewritten kernel is written once: expected one of --out, --in-place and --patch"},
      {g_strcmp0(option_out, "-") == 0,
       "--out '-': expected a file (--patch writes to standard output)"},
      {option_patch && strcmp(cli->format->name, "text") != 0,
       "--patch replaces the result: it cannot be combined with --format"},
      {option_check && option_measure,
       "--check does not rewrite the kernel: it cannot be combined with --measure"},
      {option_check && (option_top || option_all),
       "--check shows every access: it cannot be combined with --top or --all"},
      {option_tune && option_all, "--tune tries every value: it cannot be combined with --all"},
      {option_quiet && (option_check || option_tune || option_measure || option_patch ||
                        option_all || option_verbose || strcmp(cli->format->name, "text") != 0),
       "--quiet shows one line: it cannot be combined with --check, --tune, --measure, --patch, "
       "--all, --verbose or --format"},
      {option_verbose && option_check,
       "--verbose explains the columns of a search: it cannot be combined with --check"},
      {option_verbose && option_tune,
       "--verbose explains the columns of a search: it cannot be combined with --tune"},
      {option_tune && (smb_target_options()->arrays || option_row),
       "--tune runs the whole kernel: it cannot be combined with --array or --row"},
      {option_timeout && !option_measure, "--timeout is for --measure"},
      {option_measure && cli->arch_named,
       "--measure uses the rules of the device: it cannot be combined with --arch"},
  };
  for (guint i = 0; i < G_N_ELEMENTS(rules); i++) {
    if (rules[i].is_wrong)
      return smb_cli_usage_error(error, "%s", rules[i].message);
  }
  return choose_formats(cli, error);
}

// Lines that the text in --out has as they were: they may still mean the layout of before.
static void
warn_unseen(SmbCli *cli, const SmbAdviseReport *report, const SmbAdviseArray *array) {
  g_autofree char *lines = smb_advise_describe_unseen(report, array);
  if (lines)
    smb_spool_printf(cli->messages, "smembank advise: %s: %s\n",
                     option_out ? option_out : report->target->file, lines);
}

// The best rewritten kernel (transfer full), or NULL if none is better; @name: which layout it has.
static char *
rewrite_kernel(const SmbAdviseReport *report, char **name) {
  const SmbProof *proof = smb_advise_final(report);
  const SmbAdvisePadding *padded = smb_advise_padded(report);
  *name = padded ? g_strdup(padded->name) : proof ? smb_advise_name_layouts(report, proof) : NULL;
  return padded  ? smb_advise_written_text(report->written, padded)
         : proof ? g_strdup(proof->text)
                 : NULL;
}

// A patch is the text itself: it cannot be escaped. Where it may go to a log, none of its lines is to be a command to who runs this
// program, as smb_text_append() knows them.
static gboolean
check_patch(const char *patch, GError **error) {
  static const char *const hidden[] = {"\\x3a", "\\x5b"};
  g_autofree char *shown = smb_text_show(patch);
  for (guint i = 0; i < G_N_ELEMENTS(hidden); i++) {
    if (strstr(shown, hidden[i]) && !strstr(patch, hidden[i]))
      return smb_cli_usage_error(error,
                                 "--patch: a line of the text would be a command in the log of a "
                                 "CI job: expected --output FILE as well");
  }
  return TRUE;
}

// What a patch is of: the text that was read.
static gboolean
write_patch(SmbCli *cli, const SmbAdviseReport *report, const char *text, GError **error) {
  const SmbSource *source =
      report->written ? report->written->source : smb_program_source(report->target->kernel);
  g_autofree char *patch = smb_patch_new(report->target->file, smb_source_text(source), text);
  if (!cli->output && !check_patch(patch, error))
    return FALSE;
  smb_spool_write(cli->out, patch, strlen(patch));
  return TRUE;
}

// The kernel's own file is the one input that --in-place is for.
static gboolean
write_advice_text(SmbCli *cli, const SmbOutFile *out, const char *text, GError **error) {
  if (!option_in_place)
    return smb_files_write(cli->files, out, text, strlen(text), error);
  return smb_files_check(cli->files, error) && smb_out_file_write(out, text, strlen(text), error);
}

// Why no text was written.
static const char *
explain_unwritten(const SmbAdviseReport *report) {
  for (guint i = 0; i < report->arrays->len; i++)
    if (smb_advise_recommended_mode(report, g_ptr_array_index(report->arrays, i)))
      return "what is recommended changes tensor maps or descriptors together with the indices of "
             "threads, and is to be written by hand";
  return "no rewritten kernel is better";
}

static gboolean
write_rewritten(SmbCli *cli, const SmbAdviseReport *report, const SmbOutFile *out, GError **error) {
  g_autofree char *name = NULL;
  g_autofree char *text = rewrite_kernel(report, &name);
  if (!writer())
    return TRUE;
  if (!text) {
    smb_spool_printf(cli->messages, "smembank advise: %s%s was not written: %s\n",
                     out ? smb_out_file_path(out) : "", out ? "" : "a patch",
                     explain_unwritten(report));
    return TRUE;
  }
  if (out && !write_advice_text(cli, out, text, error))
    return FALSE;
  if (out)
    smb_cli_wrote(cli, out, name);
  else if (!write_patch(cli, report, text, error))
    return FALSE;
  for (guint i = 0; (report->text || !smb_advise_padded(report)) && i < report->arrays->len; i++)
    warn_unseen(cli, report, g_ptr_array_index(report->arrays, i));
  return TRUE;
}

static gboolean
check_rewrites(const SmbTarget *target, GError **error) {
  if (!writer())
    return TRUE;
  if (smb_advise_is_compiled(target) && !target->compiled)
    return smb_cli_usage_error(error,
                               "%s: '%s' is compiled code, which is not rewritten: write the "
                               "layout into its source",
                               writer(), target->file);
  gboolean is_file = g_file_test(target->file, G_FILE_TEST_EXISTS);
  return option_out || is_file ||
         smb_cli_usage_error(error, "%s: '%s' is not a file: expected a FILE, or --out FILE",
                             writer(), target->file);
}

static gboolean
check_swizzle(SmbCli *cli, const SmbTarget *target, const SmbAdviseSearch *search, GError **error) {
  g_autoptr(SmbAdviseReport) report = smb_advise_report_run(target, cli->arch, error);
  g_autoptr(GPtrArray) arrays = report ? smb_advise_select(report, search->arrays, error) : NULL;
  if (!arrays || !smb_advise_check(cli, report, arrays, search, option_check, error))
    return FALSE;
  smb_analyze_write_warnings(target, report->analysis, cli->messages);
  smb_analyze_note_assumed(cli, target->file, report->analysis);
  return TRUE;
}

static gboolean
search_layouts(SmbCli *cli, const SmbTarget *target, SmbMeter *meter, const SmbAdviseSearch *search,
               const SmbOutFile *out, GError **error) {
  g_autoptr(SmbAdviseMeasured) measured = NULL;
  g_autoptr(SmbAdviseReport) report = smb_advise_report_new(target, cli->arch, search, error);
  if (!report || (meter && !(measured = smb_advise_measure(meter, report, error))))
    return FALSE;
  if (!write_rewritten(cli, report, out, error))
    return FALSE;
  const SmbAdviseResult result = {report, measured, option_all, option_verbose, option_quiet};
  if (!option_patch)
    cli->format->write(cli, &result);
  smb_analyze_write_warnings(report->target, report->analysis, cli->messages);
  if (report->text)
    smb_spool_printf(
        cli->messages,
        "smembank advise: note: the text cannot be run, but what nvcc makes of it can, "
        "and that is what was looked at:\n%-s\n",
        report->text_failure);
  if (cli->format->write == smb_advise_write_csv)
    smb_analyze_note_assumed(cli, target->file, report->analysis);
  if (measured && measured->mismatches > 0)
    cli->status = SMB_EXIT_DIFFERS;
  return TRUE;
}

static const SmbCliGroup *const groups[] = {SMB_TARGET_GROUPS, &smb_target_array_group,
                                            &smb_launch_time_own_device_group, NULL};
static const SmbCliUsage usage = {
    .arguments = "[FILE|-]",
    .description = "Finds the layout of each shared array that takes the fewest wavefronts over "
                   "all its accesses: padded rows, XOR swizzles, or both. The search is "
                   "exhaustive. The kernel is rewritten for the best layout of each kind, and run "
                   "again in that form.\n" SMB_TARGET_DESCRIPTION,
    .max_arguments = 1,
    .has_arch = TRUE,
    .formats = formats,
    .cases = &smb_cases,
    .groups = groups,
    .example = "smembank advise --rows 32 --cols 32",
};

gboolean
smb_cmd_advise(SmbCli *cli, GError **error) {
  SmbAdviseSearch search = {0};
  guint tuned;
  if (!smb_cli_parse(cli, &usage, options, error) || !parse_search(cli, &search, &tuned, error) ||
      !check_advise_options(cli, error) || !check_times(cli, error))
    return FALSE;
  g_autoptr(SmbStandIn) stand_in = NULL;
  if (!option_tune && !option_measure && !smb_launched_text_settle(cli, 0, &stand_in, error))
    return FALSE;
  const char *file = cli->n_arguments > 0 ? cli->arguments[0] : NULL;
  const SmbOutFile *out = NULL;
  if (option_out && !(out = smb_files_open(cli->files, "--out", option_out, error)))
    return FALSE;
  g_autoptr(SmbMeter) meter = NULL;
  if (option_measure) {
    const SmbMeasureOptions measure = {option_device, option_timeout};
    meter = smb_measure_open_for(&measure, option_tune ? NULL : smb_target_options(), file,
                                 cli->arch, error);
    SmbArch *arch = meter ? smb_measure_arch(meter, error) : NULL;
    if (!arch)
      return FALSE;
    smb_arch_unref(cli->arch);
    cli->arch = arch;
  }
  if (option_tune)
    return smb_advise_tune(cli, smb_target_options(), file, (const char *const *)option_tune, tuned,
                           meter, error);
  g_autoptr(SmbTarget) target = smb_target_open_text(cli, 0, error);
  g_autoptr(SmbOutFile) own = NULL;
  if (!target || !check_rewrites(target, error))
    return FALSE;
  target->options.sample = SAMPLE_BLOCKS;
  if (option_in_place && !(out = own = smb_out_file_new("--in-place", target->file, error)))
    return FALSE;
  if (option_check)
    return check_swizzle(cli, target, &search, error);
  return search_layouts(cli, target, meter, &search, out, error);
}
