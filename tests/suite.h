// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What every test-NAME.c has: Check, and its suite, suite_NAME(), by name.
#pragma once

#include <check.h>
#include <stdlib.h>

// Check notes in a file where each assertion held. Tests have millions of them, so only one that fails is noted here.
#undef ck_assert
#undef ck_assert_msg
#define ck_assert(condition) ck_assert_msg(condition, "Assertion '%s' failed", #condition)
#define ck_assert_msg(condition, ...)                                                              \
  do {                                                                                             \
    if (!(condition))                                                                              \
      ck_abort_msg(__VA_ARGS__);                                                                   \
  } while (0)

// What a test harness takes for "skipped".
#define EXIT_SKIPPED 77

// Runs a suite, or none (NULL): what a program returns.
static inline int
run_suite(Suite *suite) {
  if (!suite)
    return EXIT_SKIPPED;
  SRunner *runner = srunner_create(suite);
  srunner_run_all(runner, CK_ENV);
  int failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

// The suites of tests/test-*.c, which tests/unit.c runs. One that cannot run here says why and returns NULL.
#define SUITE(name, function) Suite *function(void);
#include "tests/suites.def"
#undef SUITE
