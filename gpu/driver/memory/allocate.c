// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// cudaMalloc and its kin. All memory is reached by host and device alike at one address.
#include <string.h>

#include "gpu/driver/stream/call-queue.h"
#include "gpu/driver/stream/call.h"
#include "gpu/driver/error.h"
#include "gpu/driver/memory/memory-pool.h"
#include "gpu/driver/memory/other-process.h"
#include "gpu/driver/memory/memory.h"
#include "gpu/driver/stream/stream-capture.h"

enum {
  PITCH_BYTES = 512, // rows of cudaMallocPitch begin at multiples of it
};

static cudaError_t
allocate(void **address, size_t bytes, InjectMemory kind, unsigned flags) {
  Allocation allocation = {.bytes = bytes, .kind = kind, .flags = flags};
  cudaError_t error = error_check();
  error = error ? error : capture_check_unsafe(false);
  if (!error && !address)
    error = cudaErrorInvalidValue;
  if (error)
    return error_return(error);
  *address = bytes > 0 ? memory_allocate_as(&allocation) : NULL;
  return error_return(*address || bytes == 0 ? cudaSuccess : cudaErrorMemoryAllocation);
}

// Frees memory, after all that may use it.
static cudaError_t
release(void *address, bool is_host) {
  cudaError_t error = error_check();
  error = error ? error : capture_check_unsafe(false);
  if (error || !address)
    return error_return(error);
  Allocation found;
  if (!is_host && share_close(address, SHARE_POOLED)) // of a pool of another process
    return cudaSuccess;
  if (!memory_find(address, &found) || found.address != (uintptr_t)address ||
      (found.kind == INJECT_HOST) != is_host)
    return error_return(cudaErrorInvalidValue);
  queue_wait(queue_last());
  if (!memory_free(address, &found))
    return error_return(cudaErrorInvalidValue);
  pool_give_back(&found);
  return cudaSuccess;
}

API cudaError_t
cudaMalloc(void **address, size_t bytes) {
  return allocate(address, bytes, INJECT_DEVICE, 0);
}

API cudaError_t
cudaMallocManaged(void **address, size_t bytes, unsigned flags) {
  bool is_known = flags == cudaMemAttachGlobal || flags == cudaMemAttachHost;
  return is_known ? allocate(address, bytes, INJECT_MANAGED, flags)
                  : error_return(cudaErrorInvalidValue);
}

API cudaError_t
cudaMallocHost(void **address, size_t bytes) {
  return allocate(address, bytes, INJECT_HOST, cudaHostAllocMapped);
}

API cudaError_t
cudaHostAlloc(void **address, size_t bytes, unsigned flags) {
  return flags & ~(unsigned)cudaHostAllocFlags ? error_return(cudaErrorInvalidValue)
                                               : allocate(address, bytes, INJECT_HOST, flags);
}

static cudaError_t
find_host(const void *host, Allocation *found) {
  cudaError_t error = error_check();
  return error                                                    ? error
         : memory_find(host, found) && found->kind == INJECT_HOST ? cudaSuccess
                                                                  : cudaErrorInvalidValue;
}

API cudaError_t
cudaHostGetDevicePointer(void **device, void *host, unsigned flags) {
  Allocation found;
  cudaError_t error = device && flags == 0 ? find_host(host, &found) : cudaErrorInvalidValue;
  if (!error)
    *device = host;
  return error_return(error);
}

API cudaError_t
cudaHostGetFlags(unsigned *flags, void *host) {
  Allocation found;
  cudaError_t error = flags ? find_host(host, &found) : cudaErrorInvalidValue;
  if (!error)
    *flags = found.flags | cudaHostAllocMapped; // all memory is mapped where addresses are unified
  return error_return(error);
}

API cudaError_t
cudaMallocPitch(void **address, size_t *pitch, size_t width, size_t height) {
  if (!pitch)
    return error_return(cudaErrorInvalidValue);
  *pitch = (width + PITCH_BYTES - 1) / PITCH_BYTES * PITCH_BYTES;
  return allocate(address, *pitch * height, INJECT_DEVICE, 0);
}

API cudaError_t
cudaMalloc3D(cudaPitchedPtr *box, cudaExtent extent) {
  if (!box)
    return error_return(cudaErrorInvalidValue);
  box->xsize = extent.width;
  box->ysize = extent.height;
  return cudaMallocPitch(&box->ptr, &box->pitch, extent.width, extent.height * extent.depth);
}

API cudaError_t
cudaFree(void *address) {
  return release(address, false);
}

API cudaError_t
cudaFreeHost(void *address) {
  return release(address, true);
}

// Into a graph: a node that frees. Else the stream has come there when what it follows is done.
API cudaError_t
cudaFreeAsync(void *address, cudaStream_t handle) {
  Stream *stream = NULL;
  cudaError_t error = stream_of_memory(handle, &stream);
  if (error || !address)
    return error_return(error);
  if (stream->capture) {
    Call call = {.kind = cudaGraphNodeTypeMemFree, .freed = address};
    return error_return(capture_add(stream, &call));
  }
  Allocation freed = {0};
  queue_wait(stream_ticket(stream));
  error = share_close(address, SHARE_POOLED) || memory_free(address, &freed)
              ? cudaSuccess
              : cudaErrorInvalidValue;
  pool_give_back(&freed);
  return error_return(error);
}

API cudaError_t
cudaMemGetInfo(size_t *free_bytes, size_t *all_bytes) {
  cudaError_t error = error_check();
  if (!error && free_bytes)
    *free_bytes = memory_device_bytes() - memory_used();
  if (!error && all_bytes)
    *all_bytes = memory_device_bytes();
  return error_return(error);
}

// What an address is. Memory that is freed is the program's own.
API cudaError_t
cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *address) {
  static const int kinds[] = {[INJECT_DEVICE] = cudaMemoryTypeDevice,
                              [INJECT_MANAGED] = cudaMemoryTypeManaged,
                              [INJECT_HOST] = cudaMemoryTypeHost};
  Allocation found;
  cudaError_t error = error_check();
  if (error || !attributes)
    return error_return(error ? error : cudaErrorInvalidValue);
  void *pointer = (void *)address;
  memset(attributes, 0, sizeof *attributes);
  if (memory_find(address, &found) && !found.is_free)
    *attributes =
        (cudaPointerAttributes){.type = kinds[found.kind],
                                .devicePointer = pointer,
                                .hostPointer = found.kind == INJECT_DEVICE ? NULL : pointer};
  else
    *attributes = (cudaPointerAttributes){
        .type = cudaMemoryTypeUnregistered, .device = cudaInvalidDeviceId, .hostPointer = pointer};
  return cudaSuccess;
}
