// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// All unit tests: runs the suite that the program's name says (tests/test-NAME is a link to it), or its only
// argument. The exit status says whether all of it passed. Called with "worker FAULT", it is a process that
// measures on the made-up GPU with that fault.
#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/worker.h"
#include "tests/fake-cuda.h"
#include "tests/suite.h"

static const struct {
  const char *name;
  Suite *(*make)(void);
} suites[] = {
#define SUITE(name, function) {name, function},
#include "tests/suites.def"
#undef SUITE
};

int
main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "worker") == 0)
    return smb_worker_run(fake_cuda_new(argv[2]), STDIN_FILENO, STDOUT_FILENO);
  g_setenv("CUDA_VISIBLE_DEVICES", "", TRUE); // no test looks for a GPU
  // Seconds that a test may take; Check's 4 are too few for a build without optimization.
  g_setenv("CK_DEFAULT_TIMEOUT", "120", FALSE);
  g_autofree char *program = g_path_get_basename(argv[0]);
  const char *name = argc == 2 ? argv[1] : program;
  if (g_str_has_prefix(name, "test-"))
    name += strlen("test-");
  for (gsize i = 0; i < G_N_ELEMENTS(suites); i++) {
    if (strcmp(suites[i].name, name) == 0)
      return run_suite(suites[i].make());
  }
  g_printerr("%s: expected one of", name);
  for (gsize i = 0; i < G_N_ELEMENTS(suites); i++)
    g_printerr(" %s", suites[i].name);
  g_printerr("\n");
  return EXIT_FAILURE;
}
