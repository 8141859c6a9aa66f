// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a trace costs in all: sums by operation and width and by class, the comparison with the counts
// of the trace, and how they are written.
#pragma once

#include "sim/analysis/analysis.h"
#include "sim/trace/trace.h"
#include "sim/count/wavefront.h"
#include "src/cli/cli.h"
#include "src/out/spool.h"

/**
 * SmbTraceReport:
 * @sums: by operation and width
 * @compared: requests whose line has a count
 * @mismatched: those whose count differs
 * @mismatches: takes a row for each of these, in the format of the result
 */
typedef struct {
  SmbTally sums[SMB_N_OPS][SMB_N_WIDTHS];
  guint64 compared;
  guint64 mismatched;
  SmbSpool *mismatches;
} SmbTraceReport;

/** Adds a request whose count differs from the recorded one to @mismatches. */
typedef void (*SmbTraceMismatchFunc)(SmbSpool *mismatches, const SmbTraceBatch *batch, gsize i,
                                     guint32 predicted);

/** As a line of text. */
void smb_trace_describe_mismatch(SmbSpool *mismatches, const SmbTraceBatch *batch, gsize i,
                                 guint32 predicted);

/** Adds requests and what they cost. */
void smb_trace_report_add(SmbTraceReport *report, SmbTraceMismatchFunc write_mismatch,
                          const SmbTraceBatch *batch, const SmbWavefronts *counts);

/** The formats of a summary; @methods is its SmbTraceSummaryMethods. CSV has no place for differences: they are
 * messages. */
extern const SmbFormat smb_trace_summary_formats[];

/** @mismatch: how the summary wants differences */
typedef struct {
  SmbTraceMismatchFunc mismatch;
} SmbTraceSummaryMethods;

/**
 * smb_trace_report_write:
 * @file: the trace, as the user named it
 * @error: an error of the architectures
 *
 * Writes the summary in the format of @cli.
 */
gboolean smb_trace_report_write(SmbTraceReport *report, SmbCli *cli, const char *file,
                                GError **error);
