// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The perf host library: where it is, which functions it has, and what its answers mean. A metrics
// evaluator, and so the profiler here, is in it since CUDA 11.6.
#include "config.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>

#include "gpu/error.h"
#include "gpu/nvperf-impl.h"
#include "gpu/symbols.h"

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

gboolean
smb_nvperf_open(NvperfLibrary *library, gpointer cupti, GError **error) {
  NvpwInitializeHost initialize = {.structSize = NVPW_SIZE(NvpwInitializeHost, pPriv)};
  gpointer handle = open_library(cupti);
  if (!handle)
    return smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_NO_PROFILER,
                    "%s not found; it comes with CUPTI", LIBRARY_NAME);
  const char *missing = smb_symbols_find(handle, symbols, G_N_ELEMENTS(symbols), library);
  if (missing)
    return smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_NO_PROFILER,
                    "%s has no %s: that of CUDA 12 has it", LIBRARY_NAME, missing);
  return smb_nvperf_check(library->initialize(&initialize), "start", error);
}

gboolean
smb_nvperf_check(int status, const char *what, GError **error) {
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
