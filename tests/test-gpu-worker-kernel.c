// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Kernels on the made-up GPU, through a process of their own: what comes back, and that a kernel that
// fails takes no other one with it.
#include <check.h>
#include <string.h>

#include "gpu/error.h"
#include "tests/fake-cuda.h"
#include "tests/fake-meter.h"

enum {
  SHORT_MS = 300,
  THREADS = 64,
  N_TIMES = 5,
};

// Two kernels: "good" and, for the faults, "bad". The loads by columns are two-way.
static const char text[] =
    "__global__ void good(int *out, const int *in, int shift, float scale) {\n"
    "  __shared__ int tile[128];\n"
    "  tile[threadIdx.x] = in[threadIdx.x] + shift;\n"
    "  __syncthreads();\n"
    "  out[threadIdx.x] = tile[threadIdx.x * 2 % 64] * (int)scale * FACTOR;\n"
    "}\n"
    "__global__ void bad(int *out, const int *in, int shift, float scale) {\n"
    "  __shared__ int tile[64];\n"
    "  tile[threadIdx.x] = in[threadIdx.x];\n"
    "}\n";

static void
argument_free(gpointer data) {
  SmbMeterArgument *argument = data;
  g_bytes_unref(argument->bytes);
  g_free(argument);
}

static void
add_argument(GPtrArray *arguments, gboolean is_pointer, gconstpointer bytes, gsize n) {
  SmbMeterArgument *argument = g_new0(SmbMeterArgument, 1);
  argument->is_pointer = is_pointer;
  argument->bytes = g_bytes_new(bytes, n);
  g_ptr_array_add(arguments, argument);
}

static GPtrArray *
make_arguments(void) {
  gint32 numbers[THREADS], shift = -7;
  float scale = 3;
  for (gint32 i = 0; i < THREADS; i++)
    numbers[i] = i;
  GPtrArray *arguments = g_ptr_array_new_with_free_func(argument_free);
  add_argument(arguments, TRUE, numbers, sizeof numbers);
  add_argument(arguments, TRUE, numbers, sizeof numbers);
  add_argument(arguments, FALSE, &shift, sizeof shift);
  add_argument(arguments, FALSE, &scale, sizeof scale);
  return arguments;
}

// What was measured of a kernel.
typedef struct {
  SmbMeterResult of;
  GError *error;
} Result;

static gboolean
measure(SmbMeter *meter, const char *entry, Result *result) {
  static const char *const defines[] = {"FACTOR=10", NULL};
  g_autoptr(GPtrArray) arguments = make_arguments();
  g_autoptr(GBytes) code = g_bytes_new_static(text, strlen(text));
  SmbMeterLaunch launch = {.code = code,
                           .file = "test.cu",
                           .entry = entry,
                           .defines = defines,
                           .grid = {1, 1, 1},
                           .block = {THREADS, 1, 1},
                           .arguments = arguments,
                           .n_times = N_TIMES};
  *result = (Result){.error = NULL};
  return smb_meter_kernel(meter, &launch, &result->of, &result->error);
}

static void
result_clear(Result *result) {
  smb_meter_result_clear(&result->of);
  g_clear_error(&result->error);
}

// The good kernel gives its values. @counts: whether it is to give its counters as well.
static void
check_good(SmbMeter *meter, gboolean counts) {
  Result result;
  ck_assert_msg(measure(meter, "good", &result), "%s", result.error ? result.error->message : "");
  static const struct {
    SmbMetric metric;
    double value;
  } wanted[] = {
      {SMB_METRIC_WAVEFRONTS_LD, 4},
      {SMB_METRIC_WAVEFRONTS_ST, 2},
      {SMB_METRIC_WAVEFRONTS_ATOM, 0},
      {SMB_METRIC_INSTRUCTIONS_LD, 2},
      {SMB_METRIC_INSTRUCTIONS_ST, 2},
      {SMB_METRIC_INSTRUCTIONS_ATOM, 0},
      {SMB_METRIC_SECTORS_LD, 8},
      {SMB_METRIC_SECTORS_ST, 8},
      {SMB_METRIC_WAYS_LD, SMB_NOT_MEASURED},
  };
  for (guint i = 0; i < G_N_ELEMENTS(wanted); i++)
    ck_assert_double_eq(result.of.measured[wanted[i].metric],
                        counts ? wanted[i].value : SMB_NOT_MEASURED);
  const GArray *warm = result.of.times[SMB_CACHE_WARM], *cold = result.of.times[SMB_CACHE_COLD];
  ck_assert_uint_eq(warm->len, N_TIMES);
  ck_assert_uint_eq(cold->len, N_TIMES);
  for (guint i = 0; i < N_TIMES; i++) {
    ck_assert_double_gt(g_array_index(warm, double, i), 0);
    ck_assert_double_eq(g_array_index(cold, double, i),
                        g_array_index(warm, double, i) + FAKE_COLD_US);
  }
  ck_assert_uint_eq(result.of.contents->len, 4);
  ck_assert_ptr_null(g_ptr_array_index(result.of.contents, 2));
  gsize bytes;
  const gint32 *out = g_bytes_get_data(g_ptr_array_index(result.of.contents, 0), &bytes);
  ck_assert_uint_eq(bytes, THREADS * sizeof *out);
  for (gint32 i = 0; i < THREADS; i++)
    ck_assert_int_eq(out[i], (i * 2 % 64 - 7) * 30);
  result_clear(&result);
}

// The kernel runs warm before it is counted: the counters must be those of the initial contents.
START_TEST(test_kernel) {
  static const struct {
    const char *fault, *wavefronts, *instructions;
  } chips[] = {
      {"",
       "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum + "
       "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm.sum",
       "smsp__sass_inst_executed_op_shared_ld.sum + smsp__sass_inst_executed_op_ldsm.sum"},
      {"no-sass", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
       "smsp__inst_executed_op_shared_ld.sum"},
  };
  SmbMeter *meter = start_meter(chips[_i].fault, SMB_METER_TIMEOUT_MS);
  check_good(meter, TRUE);
  check_good(meter, TRUE);
  ck_assert_str_eq(smb_meter_counter(meter, SMB_METRIC_WAVEFRONTS_LD), chips[_i].wavefronts);
  ck_assert_str_eq(smb_meter_counter(meter, SMB_METRIC_INSTRUCTIONS_LD), chips[_i].instructions);
  ck_assert_ptr_null(smb_meter_counter(meter, SMB_METRIC_WAYS_LD));
  stop_meter(meter);
}
END_TEST

// A fault of one kernel: the other is measured before and after.
static const struct {
  const char *fault;
  SmbGpuError code;
  const char *message;
} failures[] = {
    {"crash:bad", SMB_GPU_ERROR_LAUNCH, "the measuring process was killed by signal 9 (Killed)"},
    {"hang:bad", SMB_GPU_ERROR_TIMEOUT, "timed out after 1 second"},
    {"launch-failure:bad", SMB_GPU_ERROR_LAUNCH,
     "could not run the kernel: unspecified launch failure"},
    {"launch-failure:bad@3", SMB_GPU_ERROR_LAUNCH,
     "could not run the kernel: unspecified launch failure"},
    {"crash:bad@10", SMB_GPU_ERROR_LAUNCH, "the measuring process was killed by signal 9 (Killed)"},
    {"launch-refused:bad", SMB_GPU_ERROR_LAUNCH,
     "could not launch the kernel: invalid configuration argument"},
    {"lost-device:bad", SMB_GPU_ERROR_LAUNCH,
     "could not run the kernel: CUDA-capable device(s) is/are busy or unavailable"},
    {"compile-error:bad", SMB_GPU_ERROR_COMPILE,
     "the compiler rejects it: test.cu(1): error: this is the fault of the made-up GPU"},
};

START_TEST(test_failure) {
  SmbMeter *meter = start_meter(failures[_i].fault, SHORT_MS);
  Result result;
  check_good(meter, TRUE);
  ck_assert(!measure(meter, "bad", &result));
  ck_assert_str_eq(result.error->message, failures[_i].message);
  ck_assert(g_error_matches(result.error, SMB_GPU_ERROR, (int)failures[_i].code));
  ck_assert_ptr_null(result.of.contents);
  result_clear(&result);
  check_good(meter, TRUE);
  stop_meter(meter);
}
END_TEST

// PTX: doubles what the second buffer holds, and adds a structure of two numbers, which is passed as it is.
static const char ptx[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry twice(.param .u64 out, .param .u64 in, .param .align 4 .b8 pair[8]) {\n"
    "  .reg .b32 %r<6>; .reg .b64 %d<6>; .shared .align 4 .b8 tile[256];\n"
    "  ld.param.u64 %d1, [out]; ld.param.u64 %d2, [in]; ld.param.u32 %r4, [pair+4];\n"
    "  mov.u32 %r1, %tid.x; mul.wide.u32 %d3, %r1, 4; add.u64 %d2, %d2, %d3; add.u64 %d1, %d1, "
    "%d3;\n"
    "  ld.global.u32 %r2, [%d2]; shl.b32 %r3, %r1, 2; mov.u32 %r5, tile; add.u32 %r5, %r5, %r3;\n"
    "  st.shared.u32 [%r5], %r2; ld.shared.u32 %r2, [%r5]; shl.b32 %r2, %r2, 1;\n"
    "  add.u32 %r2, %r2, %r4; st.global.u32 [%d1], %r2; ret;\n}\n";

static gboolean
measure_ptx(SmbMeter *meter, const char *symbol, Result *result) {
  static const char *const no_defines[] = {NULL};
  gint32 numbers[THREADS], pair[2] = {1, 1000};
  for (gint32 i = 0; i < THREADS; i++)
    numbers[i] = i;
  g_autoptr(GPtrArray) arguments = g_ptr_array_new_with_free_func(argument_free);
  add_argument(arguments, TRUE, numbers, sizeof numbers);
  add_argument(arguments, TRUE, numbers, sizeof numbers);
  add_argument(arguments, FALSE, pair, sizeof pair);
  g_autoptr(GBytes) code = g_bytes_new_static(ptx, sizeof ptx);
  SmbMeterLaunch launch = {.code = code,
                           .file = "own.ptx",
                           .entry = symbol,
                           .symbol = symbol,
                           .defines = no_defines,
                           .grid = {1, 1, 1},
                           .block = {THREADS, 1, 1},
                           .arguments = arguments,
                           .n_times = N_TIMES};
  *result = (Result){.error = NULL};
  return smb_meter_kernel(meter, &launch, &result->of, &result->error);
}

START_TEST(test_ptx) {
  SmbMeter *meter = start_meter("", SMB_METER_TIMEOUT_MS);
  Result result;
  ck_assert_msg(measure_ptx(meter, "twice", &result), "%s",
                result.error ? result.error->message : "");
  ck_assert_double_eq(result.of.measured[SMB_METRIC_WAVEFRONTS_LD], 2);
  ck_assert_double_eq(result.of.measured[SMB_METRIC_INSTRUCTIONS_ST], 2);
  const gint32 *out = g_bytes_get_data(g_ptr_array_index(result.of.contents, 0), NULL);
  for (gint32 i = 0; i < THREADS; i++)
    ck_assert_int_eq(out[i], 2 * i + 1000);
  result_clear(&result);
  stop_meter(meter);
}
END_TEST

// The driver does not assemble it, or has no such kernel; the process goes on after the first.
START_TEST(test_ptx_failure) {
  static const struct {
    const char *fault, *symbol, *message;
    SmbGpuError code;
  } cases[] = {
      {"compile-error:twice", "twice",
       "the driver rejects it: own.ptx:3: error: this is the fault of the made-up GPU\n"
       "ptxas fatal   : Ptx assembly aborted due to errors",
       SMB_GPU_ERROR_COMPILE},
      {"", "thrice", "could not load the kernel: named symbol not found", SMB_GPU_ERROR_LAUNCH},
      {"launch-refused:twice", "twice",
       "could not launch the kernel: invalid configuration argument", SMB_GPU_ERROR_LAUNCH},
  };
  SmbMeter *meter = start_meter(cases[_i].fault, SMB_METER_TIMEOUT_MS);
  Result result;
  ck_assert(!measure_ptx(meter, cases[_i].symbol, &result));
  ck_assert_str_eq(result.error->message, cases[_i].message);
  ck_assert(g_error_matches(result.error, SMB_GPU_ERROR, (int)cases[_i].code));
  result_clear(&result);
  check_good(meter, TRUE);
  stop_meter(meter);
}
END_TEST

// A device that stays lost: no process finds it again.
START_TEST(test_lost) {
  g_autofree char *folder = g_dir_make_tmp("smembank-XXXXXX", NULL);
  g_autofree char *file = g_build_filename(folder, "lost", NULL);
  g_setenv("SMEMBANK_FAKE_LOST", file, TRUE);
  SmbMeter *meter = start_meter("lost-device:bad", SHORT_MS);
  Result result;
  check_good(meter, TRUE);
  ck_assert(!measure(meter, "bad", &result));
  ck_assert(g_error_matches(result.error, SMB_GPU_ERROR, SMB_GPU_ERROR_LAUNCH));
  result_clear(&result);
  ck_assert(!measure(meter, "good", &result));
  ck_assert(g_error_matches(result.error, SMB_GPU_ERROR, SMB_GPU_ERROR_UNAVAILABLE));
  ck_assert_str_eq(result.error->message,
                   "no usable GPU (CUDA-capable device(s) is/are busy or unavailable)");
  result_clear(&result);
  stop_meter(meter);
  unlink(file);
  rmdir(folder);
}
END_TEST

// Without memory to flush the cache with, which is the third that is asked for, there are no times with cold
// caches; all else is measured.
START_TEST(test_no_flush) {
  SmbMeter *meter = start_meter("out-of-memory@3", SMB_METER_TIMEOUT_MS);
  Result result;
  ck_assert_msg(measure(meter, "good", &result), "%s", result.error ? result.error->message : "");
  ck_assert_uint_eq(result.of.times[SMB_CACHE_WARM]->len, N_TIMES);
  ck_assert_uint_eq(result.of.times[SMB_CACHE_COLD]->len, 0);
  ck_assert_double_eq(result.of.measured[SMB_METRIC_WAVEFRONTS_LD], 4);
  result_clear(&result);
  stop_meter(meter);
}
END_TEST

// Counters are refused: values and times come all the same.
START_TEST(test_refused) {
  static const char *const faults[] = {"no-permission", "no-cupti"};
  SmbMeter *meter = start_meter(faults[_i], SMB_METER_TIMEOUT_MS);
  check_good(meter, FALSE);
  stop_meter(meter);
}
END_TEST

Suite *
suite_gpu_worker_kernel(void) {
  Suite *suite = suite_create("gpu-worker-kernel");
  TCase *group = tcase_create("kernel");
  tcase_add_loop_test(group, test_kernel, 0, 2);
  tcase_add_loop_test(group, test_failure, 0, G_N_ELEMENTS(failures));
  tcase_add_test(group, test_lost);
  tcase_add_test(group, test_no_flush);
  tcase_add_loop_test(group, test_refused, 0, 2);
  tcase_add_test(group, test_ptx);
  tcase_add_loop_test(group, test_ptx_failure, 0, 3);
  suite_add_tcase(suite, group);
  return suite;
}
