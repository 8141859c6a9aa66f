// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How a trace that was measured is written.
#pragma once

#include "src/cli/cli.h"
#include "src/measure/trace.h"

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
