// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// explain: why an access costs what it costs, from the thread to the bank.
#include <string.h>

#include "sim/arch/arch.h"
#include "sim/arch/words.h"
#include "src/analysis/peer-access.h"
#include "src/analysis/placed.h"
#include "src/analysis/vendor.h"
#include "src/analysis/warning.h"
#include "src/commands.h"
#include "src/explain/report.h"
#include "src/out/file.h"
#include "src/project/case.h"
#include "src/run/stand-in.h"
#include "src/target/target.h"

static char *option_line, *option_column, *option_op, *option_warp, *option_row, *option_lanes,
    *option_svg;
static gboolean option_all_lanes, option_passes;

/* As SmbOpClass. */
#define OPS "load|store|atomic"

static const GOptionEntry options[] = {
    {"line", 0, 0, G_OPTION_ARG_STRING, &option_line,
     "the line of the access (default: the costliest access)", "[FILE:]N"},
    {"column", 0, 0, G_OPTION_ARG_STRING, &option_column,
     "its column, if the line has several accesses", "N"},
    {"op", 0, 0, G_OPTION_ARG_STRING, &option_op, "what the access does", OPS},
    {"warp", 0, 0, G_OPTION_ARG_STRING, &option_warp,
     "the warp of the block (default: that of the costliest request)", "N"},
    {"row", 0, 0, G_OPTION_ARG_STRING, &option_row,
     "elements in a row of a one-dimensional array, for other paddings", "N"},
    {"lanes", 0, 0, G_OPTION_ARG_STRING, &option_lanes,
     "show these lanes, such as 0-3,17 (default: those that matter)", "LANES"},
    {"all-lanes", 0, 0, G_OPTION_ARG_NONE, &option_all_lanes, "show every active lane", NULL},
    {"passes", 0, 0, G_OPTION_ARG_NONE, &option_passes, "draw the bank map wavefront by wavefront",
     NULL},
    {"svg", 0, 0, G_OPTION_ARG_FILENAME, &option_svg, "also write the bank map to FILE, as SVG",
     "FILE"},
    G_OPTION_ENTRY_NULL,
};

// --line: a number, behind the file of a line that was inlined from there.
static gboolean
parse_line(SmbExplainQuestion *question, GError **error) {
  char *colon = option_line ? strrchr(option_line, ':') : NULL;
  if (!colon || colon == option_line)
    return smb_cli_number("--line", option_line, 1, G_MAXINT, &question->line, error);
  guint64 line = 0;
  if (!g_ascii_string_to_unsigned(colon + 1, 10, 1, G_MAXINT, &line, NULL))
    return smb_cli_usage_error(error, "--line '%s': expected FILE:N, N from 1 to %d", option_line,
                               G_MAXINT);
  *colon = '\0';
  question->file = option_line;
  question->line = (guint)line;
  return TRUE;
}

static gboolean
parse_question(SmbExplainQuestion *question, GError **error) {
  guint op = 0;
  if (!parse_line(question, error) ||
      !smb_cli_number("--column", option_column, 1, G_MAXINT, &question->column, error) ||
      !smb_cli_choice("--op", option_op, OPS, &op, error) ||
      !smb_cli_number("--warp", option_warp, 0, SMB_MAX_WARPS - 1, &question->warp, error) ||
      !smb_cli_number64("--row", option_row, 1, G_MAXINT, &question->row, error))
    return FALSE;
  question->has_warp = option_warp != NULL;
  question->has_op = option_op != NULL;
  question->op = (SmbOpClass)op;
  const GStrv arrays = smb_target_options()->arrays;
  for (guint i = 0; arrays && arrays[i]; i++) {
    if (!strchr(arrays[i], '='))
      return smb_cli_usage_error(error, "--array '%s': expected NAME=SHAPE", arrays[i]);
  }
  if (question->column && !question->line)
    return smb_cli_usage_error(error, "--column '%s': expected --line N as well", option_column);
  return TRUE;
}

// --lanes: numbers and runs of them, with commas between.
static gboolean
parse_lanes(const SmbArch *arch, SmbLanes *lanes, GError **error) {
  guint highest = smb_arch_info(arch)->lanes - 1;
  g_auto(GStrv) parts = g_strsplit(option_lanes ? option_lanes : "", ",", -1);
  for (guint i = 0; option_lanes && (i == 0 || parts[i]); i++) {
    g_auto(GStrv) ends = g_strsplit(parts[i] ? parts[i] : "", "-", -1);
    guint n = g_strv_length(ends);
    guint64 first = 0, last = 0;
    if (n < 1 || n > 2 || !g_ascii_string_to_unsigned(ends[0], 10, 0, highest, &first, NULL) ||
        !g_ascii_string_to_unsigned(ends[n - 1], 10, first, highest, &last, NULL))
      return smb_cli_usage_error(error, "--lanes '%s': expected lanes from 0 to %u, such as 0-3,17",
                                 option_lanes, highest);
    for (guint64 lane = first; lane <= last; lane++)
      *lanes |= (SmbLanes)1 << lane;
  }
  return TRUE;
}

static const SmbFormat formats[] = {{"text", smb_explain_write_text, NULL},
                                    {"json", smb_explain_write_json, NULL},
                                    {"csv", smb_explain_write_csv, NULL},
                                    {NULL, NULL, NULL}};
static const SmbFormat text_formats[] = {{"text", smb_explain_write_text, NULL},
                                         {NULL, NULL, NULL}};

// Options that only text has.
static gboolean
check_text_options(SmbCli *cli, GError **error) {
  const char *option = option_lanes ? "--lanes" : option_all_lanes ? "--all-lanes" : "--passes";
  return !(option_lanes || option_all_lanes || option_passes) ||
         smb_cli_view(cli, option, text_formats, error);
}

// --svg: NULL without an error if it is not there.
static gboolean
open_svg(const SmbCli *cli, const SmbOutFile **file, GError **error) {
  if (!option_svg)
    return TRUE;
  g_autofree char *lower = g_ascii_strdown(option_svg, -1);
  if (!g_str_has_suffix(lower, ".svg"))
    return smb_cli_usage_error(error, "--svg '%s': expected a name that ends in .svg", option_svg);
  *file = smb_files_open(cli->files, "--svg", option_svg, error);
  return *file != NULL;
}

// A kernel without shared memory is not an error, unless an access of it was asked for, or a picture.
static gboolean
check_nothing(const SmbCli *cli, const SmbExplainQuestion *question, GError **error) {
  g_autofree char *line = smb_explain_describe_line(question);
  if (question->line)
    return smb_cli_usage_error(
        error,
        smb_arch_say(cli->arch, "--line '%s': the kernel makes no shared-memory requests at all"),
        line);
  if (option_svg)
    return smb_cli_usage_error(
        error,
        smb_arch_say(
            cli->arch,
            "--svg '%s': the kernel makes no shared-memory requests: there is nothing to draw"),
        option_svg);
  return TRUE;
}

// The map of the request, or of the first tile, as a picture that stands alone.
static gboolean
write_svg(SmbCli *cli, const SmbExplainReport *report, const SmbOutFile *file, GError **error) {
  const SmbRequest *request = report->explanation
                                  ? &report->explanation->request
                                  : &g_array_index(report->tiles, SmbPlacedRows, 0).request;
  g_autoptr(SmbBankMap) map = smb_bank_map_new(cli->arch, request);
  g_autoptr(SmbSpool) picture = smb_spool_new();
  smb_bank_map_write_svg(map, SMB_BANK_MAP_ALL, SMB_BANK_MAP_STANDALONE, picture);
  if (!smb_files_save(cli->files, file, picture, NULL, error))
    return FALSE;
  smb_cli_wrote(cli, file, NULL);
  return TRUE;
}

static const SmbCliGroup *const groups[] = {&smb_launch_time_group, SMB_TARGET_GROUPS,
                                            &smb_target_array_group, NULL};
static const SmbCliUsage usage = {
    .arguments = "[FILE|-]",
    .description = "Explains what an access to shared memory costs, and why: which thread accesses "
                   "which bank, which lanes conflict, the arithmetic behind it, and what other "
                   "paddings would do.\n" SMB_TARGET_DESCRIPTION,
    .max_arguments = 1,
    .has_arch = TRUE,
    .formats = formats,
    .cases = &smb_cases,
    .groups = groups,
    .example = "smembank explain --rows 32 --cols 32",
};

// What makes no request, of the line that is asked for, or of a kernel without requests. @counted: (inout): whether a request is explained.
// Returns whether there is any.
static gboolean
choose_requestless(const SmbTarget *target, const SmbAnalysis *analysis,
                   const SmbExplainQuestion *question, gboolean *counted, GArray **tiles,
                   GArray **peers) {
  const char *file = question->file;
  *tiles = smb_placed_rows_choose(target->kernel, analysis, file, question->line);
  *peers = smb_peer_accesses_choose(target->kernel, analysis, file, question->line);
  gboolean any = (*tiles)->len > 0 || (*peers)->len > 0;
  if (question->line && any) {
    *counted = *counted && smb_explain_has_access(target, analysis, question);
  } else if (*counted) {
    g_array_set_size(*tiles, 0);
    g_array_set_size(*peers, 0);
  }
  return any;
}

gboolean
smb_cmd_explain(SmbCli *cli, GError **error) {
  SmbExplainQuestion question = {0};
  SmbLanes lanes = 0;
  if (!smb_cli_parse(cli, &usage, options, error) || !parse_question(&question, error) ||
      !parse_lanes(cli->arch, &lanes, error) || !check_text_options(cli, error))
    return FALSE;
  const SmbOutFile *svg = NULL;
  if (!open_svg(cli, &svg, error))
    return FALSE;
  g_autoptr(SmbStandIn) stand_in = NULL;
  if (!smb_stand_in_settle(cli, 0, &stand_in, error))
    return FALSE;
  g_autoptr(SmbTarget) target = smb_target_open(cli, 0, error);
  if (!target)
    return FALSE;
  target->options.keep_requests = TRUE;
  g_autoptr(SmbAnalysis) analysis = smb_target_analyze(target, cli->arch, error);
  if (!analysis)
    return FALSE;
  g_autoptr(GArray) tiles = NULL, peers = NULL;
  gboolean counted = smb_analysis_total(analysis).requests > 0;
  gboolean has_others = choose_requestless(target, analysis, &question, &counted, &tiles, &peers);
  if (!counted && !has_others && !check_nothing(cli, &question, error))
    return FALSE;
  g_autoptr(SmbCompiledCount) compiled = smb_compiled_count_new(target, analysis, cli->arch);
  g_autoptr(SmbExplanation) explanation = NULL;
  question.compiled = compiled;
  if (counted) {
    explanation = smb_explanation_new(target, cli->arch, analysis, &question, error);
    if (!explanation)
      return FALSE;
  }
  g_autoptr(GError) untimed = NULL;
  gboolean has_compiled = smb_compiled_count_has(compiled);
  g_autoptr(SmbLaunchTime) time =
      smb_launch_time_new(has_compiled ? compiled->target : target,
                          has_compiled ? compiled->analysis : analysis, cli->arch, &untimed);
  if (untimed) {
    g_propagate_error(error, g_steal_pointer(&untimed));
    return FALSE;
  }
  if (has_compiled)
    smb_launch_time_assume(time, target, analysis);
  const SmbExplainReport report = {target,   analysis, explanation,      tiles, peers,
                                   compiled, time,     option_all_lanes, lanes, option_passes};
  cli->format->write(cli, &report);
  smb_analyze_write_warnings(target, analysis, cli->messages);
  smb_compiled_count_warn(compiled, target, cli->messages);
  if (cli->format->write == smb_explain_write_csv)
    smb_analyze_note_assumed(cli, target->file, analysis);
  gboolean is_drawn = explanation || tiles->len > 0;
  return !is_drawn || !svg || write_svg(cli, &report, svg, error);
}
