// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "gpu/cupti.h"

#include "gpu/cuda.h"
#include "gpu/cupti-abi.h"
#include "gpu/error.h"

static gboolean
find_functions(SmbCupti *cupti, const SmbCuptiInterface *interface, gpointer functions,
               GError **error) {
  static const SmbSymbol symbols[] = {
      {"cuptiProfilerInitialize", G_STRUCT_OFFSET(SmbCupti, initialize)},
      {"cuptiDeviceGetChipName", G_STRUCT_OFFSET(SmbCupti, chip_name)},
      {"cuptiProfilerGetCounterAvailability", G_STRUCT_OFFSET(SmbCupti, counter_availability)},
      {"cuptiGetResultString", G_STRUCT_OFFSET(SmbCupti, result_text)},
  };
  g_autofree char *reason = NULL;
  cupti->handle = smb_cuda_open_library(SMB_CUDA_CUPTI, &reason);
  if (!cupti->handle) {
    g_set_error_literal(error, SMB_GPU_ERROR, SMB_GPU_ERROR_NO_PROFILER, reason);
    return FALSE;
  }
  const char *missing = smb_symbols_find(cupti->handle, symbols, G_N_ELEMENTS(symbols), cupti);
  if (!missing)
    missing = smb_symbols_find(cupti->handle, interface->symbols, interface->n_symbols, functions);
  if (missing)
    g_set_error(error, SMB_GPU_ERROR, SMB_GPU_ERROR_NO_PROFILER,
                "CUPTI has no %s (%s is missing): %s", interface->name, missing,
                interface->toolkit);
  return !missing;
}

gboolean
smb_cupti_start(SmbCupti *cupti, const SmbCuptiInterface *interface, gpointer functions,
                GError **error) {
  CuptiInitialize initialize = {.structSize = CUPTI_SIZE(CuptiInitialize, pPriv)};
  return find_functions(cupti, interface, functions, error) &&
         smb_cupti_check(cupti, cupti->initialize(&initialize), "start", error);
}

gboolean
smb_cupti_check(const SmbCupti *cupti, int result, const char *what, GError **error) {
  const char *text = NULL;
  switch (result) {
  case CUPTI_SUCCESS:
    return TRUE;
  case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
  case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
    g_set_error(error, SMB_GPU_ERROR, SMB_GPU_ERROR_COUNTERS,
                "this user may not read hardware counters (the driver's "
                "NVreg_RestrictProfilingToAdminUsers, ERR_NVGPUCTRPERM)");
    return FALSE;
  default:
    cupti->result_text(result, &text);
    g_set_error(error, SMB_GPU_ERROR, SMB_GPU_ERROR_COUNTERS, "CUPTI could not %s: %s", what,
                text ? text : "it does not say why");
    return FALSE;
  }
}

const char *
smb_cupti_chip_name(const SmbCupti *cupti, int device, GError **error) {
  CuptiGetChipName chip = {.structSize = CUPTI_SIZE(CuptiGetChipName, pChipName),
                           .deviceIndex = (gsize)device};
  if (!smb_cupti_check(cupti, cupti->chip_name(&chip), "name the chip", error))
    return NULL;
  return chip.pChipName;
}

guint8 *
smb_cupti_availability(const SmbCupti *cupti, GError **error) {
  static const char what[] = "tell which counters there are";
  CuptiGetCounterAvailability get = {
      .structSize = CUPTI_SIZE(CuptiGetCounterAvailability, pCounterAvailabilityImage)};
  if (!smb_cupti_check(cupti, cupti->counter_availability(&get), what, error))
    return NULL;
  g_autofree guint8 *image = g_malloc(MAX(get.counterAvailabilityImageSize, 1));
  get.pCounterAvailabilityImage = image;
  if (!smb_cupti_check(cupti, cupti->counter_availability(&get), what, error))
    return NULL;
  return g_steal_pointer(&image);
}
