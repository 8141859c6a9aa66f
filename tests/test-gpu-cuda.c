// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The ways of this machine to read hardware counters: which there are, which SMEMBANK_PROFILER leaves, and
// that each one which cannot be used here says why.
#include <check.h>

#include "gpu/cuda.h"
#include "gpu/error.h"
#include "tests/suite.h"

#define RANGE  "CUPTI's Range Profiler"
#define LEGACY "CUPTI's Profiler (CUDA 12)"

static const struct {
  const char *chosen; // NULL: not set
  const char *names[3];
} choices[] = {
    {NULL, {RANGE, LEGACY}}, {"", {RANGE, LEGACY}}, {"range", {RANGE}},
    {"legacy", {LEGACY}},    {"other", {"none"}},
};

static void
choose(const char *name) {
  if (name)
    g_setenv("SMEMBANK_PROFILER", name, TRUE);
  else
    g_unsetenv("SMEMBANK_PROFILER");
}

START_TEST(test_choice) {
  const SmbCuda *cuda = smb_cuda_real();
  guint n = 0;
  choose(choices[_i].chosen);
  for (; choices[_i].names[n]; n++)
    ck_assert_str_eq(cuda->profiler(n)->name, choices[_i].names[n]);
  ck_assert_ptr_null(cuda->profiler(n));
}
END_TEST

START_TEST(test_unknown) {
  g_autoptr(GError) error = NULL;
  choose("other");
  ck_assert_ptr_null(smb_cuda_real()->profiler(0)->open(0, NULL, 0, 1, &error));
  ck_assert(g_error_matches(error, SMB_GPU_ERROR, SMB_GPU_ERROR_COUNTERS));
  ck_assert_str_eq(error->message, "SMEMBANK_PROFILER is 'other': expected 'range' or 'legacy'");
}
END_TEST

// Without a context nothing can be counted, whatever this machine has. What was begun is ended: a second
// time comes as far.
START_TEST(test_refused) {
  static const char *const metrics[] = {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"};
  g_autoptr(GError) first = NULL, second = NULL;
  choose(NULL);
  const SmbProfiler *profiler = smb_cuda_real()->profiler((guint)_i);
  ck_assert_ptr_null(profiler->open(0, metrics, 1, 4, &first));
  // A machine without CUPTI has no profiler at all.
  ck_assert(g_error_matches(first, SMB_GPU_ERROR, SMB_GPU_ERROR_COUNTERS) ||
            g_error_matches(first, SMB_GPU_ERROR, SMB_GPU_ERROR_NO_PROFILER));
  ck_assert_ptr_null(profiler->open(0, metrics, 1, 4, &second));
  ck_assert_str_eq(first->message, second->message);
}
END_TEST

Suite *
suite_gpu_cuda(void) {
  Suite *suite = suite_create("gpu-cuda");
  TCase *group = tcase_create("profilers");
  tcase_add_loop_test(group, test_choice, 0, G_N_ELEMENTS(choices));
  tcase_add_test(group, test_unknown);
  tcase_add_loop_test(group, test_refused, 0, 2);
  suite_add_tcase(suite, group);
  return suite;
}
