// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/records/metric.h"

#include <string.h>

// Bytes of a sector, the unit of the metrics sectors_* (Nsight Compute, Metrics Decoder: "sector").
enum {
  SECTOR_BYTES = 32
};

static const char *const names[SMB_N_METRICS] = {
#define SMB_METRIC(id, name, meaning) name,
#include "sim/records/metric.def"
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
  if (analysis->segment_bytes != SECTOR_BYTES)
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

gboolean
smb_metric_is_bound(SmbMetric metric, const SmbAnalysis *analysis) {
  return analysis->loops.requests > 0 &&
         (metric == SMB_METRIC_WAVEFRONTS_LD || metric == SMB_METRIC_WAVEFRONTS_ATOM ||
          metric == SMB_METRIC_INSTRUCTIONS_LD || metric == SMB_METRIC_INSTRUCTIONS_ATOM ||
          metric == SMB_METRIC_CYCLES_ATOM);
}
