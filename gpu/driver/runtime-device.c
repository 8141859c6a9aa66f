// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The device: there is one.
#include "gpu/driver/client.h"
#include "gpu/driver/error.h"
#include "gpu/driver/module.h"

enum {
  DRIVER_VERSION = 13000, // CUDA 13.0
  RUNTIME_VERSION = CUDART_MAJOR == 12 ? 12090 : 13000,
  FUNCTION_MAX_DYNAMIC_SHARED = 8,
  FUNCTION_CARVEOUT = 9,
};

API cudaError_t
cudaGetDeviceCount(int *count) {
  cudaError_t error = error_check();
  *count = error == cudaSuccess;
  return error_return(error);
}

API cudaError_t
cudaGetDevice(int *device) {
  *device = 0;
  return error_return(error_check());
}

API cudaError_t
cudaSetDevice(int device) {
  cudaError_t error = error_check();
  return error_return(error ? error : device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

API cudaError_t
cudaRuntimeGetVersion(int *version) {
  *version = RUNTIME_VERSION;
  return cudaSuccess;
}

API cudaError_t
cudaDriverGetVersion(int *version) {
  *version = client_device() ? DRIVER_VERSION : 0;
  return cudaSuccess;
}

API cudaError_t
cudaFuncSetAttribute(const void *function, int attribute, int value) {
  Kernel *kernel;
  cudaError_t error = module_kernel(function, &kernel);
  if (!error && attribute == FUNCTION_MAX_DYNAMIC_SHARED) {
    if (value < 0 || (unsigned)value + kernel->shared_bytes > client_device()->opt_in_shared)
      error = cudaErrorInvalidValue;
    else
      kernel->dynamic_bytes = (unsigned)value;
  } else if (!error && attribute != FUNCTION_CARVEOUT)
    return error_missing("cudaFuncSetAttribute with this attribute");
  return error_return(error);
}
