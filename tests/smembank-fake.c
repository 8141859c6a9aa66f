// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The whole command line on the made-up GPU. SMEMBANK_FAKE in the environment says what is wrong with it
// (tests/fake-cuda.h); the processes that it starts to measure have the same machine.
#include <stdio.h>
#include <stdlib.h>

#include "src/main.h"
#include "tests/fake-cuda.h"

int
main(int argc, char **argv) {
  const char *fault = g_getenv("SMEMBANK_FAKE");
  const SmbCuda *cuda = fake_cuda_new(fault ? fault : "");
  if (cuda)
    return smb_main(cuda, argc, argv);
  g_autofree char *faults = fake_cuda_faults();
  fprintf(stderr, "SMEMBANK_FAKE '%s': expected one of %s\n", fault, faults);
  return EXIT_FAILURE;
}
