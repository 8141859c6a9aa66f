// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// validate: predicted beside measured. What was measured comes from recordings and publications.
#include <string.h>

#include "gpu/error.h"
#include "sim/arch/arch.h"
#include "sim/base/error.h"
#include "sim/base/source.h"
#include "sim/base/text.h"
#include "src/analysis/compiled-count.h"
#include "src/capture/capture.h"
#include "src/cli/hint.h"
#include "src/cli/input.h"
#include "src/cli/words.h"
#include "src/commands.h"
#include "src/compile/workshop.h"
#include "src/measure/measure.h"
#include "src/project/case.h"
#include "src/target/captured.h"
#include "src/target/ncu.h"
#include "src/validate/comparison-part.h"
#include "src/validate/record.h"

// Longest file of which the parts are compared to be of the same.
enum {
  MAX_DIGESTED_BYTES = 1 << 30
};

static gboolean option_recorded, option_all;
static char *option_record, *option_ncu, *option_ncu_launch, *option_shard;

static const GOptionEntry options[] = {
    {"record", 0, 0, G_OPTION_ARG_FILENAME, &option_record,
     "save the measurements to FILE, as a recording", "FILE"},
    {"recorded", 0, 0, G_OPTION_ARG_NONE, &option_recorded,
     "compare with recordings: those of FILE, or the built-in ones", NULL},
    {"ncu", 0, 0, G_OPTION_ARG_FILENAME, &option_ncu,
     "compare with what ncu measured: machine code, instruction by instruction, with ncu's page "
     "'source' of SASS as CSV, or a report; or a whole kernel, with what 'ncu --metrics …' writes",
     SMB_CLI_FILE},
    {"ncu-launch", 0, 0, G_OPTION_ARG_STRING, &option_ncu_launch,
     "which of the launches of the kernel in that file, from 1", "N"},
    {"shard", 0, 0, G_OPTION_ARG_STRING, &option_shard,
     "compare only the K-th of N parts of the launches and requests: with --format json, for "
     "'smembank merge'",
     SMB_SHARD_FORM},
    {"all", 'a', 0, G_OPTION_ARG_NONE, &option_all, "in text, show every number and request", NULL},
    G_OPTION_ENTRY_NULL,
};

static gboolean
has_kernel(const SmbRecording *recording, const char *name) {
  for (guint i = 0; i < recording->kernels->len; i++) {
    const SmbRecordedKernel *kernel = g_ptr_array_index(recording->kernels, i);
    if (strcmp(kernel->name, name) == 0)
      return TRUE;
  }
  return FALSE;
}

// What comes with the program: recordings, publications, recorded traces. @recordings keeps the first.
static gboolean
compare_builtin(SmbComparison *comparison, GPtrArray *recordings, GError **error) {
  g_autoptr(GPtrArray) loaded = smb_recording_load_all(error);
  if (!loaded)
    return FALSE;
  g_ptr_array_extend_and_steal(recordings, g_steal_pointer(&loaded));
  for (guint i = 0; i < recordings->len; i++) {
    if (!smb_comparison_add_recording(comparison, g_ptr_array_index(recordings, i),
                                      smb_target_options()->kernel, error))
      return FALSE;
  }
  if (!smb_comparison_add_published(comparison, smb_target_options()->kernel, error))
    return FALSE;
  return smb_target_options()->kernel || (smb_comparison_add_traces(comparison, error) &&
                                          smb_comparison_add_lds_all(comparison, error));
}

// What names its architecture is of no other.
static gboolean
check_arch(const SmbCli *cli, const char *name, GError **error) {
  return strcmp(smb_arch_info(cli->arch)->name, SMB_DEFAULT_ARCH) == 0 ||
         smb_cli_usage_error(error, "--arch is for traces: '%s' names its architecture", name);
}

static gboolean
compare_recording(SmbComparison *comparison, GInputStream *stream, const char *name,
                  const SmbCli *cli, GPtrArray *recordings, GError **error) {
  if (!check_arch(cli, name, error))
    return FALSE;
  SmbRecording *recording = smb_record_read(stream, name, error);
  if (!recording)
    return FALSE;
  g_ptr_array_add(recordings, recording);
  if (smb_target_options()->kernel && !has_kernel(recording, smb_target_options()->kernel))
    return smb_cli_usage_error(error, "no kernel '%s' in %s", smb_target_options()->kernel, name);
  return smb_comparison_add_recording(comparison, recording, smb_target_options()->kernel, error);
}

// FILE: counts of AMD's LDS.
static gboolean
compare_lds(SmbComparison *comparison, const char *file, GError **error) {
  g_autoptr(SmbSource) source = smb_input_source(file, error);
  return source && smb_comparison_add_lds(comparison, file, smb_source_text(source),
                                          smb_source_length(source), error);
}

// FILE: a recording, a trace whose requests carry counts, or counts of AMD's LDS.
static gboolean
compare_file(SmbComparison *comparison, const char *file, const SmbCli *cli, GPtrArray *recordings,
             GError **error) {
  const char *name = smb_input_name(file);
  if (g_str_has_suffix(file, ".csv"))
    return check_arch(cli, file, error) && compare_lds(comparison, file, error);
  g_autoptr(GInputStream) raw = smb_input_open(file, error);
  if (!raw)
    return FALSE;
  g_autoptr(GInputStream) stream = g_buffered_input_stream_new(raw);
  SmbHolds holds;
  if (!smb_record_look(G_BUFFERED_INPUT_STREAM(stream), &holds, error)) {
    smb_prefix_error(error, "%s: ", name);
    return FALSE;
  }
  if (holds == SMB_HOLDS_KERNEL)
    return smb_cli_usage_error(error, "%s: a kernel that is measured must be in a file", name);
  if (holds == SMB_HOLDS_RECORDING || g_str_has_suffix(file, ".json"))
    return compare_recording(comparison, stream, name, cli, recordings, error);
  if (smb_target_options()->kernel)
    return smb_cli_usage_error(error, "--kernel is for recordings, and '%s' is a trace", name);
  return smb_comparison_add_trace(comparison, stream, name, cli->arch, error);
}

// Whether only a device can give what was asked for.
static gboolean
needs_device(const char *kernel_file) {
  return kernel_file || option_record || smb_measure_options()->device ||
         smb_target_is_launch(smb_target_options());
}

// What the device gets where nobody said what a buffer holds. A kernel of which it is not known either what it accesses
// was refused, unless --unknown skip says that the prediction is a part.
static void
note_contents(SmbCli *cli, const SmbTarget *target) {
  const SmbProgram *program = target->kernel;
  for (guint i = 0; i < smb_program_n_parameters(program); i++) {
    if (!smb_launch_is_pointer(&target->launch, program, i) ||
        smb_launch_contents(&target->launch, program, i).fill != SMB_FILL_UNKNOWN)
      continue;
    smb_spool_puts(cli->messages,
                   "smembank validate: buffers without --buffer hold zeros on the GPU; no "
                   "predicted shared-memory request depends on their contents\n");
    return;
  }
}

// A text through the compiler, if there is one: that is what a device runs. Returns: (transfer full) (nullable)
static SmbCompiledCount *
compile_own(SmbCli *cli, const SmbArch *arch, SmbTarget *own) {
  if (own)
    own->compares_values = TRUE;
  SmbCompiledCount *compiled = own ? smb_compiled_count_begin(own, arch) : NULL;
  smb_compiled_count_warn(compiled, own, cli->messages);
  if (compiled && compiled->target)
    smb_spool_printf(cli->messages,
                     "%s%s: note: compared as compiled: %s ('--text' compares the text)\n",
                     smb_text_ahead(own->file), own->file, compiled->target->compiled);
  return compiled;
}

// Measures a launch of the user's. @own: (nullable) (transfer full): %NULL with an error that is set.
static gboolean
measure_own(SmbCli *cli, SmbComparison *comparison, SmbMeter *meter, const SmbArch *arch,
            SmbTarget *own, SmbRecording *recording, GError **error) {
  g_autoptr(SmbTarget) text = own;
  g_autoptr(SmbCompiledCount) compiled = option_record ? NULL : compile_own(cli, arch, own);
  const SmbTarget *target = compiled && compiled->target ? compiled->target : text;
  g_auto(SmbMeasureModel) model = {NULL, NULL};
  if (!target || !smb_files_check(cli->files, error))
    return FALSE;
  if (option_record && target->compiled)
    return smb_cli_usage_error(error, "--record keeps the text of a kernel: to record compiled "
                                      "code, compile it to a cubin, and measure that");
  note_contents(cli, target);
  if (!smb_measure_target(meter, target, arch, recording, &model, cli->messages, error))
    return FALSE;
  SmbRecordedKernel *recorded = g_ptr_array_index(recording->kernels, recording->kernels->len - 1);
  if (target->captured && recorded->buffers->len > 0)
    return TRUE; // compared with what its memory holds, which is read again
  return smb_comparison_add_measured(comparison, recording, recorded, target->kernel,
                                     model.analysis, model.global, error);
}

// Measures all launches of a capture, each on its own; one that cannot be predicted, or that options are wrong for, is told
// and left out.
static gboolean
measure_capture(SmbCli *cli, SmbComparison *comparison, SmbMeter *meter, const SmbArch *arch,
                const char *file, SmbRecording *recording, GError **error) {
  g_autoptr(SmbCapture) capture =
      smb_captured_check(smb_target_options(), error) ? smb_capture_open(file, error) : NULL;
  guint n = capture ? smb_capture_n_launches(capture) : 0, n_left_out = 0;
  g_autofree char *first = NULL;
  for (guint i = 1; i <= n; i++) {
    g_autoptr(GError) failure = NULL;
    SmbTarget *target =
        smb_captured_target(smb_target_options(), capture, smb_capture_launch(capture, i - 1), arch,
                            smb_cli_progress(cli), &failure);
    if (measure_own(cli, comparison, meter, arch, target, recording, &failure))
      continue;
    if (g_error_matches(failure, SMB_GPU_ERROR, SMB_GPU_ERROR_UNAVAILABLE)) {
      g_propagate_error(error, g_steal_pointer(&failure));
      return FALSE;
    }
    g_autofree char *told = smb_cli_error_text(failure);
    smb_spool_printf(cli->messages, "smembank validate: launch %u is left out: %-s\n", i, told);
    first = first ? first : g_strdup(told);
    n_left_out++;
  }
  return capture &&
         (n_left_out < n || smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                                     "%s: none of its launches can be compared: %-s", file, first));
}

// Measures what was asked for: a kernel and a launch of the user's, or built-in kernels in all shapes.
static gboolean
compare_device(SmbCli *cli, SmbComparison *comparison, SmbMeter *meter, const char *kernel_file,
               const SmbOutFile *record, GPtrArray *recordings, GError **error) {
  g_autoptr(SmbArch) arch = smb_measure_arch(meter, error);
  if (!arch)
    return FALSE;
  gboolean own = kernel_file || smb_target_is_launch(smb_target_options());
  gboolean is_whole = smb_captured_is_whole(smb_target_options(), kernel_file);
  SmbRecording *recording = smb_measure_recording(meter, arch);
  g_ptr_array_add(recordings, recording);
  gboolean ok = is_whole
                    ? measure_capture(cli, comparison, meter, arch, kernel_file, recording, error)
                : own ? measure_own(cli, comparison, meter, arch,
                                    smb_target_new(smb_target_options(), kernel_file, arch,
                                                   smb_cli_progress(cli), error),
                                    recording, error)
                      : smb_measure_catalog(meter, smb_target_options()->kernel, &comparison->shard,
                                            arch, recording, smb_cli_progress(cli), error);
  if (!ok && record)
    smb_prefix_error(error, "%s was not written: ", option_record);
  if (!ok || (record && !smb_record_write(cli, recording, record, error)))
    return FALSE;
  return smb_comparison_add_recording(comparison, recording, NULL, error) &&
         (own || smb_comparison_add_published(comparison, smb_target_options()->kernel, error));
}

// Looks for a device. Without one, recordings take its place, unless only a device will do.
static gboolean
open_device(SmbCli *cli, const char *kernel_file, SmbMeter **meter, GError **error) {
  g_autoptr(GError) failure = NULL;
  *meter = smb_measure_open_for(smb_measure_options(), smb_target_options(), kernel_file, cli->arch,
                                &failure);
  if (*meter)
    return TRUE;
  if (needs_device(kernel_file) ||
      !g_error_matches(failure, SMB_GPU_ERROR, SMB_GPU_ERROR_UNAVAILABLE)) {
    g_propagate_error(error, g_steal_pointer(&failure));
    return FALSE;
  }
  smb_spool_printf(cli->messages, "smembank validate: %s; comparing with recordings\n",
                   failure->message);
  return TRUE;
}

static gboolean
check_validate_options(const SmbCli *cli, const char *file, gboolean is_kernel, GError **error) {
  if (file && g_str_has_suffix(file, ".hip"))
    return smb_cli_usage_error(error,
                               "'%s' is HIP: AMD GPUs are not measured here (lds-record.py records "
                               "its counters, which validate FILE.csv compares)",
                               file);
  if (option_recorded && (is_kernel || option_record || smb_measure_options()->device ||
                          smb_target_is_launch(smb_target_options())))
    return smb_cli_usage_error(error, "--recorded uses no GPU: it cannot be combined with a kernel "
                                      "file, a launch, --device or --record");
  if (file && !is_kernel &&
      (option_record || smb_measure_options()->device ||
       smb_target_is_launch(smb_target_options())))
    return smb_cli_usage_error(error,
                               "'%s' holds measurements: a launch, --device and --record are for "
                               "kernels",
                               file);
  if ((!file || is_kernel) && cli->arch_named &&
      strcmp(smb_arch_info(cli->arch)->name, SMB_DEFAULT_ARCH) != 0)
    return smb_cli_usage_error(error,
                               "--arch is for traces: everything else names its architecture");
  return TRUE;
}

// What parts have in common: the options, and what a file holds that can be read more than once.
static char *
digest_validated_sources(const SmbCli *cli, const char *file) {
  g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
  g_autoptr(GBytes) bytes =
      file && strcmp(file, "-") != 0 ? smb_source_read_bytes(file, MAX_DIGESTED_BYTES, NULL) : NULL;
  smb_shard_digest_texts(checksum, (const char *const[]){smb_arch_info(cli->arch)->name,
                                                         smb_target_options()->kernel, NULL});
  if (bytes)
    smb_shard_digest_bytes(checksum, bytes);
  return g_strdup(g_checksum_get_string(checksum));
}

// --shard: which part of what there is, if several launches or requests are compared.
static gboolean
read_shard(SmbComparison *comparison, const SmbCli *cli, const char *file, gboolean is_kernel,
           GError **error) {
  if (!smb_shard_parse(option_shard, &comparison->shard, error))
    return FALSE;
  if (comparison->shard.of &&
      (is_kernel || option_ncu || smb_target_is_launch(smb_target_options())))
    return smb_cli_usage_error(error, "--shard is for the built-in kernels, recordings and traces: "
                                      "one launch has no parts");
  if (comparison->shard.of && option_record)
    return smb_cli_usage_error(error, "--record is for all launches: it cannot be combined with "
                                      "--shard");
  if (comparison->shard.of)
    comparison->sources = digest_validated_sources(cli, file);
  return TRUE;
}

// --ncu: needs no device.
static gboolean
compare_profile(SmbCli *cli, SmbComparison *comparison, GError **error) {
  guint number = 0;
  if (option_recorded || option_record || smb_measure_options()->device)
    return smb_cli_usage_error(error, "--ncu uses no GPU: it cannot be combined with --recorded, "
                                      "--device or --record");
  if (!smb_cli_number("--ncu-launch", option_ncu_launch, 1, G_MAXINT, &number, error))
    return FALSE;
  g_autoptr(SmbNcuFile) ncu = smb_ncu_open(option_ncu, error);
  g_autoptr(SmbTarget) text = ncu ? smb_target_open(cli, 0, error) : NULL;
  g_autoptr(SmbCompiledCount) compiled = compile_own(cli, cli->arch, text);
  SmbTarget *target = compiled && compiled->target ? compiled->target : text;
  if (!target)
    return FALSE;
  return ncu->profile ? smb_comparison_add_profile(comparison, ncu->profile, ncu->name, number,
                                                   target, cli->arch, error)
                      : smb_comparison_add_metrics(comparison, ncu->metrics, ncu->name, number,
                                                   target, cli->arch, error);
}

static const SmbCliGroup *const groups[] = {SMB_TARGET_GROUPS, &smb_measure_group, NULL};
static const SmbCliUsage usage = {
    .arguments = "[FILE | -- COMMAND…]",
    .description =
        "Compares the model's predictions with what a GPU measures: of the built-in kernels (or "
        "--kernel) in all shapes and paddings, of a tile, or of a FILE of CUDA C, PTX or machine "
        "code, launched as for analyze. Wavefronts, executed instructions, global sectors and the "
        "values in memory are compared; times and bandwidth are shown. Without a GPU, or with "
        "--recorded, recorded and published measurements are used instead. FILE can also be a "
        "recording (JSON), a trace whose lines have '= WAVEFRONTS', or counters of AMD's LDS "
        "(.csv). With --ncu, machine code is compared with what Nsight Compute counted of each "
        "instruction. For a capture, all launches are measured, or the one that --launch names, "
        "with the captured memory; -- COMMAND captures a command first.\nThe exit status is 1 on a "
        "mismatch or a failed launch. Instruction counts that the compiler changed are no mismatch "
        "if their wavefronts match.",
    .max_arguments = 1,
    .has_arch = TRUE,
    .formats = smb_comparison_formats,
    .cases = &smb_cases,
    .groups = groups,
    .example = "smembank validate --kernel transposeSmem",
};

static gboolean
validate(SmbCli *cli, const char *file, GError **error) {
  gboolean is_kernel = file && smb_record_is_kernel(file);
  if (!option_ncu && !check_validate_options(cli, file, is_kernel, error))
    return FALSE;

  g_autoptr(GPtrArray) recordings =
      g_ptr_array_new_with_free_func((GDestroyNotify)smb_recording_free);
  g_autoptr(SmbComparison) comparison = smb_comparison_new();
  g_autoptr(SmbMeter) meter = NULL;
  const SmbOutFile *record = NULL;
  if (!smb_target_parse_limits(smb_target_options(), &comparison->limits, error))
    return FALSE;
  if (!read_shard(comparison, cli, file, is_kernel, error))
    return FALSE;
  comparison->limits.progress = smb_cli_progress(cli);
  comparison->files = cli->files;
  if (option_record && !(record = smb_files_open(cli->files, "--record", option_record, error)))
    return FALSE;
  if (option_ncu) {
    if (!compare_profile(cli, comparison, error))
      return FALSE;
  } else if (file && !is_kernel) {
    if (!compare_file(comparison, file, cli, recordings, error))
      return FALSE;
  } else {
    if (!option_recorded && !open_device(cli, is_kernel ? file : NULL, &meter, error))
      return FALSE;
    if (meter ? !compare_device(cli, comparison, meter, is_kernel ? file : NULL, record, recordings,
                                error)
              : !compare_builtin(comparison, recordings, error))
      return FALSE;
  }
  gboolean kernels = option_all || smb_target_options()->kernel;
  gboolean own = is_kernel || smb_target_is_launch(smb_target_options());
  const SmbComparisonReport report = {comparison, kernels, kernels || own, option_all};
  smb_comparison_write(cli, &report);
  return TRUE;
}

// Captures a command into a file that is gone afterwards, and compares its launches.
static gboolean
validate_command(SmbCli *cli, const char *const *words, GError **error) {
  if (!*words || cli->n_arguments > 0)
    return smb_cli_usage_error(error, *words ? "expected a FILE or a COMMAND, not both"
                                             : "expected a COMMAND after --");
  g_autoptr(SmbWorkshop) workshop = smb_workshop_new("validate", error);
  if (!workshop)
    return FALSE;
  g_autofree char *path = g_build_filename(smb_workshop_folder(workshop), "capture", NULL);
  return smb_capture_command(cli, words, path, error) && validate(cli, path, error);
}

gboolean
smb_cmd_validate(SmbCli *cli, GError **error) {
  // What stands behind -- is a command with options of its own.
  int n = (int)smb_words_count((const char *const *)cli->argv);
  const char *const *words = n < cli->argc ? (const char *const *)cli->argv + n + 1 : NULL;
  if (words) {
    cli->argv[n] = NULL;
    cli->argc = n;
  }
  if (!smb_cli_parse(cli, &usage, options, error))
    return FALSE;
  if (words)
    return validate_command(cli, words, error);
  return validate(cli, cli->n_arguments > 0 ? cli->arguments[0] : NULL, error);
}
