// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A comparison in each format. JSON and CSV have every row; text begins with what a reader asks first.
#pragma once

#include "src/validate/comparison.h"

/**
 * SmbComparisonReport: what the writers of SmbFormat take.
 * @kernels: in text, every number of a recorded launch, not only a line for each launch and the differences
 * @times: in text, the times of recorded launches, with the bandwidth
 * @requests: in text, every request, not only a line for each operation and width and the differences
 */
typedef struct {
  const SmbComparison *comparison;
  gboolean kernels;
  gboolean times;
  gboolean requests;
} SmbComparisonReport;

void smb_comparison_write_text(SmbCli *cli, gconstpointer report);

/** The formats of an SmbComparisonReport. */
extern const SmbFormat smb_comparison_formats[];
