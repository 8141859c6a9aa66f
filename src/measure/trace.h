// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The requests of a trace on a device, each compared with the model. All of them are held in
// memory, about 220 bytes each: they are measured instruction by instruction and reported in their order.
#pragma once

#include "sim/base/progress.h"
#include "sim/trace/trace.h"
#include "src/cli/cli.h"
#include "src/measure/trial.h"

/** Most requests whose wavefronts are counted, at about 2 ms each; of a longer trace a regular sample. */
#define SMB_TRACE_MAX_COUNTED 5000

/**
 * SmbMeasuredRequest: a request of the trace.
 * @line: of the trace, from 1
 * @recorded: the wavefronts that the line says, or %SMB_TRACE_NO_COUNT
 * @cycles, @wavefronts: what was measured, or %SMB_NOT_MEASURED
 * @clock, @count: an SmbVerdict
 * @sampled: whether it is to be counted
 * @reason: (nullable): why the device cannot execute it, without a full stop
 */
typedef struct {
  SmbRequest request;
  SmbWavefronts predicted;
  guint64 line;
  gint64 recorded;
  double cycles;
  double wavefronts;
  guint8 clock;
  guint8 count;
  gboolean sampled;
  const char *reason;
} SmbMeasuredRequest;

/**
 * SmbMeasuredTrace:
 * @arch: whose rules predicted
 * @requests: (element-type SmbMeasuredRequest): in the order of the trace
 * @refusal: (nullable): why nothing was counted, without a full stop
 * @is_sample: whether there were too many to count all
 * @progress: (nullable) (transfer none): of measuring: each request is timed, and those of the sample are counted
 */
typedef struct {
  SmbArch *arch;
  GArray *requests;
  GStringChunk *reasons;
  char *refusal;
  gboolean is_sample;
  SmbProgress *progress;
} SmbMeasuredTrace;

/**
 * smb_measured_trace_new:
 * @stream, @name: as smb_trace_reader_new() wants them
 * @arch: whose rules predict
 * @progress: (nullable): of reading
 * @error: as smb_trace_reader_next()
 *
 * Returns: (transfer full): the requests of a trace, predicted and not measured
 */
SmbMeasuredTrace *smb_measured_trace_new(GInputStream *stream, const char *name, SmbArch *arch,
                                         SmbProgress *progress, GError **error);
void smb_measured_trace_free(SmbMeasuredTrace *trace);

/**
 * smb_measured_trace_run:
 * @progress: (nullable): of measuring
 * @error: SMB_GPU_ERROR_UNAVAILABLE if the device fails; that it cannot execute a request is none
 *
 * Times all requests, and counts the wavefronts of up to %SMB_TRACE_MAX_COUNTED.
 */
gboolean smb_measured_trace_run(SmbMeasuredTrace *trace, SmbMeter *meter, SmbProgress *progress,
                                GError **error);

/** Whether a request differs: measured from predicted, or predicted from what its line says. */
gboolean smb_measured_request_differs(const SmbMeasuredRequest *request);

/** Whether it does not, but a measurement of it had to be made again. */
gboolean smb_measured_request_is_unsteady(const SmbMeasuredRequest *request);

/**
 * SmbMeasuredTraceReport: what the writers of SmbFormat take.
 * @file: the trace, as the user named it
 * @all: in text, a row for each request, not only for those that differ; JSON and CSV always have it
 */
typedef struct {
  const SmbMeasuredTrace *trace;
  const SmbMeter *meter;
  const char *file;
  gboolean all;
} SmbMeasuredTraceReport;

/** The formats of an SmbMeasuredTraceReport, for smb_cli_view(). */
extern const SmbFormat smb_measured_trace_formats[];

/** smb_measured_trace_matches: Returns: whether requests were measured, and none differs */
gboolean smb_measured_trace_matches(const SmbMeasuredTrace *trace);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbMeasuredTrace, smb_measured_trace_free)
