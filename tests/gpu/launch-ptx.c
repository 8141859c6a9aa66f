// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Launches kernels of a cubin one after the other, as a list says, with the contents of buffers that analyze's
// --buffer describes. For ncu-ptx.sh; needs the CUDA driver and the C library alone.
//
//   launch-ptx CUBIN LIST [MEMORY]   LIST, a line each: 'launch ENTRY GX GY GZ BX BY BZ DYNAMIC', then for each parameter
//                                    'value HEXBYTES' or 'buffer SPEC', then 'go'. The K-th launch writes
//                                    MEMORY.K.memory: 'buffer PARAMETER=SPEC' for each buffer, and 'PARAMETER OFFSET
//                                    HEXBYTES' for each 16 bytes of it that the launch changed
#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUFFER_BYTES    (1u << 20)
#define LINE_BYTES      16
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
  char specs[MAX_PARAMETERS][64];
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
  snprintf(launch->specs[launch->n_parameters], sizeof launch->specs[0], "%s", spec);
  check(cuMemAlloc(buffer, BUFFER_BYTES), "cuMemAlloc");
  check(cuMemcpyHtoD(*buffer, bytes, BUFFER_BYTES), "cuMemcpyHtoD");
  memcpy(launch->values[launch->n_parameters++], buffer, sizeof *buffer);
}

static void
write_changes(FILE *file, const Launch *launch, int parameter) {
  static unsigned char before[BUFFER_BYTES], after[BUFFER_BYTES];
  fill(before, launch->specs[parameter]);
  fprintf(file, "buffer %d=%s\n", parameter, launch->specs[parameter]);
  check(cuMemcpyDtoH(after, launch->buffers[parameter], BUFFER_BYTES), "cuMemcpyDtoH");
  for (size_t i = 0; i < BUFFER_BYTES; i += LINE_BYTES) {
    if (memcmp(before + i, after + i, LINE_BYTES) == 0)
      continue;
    fprintf(file, "%d %zu ", parameter, i);
    for (size_t j = i; j < i + LINE_BYTES; j++)
      fprintf(file, "%02x", after[j]);
    fputc('\n', file);
  }
}

static void
write_memory(const Launch *launch, const char *prefix, int number) {
  char path[4096];
  snprintf(path, sizeof path, "%s.%d.memory", prefix, number);
  FILE *file = fopen(path, "w");
  if (!file)
    fail("cannot be written", path);
  for (int i = 0; i < MAX_PARAMETERS; i++) {
    if (launch->buffers[i])
      write_changes(file, launch, i);
  }
  if (fclose(file) != 0)
    fail("cannot be written", path);
}

// Whether all blocks fit on the device at once: then they may wait for each other.
static int
can_be_resident(CUfunction function, const Launch *launch) {
  const unsigned *g = launch->grid, *b = launch->block;
  CUdevice device;
  int fit = 0, multiprocessors = 0;
  check(cuCtxGetDevice(&device), "cuCtxGetDevice");
  check(cuDeviceGetAttribute(&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device),
        "cuDeviceGetAttribute");
  check(cuOccupancyMaxActiveBlocksPerMultiprocessor(&fit, function, (int)(b[0] * b[1] * b[2]),
                                                    launch->dynamic),
        launch->entry);
  return (uint64_t)g[0] * g[1] * g[2] <= (uint64_t)fit * (uint64_t)multiprocessors;
}

// @memory: NULL, or where write_memory() puts what launch @number leaves.
static void
go(CUmodule module, Launch *launch, const char *memory, int number) {
  CUfunction function;
  void *values[MAX_PARAMETERS];
  for (int i = 0; i < MAX_PARAMETERS; i++)
    values[i] = launch->values[i];
  const unsigned *g = launch->grid, *b = launch->block;
  check(cuModuleGetFunction(&function, module, launch->entry), launch->entry);
  if (can_be_resident(function, launch))
    check(cuLaunchCooperativeKernel(function, g[0], g[1], g[2], b[0], b[1], b[2], launch->dynamic,
                                    NULL, values),
          launch->entry);
  else
    check(cuLaunchKernel(function, g[0], g[1], g[2], b[0], b[1], b[2], launch->dynamic, NULL,
                         values, NULL),
          launch->entry);
  check(cuCtxSynchronize(), launch->entry);
  if (memory)
    write_memory(launch, memory, number);
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
  FILE *list = argc == 3 || argc == 4 ? fopen(argv[2], "r") : NULL;
  char line[2048], text[1024];
  Launch launch;
  int number = 0;
  if (!list)
    fail("usage", "launch-ptx CUBIN LIST [MEMORY]");
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
      go(module, &launch, argv[3], number++);
    else
      fail("list", line);
  }
  fclose(list);
  return 0;
}
