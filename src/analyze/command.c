// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// analyze: what the shared-memory accesses of a kernel cost, access by access.
#include <string.h>

#include "sim/base/text.h"
#include "src/analysis/limit.h"
#include "src/analysis/prove-option.h"
#include "src/analysis/vendor.h"
#include "src/analysis/view.h"
#include "src/analysis/warning.h"
#include "src/analyze/counter-example.h"
#include "src/analyze/part.h"
#include "src/cli/hint.h"
#include "src/commands.h"
#include "src/finding/finding.h"
#include "src/project/case.h"
#include "src/rank/rank.h"
#include "src/run/stand-in.h"
#include "src/target/captured.h"
#include "src/target/target.h"

static gboolean option_annotate, option_warps;
static char *option_shard;

static const GOptionEntry options[] = {
    {"annotate", 0, 0, G_OPTION_ARG_NONE, &option_annotate,
     "print the source with the counts in the margin", NULL},
    {"shard", 0, 0, G_OPTION_ARG_STRING, &option_shard,
     "count only part K of N of the blocks; 'smembank merge' combines the JSON of all parts",
     SMB_SHARD_FORM},
    {"warps", 0, 0, G_OPTION_ARG_NONE, &option_warps, "break each access down by warp", NULL},
    G_OPTION_ENTRY_NULL,
};

// Names what is beyond a limit.
static void
write_failed_limits(SmbCli *cli, const SmbAnalyzeReport *report) {
  for (guint i = 0; i < report->failed->len; i++) {
    const SmbFailedLimit *failure = &g_array_index(report->failed, SmbFailedLimit, i);
    cli->status = SMB_EXIT_DIFFERS;
    const SmbSite *written =
        failure->access ? smb_compiled_count_written(report->compiled, failure->access) : NULL;
    if (failure->access)
      smb_analyze_write_warning(report->target->kernel, written ? written : failure->access->site,
                                failure->message, cli->messages);
    else
      smb_spool_printf(cli->messages, "smembank analyze: %-s\n", failure->message);
  }
}

// Names what is not proved.
static void
write_failed_proof(SmbCli *cli, const SmbAnalyzeReport *report) {
  const SmbKernelProof *proof = report->proof;
  for (guint i = 0; proof && i < proof->sites->len; i++) {
    const SmbProvedSite *proved = proof->sites->pdata[i];
    g_autofree char *message = smb_analyze_tell_unproved(report, proved);
    if (message)
      smb_analyze_write_warning(report->target->kernel,
                                smb_program_site(report->target->kernel, proved->site), message,
                                cli->messages);
  }
  if (proof && proof->stopped) {
    g_autofree char *why = smb_analyze_tell_stop(proof);
    smb_spool_printf(cli->messages, "smembank analyze: nothing is proved: %-s\n", why);
  }
  if (proof && smb_kernel_proof_verdict(proof) != SMB_PROVED)
    cli->status = SMB_EXIT_DIFFERS;
}

static const SmbFormat formats[] = {{"text", smb_analyze_write_text, NULL},
                                    {"json", smb_analyze_write_json, NULL},
                                    {"csv", smb_analyze_write_csv, NULL},
                                    {"sarif", smb_analyze_write_findings, &smb_findings_sarif},
                                    {"github", smb_analyze_write_findings, &smb_findings_github},
                                    {"gitlab", smb_analyze_write_findings, &smb_findings_gitlab},
                                    {"callgrind", smb_analyze_write_callgrind, NULL},
                                    {"markdown", smb_analyze_write_markdown, NULL},
                                    {NULL, NULL, NULL}};
// What of it a person sees can be chosen; what a program reads is whole.
static const SmbFormat viewed_formats[] = {{"text", smb_analyze_write_text, NULL},
                                           {"markdown", smb_analyze_write_markdown, NULL},
                                           {NULL, NULL, NULL}};
static const SmbFormat annotated_formats[] = {{"text", smb_analyze_annotate, NULL},
                                              {NULL, NULL, NULL}};

// Whether a format says by which rules was counted.
static gboolean
tells_rules(const SmbFormat *format) {
  static const char *const names[] = {"text", "json", "markdown", NULL};
  return g_strv_contains(names, format->name);
}

void
smb_analyze_write(SmbCli *cli, const SmbAnalyzeReport *report) {
  cli->format->write(cli, report);
  smb_analyze_write_warnings(report->target, report->analysis, cli->messages);
  smb_compiled_count_warn(report->compiled, report->target, cli->messages);
  if (!tells_rules(cli->format))
    smb_analyze_note_assumed(cli, report->target->file, report->analysis);
  write_failed_limits(cli, report);
  write_failed_proof(cli, report);
}

static const SmbCliGroup *const groups[] = {&smb_view_group,        &smb_analyze_limit_group,
                                            &smb_launch_time_group, &smb_prove_group,
                                            SMB_TARGET_GROUPS,      NULL};
static const SmbCliUsage usage = {
    .arguments = "[FILE|-]",
    .description = "Counts the wavefronts of each access to shared memory, and the sectors of each "
                   "access to global memory. For a capture, lists all launches by their excess "
                   "wavefronts.\n" SMB_TARGET_DESCRIPTION,
    .max_arguments = 1,
    .has_arch = TRUE,
    .formats = formats,
    .cases = &smb_cases,
    .groups = groups,
    .example = "smembank analyze --rows 32 --cols 32 --pad 1",
};

// A part that was counted. @counts: (element-type SmbPart): that one alone
typedef struct {
  GPtrArray *counts;
  SmbAnalysis *analysis;
} Counted;

static void
clear_counted(Counted *counted) {
  g_clear_pointer(&counted->analysis, smb_analysis_free);
  g_clear_pointer(&counted->counts, g_ptr_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Counted, clear_counted)

static gboolean
count_part(const SmbTarget *target, const SmbArch *arch, const SmbShard *shard, Counted *counted,
           GError **error) {
  const SmbLaunch *launch = &target->launch;
  SmbPart *part =
      smb_part_run(target->kernel, arch, launch, &target->options, shard->part, shard->of, error);
  if (!part)
    return FALSE;
  counted->counts = g_ptr_array_new_with_free_func((GDestroyNotify)smb_part_free);
  g_ptr_array_add(counted->counts, part);
  counted->analysis =
      smb_parts_collect(counted->counts, target->kernel, arch, launch, smb_cli_write_hint);
  return TRUE;
}

// The same part of what was compiled. That a launch cannot be divided is an error: its whole could be counted.
static gboolean
count_compiled_part(SmbCompiledCount *compiled, const SmbAnalysis *text, const SmbArch *arch,
                    const SmbShard *shard, Counted *counted, GError **error) {
  g_autoptr(GError) failure = NULL;
  if (!compiled || compiled->failure)
    return TRUE;
  if (count_part(compiled->target, arch, shard, counted, &failure)) {
    smb_compiled_count_take(compiled, g_steal_pointer(&counted->analysis), text);
  } else if (g_error_matches(failure, SMB_ERROR, SMB_ERROR_USAGE)) {
    g_propagate_error(error, g_steal_pointer(&failure));
    return FALSE;
  } else {
    smb_compiled_count_fail(compiled, failure);
  }
  return TRUE;
}

// --shard: limits are for the whole, which merge checks.
static gboolean
analyze_part(SmbCli *cli, const SmbTarget *target, const SmbShard *shard, const GArray *limits,
             GError **error) {
  g_auto(Counted) text = {0}, made = {0};
  if (!count_part(target, cli->arch, shard, &text, error))
    return FALSE;
  g_autoptr(SmbCompiledCount) compiled = smb_compiled_count_begin(target, cli->arch);
  if (!count_compiled_part(compiled, text.analysis, cli->arch, shard, &made, error))
    return FALSE;
  g_autoptr(GArray) none = g_array_new(FALSE, FALSE, sizeof(SmbLimit));
  g_autoptr(GArray) failed = g_array_new(FALSE, FALSE, sizeof(SmbFailedLimit));
  const SmbAnalyzePart part = {*shard, text.counts->pdata[0],
                               made.counts ? made.counts->pdata[0] : NULL, limits};
  const SmbAnalyzeReport report = {target,   text.analysis, option_warps, none, failed, &part,
                                   compiled, NULL,          NULL,         NULL, NULL};
  smb_analyze_write(cli, &report);
  return TRUE;
}

// What is shown of a ranking: all formats for programs are whole.
static gboolean
choose_ranking_view(SmbCli *cli, SmbRanking *ranking, GError **error) {
  SmbView view;
  const char *asked = smb_view_asked();
  gboolean is_for_people =
      g_str_equal(cli->format->name, "text") || g_str_equal(cli->format->name, "markdown");
  if (!smb_view_parse(&view, error))
    return FALSE;
  if (asked && (view.sort != smb_view_all.sort || view.tables != smb_view_all.tables))
    return smb_cli_usage_error(error, "--sort and --tables are for one launch: choose it with "
                                      "--launch N or --worst");
  if (asked && !is_for_people)
    return smb_cli_usage_error(error, "%s is for --format text and markdown", asked);
  ranking->quiet = view.quiet;
  ranking->top = view.top;
  return TRUE;
}

// FILE is a capture of which no launch is chosen: all of them.
static gboolean
rank_launches(SmbCli *cli, GError **error) {
  const char *without = option_annotate        ? "--annotate"
                        : option_warps         ? "--warps"
                        : smb_prove_is_asked() ? "--prove"
                        : option_shard         ? "--shard"
                                               : NULL;
  g_autoptr(GArray) limits = smb_limits_new(smb_limit_options(), error);
  if (!limits)
    return FALSE;
  if (limits->len > 0)
    without = "a limit";
  if (without)
    return smb_cli_usage_error(error,
                               "%s is for one launch of a capture: choose it with --launch N or "
                               "--worst",
                               without);
  const SmbTargetOptions *typed = smb_target_options();
  SmbAnalysisOptions checked = {.threads = 0};
  if (!smb_cli_view(cli, "all launches of a capture", smb_rank_formats, error) ||
      !smb_captured_check(typed, error) || !smb_launch_time_check(cli->arch, error) ||
      !smb_target_parse_limits(typed, &checked, error))
    return FALSE;
  g_autoptr(SmbCapture) capture = smb_captured_open_file(typed, cli->arguments[0], error);
  if (!capture)
    return FALSE;
  g_autoptr(SmbRanking) ranking = smb_ranking_new(cli, typed, capture, smb_rank_note);
  if (!choose_ranking_view(cli, ranking, error))
    return FALSE;
  cli->format->write(cli, ranking);
  smb_captured_write_end(capture, cli->messages);
  return TRUE;
}

// Whether something is asked that is said of one launch.
static gboolean
is_of_one_launch(const SmbCli *cli) {
  const SmbLimitOptions *limits = smb_limit_options();
  g_autoptr(GArray) asked = smb_limits_new(limits, NULL);
  gboolean is_ranked = FALSE;
  for (const SmbFormat *format = smb_rank_formats; format->name; format++)
    is_ranked = is_ranked || g_str_equal(format->name, cli->format->name);
  return !is_ranked || !asked || asked->len > 0 || option_annotate || option_warps ||
         smb_prove_is_asked() || option_shard || cli->case_project ||
         smb_target_options()->captured_launch || smb_target_options()->captured_worst;
}

// A FILE that is a program has been run: of several launches all are ranked, unless one is asked about.
static gboolean
rank_stand_in(SmbCli *cli, const SmbStandIn *stand_in, gboolean *is_ranked, GError **error) {
  *is_ranked = stand_in->ranking->rows->len > 1 && !is_of_one_launch(cli);
  if (!*is_ranked)
    return smb_stand_in_choose(cli, stand_in, error);
  if (!smb_cli_view(cli, "all launches of a program", smb_rank_formats, error) ||
      !choose_ranking_view(cli, stand_in->ranking, error))
    return FALSE;
  cli->format->write(cli, stand_in->ranking);
  if (smb_launch_time_is_asked())
    smb_spool_puts(cli->messages, "smembank analyze: note: the time of launches is not predicted "
                                  "while a program runs: choose one with --launch\n");
  return TRUE;
}

// --annotate shows all lines; other views leave parts of the tables out.
static gboolean
choose_view(SmbCli *cli, SmbView *view, GError **error) {
  const char *asked = smb_view_asked();
  if (option_annotate && asked)
    return smb_cli_usage_error(error, "--annotate shows the source, and has no tables: not with %s",
                               asked);
  return smb_view_parse(view, error) &&
         (view->sort != SMB_SORT_COST || smb_launch_time_ask("--sort cost", error)) &&
         (!option_annotate || smb_cli_view(cli, "--annotate", annotated_formats, error)) &&
         (!asked || smb_cli_view(cli, asked, viewed_formats, error));
}

gboolean
smb_cmd_analyze(SmbCli *cli, GError **error) {
  SmbShard shard;
  gboolean is_ranked = FALSE;
  if (!smb_cli_parse(cli, &usage, options, error) || !smb_shard_parse(option_shard, &shard, error))
    return FALSE;
  g_autoptr(SmbStandIn) stand_in = NULL;
  if (!smb_stand_in_open(cli, 0, FALSE, &stand_in, error) ||
      (stand_in && !rank_stand_in(cli, stand_in, &is_ranked, error)))
    return FALSE;
  if (is_ranked)
    return TRUE;
  if (cli->n_arguments > 0 && smb_captured_is_whole(smb_target_options(), cli->arguments[0]))
    return rank_launches(cli, error);
  g_autoptr(GArray) limits = smb_limits_new(smb_limit_options(), error);
  if (!limits)
    return FALSE;
  if (smb_prove_is_asked() && option_shard)
    return smb_cli_usage_error(error, "--prove is for whole launches: not with --shard");
  SmbView view;
  if (!choose_view(cli, &view, error))
    return FALSE;
  g_autoptr(SmbTarget) target = smb_target_open(cli, 0, error);
  if (!target)
    return FALSE;
  if (shard.of)
    return analyze_part(cli, target, &shard, limits, error);
  g_autoptr(SmbAnalysis) analysis = smb_target_analyze(target, cli->arch, error);
  if (!analysis)
    return FALSE;
  g_autoptr(SmbCompiledCount) compiled = smb_compiled_count_new(target, analysis, cli->arch);
  g_autoptr(GError) untimed = NULL;
  gboolean has_compiled = smb_compiled_count_has(compiled);
  const SmbTarget *timed = has_compiled ? compiled->target : target;
  g_autoptr(SmbLaunchTime) time =
      smb_limits_need_time(limits)
          ? smb_launch_time_predict(timed, cli->arch, &untimed)
          : smb_launch_time_new(timed, has_compiled ? compiled->analysis : analysis, cli->arch,
                                &untimed);
  if (untimed) {
    g_propagate_error(error, g_steal_pointer(&untimed));
    return FALSE;
  }
  if (has_compiled)
    smb_launch_time_assume(time, target, analysis);
  g_autoptr(GArray) failed = smb_limits_check(limits, target->kernel, analysis, compiled, time);
  g_autoptr(SmbKernelProof) proof =
      smb_prove_is_asked() ? smb_kernel_proof_new(target->kernel, cli->arch, &target->launch)
                           : NULL;
  g_autoptr(GPtrArray) examples =
      proof ? smb_counter_examples_new(cli, target, analysis, proof) : NULL;
  const SmbAnalyzeReport report = {target,   analysis, option_warps, limits, failed,  NULL,
                                   compiled, time,     &view,        proof,  examples};
  smb_analyze_write(cli, &report);
  return TRUE;
}
