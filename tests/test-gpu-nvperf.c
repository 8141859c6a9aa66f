// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Metrics by name, through the perf host library of this machine: what it plans for chips that need not be
// here. Skipped where there is no such library.
#include <check.h>
#include <string.h>

#include "gpu/cuda.h"
#include "gpu/cupti/nvperf.h"
#include "gpu/error.h"
#include "tests/suite.h"

// The vendor's library has thread-local storage that LeakSanitizer of gcc 12 cannot walk: it crashes now and
// then. Leaks of our side are found by test-gpu-cupti-legacy, which brings a library of its own.
int __lsan_is_turned_off(void);

int
__lsan_is_turned_off(void) {
  return 1;
}

#define WAVEFRONTS    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"
#define WAVEFRONTS_LD "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"

// All that is ever counted (gpu/worker.c, gpu/worker.h).
static const char *const metrics[] = {
    WAVEFRONTS,
    WAVEFRONTS_LD,
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
    "smsp__sass_inst_executed_op_shared_ld.sum",
    "smsp__sass_inst_executed_op_shared_st.sum",
    "smsp__sass_inst_executed_op_shared_atom.sum",
    "smsp__inst_executed_op_shared_ld.sum",
    "smsp__inst_executed_op_shared_st.sum",
    "smsp__inst_executed_op_shared_atom.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
};

static SmbNvperf *
make_nvperf(const char *chip, const char *const *names, guint n, GError **error) {
  g_autofree char *reason = NULL;
  gpointer cupti = smb_cuda_open_library(SMB_CUDA_CUPTI, &reason);
  return smb_nvperf_new(cupti, chip, NULL, names, n, error);
}

// Both images of some metrics can be made, more than once, and come out the same.
static void
check_images(const char *chip, const char *const *names, guint n) {
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbNvperf) nvperf = make_nvperf(chip, names, n, &error);
  ck_assert_msg(nvperf, "%s: %s", chip, error ? error->message : "no reason");
  g_autoptr(GBytes) config = smb_nvperf_config(nvperf, &error);
  ck_assert_msg(config, "%s: %s", chip, error ? error->message : "no reason");
  g_autoptr(GBytes) prefix = smb_nvperf_prefix(nvperf, &error);
  ck_assert_msg(prefix, "%s: %s", chip, error ? error->message : "no reason");
  g_autoptr(GBytes) config_again = smb_nvperf_config(nvperf, &error);
  g_autoptr(GBytes) prefix_again = smb_nvperf_prefix(nvperf, &error);
  ck_assert_uint_gt(g_bytes_get_size(config), 0);
  ck_assert_uint_gt(g_bytes_get_size(prefix), 0);
  ck_assert(config_again && g_bytes_equal(config, config_again));
  ck_assert(prefix_again && g_bytes_equal(prefix, prefix_again));
}

// A chip of each capability from 7.5 to 9.0: what CUDA 12.0 and 13.0 both know.
static const char *const chips[] = {"TU102", "GA100", "GA102", "AD102", "GH100"};

START_TEST(test_chip) {
  check_images(chips[_i], metrics, G_N_ELEMENTS(metrics));
}
END_TEST

START_TEST(test_metric) {
  check_images("GH100", &metrics[_i], 1);
}
END_TEST

// What is planned depends on the metrics, but not on how often one is asked for.
START_TEST(test_metrics) {
  const char *const twice[] = {metrics[0], metrics[0]};
  g_autoptr(SmbNvperf) one = make_nvperf("GH100", metrics, 1, NULL);
  g_autoptr(SmbNvperf) two = make_nvperf("GH100", metrics, 2, NULL);
  g_autoptr(SmbNvperf) same = make_nvperf("GH100", twice, 2, NULL);
  ck_assert(one && two && same);
  g_autoptr(GBytes) config_one = smb_nvperf_config(one, NULL);
  g_autoptr(GBytes) config_two = smb_nvperf_config(two, NULL);
  g_autoptr(GBytes) config_same = smb_nvperf_config(same, NULL);
  ck_assert(config_one && config_two && config_same);
  ck_assert(!g_bytes_equal(config_one, config_two));
  ck_assert(g_bytes_equal(config_one, config_same));
}
END_TEST

static const struct {
  const char *chip;
  const char *metrics[2];
  const char *message; // NULL: any, since the library's own
} refused[] = {
    {"GH100", {"nonsense.sum", WAVEFRONTS}, "the chip GH100 has no metric 'nonsense.sum'"},
    {"GH100", {WAVEFRONTS, "nonsense.sum"}, "the chip GH100 has no metric 'nonsense.sum'"},
    {"GH100", {WAVEFRONTS, "nonsense"}, "the chip GH100 has no metric 'nonsense'"},
    {"GH100", {WAVEFRONTS, ""}, "the chip GH100 has no metric ''"},
    // The sum, or the mean, of all multiprocessors is to be said.
    {"GH100",
     {"smsp__inst_executed_op_shared_ld", WAVEFRONTS},
     "the chip GH100 has no metric 'smsp__inst_executed_op_shared_ld'"},
    {"XX999", {WAVEFRONTS, WAVEFRONTS_LD}, NULL},
    {"", {WAVEFRONTS, WAVEFRONTS_LD}, NULL},
};

START_TEST(test_refused) {
  g_autoptr(GError) error = NULL;
  ck_assert_ptr_null(make_nvperf(refused[_i].chip, refused[_i].metrics, 2, &error));
  ck_assert(g_error_matches(error, SMB_GPU_ERROR, SMB_GPU_ERROR_COUNTERS));
  if (refused[_i].message)
    ck_assert_str_eq(error->message, refused[_i].message);
  else
    ck_assert(g_str_has_prefix(error->message, "libnvperf_host.so could not prepare the metrics"));
}
END_TEST

// What holds no counters is not evaluated.
START_TEST(test_no_data) {
  guint8 data[4096] = {0};
  double values[1];
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbNvperf) nvperf = make_nvperf("GH100", metrics, 1, NULL);
  ck_assert_ptr_nonnull(nvperf);
  ck_assert(!smb_nvperf_evaluate(nvperf, data, sizeof data, 0, values, &error));
  ck_assert(g_error_matches(error, SMB_GPU_ERROR, SMB_GPU_ERROR_COUNTERS));
}
END_TEST

Suite *
suite_gpu_nvperf(void) {
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbNvperf) nvperf = make_nvperf("GH100", metrics, 1, &error);
  if (!nvperf && strstr(error->message, "not found")) {
    g_print("%s\n", error->message);
    return NULL;
  }
  Suite *suite = suite_create("gpu-nvperf");
  TCase *group = tcase_create("metrics");
  tcase_add_loop_test(group, test_chip, 0, G_N_ELEMENTS(chips));
  tcase_add_loop_test(group, test_metric, 0, G_N_ELEMENTS(metrics));
  tcase_add_test(group, test_metrics);
  tcase_add_loop_test(group, test_refused, 0, G_N_ELEMENTS(refused));
  tcase_add_test(group, test_no_data);
  suite_add_tcase(suite, group);
  return suite;
}
