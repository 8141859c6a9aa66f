// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// validate: predicted beside measured. What was measured comes from recordings and publications.
#include <string.h>

#include "src/commands.h"
#include "gpu/error.h"
#include "src/comparison-report.h"
#include "src/input.h"
#include "src/measure-kernels.h"
#include "src/record.h"

static gboolean option_recorded, option_all;
static char *option_record;
static SmbTargetOptions target_options;
static SmbMeasureOptions measure_options;

static const GOptionEntry options[] = {
    SMB_TARGET_ENTRIES(target_options),
    SMB_MEASURE_ENTRIES(measure_options),
    {"record", 0, 0, G_OPTION_ARG_FILENAME, &option_record,
     "keep what the device says in FILE, as a recording", "FILE"},
    {"recorded", 0, 0, G_OPTION_ARG_NONE, &option_recorded,
     "compare with recordings: those of FILE, or the built-in ones", NULL},
    {"all", 'a', 0, G_OPTION_ARG_NONE, &option_all, "every number and request in text, too", NULL},
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
    if (!smb_comparison_add_recording(comparison, g_ptr_array_index(recordings, i), target_options.kernel,
                                      error))
      return FALSE;
  }
  if (!smb_comparison_add_published(comparison, target_options.kernel, error))
    return FALSE;
  return target_options.kernel || smb_comparison_add_traces(comparison, error);
}

static gboolean
compare_recording(SmbComparison *comparison, GInputStream *stream, const char *name,
                  const SmbCli *cli, GPtrArray *recordings, GError **error) {
  if (strcmp(smb_arch_info(cli->arch)->name, SMB_DEFAULT_ARCH) != 0)
    return smb_cli_usage_error(error,
                               "--arch goes with a trace: '%s' is compared by the rules that "
                               "it names",
                               name);
  SmbRecording *recording = smb_record_read(stream, name, error);
  if (!recording)
    return FALSE;
  g_ptr_array_add(recordings, recording);
  if (target_options.kernel && !has_kernel(recording, target_options.kernel))
    return smb_cli_usage_error(error, "no kernel '%s' in %s", target_options.kernel, name);
  return smb_comparison_add_recording(comparison, recording, target_options.kernel, error);
}

// FILE: a recording, or a trace whose requests carry counts.
static gboolean
compare_file(SmbComparison *comparison, const char *file, const SmbCli *cli, GPtrArray *recordings,
             GError **error) {
  const char *name = smb_input_name(file);
  g_autoptr(GInputStream) raw = smb_input_open(file, error);
  if (!raw)
    return FALSE;
  g_autoptr(GInputStream) stream = g_buffered_input_stream_new(raw);
  gboolean is_recording;
  if (!smb_record_is_next(G_BUFFERED_INPUT_STREAM(stream), &is_recording, error)) {
    g_prefix_error(error, "%s: ", name);
    return FALSE;
  }
  if (is_recording || g_str_has_suffix(file, ".json"))
    return compare_recording(comparison, stream, name, cli, recordings, error);
  if (target_options.kernel)
    return smb_cli_usage_error(error, "--kernel goes with recordings, and '%s' is a trace", name);
  return smb_comparison_add_trace(comparison, stream, name, cli->arch, error);
}

static void
write_comparison(SmbCli *cli, const SmbComparison *comparison) {
  SmbComparisonView view = {.kernels = option_all || target_options.kernel, .requests = option_all};
  switch (cli->format) {
  case SMB_FORMAT_TEXT:
    smb_comparison_write_text(cli, comparison, view);
    break;
  case SMB_FORMAT_JSON:
    smb_comparison_write_json(cli, comparison);
    break;
  case SMB_FORMAT_CSV:
    smb_comparison_write_csv(cli, comparison);
    break;
  }
  if (comparison->mismatched > 0)
    cli->status = SMB_EXIT_DIFFERS;
}

gboolean
smb_cmd_validate(SmbCli *cli, GError **error) {
  static const SmbCliUsage usage = {
      "[FILE]",
      "Sets the model's predictions beside what was measured: the recordings of devices, the\n"
      "published counts of the built-in kernels, and recorded requests; or those of FILE, which is "
      "a\n"
      "recording (JSON) or a trace whose lines carry '= WAVEFRONTS'. Each goes by the rules of "
      "its\n"
      "device, a trace by those of --arch. Times are shown, and not compared. A difference makes "
      "the\n"
      "exit status 1; other counts of instructions than the text has do not, where the compiler\n"
      "explains them.",
      0, 1, SMB_CLI_FORMAT | SMB_CLI_ARCH};
  if (!smb_cli_parse(cli, &usage, options, error))
    return FALSE;
  const char *file = cli->n_arguments > 0 ? cli->arguments[0] : NULL;
  if (!file && strcmp(smb_arch_info(cli->arch)->name, SMB_DEFAULT_ARCH) != 0)
    return smb_cli_usage_error(error, "--arch goes with a FILE: published and recorded counts are "
                                      "compared by the rules of their own device");

  g_autoptr(GPtrArray) recordings =
      g_ptr_array_new_with_free_func((GDestroyNotify)smb_recording_free);
  g_autoptr(SmbComparison) comparison = smb_comparison_new();
  if (file ? !compare_file(comparison, file, cli, recordings, error)
           : !compare_builtin(comparison, recordings, error))
    return FALSE;
  write_comparison(cli, comparison);
  return TRUE;
}
