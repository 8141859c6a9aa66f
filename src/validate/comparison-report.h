// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A comparison in each format, and the words that they share. JSON and CSV have every row; text begins with what a reader
// asks first.
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

/** Writes a comparison in the format of @cli, and sets the exit status. */
void smb_comparison_write(SmbCli *cli, const SmbComparisonReport *report);

/** smb_comparison_number: Returns: (transfer full): a count whole, else three digits; "" for no number */
char *smb_comparison_number(double value);

/** smb_comparison_provenance: Returns: (transfer full): where the measured values come from */
char *smb_comparison_provenance(const SmbComparison *comparison);

/** Name of a device without its maker: "RTX 3080" (transfer none). */
const char *smb_comparison_short_gpu(const char *gpu);

/** smb_comparison_published: Returns: (transfer full): "1024 (RTX 3080)", or "" */
char *smb_comparison_published(const SmbComparisonRow *row);

/** smb_comparison_metric: Returns: (transfer full): the metric, with the parameter of values */
char *smb_comparison_metric(const SmbComparisonRow *row);

/** smb_comparison_shape: Returns: (transfer full): the shape, or the block of a user's kernel */
char *smb_comparison_shape(const SmbComparisonRow *row);

/** Whether a row is a time, and whether it is one with cold caches. */
gboolean smb_comparison_is_time(const SmbComparisonRow *row);
gboolean smb_comparison_is_cold(const SmbComparisonRow *row);
