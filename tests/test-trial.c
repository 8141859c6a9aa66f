// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What counts as equal, and how often a difference must show, on the made-up GPU.
#include "src/measure/trial.h"

#include <check.h>

#include "gpu/error.h"
#include "sim/arch/arch.h"
#include "sim/trace/pattern.h"
#include "tests/fake-meter.h"

enum {
  N_REQUESTS = 3000, // more than are counted at once
  N_COUNTED = 1500,
  LD_U32 = 2, // index of "ld.u32"
};

// A prediction, what was measured, and whether it matches: by the clock as equal and as a lower bound, by
// counters likewise.
static const struct {
  guint predicted;
  double measured;
  gboolean clock, clock_at_least, count, count_at_least;
} matches[] = {
    {4, 4.0, TRUE, TRUE, TRUE, TRUE},     {4, 4.1, TRUE, TRUE, TRUE, TRUE},
    {4, 4.3, TRUE, TRUE, FALSE, TRUE},    {4, 4.49, TRUE, TRUE, FALSE, TRUE},
    {4, 4.5, FALSE, TRUE, FALSE, TRUE},   {4, 5.1, FALSE, TRUE, FALSE, TRUE},
    {4, 3.9, TRUE, TRUE, TRUE, TRUE},     {4, 3.81, TRUE, TRUE, FALSE, FALSE},
    {4, 3.7, FALSE, FALSE, FALSE, FALSE}, {4, 3.1, FALSE, FALSE, FALSE, FALSE},
    {0, 0.0, TRUE, TRUE, TRUE, TRUE},     {0, -0.02, TRUE, TRUE, TRUE, TRUE},
    {0, 1.0, FALSE, TRUE, FALSE, TRUE},
};

START_TEST(test_matches) {
  guint predicted = matches[_i].predicted;
  double measured = matches[_i].measured;
  ck_assert_int_eq(smb_trial_cycles_match(SMB_COMPARE_EQUAL, predicted, measured),
                   matches[_i].clock);
  ck_assert_int_eq(smb_trial_cycles_match(SMB_COMPARE_AT_LEAST, predicted, measured),
                   matches[_i].clock_at_least);
  ck_assert_int_eq(smb_trial_wavefronts_match(SMB_COMPARE_EQUAL, predicted, measured),
                   matches[_i].count);
  ck_assert_int_eq(smb_trial_wavefronts_match(SMB_COMPARE_AT_LEAST, predicted, measured),
                   matches[_i].count_at_least);
}
END_TEST

// A trial of random loads, predicted as the made-up GPU does.
static void
make_trial(SmbTrial *trial) {
  g_autoptr(SmbArch) arch = smb_arch_load("sm_90", NULL);
  SmbRandom random = smb_random_new(1);
  smb_trial_init(trial, N_REQUESTS);
  smb_trial_begin(trial, arch, LD_U32, N_REQUESTS);
  for (guint i = 0; i < N_REQUESTS; i++)
    smb_pattern_request(&random, SMB_NVIDIA_LANES, SMB_OP_LD, 4, FAKE_SHARED_BYTES,
                        &trial->requests[i]);
  smb_wavefronts_count_span(arch, smb_counter_best(), trial->requests, N_REQUESTS,
                            trial->predicted);
}

// Each second request.
static GArray *
choose_counted(void) {
  GArray *which = g_array_new(FALSE, FALSE, sizeof(gsize));
  for (gsize i = 0; i < N_COUNTED; i++) {
    gsize at = 2 * i;
    g_array_append_val(which, at);
  }
  return which;
}

static guint
count_verdicts(const guint8 *verdicts, SmbVerdict verdict) {
  guint n = 0;
  for (guint i = 0; i < N_REQUESTS; i++)
    n += verdicts[i] == verdict;
  return n;
}

// How the readings come out on a machine with a fault.
static const struct {
  const char *fault;
  SmbVerdict clock, count; // of all that are measured
} faults[] = {
    {"", SMB_VERDICT_MATCH, SMB_VERDICT_MATCH},
    {"more-cycles", SMB_VERDICT_MISMATCH, SMB_VERDICT_MATCH},
    {"more-wavefronts", SMB_VERDICT_MATCH, SMB_VERDICT_MISMATCH},
};

START_TEST(test_verdicts) {
  SmbMeter *meter = start_meter(faults[_i].fault, SMB_METER_TIMEOUT_MS);
  g_auto(SmbTrial) trial;
  g_autoptr(GArray) which = choose_counted();
  make_trial(&trial);
  ck_assert_uint_eq(count_verdicts(trial.clock, SMB_VERDICT_NONE), N_REQUESTS);
  ck_assert(smb_trial_clock(meter, &trial, NULL));
  ck_assert(smb_trial_count(meter, &trial, (const gsize *)(gpointer)which->data, which->len, NULL));
  ck_assert_uint_eq(count_verdicts(trial.clock, faults[_i].clock), N_REQUESTS);
  ck_assert_uint_eq(count_verdicts(trial.count, faults[_i].count), N_COUNTED);
  ck_assert_uint_eq(count_verdicts(trial.count, SMB_VERDICT_NONE), N_REQUESTS - N_COUNTED);
  ck_assert_double_eq(trial.wavefronts[1], SMB_NOT_MEASURED);
  ck_assert_int_eq(smb_trial_differs(&trial, 0), faults[_i].fault[0] != '\0');
  ck_assert(!smb_trial_is_unsteady(&trial, 0));
  stop_meter(meter);
}
END_TEST

// What differs once is neither hidden nor a mismatch, and its last reading stands.
START_TEST(test_unsteady) {
  SmbMeter *meter = start_meter("noisy-clock", SMB_METER_TIMEOUT_MS);
  g_auto(SmbTrial) trial;
  make_trial(&trial);
  ck_assert(smb_trial_clock(meter, &trial, NULL));
  guint unsteady = count_verdicts(trial.clock, SMB_VERDICT_UNSTEADY);
  ck_assert_uint_gt(unsteady, N_REQUESTS / 32);
  ck_assert_uint_eq(count_verdicts(trial.clock, SMB_VERDICT_MATCH), N_REQUESTS - unsteady);
  for (guint i = 0; i < N_REQUESTS; i++) {
    ck_assert_int_eq(smb_trial_is_unsteady(&trial, i), trial.clock[i] == SMB_VERDICT_UNSTEADY);
    ck_assert(
        smb_trial_cycles_match(SMB_COMPARE_EQUAL, trial.predicted[i].cycles, trial.cycles[i]));
  }
  stop_meter(meter);
}
END_TEST

// What fails is reported with the instruction; what ends all measuring by a code of its own.
static const struct {
  const char *fault;
  gboolean count;
  SmbGpuError code;
  const char *message;
} failures[] = {
    {"compile-error", FALSE, SMB_GPU_ERROR_COMPILE, "ld.u32: the probe does not compile"},
    {"no-permission", TRUE, SMB_GPU_ERROR_UNAVAILABLE, "ld.u32: this user may not read"},
    {"lost-device", FALSE, SMB_GPU_ERROR_UNAVAILABLE, "ld.u32: could not run the kernel: CUDA"},
    {"crash", FALSE, SMB_GPU_ERROR_UNAVAILABLE, "ld.u32: the measuring process was killed"},
    {"hang", FALSE, SMB_GPU_ERROR_UNAVAILABLE, "ld.u32: timed out after 1 second"},
};

START_TEST(test_failures) {
  SmbMeter *meter = start_meter(failures[_i].fault, 300);
  g_auto(SmbTrial) trial;
  g_autoptr(GArray) which = choose_counted();
  g_autoptr(GError) error = NULL;
  make_trial(&trial);
  gboolean ok =
      failures[_i].count
          ? smb_trial_count(meter, &trial, (const gsize *)(gpointer)which->data, which->len, &error)
          : smb_trial_clock(meter, &trial, &error);
  ck_assert(!ok);
  ck_assert_msg(g_error_matches(error, SMB_GPU_ERROR, (int)failures[_i].code), "%s",
                error->message);
  ck_assert_msg(g_str_has_prefix(error->message, failures[_i].message), "%s", error->message);
  stop_meter(meter);
}
END_TEST

Suite *
suite_trial(void) {
  Suite *suite = suite_create("trial");
  TCase *tcase = tcase_create("trial");
  tcase_add_loop_test(tcase, test_matches, 0, G_N_ELEMENTS(matches));
  tcase_add_loop_test(tcase, test_verdicts, 0, G_N_ELEMENTS(faults));
  tcase_add_test(tcase, test_unsteady);
  tcase_add_loop_test(tcase, test_failures, 0, G_N_ELEMENTS(failures));
  suite_add_tcase(suite, tcase);
  return suite;
}
