// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a trace costs, in constant memory: the sums by operation and width, or a row or a number for each request; and
// the comparison with the counts of the trace.
#pragma once

#include "sim/analysis/analysis.h"
#include "sim/trace/trace.h"
#include "src/cli/cli.h"
#include "src/out/csv.h"

/** What the requests of one operation and width cost. */
typedef struct {
  SmbOp op;
  guint width;
  SmbTally tally;
} SmbTraceSum;

#define SMB_TRACE_N_SUMS (SMB_N_OPS * SMB_N_WIDTHS)

/**
 * SmbTraceReport:
 * @cli: takes the result, in its format
 * @file: the trace, as the user named it
 * @sums: by operation, then by width; many are empty
 * @compared: requests whose line has a count
 * @mismatched: those whose count differs
 * @mismatches: takes a row for each of these, in the format of the result
 * @rows: takes the rows of JSON until the document ends
 * @csv: writes the rows of CSV
 * @notes: (element-type utf8): sentences about operations, after the sums
 */
typedef struct {
  SmbCli *cli;
  const char *file;
  SmbTraceSum sums[SMB_TRACE_N_SUMS];
  guint64 compared;
  guint64 mismatched;
  SmbSpool *mismatches;
  SmbSpool *rows;
  SmbCsv csv;
  GPtrArray *notes;
} SmbTraceReport;

/**
 * SmbTraceMethods: what a format writes before its writer ends the result, for SmbFormat.methods
 * @mismatch: adds a request whose count differs from the recorded one to the mismatches
 * @begin: (nullable): before the first request
 * @add: (nullable): for each request
 */
typedef struct {
  void (*mismatch)(SmbTraceReport *report, const SmbTraceBatch *batch, gsize i, guint32 predicted);
  void (*begin)(SmbTraceReport *report);
  void (*add)(SmbTraceReport *report, const SmbTraceBatch *batch, gsize i,
              const SmbWavefronts *cost);
} SmbTraceMethods;

/** The formats of the sums, of a row for each request (--requests), and of a number for each (--counts). */
extern const SmbFormat smb_trace_sum_formats[], smb_trace_row_formats[], smb_trace_count_formats[];

/** A mismatch as a warning at its line, for SmbTraceMethods. */
void smb_trace_describe_mismatch(SmbTraceReport *report, const SmbTraceBatch *batch, gsize i,
                                 guint32 predicted);

/** smb_trace_report_new: Returns: (transfer full): an empty report; @file: (transfer none) */
SmbTraceReport *smb_trace_report_new(SmbCli *cli, const char *file);
void smb_trace_report_free(SmbTraceReport *report);

/** Adds requests and what they cost. */
void smb_trace_report_add(SmbTraceReport *report, const SmbTraceBatch *batch,
                          const SmbWavefronts *counts);

/** smb_trace_report_write: @error: an error of the architectures. Ends the result, in the format of the command line. */
gboolean smb_trace_report_write(SmbTraceReport *report, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbTraceReport, smb_trace_report_free)
