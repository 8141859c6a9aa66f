// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The device: there is one.
#include <stdio.h>
#include <string.h>

#include "gpu/driver/client.h"
#include "gpu/driver/memory/device-heap.h"
#include "gpu/driver/error.h"
#include "gpu/driver/memory/host-register.h"
#include "gpu/driver/memory/memory-pool.h"
#include "gpu/driver/memory/memory.h"
#include "gpu/driver/newer.h"
#include "gpu/driver/kernel/module.h"
#include "gpu/driver/stream/stream-capture.h"
#include "gpu/driver/texture/texture.h"

#define BUS_ID "0000:01:00.0"

enum {
  DRIVER_VERSION = 13000, // CUDA 13.0
  RUNTIME_VERSION = CUDART_MAJOR == 12 ? 12090 : 13000,
  N_LIMITS = 8,
  MAX_STACK =
      512 << 10, // CUDA C++ Programming Guide, Technical Specifications: local memory of a thread
  CACHE_PREFERENCES = 4,
  PRINTF_OF_MULTIPROCESSOR = 64 << 10, // bytes of its buffer
};

typedef enum {
  LIMIT_STACK,
  LIMIT_PRINTF,
  LIMIT_HEAP,
  LIMIT_SYNC_DEPTH,
  LIMIT_PENDING,
  LIMIT_L2_FETCH,
  LIMIT_PERSISTING_L2,
  LIMIT_SHARED, // of a block with opt-in: told, and never set
} Limit;

// Defaults: CUDA C++ Programming Guide; cudaDeviceSetLimit in the CUDA Runtime API. That of printf is by multiprocessor, as an H200 has it, and
// 0 here.
static const size_t default_limits[N_LIMITS] = {[LIMIT_STACK] = 1024,
                                                [LIMIT_HEAP] = 8 << 20,
                                                [LIMIT_SYNC_DEPTH] = 2,
                                                [LIMIT_PENDING] = 2048,
                                                [LIMIT_L2_FETCH] = 64};

static size_t limits[N_LIMITS] = {[LIMIT_STACK] = 1024,
                                  [LIMIT_HEAP] = 8 << 20,
                                  [LIMIT_SYNC_DEPTH] = 2,
                                  [LIMIT_PENDING] = 2048,
                                  [LIMIT_L2_FETCH] = 64};
static int cache_preference, bank_bytes = 1; // cudaSharedMemBankSizeFourByte
static unsigned device_flags;

API cudaError_t
cudaGetDeviceCount(int *count) {
  cudaError_t error = count ? error_check_device() : cudaErrorInvalidValue;
  if (count)
    *count = error == cudaSuccess;
  return error_keep(error);
}

API cudaError_t
cudaGetDevice(int *device) {
  cudaError_t error = device ? error_check_device() : cudaErrorInvalidValue;
  if (!error)
    *device = 0;
  return error_keep(error);
}

API cudaError_t
cudaSetDevice(int device) {
  cudaError_t error = error_check_device();
  return error_keep(error ? error : device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

API cudaError_t
cudaSetValidDevices(int *devices, int n) {
  cudaError_t error = error_check_device();
  if (!error && n < 0)
    error = cudaErrorInvalidValue;
  for (int i = 0; !error && i < n; i++)
    if (!devices || devices[i] != 0)
      error = devices ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
  return error_keep(error);
}

static cudaError_t
set_device_flags(unsigned flags) {
  unsigned schedule = flags & cudaDeviceScheduleMask;
  if (flags & ~(unsigned)cudaDeviceFlagsMask || (schedule & (schedule - 1)) != 0)
    return cudaErrorInvalidValue;
  device_flags = flags;
  return cudaSuccess;
}

API cudaError_t
cudaSetDeviceFlags(unsigned flags) {
  cudaError_t error = error_check();
  return error_return(error ? error : set_device_flags(flags));
}

API cudaError_t
cudaGetDeviceFlags(unsigned *flags) {
  cudaError_t error = flags ? error_check() : cudaErrorInvalidValue;
  if (!error)
    *flags = device_flags | cudaDeviceMapHost; // memory is always mapped
  return error_return(error);
}

API cudaError_t
cudaInitDevice(int device, unsigned flags, unsigned which) {
  cudaError_t error = cudaSetDevice(device);
  if (!error && which == 1) // cudaInitDeviceFlagsAreValid
    error = set_device_flags(flags);
  return error_return(error);
}

// All that the program has is gone, and so is the error that ended the context.
API cudaError_t
cudaDeviceReset(void) {
  cudaError_t error = error_check_device();
  if (error)
    return error_keep(error);
  error_reset();
  stream_reset();
  pool_reset();
  module_reset();
  registered_reset();
  textures_reset();
  memory_reset();
  memcpy(limits, default_limits, sizeof limits);
  device_flags = 0;
  return cudaSuccess;
}

API cudaError_t
cudaRuntimeGetVersion(int *version) {
  if (!version)
    return error_keep(cudaErrorInvalidValue);
  *version = RUNTIME_VERSION;
  return cudaSuccess;
}

API cudaError_t
cudaDriverGetVersion(int *version) {
  if (!version)
    return error_keep(cudaErrorInvalidValue);
  *version = client_device() ? DRIVER_VERSION : 0;
  return cudaSuccess;
}

// --- limits and caches: accepted, told, without an effect

// Since compute capability 9.0 kernels cannot wait for those that they launch.
static cudaError_t
check_limit(int limit) {
  cudaError_t error = error_check();
  if (error)
    return error;
  return limit < 0 || limit >= N_LIMITS                             ? cudaErrorInvalidValue
         : limit == LIMIT_SYNC_DEPTH && client_device()->major >= 9 ? cudaErrorUnsupportedLimit
                                                                    : cudaSuccess;
}

static size_t
round_limit(size_t value, size_t unit) {
  return value / unit * unit + (value % unit ? unit : 0);
}

// What a limit becomes if it is set, as an H200 answers (driver 580). It has no less for printf than half a megabyte.
static size_t
find_limit_value(Limit limit, size_t value) {
  enum {
    STACK_UNIT = 16,
    LEAST_PRINTF = 512 << 10,
    PRINTF_UNIT = 256,
    LEAST_PENDING = 32,
    MOST_PENDING = 599186,
    PERSISTING_UNIT = 3840 << 10,
  };
  switch (limit) {
  case LIMIT_STACK:
    return round_limit(value, STACK_UNIT);
  case LIMIT_PRINTF:
    return round_limit(value > LEAST_PRINTF ? value : LEAST_PRINTF, PRINTF_UNIT);
  case LIMIT_HEAP:
    return value > HEAP_LEAST ? value : HEAP_LEAST;
  case LIMIT_PENDING:
    return value < LEAST_PENDING ? LEAST_PENDING : value > MOST_PENDING ? MOST_PENDING : value;
  case LIMIT_PERSISTING_L2:
    return round_limit(value, PERSISTING_UNIT);
  case LIMIT_SYNC_DEPTH:
  case LIMIT_L2_FETCH:
  case LIMIT_SHARED:
    break;
  }
  return value;
}

static cudaError_t
check_limit_value(Limit limit, size_t value) {
  enum {
    MOST_L2_FETCH = 128, // CUDA Runtime API, cudaDeviceSetLimit
  };
  if (limit == LIMIT_SHARED)
    return cudaErrorNotPermitted;
  return (limit == LIMIT_STACK && value >= MAX_STACK) ||
                 (limit == LIMIT_L2_FETCH && value > MOST_L2_FETCH) ||
                 (limit == LIMIT_PERSISTING_L2 &&
                  value > client_device()->facts.persisting_l2_bytes)
             ? cudaErrorInvalidValue
             : cudaSuccess;
}

API cudaError_t
cudaDeviceGetLimit(size_t *value, int limit) {
  cudaError_t error = value ? check_limit(limit) : cudaErrorInvalidValue;
  if (!error)
    *value = limit == LIMIT_SHARED ? client_device()->opt_in_shared
             : limit == LIMIT_PRINTF && limits[limit] == 0
                 ? (size_t)client_device()->facts.multiprocessors * PRINTF_OF_MULTIPROCESSOR
                 : limits[limit];
  return error_return(error);
}

API cudaError_t
cudaDeviceSetLimit(int limit, size_t value) {
  cudaError_t error = check_limit(limit);
  error = error ? error : check_limit_value((Limit)limit, value);
  if (!error)
    value = find_limit_value((Limit)limit, value);
  if (!error && limit == LIMIT_HEAP)
    error = heap_set_bytes(value);
  if (!error)
    limits[limit] = value;
  return error_return(error);
}

API cudaError_t
cudaDeviceGetCacheConfig(int *preference) {
  cudaError_t error = preference ? error_check() : cudaErrorInvalidValue;
  if (!error)
    *preference = cache_preference;
  return error_return(error);
}

API cudaError_t
cudaDeviceSetCacheConfig(int preference) {
  cudaError_t error = error_check();
  if (!error && (preference < 0 || preference >= CACHE_PREFERENCES))
    error = cudaErrorInvalidValue;
  if (!error)
    cache_preference = preference;
  return error_return(error);
}

API cudaError_t
cudaDeviceGetSharedMemConfig(int *configuration) {
  cudaError_t error = configuration ? error_check() : cudaErrorInvalidValue;
  if (!error)
    *configuration = bank_bytes;
  return error_return(error);
}

API cudaError_t
cudaDeviceSetSharedMemConfig(int configuration) {
  (void)configuration; // banks have 4 bytes since sm_50
  return error_return(error_check());
}

API cudaError_t
cudaCtxResetPersistingL2Cache(void) {
  return error_return(error_check());
}

// --- where it is

API cudaError_t
cudaDeviceGetPCIBusId(char *text, int n, int device) {
  cudaError_t error = error_check_device();
  if (!error && (!text || n < (int)sizeof BUS_ID))
    error = cudaErrorInvalidValue;
  if (!error && device != 0)
    error = cudaErrorInvalidDevice;
  if (!error)
    memcpy(text, BUS_ID, sizeof BUS_ID);
  return error_keep(error);
}

// "domain:bus:device.function", with or without the domain and the function.
API cudaError_t
cudaDeviceGetByPCIBusId(int *device, const char *text) {
  unsigned domain = 0, bus, slot, part = 0;
  cudaError_t error = error_check_device();
  if (!error && (!device || !text))
    error = cudaErrorInvalidValue;
  if (error)
    return error_keep(error);
  bool is_place = sscanf(text, "%x:%x:%x.%x", &domain, &bus, &slot, &part) >= 3 ||
                  (domain = 0, sscanf(text, "%x:%x.%x", &bus, &slot, &part)) >= 2;
  if (!is_place)
    return error_keep(cudaErrorInvalidValue);
  if (domain != 0 || bus != 1 || slot != 0 || part != 0)
    return error_keep(cudaErrorInvalidDevice);
  *device = 0;
  return cudaSuccess;
}

// --- peers: there is none

API cudaError_t
cudaDeviceCanAccessPeer(int *can, int device, int peer) {
  cudaError_t error = error_check_device();
  if (!error && !can)
    error = cudaErrorInvalidValue;
  if (!error && (device != 0 || peer != 0))
    error = cudaErrorInvalidDevice;
  if (!error)
    *can = 0;
  return error_keep(error);
}

API cudaError_t
cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  cudaError_t error = error_check();
  (void)flags;
  return error_return(error       ? error
                      : peer == 0 ? cudaErrorPeerAccessUnsupported
                                  : cudaErrorInvalidDevice);
}

API cudaError_t
cudaDeviceDisablePeerAccess(int peer) {
  cudaError_t error = error_check();
  return error_return(error       ? error
                      : peer == 0 ? cudaErrorPeerAccessNotEnabled
                                  : cudaErrorInvalidDevice);
}

API cudaError_t
cudaDeviceGetP2PAttribute(int *value, int attribute, int from, int to) {
  cudaError_t error = error_check_device();
  (void)attribute, (void)from, (void)to;
  return error_keep(error ? error : !value ? cudaErrorInvalidValue : cudaErrorInvalidDevice);
}

// --- atomics over a bus, which an H100 has none of

static cudaError_t
check_atomics(const unsigned *answer, const int *operations, unsigned n) {
  enum {
    OPERATIONS = 13 // cudaAtomicOperation
  };
  cudaError_t error = answer && operations && n > 0 ? cudaSuccess : cudaErrorInvalidValue;
  for (unsigned i = 0; !error && i < n; i++)
    if (operations[i] < 0 || operations[i] >= OPERATIONS)
      error = cudaErrorInvalidValue;
  return error;
}

API cudaError_t
cudaDeviceGetHostAtomicCapabilities(unsigned *answer, const int *operations, unsigned n,
                                    int device) {
  cudaError_t error = error_check_device();
  error = error ? error : check_atomics(answer, operations, n);
  if (!error && device != 0)
    error = cudaErrorInvalidDevice;
  for (unsigned i = 0; !error && i < n; i++)
    answer[i] = 0;
  return error_keep(error);
}

API cudaError_t
cudaDeviceGetP2PAtomicCapabilities(unsigned *answer, const int *operations, unsigned n, int from,
                                   int to) {
  cudaError_t error = error_check_device();
  error = error ? error : check_atomics(answer, operations, n);
  (void)from, (void)to;
  return error_keep(error ? error : cudaErrorInvalidDevice);
}

// No other device writes to the memory of this one.
API cudaError_t
cudaDeviceFlushGPUDirectRDMAWrites(int target, int scope) {
  enum {
    TO_OWNER = 100,
    TO_ALL_DEVICES = 200
  };
  cudaError_t error = error_check();
  if (!error && (target != 0 || (scope != TO_OWNER && scope != TO_ALL_DEVICES)))
    error = cudaErrorInvalidValue;
  return error_return(error);
}

// --- profilers: there is none

API cudaError_t
cudaProfilerStart(void) {
  return error_return(error_check());
}

API cudaError_t
cudaProfilerStop(void) {
  return error_return(error_check());
}
