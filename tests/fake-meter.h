// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A meter whose process is the test program itself (tests/unit.c), on the made-up GPU.
#pragma once

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu/meter.h"
#include "tests/fake-cuda.h"
#include "tests/suite.h"

// LeakSanitizer looks for leaks from a process of its own, which outlives a worker that is ended meanwhile
// and would be taken for one that the meter forgot.
static inline void
keep_to_one_process(void) {
  g_setenv("ASAN_OPTIONS", "detect_leaks=0", TRUE);
}

// A meter on a machine with a fault.
static inline SmbMeter *
start_meter(const char *fault, guint timeout_ms) {
  const char *const worker[] = {"/proc/self/exe", "worker", fault, NULL};
  g_autoptr(GError) error = NULL;
  keep_to_one_process();
  SmbMeter *meter = smb_meter_new(worker, 0, timeout_ms, &error);
  ck_assert_msg(meter != NULL, "%s", error ? error->message : "");
  return meter;
}

// Nothing of a meter is left: a process that was not waited for would still be this one's child.
static inline void
stop_meter(SmbMeter *meter) {
  smb_meter_free(meter);
  ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
  ck_assert_int_eq(errno, ECHILD);
}
