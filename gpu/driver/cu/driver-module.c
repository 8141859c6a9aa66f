// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Modules and what is in them.
#include <stdlib.h>
#include <string.h>

#include "gpu/driver/cu/driver.h"
#include "gpu/driver/error.h"
#include "gpu/driver/handle.h"
#include "gpu/driver/texture/texture-reference.h"

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
  if (error == cudaErrorSymbolNotFound &&
      (reference_find(module, name, false) || reference_find(module, name, true)))
    error = cudaErrorInvalidValue; // it is there, but no variable (seen on an H200)
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
  return *module ? cudaSuccess : cudaErrorInvalidPtx;
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
