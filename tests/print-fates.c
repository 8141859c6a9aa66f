// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Instructions of PTX, a line each on standard input, with registers p b h r d q and variables as tests/ptx-fates.h
// declares them: for each a line FATE|INSTRUCTION, and what is said where it is refused.
#include <stdlib.h>
#include <string.h>

#include "tests/ptx-fates.h"

int
main(void) {
  char line[1024];
  while (fgets(line, sizeof line, stdin)) {
    g_strchomp(line);
    g_autofree char *message = NULL;
    const char *fate = ptx_fate(line, &message);
    printf("%s|%s%s%s\n", fate, line, message ? "|" : "", message ? message : "");
  }
  return EXIT_SUCCESS;
}
