// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The whole command line on the made-up GPU. SMEMBANK_FAKE in the environment says what is wrong with it
// (tests/fake-cuda.h); the processes that it starts to measure have the same machine.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/commands.h"
#include "tests/fake-cuda.h"

// Asked by LeakSanitizer when a process ends. A process that measures may be ended at that very moment by
// the one that started it, and LeakSanitizer would say so on standard error; what it leaks is found by
// test-gpu-worker, in whose own process it runs.
int __lsan_is_turned_off(void);
static gboolean is_worker;

int
__lsan_is_turned_off(void) {
  return is_worker;
}

int
main(int argc, char **argv) {
  is_worker = argc == 2 && strcmp(argv[1], SMB_WORKER_COMMAND) == 0;
  const char *fault = g_getenv("SMEMBANK_FAKE");
  const SmbCuda *cuda = fake_cuda_new(fault ? fault : "");
  if (cuda)
    return smb_main(cuda, argc, argv);
  g_autofree char *faults = fake_cuda_faults();
  fprintf(stderr, "SMEMBANK_FAKE '%s': expected one of %s\n", fault, faults);
  return EXIT_FAILURE;
}
