// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the programs of the driver's interface check themselves with.
#pragma once

#include <cuda.h>
#include <stdio.h>
#include <string.h>

#include "driver-module.h"

static int failures;

static const char *
result_name(CUresult result) {
  const char *name = NULL;
  return cuGetErrorName(result, &name) == CUDA_SUCCESS ? name : "unknown";
}

static void
expect_result(CUresult expected, CUresult result, const char *call, int line) {
  if (result == expected)
    return;
  printf("line %d: %s: %s, expected %s\n", line, call, result_name(result), result_name(expected));
  failures++;
}

static void
expect_so(int is_so, const char *what, int line) {
  if (is_so)
    return;
  printf("line %d: not so: %s\n", line, what);
  failures++;
}

#define CHECK(call)           expect_result(CUDA_SUCCESS, call, #call, __LINE__)
#define FAILS(expected, call) expect_result(CUDA_ERROR_##expected, call, #call, __LINE__)
#define EXPECT(what)          expect_so(what, #what, __LINE__)

static int
finish(const char *name) {
  if (failures)
    printf("%s: %d failures\n", name, failures);
  else
    printf("%s: as expected\n", name);
  return failures != 0;
}
