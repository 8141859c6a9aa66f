// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// cudaMalloc and its kin. All memory is reached by host and device alike at one address.
#include "gpu/driver/error.h"
#include "gpu/driver/memory.h"

enum {
  PITCH_BYTES = 512, // rows of cudaMallocPitch begin at multiples of it
};

static cudaError_t
allocate(void **address, size_t bytes, InjectMemory kind) {
  cudaError_t error = error_check();
  if (!error && !address)
    error = cudaErrorInvalidValue;
  if (error)
    return error_return(error);
  *address = bytes > 0 ? memory_allocate(bytes, kind, false) : NULL;
  return error_return(*address || bytes == 0 ? cudaSuccess : cudaErrorMemoryAllocation);
}

static cudaError_t
release(void *address) {
  cudaError_t error = error_check();
  if (!error && address && !memory_free(address))
    error = cudaErrorInvalidValue;
  return error_return(error);
}

API cudaError_t
cudaMalloc(void **address, size_t bytes) {
  return allocate(address, bytes, INJECT_DEVICE);
}

API cudaError_t
cudaMallocManaged(void **address, size_t bytes, unsigned flags) {
  (void)flags;
  return bytes == 0 ? error_return(cudaErrorInvalidValue)
                    : allocate(address, bytes, INJECT_MANAGED);
}

API cudaError_t
cudaMallocHost(void **address, size_t bytes) {
  return allocate(address, bytes, INJECT_HOST);
}

API cudaError_t
cudaHostAlloc(void **address, size_t bytes, unsigned flags) {
  (void)flags;
  return allocate(address, bytes, INJECT_HOST);
}

API cudaError_t
cudaHostGetDevicePointer(void **device, void *host, unsigned flags) {
  (void)flags;
  *device = host;
  return error_return(memory_is_ours(host) ? cudaSuccess : cudaErrorInvalidValue);
}

API cudaError_t
cudaMallocPitch(void **address, size_t *pitch, size_t width, size_t height) {
  *pitch = (width + PITCH_BYTES - 1) / PITCH_BYTES * PITCH_BYTES;
  return allocate(address, *pitch * height, INJECT_DEVICE);
}

API cudaError_t
cudaMallocAsync(void **address, size_t bytes, cudaStream_t stream) {
  (void)stream;
  return allocate(address, bytes, INJECT_DEVICE);
}

API cudaError_t
cudaFree(void *address) {
  return release(address);
}

API cudaError_t
cudaFreeHost(void *address) {
  return release(address);
}

API cudaError_t
cudaFreeAsync(void *address, cudaStream_t stream) {
  (void)stream;
  return release(address);
}

API cudaError_t
cudaMemGetInfo(size_t *free_bytes, size_t *all_bytes) {
  cudaError_t error = error_check();
  *all_bytes = memory_device_bytes();
  *free_bytes = *all_bytes - memory_used();
  return error_return(error);
}
