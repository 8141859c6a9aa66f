// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/fuzz/fuzz.h"

#include <math.h>

#include "gpu/error.h"
#include "sim/arch/arch.h"
#include "src/fuzz/source.h"
#include "sim/base/error.h"

static void
clear_fuzz_result(gpointer data) {
  SmbFuzzResult *result = data;
  g_free(result->failure);
}

SmbFuzzReport *
smb_fuzz_report_new(const SmbMeterDevice *device, const SmbArch *arch,
                    const SmbFuzzOptions *options, const GArray *instructions) {
  SmbFuzzReport *report = g_new0(SmbFuzzReport, 1);
  report->device = device;
  report->arch = arch;
  report->options = options;
  report->instructions = instructions;
  report->results = g_array_new(FALSE, FALSE, sizeof(SmbFuzzResult));
  g_array_set_clear_func(report->results, clear_fuzz_result);
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
  SmbMeter *meter;
  SmbArch *arch;
  SmbFuzzResult *result;
  guint64 first; // request of the instruction that the batch at hand begins with
  SmbRecording *recording;
  GArray *sample; // indices into the batch at hand
  guint shown;    // mismatches of this instruction that are shown
} Work;

static double
elapsed(gint64 start) {
  return (double)(g_get_monotonic_time() - start) / G_USEC_PER_SEC;
}

// The sample is request j N / K for each j below K. Takes those of the batch.
static void
select_fuzz_sample(const Work *work, gsize n) {
  guint64 all = work->report->options->count, wanted = MIN(work->report->options->counted, all);
  guint64 first = work->first;
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
count_fuzz_sample(const Work *work, SmbTrial *trial, const GArray *which, GError **error) {
  return work->report->refusal || which->len == 0 ||
         smb_trial_count(work->meter, trial, (const gsize *)(gpointer)which->data, which->len,
                         error);
}

// Those of the mismatches that will be shown, which are the first ones, that have no count yet.
static GArray *
find_shown(const Work *work, const SmbTrial *trial) {
  GArray *found = g_array_new(FALSE, FALSE, sizeof(gsize));
  guint shown = work->shown;
  for (gsize i = 0; i < trial->n && shown < SMB_FUZZ_SHOWN_EACH; i++) {
    if (!smb_trial_differs(trial, i))
      continue;
    shown++;
    if (trial->count[i] == SMB_VERDICT_NONE)
      g_array_append_val(found, i);
  }
  return found;
}

// @extra: those that were counted because they are shown, in order.
static void
show_mismatch(Work *work, const SmbTrial *trial, gsize i, const GArray *extra) {
  if (work->shown == SMB_FUZZ_SHOWN_EACH)
    return;
  gboolean counted = trial->count[i] != SMB_VERDICT_NONE, is_extra = FALSE;
  for (guint j = 0; j < extra->len; j++)
    is_extra |= g_array_index(extra, gsize, j) == i;
  SmbFuzzMismatch mismatch = {trial->instruction,
                              trial->requests[i],
                              trial->predicted[i],
                              trial->cycles[i],
                              trial->wavefronts[i],
                              counted && is_extra,
                              trial->count[i] == SMB_VERDICT_MISMATCH};
  g_array_append_val(work->report->mismatches, mismatch);
  work->shown++;
}

static void
tally(Work *work, const SmbTrial *trial, const GArray *extra) {
  SmbFuzzResult *result = work->result;
  result->patterns += trial->n;
  for (gsize i = 0; i < trial->n; i++) {
    result->mismatches += trial->clock[i] == SMB_VERDICT_MISMATCH;
    result->unsteady += smb_trial_is_unsteady(trial, i);
    result->counted += trial->count[i] != SMB_VERDICT_NONE;
    result->count_mismatches += trial->count[i] == SMB_VERDICT_MISMATCH;
    if (smb_trial_differs(trial, i))
      show_mismatch(work, trial, i, extra);
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
  select_fuzz_sample(work, trial->n);
  if (!smb_trial_clock(work->meter, trial, error))
    return FALSE;
  work->result->device_seconds += elapsed(start);
  if (!count_fuzz_sample(work, trial, work->sample, error))
    return FALSE;
  g_autoptr(GArray) shown = find_shown(work, trial);
  if (!count_fuzz_sample(work, trial, shown, error))
    return FALSE;
  record_sample(work, trial);
  tally(work, trial, shown);
  work->first += trial->n;
  return TRUE;
}

// One request, so that the instruction is compiled before anything is timed. What this device or
// architecture cannot do, and what its compiler refuses, is a failure of this instruction only.
static gboolean
try_instruction(Work *work, GError **error) {
  const SmbArch *arch = work->arch;
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
  work->result->failure = smb_meter_supports(work->meter, work->result->instruction, request);
  if (work->result->failure)
    return TRUE;
  smb_trial_begin(&trial, arch, work->result->instruction, 1);
  trial.predicted[0] = smb_wavefronts_count(arch, request);
  if (smb_trial_clock(work->meter, &trial, &local))
    return TRUE;
  if (g_error_matches(local, SMB_GPU_ERROR, SMB_GPU_ERROR_COMPILE)) {
    work->result->failure = g_strdup(local->message);
    return TRUE;
  }
  g_propagate_error(error, g_steal_pointer(&local));
  return FALSE;
}

static gboolean
run_instruction(Work *work, SmbFuzzSource *source, guint64 end, GError **error) {
  SmbTrial *trial;
  if (!try_instruction(work, error))
    return FALSE;
  if (work->result->failure)
    return TRUE;
  gint64 start = g_get_monotonic_time();
  smb_fuzz_source_begin(source, work->result->instruction, work->first, end);
  while ((trial = smb_fuzz_source_next(source))) {
    if (!measure_batch(work, trial, error))
      return FALSE;
    smb_progress_add(work->report->options->progress, trial->n);
  }
  work->result->seconds = elapsed(start);
  return TRUE;
}

GArray *
smb_fuzz_spans(const SmbFuzzOptions *options, guint n_instructions) {
  const guint64 each = (options->count + SMB_FUZZ_PIECE_REQUESTS - 1) / SMB_FUZZ_PIECE_REQUESTS;
  const guint64 begin = smb_shard_begin(&options->shard, each * n_instructions),
                end = smb_shard_end(&options->shard, each * n_instructions);
  GArray *spans = g_array_new(FALSE, FALSE, sizeof(SmbFuzzSpan));
  for (guint64 i = begin / each; begin < end && i * each < end; i++) {
    guint64 first = MAX(begin, i * each) - i * each, last = MIN(end - i * each, each);
    SmbFuzzSpan span = {(guint)i, first * SMB_FUZZ_PIECE_REQUESTS,
                        MIN(last * SMB_FUZZ_PIECE_REQUESTS, options->count)};
    g_array_append_val(spans, span);
  }
  return spans;
}

gboolean
smb_fuzz_run(SmbFuzzReport *report, SmbMeter *meter, SmbArch *arch, SmbRecording *recording,
             GError **error) {
  const SmbFuzzOptions *options = report->options;
  g_autoptr(SmbFuzzSource) source =
      smb_fuzz_source_new(arch, report->device->shared_bytes, options->seed);
  g_autoptr(GArray) sample = g_array_new(FALSE, FALSE, sizeof(gsize));
  g_autoptr(GArray) spans = smb_fuzz_spans(options, report->instructions->len);
  guint64 all = 0;
  for (guint i = 0; i < spans->len; i++)
    all += g_array_index(spans, SmbFuzzSpan, i).end - g_array_index(spans, SmbFuzzSpan, i).first;
  report->refusal = report->device->profiler ? NULL : g_strdup(report->device->refusal);
  smb_progress_begin(options->progress, "requests", all);
  for (guint i = 0; i < spans->len; i++) {
    const SmbFuzzSpan *span = &g_array_index(spans, SmbFuzzSpan, i);
    guint instruction = g_array_index(report->instructions, guint, span->index);
    SmbFuzzResult empty = {.instruction = instruction,
                           .is_bound = smb_trial_is_bound(arch, instruction)};
    g_array_append_val(report->results, empty);
    Work work = {report,      meter,     arch,   &g_array_index(report->results, SmbFuzzResult, i),
                 span->first, recording, sample, 0};
    if (!run_instruction(&work, source, span->end, error))
      return FALSE;
  }
  return TRUE;
}
