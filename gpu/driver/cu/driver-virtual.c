// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Virtual memory management: addresses that are reserved, memory that is made without one, and which of it is at which. Memory can be
// used, by kernels and by the host, when it is mapped and access to it is set.
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpu/driver/cu/driver.h"
#include "gpu/driver/cu/virtual.h"
#include "gpu/driver/handle.h"
#include "gpu/driver/memory/host-register.h"
#include "gpu/driver/memory/memory.h"
#include "gpu/driver/memory/other-process.h"
#include "gpu/driver/stream/call-queue.h"

enum {
  HANDLE_FD = 1, // CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
  HANDLE_FABRIC = 8,
  USAGE_TILE_POOL = 1, // CU_MEM_CREATE_USAGE_TILE_POOL
};

#define GRANULARITY ((size_t)2 << 20) // of memory and of addresses, of an H100

// Memory without an address that kernels know. That of tiles they find by the table of an array (array-pages.h).
struct Physical {
  struct Physical *next;
  CUmemAllocationProp properties;
  char *block, *range; // what is allocated, and the first page in it
  size_t bytes;
  unsigned uses;  // by its handles, and by places where it is mapped
  bool is_opened; // of another process
};

typedef struct Reservation {
  struct Reservation *next;
  uintptr_t address;
  size_t bytes;
} Reservation;

typedef struct Mapping {
  struct Mapping *next;
  uintptr_t address;
  size_t bytes;
  Physical *physical;
  int access; // CUmemAccess_flags
} Mapping;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Reservation *reservations;
static Mapping *mappings;
static Physical *physicals;

static bool
is_granular(size_t bytes) {
  return bytes > 0 && bytes % GRANULARITY == 0;
}

// --- addresses

cudaError_t
cuMemAddressReserve(CUdeviceptr *address, size_t bytes, size_t alignment, CUdeviceptr wanted,
                    unsigned long long flags) {
  if (!address || !is_granular(bytes) || flags != 0 || (alignment & (alignment - 1)) != 0)
    return cudaErrorInvalidValue;
  if (alignment < GRANULARITY)
    alignment = GRANULARITY;
  const int kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  Reservation *reservation = calloc(1, sizeof *reservation);
  // cppcheck-suppress invalidFunctionArg ; memory that is no file's
  void *range = mmap((void *)wanted, bytes + alignment, PROT_NONE, kind, -1, 0);
  if (!reservation || range == MAP_FAILED) {
    free(reservation);
    return cudaErrorMemoryAllocation;
  }
  // What lies before and behind is given back.
  uintptr_t start = ((uintptr_t)range + alignment - 1) / alignment * alignment;
  size_t before = start - (uintptr_t)range;
  if (before > 0)
    munmap(range, before);
  if (alignment > before)
    munmap((void *)(start + bytes), alignment - before);
  pthread_mutex_lock(&lock);
  *reservation = (Reservation){reservations, start, bytes};
  reservations = reservation;
  pthread_mutex_unlock(&lock);
  *address = start;
  return cudaSuccess;
}

// A mapping that has any of the bytes. NULL: there is none.
static Mapping *
find_mapping(uintptr_t address, size_t bytes) {
  Mapping *mapping = mappings;
  while (mapping &&
         !(mapping->address < address + bytes && address < mapping->address + mapping->bytes))
    mapping = mapping->next;
  return mapping;
}

static cudaError_t
drop_reservation(uintptr_t address, size_t bytes) {
  Reservation **at = &reservations;
  while (*at && (*at)->address != address)
    at = &(*at)->next;
  Reservation *dropped = *at;
  if (!dropped || dropped->bytes != bytes || find_mapping(address, bytes))
    return cudaErrorInvalidValue;
  munmap((void *)address, bytes);
  *at = dropped->next;
  free(dropped);
  return cudaSuccess;
}

cudaError_t
cuMemAddressFree(CUdeviceptr address, size_t bytes) {
  pthread_mutex_lock(&lock);
  cudaError_t error = drop_reservation(address, bytes);
  pthread_mutex_unlock(&lock);
  return error;
}

// --- memory

static cudaError_t
check_physical(const CUmemAllocationProp *properties) {
  if (!properties || properties->type != cudaMemAllocationTypePinned ||
      properties->location.type != cudaMemLocationTypeDevice)
    return cudaErrorInvalidValue;
  return properties->location.id == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t
cuMemGetAllocationGranularity(size_t *bytes, const CUmemAllocationProp *properties, int option) {
  if (!bytes || !properties || (option != 0 && option != 1) || properties->location.id != 0)
    return cudaErrorInvalidValue;
  *bytes = GRANULARITY; // whatever the memory is to be
  return cudaSuccess;
}

static bool
is_tile_pool(const Physical *physical) {
  return physical->properties.allocFlags.usage & USAGE_TILE_POOL;
}

static void
add_physical(Physical *physical) {
  pthread_mutex_lock(&lock);
  physical->next = physicals;
  physicals = physical;
  pthread_mutex_unlock(&lock);
}

cudaError_t
cuMemCreate(Physical **handle, size_t bytes, const CUmemAllocationProp *properties,
            unsigned long long flags) {
  cudaError_t error = handle && is_granular(bytes) && flags == 0 ? check_physical(properties)
                                                                 : cudaErrorInvalidValue;
  if (!error && properties->requestedHandleTypes & ~HANDLE_FD) // as an H100 without a fabric
    error = properties->requestedHandleTypes & HANDLE_FABRIC ? cudaErrorNotPermitted
                                                             : cudaErrorInvalidValue;
  if (error)
    return error;
  Physical *made = handle_new(HANDLE_MEMORY, sizeof *made);
  if (!made)
    return cudaErrorMemoryAllocation;
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  *made = (Physical){.properties = *properties, .bytes = bytes, .uses = 1};
  // Unless it is for tiles, kernels do not see it at its own address: it is a variable's, as it were.
  bool is_tiles = is_tile_pool(made);
  Allocation block = {.bytes = bytes + page,
                      .kind = INJECT_DEVICE,
                      .is_variable = !is_tiles,
                      .is_hidden = is_tiles};
  made->block = memory_allocate_as(&block);
  if (!made->block) {
    handle_free(made);
    return cudaErrorMemoryAllocation;
  }
  made->range = (char *)(((uintptr_t)made->block + page - 1) / page * page);
  add_physical(made);
  *handle = made;
  return cudaSuccess;
}

static void
release_physical(Physical *physical) {
  Physical **at = &physicals;
  if (--physical->uses > 0)
    return;
  while (*at != physical)
    at = &(*at)->next;
  *at = physical->next;
  if (physical->is_opened)
    share_close(physical->range, SHARE_HANDLE);
  else
    memory_drop(physical->block);
  handle_free(physical);
}

char *
physical_tiles(const Physical *handle, size_t *bytes) {
  if (!handle_is(handle, HANDLE_MEMORY) || !is_tile_pool(handle))
    return NULL;
  *bytes = handle->bytes;
  return handle->range;
}

void
physical_retain(Physical *handle) {
  pthread_mutex_lock(&lock);
  handle->uses++;
  pthread_mutex_unlock(&lock);
}

void
physical_release(Physical *handle) {
  pthread_mutex_lock(&lock);
  release_physical(handle);
  pthread_mutex_unlock(&lock);
}

// A handle that was released is one as long as what it is of is mapped.
cudaError_t
cuMemRelease(Physical *handle) {
  if (!handle_is(handle, HANDLE_MEMORY))
    return cudaErrorInvalidValue;
  pthread_mutex_lock(&lock);
  release_physical(handle);
  pthread_mutex_unlock(&lock);
  return cudaSuccess;
}

cudaError_t
cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *properties, const Physical *handle) {
  if (!properties || !handle_is(handle, HANDLE_MEMORY))
    return cudaErrorInvalidValue;
  *properties = handle->properties;
  properties->allocFlags.usage = 0; // as an H200 says it
  return cudaSuccess;
}

cudaError_t
cuMemRetainAllocationHandle(Physical **handle, const void *address) {
  pthread_mutex_lock(&lock);
  Mapping *mapping = handle ? find_mapping((uintptr_t)address, 1) : NULL;
  if (mapping) {
    mapping->physical->uses++;
    *handle = mapping->physical;
  }
  pthread_mutex_unlock(&lock);
  return mapping ? cudaSuccess : cudaErrorInvalidValue;
}

// --- memory of several processes

cudaError_t
cuMemExportToShareableHandle(int *fd, const Physical *handle, int kind, unsigned long long flags) {
  if (!fd || !handle_is(handle, HANDLE_MEMORY) || flags != 0 || kind != HANDLE_FD ||
      !(handle->properties.requestedHandleTypes & kind))
    return cudaErrorInvalidValue;
  const Share share = share_make(handle->range, handle->bytes);
  *fd = share_write(&share);
  return *fd >= 0 ? cudaSuccess : cudaErrorOperatingSystem;
}

// What this process has itself is used once more.
static bool
use_own_physical(const Share *share, Physical **found) {
  pthread_mutex_lock(&lock);
  for (*found = physicals; *found; *found = (*found)->next)
    if ((uintptr_t)(*found)->range == memory_base() + share->place) {
      (*found)->uses++;
      break;
    }
  pthread_mutex_unlock(&lock);
  return *found;
}

cudaError_t
cuMemImportFromShareableHandle(Physical **handle, void *fd, int kind) {
  Share share;
  if (!handle || kind != HANDLE_FD || !fd)
    return cudaErrorInvalidValue;
  if (!share_read((int)(uintptr_t)fd, &share) || share.bytes == 0)
    return cudaErrorUnknown;
  if (share_is_own(&share))
    return use_own_physical(&share, handle) ? cudaSuccess : cudaErrorInvalidValue;
  char *range = share_open(&share, SHARE_HANDLE);
  Physical *made = range ? handle_new(HANDLE_MEMORY, sizeof *made) : NULL;
  if (!made)
    return cudaErrorMemoryAllocation;
  *made = (Physical){.properties = {.type = cudaMemAllocationTypePinned,
                                    .requestedHandleTypes = HANDLE_FD,
                                    .location = {cudaMemLocationTypeDevice, 0}},
                     .range = range,
                     .bytes = share.bytes,
                     .uses = 1,
                     .is_opened = true};
  add_physical(made);
  *handle = made;
  return cudaSuccess;
}

// --- mappings

static bool
is_reserved(uintptr_t address, size_t bytes) {
  for (const Reservation *one = reservations; one; one = one->next)
    if (address >= one->address && address - one->address <= one->bytes &&
        bytes <= one->bytes - (address - one->address))
      return true;
  return false;
}

// Parts of memory cannot be mapped, nor memory for tiles.
cudaError_t
cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, Physical *handle,
         unsigned long long flags) {
  if (!handle_is(handle, HANDLE_MEMORY) || is_tile_pool(handle) || flags != 0 ||
      address % GRANULARITY != 0)
    return cudaErrorInvalidValue;
  if (offset != 0 || bytes != handle->bytes)
    return cudaErrorNotSupported;
  Mapping *made = calloc(1, sizeof *made);
  if (!made)
    return cudaErrorMemoryAllocation;
  pthread_mutex_lock(&lock);
  bool fits = is_reserved(address, bytes) && !find_mapping(address, bytes);
  if (fits) {
    *made = (Mapping){mappings, address, bytes, handle, 0};
    mappings = made;
    handle->uses++;
  } else
    free(made);
  pthread_mutex_unlock(&lock);
  return fits ? cudaSuccess : cudaErrorInvalidValue;
}

// What is not mapped, of addresses that are reserved, need not be unmapped.
static bool
is_unmapped(uintptr_t address, size_t bytes) {
  return is_granular(bytes) && is_reserved(address, bytes) && !find_mapping(address, bytes);
}

// Calls a function for each mapping in a range that they fill. Returns whether they do, and it returned true each time.
static bool
for_mappings(uintptr_t address, size_t bytes, bool (*function)(Mapping *mapping, int access),
             int access) {
  uintptr_t end = address + bytes;
  for (uintptr_t at = address; at < end;) {
    const Mapping *mapping = find_mapping(at, 1);
    if (!mapping || mapping->address != at || mapping->bytes > end - at)
      return false;
    at += mapping->bytes;
  }
  bool does = bytes > 0;
  for (uintptr_t at = address; does && at < end;) {
    Mapping *mapping = find_mapping(at, 1);
    at += mapping->bytes;
    does = function(mapping, access);
  }
  return does;
}

static bool
set_mapping_access(Mapping *mapping, int access) {
  bool was = mapping->access != 0, becomes = access != 0;
  if (was && !becomes)
    registered_unmap((const void *)mapping->address);
  mapping->access = access;
  return was || !becomes ||
         registered_map((void *)mapping->address, mapping->physical->range, mapping->bytes);
}

static bool
drop_mapping(Mapping *mapping, int access) {
  Mapping **at = &mappings;
  set_mapping_access(mapping, access);
  while (*at != mapping)
    at = &(*at)->next;
  *at = mapping->next;
  release_physical(mapping->physical);
  free(mapping);
  return true;
}

cudaError_t
cuMemUnmap(CUdeviceptr address, size_t bytes) {
  queue_wait(queue_last());
  pthread_mutex_lock(&lock);
  bool does = is_unmapped(address, bytes) ||
              for_mappings(address, bytes, drop_mapping, cudaMemAccessFlagsProtNone);
  pthread_mutex_unlock(&lock);
  return does ? cudaSuccess : cudaErrorInvalidValue;
}

// What can be read can be written.
cudaError_t
cuMemSetAccess(CUdeviceptr address, size_t bytes, const cudaMemAccessDesc *accesses, size_t n) {
  cudaError_t error = accesses && n > 0 ? cudaSuccess : cudaErrorInvalidValue;
  for (size_t i = 0; !error && i < n; i++) {
    if (accesses[i].location.type != cudaMemLocationTypeDevice || accesses[i].location.id != 0) {
      error = cudaErrorInvalidValue;
      break;
    }
    pthread_mutex_lock(&lock);
    if (!for_mappings(address, bytes, set_mapping_access, accesses[i].flags))
      error = cudaErrorInvalidValue;
    pthread_mutex_unlock(&lock);
  }
  return error;
}

cudaError_t
cuMemGetAccess(unsigned long long *flags, const cudaMemLocation *location, CUdeviceptr address) {
  if (!flags || !location)
    return cudaErrorInvalidValue;
  pthread_mutex_lock(&lock);
  const Mapping *mapping = find_mapping(address, 1);
  Allocation found;
  bool is_allocated = !mapping && memory_find((const void *)address, &found);
  if (mapping || is_allocated)
    *flags = mapping ? (unsigned long long)mapping->access : cudaMemAccessFlagsProtReadWrite;
  pthread_mutex_unlock(&lock);
  return mapping || is_allocated ? cudaSuccess : cudaErrorInvalidValue;
}
