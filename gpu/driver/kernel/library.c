// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Libraries: device code that a program loads itself (cudaLibrary…), and its kernels as handles (cudaKernel_t).
#include <stdio.h>
#include <stdlib.h>

#include "gpu/driver/error.h"
#include "gpu/driver/handle.h"
#include "gpu/driver/kernel/module.h"

struct Library {
  Module *module;
};

static cudaError_t
open_library_image(cudaLibrary_t *library, const void *bytes, size_t n_bytes) {
  Module *module;
  if (n_bytes == 0)
    return cudaErrorInvalidKernelImage;
  cudaError_t error = module_open(bytes, n_bytes, &module);
  if (error)
    return error;
  *library = handle_new(HANDLE_LIBRARY, sizeof **library);
  if (!*library)
    return cudaErrorMemoryAllocation;
  (*library)->module = module;
  return cudaSuccess;
}

API cudaError_t
cudaLibraryLoadData(cudaLibrary_t *library, const void *code, const int *jit_options,
                    void **jit_values, unsigned n_jit, const int *options, void **values,
                    unsigned n_options) {
  cudaError_t error = error_check();
  (void)jit_options, (void)jit_values, (void)n_jit, (void)options, (void)values, (void)n_options;
  if (!error && (!library || !code))
    error = cudaErrorInvalidValue;
  size_t n = error ? 0 : module_measure(&code);
  return error_return(error ? error : open_library_image(library, code, n));
}

static cudaError_t
open_file(cudaLibrary_t *library, const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return cudaErrorFileNotFound;
  char *bytes = NULL;
  size_t n = 0, room = 0, got;
  do {
    if (n == room) {
      char *larger = realloc(bytes, room = room ? 2 * room : 1 << 16);
      if (!larger)
        break;
      bytes = larger;
    }
    got = fread(bytes + n, 1, room - n, file);
    n += got;
  } while (got > 0);
  fclose(file);
  cudaError_t error = open_library_image(library, bytes, n);
  free(bytes);
  return error;
}

API cudaError_t
cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *path, const int *jit_options,
                        void **jit_values, unsigned n_jit, const int *options, void **values,
                        unsigned n_options) {
  cudaError_t error = error_check();
  (void)jit_options, (void)jit_values, (void)n_jit, (void)options, (void)values, (void)n_options;
  if (!error && (!library || !path))
    error = cudaErrorInvalidValue;
  return error_return(error ? error : open_file(library, path));
}

static cudaError_t
use_library(cudaLibrary_t library) {
  cudaError_t error = error_check();
  return error                                ? error
         : handle_is(library, HANDLE_LIBRARY) ? cudaSuccess
                                              : cudaErrorInvalidResourceHandle;
}

API cudaError_t
cudaLibraryUnload(cudaLibrary_t library) {
  cudaError_t error = use_library(library);
  if (!error) {
    module_close(library->module);
    handle_free(library);
  }
  return error_return(error);
}

API cudaError_t
cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name) {
  cudaError_t error = use_library(library);
  if (!error && (!kernel || !name))
    error = cudaErrorInvalidValue;
  return error_return(error ? error : module_find_kernel(library->module, name, kernel));
}

static cudaError_t
find_library_variable(void **address, size_t *bytes, cudaLibrary_t library, const char *name) {
  void *found;
  size_t size;
  cudaError_t error = use_library(library);
  if (!error && !name)
    error = cudaErrorInvalidValue;
  error = error ? error : module_find_variable(library->module, name, &found, &size);
  if (!error && address)
    *address = found;
  if (!error && bytes)
    *bytes = size;
  return error_return(error);
}

API cudaError_t
cudaLibraryGetGlobal(void **address, size_t *bytes, cudaLibrary_t library, const char *name) {
  return find_library_variable(address, bytes, library, name);
}

API cudaError_t
cudaLibraryGetManaged(void **address, size_t *bytes, cudaLibrary_t library, const char *name) {
  return find_library_variable(address, bytes, library, name);
}

API cudaError_t
cudaLibraryGetKernelCount(unsigned *count, cudaLibrary_t library) {
  cudaError_t error = use_library(library);
  if (!error && !count)
    error = cudaErrorInvalidValue;
  if (!error)
    *count = (unsigned)module_count_kernels(library->module);
  return error_return(error);
}

API cudaError_t
cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned n, cudaLibrary_t library) {
  cudaError_t error = use_library(library);
  if (!error && !kernels)
    error = cudaErrorInvalidValue;
  for (size_t i = 0; !error && i < n && i < module_count_kernels(library->module); i++)
    kernels[i] = module_get_kernel(library->module, i);
  return error_return(error);
}

// --- handles of kernels that are registered: what can be launched is the address of the host's function

API cudaError_t
__cudaGetKernel(const void **kernel, const void *function) {
  Kernel *found;
  *kernel = function;
  cudaError_t error = module_kernel(function, &found);
  return error == cudaErrorInvalidResourceHandle ? cudaErrorInvalidDeviceFunction : error;
}

API cudaError_t
cudaGetKernel(const void **kernel, const void *function) {
  return error_return(kernel ? __cudaGetKernel(kernel, function) : cudaErrorInvalidValue);
}

// A function of the driver's interface: nothing but this runtime takes it.
API cudaError_t
cudaGetFuncBySymbol(const void **function, const void *symbol) {
  return cudaGetKernel(function, symbol);
}
