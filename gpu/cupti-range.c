// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Counters through CUPTI's Range Profiler, with ranges and passes of the caller's. Nothing of it stays
// behind when a session is closed.
#include "gpu/cupti.h"
#include "gpu/cupti-abi.h"
#include "gpu/error.h"
#include "gpu/profiler.h"

typedef struct {
  SmbCupti base;
  SmbCuptiFunction host_initialize, host_deinitialize, add_metrics, config_size, config, evaluate;
  SmbCuptiFunction enable, disable, set_config, start, stop, push, pop, decode;
  SmbCuptiFunction data_size, data_initialize;
} Cupti;

struct _SmbProfilerSession {
  Cupti cupti;
  char **metrics;
  guint n_metrics;
  guint max_ranges;
  void *host;
  void *profiler;
  guint8 *availability;
  guint8 *config;
  gsize config_size;
  guint8 *data;
  gsize data_size;
};

static const SmbSymbol symbols[] = {
    {"cuptiProfilerHostInitialize", G_STRUCT_OFFSET(Cupti, host_initialize)},
    {"cuptiProfilerHostDeinitialize", G_STRUCT_OFFSET(Cupti, host_deinitialize)},
    {"cuptiProfilerHostConfigAddMetrics", G_STRUCT_OFFSET(Cupti, add_metrics)},
    {"cuptiProfilerHostGetConfigImageSize", G_STRUCT_OFFSET(Cupti, config_size)},
    {"cuptiProfilerHostGetConfigImage", G_STRUCT_OFFSET(Cupti, config)},
    {"cuptiProfilerHostEvaluateToGpuValues", G_STRUCT_OFFSET(Cupti, evaluate)},
    {"cuptiRangeProfilerEnable", G_STRUCT_OFFSET(Cupti, enable)},
    {"cuptiRangeProfilerDisable", G_STRUCT_OFFSET(Cupti, disable)},
    {"cuptiRangeProfilerSetConfig", G_STRUCT_OFFSET(Cupti, set_config)},
    {"cuptiRangeProfilerStart", G_STRUCT_OFFSET(Cupti, start)},
    {"cuptiRangeProfilerStop", G_STRUCT_OFFSET(Cupti, stop)},
    {"cuptiRangeProfilerPushRange", G_STRUCT_OFFSET(Cupti, push)},
    {"cuptiRangeProfilerPopRange", G_STRUCT_OFFSET(Cupti, pop)},
    {"cuptiRangeProfilerDecodeData", G_STRUCT_OFFSET(Cupti, decode)},
    {"cuptiRangeProfilerGetCounterDataSize", G_STRUCT_OFFSET(Cupti, data_size)},
    {"cuptiRangeProfilerCounterDataImageInitialize", G_STRUCT_OFFSET(Cupti, data_initialize)},
};

static const SmbCuptiInterface interface = {"Range Profiler", "CUDA 12.6 or later has it", symbols,
                                            G_N_ELEMENTS(symbols)};

static gboolean
check(const Cupti *cupti, int result, const char *what, GError **error) {
  return smb_cupti_check(&cupti->base, result, what, error);
}

// What is to be counted, as the hardware wants to be told.
static gboolean
make_config(SmbProfilerSession *session, int device, GError **error) {
  const Cupti *cupti = &session->cupti;
  const char *chip = smb_cupti_chip_name(&cupti->base, device, error);
  if (!chip)
    return FALSE;
  CuptiHostInitialize host = {.structSize = CUPTI_SIZE(CuptiHostInitialize, pHostObject),
                              .profilerType = CUPTI_RANGE_PROFILER,
                              .pChipName = chip,
                              .pCounterAvailabilityImage = session->availability};
  if (!check(cupti, cupti->host_initialize(&host), "prepare the metrics of this chip", error))
    return FALSE;
  session->host = host.pHostObject;
  CuptiHostConfigAddMetrics add = {.structSize = CUPTI_SIZE(CuptiHostConfigAddMetrics, numMetrics),
                                   .pHostObject = session->host,
                                   .ppMetricNames = (const char **)session->metrics,
                                   .numMetrics = session->n_metrics};
  if (!check(cupti, cupti->add_metrics(&add), "find the metrics on this chip", error))
    return FALSE;
  CuptiHostGetConfigImageSize size = {.structSize =
                                          CUPTI_SIZE(CuptiHostGetConfigImageSize, configImageSize),
                                      .pHostObject = session->host};
  if (!check(cupti, cupti->config_size(&size), "plan the counters", error))
    return FALSE;
  session->config_size = size.configImageSize;
  session->config = g_malloc0(session->config_size);
  CuptiHostGetConfigImage image = {.structSize = CUPTI_SIZE(CuptiHostGetConfigImage, pConfigImage),
                                   .pHostObject = session->host,
                                   .configImageSize = session->config_size,
                                   .pConfigImage = session->config};
  return check(cupti, cupti->config(&image), "plan the counters", error);
}

// Where the counters are stored, and the configuration of the hardware.
static gboolean
enable(SmbProfilerSession *session, GError **error) {
  const Cupti *cupti = &session->cupti;
  CuptiRangeProfilerEnable on = {.structSize =
                                     CUPTI_SIZE(CuptiRangeProfilerEnable, pRangeProfilerObject)};
  if (!check(cupti, cupti->enable(&on), "use the counters", error))
    return FALSE;
  session->profiler = on.pRangeProfilerObject;
  CuptiRangeProfilerGetCounterDataSize size = {
      .structSize = CUPTI_SIZE(CuptiRangeProfilerGetCounterDataSize, counterDataSize),
      .pRangeProfilerObject = session->profiler,
      .pMetricNames = (const char **)session->metrics,
      .numMetrics = session->n_metrics,
      .maxNumOfRanges = session->max_ranges,
      .maxNumRangeTreeNodes = session->max_ranges};
  if (!check(cupti, cupti->data_size(&size), "size the counter data", error))
    return FALSE;
  session->data_size = size.counterDataSize;
  session->data = g_malloc0(session->data_size);
  CuptiRangeProfilerInitializeCounterData initialize = {
      .structSize = CUPTI_SIZE(CuptiRangeProfilerInitializeCounterData, pCounterData),
      .pRangeProfilerObject = session->profiler,
      .counterDataSize = session->data_size,
      .pCounterData = session->data};
  if (!check(cupti, cupti->data_initialize(&initialize), "prepare the counter data", error))
    return FALSE;
  CuptiRangeProfilerSetConfig set = {
      .structSize = CUPTI_SIZE(CuptiRangeProfilerSetConfig, targetNestingLevel),
      .pRangeProfilerObject = session->profiler,
      .configSize = session->config_size,
      .pConfig = session->config,
      .counterDataImageSize = session->data_size,
      .pCounterDataImage = session->data,
      .range = CUPTI_USER_RANGE,
      .replayMode = CUPTI_USER_REPLAY,
      .maxRangesPerPass = session->max_ranges,
      .numNestingLevels = 1,
      .minNestingLevel = 1,
      .passIndex = 0,
      .targetNestingLevel = 1};
  return check(cupti, cupti->set_config(&set), "configure the counters", error);
}

static void
close_session(SmbProfilerSession *session) {
  if (!session)
    return;
  if (session->profiler) {
    CuptiRangeProfilerCall off = {.structSize =
                                      CUPTI_SIZE(CuptiRangeProfilerCall, pRangeProfilerObject),
                                  .pRangeProfilerObject = session->profiler};
    session->cupti.disable(&off);
  }
  if (session->host) {
    CuptiHostDeinitialize end = {.structSize = CUPTI_SIZE(CuptiHostDeinitialize, pHostObject),
                                 .pHostObject = session->host};
    session->cupti.host_deinitialize(&end);
  }
  g_free(session->availability);
  g_free(session->config);
  g_free(session->data);
  g_strfreev(session->metrics);
  g_free(session);
}

static SmbProfilerSession *
open_session(int device, const char *const *metrics, guint n_metrics, guint max_ranges,
             GError **error) {
  SmbProfilerSession *session = g_new0(SmbProfilerSession, 1);
  session->metrics = g_new0(char *, n_metrics + 1);
  for (guint i = 0; i < n_metrics; i++)
    session->metrics[i] = g_strdup(metrics[i]);
  session->n_metrics = n_metrics;
  session->max_ranges = max_ranges;
  if (smb_cupti_start(&session->cupti.base, &interface, &session->cupti, error))
    session->availability = smb_cupti_availability(&session->cupti.base, error);
  if (session->availability && make_config(session, device, error) && enable(session, error))
    return session;
  close_session(session);
  return NULL;
}

static gboolean
call(SmbProfilerSession *session, SmbCuptiFunction function, const char *what, GError **error) {
  CuptiRangeProfilerCall parameters = {.structSize =
                                           CUPTI_SIZE(CuptiRangeProfilerCall, pRangeProfilerObject),
                                       .pRangeProfilerObject = session->profiler};
  return check(&session->cupti, function(&parameters), what, error);
}

static gboolean
begin_pass(SmbProfilerSession *session, GError **error) {
  return call(session, session->cupti.start, "start a pass", error);
}

static gboolean
push_range(SmbProfilerSession *session, const char *range, GError **error) {
  CuptiRangeProfilerPushRange push = {.structSize =
                                          CUPTI_SIZE(CuptiRangeProfilerPushRange, pRangeName),
                                      .pRangeProfilerObject = session->profiler,
                                      .pRangeName = range};
  return check(&session->cupti, session->cupti.push(&push), "begin a range", error);
}

static gboolean
pop_range(SmbProfilerSession *session, GError **error) {
  return call(session, session->cupti.pop, "end a range", error);
}

static gboolean
end_pass(SmbProfilerSession *session, gboolean *more, GError **error) {
  CuptiRangeProfilerStop stop = {.structSize =
                                     CUPTI_SIZE(CuptiRangeProfilerStop, isAllPassSubmitted),
                                 .pRangeProfilerObject = session->profiler};
  if (!check(&session->cupti, session->cupti.stop(&stop), "end a pass", error))
    return FALSE;
  *more = !stop.isAllPassSubmitted;
  if (*more)
    return TRUE;
  CuptiRangeProfilerDecodeData decode = {
      .structSize = CUPTI_SIZE(CuptiRangeProfilerDecodeData, numOfRangeDropped),
      .pRangeProfilerObject = session->profiler};
  if (!check(&session->cupti, session->cupti.decode(&decode), "read the counters", error))
    return FALSE;
  if (decode.numOfRangeDropped == 0)
    return TRUE;
  g_set_error(error, SMB_GPU_ERROR, SMB_GPU_ERROR_COUNTERS, "CUPTI dropped %zu range%s",
              decode.numOfRangeDropped, decode.numOfRangeDropped == 1 ? "" : "s");
  return FALSE;
}

static gboolean
read_range(SmbProfilerSession *session, guint range, double *values, GError **error) {
  CuptiHostEvaluateToGpuValues evaluate = {
      .structSize = CUPTI_SIZE(CuptiHostEvaluateToGpuValues, pMetricValues),
      .pHostObject = session->host,
      .pCounterDataImage = session->data,
      .counterDataImageSize = session->data_size,
      .rangeIndex = range,
      .ppMetricNames = (const char **)session->metrics,
      .numMetrics = session->n_metrics,
      .pMetricValues = values};
  return check(&session->cupti, session->cupti.evaluate(&evaluate), "evaluate the counters", error);
}

const SmbProfiler *
smb_profiler_range(void) {
  static const SmbProfiler profiler = {"CUPTI's Range Profiler",
                                       open_session,
                                       begin_pass,
                                       push_range,
                                       pop_range,
                                       end_pass,
                                       read_range,
                                       close_session};
  return &profiler;
}
