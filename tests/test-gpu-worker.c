// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The worker without a process around it: what it answers to jobs that are wrong, and when it ends.
#include "gpu/worker.h"

#include <check.h>
#include <string.h>
#include <unistd.h>

#include "gpu/error.h"
#include "gpu/instruction.h"
#include "gpu/message.h"
#include "tests/fake-cuda.h"
#include "tests/suite.h"

// The pipes of a worker, both filled and read by this one thread: what is sent is small.
typedef struct {
  int jobs[2];
  int results[2];
} Pipes;

static void
open_pipes(Pipes *pipes) {
  ck_assert_int_eq(pipe(pipes->jobs), 0);
  ck_assert_int_eq(pipe(pipes->results), 0);
}

// Ends the jobs, lets the worker do them and ends its results.
static void
run_worker(Pipes *pipes, const char *fault) {
  close(pipes->jobs[1]);
  ck_assert_int_eq(smb_worker_run(fake_cuda_new(fault), pipes->jobs[0], pipes->results[1]), 0);
  close(pipes->jobs[0]);
  close(pipes->results[1]);
}

static void
send_job(const Pipes *pipes, const char *name, guint instruction, guint n) {
  g_autofree SmbRequest *requests = g_new0(SmbRequest, n + 1);
  for (guint i = 0; i < n; i++)
    requests[i] = (SmbRequest){.mask = 1, .op = SMB_OP_LD, .width = 4};
  g_autoptr(GBytes) bytes = g_bytes_new(requests, n * sizeof *requests);
  GVariantDict job;
  g_variant_dict_init(&job, NULL);
  g_variant_dict_insert(&job, "job", "s", name);
  g_variant_dict_insert(&job, "instruction", "u", instruction);
  g_variant_dict_insert_value(&job, "requests", smb_message_bytes(bytes));
  ck_assert(smb_message_write(pipes->jobs[1], g_variant_dict_end(&job)));
}

// The next result is an error with that message, or none (NULL).
static void
expect_result(const Pipes *pipes, const char *wanted, SmbGpuError code) {
  g_autoptr(GVariant) result = NULL;
  const char *message = NULL;
  guint32 got = 0;
  ck_assert_int_eq(smb_message_read(pipes->results[0], -1, &result), SMB_MESSAGE_READ);
  g_variant_lookup(result, "error", "&s", &message);
  ck_assert_pstr_eq(message, wanted);
  if (!wanted)
    return;
  ck_assert(g_variant_lookup(result, "code", "u", &got));
  ck_assert_uint_eq(got, code);
}

static void
expect_end(const Pipes *pipes) {
  g_autoptr(GVariant) result = NULL;
  ck_assert_int_eq(smb_message_read(pipes->results[0], -1, &result), SMB_MESSAGE_CLOSED);
  close(pipes->results[0]);
}

// A job after that of the device, on a machine; whether another one is done after it.
typedef struct {
  const char *fault, *job;
  guint instruction;
  guint n;
  const char *message;
  SmbGpuError code;
  gboolean goes_on;
} Case;

static const Case cases[] = {
    {"", "clock", 2, 3, NULL, 0, TRUE},
    {"", "count", 2, 3, NULL, 0, TRUE},
    {"", "clock", 2, 0, NULL, 0, TRUE},
    {"", "clock", G_MAXUINT, 1, "there is no instruction 4294967295", SMB_GPU_ERROR_LAUNCH, FALSE},
    {"no-permission", "count", 2, 1, "this user may not read hardware counters (made up)",
     SMB_GPU_ERROR_COUNTERS, TRUE},
    {"dropped", "count", 2, 1, "CUPTI dropped 1 range", SMB_GPU_ERROR_COUNTERS, TRUE},
    {"compile-error", "clock", 2, 1,
     "the probe does not compile: probe.cu(1): error: this is the fault of the made-up GPU",
     SMB_GPU_ERROR_COMPILE, TRUE},
    {"launch-failure", "clock", 2, 1, "could not run the kernel: unspecified launch failure",
     SMB_GPU_ERROR_LAUNCH, FALSE},
    {"out-of-memory", "clock", 2, 1, "could not allocate 136 bytes on the GPU: out of memory",
     SMB_GPU_ERROR_LAUNCH, FALSE},
};

START_TEST(test_job) {
  const Case *test = &cases[_i];
  Pipes pipes;
  open_pipes(&pipes);
  send_job(&pipes, "device", 0, 0);
  send_job(&pipes, test->job, test->instruction, test->n);
  send_job(&pipes, "clock", 2, 0);
  run_worker(&pipes, test->fault);
  expect_result(&pipes, NULL, 0);
  expect_result(&pipes, test->message, test->code);
  if (test->goes_on)
    // A probe that does not compile does not for the next job either.
    expect_result(&pipes, test->code == SMB_GPU_ERROR_COMPILE ? test->message : NULL, test->code);
  expect_end(&pipes);
  ck_assert_uint_eq(fake_cuda_allocated(), 0);
}
END_TEST

START_TEST(test_no_device) {
  Pipes pipes;
  open_pipes(&pipes);
  send_job(&pipes, "clock", 2, 1);
  send_job(&pipes, "device", 0, 0);
  run_worker(&pipes, "");
  expect_result(&pipes, "no device was chosen", SMB_GPU_ERROR_UNAVAILABLE);
  expect_end(&pipes);
}
END_TEST

// What is no message ends the worker, as the end of the jobs does.
START_TEST(test_garbage) {
  static const char *const garbage[] = {"", "x", "a line of text, which is no message at all\n"};
  Pipes pipes;
  open_pipes(&pipes);
  send_job(&pipes, "device", 0, 0);
  gsize n = strlen(garbage[_i]);
  ck_assert_int_eq(write(pipes.jobs[1], garbage[_i], n), (gssize)n);
  run_worker(&pipes, "");
  expect_result(&pipes, NULL, 0);
  expect_end(&pipes);
}
END_TEST

Suite *
suite_gpu_worker(void) {
  Suite *suite = suite_create("gpu-worker");
  TCase *group = tcase_create("worker");
  tcase_add_loop_test(group, test_job, 0, G_N_ELEMENTS(cases));
  tcase_add_test(group, test_no_device);
  tcase_add_loop_test(group, test_garbage, 0, 3);
  suite_add_tcase(suite, group);
  return suite;
}
