// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Counts of each instruction of a kernel, by CUPTI's SASS metrics: it patches the kernel, so that its instructions
// count what they do. Nothing stays enabled behind a launch. What is counted is chosen once in a process: a second
// choice fails, also after the first was taken back (CUPTI_ERROR_OUT_OF_MEMORY), and of two metrics at once one counts
// nothing (CUDA 13.0, an H100).
#include <string.h>

#include "gpu/cupti/cupti-abi.h"
#include "gpu/cupti/cupti-sass-abi.h"
#include "gpu/cupti/cupti.h"

// It begins as the sessions of the profilers do, so that smb_cupti_check() can be asked.
typedef struct {
  SmbCupti base;
  SmbCuptiFunction properties, set, enable, disable, data_properties, flush;
  gboolean has_chosen;
} Sass;

static const SmbSymbol symbols[] = {
    {"cuptiSassMetricsGetProperties", G_STRUCT_OFFSET(Sass, properties)},
    {"cuptiSassMetricsSetConfig", G_STRUCT_OFFSET(Sass, set)},
    {"cuptiSassMetricsEnable", G_STRUCT_OFFSET(Sass, enable)},
    {"cuptiSassMetricsDisable", G_STRUCT_OFFSET(Sass, disable)},
    {"cuptiSassMetricsGetDataProperties", G_STRUCT_OFFSET(Sass, data_properties)},
    {"cuptiSassMetricsFlushData", G_STRUCT_OFFSET(Sass, flush)},
};

static const SmbCuptiInterface interface = {.name = "SASS metrics",
                                            .toolkit = "CUDA 12.4 or later has them",
                                            .symbols = symbols,
                                            .n_symbols = G_N_ELEMENTS(symbols)};

static gboolean
check_sass_result(const Sass *sass, int result, const char *what, GError **error) {
  return smb_cupti_check((const SmbProfilerSession *)(gconstpointer)sass, result, what, error);
}

static gboolean
find_sass_metric(const Sass *sass, const char *chip, const SmbInstructionMetric *metric,
                 guint64 *id, GError **error) {
  g_autofree char *what = g_strdup_printf("count %s by instruction", metric->names[0]);
  for (guint i = 0; i < G_N_ELEMENTS(metric->names) && metric->names[i]; i++) {
    CuptiSassGetProperties get = CUPTI_PARAMETERS(CuptiSassGetProperties, metric, .pChipName = chip,
                                                  .pMetricName = metric->names[i]);
    g_clear_error(error);
    if (!check_sass_result(sass, sass->properties(&get), what, error))
      continue;
    *id = get.metric.metricId;
    return TRUE;
  }
  return FALSE;
}

// Whether all records are of one function: what CUPTI calls it does not matter then.
static gboolean
are_of_one(const CuptiSassData *records, gsize n) {
  for (gsize i = 1; i < n; i++) {
    if (g_strcmp0(records[i].functionName, records[0].functionName) != 0)
      return FALSE;
  }
  return TRUE;
}

static void
take_records(const CuptiSassData *records, gsize n, gsize n_instances, const char *symbol,
             GArray *counts) {
  gboolean is_one = are_of_one(records, n);
  for (gsize i = 0; i < n; i++) {
    SmbInstructionCount count = {.pc = records[i].pcOffset};
    for (gsize k = 0; k < n_instances; k++)
      count.value += records[i].pInstanceValues[k].value;
    if (is_one || g_strcmp0(records[i].functionName, symbol) == 0)
      g_array_append_val(counts, count);
  }
}

static gboolean
read_records(const Sass *sass, const char *symbol, GArray *counts, GError **error) {
  CuptiSassGetDataProperties get = CUPTI_PARAMETERS(CuptiSassGetDataProperties, numOfInstances);
  if (!check_sass_result(sass, sass->data_properties(&get), "size the counts by instruction",
                         error))
    return FALSE;
  gsize n = get.numOfPatchedInstructionRecords, n_instances = get.numOfInstances;
  g_autofree CuptiSassData *records = g_new0(CuptiSassData, n + 1);
  g_autofree CuptiSassInstanceValue *values = g_new0(CuptiSassInstanceValue, n * n_instances + 1);
  for (gsize i = 0; i < n; i++) {
    records[i].structSize = CUPTI_SIZE(CuptiSassData, pInstanceValues);
    records[i].pInstanceValues = values + i * n_instances;
  }
  CuptiSassFlushData flush =
      CUPTI_PARAMETERS(CuptiSassFlushData, numOfInstances, .numOfPatchedInstructionRecords = n,
                       .numOfInstances = n_instances, .pMetricsData = records);
  if (n > 0 &&
      !check_sass_result(sass, sass->flush(&flush), "read the counts by instruction", error))
    return FALSE;
  take_records(records, n, n_instances, symbol, counts);
  return TRUE;
}

// Enables, launches, reads, and disables whatever came of that.
static gboolean
count_sass_launch(const Sass *sass, const SmbProfilerLaunch *launch, const char *symbol,
                  GArray *counts, GError **error) {
  CuptiSassEnable enable =
      CUPTI_PARAMETERS(CuptiSassEnable, enableLazyPatching, .enableLazyPatching = 1);
  CuptiSassDisable disable = CUPTI_PARAMETERS(CuptiSassDisable, numOfDroppedRecords);
  if (!check_sass_result(sass, sass->enable(&enable), "count by instruction", error))
    return FALSE;
  gboolean counted = launch->run(launch->data, error) && read_records(sass, symbol, counts, error);
  int result = sass->disable(&disable);
  if (!counted || !check_sass_result(sass, result, "end counting by instruction", error))
    return FALSE;
  return smb_cupti_check_dropped(0, disable.numOfDroppedRecords, error);
}

static gboolean
choose_sass_metric(Sass *sass, int device, const SmbInstructionMetric *metric, GError **error) {
  CuptiSassConfig config = {.outputGranularity = CUPTI_SASS_METRICS_OUTPUT_GRANULARITY_GPU};
  const char *chip = smb_cupti_start(&sass->base, device, error);
  if (!chip || !find_sass_metric(sass, chip, metric, &config.metricId, error))
    return FALSE;
  CuptiSassSetConfig set = CUPTI_PARAMETERS(CuptiSassSetConfig, deviceIndex, .numOfMetricConfig = 1,
                                            .pConfigs = &config, .deviceIndex = (guint32)device);
  sass->has_chosen =
      check_sass_result(sass, sass->set(&set), "choose the counters by instruction", error);
  return sass->has_chosen;
}

gboolean
smb_cupti_count_instructions(int device, const SmbInstructionMetric *metric, const char *symbol,
                             const SmbProfilerLaunch *launch, GArray *counts, GError **error) {
  static Sass sass = {.base = {.interface = &interface}};
  return (sass.has_chosen || choose_sass_metric(&sass, device, metric, error)) &&
         count_sass_launch(&sass, launch, symbol, counts, error);
}
