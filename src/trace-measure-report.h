// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How a trace that was measured is written.
#pragma once

#include "src/cli.h"
#include "src/trace-measure.h"

G_BEGIN_DECLS

/**
 * smb_measured_trace_write:
 * @file: the trace, as the user named it
 * @all: in text, a row for each request, not only for those that differ
 *
 * Writes the requests in the format of @cli; JSON and CSV always have a row for each.
 *
 * Returns: whether requests were measured, and none differs
 */
gboolean smb_measured_trace_write(SmbCli *cli, const SmbMeasuredTrace *trace, const SmbMeter *meter,
                                  const char *file, gboolean all);

G_END_DECLS
