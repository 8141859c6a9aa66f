// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// trace --requests: a row for each request, in constant memory.
#pragma once

#include "sim/trace/trace.h"
#include "sim/count/wavefront.h"
#include "src/cli/cli.h"
#include "src/out/csv.h"

/** @elements: takes the rows of JSON until the document ends; @csv: writes the rows of CSV. */
typedef struct {
  SmbSpool *elements;
  SmbCsv csv;
} SmbTraceRows;

/** The formats of rows, for smb_cli_view(); they have no writer, but methods for a stream of rows. */
extern const SmbFormat smb_trace_row_formats[];

void smb_trace_rows_begin(SmbTraceRows *rows, SmbCli *cli);

/** Adds requests and what they cost. */
void smb_trace_rows_add(SmbTraceRows *rows, SmbCli *cli, const SmbTraceBatch *batch,
                        const SmbWavefronts *counts);

/** @file: the trace, as the user named it. */
void smb_trace_rows_end(SmbTraceRows *rows, SmbCli *cli, const char *file);
