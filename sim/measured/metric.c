// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/measured/metric.h"

#include <string.h>

// Bytes of a sector, the unit of the metrics sectors_* (Nsight Compute, Metrics Decoder: "sector").
enum {
  SECTOR_BYTES = 32
};

static const char *const names[SMB_N_METRICS] = {
#define SMB_METRIC(id, name, meaning) name,
#include "sim/measured/metric.def"
#undef SMB_METRIC
};

// smb_metric_of() goes by the order of metric.def.
#define IS_BY_CLASS(kind)                                                                          \
  (SMB_METRIC_##kind##_ST == SMB_METRIC_##kind##_LD + SMB_OP_CLASS_STORE &&                        \
   SMB_METRIC_##kind##_ATOM == SMB_METRIC_##kind##_LD + SMB_OP_CLASS_ATOMIC)
G_STATIC_ASSERT(IS_BY_CLASS(WAVEFRONTS) && IS_BY_CLASS(CYCLES) && IS_BY_CLASS(INSTRUCTIONS));

const char *
smb_metric_name(SmbMetric metric) {
  return names[metric];
}

gboolean
smb_metric_parse(const char *name, SmbMetric *metric) {
  for (guint i = 0; i < SMB_N_METRICS; i++) {
    if (strcmp(names[i], name) == 0) {
      *metric = (SmbMetric)i;
      return TRUE;
    }
  }
  return FALSE;
}

static double
predict_ways(const SmbTally *tally) {
  return tally->requests ? (double)tally->wavefronts / (double)tally->requests : 0;
}

static double
predict_sectors(const SmbAnalysis *analysis, SmbOpClass op_class) {
  if (analysis->segment_bytes != SECTOR_BYTES || analysis->missing_globals[op_class])
    return SMB_NO_PREDICTION;
  return (double)analysis->global_totals[op_class].segments;
}

double
smb_metric_predict(SmbMetric metric, const SmbAnalysis *analysis) {
  const SmbTally *load = &analysis->totals[SMB_OP_CLASS_LOAD];
  const SmbTally *store = &analysis->totals[SMB_OP_CLASS_STORE];
  const SmbTally *atomic = &analysis->totals[SMB_OP_CLASS_ATOMIC];
  const SmbLoopTally *loops = &analysis->loops;
  switch (metric) {
  case SMB_METRIC_WAVEFRONTS_LD:
    return (double)(load->wavefronts + loops->load_wavefronts);
  case SMB_METRIC_WAVEFRONTS_ST:
    return (double)store->wavefronts;
  case SMB_METRIC_WAVEFRONTS_ATOM:
    return (double)(atomic->wavefronts - loops->load_wavefronts);
  case SMB_METRIC_CYCLES_LD:
    return (double)load->cycles;
  case SMB_METRIC_CYCLES_ST:
    return (double)store->cycles;
  case SMB_METRIC_CYCLES_ATOM:
    return (double)atomic->cycles;
  case SMB_METRIC_INSTRUCTIONS_LD:
    return (double)(load->requests + loops->loads);
  case SMB_METRIC_INSTRUCTIONS_ST:
    return (double)store->requests;
  case SMB_METRIC_INSTRUCTIONS_ATOM:
    return (double)(atomic->requests - loops->requests + loops->swaps);
  case SMB_METRIC_SECTORS_LD:
    return predict_sectors(analysis, SMB_OP_CLASS_LOAD);
  case SMB_METRIC_SECTORS_ST:
    return predict_sectors(analysis, SMB_OP_CLASS_STORE);
  case SMB_METRIC_WAYS_LD:
    return predict_ways(load);
  case SMB_METRIC_WAYS_ST:
    return predict_ways(store);
  case SMB_METRIC_VALUES:
  case SMB_METRIC_TIME_US:
  case SMB_METRIC_TIME_COLD_US:
  case SMB_N_METRICS:
    return SMB_NO_PREDICTION;
  }
  g_assert_not_reached();
}

double
smb_metric_predict_as(SmbMetric metric, const char *counter, const SmbAnalysis *analysis) {
  double predicted = smb_metric_predict(metric, analysis);
  for (guint c = 0; counter && g_str_has_prefix(counter, "l1tex__") && c < SMB_N_OP_CLASSES; c++) {
    const SmbTally *total = &analysis->totals[c];
    if (metric == smb_metric_of(SMB_METRIC_WAVEFRONTS_LD, (SmbOpClass)c))
      return predicted + (double)total->pipe_wavefronts - (double)total->wavefronts;
  }
  return predicted;
}

gboolean
smb_metric_is_counted(SmbMetric metric) {
  return metric != SMB_METRIC_VALUES && metric != SMB_METRIC_TIME_US &&
         metric != SMB_METRIC_TIME_COLD_US;
}

double
smb_metric_bandwidth(const SmbAnalysis *analysis, double microseconds) {
  const double bytes_per_us_in_gb_per_s = 1000;
  return (double)smb_analysis_global_bytes(analysis) / microseconds / bytes_per_us_in_gb_per_s;
}

// The class of accesses to shared memory that a metric counts; %SMB_N_OP_CLASSES: it counts none.
static guint
find_class(SmbMetric metric) {
  static const SmbMetric of_loads[] = {SMB_METRIC_WAVEFRONTS_LD, SMB_METRIC_CYCLES_LD,
                                       SMB_METRIC_INSTRUCTIONS_LD};
  for (guint i = 0; i < G_N_ELEMENTS(of_loads); i++) {
    for (guint c = 0; c < SMB_N_OP_CLASSES; c++) {
      if (metric == smb_metric_of(of_loads[i], (SmbOpClass)c))
        return c;
    }
  }
  return SMB_N_OP_CLASSES;
}

// Half of what a range needs: the prediction, with the numbers of @bound in the place of the totals.
static double
predict_bound(SmbMetric metric, const SmbAnalysis *analysis, guint op_class,
              const SmbTally *bound) {
  const SmbTally *total = &analysis->totals[op_class];
  gboolean counts_requests = metric == smb_metric_of(SMB_METRIC_INSTRUCTIONS_LD, op_class);
  return smb_metric_predict(metric, analysis) +
         (counts_requests ? (double)bound->requests - (double)total->requests
                          : (double)bound->wavefronts - (double)total->wavefronts);
}

gboolean
smb_metric_range(SmbMetric metric, const SmbAnalysis *analysis, double *least, double *most) {
  guint op_class = find_class(metric);
  *least = *most = smb_metric_predict(metric, analysis);
  if (op_class == SMB_N_OP_CLASSES ||
      metric == smb_metric_of(SMB_METRIC_CYCLES_LD, (SmbOpClass)op_class))
    return FALSE;
  *least = predict_bound(metric, analysis, op_class, &analysis->least[op_class]);
  *most = predict_bound(metric, analysis, op_class, &analysis->most[op_class]);
  return *least < *most;
}

gboolean
smb_metric_is_partial(SmbMetric metric, const SmbAnalysis *analysis) {
  guint op_class = find_class(metric);
  for (guint i = 0; i < analysis->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(analysis->accesses, SmbAccess, i);
    if (access->uncounted > 0 && access->site->op_class == op_class)
      return TRUE;
  }
  return FALSE;
}

const char *
smb_metric_order(SmbMetric metric, const SmbAnalysis *analysis) {
  guint op_class = find_class(metric);
  for (guint i = 0; i < analysis->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(analysis->accesses, SmbAccess, i);
    if (access->is_by_order && access->site->op_class == op_class)
      return access->reason;
  }
  return metric == SMB_METRIC_SECTORS_LD || metric == SMB_METRIC_SECTORS_ST ? analysis->order
                                                                            : NULL;
}

gboolean
smb_metric_is_bound(SmbMetric metric, const SmbAnalysis *analysis) {
  if (smb_metric_is_partial(metric, analysis))
    return TRUE;
  return analysis->loops.requests > 0 &&
         (metric == SMB_METRIC_WAVEFRONTS_LD || metric == SMB_METRIC_WAVEFRONTS_ATOM ||
          metric == SMB_METRIC_INSTRUCTIONS_LD || metric == SMB_METRIC_INSTRUCTIONS_ATOM ||
          metric == SMB_METRIC_CYCLES_ATOM);
}
