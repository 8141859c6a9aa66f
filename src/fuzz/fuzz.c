// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/fuzz/fuzz.h"

#include <math.h>

#include "gpu/error.h"
#include "sim/arch/arch.h"
#include "src/fuzz/source.h"
#include "sim/base/error.h"

static void
clear_result(gpointer data) {
  SmbFuzzResult *result = data;
  g_free(result->failure);
}

SmbFuzzReport *
smb_fuzz_report_new(SmbMeter *meter, SmbArch *arch, const SmbFuzzOptions *options) {
  SmbFuzzReport *report = g_new0(SmbFuzzReport, 1);
  report->meter = meter;
  report->arch = arch;
  report->options = options;
  report->results = g_array_new(FALSE, FALSE, sizeof(SmbFuzzResult));
  g_array_set_clear_func(report->results, clear_result);
  report->mismatches = g_array_new(FALSE, FALSE, sizeof(SmbFuzzMismatch));
  return report;
}

void
smb_fuzz_report_free(SmbFuzzReport *report) {
  if (!report)
    return;
  g_array_unref(report->results);
  g_array_unref(report->mismatches);
  g_free(report->refusal);
  g_free(report);
}

// What the work on one instruction goes by.
typedef struct {
  SmbFuzzReport *report;
  SmbFuzzResult *result;
  SmbRecording *recording;
  GArray *sample; // indices into the batch at hand
  guint shown;    // mismatches of this instruction
} Work;

static double
elapsed(gint64 start) {
  return (double)(g_get_monotonic_time() - start) / G_USEC_PER_SEC;
}

// The sample is request j N / K for each j below K. Takes those of a batch that begins at @first.
static void
select_sample(const Work *work, guint64 first, gsize n) {
  guint64 all = work->report->options->count, wanted = MIN(work->report->options->counted, all);
  g_array_set_size(work->sample, 0);
  for (guint64 j = wanted ? (first * wanted + all - 1) / all : 0; j < wanted; j++) {
    gsize at = (gsize)(j * all / wanted - first);
    if (at >= n)
      break;
    g_array_append_val(work->sample, at);
  }
}

// Counts requests, unless counters are refused, which is not an error.
static gboolean
count_sample(const Work *work, SmbTrial *trial, const GArray *which, GError **error) {
  return work->report->refusal || which->len == 0 ||
         smb_trial_count(work->report->meter, trial, (const gsize *)(gpointer)which->data,
                         which->len, error);
}

// Those of the requests that differ by clock that will be shown, and have no count yet.
static GArray *
find_shown(const Work *work, const SmbTrial *trial) {
  GArray *found = g_array_new(FALSE, FALSE, sizeof(gsize));
  for (gsize i = 0; i < trial->n && work->shown + found->len < SMB_FUZZ_SHOWN_EACH; i++) {
    if (trial->clock[i] == SMB_VERDICT_MISMATCH && trial->count[i] == SMB_VERDICT_NONE)
      g_array_append_val(found, i);
  }
  return found;
}

static void
show_mismatch(Work *work, const SmbTrial *trial, gsize i) {
  GArray *shown = work->report->mismatches;
  SmbFuzzMismatch mismatch = {trial->instruction, trial->requests[i], trial->predicted[i],
                              trial->cycles[i], trial->wavefronts[i]};
  if (work->shown < SMB_FUZZ_SHOWN_EACH && shown->len < SMB_FUZZ_SHOWN)
    g_array_append_val(shown, mismatch);
  work->shown++;
}

static void
tally(Work *work, const SmbTrial *trial) {
  SmbFuzzResult *result = work->result;
  result->patterns += trial->n;
  for (gsize i = 0; i < trial->n; i++) {
    result->mismatches += trial->clock[i] == SMB_VERDICT_MISMATCH;
    result->unsteady += smb_trial_is_unsteady(trial, i);
    result->counted += trial->count[i] != SMB_VERDICT_NONE;
    result->count_mismatches += trial->count[i] == SMB_VERDICT_MISMATCH;
    if (smb_trial_differs(trial, i))
      show_mismatch(work, trial, i);
  }
}

// A mean with as many digits as mean something: a clock reading is of 4096 requests, a count of 64, less
// what the launch took: so that it can be just below 0.
static double
round_mean(double mean) {
  return mean == SMB_NOT_MEASURED ? mean : MAX(round(mean * 1e4) / 1e4, 0);
}

static void
record_sample(const Work *work, const SmbTrial *trial) {
  const SmbInstruction *instruction = smb_instruction(trial->instruction);
  guint standing;
  if (!work->recording)
    return;
  gboolean stands = smb_instruction_for(instruction->op, instruction->width, &standing) &&
                    standing == trial->instruction;
  for (guint i = 0; i < work->sample->len; i++) {
    gsize at = g_array_index(work->sample, gsize, i);
    SmbRecordedRequest recorded = {
        .request = trial->requests[at],
        .wavefronts = round_mean(trial->wavefronts[at]),
        .cycles = round_mean(trial->cycles[at]),
        .instruction = stands ? NULL : g_intern_static_string(instruction->name),
    };
    g_array_append_val(work->recording->requests, recorded);
  }
}

static gboolean
measure_batch(Work *work, SmbTrial *trial, GError **error) {
  gint64 start = g_get_monotonic_time();
  select_sample(work, work->result->patterns, trial->n);
  if (!smb_trial_clock(work->report->meter, trial, error))
    return FALSE;
  work->result->device_seconds += elapsed(start);
  if (!count_sample(work, trial, work->sample, error))
    return FALSE;
  g_autoptr(GArray) shown = find_shown(work, trial);
  if (!count_sample(work, trial, shown, error))
    return FALSE;
  record_sample(work, trial);
  tally(work, trial);
  return TRUE;
}

// One request, so that the instruction is compiled before anything is timed. What this device or
// architecture cannot do, and what its compiler refuses, is a failure of this instruction only.
static gboolean
try_instruction(Work *work, GError **error) {
  const SmbArch *arch = work->report->arch;
  g_auto(SmbTrial) trial;
  const SmbInstruction *instruction = smb_instruction(work->result->instruction);
  smb_trial_init(&trial, 1);
  SmbRequest *request = &trial.requests[0];
  *request = (SmbRequest){
      .mask = G_MAXUINT32, .op = (guint8)instruction->op, .width = (guint8)instruction->width};
  for (guint lane = 0; lane < SMB_NVIDIA_LANES; lane++)
    request->offset[lane] = lane * instruction->width;
  g_autoptr(GError) local = NULL;
  if (!smb_arch_check_request(arch, request, &local)) {
    work->result->failure = g_strdup(local->message);
    return TRUE;
  }
  work->result->failure =
      smb_meter_supports(work->report->meter, work->result->instruction, request);
  if (work->result->failure)
    return TRUE;
  smb_trial_begin(&trial, arch, work->result->instruction, 1);
  trial.predicted[0] = smb_wavefronts_count(arch, request);
  if (smb_trial_clock(work->report->meter, &trial, &local))
    return TRUE;
  if (g_error_matches(local, SMB_GPU_ERROR, SMB_GPU_ERROR_COMPILE)) {
    work->result->failure = g_strdup(local->message);
    return TRUE;
  }
  g_propagate_error(error, g_steal_pointer(&local));
  return FALSE;
}

static gboolean
run_instruction(Work *work, SmbFuzzSource *source, GError **error) {
  SmbTrial *trial;
  if (!try_instruction(work, error))
    return FALSE;
  if (work->result->failure)
    return TRUE;
  gint64 start = g_get_monotonic_time();
  smb_fuzz_source_begin(source, work->result->instruction, work->report->options->count);
  while ((trial = smb_fuzz_source_next(source))) {
    if (!measure_batch(work, trial, error))
      return FALSE;
    smb_progress_add(work->report->options->progress, trial->n);
  }
  work->result->seconds = elapsed(start);
  return TRUE;
}

// If the device could do nothing of what was asked, the first reason is the error.
static gboolean
has_measured(const SmbFuzzReport *report, GError **error) {
  for (guint i = 0; i < report->results->len; i++) {
    if (!g_array_index(report->results, SmbFuzzResult, i).failure)
      return TRUE;
  }
  return smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_UNAVAILABLE, "nothing could be measured: %s",
                  g_array_index(report->results, SmbFuzzResult, 0).failure);
}

gboolean
smb_fuzz_run(SmbFuzzReport *report, const GArray *instructions, SmbRecording *recording,
             GError **error) {
  const SmbMeterDevice *device = smb_meter_device(report->meter);
  const SmbFuzzOptions *options = report->options;
  g_autoptr(SmbFuzzSource) source =
      smb_fuzz_source_new(report->arch, device->shared_bytes, options->seed);
  g_autoptr(GArray) sample = g_array_new(FALSE, FALSE, sizeof(gsize));
  report->refusal = device->profiler ? NULL : g_strdup(device->refusal);
  smb_progress_begin(options->progress, "requests", options->count * instructions->len);
  for (guint i = 0; i < instructions->len; i++) {
    guint instruction = g_array_index(instructions, guint, i);
    SmbFuzzResult empty = {.instruction = instruction,
                           .is_bound = smb_trial_is_bound(report->arch, instruction)};
    g_array_append_val(report->results, empty);
    Work work = {report, &g_array_index(report->results, SmbFuzzResult, i), recording, sample, 0};
    if (!run_instruction(&work, source, error))
      return FALSE;
  }
  return has_measured(report, error);
}
