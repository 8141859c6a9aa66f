// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the programs here check themselves with: a line for each expectation that is not met, and their number as the status.
#pragma once

#include <cstdio>
#include <cstdlib>

static int failures;

static inline void
expect_error(cudaError_t expected, cudaError_t error, const char *call, int line) {
  if (error == expected)
    return;
  printf("line %d: %s: %s, expected %s\n", line, call, cudaGetErrorName(error),
         cudaGetErrorName(expected));
  failures++;
}

static inline void
expect_true(bool is_true, const char *what, int line) {
  if (is_true)
    return;
  printf("line %d: not so: %s\n", line, what);
  failures++;
}

#define CHECK(call)           expect_error(cudaSuccess, call, #call, __LINE__)
#define FAILS(expected, call) expect_error(expected, call, #call, __LINE__)
#define EXPECT(what)          expect_true(what, #what, __LINE__)

// Ends the program: a line and a status that say whether all was as expected.
static inline int
finish(const char *name) {
  if (failures)
    printf("%s: %d failures\n", name, failures);
  else
    printf("%s: as expected\n", name);
  return failures != 0;
}
