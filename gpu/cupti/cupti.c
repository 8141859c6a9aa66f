// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What CUPTI's profilers share: opening the library, errors in words, the state of a session.
#include "gpu/cupti/cupti.h"
#include "sim/base/error.h"

#include "gpu/cuda.h"
#include "gpu/cupti/cupti-abi.h"
#include "gpu/error.h"

static SmbCupti *
base_of(SmbProfilerSession *session) {
  return (SmbCupti *)(gpointer)session;
}

static gboolean
find_cupti_functions(SmbCupti *cupti, GError **error) {
  static const SmbSymbol symbols[] = {
      {"cuptiProfilerInitialize", G_STRUCT_OFFSET(SmbCupti, initialize)},
      {"cuptiDeviceGetChipName", G_STRUCT_OFFSET(SmbCupti, chip_name)},
      {"cuptiProfilerGetCounterAvailability", G_STRUCT_OFFSET(SmbCupti, counter_availability)},
      {"cuptiGetResultString", G_STRUCT_OFFSET(SmbCupti, result_text)},
  };
  const SmbCuptiInterface *interface = cupti->interface;
  g_autofree char *reason = NULL;
  cupti->handle = smb_cuda_open_library(SMB_CUDA_CUPTI, &reason);
  if (!cupti->handle)
    return smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_NO_PROFILER, "%s", reason);
  const char *missing = smb_symbols_find(cupti->handle, symbols, G_N_ELEMENTS(symbols), cupti);
  if (!missing)
    missing = smb_symbols_find(cupti->handle, interface->symbols, interface->n_symbols, cupti);
  if (missing)
    smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_NO_PROFILER, "CUPTI has no %s (%s is missing): %s",
             interface->name, missing, interface->toolkit);
  return !missing;
}

// The name of a device's chip, such as "GH100" (transfer none).
static const char *
find_chip_name(SmbProfilerSession *session, int device, GError **error) {
  CuptiGetChipName chip =
      CUPTI_PARAMETERS(CuptiGetChipName, pChipName, .deviceIndex = (gsize)device);
  int result = base_of(session)->chip_name(&chip);
  return smb_cupti_check(session, result, "name the chip", error) ? chip.pChipName : NULL;
}

static gboolean
find_availability(SmbProfilerSession *session, GError **error) {
  static const char what[] = "list the available counters";
  SmbCupti *cupti = base_of(session);
  CuptiGetCounterAvailability get =
      CUPTI_PARAMETERS(CuptiGetCounterAvailability, pCounterAvailabilityImage);
  if (!smb_cupti_check(session, cupti->counter_availability(&get), what, error))
    return FALSE;
  cupti->availability = g_malloc(MAX(get.counterAvailabilityImageSize, 1));
  get.pCounterAvailabilityImage = cupti->availability;
  return smb_cupti_check(session, cupti->counter_availability(&get), what, error);
}

const char *
smb_cupti_start(SmbCupti *cupti, int device, GError **error) {
  SmbProfilerSession *session = (SmbProfilerSession *)(gpointer)cupti;
  CuptiInitialize initialize = CUPTI_PARAMETERS(CuptiInitialize, pPriv);
  if (!find_cupti_functions(cupti, error) ||
      !smb_cupti_check(session, cupti->initialize(&initialize), "start", error))
    return NULL;
  return find_chip_name(session, device, error);
}

static gboolean
start_session(SmbProfilerSession *session, int device, const char *const *metrics, guint n_metrics,
              GError **error) {
  SmbCupti *cupti = base_of(session);
  const char *chip = smb_cupti_start(cupti, device, error);
  return chip && find_availability(session, error) &&
         cupti->interface->plan(session, chip, metrics, n_metrics, error) &&
         cupti->interface->prepare(session, error);
}

SmbProfilerSession *
smb_cupti_open(const SmbCuptiInterface *interface, int device, const char *const *metrics,
               guint n_metrics, guint max_ranges, GError **error) {
  SmbProfilerSession *session = g_malloc0(interface->session_size);
  SmbCupti *cupti = base_of(session);
  cupti->interface = interface;
  cupti->max_ranges = max_ranges;
  if (start_session(session, device, metrics, n_metrics, error))
    return session;
  smb_cupti_close(session);
  return NULL;
}

void
smb_cupti_close(SmbProfilerSession *session) {
  if (!session)
    return;
  SmbCupti *cupti = base_of(session);
  cupti->interface->end(session);
  g_clear_pointer(&cupti->config, g_bytes_unref);
  g_free(cupti->availability);
  g_free(cupti->data);
  g_free(session);
}

gboolean
smb_cupti_check(const SmbProfilerSession *session, int result, const char *what, GError **error) {
  const SmbCupti *cupti = (const SmbCupti *)(gconstpointer)session;
  const char *text = NULL;
  switch (result) {
  case CUPTI_SUCCESS:
    return TRUE;
  case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
  case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
    return smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_COUNTERS,
                    "this user may not read hardware counters (the driver's "
                    "NVreg_RestrictProfilingToAdminUsers, ERR_NVGPUCTRPERM)");
  default:
    cupti->result_text(result, &text);
    return smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_COUNTERS, "CUPTI could not %s: %s", what,
                    text ? text : "no reason given");
  }
}

gboolean
smb_cupti_check_dropped(gsize ranges, gsize bytes, GError **error) {
  if (ranges == 0 && bytes == 0)
    return TRUE;
  return smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_COUNTERS,
                  "CUPTI dropped %zu range%s and %zu byte%s of what it collected", ranges,
                  ranges == 1 ? "" : "s", bytes, bytes == 1 ? "" : "s");
}
