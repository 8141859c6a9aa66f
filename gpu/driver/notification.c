// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a program asks to be told of, and is never told: nothing of it happens here. Deprecated names of CUDA 12.
#include <stdio.h>

#include "gpu/driver/error.h"
#include "gpu/driver/newer.h"

// A handle that is not looked at again.
static cudaError_t
accept_callback(void **handle, const void *function) {
  static char accepted;
  cudaError_t error = error_check();
  if (!error && (!handle || !function))
    error = cudaErrorInvalidValue;
  if (!error)
    *handle = &accepted;
  return error_return(error);
}

API cudaError_t
cudaDeviceRegisterAsyncNotification(int device, const void *function, void *user, void **handle) {
  (void)user;
  return device == 0 ? accept_callback(handle, function) : error_return(cudaErrorInvalidDevice);
}

API cudaError_t
cudaDeviceUnregisterAsyncNotification(int device, void *handle) {
  (void)device, (void)handle;
  return error_return(error_check());
}

API cudaError_t
cudaLogsRegisterCallback(const void *function, void *user, void **handle) {
  (void)user;
  return accept_callback(handle, function);
}

API cudaError_t
cudaLogsUnregisterCallback(void *handle) {
  (void)handle;
  return error_return(error_check());
}

API cudaError_t
cudaLogsCurrent(unsigned *position, unsigned flags) {
  cudaError_t error = position && flags == 0 ? error_check() : cudaErrorInvalidValue;
  if (!error)
    *position = 0;
  return error_return(error);
}

API cudaError_t
cudaLogsDumpToFile(unsigned *position, const char *path, unsigned flags) {
  (void)position;
  FILE *file = path && flags == 0 ? fopen(path, "a") : NULL;
  return error_return(!file          ? cudaErrorInvalidValue
                      : fclose(file) ? cudaErrorOperatingSystem
                                     : cudaSuccess);
}

API cudaError_t
cudaLogsDumpToMemory(unsigned *position, char *buffer, size_t *bytes, unsigned flags) {
  (void)position;
  if (!buffer || !bytes || *bytes == 0 || flags != 0)
    return error_return(cudaErrorInvalidValue);
  *bytes = 0;
  *buffer = '\0';
  return error_return(error_check());
}

#if CUDART_MAJOR == 12
// What cuda_runtime_api.h of CUDA 12 deprecates: the same under older names.
cudaError_t cudaDeviceReset(void);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceGetLimit(size_t *value, int limit);
cudaError_t cudaDeviceSetLimit(int limit, size_t value);
cudaError_t cudaDeviceGetCacheConfig(int *preference);
cudaError_t cudaDeviceSetCacheConfig(int preference);

API cudaError_t
cudaThreadExit(void) {
  return cudaDeviceReset();
}

API cudaError_t
cudaThreadSynchronize(void) {
  return cudaDeviceSynchronize();
}

API cudaError_t
cudaThreadGetLimit(size_t *value, int limit) {
  return cudaDeviceGetLimit(value, limit);
}

API cudaError_t
cudaThreadSetLimit(int limit, size_t value) {
  return cudaDeviceSetLimit(limit, value);
}

API cudaError_t
cudaThreadGetCacheConfig(int *preference) {
  return cudaDeviceGetCacheConfig(preference);
}

API cudaError_t
cudaThreadSetCacheConfig(int preference) {
  return cudaDeviceSetCacheConfig(preference);
}

// Devices have doubles.
API cudaError_t
cudaSetDoubleForDevice(double *number) {
  (void)number;
  return error_return(error_check());
}

API cudaError_t
cudaSetDoubleForHost(double *number) {
  (void)number;
  return error_return(error_check());
}
#endif
