// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Libraries: device code that a program loads itself (cudaLibrary…), and its kernels as handles (cudaKernel_t).
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>

#include "gpu/driver/error.h"
#include "gpu/driver/handle.h"
#include "gpu/driver/memory/memory.h"
#include "gpu/driver/kernel/module.h"

struct Library {
  Module *module;      // NULL: text that is wrong, which is told when something of it is asked for
  cudaError_t failure; // with it
};

// --- what the compiler would say

enum {
  JIT_INFO_BUFFER = 3,
  JIT_INFO_BYTES,
  JIT_ERROR_BUFFER,
  JIT_ERROR_BYTES,
};

ModuleLog
module_find_log(const int *options, void **values, unsigned n) {
  ModuleLog log = {NULL, 0, 0};
  for (unsigned i = 0; options && values && i < n; i++) {
    if (options[i] == JIT_ERROR_BUFFER)
      log.text = values[i];
    if (options[i] == JIT_ERROR_BYTES)
      log.room = (uintptr_t)values[i];
  }
  log.room = log.text ? log.room : 0;
  return log;
}

static bool
has_option(const int *options, unsigned n, int option) {
  for (unsigned i = 0; i < n; i++)
    if (options[i] == option)
      return true;
  return false;
}

// Nothing is said of what succeeds.
void
module_tell_log(const ModuleLog *log, const int *options, void **values, unsigned n) {
  if (log->room > 0)
    log->text[log->length] = '\0';
  for (unsigned i = 0; options && values && i < n; i++)
    if (options[i] == JIT_INFO_BUFFER && values[i] && has_option(options, n, JIT_INFO_BYTES))
      *(char *)values[i] = '\0';
  for (unsigned i = 0; options && values && i < n; i++)
    if (options[i] == JIT_ERROR_BYTES || options[i] == JIT_INFO_BYTES)
      values[i] = (void *)(options[i] == JIT_ERROR_BYTES ? log->length : 0);
}

// --- loading

static cudaError_t
open_library_image(cudaLibrary_t *library, const void *bytes, size_t n_bytes, ModuleLog *log) {
  Module *module;
  if (n_bytes == 0)
    return cudaErrorInvalidKernelImage;
  cudaError_t error = module_open(bytes, n_bytes, log, &module);
  if (error && error != cudaErrorInvalidPtx)
    return error;
  *library = handle_new(HANDLE_LIBRARY, sizeof **library);
  if (!*library)
    return cudaErrorMemoryAllocation;
  **library = (struct Library){.module = module, .failure = error};
  if (module)
    module_set_library(module, *library);
  return cudaSuccess;
}

API cudaError_t
cudaLibraryLoadData(cudaLibrary_t *library, const void *code, const int *jit_options,
                    void **jit_values, unsigned n_jit, const int *options, void **values,
                    unsigned n_options) {
  cudaError_t error = error_check();
  (void)options, (void)values, (void)n_options;
  if (!error && (!library || !code))
    error = cudaErrorInvalidValue;
  if (error)
    return error_return(error);
  ModuleLog log = module_find_log(jit_options, jit_values, n_jit);
  size_t n = module_measure(&code);
  error = open_library_image(library, code, n, &log);
  module_tell_log(&log, jit_options, jit_values, n_jit);
  return error_return(error);
}

char *
module_read_file(const char *path, size_t *n_bytes) {
  FILE *file = fopen(path, "rb");
  char *bytes = NULL;
  size_t n = 0, room = 0, got = 0;
  do {
    if (n == room) {
      char *larger = file ? realloc(bytes, room = room ? 2 * room : 1 << 16) : NULL;
      if (!larger)
        break;
      bytes = larger;
    }
    got = fread(bytes + n, 1, room - n, file);
    n += got;
  } while (got > 0);
  if (file)
    fclose(file);
  *n_bytes = n;
  return bytes;
}

API cudaError_t
cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *path, const int *jit_options,
                        void **jit_values, unsigned n_jit, const int *options, void **values,
                        unsigned n_options) {
  cudaError_t error = error_check();
  (void)options, (void)values, (void)n_options;
  if (!error && (!library || !path))
    error = cudaErrorInvalidValue;
  if (error)
    return error_return(error);
  ModuleLog log = module_find_log(jit_options, jit_values, n_jit);
  size_t n = 0;
  char *bytes = module_read_file(path, &n);
  error = bytes ? open_library_image(library, bytes, n, &log) : cudaErrorFileNotFound;
  free(bytes);
  module_tell_log(&log, jit_options, jit_values, n_jit);
  return error_return(error);
}

Module *
library_module(cudaLibrary_t library) {
  return library->module;
}

static cudaError_t
use_library(cudaLibrary_t library) {
  cudaError_t error = error_check();
  return error                                ? error
         : handle_is(library, HANDLE_LIBRARY) ? library->failure
                                              : cudaErrorInvalidResourceHandle;
}

API cudaError_t
cudaLibraryUnload(cudaLibrary_t library) {
  cudaError_t error = error_check();
  if (!error && !handle_is(library, HANDLE_LIBRARY))
    error = cudaErrorInvalidResourceHandle;
  if (!error) {
    if (library->module)
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

cudaError_t
library_find_variable(void **address, size_t *bytes, cudaLibrary_t library, const char *name) {
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
  return error;
}

API cudaError_t
cudaLibraryGetGlobal(void **address, size_t *bytes, cudaLibrary_t library, const char *name) {
  cudaError_t error = library_find_variable(address, bytes, library, name);
  return error_return(error == cudaErrorSymbolNotFound ? cudaErrorInvalidValue : error);
}

API cudaError_t
cudaLibraryGetManaged(void **address, size_t *bytes, cudaLibrary_t library, const char *name) {
  void *found = NULL;
  Allocation memory;
  cudaError_t error = library_find_variable(&found, bytes, library, name);
  if (error)
    return error_return(error);
  if (!memory_find(found, &memory) || memory.kind != INJECT_MANAGED)
    return error_return(cudaErrorSymbolNotFound);
  if (address)
    *address = found;
  return cudaSuccess;
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

// A function that is the same on the host and on the device: this machine has none.
API cudaError_t
cudaLibraryGetUnifiedFunction(void **function, cudaLibrary_t library, const char *name) {
  cudaError_t error = use_library(library);
  (void)function, (void)name;
  return error_return(error ? error : cudaErrorInvalidValue);
}
