// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The device, and errors by name.
#include <string.h>

#include "gpu/driver/client.h"
#include "gpu/driver/cu/driver.h"
#include "gpu/driver/error.h"
#include "gpu/driver/memory/memory.h"

enum {
  UUID_BYTES = 16,
};

cudaError_t
cuInit(unsigned flags) {
  return flags != 0 ? cudaErrorInvalidValue : client_device() ? cudaSuccess : cudaErrorNoDevice;
}

static cudaError_t
use_device(const void *answer, CUdevice device) {
  return !answer ? cudaErrorInvalidValue : device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t
cuDeviceGet(CUdevice *device, int ordinal) {
  cudaError_t error = use_device(device, ordinal);
  if (!error)
    *device = 0;
  return error;
}

cudaError_t
cuDeviceGetName(char *name, int n, CUdevice device) {
  cudaError_t error = use_device(n > 0 ? name : NULL, device);
  if (error)
    return error;
  size_t length = strnlen(client_device()->name, (size_t)n - 1);
  memcpy(name, client_device()->name, length);
  name[length] = '\0';
  return cudaSuccess;
}

// As the properties of the runtime have it: none.
cudaError_t
cuDeviceGetUuid(void *uuid, CUdevice device) {
  cudaError_t error = use_device(uuid, device);
  if (!error)
    memset(uuid, 0, UUID_BYTES);
  return error;
}

cudaError_t
cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  cudaError_t error = use_device(bytes, device);
  if (!error)
    *bytes = memory_device_bytes();
  return error;
}

// --- attributes: those that the runtime has, and some that it has not

// CUdevice_attribute, CUDA Driver API 13.0.
enum {
  ATTRIBUTE_GATHER_2D = 44,
  ATTRIBUTE_VIRTUAL_MEMORY = 102,
  ATTRIBUTE_HANDLE_FD = 103,
  ATTRIBUTE_HANDLE_WIN32 = 104,
  ATTRIBUTE_HANDLE_WIN32_KMT = 105,
  ATTRIBUTE_COMPRESSION = 107,
  ATTRIBUTE_RDMA_VIRTUAL = 110,
  ATTRIBUTE_DECOMPRESS_MASK = 136,
  ATTRIBUTE_DECOMPRESS_BYTES = 137,
  ATTRIBUTE_HOST_DMA = 146,
};

cudaError_t
cuDeviceGetAttribute(int *value, int attribute, CUdevice device) {
  cudaError_t error = use_device(value, device);
  if (error)
    return error;
  switch (attribute) {
  case ATTRIBUTE_GATHER_2D:
  case ATTRIBUTE_VIRTUAL_MEMORY:
  case ATTRIBUTE_HANDLE_FD:
    *value = 1;
    return cudaSuccess;
  case ATTRIBUTE_HANDLE_WIN32:
  case ATTRIBUTE_HANDLE_WIN32_KMT:
  case ATTRIBUTE_COMPRESSION:
  case ATTRIBUTE_RDMA_VIRTUAL:
  case ATTRIBUTE_DECOMPRESS_MASK:
  case ATTRIBUTE_DECOMPRESS_BYTES:
  case ATTRIBUTE_HOST_DMA:
    *value = 0;
    return cudaSuccess;
  default:
    return cudaDeviceGetAttribute(value, attribute, device);
  }
}

cudaError_t
cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
  cudaError_t error = use_device(minor ? major : NULL, device);
  if (error)
    return error;
  *major = (int)client_device()->major;
  *minor = (int)client_device()->minor;
  return cudaSuccess;
}

// Members by the numbers of their attributes.
cudaError_t
cuDeviceGetProperties(CUdevprop *properties, CUdevice device) {
  static const int attributes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
  cudaError_t error = use_device(properties, device);
  int values[sizeof attributes / sizeof *attributes];
  for (size_t i = 0; !error && i < sizeof attributes / sizeof *attributes; i++)
    error = cuDeviceGetAttribute(&values[i], attributes[i], device);
  if (!error)
    memcpy(properties, values, sizeof *properties);
  return error;
}

// --- errors

static const struct {
  unsigned number;
  const char *name, *text;
} results[] = {
#define RESULT(name, number, text) {number, #name, text},
#include "gpu/driver/cu/results.def"
#undef RESULT
};

enum {
  N_RESULTS = sizeof results / sizeof *results,
};

// The number of the row of a result; N_RESULTS: there is none.
static size_t
find_result(unsigned number) {
  size_t i = 0;
  while (i < N_RESULTS && results[i].number != number)
    i++;
  return i;
}

cudaError_t
cuGetErrorName(unsigned number, const char **name) {
  size_t i = find_result(number);
  if (!name)
    return cudaErrorInvalidValue;
  *name = i < N_RESULTS ? results[i].name : NULL;
  return *name ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t
cuGetErrorString(unsigned number, const char **text) {
  size_t i = find_result(number);
  if (!text)
    return cudaErrorInvalidValue;
  *text = i == N_RESULTS    ? NULL
          : results[i].text ? results[i].text
                            : cudaGetErrorString((cudaError_t)number);
  return *text ? cudaSuccess : cudaErrorInvalidValue;
}

// --- what there is of other systems

cudaError_t
cuDeviceGetLuid(char *luid, unsigned *mask, CUdevice device) {
  (void)luid, (void)mask, (void)device;
  return cudaErrorNotSupported; // on Windows alone
}

cudaError_t
cuProfilerInitialize(const char *configuration, const char *output, int mode) {
  (void)configuration, (void)output, (void)mode;
  return cudaErrorNotSupported; // since CUDA 12
}
