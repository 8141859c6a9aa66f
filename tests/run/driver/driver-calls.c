// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The driver's interface as a program finds it that was compiled without a toolkit: libcuda.so.1 is opened, and its functions are asked
// for by name. A module is PTX in the program, others are files, which are the arguments: machine code, PTX and its machine code.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "driver-module.h"

enum {
  INVALID_VALUE = 1,
  NOT_INITIALIZED = 3,
  INVALID_CONTEXT = 201,
  NOT_FOUND = 500,
};

static void *driver;
static int failures;

static void
expect_number(long long expected, long long found, const char *what, int line) {
  if (expected == found)
    return;
  printf("line %d: %s: %lld, expected %lld\n", line, what, found, expected);
  failures++;
}

#define EXPECT(expected, what) expect_number(expected, what, #what, __LINE__)

// Calls a function of the driver with numbers and addresses: as many as it takes, and zeros.
#define CALL(...) CALL_WITH(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
#define CALL_WITH(name, a, b, c, d, e, f, g, h, i, j, k, ...)                                      \
  call(#name, (intptr_t)(a), (intptr_t)(b), (intptr_t)(c), (intptr_t)(d), (intptr_t)(e),           \
       (intptr_t)(f), (intptr_t)(g), (intptr_t)(h), (intptr_t)(i), (intptr_t)(j), (intptr_t)(k))

typedef int Function(intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t, intptr_t,
                     intptr_t, intptr_t, intptr_t);

static int
call(const char *name, intptr_t a, intptr_t b, intptr_t c, intptr_t d, intptr_t e, intptr_t f,
     intptr_t g, intptr_t h, intptr_t i, intptr_t j, intptr_t k) {
  Function *function;
  *(void **)&function = dlsym(driver, name);
  if (!function) {
    printf("no %s\n", name);
    failures++;
    return -1;
  }
  return function(a, b, c, d, e, f, g, h, i, j, k);
}

static void
run_text(void) {
  void *module, *scale, *fill, *none;
  uintptr_t data, counter;
  float numbers[64], factor = 3;
  unsigned n = 64, first = 0;
  size_t bytes = 0;
  EXPECT(0, CALL(cuModuleLoadData, &module, module_text));
  EXPECT(0, CALL(cuModuleGetFunction, &scale, module, "scale"));
  EXPECT(0, CALL(cuModuleGetFunction, &fill, module, "fill"));
  EXPECT(NOT_FOUND, CALL(cuModuleGetFunction, &none, module, "none"));
  EXPECT(0, CALL(cuModuleGetGlobal_v2, &counter, &bytes, module, "counter"));
  EXPECT(0, CALL(cuMemcpyDtoH_v2, &first, counter, bytes));
  EXPECT(5, first);
  EXPECT(0, CALL(cuMemAlloc_v2, &data, sizeof numbers));
  for (int i = 0; i < 64; i++)
    numbers[i] = (float)i;
  EXPECT(0, CALL(cuMemcpyHtoD_v2, data, numbers, sizeof numbers));
  void *arguments[] = {&data, &n, &factor};
  EXPECT(0, CALL(cuLaunchKernel, scale, 2, 1, 1, 32, 1, 1, 0, 0, arguments, 0));
  EXPECT(0, CALL(cuStreamSynchronize, 0));
  EXPECT(0, CALL(cuMemcpyDtoH_v2, numbers, data, sizeof numbers));
  EXPECT(189, (long long)numbers[63]);
  EXPECT(0, CALL(cuLaunchKernel_ptsz, fill, 1, 1, 1, 64, 1, 1, 0, 0, arguments, 0));
  EXPECT(0, CALL(cuStreamSynchronize_ptsz, 0));
  EXPECT(0, CALL(cuMemcpyDtoH_v2, &first, data + 4, 4));
  EXPECT(8, first);
  EXPECT(INVALID_VALUE, CALL(cuLaunchKernel, scale, 0, 1, 1, 32, 1, 1, 0, 0, arguments, 0));
  EXPECT(0, CALL(cuMemFree_v2, data));
  EXPECT(0, CALL(cuModuleUnload, module));
}

// copy(out, in) of tests/data/memory: out[i] = in[i ^ 1].
static void
run_machine_code(const char *path) {
  void *module, *copy;
  uintptr_t in, out;
  int numbers[32];
  EXPECT(0, CALL(cuModuleLoad, &module, path));
  EXPECT(0, CALL(cuModuleGetFunction, &copy, module, "copy"));
  EXPECT(0, CALL(cuMemAlloc_v2, &in, sizeof numbers));
  EXPECT(0, CALL(cuMemAlloc_v2, &out, sizeof numbers));
  for (int i = 0; i < 32; i++)
    numbers[i] = 100 + i;
  EXPECT(0, CALL(cuMemcpyHtoD_v2, in, numbers, sizeof numbers));
  struct {
    uintptr_t out, in;
  } buffer = {out, in};
  size_t bytes = sizeof buffer;
  void *extra[] = {(void *)1, &buffer, (void *)2, &bytes, NULL};
  EXPECT(0, CALL(cuLaunchKernel, copy, 1, 1, 1, 32, 1, 1, 0, 0, 0, extra));
  EXPECT(0, CALL(cuMemcpyDtoH_v2, numbers, out, sizeof numbers));
  EXPECT(101, numbers[0]);
  EXPECT(130, numbers[31]);
}

// fetch(out, n) of tests/data/memory/references: a texture that code names is bound to memory, and a surface to nothing. PTX, or machine code.
static void
run_references(const char *path) {
  void *module, *fetch, *image;
  uintptr_t memory, out;
  size_t offset = 0;
  float numbers[64];
  unsigned first = 14, found[16];
  void *arguments[] = {&out, &first};
  EXPECT(0, CALL(cuModuleLoad, &module, path));
  EXPECT(0, CALL(cuModuleGetFunction, &fetch, module, "fetch"));
  EXPECT(0, CALL(cuModuleGetTexRef, &image, module, "image"));
  EXPECT(NOT_FOUND, CALL(cuModuleGetTexRef, &image, module, "sheet"));
  EXPECT(0, CALL(cuMemAlloc_v2, &memory, sizeof numbers));
  EXPECT(0, CALL(cuMemAlloc_v2, &out, sizeof found));
  for (int i = 0; i < 64; i++)
    numbers[i] = (float)i;
  EXPECT(0, CALL(cuMemcpyHtoD_v2, memory, numbers, sizeof numbers));
  EXPECT(0, CALL(cuTexRefSetAddress_v2, &offset, image, memory + 16, 48));
  EXPECT(16, (long long)offset);
  EXPECT(0, CALL(cuLaunchKernel, fetch, 1, 1, 1, 4, 1, 1, 0, 0, arguments, 0));
  EXPECT(0, CALL(cuMemcpyDtoH_v2, found, out, sizeof found));
  EXPECT(0x41600000, found[0]); // 14
  EXPECT(0x41700000, found[4]);
  EXPECT(0, found[8]);
  EXPECT(16, found[1]);
  EXPECT(0, found[2]);
  EXPECT(0, CALL(cuModuleUnload, module));
}

int
main(int argc, char **argv) {
  void *context, *function = NULL;
  int device = -1, found = -1;
  uintptr_t memory;
  driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver || argc < 4) {
    printf("no driver: %s\n", dlerror());
    return 1;
  }
  EXPECT(NOT_INITIALIZED, CALL(cuDeviceGet, &device, 0));
  EXPECT(0, CALL(cuInit, 0));
  EXPECT(0, CALL(cuDeviceGet, &device, 0));
  EXPECT(INVALID_CONTEXT, CALL(cuMemAlloc_v2, &memory, 4));
  EXPECT(0, CALL(cuCtxCreate_v2, &context, 0, device));
  run_text();
  run_machine_code(argv[1]);
  run_references(argv[2]);
  run_references(argv[3]);
  EXPECT(0, CALL(cuGetProcAddress_v2, "cuMemAlloc", &function, 12000, 0, &found));
  EXPECT(0, found);
  EXPECT(1, function != NULL);
  EXPECT(0, CALL(cuGetProcAddress_v2, "cuNone", &function, 12000, 0, &found));
  EXPECT(1, found);
  EXPECT(0, CALL(cuCtxDestroy_v2, context));
  EXPECT(801, CALL(cuMulticastCreate, &context));
  printf("driver-calls: %d failures\n", failures);
  return failures != 0;
}
