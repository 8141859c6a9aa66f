// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A comparison in each format. JSON and CSV have every row; text begins with what a reader asks first.
#pragma once

#include "src/comparison.h"

G_BEGIN_DECLS

/**
 * SmbComparisonView: how much the text shows.
 * @kernels: every number of a recorded launch, not only a line for each launch and the differences
 * @times: the times of recorded launches, with the bandwidth
 * @requests: every request, not only a line for each operation and width and the differences
 */
typedef struct {
  gboolean kernels;
  gboolean times;
  gboolean requests;
} SmbComparisonView;

void smb_comparison_write_text(SmbCli *cli, const SmbComparison *comparison,
                               SmbComparisonView view);
void smb_comparison_write_json(SmbCli *cli, const SmbComparison *comparison);
void smb_comparison_write_csv(SmbCli *cli, const SmbComparison *comparison);

G_END_DECLS
