// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/measure/trace.h"

#include "gpu/error.h"
#include "sim/arch/arch.h"
#include "src/cli/input.h"

// Requests of one instruction that are measured at once.
enum {
  SLICE_REQUESTS = 1 << 17,
  COUNTED_AT_ONCE = 250, // half a second: between two steps of the progress
};

void
smb_measured_trace_free(SmbMeasuredTrace *trace) {
  if (!trace)
    return;
  smb_arch_unref(trace->arch);
  g_array_unref(trace->requests);
  g_string_chunk_free(trace->reasons);
  g_free(trace->refusal);
  g_free(trace);
}

static void
add_batch(SmbMeasuredTrace *trace, const SmbTraceBatch *batch) {
  SmbWavefronts predicted[SMB_TRACE_BATCH_REQUESTS];
  smb_wavefronts_count_span(trace->arch, smb_counter_best(), batch->requests, batch->n, predicted);
  for (gsize i = 0; i < batch->n; i++) {
    SmbMeasuredRequest request = {
        .request = batch->requests[i],
        .predicted = predicted[i],
        .line = batch->lines[i],
        .recorded = batch->expected[i],
        .cycles = SMB_NOT_MEASURED,
        .wavefronts = SMB_NOT_MEASURED,
    };
    g_array_append_val(trace->requests, request);
  }
}

SmbMeasuredTrace *
smb_measured_trace_new(GInputStream *stream, const char *name, SmbArch *arch, SmbProgress *progress,
                       GError **error) {
  g_autoptr(SmbMeasuredTrace) trace = g_new0(SmbMeasuredTrace, 1);
  trace->arch = smb_arch_ref(arch);
  trace->requests = g_array_new(FALSE, FALSE, sizeof(SmbMeasuredRequest));
  trace->reasons = g_string_chunk_new(1024);
  g_autoptr(SmbTraceReader) reader = smb_trace_reader_new(stream, name, arch);
  g_autofree SmbTraceBatch *batch = g_new(SmbTraceBatch, 1);
  smb_input_begin(stream, progress, "requests");
  do {
    if (!smb_trace_reader_next(reader, batch, error))
      return NULL;
    add_batch(trace, batch);
    smb_input_advance(stream, progress, batch->n);
  } while (batch->n > 0);
  return g_steal_pointer(&trace);
}

static SmbMeasuredRequest *
get_trace_request(const SmbMeasuredTrace *trace, guint i) {
  return &g_array_index(trace->requests, SmbMeasuredRequest, i);
}

// Finds the requests that the device cannot execute.
static void
find_reasons(SmbMeasuredTrace *trace, const SmbMeter *meter) {
  for (guint i = 0; i < trace->requests->len; i++) {
    SmbMeasuredRequest *request = get_trace_request(trace, i);
    guint instruction;
    g_autofree char *reason = NULL;
    if (smb_instruction_for((SmbOp)request->request.op, request->request.width, &instruction))
      reason = smb_meter_supports(meter, instruction, &request->request);
    else
      reason = g_strdup("no instruction issues it");
    if (reason)
      request->reason = g_string_chunk_insert_const(trace->reasons, reason);
  }
}

// Of N requests that can be measured, those at j N / K are counted, for each j below K.
// Returns how many measurements that makes, each request timed, and these counted.
static guint64
select_trace_sample(SmbMeasuredTrace *trace) {
  guint64 n = 0, at = 0, chosen = 0;
  for (guint i = 0; i < trace->requests->len; i++)
    n += !get_trace_request(trace, i)->reason;
  guint64 wanted = MIN(n, SMB_TRACE_MAX_COUNTED);
  trace->is_sample = wanted < n;
  for (guint i = 0; i < trace->requests->len; i++) {
    SmbMeasuredRequest *request = get_trace_request(trace, i);
    if (request->reason)
      continue;
    request->sampled = chosen < wanted && at == chosen * n / wanted;
    chosen += request->sampled ? 1 : 0;
    at++;
  }
  return n + (trace->refusal ? 0 : wanted);
}

// Counts the sample, unless counters are refused, which is not an error.
static gboolean
count_trace_sample(SmbMeasuredTrace *trace, SmbMeter *meter, SmbTrial *trial, const GArray *places,
                   GError **error) {
  g_autoptr(GArray) which = g_array_new(FALSE, FALSE, sizeof(gsize));
  for (gsize i = 0; i < trial->n; i++) {
    if (get_trace_request(trace, g_array_index(places, guint, i))->sampled)
      g_array_append_val(which, i);
  }
  for (guint i = 0; !trace->refusal && i < which->len; i += COUNTED_AT_ONCE) {
    guint n = MIN(COUNTED_AT_ONCE, which->len - i);
    if (!smb_trial_count(meter, trial, &g_array_index(which, gsize, i), n, error))
      return FALSE;
    smb_progress_add(trace->progress, n);
  }
  return TRUE;
}

// Measures the requests at some places, all of the trial's instruction.
static gboolean
measure_slice(SmbMeasuredTrace *trace, SmbMeter *meter, guint instruction, SmbTrial *trial,
              const GArray *places, GError **error) {
  g_autoptr(GError) local = NULL;
  smb_trial_begin(trial, trace->arch, instruction, places->len);
  for (guint i = 0; i < places->len; i++) {
    const SmbMeasuredRequest *request = get_trace_request(trace, g_array_index(places, guint, i));
    trial->requests[i] = request->request;
    trial->predicted[i] = request->predicted;
  }
  gboolean ok = smb_trial_clock(meter, trial, &local);
  gboolean refused = g_error_matches(local, SMB_GPU_ERROR, SMB_GPU_ERROR_COMPILE);
  if (!ok && !refused) {
    g_propagate_error(error, g_steal_pointer(&local));
    return FALSE;
  }
  smb_progress_add(trace->progress, places->len);
  if (ok && !count_trace_sample(trace, meter, trial, places, error))
    return FALSE;
  for (guint i = 0; i < places->len; i++) {
    SmbMeasuredRequest *request = get_trace_request(trace, g_array_index(places, guint, i));
    request->cycles = trial->cycles[i];
    request->wavefronts = trial->wavefronts[i];
    request->clock = trial->clock[i];
    request->count = trial->count[i];
    if (refused)
      request->reason = g_string_chunk_insert_const(trace->reasons, local->message);
  }
  return TRUE;
}

static gboolean
measure_operation(SmbMeasuredTrace *trace, SmbMeter *meter, SmbOp op, guint width, SmbTrial *trial,
                  GError **error) {
  g_autoptr(GArray) places = g_array_new(FALSE, FALSE, sizeof(guint));
  guint n = trace->requests->len, instruction;
  if (!smb_instruction_for(op, width, &instruction))
    return TRUE;
  for (guint i = 0; i < n; i++) {
    const SmbMeasuredRequest *request = get_trace_request(trace, i);
    if (request->request.op == op && request->request.width == width && !request->reason)
      g_array_append_val(places, i);
    if (places->len < SLICE_REQUESTS && i + 1 < n)
      continue;
    if (places->len > 0 && !measure_slice(trace, meter, instruction, trial, places, error))
      return FALSE;
    g_array_set_size(places, 0);
  }
  return TRUE;
}

gboolean
smb_measured_trace_run(SmbMeasuredTrace *trace, SmbMeter *meter, SmbProgress *progress,
                       GError **error) {
  const SmbMeterDevice *device = smb_meter_device(meter);
  g_auto(SmbTrial) trial;
  smb_trial_init(&trial, MIN(trace->requests->len, SLICE_REQUESTS));
  trace->refusal = device->profiler ? NULL : g_strdup(device->refusal);
  find_reasons(trace, meter);
  trace->progress = progress;
  smb_progress_begin(progress, "measurements", select_trace_sample(trace));
  for (guint op = 0; op < SMB_N_OPS; op++) {
    for (guint i = 0; i < SMB_N_WIDTHS; i++) {
      if (smb_op_has_width((SmbOp)op, smb_width(i)) &&
          !measure_operation(trace, meter, (SmbOp)op, smb_width(i), &trial, error))
        return FALSE;
    }
  }
  return TRUE;
}

gboolean
smb_measured_request_differs(const SmbMeasuredRequest *request) {
  return request->clock == SMB_VERDICT_MISMATCH || request->count == SMB_VERDICT_MISMATCH ||
         (request->recorded != SMB_TRACE_NO_COUNT &&
          request->recorded != request->predicted.wavefronts);
}

gboolean
smb_measured_request_is_unsteady(const SmbMeasuredRequest *request) {
  return !smb_measured_request_differs(request) &&
         (request->clock == SMB_VERDICT_UNSTEADY || request->count == SMB_VERDICT_UNSTEADY);
}
