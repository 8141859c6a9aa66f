// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// fuzz: random requests on a device against the model.
#include "sim/arch/arch.h"
#include "src/commands.h"
#include "src/fuzz/fuzz.h"
#include "src/measure/measure.h"
#include "src/validate/record.h"

static char *option_count, *option_seed, *option_counted, *option_record, *option_shard;
static char **option_op;

static const GOptionEntry options[] = {
    {"count", 0, 0, G_OPTION_ARG_STRING, &option_count,
     "random requests of each instruction (default 10000)", "N"},
    {"seed", 0, 0, G_OPTION_ARG_STRING, &option_seed,
     "which random requests: the same seed gives the same (default 1)", "S"},
    {"op", 0, 0, G_OPTION_ARG_STRING_ARRAY, &option_op,
     "only this: an operation (ld), one with its width (ld.16), an instruction (atom.max.u32), "
     "or " SMB_FUZZ_ALL_INSTRUCTIONS "; may be repeated",
     "NAME"},
    {"counted", 0, 0, G_OPTION_ARG_STRING, &option_counted,
     "requests of each instruction that are also counted (default 200)", "K"},
    {"record", 0, 0, G_OPTION_ARG_FILENAME, &option_record,
     "save the counted requests to FILE, as a recording", "FILE"},
    {"shard", 0, 0, G_OPTION_ARG_STRING, &option_shard,
     "measure only the K-th of N parts of the requests: with --format json, for 'smembank merge'",
     SMB_SHARD_FORM},
    G_OPTION_ENTRY_NULL,
};

static gboolean
read_fuzz_options(SmbFuzzOptions *fuzz, GError **error) {
  if (!smb_shard_parse(option_shard, &fuzz->shard, error))
    return FALSE;
  if (fuzz->shard.of && option_record)
    return smb_cli_usage_error(error,
                               "--record is for all requests: it cannot be combined with --shard");
  return smb_cli_number64("--count", option_count, 1, SMB_FUZZ_MAX_COUNT, &fuzz->count, error) &&
         smb_cli_number64("--seed", option_seed, 0, G_MAXUINT64, &fuzz->seed, error) &&
         smb_cli_number64("--counted", option_counted, 0, SMB_FUZZ_MAX_COUNTED, &fuzz->counted,
                          error);
}

static const SmbCliGroup *const groups[] = {&smb_measure_group, NULL};
static const SmbCliUsage usage = {
    .arguments = "",
    .description = "Measures random requests on a GPU and compares each with the model: strides, "
                   "padded columns, swizzles, pairs, windows, few words, under all kinds of masks. "
                   "N requests of each instruction are timed in a saturated pipe; for a sample, "
                   "wavefronts are also counted. A request that differs is measured again, and is "
                   "a mismatch if it differs each time. The exit status is 1 on a mismatch.",
    .formats = smb_fuzz_formats,
    .groups = groups,
    .example = "smembank fuzz --count 100000 --op ld.16",
};

gboolean
smb_cmd_fuzz(SmbCli *cli, GError **error) {
  if (!smb_cli_parse(cli, &usage, options, error))
    return FALSE;
  SmbFuzzOptions fuzz = {SMB_FUZZ_COUNT, .seed = 1, .counted = SMB_FUZZ_COUNTED};
  if (!read_fuzz_options(&fuzz, error))
    return FALSE;
  const SmbOutFile *record = NULL;
  if (option_record && !(record = smb_files_open(cli->files, "--record", option_record, error)))
    return FALSE;
  g_autoptr(GArray) instructions = smb_fuzz_select((const char *const *)option_op, error);
  fuzz.progress = smb_cli_progress(cli);
  g_autoptr(SmbMeter) meter = instructions ? smb_measure_open(smb_measure_options(), error) : NULL;
  g_autoptr(SmbArch) arch = meter ? smb_measure_arch(meter, error) : NULL;
  if (!arch)
    return FALSE;
  g_autoptr(SmbRecording) recording = record ? smb_measure_recording(meter, arch) : NULL;
  g_autoptr(SmbFuzzReport) report =
      smb_fuzz_report_new(smb_meter_device(meter), arch, &fuzz, instructions);
  return smb_fuzz_run(report, meter, arch, recording, error) &&
         smb_fuzz_report_finish(cli, report, error) &&
         (!recording || smb_record_write(cli, recording, record, error));
}
