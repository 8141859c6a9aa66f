// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// trace FILE|-: counts the requests of a trace, of any length in constant memory; or measures them; or writes those of a
// kernel.
#include "src/commands.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/base/error.h"
#include "sim/count/wavefront.h"
#include "sim/trace/trace.h"
#include "src/cli/input.h"
#include "src/measure/measure.h"
#include "src/measure/trace.h"
#include "src/project/case.h"
#include "src/trace/from.h"
#include "src/trace/report.h"

static gboolean option_counts, option_requests, option_measure, option_all;
static char *option_from;

static const GOptionEntry options[] = {
    {"counts", 0, 0, G_OPTION_ARG_NONE, &option_counts,
     "write the wavefronts of each request, one number a line, and no summary", NULL},
    {"requests", 0, 0, G_OPTION_ARG_NONE, &option_requests,
     "write a row for each request: what it costs, and which lanes conflict", NULL},
    {"measure", 0, 0, G_OPTION_ARG_NONE, &option_measure,
     "measure each request on a GPU and compare it with the prediction; keeps all requests in "
     "memory",
     NULL},
    {"all", 'a', 0, G_OPTION_ARG_NONE, &option_all,
     "with --measure: a row for each request, also in text", NULL},
    {"from", 0, 0, G_OPTION_ARG_FILENAME, &option_from,
     "write the requests of a kernel, of any FILE that analyze takes, as a trace", SMB_CLI_FILE},
    G_OPTION_ENTRY_NULL,
};

// What is no trace may be a kernel: says how it becomes one. Always FALSE.
static gboolean
fail_trace(const char *path, GError **error) {
  g_autoptr(SmbSource) source = g_error_matches(*error, SMB_ERROR, SMB_ERROR_INPUT) &&
                                        g_file_test(path, G_FILE_TEST_IS_REGULAR)
                                    ? smb_input_source(path, NULL)
                                    : NULL;
  const char *level = source ? smb_program_recognize(source) : "text";
  if (!source ||
      (level && strcmp(level, "text") == 0 && !strstr(smb_source_text(source), "__global__")))
    return FALSE;
  g_autofree char *shown = g_filename_display_name(path);
  g_clear_error(error);
  smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
           "%s: expected a trace, but this is a kernel: 'smembank trace --from %s' writes its "
           "requests as a trace",
           shown, shown);
  return FALSE;
}

static gboolean
count_trace(SmbCli *cli, const char *path, GError **error) {
  g_autoptr(GInputStream) stream = smb_input_open(path, error);
  if (!stream)
    return FALSE;
  g_autoptr(SmbTraceReader) reader = smb_trace_reader_new(stream, smb_input_name(path), cli->arch);
  g_autoptr(SmbTraceReport) report = smb_trace_report_new(cli, path);
  g_autofree SmbTraceBatch *batch = g_new(SmbTraceBatch, 1);
  SmbWavefronts counts[SMB_TRACE_BATCH_REQUESTS];
  SmbCounter counter = smb_counter_best();
  SmbProgress *progress = smb_cli_progress(cli);
  smb_input_begin(stream, progress, "requests");
  do {
    if (!smb_trace_reader_next(reader, batch, error))
      return fail_trace(path, error);
    smb_wavefronts_count_span(cli->arch, counter, batch->requests, batch->n, counts);
    smb_trace_report_add(report, batch, counts);
    smb_input_advance(stream, progress, batch->n);
  } while (batch->n > 0);
  if (report->mismatched > 0)
    cli->status = SMB_EXIT_DIFFERS;
  return smb_trace_report_write(report, error);
}

// The whole trace is read before the device is asked for anything, by the rules of that device.
static gboolean
measure_trace(SmbCli *cli, const char *path, GError **error) {
  g_autoptr(GInputStream) stream = smb_input_open(path, error);
  SmbProgress *progress = smb_cli_progress(cli);
  g_autoptr(SmbMeter) meter = stream ? smb_measure_open(smb_measure_options(), error) : NULL;
  if (!meter)
    return FALSE;
  g_autoptr(SmbArch) arch =
      cli->arch_named ? smb_arch_ref(cli->arch) : smb_measure_arch(meter, error);
  g_autoptr(SmbMeasuredTrace) trace =
      arch ? smb_measured_trace_new(stream, smb_input_name(path), arch, progress, error) : NULL;
  if (!trace)
    return fail_trace(path, error);
  if (!smb_measured_trace_run(trace, meter, progress, error))
    return FALSE;
  const SmbMeasuredTraceReport report = {trace, meter, path, option_all};
  cli->format->write(cli, &report);
  if (!smb_measured_trace_matches(trace))
    cli->status = SMB_EXIT_DIFFERS;
  return TRUE;
}

// The requests are those of the trace in FILE, or those of the kernel in --from.
static gboolean
check_source(const SmbCli *cli, GError **error) {
  const SmbTargetOptions *launch = smb_target_options();
  if (!option_from) {
    if (smb_target_is_launch(launch) || launch->kernel || launch->folders || launch->unknown ||
        launch->frames)
      return smb_cli_usage_error(error, "options of a kernel and its launch go with --from");
    return cli->n_arguments > 0 ||
           smb_cli_usage_error(error, "expected a trace, FILE or -, or --from and a kernel");
  }
  if (cli->n_arguments > 0)
    return smb_cli_usage_error(error,
                               "unexpected argument '%s': --from names the kernel, and the "
                               "trace goes to standard output",
                               cli->arguments[0]);
  return TRUE;
}

static gboolean
check_trace_options(SmbCli *cli, GError **error) {
  if (option_counts + option_requests + option_measure + (option_from != NULL) > 1)
    return smb_cli_usage_error(error, "expected one of --counts, --requests, --measure and --from");
  if (!check_source(cli, error))
    return FALSE;
  if (!option_measure &&
      (option_all || smb_measure_options()->device || smb_measure_options()->timeout))
    return smb_cli_usage_error(error, "--all, --device and --timeout go with --measure");
  if (option_from)
    return smb_cli_view(cli, "--from", smb_trace_count_formats, error);
  if (option_counts)
    return smb_cli_view(cli, "--counts", smb_trace_count_formats, error);
  if (option_requests)
    return smb_cli_view(cli, "--requests", smb_trace_row_formats, error);
  return !option_measure || smb_cli_view(cli, "--measure", smb_measured_trace_formats, error);
}

static const SmbCliGroup *const groups[] = {&smb_target_launch_group, &smb_target_limit_group,
                                            &smb_target_compiler_group, &smb_measure_group, NULL};
static const SmbCliUsage usage = {
    .arguments = "[FILE|-]",
    .description =
        "Counts the wavefronts of a trace: one warp request a line,\n  OP WIDTH MASK OFF0 … OFF31 "
        "[= WAVEFRONTS]\nwith the width and the offsets in bytes and the mask of active lanes in "
        "hexadecimal; # starts a comment. 'smembank list ops' lists the operations. A count after "
        "'=' is compared with the prediction: differences are shown, and the exit status is 1. "
        "--measure runs each request on a GPU and compares its cycles (under saturation) and "
        "wavefronts with the prediction for that GPU.\n--from writes the trace of a kernel: every "
        "shared-memory request that it makes, launched as for analyze.",
    .max_arguments = 1,
    .has_arch = TRUE,
    .file_option = "from",
    .formats = smb_trace_sum_formats,
    .cases = &smb_cases,
    .groups = groups,
    .example = "echo 'ld 4 ffffffff' $(seq 0 128 3968) | smembank trace -",
};

gboolean
smb_cmd_trace(SmbCli *cli, GError **error) {
  if (!smb_cli_parse(cli, &usage, options, error))
    return FALSE;
  if (!check_trace_options(cli, error))
    return FALSE;
  if (option_from)
    return smb_trace_from(cli, option_from, error);
  return option_measure ? measure_trace(cli, cli->arguments[0], error)
                        : count_trace(cli, cli->arguments[0], error);
}
