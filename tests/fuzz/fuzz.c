// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// libFuzzer's program: the target is the end of the program's name, as of the link fuzz-trace.
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/targets.h"

typedef void (*Target)(const guint8 *data, gsize size);

static const struct {
  const char *name;
  Target run;
} targets[] = {
#define TARGET(name) {#name, fuzz_##name},
#include "tests/fuzz/targets.def"
#undef TARGET
};

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const guint8 *data, gsize size);

static Target target;

int
LLVMFuzzerInitialize(int *argc, char ***argv) {
  (void)argc;
  const char *name = strrchr((*argv)[0], '-');
  for (gsize i = 0; name && i < G_N_ELEMENTS(targets); i++) {
    if (strcmp(name + 1, targets[i].name) == 0)
      target = targets[i].run;
  }
  if (target)
    return 0;
  g_printerr("%s: expected a name that ends with - and one of", (*argv)[0]);
  for (gsize i = 0; i < G_N_ELEMENTS(targets); i++)
    g_printerr(" %s", targets[i].name);
  g_printerr("\n");
  exit(EXIT_FAILURE);
}

int
LLVMFuzzerTestOneInput(const guint8 *data, gsize size) {
  target(data, size);
  return 0;
}
