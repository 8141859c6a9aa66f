// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What is around each function of the driver, and how programs find them.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "gpu/driver/client.h"
#include "gpu/driver/cu/driver.h"
#include "gpu/driver/error.h"
#include "gpu/driver/stream/call-queue.h"
#include "gpu/driver/stream/stream-variant.h"

enum {
  MAX_LIBRARIES = 64, // that are told of
  NEWEST_VERSION = 13000,
  FLAG_LEGACY = 1, // CUdriverProcAddress_flags
  FLAG_PER_THREAD = 2,
};

static __thread const void *last_caller;

// --- around each function

int
driver_begin(const Entry *entry, const void *caller) {
  const Context *current = context_current();
  error_set_driver(true);
  last_caller = caller;
  if (entry->needs == NEEDS_NOTHING)
    return cudaSuccess;
  if (queue_is_inside())
    return cudaErrorNotPermitted;
  if (!client_is_connected())
    return cudaErrorInitializationError;
  if (entry->needs == NEEDS_INIT)
    return cudaSuccess;
  return !current              ? cudaErrorDeviceUninitialized
         : context_is(current) ? cudaSuccess
                               : cudaErrorContextIsDestroyed;
}

// From 100 on the numbers are the same. Below, CUresult has only some of them.
int
driver_end(const Entry *entry, int result) {
  static const struct {
    cudaError_t from, to;
  } others[] = {
      {cudaErrorInvalidSymbol, cudaErrorSymbolNotFound},
      {cudaErrorInvalidDeviceFunction, cudaErrorInvalidResourceHandle},
      {cudaErrorInvalidConfiguration, cudaErrorInvalidValue},
      {cudaErrorInvalidPitchValue, cudaErrorInvalidValue},
      {cudaErrorInvalidHostPointer, cudaErrorInvalidValue},
      {cudaErrorInvalidDevicePointer, cudaErrorInvalidValue},
      {cudaErrorInvalidChannelDescriptor, cudaErrorInvalidValue},
      {cudaErrorInvalidMemcpyDirection, cudaErrorInvalidValue},
  };
  (void)entry;
  error_set_driver(false);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (result == (int)others[i].from)
      return others[i].to;
  return result;
}

const void *
driver_caller(void) {
  return last_caller;
}

// --- finding functions

static const void *
find_proc_address(const char *symbol, int version, unsigned long long flags, int *status) {
  DriverSearch search;
  bool per_thread = flags & FLAG_PER_THREAD || (!(flags & FLAG_LEGACY) && variant_is_running());
  const void *function = driver_find(symbol, version, per_thread, &search);
  if (status)
    *status = search;
  return function;
}

cudaError_t
cuGetProcAddress_v2(const char *symbol, const void **function, int version,
                    unsigned long long flags, int *status) {
  if (!symbol || !function || flags > FLAG_PER_THREAD)
    return cudaErrorInvalidValue;
  *function = find_proc_address(symbol, version, flags, status);
  return cudaSuccess;
}

// The first version has no other way to say that there is none.
cudaError_t
cuGetProcAddress(const char *symbol, const void **function, int version, unsigned long long flags) {
  cudaError_t error = cuGetProcAddress_v2(symbol, function, version, flags, NULL);
  return error || *function ? error : cudaErrorSymbolNotFound;
}

static cudaError_t
find_entry_point(const char *symbol, const void **function, unsigned version,
                 unsigned long long flags, int *status) {
  bool is_right = symbol && function && flags <= FLAG_PER_THREAD;
  cudaError_t error = is_right ? error_check() : cudaErrorInvalidValue;
  if (!error)
    *function = find_proc_address(symbol, (int)version, flags, status);
  return error_return(error);
}

API cudaError_t
cudaGetDriverEntryPoint(const char *symbol, const void **function, unsigned long long flags,
                        int *status) {
  return find_entry_point(symbol, function, CUDART_MAJOR == 12 ? 12090 : NEWEST_VERSION, flags,
                          status);
}

API cudaError_t
cudaGetDriverEntryPointByVersion(const char *symbol, const void **function, unsigned version,
                                 unsigned long long flags, int *status) {
  return find_entry_point(symbol, function, version, flags, status);
}

// --- what is not documented

static bool
tell_once(const void *library) {
  static const void *told[MAX_LIBRARIES];
  for (unsigned i = 0; i < MAX_LIBRARIES; i++) {
    const void *none = NULL;
    if (__atomic_compare_exchange_n(&told[i], &none, library, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED))
      return true;
    if (none == library)
      return false;
  }
  return false;
}

// Libraries that ask whether there is a driver, and go on without one.
static bool
is_compiler(const char *library) {
  return strncmp(library, "libnvrtc", strlen("libnvrtc")) == 0 ||
         strncmp(library, "libnvJitLink", strlen("libnvJitLink")) == 0;
}

// The runtime of CUDA that is inside a library asks for tables of functions before anything else, and does nothing without them. Programs
// and libraries whose runtime is replaced (gpu/redirect) do not ask.
cudaError_t
cuGetExportTable(const void **table, const void *id) {
  Dl_info library;
  (void)id;
  if (!table)
    return cudaErrorInvalidValue;
  *table = NULL;
  bool is_known = dladdr(last_caller, &library) && library.dli_fname;
  const char *path = is_known ? library.dli_fname : "the program";
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  if (!is_compiler(name) && tell_once(is_known ? library.dli_fbase : last_caller))
    fprintf(stderr,
            "smembank run: %s needs a GPU: the CUDA runtime inside it cannot be replaced, and its "
            "calls fail (smembank capture records programs on a machine with one)\n",
            name);
  return cudaErrorSymbolNotFound;
}
