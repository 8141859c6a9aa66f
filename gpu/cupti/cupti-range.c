// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Counters through CUPTI's Range Profiler, with ranges and passes of the caller's. Nothing of it stays
// behind when a session is closed.
#include "gpu/cupti/cupti-abi.h"
#include "gpu/cupti/cupti.h"

struct _SmbProfilerSession {
  SmbCupti base;
  SmbCuptiFunction host_initialize, host_deinitialize, add_metrics, config_size, config, evaluate;
  SmbCuptiFunction enable, disable, set_config, start, stop, push, pop, decode;
  SmbCuptiFunction data_size, data_initialize;
  GStrv metrics;
  guint n_metrics;
  void *host;
  void *profiler;
};

static const SmbSymbol symbols[] = {
    {"cuptiProfilerHostInitialize", G_STRUCT_OFFSET(SmbProfilerSession, host_initialize)},
    {"cuptiProfilerHostDeinitialize", G_STRUCT_OFFSET(SmbProfilerSession, host_deinitialize)},
    {"cuptiProfilerHostConfigAddMetrics", G_STRUCT_OFFSET(SmbProfilerSession, add_metrics)},
    {"cuptiProfilerHostGetConfigImageSize", G_STRUCT_OFFSET(SmbProfilerSession, config_size)},
    {"cuptiProfilerHostGetConfigImage", G_STRUCT_OFFSET(SmbProfilerSession, config)},
    {"cuptiProfilerHostEvaluateToGpuValues", G_STRUCT_OFFSET(SmbProfilerSession, evaluate)},
    {"cuptiRangeProfilerEnable", G_STRUCT_OFFSET(SmbProfilerSession, enable)},
    {"cuptiRangeProfilerDisable", G_STRUCT_OFFSET(SmbProfilerSession, disable)},
    {"cuptiRangeProfilerSetConfig", G_STRUCT_OFFSET(SmbProfilerSession, set_config)},
    {"cuptiRangeProfilerStart", G_STRUCT_OFFSET(SmbProfilerSession, start)},
    {"cuptiRangeProfilerStop", G_STRUCT_OFFSET(SmbProfilerSession, stop)},
    {"cuptiRangeProfilerPushRange", G_STRUCT_OFFSET(SmbProfilerSession, push)},
    {"cuptiRangeProfilerPopRange", G_STRUCT_OFFSET(SmbProfilerSession, pop)},
    {"cuptiRangeProfilerDecodeData", G_STRUCT_OFFSET(SmbProfilerSession, decode)},
    {"cuptiRangeProfilerGetCounterDataSize", G_STRUCT_OFFSET(SmbProfilerSession, data_size)},
    {"cuptiRangeProfilerCounterDataImageInitialize",
     G_STRUCT_OFFSET(SmbProfilerSession, data_initialize)},
};

// What is to be counted, in the form that the hardware takes.
static gboolean
plan_range_profiler(SmbProfilerSession *session, const char *chip, const char *const *metrics,
                    guint n_metrics, GError **error) {
  session->metrics = g_new0(char *, n_metrics + 1);
  for (guint i = 0; i < n_metrics; i++)
    session->metrics[i] = g_strdup(metrics[i]);
  session->n_metrics = n_metrics;
  CuptiHostInitialize host =
      CUPTI_PARAMETERS(CuptiHostInitialize, pHostObject, .profilerType = CUPTI_RANGE_PROFILER,
                       .pChipName = chip, .pCounterAvailabilityImage = session->base.availability);
  if (!smb_cupti_check(session, session->host_initialize(&host), "prepare the metrics of this chip",
                       error))
    return FALSE;
  session->host = host.pHostObject;
  CuptiHostConfigAddMetrics add = CUPTI_PARAMETERS(
      CuptiHostConfigAddMetrics, numMetrics, .pHostObject = session->host,
      .ppMetricNames = (const char **)session->metrics, .numMetrics = session->n_metrics);
  if (!smb_cupti_check(session, session->add_metrics(&add), "find the metrics on this chip", error))
    return FALSE;
  CuptiHostGetConfigImageSize size =
      CUPTI_PARAMETERS(CuptiHostGetConfigImageSize, configImageSize, .pHostObject = session->host);
  if (!smb_cupti_check(session, session->config_size(&size), "plan the counters", error))
    return FALSE;
  guint8 *config = g_malloc0(size.configImageSize);
  session->base.config = g_bytes_new_take(config, size.configImageSize);
  CuptiHostGetConfigImage image =
      CUPTI_PARAMETERS(CuptiHostGetConfigImage, pConfigImage, .pHostObject = session->host,
                       .configImageSize = size.configImageSize, .pConfigImage = config);
  return smb_cupti_check(session, session->config(&image), "plan the counters", error);
}

// Where the counters are stored.
static gboolean
make_profiler_data(SmbProfilerSession *session, GError **error) {
  SmbCupti *base = &session->base;
  CuptiRangeProfilerGetCounterDataSize size = CUPTI_PARAMETERS(
      CuptiRangeProfilerGetCounterDataSize, counterDataSize,
      .pRangeProfilerObject = session->profiler, .pMetricNames = (const char **)session->metrics,
      .numMetrics = session->n_metrics, .maxNumOfRanges = base->max_ranges,
      .maxNumRangeTreeNodes = base->max_ranges);
  if (!smb_cupti_check(session, session->data_size(&size), "size the counter data", error))
    return FALSE;
  base->data_size = size.counterDataSize;
  base->data = g_malloc0(base->data_size);
  CuptiRangeProfilerInitializeCounterData initialize =
      CUPTI_PARAMETERS(CuptiRangeProfilerInitializeCounterData, pCounterData,
                       .pRangeProfilerObject = session->profiler,
                       .counterDataSize = base->data_size, .pCounterData = base->data);
  return smb_cupti_check(session, session->data_initialize(&initialize), "prepare the counter data",
                         error);
}

static gboolean
prepare_range_profiler(SmbProfilerSession *session, GError **error) {
  const SmbCupti *base = &session->base;
  CuptiRangeProfilerEnable on = CUPTI_PARAMETERS(CuptiRangeProfilerEnable, pRangeProfilerObject);
  if (!smb_cupti_check(session, session->enable(&on), "use the counters", error))
    return FALSE;
  session->profiler = on.pRangeProfilerObject;
  if (!make_profiler_data(session, error))
    return FALSE;
  gsize config_size;
  const guint8 *config = g_bytes_get_data(base->config, &config_size);
  CuptiRangeProfilerSetConfig set = {
      .structSize = CUPTI_SIZE(CuptiRangeProfilerSetConfig, targetNestingLevel),
      .pRangeProfilerObject = session->profiler,
      .configSize = config_size,
      .pConfig = config,
      .counterDataImageSize = base->data_size,
      .pCounterDataImage = base->data,
      .range = CUPTI_USER_RANGE,
      .replayMode = CUPTI_USER_REPLAY,
      .maxRangesPerPass = base->max_ranges,
      .numNestingLevels = 1,
      .minNestingLevel = 1,
      .passIndex = 0,
      .targetNestingLevel = 1};
  return smb_cupti_check(session, session->set_config(&set), "configure the counters", error);
}

static void
end_range_profiler(SmbProfilerSession *session) {
  if (session->profiler) {
    session->disable(&CUPTI_PARAMETERS(CuptiRangeProfilerCall, pRangeProfilerObject,
                                       .pRangeProfilerObject = session->profiler));
  }
  if (session->host) {
    session->host_deinitialize(
        &CUPTI_PARAMETERS(CuptiHostDeinitialize, pHostObject, .pHostObject = session->host));
  }
  g_strfreev(session->metrics);
}

static const SmbCuptiInterface interface = {
    "Range Profiler",       "CUDA 12.6 or later has it", symbols,
    G_N_ELEMENTS(symbols),  sizeof(SmbProfilerSession),  plan_range_profiler,
    prepare_range_profiler, end_range_profiler};

static SmbProfilerSession *
open_profiler_session(int device, const char *const *metrics, guint n_metrics, guint max_ranges,
                      GError **error) {
  return smb_cupti_open(&interface, device, metrics, n_metrics, max_ranges, error);
}

static gboolean
call_profiler(SmbProfilerSession *session, SmbCuptiFunction function, const char *what,
              GError **error) {
  CuptiRangeProfilerCall parameters = CUPTI_PARAMETERS(CuptiRangeProfilerCall, pRangeProfilerObject,
                                                       .pRangeProfilerObject = session->profiler);
  return smb_cupti_check(session, function(&parameters), what, error);
}

static gboolean
begin_profiler_pass(SmbProfilerSession *session, GError **error) {
  return call_profiler(session, session->start, "start a pass", error);
}

static gboolean
push_range(SmbProfilerSession *session, const char *range, GError **error) {
  CuptiRangeProfilerPushRange push =
      CUPTI_PARAMETERS(CuptiRangeProfilerPushRange, pRangeName,
                       .pRangeProfilerObject = session->profiler, .pRangeName = range);
  return smb_cupti_check(session, session->push(&push), "begin a range", error);
}

static gboolean
pop_range(SmbProfilerSession *session, GError **error) {
  return call_profiler(session, session->pop, "end a range", error);
}

static gboolean
end_profiler_pass(SmbProfilerSession *session, gboolean *more, GError **error) {
  CuptiRangeProfilerStop stop = CUPTI_PARAMETERS(CuptiRangeProfilerStop, isAllPassSubmitted,
                                                 .pRangeProfilerObject = session->profiler);
  if (!smb_cupti_check(session, session->stop(&stop), "end a pass", error))
    return FALSE;
  *more = !stop.isAllPassSubmitted;
  if (*more)
    return TRUE;
  CuptiRangeProfilerDecodeData decode = CUPTI_PARAMETERS(
      CuptiRangeProfilerDecodeData, numOfRangeDropped, .pRangeProfilerObject = session->profiler);
  if (!smb_cupti_check(session, session->decode(&decode), "read the counters", error))
    return FALSE;
  return smb_cupti_check_dropped(decode.numOfRangeDropped, 0, error);
}

static gboolean
read_range(SmbProfilerSession *session, guint range, double *values, GError **error) {
  CuptiHostEvaluateToGpuValues evaluate = {
      .structSize = CUPTI_SIZE(CuptiHostEvaluateToGpuValues, pMetricValues),
      .pHostObject = session->host,
      .pCounterDataImage = session->base.data,
      .counterDataImageSize = session->base.data_size,
      .rangeIndex = range,
      .ppMetricNames = (const char **)session->metrics,
      .numMetrics = session->n_metrics,
      .pMetricValues = values};
  return smb_cupti_check(session, session->evaluate(&evaluate), "evaluate the counters", error);
}

const SmbProfiler *
smb_profiler_range(void) {
  static const SmbProfiler profiler = {"CUPTI's Range Profiler",
                                       open_profiler_session,
                                       begin_profiler_pass,
                                       push_range,
                                       pop_range,
                                       end_profiler_pass,
                                       read_range,
                                       smb_cupti_close,
                                       smb_cupti_count_instructions};
  return &profiler;
}
