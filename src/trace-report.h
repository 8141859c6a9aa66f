// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a trace costs in all: sums by operation and width and by class, the comparison with the counts
// of the trace, and how they are written.
#pragma once

#include "sim/analysis.h"
#include "sim/trace.h"
#include "sim/wavefront.h"
#include "src/cli.h"
#include "src/spool.h"

G_BEGIN_DECLS

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

/** Adds requests and what they cost; differences are written as @format wants them. */
void smb_trace_report_add(SmbTraceReport *report, SmbFormat format, const SmbTraceBatch *batch,
                          const SmbWavefronts *counts);

/**
 * smb_trace_report_write:
 * @file: the trace, as the user named it
 * @error: an error of the architectures
 *
 * Writes the report in the format of @cli. CSV has no place for differences: they are messages.
 */
gboolean smb_trace_report_write(SmbTraceReport *report, SmbCli *cli, const char *file,
                                GError **error);

G_END_DECLS
