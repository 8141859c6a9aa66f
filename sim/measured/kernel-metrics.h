// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What Nsight Compute measured of kernels as a whole: what 'ncu --metrics …' writes, as text or as CSV, of one launch
// or several. There are no instructions in it.
#pragma once

#include "sim/analysis/analysis.h"
#include "sim/base/source.h"

G_BEGIN_DECLS

/** SmbKernelMetric: @name: as ncu calls it, "l1tex__….sum"; @value: a count */
typedef struct {
  const char *name;
  double value;
} SmbKernelMetric;

/**
 * SmbMeasuredLaunch:
 * @kernel: as ncu writes its name: "two(float *, const float *, int)"
 * @line: where it begins in the file, from 1
 * @grid, @block: how it was launched; zeros: the file does not say
 * @metrics: (element-type SmbKernelMetric): each name once
 */
typedef struct {
  const char *kernel;
  guint line;
  guint grid[3];
  guint block[3];
  GArray *metrics;
} SmbMeasuredLaunch;

/** SmbKernelMetrics: @launches: (element-type SmbMeasuredLaunch): in the order of the file; @strings: hold the texts */
typedef struct {
  GPtrArray *launches;
  GStringChunk *strings;
} SmbKernelMetrics;

/** Whether a text is such output: by its header, or by the line in front of the tables of a kernel. */
gboolean smb_kernel_metrics_recognize(SmbSource *source);

/**
 * smb_kernel_metrics_read:
 * @source: (transfer none): the file; other lines that ncu writes are skipped
 * @error: SMB_ERROR_INPUT with the line
 *
 * Returns: (transfer full): what was measured
 */
SmbKernelMetrics *smb_kernel_metrics_read(SmbSource *source, GError **error);
void smb_kernel_metrics_free(SmbKernelMetrics *metrics);

/** Whether two launches have the same kernel, shape and values. */
gboolean smb_measured_launch_is_equal(const SmbMeasuredLaunch *a, const SmbMeasuredLaunch *b);

/**
 * smb_kernel_metric_predict:
 * @name: of a metric
 * @analysis: of the launch
 * @predicted: (out): what the model says of it
 * @slack: (out): by how much more the device may count for what has nothing to do with addresses: counters of l1tex
 *   also count lost arbitration with other users of L1
 *
 * Returns: whether it is one of shared memory that the model predicts
 */
gboolean smb_kernel_metric_predict(const char *name, const SmbAnalysis *analysis, double *predicted,
                                   double *slack);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbKernelMetrics, smb_kernel_metrics_free)

G_END_DECLS
