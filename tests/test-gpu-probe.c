// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Single requests on the made-up GPU, by the clock and by counters: what the model says comes back, and
// every failure is told, with no memory and no session left behind.
#include "gpu/probe.h"

#include <check.h>
#include <math.h>
#include <string.h>

#include "gpu/error.h"
#include "sim/arch/arch.h"
#include "sim/trace/pattern.h"
#include "sim/count/wavefront.h"
#include "tests/fake-cuda.h"
#include "tests/suite.h"

enum {
  N_REQUESTS = 200,
  LD_U32 = 2, // index of "ld.u32"
};

static const char *const total[] = {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"};

static SmbProbeDevice
make_device(const char *fault) {
  const SmbCuda *cuda = fake_cuda_new(fault);
  ck_assert_msg(cuda != NULL, "no fault '%s'", fault);
  return (SmbProbeDevice){cuda, 0, "sm_90", 132, FAKE_SHARED_BYTES};
}

// Random requests that an instruction can make on the device.
static void
make_requests(guint index, SmbRequest *requests, gsize n) {
  const SmbInstruction *instruction = smb_instruction(index);
  SmbRandom random = smb_random_new(index);
  for (gsize i = 0; i < n; i++) {
    smb_pattern_request(&random, SMB_NVIDIA_LANES, instruction->op, instruction->width,
                        FAKE_SHARED_BYTES, &requests[i]);
    if (instruction->whole_warp)
      requests[i].mask = G_MAXUINT32;
  }
}

START_TEST(test_clock) {
  const SmbInstruction *instruction = smb_instruction((guint)_i);
  g_autoptr(SmbArch) arch = smb_arch_load("sm_90", NULL);
  SmbProbeDevice device = make_device("");
  SmbRequest requests[N_REQUESTS];
  double cycles[N_REQUESTS];
  make_requests((guint)_i, requests, N_REQUESTS);
  g_autoptr(SmbProbe) probe =
      smb_probe_new(&device, instruction->text, instruction->whole_warp, NULL);
  ck_assert_ptr_nonnull(probe);
  ck_assert(smb_probe_clock(probe, requests, N_REQUESTS, cycles, NULL));
  for (guint i = 0; i < N_REQUESTS; i++) {
    double above = cycles[i] - smb_wavefronts_count(arch, &requests[i]).cycles;
    ck_assert_msg(fabs(above - FAKE_CLOCK_OFFSET) < 0.001, "%s, request %u: %g above the model",
                  instruction->name, i, above);
  }
  ck_assert_uint_eq(fake_cuda_allocated(), 0);
}
END_TEST

// Several metrics, of which the device counts some in one pass and some in the next.
START_TEST(test_count) {
  static const char *const metrics[] = {
      "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
      "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
      "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared.sum",
  };
  const SmbInstruction *instruction = smb_instruction((guint)_i);
  g_autoptr(SmbArch) arch = smb_arch_load("sm_90", NULL);
  SmbProbeDevice device = make_device("");
  SmbRequest requests[N_REQUESTS];
  double values[N_REQUESTS][G_N_ELEMENTS(metrics)];
  make_requests((guint)_i, requests, N_REQUESTS);
  g_autoptr(SmbProbe) probe =
      smb_probe_new(&device, instruction->text, instruction->whole_warp, NULL);
  ck_assert(smb_probe_count(probe, device.cuda->profiler(0), metrics, G_N_ELEMENTS(metrics),
                            requests, N_REQUESTS, values[0], NULL));
  for (guint i = 0; i < N_REQUESTS; i++) {
    SmbWavefronts cost = smb_wavefronts_count(arch, &requests[i]);
    ck_assert_double_eq(values[i][0], cost.wavefronts);
    ck_assert_double_eq(values[i][1], cost.excess);
    ck_assert_double_eq(values[i][2], cost.wavefronts);
  }
  ck_assert_uint_eq(fake_cuda_allocated(), 0);
}
END_TEST

START_TEST(test_most_ranges) {
  SmbProbeDevice device = make_device("");
  const SmbInstruction *instruction = smb_instruction(LD_U32);
  g_autofree SmbRequest *requests = g_new0(SmbRequest, SMB_PROBE_MAX_RANGES);
  g_autofree double *values = g_new0(double, SMB_PROBE_MAX_RANGES);
  make_requests(LD_U32, requests, SMB_PROBE_MAX_RANGES);
  requests[SMB_PROBE_MAX_RANGES - 1].mask = 1;
  requests[SMB_PROBE_MAX_RANGES - 2].mask = 0;
  g_autoptr(SmbProbe) probe = smb_probe_new(&device, instruction->text, FALSE, NULL);
  ck_assert(smb_probe_count(probe, device.cuda->profiler(0), total, 1, requests,
                            SMB_PROBE_MAX_RANGES, values, NULL));
  ck_assert_double_eq(values[SMB_PROBE_MAX_RANGES - 1], 1);
  ck_assert_double_eq(values[SMB_PROBE_MAX_RANGES - 2], 0);
}
END_TEST

// What comes out of the clock under faults: how far the first and the second time lie above the model.
START_TEST(test_clock_faults) {
  static const struct {
    const char *fault;
    double most[2], least[2];
  } faults[] = {
      {"more-cycles", {1.2, 1.2}, {1, 1}},
      {"noisy-clock", {1.7, 0.2}, {0, 0}},
      {"more-wavefronts", {0.2, 0.2}, {0, 0}},
  };
  SmbProbeDevice device = make_device(faults[_i].fault);
  g_autoptr(SmbArch) arch = smb_arch_load("sm_90", NULL);
  SmbRequest requests[N_REQUESTS];
  double cycles[N_REQUESTS];
  make_requests(LD_U32, requests, N_REQUESTS);
  g_autoptr(SmbProbe) probe = smb_probe_new(&device, smb_instruction(LD_U32)->text, FALSE, NULL);
  for (guint time = 0; time < 2; time++) {
    double most = 0, least = INFINITY;
    ck_assert(smb_probe_clock(probe, requests, N_REQUESTS, cycles, NULL));
    for (guint i = 0; i < N_REQUESTS; i++) {
      double above = cycles[i] - smb_wavefronts_count(arch, &requests[i]).cycles;
      most = MAX(most, above);
      least = MIN(least, above);
    }
    ck_assert_double_le(most, faults[_i].most[time]);
    ck_assert_double_gt(most, faults[_i].most[time] - 0.2);
    ck_assert_double_ge(least, faults[_i].least[time]);
  }
}
END_TEST

// What is done when the fault comes.
typedef enum {
  STEP_NEW,
  STEP_CLOCK,
  STEP_COUNT
} Step;

typedef struct {
  const char *fault;
  Step step;
  SmbGpuError code;
  const char *message;
  gsize shared_bytes; // of a block, if it is not the device's
  guint32 offset;     // of lane 0
  const char *metric; // if it is not the total
} Failure;

#define NO_MEMORY(bytes) "could not allocate " #bytes " bytes on the GPU: out of memory"

// A request is 136 bytes; an instruction's first launch is @1.
static const Failure failures[] = {
    {"compile-error", STEP_NEW, SMB_GPU_ERROR_COMPILE,
     "the probe does not compile: probe.cu(1): error: this is the fault of the made-up GPU"},
    {"compile-error:probe_count", STEP_NEW, SMB_GPU_ERROR_COMPILE,
     "the probe does not compile: probe.cu(1): error: this is the fault of the made-up GPU"},
    {"no-nvrtc", STEP_NEW, SMB_GPU_ERROR_COMPILE,
     "the probe does not compile: libnvrtc.so.13 not found"},
    {"", STEP_NEW, SMB_GPU_ERROR_LAUNCH, "could not load the probe: invalid argument",
     .shared_bytes = FAKE_SHARED_BYTES + 16},
    {"out-of-memory", STEP_CLOCK, SMB_GPU_ERROR_LAUNCH, NO_MEMORY(272)},
    {"out-of-memory@2", STEP_CLOCK, SMB_GPU_ERROR_LAUNCH, NO_MEMORY(8)},
    {"out-of-memory@3", STEP_CLOCK, SMB_GPU_ERROR_LAUNCH, NO_MEMORY(65536)},
    {"out-of-memory", STEP_COUNT, SMB_GPU_ERROR_LAUNCH, NO_MEMORY(272)},
    {"out-of-memory@2", STEP_COUNT, SMB_GPU_ERROR_LAUNCH, NO_MEMORY(65536)},
    {"launch-refused", STEP_CLOCK, SMB_GPU_ERROR_LAUNCH,
     "could not launch the probe: invalid configuration argument"},
    {"launch-refused@2", STEP_COUNT, SMB_GPU_ERROR_LAUNCH,
     "could not launch the probe: invalid configuration argument"},
    {"launch-failure", STEP_CLOCK, SMB_GPU_ERROR_LAUNCH,
     "could not run the kernel: unspecified launch failure"},
    {"launch-failure@1", STEP_COUNT, SMB_GPU_ERROR_LAUNCH,
     "could not launch the probe: unspecified launch failure"},
    {"launch-failure@3", STEP_COUNT, SMB_GPU_ERROR_LAUNCH,
     "could not run the probe: unspecified launch failure"},
    {"lost-device", STEP_CLOCK, SMB_GPU_ERROR_LAUNCH,
     "could not run the kernel: CUDA-capable device(s) is/are busy or unavailable"},
    {"lost-device@2", STEP_COUNT, SMB_GPU_ERROR_LAUNCH,
     "could not launch the probe: CUDA-capable device(s) is/are busy or unavailable"},
    {"", STEP_CLOCK, SMB_GPU_ERROR_LAUNCH, "could not run the kernel: misaligned address",
     .offset = 2},
    {"", STEP_CLOCK, SMB_GPU_ERROR_LAUNCH,
     "could not run the kernel: an illegal memory access was encountered",
     .offset = FAKE_SHARED_BYTES},
    {"no-permission", STEP_COUNT, SMB_GPU_ERROR_COUNTERS,
     "this user may not read hardware counters (made up)"},
    {"no-cupti", STEP_COUNT, SMB_GPU_ERROR_COUNTERS, "libcupti.so.13 not found"},
    {"dropped", STEP_COUNT, SMB_GPU_ERROR_COUNTERS, "CUPTI dropped 1 range"},
    {"", STEP_COUNT, SMB_GPU_ERROR_COUNTERS, "the made-up GPU has no metric sm__cycles.sum",
     .metric = "sm__cycles.sum"},
};

// Makes a probe and lets it do what the fault is for; nothing of it stays.
static void
run_into(const Failure *failure, const SmbProbeDevice *device, GError **error) {
  SmbRequest requests[2] = {{.mask = 1, .op = SMB_OP_LD, .width = 4},
                            {.mask = 1, .op = SMB_OP_LD, .width = 4}};
  const char *const metrics[] = {failure->metric ? failure->metric : total[0]};
  double values[2];
  requests[1].offset[0] = failure->offset;
  g_autoptr(SmbProbe) probe = smb_probe_new(device, smb_instruction(LD_U32)->text, FALSE, error);
  ck_assert_int_eq(probe == NULL, failure->step == STEP_NEW);
  if (failure->step == STEP_CLOCK)
    ck_assert(!smb_probe_clock(probe, requests, 2, values, error));
  if (failure->step == STEP_COUNT)
    ck_assert(
        !smb_probe_count(probe, device->cuda->profiler(0), metrics, 1, requests, 2, values, error));
}

START_TEST(test_failure) {
  const Failure *failure = &failures[_i];
  SmbProbeDevice device = make_device(failure->fault);
  g_autoptr(GError) error = NULL;
  if (failure->shared_bytes)
    device.shared_bytes = failure->shared_bytes;
  run_into(failure, &device, &error);
  ck_assert_str_eq(error->message, failure->message);
  ck_assert(g_error_matches(error, SMB_GPU_ERROR, (int)failure->code));
  ck_assert_uint_eq(fake_cuda_allocated(), 0);
  // The made-up GPU stops a program that opens a session beside another one.
  device.cuda->profiler(0)->close(device.cuda->profiler(0)->open(0, total, 1, 1, NULL));
}
END_TEST

Suite *
suite_gpu_probe(void) {
  Suite *suite = suite_create("gpu-probe");
  TCase *group = tcase_create("probe");
  int n = (int)smb_instruction_count();
  tcase_add_loop_test(group, test_clock, 0, n);
  tcase_add_loop_test(group, test_count, 0, n);
  tcase_add_test(group, test_most_ranges);
  tcase_add_loop_test(group, test_clock_faults, 0, 3);
  tcase_add_loop_test(group, test_failure, 0, G_N_ELEMENTS(failures));
  suite_add_tcase(suite, group);
  return suite;
}
