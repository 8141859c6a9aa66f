// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Counters through CUPTI's older profiler, for CUDA 12 before 12.6, with ranges and passes of the caller's.
// Here CUPTI only collects: metrics are planned and evaluated by the perf host library. Nothing stays
// behind when a session is closed, wherever it had come to.
#include <string.h>

#include "gpu/cupti.h"
#include "gpu/cupti-legacy-abi.h"
#include "gpu/error.h"
#include "gpu/nvperf.h"
#include "gpu/profiler.h"

typedef struct {
  SmbCupti base;
  SmbCuptiFunction data_size, data_initialize, scratch_size, scratch_initialize;
  SmbCuptiFunction begin_session, end_session, set_config, unset_config, begin_pass, end_pass;
  SmbCuptiFunction enable, disable, push, pop, flush;
} Cupti;

// What is begun and ended, each within the one before it.
typedef enum {
  STEP_SESSION,
  STEP_CONFIG,
  STEP_PASS,
  STEP_PROFILING,
  STEP_RANGE,
} Step;

// The longest name of a range, with its final 0.
#define MAX_RANGE_NAME 64

struct _SmbProfilerSession {
  Cupti cupti;
  SmbNvperf *nvperf;
  guint max_ranges;
  guint n_begun; // how many steps
  guint8 *availability;
  GBytes *config;
  guint8 *data;
  gsize data_size;
  guint8 *scratch;
  gsize scratch_size;
};

static const SmbSymbol symbols[] = {
    {"cuptiProfilerCounterDataImageCalculateSize", G_STRUCT_OFFSET(Cupti, data_size)},
    {"cuptiProfilerCounterDataImageInitialize", G_STRUCT_OFFSET(Cupti, data_initialize)},
    {"cuptiProfilerCounterDataImageCalculateScratchBufferSize",
     G_STRUCT_OFFSET(Cupti, scratch_size)},
    {"cuptiProfilerCounterDataImageInitializeScratchBuffer",
     G_STRUCT_OFFSET(Cupti, scratch_initialize)},
    {"cuptiProfilerBeginSession", G_STRUCT_OFFSET(Cupti, begin_session)},
    {"cuptiProfilerEndSession", G_STRUCT_OFFSET(Cupti, end_session)},
    {"cuptiProfilerSetConfig", G_STRUCT_OFFSET(Cupti, set_config)},
    {"cuptiProfilerUnsetConfig", G_STRUCT_OFFSET(Cupti, unset_config)},
    {"cuptiProfilerBeginPass", G_STRUCT_OFFSET(Cupti, begin_pass)},
    {"cuptiProfilerEndPass", G_STRUCT_OFFSET(Cupti, end_pass)},
    {"cuptiProfilerEnableProfiling", G_STRUCT_OFFSET(Cupti, enable)},
    {"cuptiProfilerDisableProfiling", G_STRUCT_OFFSET(Cupti, disable)},
    {"cuptiProfilerPushRange", G_STRUCT_OFFSET(Cupti, push)},
    {"cuptiProfilerPopRange", G_STRUCT_OFFSET(Cupti, pop)},
    {"cuptiProfilerFlushCounterData", G_STRUCT_OFFSET(Cupti, flush)},
};

static const SmbCuptiInterface interface = {"Profiler interface", "CUDA 12 has it", symbols,
                                            G_N_ELEMENTS(symbols)};

static gboolean
check(const SmbProfilerSession *session, int result, const char *what, GError **error) {
  return smb_cupti_check(&session->cupti.base, result, what, error);
}

// Remembers a step that was begun, so that it is ended.
static gboolean
begin(SmbProfilerSession *session, Step step, int result, const char *what, GError **error) {
  g_assert(session->n_begun == step);
  if (!check(session, result, what, error))
    return FALSE;
  session->n_begun = step + 1;
  return TRUE;
}

static int
call(SmbCuptiFunction function) {
  CuptiProfilerCall parameters = {.structSize = CUPTI_SIZE(CuptiProfilerCall, ctx)};
  return function(&parameters);
}

// Ends a step; of a pass, also tells whether it was the last one.
static int
end_step(const SmbProfilerSession *session, Step step, gboolean *last) {
  const Cupti *cupti = &session->cupti;
  CuptiProfilerEndPass pass = {.structSize = CUPTI_SIZE(CuptiProfilerEndPass, allPassesSubmitted)};
  int result;
  switch (step) {
  case STEP_SESSION:
    return call(cupti->end_session);
  case STEP_CONFIG:
    return call(cupti->unset_config);
  case STEP_PASS:
    result = cupti->end_pass(&pass);
    *last = pass.allPassesSubmitted != 0;
    return result;
  case STEP_PROFILING:
    return call(cupti->disable);
  case STEP_RANGE:
    return call(cupti->pop);
  }
  g_assert_not_reached();
}

// A step that could not be ended stays begun.
static gboolean
end(SmbProfilerSession *session, Step step, gboolean *last, const char *what, GError **error) {
  g_assert(session->n_begun == step + 1);
  if (!check(session, end_step(session, step, last), what, error))
    return FALSE;
  session->n_begun = step;
  return TRUE;
}

static void
close_session(SmbProfilerSession *session) {
  gboolean last;
  if (!session)
    return;
  while (session->n_begun > 0)
    end_step(session, (Step)--session->n_begun, &last);
  smb_nvperf_free(session->nvperf);
  g_free(session->availability);
  g_clear_pointer(&session->config, g_bytes_unref);
  g_free(session->data);
  g_free(session->scratch);
  g_free(session);
}

// Where the counters are stored.
static gboolean
make_data(SmbProfilerSession *session, GBytes *prefix, GError **error) {
  static const char what[] = "prepare the counter data";
  const Cupti *cupti = &session->cupti;
  gsize prefix_size;
  const guint8 *prefix_data = g_bytes_get_data(prefix, &prefix_size);
  CuptiCounterDataOptions options = {.structSize =
                                         CUPTI_SIZE(CuptiCounterDataOptions, maxRangeNameLength),
                                     .pCounterDataPrefix = prefix_data,
                                     .counterDataPrefixSize = prefix_size,
                                     .maxNumRanges = session->max_ranges,
                                     .maxNumRangeTreeNodes = session->max_ranges,
                                     .maxRangeNameLength = MAX_RANGE_NAME};
  CuptiCounterDataGetSize size = {.structSize =
                                      CUPTI_SIZE(CuptiCounterDataGetSize, counterDataImageSize),
                                  .sizeofCounterDataImageOptions = options.structSize,
                                  .pOptions = &options};
  if (!check(session, cupti->data_size(&size), what, error))
    return FALSE;
  session->data_size = size.counterDataImageSize;
  session->data = g_malloc0(session->data_size);
  CuptiCounterDataInitialize initialize = {
      .structSize = CUPTI_SIZE(CuptiCounterDataInitialize, pCounterDataImage),
      .sizeofCounterDataImageOptions = options.structSize,
      .pOptions = &options,
      .counterDataImageSize = session->data_size,
      .pCounterDataImage = session->data};
  return check(session, cupti->data_initialize(&initialize), what, error);
}

// What CUPTI works with while it stores them.
static gboolean
make_scratch(SmbProfilerSession *session, GError **error) {
  static const char what[] = "prepare the counter data";
  const Cupti *cupti = &session->cupti;
  CuptiCounterDataGetScratchSize size = {
      .structSize = CUPTI_SIZE(CuptiCounterDataGetScratchSize, counterDataScratchBufferSize),
      .counterDataImageSize = session->data_size,
      .pCounterDataImage = session->data};
  if (!check(session, cupti->scratch_size(&size), what, error))
    return FALSE;
  session->scratch_size = size.counterDataScratchBufferSize;
  session->scratch = g_malloc0(session->scratch_size);
  CuptiCounterDataInitializeScratch initialize = {
      .structSize = CUPTI_SIZE(CuptiCounterDataInitializeScratch, pCounterDataScratchBuffer),
      .counterDataImageSize = session->data_size,
      .pCounterDataImage = session->data,
      .counterDataScratchBufferSize = session->scratch_size,
      .pCounterDataScratchBuffer = session->scratch};
  return check(session, cupti->scratch_initialize(&initialize), what, error);
}

// The plan, and room for what it counts.
static gboolean
prepare(SmbProfilerSession *session, int device, const char *const *metrics, guint n_metrics,
        GError **error) {
  const SmbCupti *cupti = &session->cupti.base;
  const char *chip = smb_cupti_chip_name(cupti, device, error);
  if (!chip)
    return FALSE;
  session->availability = smb_cupti_availability(cupti, error);
  if (!session->availability)
    return FALSE;
  session->nvperf =
      smb_nvperf_new(cupti->handle, chip, session->availability, metrics, n_metrics, error);
  if (!session->nvperf)
    return FALSE;
  session->config = smb_nvperf_config(session->nvperf, error);
  if (!session->config)
    return FALSE;
  g_autoptr(GBytes) prefix = smb_nvperf_prefix(session->nvperf, error);
  return prefix && make_data(session, prefix, error) && make_scratch(session, error);
}

// From here on the device is set up to count.
static gboolean
begin_session(SmbProfilerSession *session, GError **error) {
  const Cupti *cupti = &session->cupti;
  gsize config_size;
  const guint8 *config = g_bytes_get_data(session->config, &config_size);
  CuptiProfilerBeginSession start = {.structSize =
                                         CUPTI_SIZE(CuptiProfilerBeginSession, maxLaunchesPerPass),
                                     .counterDataImageSize = session->data_size,
                                     .pCounterDataImage = session->data,
                                     .counterDataScratchBufferSize = session->scratch_size,
                                     .pCounterDataScratchBuffer = session->scratch,
                                     .range = CUPTI_USER_RANGE,
                                     .replayMode = CUPTI_USER_REPLAY,
                                     .maxRangesPerPass = session->max_ranges,
                                     .maxLaunchesPerPass = session->max_ranges};
  CuptiProfilerSetConfig set = {.structSize =
                                    CUPTI_SIZE(CuptiProfilerSetConfig, targetNestingLevel),
                                .pConfig = config,
                                .configSize = config_size,
                                .minNestingLevel = 1,
                                .numNestingLevels = 1,
                                .passIndex = 0,
                                .targetNestingLevel = 1};
  return begin(session, STEP_SESSION, cupti->begin_session(&start), "use the counters", error) &&
         begin(session, STEP_CONFIG, cupti->set_config(&set), "configure the counters", error);
}

static SmbProfilerSession *
open_session(int device, const char *const *metrics, guint n_metrics, guint max_ranges,
             GError **error) {
  SmbProfilerSession *session = g_new0(SmbProfilerSession, 1);
  session->max_ranges = max_ranges;
  if (smb_cupti_start(&session->cupti.base, &interface, &session->cupti, error) &&
      prepare(session, device, metrics, n_metrics, error) && begin_session(session, error))
    return session;
  close_session(session);
  return NULL;
}

static gboolean
begin_pass(SmbProfilerSession *session, GError **error) {
  const Cupti *cupti = &session->cupti;
  return begin(session, STEP_PASS, call(cupti->begin_pass), "start a pass", error) &&
         begin(session, STEP_PROFILING, call(cupti->enable), "start a pass", error);
}

static gboolean
push_range(SmbProfilerSession *session, const char *range, GError **error) {
  CuptiProfilerPushRange push = {.structSize = CUPTI_SIZE(CuptiProfilerPushRange, rangeNameLength),
                                 .pRangeName = range,
                                 .rangeNameLength = strlen(range)};
  g_return_val_if_fail(push.rangeNameLength < MAX_RANGE_NAME, FALSE);
  return begin(session, STEP_RANGE, session->cupti.push(&push), "begin a range", error);
}

static gboolean
pop_range(SmbProfilerSession *session, GError **error) {
  return end(session, STEP_RANGE, NULL, "end a range", error);
}

// After the last pass the counters are read, and the device goes back to its normal state.
static gboolean
finish(SmbProfilerSession *session, GError **error) {
  CuptiProfilerFlushCounterData flush = {
      .structSize = CUPTI_SIZE(CuptiProfilerFlushCounterData, numTraceBytesDropped)};
  if (!check(session, session->cupti.flush(&flush), "read the counters", error))
    return FALSE;
  if (flush.numRangesDropped > 0 || flush.numTraceBytesDropped > 0) {
    g_set_error(error, SMB_GPU_ERROR, SMB_GPU_ERROR_COUNTERS,
                "CUPTI dropped %zu ranges and %zu bytes of what it collected",
                flush.numRangesDropped, flush.numTraceBytesDropped);
    return FALSE;
  }
  return end(session, STEP_CONFIG, NULL, "release the counters", error) &&
         end(session, STEP_SESSION, NULL, "release the counters", error);
}

static gboolean
end_pass(SmbProfilerSession *session, gboolean *more, GError **error) {
  gboolean last = FALSE;
  if (!end(session, STEP_PROFILING, NULL, "end a pass", error) ||
      !end(session, STEP_PASS, &last, "end a pass", error))
    return FALSE;
  *more = !last;
  return *more || finish(session, error);
}

static gboolean
read_range(SmbProfilerSession *session, guint range, double *values, GError **error) {
  return smb_nvperf_evaluate(session->nvperf, session->data, session->data_size, range, values,
                             error);
}

const SmbProfiler *
smb_profiler_legacy(void) {
  static const SmbProfiler profiler = {"CUPTI's Profiler (CUDA 12)",
                                       open_session,
                                       begin_pass,
                                       push_range,
                                       pop_range,
                                       end_pass,
                                       read_range,
                                       close_session};
  return &profiler;
}
