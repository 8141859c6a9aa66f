// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "gpu/nvperf.h"

#include <math.h>

#include "gpu/error.h"
#include "gpu/nvperf-impl.h"

struct _SmbNvperf {
  NvperfLibrary library;
  char *chip;
  const guint8 *availability;
  guint8 *scratch;
  void *evaluator;
  NvpwMetricEvalRequest *metrics;
  guint n_metrics;
  NvpaRawMetricRequest *raw; // the names are the evaluator's
  gsize n_raw;
};

static gboolean
make_evaluator(SmbNvperf *nvperf, GError **error) {
  static const char what[] = "prepare the metrics of this chip";
  const NvperfLibrary *library = &nvperf->library;
  NvpwEvaluatorScratchSize size = {.structSize =
                                       NVPW_SIZE(NvpwEvaluatorScratchSize, scratchBufferSize),
                                   .pChipName = nvperf->chip,
                                   .pCounterAvailabilityImage = nvperf->availability};
  if (!smb_nvperf_check(library->scratch_size(&size), what, error))
    return FALSE;
  nvperf->scratch = g_malloc0(size.scratchBufferSize);
  NvpwEvaluatorInitialize initialize = {.structSize =
                                            NVPW_SIZE(NvpwEvaluatorInitialize, pMetricsEvaluator),
                                        .pScratchBuffer = nvperf->scratch,
                                        .scratchBufferSize = size.scratchBufferSize,
                                        .pChipName = nvperf->chip,
                                        .pCounterAvailabilityImage = nvperf->availability};
  if (!smb_nvperf_check(library->evaluator_initialize(&initialize), what, error))
    return FALSE;
  nvperf->evaluator = initialize.pMetricsEvaluator;
  return TRUE;
}

static gboolean
find_metrics(SmbNvperf *nvperf, const char *const *names, GError **error) {
  for (guint i = 0; i < nvperf->n_metrics; i++) {
    NvpwEvaluatorConvertName convert = {
        .structSize = NVPW_SIZE(NvpwEvaluatorConvertName, metricEvalRequestStructSize),
        .pMetricsEvaluator = nvperf->evaluator,
        .pMetricName = names[i],
        .pMetricEvalRequest = &nvperf->metrics[i],
        .metricEvalRequestStructSize = NVPW_SIZE(NvpwMetricEvalRequest, submetric)};
    if (nvperf->library.convert_name(&convert) != NVPA_STATUS_SUCCESS)
      return smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_COUNTERS,
                      "the chip %s has no metric '%s'", nvperf->chip, names[i]);
  }
  return TRUE;
}

// What the hardware has to count for the metrics.
static gboolean
find_raw_metrics(SmbNvperf *nvperf, GError **error) {
  static const char what[] = "tell what the metrics are made of";
  NvpwEvaluatorGetRawDependencies get = {
      .structSize = NVPW_SIZE(NvpwEvaluatorGetRawDependencies, numOptionalRawDependencies),
      .pMetricsEvaluator = nvperf->evaluator,
      .pMetricEvalRequests = nvperf->metrics,
      .numMetricEvalRequests = nvperf->n_metrics,
      .metricEvalRequestStructSize = NVPW_SIZE(NvpwMetricEvalRequest, submetric),
      .metricEvalRequestStrideSize = sizeof *nvperf->metrics};
  if (!smb_nvperf_check(nvperf->library.raw_dependencies(&get), what, error))
    return FALSE;
  g_autofree const char **names = g_new0(const char *, get.numRawDependencies + 1);
  get.ppRawDependencies = names;
  if (!smb_nvperf_check(nvperf->library.raw_dependencies(&get), what, error))
    return FALSE;
  nvperf->n_raw = get.numRawDependencies;
  nvperf->raw = g_new0(NvpaRawMetricRequest, nvperf->n_raw + 1);
  for (gsize i = 0; i < nvperf->n_raw; i++) {
    nvperf->raw[i] =
        (NvpaRawMetricRequest){.structSize = NVPW_SIZE(NvpaRawMetricRequest, keepInstances),
                               .pMetricName = names[i],
                               .isolated = 1,
                               .keepInstances = 1};
  }
  return TRUE;
}

SmbNvperf *
smb_nvperf_new(gpointer cupti, const char *chip, const guint8 *availability,
               const char *const *metrics, guint n, GError **error) {
  SmbNvperf *nvperf = g_new0(SmbNvperf, 1);
  nvperf->chip = g_strdup(chip);
  nvperf->availability = availability;
  nvperf->n_metrics = n;
  nvperf->metrics = g_new0(NvpwMetricEvalRequest, n + 1);
  if (smb_nvperf_open(&nvperf->library, cupti, error) && make_evaluator(nvperf, error) &&
      find_metrics(nvperf, metrics, error) && find_raw_metrics(nvperf, error))
    return nvperf;
  smb_nvperf_free(nvperf);
  return NULL;
}

void
smb_nvperf_free(SmbNvperf *nvperf) {
  if (!nvperf)
    return;
  if (nvperf->evaluator) {
    NvpwEvaluatorDestroy destroy = {.structSize =
                                        NVPW_SIZE(NvpwEvaluatorDestroy, pMetricsEvaluator),
                                    .pMetricsEvaluator = nvperf->evaluator};
    nvperf->library.evaluator_destroy(&destroy);
  }
  g_free(nvperf->scratch);
  g_free(nvperf->raw);
  g_free(nvperf->metrics);
  g_free(nvperf->chip);
  g_free(nvperf);
}

// Puts the raw metrics into passes.
static gboolean
plan_passes(const SmbNvperf *nvperf, void *config, GError **error) {
  static const char what[] = "plan the counters";
  const NvperfLibrary *library = &nvperf->library;
  NvpwRawConfigSetCounterAvailability available = {
      .structSize = NVPW_SIZE(NvpwRawConfigSetCounterAvailability, pCounterAvailabilityImage),
      .pRawMetricsConfig = config,
      .pCounterAvailabilityImage = nvperf->availability};
  NvpwRawConfigBeginPassGroup begin = {.structSize =
                                           NVPW_SIZE(NvpwRawConfigBeginPassGroup, maxPassCount),
                                       .pRawMetricsConfig = config};
  NvpwRawConfigAddMetrics add = {.structSize =
                                     NVPW_SIZE(NvpwRawConfigAddMetrics, numMetricRequests),
                                 .pRawMetricsConfig = config,
                                 .pRawMetricRequests = nvperf->raw,
                                 .numMetricRequests = nvperf->n_raw};
  NvpwRawConfigDestroy end = {.structSize = NVPW_SIZE(NvpwRawConfigDestroy, pRawMetricsConfig),
                              .pRawMetricsConfig = config};
  NvpwRawConfigGenerateImage generate = {
      .structSize = NVPW_SIZE(NvpwRawConfigGenerateImage, mergeAllPassGroups),
      .pRawMetricsConfig = config};
  return (!nvperf->availability ||
          smb_nvperf_check(library->config_set_availability(&available), what, error)) &&
         smb_nvperf_check(library->config_begin_group(&begin), what, error) &&
         smb_nvperf_check(library->config_add(&add), what, error) &&
         smb_nvperf_check(library->config_end_group(&end), what, error) &&
         smb_nvperf_check(library->config_generate(&generate), what, error);
}

static GBytes *
take_config(const SmbNvperf *nvperf, void *config, GError **error) {
  static const char what[] = "write the plan of the counters";
  NvpwRawConfigGetImage get = {.structSize = NVPW_SIZE(NvpwRawConfigGetImage, bytesCopied),
                               .pRawMetricsConfig = config};
  if (!smb_nvperf_check(nvperf->library.config_image(&get), what, error))
    return NULL;
  gsize size = get.bytesCopied;
  g_autofree guint8 *image = g_malloc0(size); // aligned to 8 bytes, as CUPTI wants it
  get.bytesAllocated = size;
  get.pBuffer = image;
  if (!smb_nvperf_check(nvperf->library.config_image(&get), what, error))
    return NULL;
  return g_bytes_new_take(g_steal_pointer(&image), size);
}

GBytes *
smb_nvperf_config(const SmbNvperf *nvperf, GError **error) {
  NvpwRawConfigCreate create = {.structSize = NVPW_SIZE(NvpwRawConfigCreate, pRawMetricsConfig),
                                .activityKind = NVPA_ACTIVITY_KIND_PROFILER,
                                .pChipName = nvperf->chip,
                                .pCounterAvailabilityImage = nvperf->availability};
  GBytes *image = NULL;
  if (!smb_nvperf_check(nvperf->library.config_create(&create), "plan the counters", error))
    return NULL;
  if (plan_passes(nvperf, create.pRawMetricsConfig, error))
    image = take_config(nvperf, create.pRawMetricsConfig, error);
  NvpwRawConfigDestroy destroy = {.structSize = NVPW_SIZE(NvpwRawConfigDestroy, pRawMetricsConfig),
                                  .pRawMetricsConfig = create.pRawMetricsConfig};
  nvperf->library.config_destroy(&destroy);
  return image;
}

static GBytes *
take_prefix(const SmbNvperf *nvperf, void *builder, GError **error) {
  static const char what[] = "lay out the counter data";
  NvpwBuilderAddMetrics add = {.structSize = NVPW_SIZE(NvpwBuilderAddMetrics, numMetricRequests),
                               .pCounterDataBuilder = builder,
                               .pRawMetricRequests = nvperf->raw,
                               .numMetricRequests = nvperf->n_raw};
  NvpwBuilderGetPrefix get = {.structSize = NVPW_SIZE(NvpwBuilderGetPrefix, bytesCopied),
                              .pCounterDataBuilder = builder};
  if (!smb_nvperf_check(nvperf->library.builder_add(&add), what, error) ||
      !smb_nvperf_check(nvperf->library.builder_prefix(&get), what, error))
    return NULL;
  gsize size = get.bytesCopied;
  g_autofree guint8 *prefix = g_malloc0(size); // aligned to 8 bytes, as CUPTI wants it
  get.bytesAllocated = size;
  get.pBuffer = prefix;
  if (!smb_nvperf_check(nvperf->library.builder_prefix(&get), what, error))
    return NULL;
  return g_bytes_new_take(g_steal_pointer(&prefix), size);
}

GBytes *
smb_nvperf_prefix(const SmbNvperf *nvperf, GError **error) {
  NvpwBuilderCreate create = {.structSize = NVPW_SIZE(NvpwBuilderCreate, pCounterDataBuilder),
                              .pChipName = nvperf->chip,
                              .pCounterAvailabilityImage = nvperf->availability};
  if (!smb_nvperf_check(nvperf->library.builder_create(&create), "lay out the counter data", error))
    return NULL;
  GBytes *prefix = take_prefix(nvperf, create.pCounterDataBuilder, error);
  NvpwBuilderDestroy destroy = {.structSize = NVPW_SIZE(NvpwBuilderDestroy, pCounterDataBuilder),
                                .pCounterDataBuilder = create.pCounterDataBuilder};
  nvperf->library.builder_destroy(&destroy);
  return prefix;
}

gboolean
smb_nvperf_evaluate(const SmbNvperf *nvperf, const guint8 *data, gsize size, guint range,
                    double *values, GError **error) {
  static const char what[] = "evaluate the counters";
  NvpwEvaluatorSetDeviceAttributes attributes = {
      .structSize = NVPW_SIZE(NvpwEvaluatorSetDeviceAttributes, counterDataImageSize),
      .pMetricsEvaluator = nvperf->evaluator,
      .pCounterDataImage = data,
      .counterDataImageSize = size};
  NvpwEvaluatorEvaluateToGpuValues evaluate = {
      .structSize = NVPW_SIZE(NvpwEvaluatorEvaluateToGpuValues, pMetricValues),
      .pMetricsEvaluator = nvperf->evaluator,
      .pMetricEvalRequests = nvperf->metrics,
      .numMetricEvalRequests = nvperf->n_metrics,
      .metricEvalRequestStructSize = NVPW_SIZE(NvpwMetricEvalRequest, submetric),
      .metricEvalRequestStrideSize = sizeof *nvperf->metrics,
      .pCounterDataImage = data,
      .counterDataImageSize = size,
      .rangeIndex = range,
      .isolated = 1,
      .pMetricValues = values};
  if (!smb_nvperf_check(nvperf->library.set_device_attributes(&attributes), what, error) ||
      !smb_nvperf_check(nvperf->library.evaluate(&evaluate), what, error))
    return FALSE;
  for (guint i = 0; i < nvperf->n_metrics; i++) {
    if (!isfinite(values[i]))
      return smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_COUNTERS, "range %u was not counted",
                      range);
  }
  return TRUE;
}
