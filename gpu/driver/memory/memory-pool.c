// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Memory is allocated and freed at once. A pool counts what it would have reserved, in units of what a device reserves.
#include "gpu/driver/memory/memory-pool.h"

#include <pthread.h>
#include <string.h>

#include "gpu/driver/stream/call.h"
#include "gpu/driver/error.h"
#include "gpu/driver/handle.h"
#include "gpu/driver/memory/other-process.h"
#include "gpu/driver/newer.h"
#include "gpu/driver/stream/stream-capture.h"

#define RESERVE_BYTES ((uint64_t)32 << 20) // of an H100; not documented

enum {
  HANDLE_TYPE_FD = 1, // cudaMemHandleTypePosixFileDescriptor
  HANDLE_TYPES = 15,  // all that there are
};

struct Pool {
  Pool *next;
  cudaMemPoolProps properties;
  int reuse[3]; // how memory may be reused: events, opportunistic, internal dependencies
  int access;   // of the device
  uint64_t threshold, used, used_high, reserved, reserved_high;
  bool is_default, is_imported; // by another process, which does not allocate in it
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Pool first = {.properties = {.allocType = cudaMemAllocationTypePinned,
                                    .location = {cudaMemLocationTypeDevice, 0}},
                     .reuse = {1, 1, 1},
                     .access = cudaMemAccessFlagsProtReadWrite,
                     .is_default = true};
static Pool *pools = &first, *current = &first;

static void
take_bytes(Pool *pool, uint64_t bytes) {
  pthread_mutex_lock(&lock);
  pool->used += bytes;
  if (pool->used > pool->used_high)
    pool->used_high = pool->used;
  if (pool->used > pool->reserved)
    pool->reserved = (pool->used + RESERVE_BYTES - 1) / RESERVE_BYTES * RESERVE_BYTES;
  if (pool->reserved > pool->reserved_high)
    pool->reserved_high = pool->reserved;
  pthread_mutex_unlock(&lock);
}

static void
trim_pool(Pool *pool, uint64_t kept) {
  uint64_t used = (pool->used + RESERVE_BYTES - 1) / RESERVE_BYTES * RESERVE_BYTES;
  uint64_t least = (kept + RESERVE_BYTES - 1) / RESERVE_BYTES * RESERVE_BYTES;
  uint64_t left = used > least ? used : least;
  if (left < pool->reserved)
    pool->reserved = left;
}

void
pool_trim_all(void) {
  pthread_mutex_lock(&lock);
  for (Pool *pool = pools; pool; pool = pool->next)
    if (pool->reserved > pool->threshold)
      trim_pool(pool, pool->threshold);
  pthread_mutex_unlock(&lock);
}

void
pool_give_back(const Allocation *freed) {
  Pool *pool = freed->pool;
  pthread_mutex_lock(&lock);
  if (pool && (pool->is_default || handle_is(pool, HANDLE_POOL)))
    pool->used -= freed->bytes;
  pthread_mutex_unlock(&lock);
}

void
pool_reset(void) {
  pthread_mutex_lock(&lock);
  pools = current = &first;
  first.threshold = first.used = first.used_high = first.reserved = first.reserved_high = 0;
  pthread_mutex_unlock(&lock);
}

// --- allocating

static cudaError_t
use_pool(cudaMemPool_t pool) {
  cudaError_t error = error_check();
  return error                                            ? error
         : pool == &first || handle_is(pool, HANDLE_POOL) ? cudaSuccess
                                                          : cudaErrorInvalidValue;
}

// Into a graph: a node that allocates.
static cudaError_t
allocate_captured(void **address, size_t bytes, Stream *stream, Pool *pool) {
  Allocation memory = {
      .bytes = bytes, .kind = INJECT_DEVICE, .is_graphs = true, .is_free = true, .n_nodes = 1};
  *address = memory_allocate_as(&memory);
  Call call = {.kind = cudaGraphNodeTypeMemAlloc,
               .allocation = {.poolProps = pool->properties, .bytesize = bytes, .dptr = *address}};
  return *address ? capture_add(stream, &call) : cudaErrorMemoryAllocation;
}

API cudaError_t
cudaMallocFromPoolAsync(void **address, size_t bytes, cudaMemPool_t pool, cudaStream_t handle) {
  Stream *stream;
  cudaError_t error = use_pool(pool);
  error = error ? error : stream_of_memory(handle, &stream);
  if (!error && (!address || pool->is_imported))
    error = cudaErrorInvalidValue;
  if (error)
    return error_return(error);
  *address = NULL;
  if (bytes == 0)
    return cudaSuccess;
  if (stream->capture)
    return error_return(allocate_captured(address, bytes, stream, pool));
  Allocation memory = {.bytes = bytes, .kind = INJECT_DEVICE, .pool = pool};
  bool fits = !pool->properties.maxSize || pool->used + bytes <= pool->properties.maxSize;
  *address = fits ? memory_allocate_as(&memory) : NULL;
  if (*address)
    take_bytes(pool, bytes);
  return error_return(*address ? cudaSuccess : cudaErrorMemoryAllocation);
}

API cudaError_t
cudaMallocAsync(void **address, size_t bytes, cudaStream_t stream) {
  return cudaMallocFromPoolAsync(address, bytes, current, stream);
}

// --- pools

API cudaError_t
cudaMemPoolCreate(cudaMemPool_t *pool, const cudaMemPoolProps *properties) {
  cudaError_t error = error_check();
  if (!error &&
      (!pool || !properties || properties->allocType != cudaMemAllocationTypePinned ||
       properties->location.type == cudaMemLocationTypeNone ||
       (unsigned)properties->handleTypes > HANDLE_TYPES ||
       (properties->location.type == cudaMemLocationTypeDevice && properties->location.id != 0)))
    error = cudaErrorInvalidValue;
  if (!error && properties->location.type != cudaMemLocationTypeDevice)
    return error_missing("a memory pool on the host");
  if (!error && properties->handleTypes & ~HANDLE_TYPE_FD)
    return error_missing("a memory pool for handles that are no file descriptors");
  if (error)
    return error_return(error);
  Pool *made = handle_new(HANDLE_POOL, sizeof *made);
  if (!made)
    return error_return(cudaErrorMemoryAllocation);
  *made = (Pool){
      .properties = *properties, .reuse = {1, 1, 1}, .access = cudaMemAccessFlagsProtReadWrite};
  pthread_mutex_lock(&lock);
  made->next = pools;
  pools = made;
  pthread_mutex_unlock(&lock);
  *pool = made;
  return cudaSuccess;
}

// What is allocated stays so until it is freed.
API cudaError_t
cudaMemPoolDestroy(cudaMemPool_t pool) {
  cudaError_t error = use_pool(pool);
  if (!error && pool->is_default)
    error = cudaErrorInvalidValue;
  if (error)
    return error_return(error);
  pthread_mutex_lock(&lock);
  Pool **at = &pools;
  while (*at != pool)
    at = &(*at)->next;
  *at = pool->next;
  if (current == pool)
    current = &first;
  pthread_mutex_unlock(&lock);
  handle_free(pool);
  return cudaSuccess;
}

API cudaError_t
cudaMemPoolTrimTo(cudaMemPool_t pool, size_t kept) {
  cudaError_t error = use_pool(pool);
  if (error)
    return error_return(error);
  pthread_mutex_lock(&lock);
  trim_pool(pool, kept);
  pthread_mutex_unlock(&lock);
  return cudaSuccess;
}

static uint64_t *
find_count(Pool *pool, cudaMemPoolAttr attribute) {
  switch (attribute) {
  case cudaMemPoolAttrReleaseThreshold:
    return &pool->threshold;
  case cudaMemPoolAttrReservedMemCurrent:
    return &pool->reserved;
  case cudaMemPoolAttrReservedMemHigh:
    return &pool->reserved_high;
  case cudaMemPoolAttrUsedMemCurrent:
    return &pool->used;
  case cudaMemPoolAttrUsedMemHigh:
    return &pool->used_high;
  case cudaMemPoolReuseFollowEventDependencies:
  case cudaMemPoolReuseAllowOpportunistic:
  case cudaMemPoolReuseAllowInternalDependencies:
    break;
  }
  return NULL;
}

static int *
find_pool_reuse(Pool *pool, cudaMemPoolAttr attribute) {
  return attribute >= cudaMemPoolReuseFollowEventDependencies &&
                 attribute <= cudaMemPoolReuseAllowInternalDependencies
             ? &pool->reuse[attribute - cudaMemPoolReuseFollowEventDependencies]
             : NULL;
}

API cudaError_t
cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value) {
  cudaError_t error = use_pool(pool);
  if (error || !value || pool->is_imported)
    return error_return(error ? error : cudaErrorInvalidValue);
  const uint64_t *count = find_count(pool, attribute);
  const int *reuse = find_pool_reuse(pool, attribute);
  if (count)
    memcpy(value, count, sizeof *count);
  else if (reuse)
    memcpy(value, reuse, sizeof *reuse);
  return error_return(count || reuse ? cudaSuccess : cudaErrorInvalidValue);
}

// High marks can only be set to zero: they begin at what there is.
API cudaError_t
cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value) {
  cudaError_t error = use_pool(pool);
  if (error || !value)
    return error_return(error ? error : cudaErrorInvalidValue);
  uint64_t number;
  int *reuse = find_pool_reuse(pool, attribute);
  if (reuse) {
    memcpy(reuse, value, sizeof *reuse);
    return cudaSuccess;
  }
  memcpy(&number, value, sizeof number);
  if (attribute == cudaMemPoolAttrReleaseThreshold)
    pool->threshold = number;
  else if (attribute == cudaMemPoolAttrReservedMemHigh && number == 0)
    pool->reserved_high = pool->reserved;
  else if (attribute == cudaMemPoolAttrUsedMemHigh && number == 0)
    pool->used_high = pool->used;
  else
    error = cudaErrorInvalidValue;
  return error_return(error);
}

API cudaError_t
cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc *accesses, size_t n) {
  cudaError_t error = use_pool(pool);
  if (!error && n > 0 && !accesses)
    error = cudaErrorInvalidValue;
  for (size_t i = 0; !error && i < n; i++) {
    if (accesses[i].location.type != cudaMemLocationTypeDevice)
      error = accesses[i].location.type == cudaMemLocationTypeNone ? cudaErrorNotSupported
                                                                   : cudaErrorInvalidValue;
    else if (accesses[i].location.id != 0 || accesses[i].flags != cudaMemAccessFlagsProtReadWrite)
      error = cudaErrorInvalidDevice; // nor can the device that the pool is on lose it
  }
  return error_return(error);
}

API cudaError_t
cudaMemPoolGetAccess(int *flags, cudaMemPool_t pool, cudaMemLocation *location) {
  cudaError_t error = use_pool(pool);
  if (!error && (!flags || !location))
    error = cudaErrorInvalidValue;
  if (!error && location->type == cudaMemLocationTypeDevice && location->id != 0)
    error = cudaErrorInvalidValue;
  if (!error)
    *flags =
        location->type == cudaMemLocationTypeDevice ? pool->access : cudaMemAccessFlagsProtNone;
  return error_return(error);
}

// --- that of the device

static cudaError_t
answer_pool(cudaMemPool_t *pool, Pool *answer, int device) {
  cudaError_t error = error_check();
  if (!error && !pool)
    error = cudaErrorInvalidValue;
  if (!error && device != 0)
    error = cudaErrorInvalidDevice;
  if (!error)
    *pool = answer;
  return error_return(error);
}

API cudaError_t
cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
  return answer_pool(pool, &first, device);
}

API cudaError_t
cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) {
  return answer_pool(pool, current, device);
}

API cudaError_t
cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  cudaError_t error = use_pool(pool);
  if (!error && device != 0)
    error = cudaErrorInvalidValue;
  if (!error)
    current = pool;
  return error_return(error);
}

static cudaError_t
check_place(const cudaMemLocation *location, int kind) {
  return !location || location->type != cudaMemLocationTypeDevice ||
                 kind != cudaMemAllocationTypePinned
             ? cudaErrorInvalidValue
         : location->id == 0 ? cudaSuccess
                             : cudaErrorInvalidDevice;
}

API cudaError_t
cudaMemGetDefaultMemPool(cudaMemPool_t *pool, cudaMemLocation *location, int kind) {
  cudaError_t error = check_place(location, kind);
  return error ? error_return(error) : cudaDeviceGetDefaultMemPool(pool, 0);
}

API cudaError_t
cudaMemGetMemPool(cudaMemPool_t *pool, cudaMemLocation *location, int kind) {
  cudaError_t error = check_place(location, kind);
  return error ? error_return(error) : cudaDeviceGetMemPool(pool, 0);
}

API cudaError_t
cudaMemSetMemPool(cudaMemLocation *location, int kind, cudaMemPool_t pool) {
  cudaError_t error = check_place(location, kind);
  return error ? error_return(error) : cudaDeviceSetMemPool(0, pool);
}

// --- pools of several processes: a file says that there is one, and each allocation where it is

API cudaError_t
cudaMemPoolExportToShareableHandle(int *fd, cudaMemPool_t pool, int kind, unsigned flags) {
  cudaError_t error = use_pool(pool);
  if (!error && (!fd || flags != 0 || kind != HANDLE_TYPE_FD || pool->is_imported ||
                 !(pool->properties.handleTypes & kind)))
    error = cudaErrorInvalidValue;
  if (error)
    return error_return(error);
  Share share = share_make((void *)memory_base(), 0);
  share.bytes = 0;
  *fd = share_write(&share);
  return error_return(*fd >= 0 ? cudaSuccess : cudaErrorOperatingSystem);
}

API cudaError_t
cudaMemPoolImportFromShareableHandle(cudaMemPool_t *pool, void *fd, int kind, unsigned flags) {
  Share share;
  cudaError_t error = error_check();
  if (!error && (!pool || flags != 0 || kind != HANDLE_TYPE_FD))
    error = cudaErrorInvalidValue;
  if (!error && (!share_read((int)(uintptr_t)fd, &share) || share.bytes != 0))
    error = cudaErrorUnknown;
  if (error)
    return error_return(error);
  error = cudaMemPoolCreate(pool, &first.properties);
  if (!error)
    (*pool)->is_imported = true;
  return error;
}

API cudaError_t
cudaMemPoolExportPointer(cudaIpcHandle *handle, void *address) {
  Allocation found;
  cudaError_t error = error_check();
  if (!error && (!handle || !memory_find(address, &found) || !found.pool ||
                 !(((const Pool *)found.pool)->properties.handleTypes & HANDLE_TYPE_FD)))
    error = cudaErrorInvalidValue;
  if (error)
    return error_return(error);
  *handle = share_handle((void *)found.address, found.bytes);
  return cudaSuccess;
}

API cudaError_t
cudaMemPoolImportPointer(void **address, cudaMemPool_t pool, const cudaIpcHandle *handle) {
  Share share;
  cudaError_t error = use_pool(pool);
  if (!error && (!address || !handle || !pool->is_imported))
    error = cudaErrorInvalidValue;
  if (error)
    return error_return(error);
  memcpy(&share, handle, sizeof share);
  *address = share_open(&share, SHARE_POOLED);
  return error_return(*address ? cudaSuccess : cudaErrorInvalidValue);
}
