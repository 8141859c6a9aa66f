// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Launches kernels of a cubin one after the other, as a list says, with the contents of buffers that analyze's
// --buffer describes. For ncu-ptx.sh; needs the CUDA driver and the C library alone.
//
//   launch-ptx CUBIN LIST      LIST, a line each: 'launch ENTRY GX GY GZ BX BY BZ DYNAMIC', then for each parameter
//                              'value HEXBYTES' or 'buffer SPEC', then 'go'
#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUFFER_BYTES    (1u << 20)
#define MAX_PARAMETERS  16
#define MAX_VALUE_BYTES 256

typedef struct {
  char entry[512];
  unsigned grid[3];
  unsigned block[3];
  unsigned dynamic;
  int n_parameters;
  unsigned char values[MAX_PARAMETERS][MAX_VALUE_BYTES];
  CUdeviceptr buffers[MAX_PARAMETERS];
} Launch;

static void
check(CUresult result, const char *what) {
  const char *name = "unknown";
  if (result == CUDA_SUCCESS)
    return;
  cuGetErrorName(result, &name);
  fprintf(stderr, "%s: %s\n", what, name);
  exit(1);
}

static void
fail(const char *what, const char *text) {
  fprintf(stderr, "%s: %s\n", what, text);
  exit(2);
}

static uint64_t
mix(uint64_t seed, uint64_t index) {
  uint64_t z = seed + (index + 1) * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static void
put(unsigned char *to, const char *type, uint64_t value) {
  float single = (float)value;
  double twice = (double)value;
  if (strcmp(type, "f32") == 0)
    memcpy(to, &single, 4);
  else if (strcmp(type, "f64") == 0)
    memcpy(to, &twice, 8);
  else
    memcpy(to, &value, (size_t)atoi(type + 1) / 8);
}

// "zeros", "iota:TYPE" or "random:TYPE:SEED[:BELOW]", of whole numbers.
static void
fill(unsigned char *bytes, const char *spec) {
  char kind[16] = "", type[16] = "";
  unsigned long long seed = 0, below = 0;
  memset(bytes, 0, BUFFER_BYTES);
  if (strcmp(spec, "zeros") == 0)
    return;
  int n = sscanf(spec, "%15[^:]:%15[^:]:%llu:%llu", kind, type, &seed, &below);
  int is_random = strcmp(kind, "random") == 0;
  size_t size = n >= 2 ? (size_t)atoi(type + 1) / 8 : 0;
  if ((!is_random && strcmp(kind, "iota") != 0) || (is_random && n < 3) ||
      !strchr("iuf", type[0]) || size == 0 || size > 8 ||
      (type[0] == 'f' && (size < 4 || (is_random && !below))))
    fail("buffer", spec);
  for (size_t i = 0; i < BUFFER_BYTES / size; i++) {
    uint64_t value = is_random ? mix(seed, i) : i;
    put(bytes + i * size, type, below ? value % below : value);
  }
}

static void
add_value(Launch *launch, const char *hex) {
  unsigned char *to = launch->values[launch->n_parameters++];
  for (size_t i = 0; hex[2 * i] && hex[2 * i + 1] && i < MAX_VALUE_BYTES; i++) {
    char digits[3] = {hex[2 * i], hex[2 * i + 1], 0};
    to[i] = (unsigned char)strtoul(digits, NULL, 16);
  }
}

static void
add_buffer(Launch *launch, const char *spec) {
  static unsigned char bytes[BUFFER_BYTES];
  CUdeviceptr *buffer = &launch->buffers[launch->n_parameters];
  fill(bytes, spec);
  check(cuMemAlloc(buffer, BUFFER_BYTES), "cuMemAlloc");
  check(cuMemcpyHtoD(*buffer, bytes, BUFFER_BYTES), "cuMemcpyHtoD");
  memcpy(launch->values[launch->n_parameters++], buffer, sizeof *buffer);
}

static void
go(CUmodule module, Launch *launch) {
  CUfunction function;
  void *values[MAX_PARAMETERS];
  for (int i = 0; i < MAX_PARAMETERS; i++)
    values[i] = launch->values[i];
  const unsigned *g = launch->grid, *b = launch->block;
  check(cuModuleGetFunction(&function, module, launch->entry), launch->entry);
  check(cuLaunchKernel(function, g[0], g[1], g[2], b[0], b[1], b[2], launch->dynamic, NULL, values,
                       NULL),
        launch->entry);
  check(cuCtxSynchronize(), launch->entry);
  for (int i = 0; i < MAX_PARAMETERS; i++) {
    if (launch->buffers[i])
      check(cuMemFree(launch->buffers[i]), "cuMemFree");
  }
}

int
main(int argc, char **argv) {
  CUdevice device;
  CUcontext context;
  CUmodule module;
  FILE *list = argc == 3 ? fopen(argv[2], "r") : NULL;
  char line[2048], text[1024];
  Launch launch;
  if (!list)
    fail("usage", "launch-ptx CUBIN LIST");
  check(cuInit(0), "cuInit");
  check(cuDeviceGet(&device, 0), "cuDeviceGet");
  check(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
  check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
  check(cuModuleLoad(&module, argv[1]), argv[1]);
  memset(&launch, 0, sizeof launch);
  while (fgets(line, sizeof line, list)) {
    if (strncmp(line, "launch ", 7) == 0) {
      unsigned *g = launch.grid, *b = launch.block;
      memset(&launch, 0, sizeof launch);
      if (sscanf(line, "launch %511s %u %u %u %u %u %u %u", launch.entry, g, g + 1, g + 2, b, b + 1,
                 b + 2, &launch.dynamic) != 8)
        fail("list", line);
    } else if (launch.n_parameters < MAX_PARAMETERS && sscanf(line, "value %1023s", text) == 1)
      add_value(&launch, text);
    else if (launch.n_parameters < MAX_PARAMETERS && sscanf(line, "buffer %1023s", text) == 1)
      add_buffer(&launch, text);
    else if (strcmp(line, "go\n") == 0)
      go(module, &launch);
    else
      fail("list", line);
  }
  fclose(list);
  return 0;
}
