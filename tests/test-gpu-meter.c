// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Measuring requests through a process of its own, and what is said of the device. Kernels have a test of
// their own (tests/test-gpu-worker-kernel.c).
#include "gpu/meter.h"

#include <check.h>

#include "gpu/error.h"
#include "sim/arch/arch.h"
#include "sim/count/wavefront.h"
#include "tests/fake-meter.h"

enum {
  SHORT_MS = 300,
  LD_U32 = 2, // index of "ld.u32"
};

START_TEST(test_device) {
  SmbMeter *meter = start_meter("", SMB_METER_TIMEOUT_MS);
  const SmbMeterDevice *device = smb_meter_device(meter);
  ck_assert_int_eq(device->index, 0);
  ck_assert_str_eq(device->name, "Made-up GPU");
  ck_assert_uint_eq(device->capability_major, 9);
  ck_assert_uint_eq(device->capability_minor, 0);
  ck_assert_uint_eq(device->multiprocessors, 132);
  ck_assert_uint_eq(device->shared_bytes, FAKE_SHARED_BYTES);
  ck_assert_str_eq(device->driver, "100.01");
  ck_assert_str_eq(device->cuda_driver, "13.1");
  ck_assert_str_eq(device->toolkit, "13.0");
  ck_assert_str_eq(device->profiler, "made-up counters");
  ck_assert_ptr_null(device->refusal);
  stop_meter(meter);
}
END_TEST

// Counters are refused: the clock goes on.
START_TEST(test_refused) {
  static const struct {
    const char *fault, *refusal;
  } refusals[] = {
      {"no-permission", "this user may not read hardware counters (made up)"},
      {"no-cupti", "libcupti.so.13 not found"},
  };
  SmbMeter *meter = start_meter(refusals[_i].fault, SMB_METER_TIMEOUT_MS);
  SmbRequest request = {.mask = 1, .op = SMB_OP_LD, .width = 4};
  double value;
  g_autoptr(GError) error = NULL;
  ck_assert_ptr_null(smb_meter_device(meter)->profiler);
  ck_assert_str_eq(smb_meter_device(meter)->refusal, refusals[_i].refusal);
  ck_assert(!smb_meter_count(meter, LD_U32, &request, 1, &value, &error));
  ck_assert(g_error_matches(error, SMB_GPU_ERROR, SMB_GPU_ERROR_COUNTERS));
  ck_assert_str_eq(error->message, refusals[_i].refusal);
  ck_assert(smb_meter_clock(meter, LD_U32, &request, 1, &value, NULL));
  ck_assert_double_eq_tol(value, 1 + FAKE_CLOCK_OFFSET, 0.001);
  stop_meter(meter);
}
END_TEST

// More requests than one session of the profiler takes, under both ways of measuring.
START_TEST(test_requests) {
  enum {
    N = 2500
  };
  g_autoptr(SmbArch) arch = smb_arch_load("sm_90", NULL);
  g_autofree SmbRequest *requests = g_new0(SmbRequest, N);
  g_autofree double *cycles = g_new0(double, N), *wavefronts = g_new0(double, N);
  for (guint i = 0; i < N; i++) {
    requests[i] = (SmbRequest){.mask = G_MAXUINT32, .op = SMB_OP_LD, .width = 4};
    for (guint lane = 0; lane < SMB_NVIDIA_LANES; lane++)
      requests[i].offset[lane] = lane * (i % 33) * 4;
  }
  SmbMeter *meter = start_meter("", SMB_METER_TIMEOUT_MS);
  ck_assert(smb_meter_clock(meter, LD_U32, requests, N, cycles, NULL));
  ck_assert(smb_meter_count(meter, LD_U32, requests, N, wavefronts, NULL));
  for (guint i = 0; i < N; i++) {
    SmbWavefronts cost = smb_wavefronts_count(arch, &requests[i]);
    ck_assert_double_eq(wavefronts[i], cost.wavefronts);
    ck_assert_double_eq_tol(cycles[i], cost.cycles + FAKE_CLOCK_OFFSET, 0.001);
  }
  ck_assert(smb_meter_clock(meter, LD_U32, requests, 0, cycles, NULL));
  ck_assert(smb_meter_count(meter, LD_U32, requests, 0, cycles, NULL));
  stop_meter(meter);
}
END_TEST

// A fault of a request's probe: the next request is measured by a new process.
START_TEST(test_request_failure) {
  SmbMeter *meter = start_meter("hang:probe_count", SHORT_MS);
  SmbRequest request = {.mask = 1, .op = SMB_OP_LD, .width = 4};
  double value;
  for (guint i = 0; i < 2; i++) {
    g_autoptr(GError) error = NULL;
    ck_assert(!smb_meter_count(meter, LD_U32, &request, 1, &value, &error));
    ck_assert(g_error_matches(error, SMB_GPU_ERROR, SMB_GPU_ERROR_TIMEOUT));
    ck_assert(smb_meter_clock(meter, LD_U32, &request, 1, &value, NULL));
  }
  stop_meter(meter);
}
END_TEST

// What cannot be measured with at all.
START_TEST(test_unavailable) {
  static const struct {
    const char *program, *fault;
    int device;
    const char *message;
  } machines[] = {
      {"/proc/self/exe", "no-driver", 0, "no usable GPU (libcuda.so.1 not found)"},
      {"/proc/self/exe", "no-device", 0, "no usable GPU (no CUDA-capable device is detected)"},
      {"/proc/self/exe", "no-nvrtc", 0, "no usable GPU (libnvrtc.so.13 not found)"},
      {"/proc/self/exe", "no-runtime", 0,
       "no usable GPU (built without a CUDA Toolkit; see configure --with-cuda)"},
      {"/proc/self/exe", "", 3, "there is no device 3: this machine has 1"},
      {"/bin/true", "", 0, "the measuring process ended without an answer"},
  };
  const char *const worker[] = {machines[_i].program, "worker", machines[_i].fault, NULL};
  g_autoptr(GError) error = NULL;
  keep_to_one_process();
  ck_assert_ptr_null(smb_meter_new(worker, machines[_i].device, SHORT_MS, &error));
  ck_assert_str_eq(error->message, machines[_i].message);
  ck_assert(g_error_matches(error, SMB_GPU_ERROR, SMB_GPU_ERROR_UNAVAILABLE));
  stop_meter(NULL);
}
END_TEST

// What the device can execute.
START_TEST(test_supports) {
  static const struct {
    const char *instruction;
    guint32 mask, offset;
    const char *reason;
  } requests[] = {
      {"ld.u32", 0xffffffff, FAKE_SHARED_BYTES - 4, NULL},
      {"ld.u32", 0, FAKE_SHARED_BYTES, NULL},
      {"ld.u32", 1, FAKE_SHARED_BYTES,
       "it reaches byte 232451: a block has 232448 bytes of shared memory"},
      {"stmatrix.x1", 0xffffffff, 0, NULL},
      {"stmatrix.x1", 0x7fffffff, 0, "stmatrix.x1 needs all lanes of the warp"},
  };
  SmbMeter *meter = start_meter("", SMB_METER_TIMEOUT_MS);
  for (guint i = 0; i < G_N_ELEMENTS(requests); i++) {
    guint index = 0;
    ck_assert(smb_instruction_find(requests[i].instruction, &index));
    SmbRequest request = {.mask = requests[i].mask};
    request.op = (guint8)smb_instruction(index)->op;
    request.width = (guint8)smb_instruction(index)->width;
    request.offset[0] = requests[i].offset;
    g_autofree char *reason = smb_meter_supports(meter, index, &request);
    ck_assert_pstr_eq(reason, requests[i].reason);
  }
  stop_meter(meter);
}
END_TEST

Suite *
suite_gpu_meter(void) {
  Suite *suite = suite_create("gpu-meter");
  TCase *group = tcase_create("meter");
  tcase_add_test(group, test_device);
  tcase_add_loop_test(group, test_refused, 0, 2);
  tcase_add_test(group, test_requests);
  tcase_add_test(group, test_request_failure);
  tcase_add_loop_test(group, test_unavailable, 0, 6);
  tcase_add_test(group, test_supports);
  suite_add_tcase(suite, group);
  return suite;
}
