// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What is measured of a kernel, and what the model says of it.
#pragma once

#include <glib.h>

#include "sim/analysis/analysis.h"

G_BEGIN_DECLS

/** What is measured, in the order of metric.def. */
typedef enum {
#define SMB_METRIC(id, name, meaning) SMB_METRIC_##id,
#include "sim/measured/metric.def"
#undef SMB_METRIC
  SMB_N_METRICS
} SmbMetric;

/** smb_metric_of: Returns: the metric of a class of accesses to shared memory, of those whose first is @of_loads:
 * SMB_METRIC_WAVEFRONTS_LD, SMB_METRIC_CYCLES_LD or SMB_METRIC_INSTRUCTIONS_LD */
static inline SmbMetric
smb_metric_of(SmbMetric of_loads, SmbOpClass op_class) {
  return (SmbMetric)(of_loads + op_class);
}

/** What smb_metric_predict() returns where the model says nothing. */
#define SMB_NO_PREDICTION (-1.0)

/** "wavefronts_ld", "time_us", ... (transfer none). */
const char *smb_metric_name(SmbMetric metric);

/** smb_metric_is_counted: Returns: whether it is a count; values and times are not */
gboolean smb_metric_is_counted(SmbMetric metric);

/** smb_metric_parse: Returns: whether @name is the name of a metric, which is @metric then */
gboolean smb_metric_parse(const char *name, SmbMetric *metric);

/**
 * smb_metric_predict:
 * @metric: what to predict
 * @analysis: of the launch
 *
 * Instructions are the requests of the model, one for each execution of an access in the text. Sectors
 * are predicted only where the architecture moves 32-byte sectors (SmbAnalysis.segment_bytes): the lines
 * of 128 bytes of sm_10 and sm_20 are another unit; and where no request is missing (SmbAnalysis.missing_globals). An
 * analysis says nothing of what is not a count.
 *
 * Returns: what the model says in the unit of the metric, or %SMB_NO_PREDICTION
 */
double smb_metric_predict(SmbMetric metric, const SmbAnalysis *analysis);

/**
 * smb_metric_predict_as:
 * @counter: (nullable): the name of the hardware metric that was read
 *
 * Returns: smb_metric_predict(), or of wavefronts that were read of the pipe (l1tex__...) those that the pipe takes
 *   (SmbTally.pipe_wavefronts)
 */
double smb_metric_predict_as(SmbMetric metric, const char *counter, const SmbAnalysis *analysis);

/**
 * smb_metric_range:
 * @least, @most: (out): between what the prediction lies
 *
 * Returns: whether they differ: it depends on where an assembler lets lanes meet
 */
gboolean smb_metric_range(SmbMetric metric, const SmbAnalysis *analysis, double *least,
                          double *most);

/**
 * smb_metric_is_partial: Returns: whether @metric counts requests that the prediction leaves out (SmbAccess.uncounted)
 */
gboolean smb_metric_is_partial(SmbMetric metric, const SmbAnalysis *analysis);

/**
 * smb_metric_is_bound: Returns: whether the prediction is a lower bound: it is partial, or the kernel has atomics that
 * are loops, which repeat where warps conflict, and @metric counts what they do
 */
gboolean smb_metric_is_bound(SmbMetric metric, const SmbAnalysis *analysis);

/**
 * smb_metric_order:
 *
 * Returns: (nullable): why a device may count more or fewer: which requests are made depends on the order in which
 *   threads run; lives as long as @analysis
 */
const char *smb_metric_order(SmbMetric metric, const SmbAnalysis *analysis);

/**
 * smb_metric_bandwidth:
 * @analysis: of the launch
 * @microseconds: what the launch took
 *
 * Returns: effective bandwidth in GB/s (10^9 bytes a second): the bytes of global memory that the launch accesses
 *   (smb_analysis_global_bytes()), divided by the time
 */
double smb_metric_bandwidth(const SmbAnalysis *analysis, double microseconds);

G_END_DECLS
