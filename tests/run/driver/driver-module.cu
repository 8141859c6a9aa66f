// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The driver's interface: modules, libraries, functions and launches.
// nvcc: -lcuda
#include "driver.h"

#include <vector>

static CUmodule module;
static CUfunction scale, fill, count;

static void
loading() {
  CUmodule bad = NULL;
  CUfunction none;
  char log[512] = "untouched";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)sizeof log};
  CHECK(cuModuleLoadData(&module, module_text));
  CHECK(cuModuleGetFunction(&scale, module, "scale"));
  CHECK(cuModuleGetFunction(&fill, module, "fill"));
  CHECK(cuModuleGetFunction(&count, module, "count"));
  FAILS(NOT_FOUND, cuModuleGetFunction(&none, module, "nothing"));
  FAILS(INVALID_VALUE, cuModuleLoadData(NULL, module_text));
  FAILS(INVALID_VALUE, cuModuleLoadData(&bad, NULL));
  FAILS(INVALID_PTX,
        cuModuleLoadDataEx(&bad, ".version 7.0\n.target sm_70\n.address_size 64\nfoo bar;\n", 2,
                           options, values));
  EXPECT(strlen(log) > 0 && strcmp(log, "untouched") != 0);
  FAILS(INVALID_IMAGE, cuModuleLoadData(&bad, "this is no image"));
  FAILS(FILE_NOT_FOUND, cuModuleLoad(&bad, "/nowhere/module.cubin"));
  strcpy(log, "");
  values[1] = (void *)sizeof log;
  CHECK(cuModuleLoadDataEx(&bad, module_text, 2, options, values));
  EXPECT(log[0] == '\0');
  CHECK(cuModuleUnload(bad));
  FAILS(INVALID_HANDLE, cuModuleUnload(NULL));
}

static void
variables() {
  CUdeviceptr address;
  size_t bytes = 0;
  unsigned value = 0;
  CHECK(cuModuleGetGlobal(&address, &bytes, module, "counter"));
  EXPECT(bytes == 4);
  CHECK(cuMemcpyDtoH(&value, address, 4));
  EXPECT(value == 5);
  CHECK(cuLaunchKernel(count, 3, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
  CHECK(cuMemcpyDtoH(&value, address, 4));
  EXPECT(value == 5 + 96);
  CHECK(cuModuleGetGlobal(NULL, &bytes, module, "first"));
  CHECK(cuModuleGetGlobal(&address, NULL, module, "first"));
  value = 1000;
  CHECK(cuMemcpyHtoD(address, &value, 4));
  FAILS(NOT_FOUND, cuModuleGetGlobal(&address, &bytes, module, "none"));
}

static void
launches() {
  const int n = 100;
  CUdeviceptr data;
  std::vector<float> host(n);
  std::vector<unsigned> numbers(64);
  CHECK(cuMemAlloc(&data, n * sizeof(float)));
  for (int i = 0; i < n; i++)
    host[i] = (float)i;
  CHECK(cuMemcpyHtoD(data, host.data(), n * sizeof(float)));
  unsigned count = n;
  float factor = 2.5f;
  void *arguments[] = {&data, &count, &factor};
  CHECK(cuLaunchKernel(scale, 4, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
  CHECK(cuMemcpyDtoH(host.data(), data, n * sizeof(float)));
  EXPECT(host[1] == 2.5f && host[99] == 247.5f);

  // Arguments as one buffer.
  struct {
    CUdeviceptr data;
    unsigned n;
    float factor;
  } buffer = {data, 50, 2.0f};
  size_t bytes = sizeof buffer;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  CHECK(cuLaunchKernel(scale, 4, 1, 1, 32, 1, 1, 0, NULL, NULL, extra));
  CHECK(cuMemcpyDtoH(host.data(), data, n * sizeof(float)));
  EXPECT(host[1] == 5.0f && host[99] == 247.5f);

  // With a configuration.
  CUlaunchAttribute attribute;
  memset(&attribute, 0, sizeof attribute);
  attribute.id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
  CUlaunchConfig configuration;
  memset(&configuration, 0, sizeof configuration);
  configuration.gridDimX = configuration.gridDimY = configuration.gridDimZ = 1;
  configuration.blockDimX = 64;
  configuration.blockDimY = configuration.blockDimZ = 1;
  configuration.attrs = &attribute;
  configuration.numAttrs = 1;
  void *one[] = {&data};
  CHECK(cuLaunchKernelEx(&configuration, fill, one, NULL));
  CHECK(cuMemcpyDtoH(numbers.data(), data, 256));
  EXPECT(numbers[0] == 1000 && numbers[63] == 1063);
  CHECK(cuLaunchCooperativeKernel(fill, 1, 1, 1, 64, 1, 1, 0, NULL, one));
  CHECK(cuCtxSynchronize());

  FAILS(INVALID_VALUE, cuLaunchKernel(scale, 0, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
  FAILS(INVALID_VALUE, cuLaunchKernel(scale, 1, 1, 1, 2048, 1, 1, 0, NULL, arguments, NULL));
  FAILS(INVALID_VALUE, cuLaunchKernel(scale, 1, 1, 1, 32, 1, 1, 60000, NULL, arguments, NULL));
  FAILS(INVALID_HANDLE, cuLaunchKernel(NULL, 1, 1, 1, 32, 1, 1, 0, NULL, arguments, NULL));
  FAILS(COOPERATIVE_LAUNCH_TOO_LARGE,
        cuLaunchCooperativeKernel(fill, 100000, 1, 1, 64, 1, 1, 0, NULL, one));
  CHECK(cuMemFree(data));
}

static void
functions() {
  int value = -1, blocks = 0, grid = 0, block = 0;
  size_t offset = 0, bytes = 0;
  const char *name = "";
  CUmodule of = NULL;
  CHECK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, fill));
  EXPECT(value == 256);
  CHECK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, fill));
  EXPECT(value == 1024);
  CHECK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, fill));
  EXPECT(value == 0);
  FAILS(INVALID_VALUE, cuFuncGetAttribute(&value, (CUfunction_attribute)99, fill));
  CHECK(cuFuncSetAttribute(fill, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 65536));
  CHECK(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, fill));
  EXPECT(value == 65536);
  FAILS(INVALID_VALUE,
        cuFuncSetAttribute(fill, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 20));
  CHECK(cuFuncSetCacheConfig(fill, CU_FUNC_CACHE_PREFER_SHARED));
  CHECK(cuFuncGetModule(&of, fill));
  EXPECT(of == module);
  CHECK(cuFuncGetName(&name, fill));
  EXPECT(strcmp(name, "fill") == 0);
  CHECK(cuFuncGetParamInfo(scale, 2, &offset, &bytes));
  EXPECT(offset == 12 && bytes == 4);
  FAILS(INVALID_VALUE, cuFuncGetParamInfo(scale, 3, &offset, &bytes));
  CHECK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fill, 1024, 0));
  EXPECT(blocks == 2);
  CHECK(cuOccupancyMaxPotentialBlockSize(&grid, &block, scale, NULL, 0, 0));
  EXPECT(block == 1024 && grid % 2 == 0);
  CHECK(cuOccupancyMaxPotentialBlockSize(&grid, &block, scale, NULL, 0, 128));
  EXPECT(block == 128);
}

static void
libraries() {
  CUlibrary library;
  CUkernel kernel;
  CUfunction function;
  CUmodule of = NULL;
  CUdeviceptr address, data;
  unsigned n = 0, value = 0;
  size_t bytes;
  const char *name = "";
  CHECK(cuLibraryLoadData(&library, module_text, NULL, NULL, 0, NULL, NULL, 0));
  CHECK(cuLibraryGetKernelCount(&n, library));
  EXPECT(n == 4);
  CHECK(cuLibraryGetKernel(&kernel, library, "fill"));
  FAILS(NOT_FOUND, cuLibraryGetKernel(&kernel, library, "nothing"));
  CHECK(cuLibraryGetKernel(&kernel, library, "fill"));
  CHECK(cuKernelGetName(&name, kernel));
  EXPECT(strcmp(name, "fill") == 0);
  CHECK(cuKernelGetFunction(&function, kernel));
  CHECK(cuLibraryGetModule(&of, library));
  CHECK(cuLibraryGetGlobal(&address, &bytes, library, "counter"));
  EXPECT(bytes == 4);
  CHECK(cuMemAlloc(&data, 256));
  void *arguments[] = {&data};
  CHECK(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL));
  CHECK(cuMemcpyDtoH(&value, data + 4, 4));
  EXPECT(value == 8);
  CHECK(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL));
  CHECK(cuMemFree(data));
  CHECK(cuLibraryUnload(library));
}

static void
linking() {
  CUlinkState link;
  CUmodule linked;
  CUfunction function;
  void *image = NULL;
  size_t bytes = 0;
  CHECK(cuLinkCreate(0, NULL, NULL, &link));
  CHECK(cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)module_text, sizeof module_text, "text", 0,
                      NULL, NULL));
  CHECK(cuLinkComplete(link, &image, &bytes));
  EXPECT(image && bytes > 0);
  CHECK(cuModuleLoadData(&linked, image));
  CHECK(cuLinkDestroy(link));
  CHECK(cuModuleGetFunction(&function, linked, "count"));
  CHECK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
  CHECK(cuCtxSynchronize());
  CHECK(cuModuleUnload(linked));
}

// An error that ends the context is told by the next call that waits, and by all that follow.
static void
faults() {
  CUfunction stray;
  CUdeviceptr memory, address = 64;
  CUcontext current;
  void *arguments[] = {&address};
  CHECK(cuModuleGetFunction(&stray, module, "stray"));
  CHECK(cuLaunchKernel(stray, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
  FAILS(ILLEGAL_ADDRESS, cuCtxSynchronize());
  FAILS(ILLEGAL_ADDRESS, cuMemAlloc(&memory, 4));
  FAILS(ILLEGAL_ADDRESS, cuStreamSynchronize(NULL));
  FAILS(ILLEGAL_ADDRESS, cuLaunchKernel(count, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
  CHECK(cuCtxGetCurrent(&current));
}

int
main() {
  CUcontext context;
  CHECK(cuInit(0));
  CHECK(cuCtxCreate(&context, NULL, 0, 0));
  loading();
  variables();
  launches();
  functions();
  libraries();
  linking();
  faults();
  return finish("driver-module");
}
