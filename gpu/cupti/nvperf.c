// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// NVIDIA's perf host library: from names of metrics to the raw counters they need, and from counters to values.
#include "config.h"

#include "gpu/cupti/nvperf.h"

#include <dlfcn.h>
#include <link.h>
#include <math.h>
#include <stdlib.h>

#include "gpu/cupti/nvperf-abi.h"
#include "gpu/error.h"
#include "gpu/symbols.h"

// A function of the library: takes a pointer to its parameters and returns an NVPA_Status.
typedef int (*NvperfFunction)(void *parameters);

typedef struct {
  NvperfFunction initialize;
  NvperfFunction scratch_size, evaluator_initialize, evaluator_destroy;
  NvperfFunction convert_name, raw_dependencies, set_device_attributes, evaluate;
  NvperfFunction config_create, config_destroy, config_set_availability;
  NvperfFunction config_begin_group, config_add, config_end_group, config_generate, config_image;
  NvperfFunction builder_create, builder_destroy, builder_add, builder_prefix;
} NvperfLibrary;

#define LIBRARY_NAME "libnvperf_host.so"

#define SYMBOL(name, member)                                                                       \
  { "NVPW_" name, G_STRUCT_OFFSET(NvperfLibrary, member) }

static const SmbSymbol symbols[] = {
    SYMBOL("InitializeHost", initialize),
    SYMBOL("CUDA_MetricsEvaluator_CalculateScratchBufferSize", scratch_size),
    SYMBOL("CUDA_MetricsEvaluator_Initialize", evaluator_initialize),
    SYMBOL("MetricsEvaluator_Destroy", evaluator_destroy),
    SYMBOL("MetricsEvaluator_ConvertMetricNameToMetricEvalRequest", convert_name),
    SYMBOL("MetricsEvaluator_GetMetricRawDependencies", raw_dependencies),
    SYMBOL("MetricsEvaluator_SetDeviceAttributes", set_device_attributes),
    SYMBOL("MetricsEvaluator_EvaluateToGpuValues", evaluate),
    SYMBOL("CUDA_RawMetricsConfig_Create_V2", config_create),
    SYMBOL("RawMetricsConfig_Destroy", config_destroy),
    SYMBOL("RawMetricsConfig_SetCounterAvailability", config_set_availability),
    SYMBOL("RawMetricsConfig_BeginPassGroup", config_begin_group),
    SYMBOL("RawMetricsConfig_AddMetrics", config_add),
    SYMBOL("RawMetricsConfig_EndPassGroup", config_end_group),
    SYMBOL("RawMetricsConfig_GenerateConfigImage", config_generate),
    SYMBOL("RawMetricsConfig_GetConfigImage", config_image),
    SYMBOL("CUDA_CounterDataBuilder_Create", builder_create),
    SYMBOL("CounterDataBuilder_Destroy", builder_destroy),
    SYMBOL("CounterDataBuilder_AddMetrics", builder_add),
    SYMBOL("CounterDataBuilder_GetCounterDataPrefix", builder_prefix),
};

// Opens the library in the folder of a file, or NULL.
static gpointer
open_beside(const char *file) {
  g_autofree char *folder = g_path_get_dirname(file);
  g_autofree char *path = g_build_filename(folder, LIBRARY_NAME, NULL);
  return g_path_is_absolute(path) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
}

// The two libraries must be of one toolkit, and a machine can have several: so the name alone comes last. What
// CUPTI was opened as may be a link to where both lie.
static gpointer
open_library(gpointer cupti) {
  struct link_map *map = NULL;
  gpointer handle = NULL;
  if (cupti && dlinfo(cupti, RTLD_DI_LINKMAP, &map) == 0 && map && map->l_name[0]) {
    char *target = realpath(map->l_name, NULL);
    handle = open_beside(map->l_name);
    if (!handle && target)
      handle = open_beside(target);
    free(target);
  }
  return handle ? handle : dlopen(LIBRARY_NAME, RTLD_NOW | RTLD_LOCAL);
}

// Turns a status into an error that says what was tried. Returns: whether it is a success.
static gboolean
check_nvperf_status(int status, const char *what, GError **error) {
  // By NVPA_Status (nvperf_common.h); some are not in use.
  static const char *const reasons[] = {
      [2] = "an internal error",
      [3] = "it was not started",
      [4] = "it was not loaded",
      [5] = "this version lacks a function",
      [6] = "it does not support that",
      [7] = "this version cannot do that",
      [8] = "an argument is invalid",
      [10] = "no driver is loaded",
      [11] = "out of memory",
      [14] = "it does not know this GPU",
      [15] = "the driver is too old",
      [17] = "this user may not read hardware counters (ERR_NVGPUCTRPERM)",
      [20] = "something else uses the counters",
      [22] = "too little space",
      [24] = "the device is virtual",
      [25] = "profiling is not allowed",
  };
  if (status == NVPA_STATUS_SUCCESS)
    return TRUE;
  const char *reason = status > 0 && status < (int)G_N_ELEMENTS(reasons) ? reasons[status] : NULL;
  return smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_COUNTERS, "%s could not %s: %s (status %d)",
                  LIBRARY_NAME, what, reason ? reason : "no reason given", status);
}

// Opens the library next to @cupti (nullable), or by its name, and starts it.
static gboolean
open_nvperf(NvperfLibrary *library, gpointer cupti, GError **error) {
  NvpwInitializeHost initialize = CUPTI_PARAMETERS(NvpwInitializeHost, pPriv);
  gpointer handle = open_library(cupti);
  if (!handle)
    return smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_NO_PROFILER,
                    "%s not found; it comes with CUPTI", LIBRARY_NAME);
  const char *missing = smb_symbols_find(handle, symbols, G_N_ELEMENTS(symbols), library);
  if (missing)
    return smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_NO_PROFILER,
                    "%s has no %s: the one of CUDA 12 does", LIBRARY_NAME, missing);
  return check_nvperf_status(library->initialize(&initialize), "start", error);
}

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
  NvpwEvaluatorScratchSize size =
      CUPTI_PARAMETERS(NvpwEvaluatorScratchSize, scratchBufferSize, .pChipName = nvperf->chip,
                       .pCounterAvailabilityImage = nvperf->availability);
  if (!check_nvperf_status(library->scratch_size(&size), what, error))
    return FALSE;
  nvperf->scratch = g_malloc0(size.scratchBufferSize);
  NvpwEvaluatorInitialize initialize = CUPTI_PARAMETERS(
      NvpwEvaluatorInitialize, pMetricsEvaluator, .pScratchBuffer = nvperf->scratch,
      .scratchBufferSize = size.scratchBufferSize, .pChipName = nvperf->chip,
      .pCounterAvailabilityImage = nvperf->availability);
  if (!check_nvperf_status(library->evaluator_initialize(&initialize), what, error))
    return FALSE;
  nvperf->evaluator = initialize.pMetricsEvaluator;
  return TRUE;
}

static gboolean
find_metrics(SmbNvperf *nvperf, const char *const *names, GError **error) {
  for (guint i = 0; i < nvperf->n_metrics; i++) {
    NvpwEvaluatorConvertName convert = CUPTI_PARAMETERS(
        NvpwEvaluatorConvertName, metricEvalRequestStructSize,
        .pMetricsEvaluator = nvperf->evaluator, .pMetricName = names[i],
        .pMetricEvalRequest = &nvperf->metrics[i],
        .metricEvalRequestStructSize = CUPTI_SIZE(NvpwMetricEvalRequest, submetric));
    if (nvperf->library.convert_name(&convert) != NVPA_STATUS_SUCCESS)
      return smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_COUNTERS,
                      "the chip %s has no metric '%s'", nvperf->chip, names[i]);
  }
  return TRUE;
}

// What the hardware has to count for the metrics.
static gboolean
find_raw_metrics(SmbNvperf *nvperf, GError **error) {
  static const char what[] = "list the raw counters of the metrics";
  NvpwEvaluatorGetRawDependencies get = CUPTI_PARAMETERS(
      NvpwEvaluatorGetRawDependencies, numOptionalRawDependencies,
      .pMetricsEvaluator = nvperf->evaluator, .pMetricEvalRequests = nvperf->metrics,
      .numMetricEvalRequests = nvperf->n_metrics,
      .metricEvalRequestStructSize = CUPTI_SIZE(NvpwMetricEvalRequest, submetric),
      .metricEvalRequestStrideSize = sizeof *nvperf->metrics);
  if (!check_nvperf_status(nvperf->library.raw_dependencies(&get), what, error))
    return FALSE;
  g_autofree const char **names = g_new0(const char *, get.numRawDependencies + 1);
  get.ppRawDependencies = names;
  if (!check_nvperf_status(nvperf->library.raw_dependencies(&get), what, error))
    return FALSE;
  nvperf->n_raw = get.numRawDependencies;
  nvperf->raw = g_new0(NvpaRawMetricRequest, nvperf->n_raw + 1);
  for (gsize i = 0; i < nvperf->n_raw; i++) {
    nvperf->raw[i] = CUPTI_PARAMETERS(NvpaRawMetricRequest, keepInstances, .pMetricName = names[i],
                                      .isolated = 1, .keepInstances = 1);
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
  if (open_nvperf(&nvperf->library, cupti, error) && make_evaluator(nvperf, error) &&
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
    nvperf->library.evaluator_destroy(&CUPTI_PARAMETERS(NvpwEvaluatorDestroy, pMetricsEvaluator,
                                                        .pMetricsEvaluator = nvperf->evaluator));
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
  NvpwRawConfigSetCounterAvailability available = CUPTI_PARAMETERS(
      NvpwRawConfigSetCounterAvailability, pCounterAvailabilityImage, .pRawMetricsConfig = config,
      .pCounterAvailabilityImage = nvperf->availability);
  NvpwRawConfigBeginPassGroup begin =
      CUPTI_PARAMETERS(NvpwRawConfigBeginPassGroup, maxPassCount, .pRawMetricsConfig = config);
  NvpwRawConfigAddMetrics add =
      CUPTI_PARAMETERS(NvpwRawConfigAddMetrics, numMetricRequests, .pRawMetricsConfig = config,
                       .pRawMetricRequests = nvperf->raw, .numMetricRequests = nvperf->n_raw);
  NvpwRawConfigDestroy end =
      CUPTI_PARAMETERS(NvpwRawConfigDestroy, pRawMetricsConfig, .pRawMetricsConfig = config);
  NvpwRawConfigGenerateImage generate =
      CUPTI_PARAMETERS(NvpwRawConfigGenerateImage, mergeAllPassGroups, .pRawMetricsConfig = config);
  return (!nvperf->availability ||
          check_nvperf_status(library->config_set_availability(&available), what, error)) &&
         check_nvperf_status(library->config_begin_group(&begin), what, error) &&
         check_nvperf_status(library->config_add(&add), what, error) &&
         check_nvperf_status(library->config_end_group(&end), what, error) &&
         check_nvperf_status(library->config_generate(&generate), what, error);
}

// What a function writes, once it has said how much that is, by members of its parameters.
static GBytes *
take_nvperf_bytes(NvperfFunction function, void *parameters, const size_t *copied,
                  size_t *allocated, uint8_t **buffer, const char *what, GError **error) {
  if (!check_nvperf_status(function(parameters), what, error))
    return NULL;
  gsize size = *copied;
  g_autofree guint8 *bytes = g_malloc0(size); // aligned to 8 bytes, as CUPTI wants it
  *allocated = size;
  *buffer = bytes;
  if (!check_nvperf_status(function(parameters), what, error))
    return NULL;
  return g_bytes_new_take(g_steal_pointer(&bytes), size);
}

GBytes *
smb_nvperf_config(const SmbNvperf *nvperf, GError **error) {
  NvpwRawConfigCreate create = CUPTI_PARAMETERS(
      NvpwRawConfigCreate, pRawMetricsConfig, .activityKind = NVPA_ACTIVITY_KIND_PROFILER,
      .pChipName = nvperf->chip, .pCounterAvailabilityImage = nvperf->availability);
  GBytes *image = NULL;
  if (!check_nvperf_status(nvperf->library.config_create(&create), "plan the counters", error))
    return NULL;
  NvpwRawConfigGetImage get = CUPTI_PARAMETERS(NvpwRawConfigGetImage, bytesCopied,
                                               .pRawMetricsConfig = create.pRawMetricsConfig);
  if (plan_passes(nvperf, create.pRawMetricsConfig, error))
    image =
        take_nvperf_bytes(nvperf->library.config_image, &get, &get.bytesCopied, &get.bytesAllocated,
                          &get.pBuffer, "write the plan of the counters", error);
  nvperf->library.config_destroy(&CUPTI_PARAMETERS(NvpwRawConfigDestroy, pRawMetricsConfig,
                                                   .pRawMetricsConfig = create.pRawMetricsConfig));
  return image;
}

GBytes *
smb_nvperf_prefix(const SmbNvperf *nvperf, GError **error) {
  static const char what[] = "lay out the counter data";
  const NvperfLibrary *library = &nvperf->library;
  NvpwBuilderCreate create =
      CUPTI_PARAMETERS(NvpwBuilderCreate, pCounterDataBuilder, .pChipName = nvperf->chip,
                       .pCounterAvailabilityImage = nvperf->availability);
  if (!check_nvperf_status(library->builder_create(&create), what, error))
    return NULL;
  void *builder = create.pCounterDataBuilder;
  GBytes *prefix = NULL;
  NvpwBuilderAddMetrics add =
      CUPTI_PARAMETERS(NvpwBuilderAddMetrics, numMetricRequests, .pCounterDataBuilder = builder,
                       .pRawMetricRequests = nvperf->raw, .numMetricRequests = nvperf->n_raw);
  NvpwBuilderGetPrefix get =
      CUPTI_PARAMETERS(NvpwBuilderGetPrefix, bytesCopied, .pCounterDataBuilder = builder);
  if (check_nvperf_status(library->builder_add(&add), what, error))
    prefix = take_nvperf_bytes(library->builder_prefix, &get, &get.bytesCopied, &get.bytesAllocated,
                               &get.pBuffer, what, error);
  library->builder_destroy(
      &CUPTI_PARAMETERS(NvpwBuilderDestroy, pCounterDataBuilder, .pCounterDataBuilder = builder));
  return prefix;
}

gboolean
smb_nvperf_evaluate(const SmbNvperf *nvperf, const guint8 *data, gsize size, guint range,
                    double *values, GError **error) {
  static const char what[] = "evaluate the counters";
  NvpwEvaluatorSetDeviceAttributes attributes =
      CUPTI_PARAMETERS(NvpwEvaluatorSetDeviceAttributes, counterDataImageSize,
                       .pMetricsEvaluator = nvperf->evaluator, .pCounterDataImage = data,
                       .counterDataImageSize = size);
  NvpwEvaluatorEvaluateToGpuValues evaluate = {
      .structSize = CUPTI_SIZE(NvpwEvaluatorEvaluateToGpuValues, pMetricValues),
      .pMetricsEvaluator = nvperf->evaluator,
      .pMetricEvalRequests = nvperf->metrics,
      .numMetricEvalRequests = nvperf->n_metrics,
      .metricEvalRequestStructSize = CUPTI_SIZE(NvpwMetricEvalRequest, submetric),
      .metricEvalRequestStrideSize = sizeof *nvperf->metrics,
      .pCounterDataImage = data,
      .counterDataImageSize = size,
      .rangeIndex = range,
      .isolated = 1,
      .pMetricValues = values};
  if (!check_nvperf_status(nvperf->library.set_device_attributes(&attributes), what, error) ||
      !check_nvperf_status(nvperf->library.evaluate(&evaluate), what, error))
    return FALSE;
  for (guint i = 0; i < nvperf->n_metrics; i++) {
    if (!isfinite(values[i]))
      return smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_COUNTERS, "range %u was not counted",
                      range);
  }
  return TRUE;
}
