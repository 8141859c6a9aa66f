// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Counters through CUPTI's older profiler, for CUDA 12 before 12.6, with ranges and passes of the caller's.
// Here CUPTI only collects: metrics are planned and evaluated by the perf host library. Nothing stays
// behind when a session is closed, wherever it had come to.
#include <string.h>

#include "gpu/cupti/cupti-legacy-abi.h"
#include "gpu/cupti/cupti.h"
#include "gpu/cupti/nvperf.h"

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
  SmbCupti base;
  SmbCuptiFunction size_data, initialize_data, size_scratch, initialize_scratch;
  SmbCuptiFunction begin_session, end_session, set_config, unset_config, begin_pass, end_pass;
  SmbCuptiFunction enable, disable, push, pop, flush;
  SmbNvperf *nvperf;
  guint n_begun; // how many steps
  guint8 *scratch;
  gsize scratch_size;
};

#define SYMBOL(name, member)                                                                       \
  { "cuptiProfiler" #name, G_STRUCT_OFFSET(SmbProfilerSession, member) }

static const SmbSymbol symbols[] = {
    SYMBOL(CounterDataImageCalculateSize, size_data),
    SYMBOL(CounterDataImageInitialize, initialize_data),
    SYMBOL(CounterDataImageCalculateScratchBufferSize, size_scratch),
    SYMBOL(CounterDataImageInitializeScratchBuffer, initialize_scratch),
    SYMBOL(BeginSession, begin_session),
    SYMBOL(EndSession, end_session),
    SYMBOL(SetConfig, set_config),
    SYMBOL(UnsetConfig, unset_config),
    SYMBOL(BeginPass, begin_pass),
    SYMBOL(EndPass, end_pass),
    SYMBOL(EnableProfiling, enable),
    SYMBOL(DisableProfiling, disable),
    SYMBOL(PushRange, push),
    SYMBOL(PopRange, pop),
    SYMBOL(FlushCounterData, flush),
};

// Remembers a step that was begun, so that it is ended.
static gboolean
begin_step(SmbProfilerSession *session, Step step, int result, const char *what, GError **error) {
  g_assert(session->n_begun == step);
  if (!smb_cupti_check(session, result, what, error))
    return FALSE;
  session->n_begun = step + 1;
  return TRUE;
}

static int
call_legacy(SmbCuptiFunction function) {
  CuptiProfilerCall parameters = CUPTI_PARAMETERS(CuptiProfilerCall, ctx);
  return function(&parameters);
}

// Ends a step; of a pass, also tells whether it was the last one.
static int
end_step(const SmbProfilerSession *session, Step step, gboolean *last) {
  CuptiProfilerEndPass pass = CUPTI_PARAMETERS(CuptiProfilerEndPass, allPassesSubmitted);
  int result;
  switch (step) {
  case STEP_SESSION:
    return call_legacy(session->end_session);
  case STEP_CONFIG:
    return call_legacy(session->unset_config);
  case STEP_PASS:
    result = session->end_pass(&pass);
    *last = pass.allPassesSubmitted != 0;
    return result;
  case STEP_PROFILING:
    return call_legacy(session->disable);
  case STEP_RANGE:
    return call_legacy(session->pop);
  }
  g_assert_not_reached();
}

// A step that could not be ended stays begun.
static gboolean
finish_step(SmbProfilerSession *session, Step step, gboolean *last, const char *what,
            GError **error) {
  g_assert(session->n_begun == step + 1);
  if (!smb_cupti_check(session, end_step(session, step, last), what, error))
    return FALSE;
  session->n_begun = step;
  return TRUE;
}

static void
end_all(SmbProfilerSession *session) {
  gboolean last;
  while (session->n_begun > 0)
    end_step(session, (Step)--session->n_begun, &last);
  smb_nvperf_free(session->nvperf);
  g_free(session->scratch);
}

// Where the counters are stored.
static gboolean
make_legacy_data(SmbProfilerSession *session, GBytes *prefix, GError **error) {
  static const char what[] = "prepare the counter data";
  gsize prefix_size;
  const guint8 *prefix_data = g_bytes_get_data(prefix, &prefix_size);
  CuptiCounterDataOptions options = CUPTI_PARAMETERS(
      CuptiCounterDataOptions, maxRangeNameLength, .pCounterDataPrefix = prefix_data,
      .counterDataPrefixSize = prefix_size, .maxNumRanges = session->base.max_ranges,
      .maxNumRangeTreeNodes = session->base.max_ranges, .maxRangeNameLength = MAX_RANGE_NAME);
  CuptiCounterDataGetSize size =
      CUPTI_PARAMETERS(CuptiCounterDataGetSize, counterDataImageSize,
                       .sizeofCounterDataImageOptions = options.structSize, .pOptions = &options);
  if (!smb_cupti_check(session, session->size_data(&size), what, error))
    return FALSE;
  session->base.data_size = size.counterDataImageSize;
  session->base.data = g_malloc0(session->base.data_size);
  CuptiCounterDataInitialize initialize = CUPTI_PARAMETERS(
      CuptiCounterDataInitialize, pCounterDataImage,
      .sizeofCounterDataImageOptions = options.structSize, .pOptions = &options,
      .counterDataImageSize = session->base.data_size, .pCounterDataImage = session->base.data);
  return smb_cupti_check(session, session->initialize_data(&initialize), what, error);
}

// What CUPTI works with while it stores them.
static gboolean
make_scratch(SmbProfilerSession *session, GError **error) {
  static const char what[] = "prepare the counter data";
  CuptiCounterDataGetScratchSize size = CUPTI_PARAMETERS(
      CuptiCounterDataGetScratchSize, counterDataScratchBufferSize,
      .counterDataImageSize = session->base.data_size, .pCounterDataImage = session->base.data);
  if (!smb_cupti_check(session, session->size_scratch(&size), what, error))
    return FALSE;
  session->scratch_size = size.counterDataScratchBufferSize;
  session->scratch = g_malloc0(session->scratch_size);
  CuptiCounterDataInitializeScratch initialize = CUPTI_PARAMETERS(
      CuptiCounterDataInitializeScratch, pCounterDataScratchBuffer,
      .counterDataImageSize = session->base.data_size, .pCounterDataImage = session->base.data,
      .counterDataScratchBufferSize = session->scratch_size,
      .pCounterDataScratchBuffer = session->scratch);
  return smb_cupti_check(session, session->initialize_scratch(&initialize), what, error);
}

static gboolean
plan_legacy_profiler(SmbProfilerSession *session, const char *chip, const char *const *metrics,
                     guint n_metrics, GError **error) {
  SmbCupti *base = &session->base;
  session->nvperf =
      smb_nvperf_new(base->handle, chip, base->availability, metrics, n_metrics, error);
  if (session->nvperf)
    base->config = smb_nvperf_config(session->nvperf, error);
  return base->config != NULL;
}

// From here on the device is set up to count.
static gboolean
begin_session(SmbProfilerSession *session, GError **error) {
  gsize config_size;
  const guint8 *config = g_bytes_get_data(session->base.config, &config_size);
  CuptiProfilerBeginSession start = {.structSize =
                                         CUPTI_SIZE(CuptiProfilerBeginSession, maxLaunchesPerPass),
                                     .counterDataImageSize = session->base.data_size,
                                     .pCounterDataImage = session->base.data,
                                     .counterDataScratchBufferSize = session->scratch_size,
                                     .pCounterDataScratchBuffer = session->scratch,
                                     .range = CUPTI_USER_RANGE,
                                     .replayMode = CUPTI_USER_REPLAY,
                                     .maxRangesPerPass = session->base.max_ranges,
                                     .maxLaunchesPerPass = session->base.max_ranges};
  CuptiProfilerSetConfig set = CUPTI_PARAMETERS(
      CuptiProfilerSetConfig, targetNestingLevel, .pConfig = config, .configSize = config_size,
      .minNestingLevel = 1, .numNestingLevels = 1, .passIndex = 0, .targetNestingLevel = 1);
  return begin_step(session, STEP_SESSION, session->begin_session(&start), "use the counters",
                    error) &&
         begin_step(session, STEP_CONFIG, session->set_config(&set), "configure the counters",
                    error);
}

static gboolean
prepare_legacy_profiler(SmbProfilerSession *session, GError **error) {
  g_autoptr(GBytes) prefix = smb_nvperf_prefix(session->nvperf, error);
  return prefix && make_legacy_data(session, prefix, error) && make_scratch(session, error) &&
         begin_session(session, error);
}

static const SmbCuptiInterface interface = {"Profiler interface",
                                            "CUDA 12 has it",
                                            symbols,
                                            G_N_ELEMENTS(symbols),
                                            sizeof(SmbProfilerSession),
                                            plan_legacy_profiler,
                                            prepare_legacy_profiler,
                                            end_all};

static SmbProfilerSession *
open_legacy_session(int device, const char *const *metrics, guint n_metrics, guint max_ranges,
                    GError **error) {
  return smb_cupti_open(&interface, device, metrics, n_metrics, max_ranges, error);
}

static gboolean
begin_legacy_pass(SmbProfilerSession *session, GError **error) {
  return begin_step(session, STEP_PASS, call_legacy(session->begin_pass), "start a pass", error) &&
         begin_step(session, STEP_PROFILING, call_legacy(session->enable), "start a pass", error);
}

static gboolean
push_legacy_range(SmbProfilerSession *session, const char *range, GError **error) {
  CuptiProfilerPushRange push =
      CUPTI_PARAMETERS(CuptiProfilerPushRange, rangeNameLength, .pRangeName = range,
                       .rangeNameLength = strlen(range));
  g_return_val_if_fail(push.rangeNameLength < MAX_RANGE_NAME, FALSE);
  return begin_step(session, STEP_RANGE, session->push(&push), "begin a range", error);
}

static gboolean
pop_legacy_range(SmbProfilerSession *session, GError **error) {
  return finish_step(session, STEP_RANGE, NULL, "end a range", error);
}

// After the last pass the counters are read, and the device goes back to its normal state.
static gboolean
finish_legacy_session(SmbProfilerSession *session, GError **error) {
  CuptiProfilerFlushCounterData flush =
      CUPTI_PARAMETERS(CuptiProfilerFlushCounterData, numTraceBytesDropped);
  if (!smb_cupti_check(session, session->flush(&flush), "read the counters", error))
    return FALSE;
  if (!smb_cupti_check_dropped(flush.numRangesDropped, flush.numTraceBytesDropped, error))
    return FALSE;
  return finish_step(session, STEP_CONFIG, NULL, "release the counters", error) &&
         finish_step(session, STEP_SESSION, NULL, "release the counters", error);
}

static gboolean
end_legacy_pass(SmbProfilerSession *session, gboolean *more, GError **error) {
  gboolean last = FALSE;
  if (!finish_step(session, STEP_PROFILING, NULL, "end a pass", error) ||
      !finish_step(session, STEP_PASS, &last, "end a pass", error))
    return FALSE;
  *more = !last;
  return *more || finish_legacy_session(session, error);
}

static gboolean
read_legacy_range(SmbProfilerSession *session, guint range, double *values, GError **error) {
  return smb_nvperf_evaluate(session->nvperf, session->base.data, session->base.data_size, range,
                             values, error);
}

const SmbProfiler *
smb_profiler_legacy(void) {
  static const SmbProfiler profiler = {"CUPTI's Profiler (CUDA 12)",
                                       open_legacy_session,
                                       begin_legacy_pass,
                                       push_legacy_range,
                                       pop_legacy_range,
                                       end_legacy_pass,
                                       read_legacy_range,
                                       smb_cupti_close,
                                       smb_cupti_count_instructions};
  return &profiler;
}
