// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// CUPTI's older profiler on a made-up CUPTI, which is this program itself: what is called, in which order,
// with structures of which size; and that what was begun is ended, whichever call fails.
#include <check.h>
#include <dlfcn.h>
#include <string.h>

#include "gpu/cuda.h"
#include "gpu/cupti/cupti-legacy-abi.h"
#include "gpu/cupti/nvperf.h"
#include "gpu/error.h"
#include "tests/suite.h"

enum {
  ERROR_INVALID_OPERATION = 7, // CUptiResult
  DATA_BYTES = 96,
  SCRATCH_BYTES = 32,
  PASSES = 2,
};

// What was called, a word each, and what is begun, a letter each: Session, Config, Pass, Enabled, Range.
static struct {
  GString *calls;
  GString *begun;
  guint n_calls;
  guint fail_at; // the call that fails, counted from 1; 0: none
  int failure;   // and its result
  guint n_passes;
  gsize ranges_dropped;
} fake;

// A call: whether it fails now.
static int
called(const char *name, size_t size, size_t expected) {
  ck_assert_msg(size == expected, "%s: structSize is %zu, expected %zu", name, size, expected);
  g_string_append_printf(fake.calls, "%s ", name);
  return ++fake.n_calls == fake.fail_at ? fake.failure : CUPTI_SUCCESS;
}

static int
begun(int result, const char *outside, char what) {
  ck_assert_msg(strcmp(fake.begun->str, outside) == 0, "%c is begun in '%s'", what,
                fake.begun->str);
  if (result == CUPTI_SUCCESS)
    g_string_append_c(fake.begun, what);
  return result;
}

static int
ended(int result, char what) {
  ck_assert_msg(fake.begun->len > 0 && fake.begun->str[fake.begun->len - 1] == what,
                "%c is ended in '%s'", what, fake.begun->str);
  if (result == CUPTI_SUCCESS)
    g_string_truncate(fake.begun, fake.begun->len - 1);
  return result;
}

// FAKE: a function of CUPTI. Its parameters are p, its result is r unless BODY returns another.
#define FAKE(symbol, word, type, last, BODY)                                                       \
  int symbol(type *p);                                                                             \
  int symbol(type *p) {                                                                            \
    int r = called(word, p->structSize, CUPTI_SIZE(type, last));                                   \
    ck_assert_ptr_null(p->pPriv);                                                                  \
    BODY;                                                                                          \
    return r;                                                                                      \
  }

// clang-format off
FAKE(cuptiProfilerInitialize, "init", CuptiInitialize, pPriv, )
FAKE(cuptiDeviceGetChipName, "chip", CuptiGetChipName, pChipName, p->pChipName = "MU100")
FAKE(cuptiProfilerGetCounterAvailability, "available", CuptiGetCounterAvailability, pCounterAvailabilityImage,
     p->counterAvailabilityImageSize = 16)
FAKE(cuptiProfilerCounterDataImageCalculateSize, "size", CuptiCounterDataGetSize, counterDataImageSize, {
  ck_assert_uint_eq(p->sizeofCounterDataImageOptions, p->pOptions->structSize);
  ck_assert_uint_eq(p->pOptions->structSize, CUPTI_SIZE(CuptiCounterDataOptions, maxRangeNameLength));
  ck_assert_uint_eq(p->pOptions->maxNumRanges, 2);
  ck_assert_uint_ge(p->pOptions->maxNumRangeTreeNodes, 2);
  ck_assert_uint_eq(p->pOptions->counterDataPrefixSize, 6);
  p->counterDataImageSize = DATA_BYTES;
})
FAKE(cuptiProfilerCounterDataImageInitialize, "data", CuptiCounterDataInitialize, pCounterDataImage, {
  ck_assert_uint_eq(p->counterDataImageSize, DATA_BYTES);
  memset(p->pCounterDataImage, 1, DATA_BYTES);
})
FAKE(cuptiProfilerCounterDataImageCalculateScratchBufferSize, "scratch-size", CuptiCounterDataGetScratchSize,
     counterDataScratchBufferSize, p->counterDataScratchBufferSize = SCRATCH_BYTES)
FAKE(cuptiProfilerCounterDataImageInitializeScratchBuffer, "scratch", CuptiCounterDataInitializeScratch,
     pCounterDataScratchBuffer, memset(p->pCounterDataScratchBuffer, 1, SCRATCH_BYTES))
FAKE(cuptiProfilerBeginSession, "session", CuptiProfilerBeginSession, maxLaunchesPerPass, {
  ck_assert_uint_eq(p->pCounterDataImage[DATA_BYTES - 1], 1);
  ck_assert_uint_eq(p->pCounterDataScratchBuffer[SCRATCH_BYTES - 1], 1);
  ck_assert_int_eq(p->range, CUPTI_USER_RANGE);
  ck_assert_int_eq(p->replayMode, CUPTI_USER_REPLAY);
  ck_assert_uint_eq(p->maxRangesPerPass, 2);
  ck_assert_uint_ge(p->maxLaunchesPerPass, p->maxRangesPerPass);
  r = begun(r, "", 'S');
})
FAKE(cuptiProfilerSetConfig, "config", CuptiProfilerSetConfig, targetNestingLevel, {
  ck_assert_int_eq(memcmp(p->pConfig, "config", p->configSize), 0);
  ck_assert_uint_eq(p->minNestingLevel, 1);
  ck_assert_uint_eq(p->numNestingLevels, 1);
  ck_assert_uint_eq(p->targetNestingLevel, 1);
  r = begun(r, "S", 'C');
})
FAKE(cuptiProfilerBeginPass, "pass", CuptiProfilerCall, ctx, r = begun(r, "SC", 'P'))
FAKE(cuptiProfilerEnableProfiling, "enable", CuptiProfilerCall, ctx, r = begun(r, "SCP", 'E'))
FAKE(cuptiProfilerPushRange, "push", CuptiProfilerPushRange, rangeNameLength, {
  ck_assert_uint_eq(p->rangeNameLength, strlen(p->pRangeName));
  r = begun(r, "SCPE", 'R');
})
FAKE(cuptiProfilerPopRange, "pop", CuptiProfilerCall, ctx, r = ended(r, 'R'))
FAKE(cuptiProfilerDisableProfiling, "disable", CuptiProfilerCall, ctx, r = ended(r, 'E'))
FAKE(cuptiProfilerEndPass, "end-pass", CuptiProfilerEndPass, allPassesSubmitted, {
  p->allPassesSubmitted = ++fake.n_passes == PASSES;
  r = ended(r, 'P');
})
FAKE(cuptiProfilerFlushCounterData, "flush", CuptiProfilerFlushCounterData, numTraceBytesDropped, {
  ck_assert_str_eq(fake.begun->str, "SC");
  p->numRangesDropped = fake.ranges_dropped;
})
FAKE(cuptiProfilerUnsetConfig, "unset", CuptiProfilerCall, ctx, r = ended(r, 'C'))
FAKE(cuptiProfilerEndSession, "end-session", CuptiProfilerCall, ctx, r = ended(r, 'S'))
// clang-format on

int cuptiGetResultString(int result, const char **text);
int
cuptiGetResultString(int result, const char **text) {
  ck_assert_int_eq(result, ERROR_INVALID_OPERATION);
  *text = "made up";
  return CUPTI_SUCCESS;
}

gpointer
smb_cuda_open_library(SmbCudaLibrary library, G_GNUC_UNUSED char **reason) {
  ck_assert_int_eq(library, SMB_CUDA_CUPTI);
  return dlopen(NULL, RTLD_NOW);
}

// The perf host library has a test of its own; here only memory that must be released.
struct _SmbNvperf {
  char *chip;
};

SmbNvperf *
smb_nvperf_new(gpointer cupti, const char *chip, const guint8 *availability,
               const char *const *metrics, guint n, GError **error) {
  ck_assert(cupti && availability);
  ck_assert_uint_eq(n, 1);
  if (strcmp(metrics[0], "metric") != 0) {
    g_set_error(error, SMB_GPU_ERROR, SMB_GPU_ERROR_COUNTERS, "no metric");
    return NULL;
  }
  SmbNvperf *nvperf = g_new0(SmbNvperf, 1);
  nvperf->chip = g_strdup(chip);
  return nvperf;
}

void
smb_nvperf_free(SmbNvperf *nvperf) {
  if (nvperf)
    g_free(nvperf->chip);
  g_free(nvperf);
}

GBytes *
smb_nvperf_config(const SmbNvperf *nvperf, G_GNUC_UNUSED GError **error) {
  ck_assert_str_eq(nvperf->chip, "MU100");
  return g_bytes_new("config", 6);
}

GBytes *
smb_nvperf_prefix(G_GNUC_UNUSED const SmbNvperf *nvperf, G_GNUC_UNUSED GError **error) {
  return g_bytes_new("prefix", 6);
}

gboolean
smb_nvperf_evaluate(G_GNUC_UNUSED const SmbNvperf *nvperf, const guint8 *data, gsize size,
                    guint range, double *values, G_GNUC_UNUSED GError **error) {
  ck_assert_uint_eq(size, DATA_BYTES);
  values[0] = 10 * data[0] + range;
  return TRUE;
}

static gboolean
run_passes(const SmbProfiler *profiler, SmbProfilerSession *session, GError **error) {
  gboolean more = TRUE;
  while (more) {
    if (!profiler->begin_pass(session, error) || !profiler->push(session, "0", error) ||
        !profiler->pop(session, error) || !profiler->push(session, "1", error) ||
        !profiler->pop(session, error) || !profiler->end_pass(session, &more, error))
      return FALSE;
  }
  return TRUE;
}

// Counts two ranges in two passes, until something fails.
static gboolean
count(const char *metric, double values[2], GError **error) {
  const SmbProfiler *profiler = smb_profiler_legacy();
  fake.calls = g_string_new(NULL);
  fake.begun = g_string_new(NULL);
  fake.n_calls = fake.n_passes = 0;
  SmbProfilerSession *session = profiler->open(0, &metric, 1, 2, error);
  gboolean ok = session && run_passes(profiler, session, error) &&
                profiler->read(session, 0, &values[0], error) &&
                profiler->read(session, 1, &values[1], error);
  if (session)
    profiler->close(session);
  return ok;
}

static void
forget(void) {
  g_string_free(fake.calls, TRUE);
  g_string_free(fake.begun, TRUE);
  memset(&fake, 0, sizeof fake);
}

#define OPEN "init chip available available size data scratch-size scratch session config "
#define PASS "pass enable push pop push pop disable end-pass "

START_TEST(test_calls) {
  double values[2];
  GError *error = NULL;
  ck_assert(count("metric", values, &error));
  ck_assert_str_eq(fake.calls->str, OPEN PASS PASS "flush unset end-session ");
  ck_assert_str_eq(fake.begun->str, "");
  ck_assert_double_eq(values[0], 10);
  ck_assert_double_eq(values[1], 11);
  forget();
}
END_TEST

// Every call fails in turn: the error is told, and nothing stays begun.
START_TEST(test_failure) {
  double values[2];
  g_autoptr(GError) error = NULL;
  fake.fail_at = (guint)_i;
  fake.failure = ERROR_INVALID_OPERATION;
  ck_assert(!count("metric", values, &error));
  ck_assert_uint_ge(fake.n_calls, fake.fail_at);
  ck_assert(g_error_matches(error, SMB_GPU_ERROR, SMB_GPU_ERROR_COUNTERS));
  ck_assert(g_str_has_prefix(error->message, "CUPTI could not "));
  ck_assert(g_str_has_suffix(error->message, ": made up"));
  ck_assert_str_eq(fake.begun->str, "");
  forget();
}
END_TEST

START_TEST(test_privileges) {
  double values[2];
  g_autoptr(GError) error = NULL;
  fake.fail_at = 9; // session
  fake.failure = CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
  ck_assert(!count("metric", values, &error));
  ck_assert(g_str_has_prefix(error->message, "this user may not read hardware counters"));
  ck_assert_str_eq(fake.calls->str, "init chip available available size data scratch-size scratch "
                                    "session ");
  forget();
}
END_TEST

START_TEST(test_dropped) {
  double values[2];
  g_autoptr(GError) error = NULL;
  fake.ranges_dropped = 1;
  ck_assert(!count("metric", values, &error));
  ck_assert_str_eq(error->message, "CUPTI dropped 1 range and 0 bytes of what it collected");
  ck_assert_str_eq(fake.begun->str, "");
  forget();
}
END_TEST

START_TEST(test_metric) {
  double values[2];
  g_autoptr(GError) error = NULL;
  ck_assert(!count("other", values, &error));
  ck_assert_str_eq(error->message, "no metric");
  ck_assert_str_eq(fake.calls->str, "init chip available available ");
  forget();
}
END_TEST

int
main(void) {
  Suite *suite = suite_create("gpu-cupti-legacy");
  TCase *group = tcase_create("calls");
  tcase_add_test(group, test_calls);
  tcase_add_loop_test(group, test_failure, 1, 30); // 29 calls: test_calls
  tcase_add_test(group, test_privileges);
  tcase_add_test(group, test_dropped);
  tcase_add_test(group, test_metric);
  suite_add_tcase(suite, group);
  return run_suite(suite);
}
