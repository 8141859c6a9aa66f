// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Modules and what is in them, and the linker, which has one input.
#include <stdlib.h>
#include <string.h>

#include "gpu/driver/cu/driver.h"
#include "gpu/driver/error.h"
#include "gpu/driver/handle.h"

// --- loading

static cudaError_t
load_driver_image(CUmodule *module, const void *image, size_t n_bytes, const int *options,
                  void **values, unsigned n) {
  ModuleLog log = module_find_log(options, values, n);
  cudaError_t error =
      n_bytes > 0 ? module_open(image, n_bytes, &log, module) : cudaErrorInvalidKernelImage;
  module_tell_log(&log, options, values, n);
  return error;
}

cudaError_t
cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned n, const int *options,
                   void **values) {
  if (!module || !image || (n > 0 && (!options || !values)))
    return cudaErrorInvalidValue;
  size_t n_bytes = module_measure(&image);
  return load_driver_image(module, image, n_bytes, options, values, n);
}

cudaError_t
cuModuleLoadData(CUmodule *module, const void *image) {
  return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

cudaError_t
cuModuleLoadFatBinary(CUmodule *module, const void *image) {
  return cuModuleLoadDataEx(module, image, 0, NULL, NULL);
}

cudaError_t
cuModuleLoad(CUmodule *module, const char *path) {
  size_t n_bytes = 0;
  if (!module || !path)
    return cudaErrorInvalidValue;
  char *image = module_read_file(path, &n_bytes);
  cudaError_t error =
      image ? load_driver_image(module, image, n_bytes, NULL, NULL, 0) : cudaErrorFileNotFound;
  free(image);
  return error;
}

static cudaError_t
use_module(const void *answer, CUmodule module) {
  return !answer                            ? cudaErrorInvalidValue
         : handle_is(module, HANDLE_MODULE) ? cudaSuccess
                                            : cudaErrorInvalidResourceHandle;
}

cudaError_t
cuModuleUnload(CUmodule module) {
  cudaError_t error = use_module(module, module);
  if (error)
    return cudaErrorInvalidResourceHandle;
  module_close(module);
  return cudaSuccess;
}

// Modules are loaded when they are asked for.
cudaError_t
cuModuleGetLoadingMode(int *mode) {
  if (!mode)
    return cudaErrorInvalidValue;
  *mode = 2; // CU_MODULE_LAZY_LOADING, what a driver does unless it is told otherwise
  return cudaSuccess;
}

// --- what is in them

cudaError_t
cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  cudaError_t error = use_module(name ? (void *)function : NULL, module);
  return error ? error : module_find_kernel(module, name, function);
}

cudaError_t
cuModuleGetFunctionCount(unsigned *n, CUmodule module) {
  cudaError_t error = use_module(n, module);
  if (!error)
    *n = (unsigned)module_count_kernels(module);
  return error;
}

cudaError_t
cuModuleEnumerateFunctions(CUfunction *functions, unsigned n, CUmodule module) {
  cudaError_t error = use_module(functions, module);
  for (size_t i = 0; !error && i < n && i < module_count_kernels(module); i++)
    functions[i] = module_get_kernel(module, i);
  return error;
}

cudaError_t
cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name) {
  void *found;
  size_t size;
  cudaError_t error = use_module(name && (address || bytes) ? name : NULL, module);
  error = error ? error : module_find_variable(module, name, &found, &size);
  if (!error && address)
    *address = (CUdeviceptr)found;
  if (!error && bytes)
    *bytes = size;
  return error;
}

// --- libraries, beside what the runtime has of them

cudaError_t
cuLibraryGetModule(CUmodule *module, cudaLibrary_t library) {
  if (!module || !handle_is(library, HANDLE_LIBRARY))
    return module ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
  *module = library_module(library);
  return cudaSuccess;
}

static cudaError_t
use_driver_kernel(const void *answer, const Kernel *kernel) {
  return !answer                            ? cudaErrorInvalidValue
         : handle_is(kernel, HANDLE_KERNEL) ? cudaSuccess
                                            : cudaErrorInvalidResourceHandle;
}

cudaError_t
cuKernelGetFunction(CUfunction *function, Kernel *kernel) {
  cudaError_t error = use_driver_kernel(function, kernel);
  if (!error)
    *function = kernel;
  return error;
}

cudaError_t
cuKernelGetLibrary(cudaLibrary_t *library, const Kernel *kernel) {
  cudaError_t error = use_driver_kernel(library, kernel);
  if (!error)
    *library = module_library(kernel->module);
  return error;
}

// --- the linker

enum {
  INPUT_KINDS = 6,
};

struct Link {
  char *image;
  size_t n_bytes;
};

cudaError_t
cuLinkCreate_v2(unsigned n, const int *options, void **values, CUlinkState *link) {
  if (!link || (n > 0 && (!options || !values)))
    return cudaErrorInvalidValue;
  *link = handle_new(HANDLE_LINK, sizeof **link);
  return *link ? cudaSuccess : cudaErrorMemoryAllocation;
}

static cudaError_t
use_link(const void *answer, CUlinkState link) {
  return !answer                        ? cudaErrorInvalidValue
         : handle_is(link, HANDLE_LINK) ? cudaSuccess
                                        : cudaErrorInvalidResourceHandle;
}

cudaError_t
cuLinkAddData_v2(CUlinkState link, int kind, const void *data, size_t n_bytes, const char *name,
                 unsigned n, const int *options, void **values) {
  cudaError_t error = use_link(n_bytes > 0 ? data : NULL, link);
  (void)name, (void)n, (void)options, (void)values;
  if (!error && (kind < 0 || kind >= INPUT_KINDS))
    error = cudaErrorInvalidValue;
  if (!error && link->image)
    return error_missing("cuLinkAddData of a second input");
  if (error)
    return error;
  link->image = malloc(n_bytes + 1);
  if (!link->image)
    return cudaErrorMemoryAllocation;
  memcpy(link->image, data, n_bytes);
  link->image[n_bytes] = '\0';
  link->n_bytes = n_bytes;
  return cudaSuccess;
}

cudaError_t
cuLinkAddFile_v2(CUlinkState link, int kind, const char *path, unsigned n, const int *options,
                 void **values) {
  size_t n_bytes = 0;
  cudaError_t error = use_link(path, link);
  char *data = error ? NULL : module_read_file(path, &n_bytes);
  if (!error && !data)
    error = cudaErrorFileNotFound;
  if (!error)
    error = cuLinkAddData_v2(link, kind, data, n_bytes, path, n, options, values);
  free(data);
  return error;
}

// What is returned is what can be loaded: the input, which the compiler does not take before.
cudaError_t
cuLinkComplete(CUlinkState link, void **image, size_t *n_bytes) {
  cudaError_t error = use_link(image, link);
  if (error || !link->image)
    return error ? error : cudaErrorInvalidValue;
  *image = link->image;
  if (n_bytes)
    *n_bytes = link->n_bytes;
  return cudaSuccess;
}

cudaError_t
cuLinkDestroy(CUlinkState link) {
  cudaError_t error = use_link(link, link);
  if (error)
    return cudaErrorInvalidResourceHandle;
  free(link->image);
  handle_free(link);
  return cudaSuccess;
}
