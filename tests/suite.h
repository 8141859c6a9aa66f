// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How every test program ends: its suite is run, and the exit status says whether all of it passed.
#pragma once

#include <check.h>
#include <stdlib.h>

// As ck_assert, for conditions that a test looks at a million times: only one that fails is noted.
#define require(condition)                                                                         \
  do {                                                                                             \
    if (!(condition))                                                                              \
      ck_abort_msg("%s", #condition);                                                              \
  } while (0)

static inline int
run_suite(Suite *suite) {
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
