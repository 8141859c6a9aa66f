// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Advice about managed memory, and prefetches: nothing is moved, but what was said is kept, and told when it is asked for.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/driver/stream/call.h"
#include "gpu/driver/error.h"
#include "gpu/driver/newer.h"
#include "gpu/driver/memory/memory.h"

typedef enum {
  ADVICE_READ_MOSTLY,
  ADVICE_PREFERRED,
  ADVICE_DEVICE_ACCESSES,
  ADVICE_HOST_ACCESSES,
  ADVICE_PREFETCHED,
} AdviceKind;

// What was said of a range; later ones hold, where they overlap.
typedef struct Advice {
  struct Advice *earlier;
  AdviceKind kind;
  uintptr_t address, end;
  cudaMemLocation value; // type 0: none
} Advice;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Advice *latest;

static const cudaMemLocation none = {cudaMemLocationTypeNone, 0};

// Forgets what is overruled.
static void
forget_covered(const Advice *added) {
  for (Advice **at = &latest->earlier; *at;) {
    Advice *other = *at;
    if (other->kind == added->kind && other->address >= added->address &&
        other->end <= added->end) {
      *at = other->earlier;
      free(other);
    } else
      at = &other->earlier;
  }
}

static cudaError_t
add_advice(AdviceKind kind, const void *address, size_t bytes, cudaMemLocation value) {
  Advice *added = malloc(sizeof *added);
  if (!added)
    return cudaErrorMemoryAllocation;
  pthread_mutex_lock(&lock);
  *added = (Advice){latest, kind, (uintptr_t)address, (uintptr_t)address + bytes, value};
  latest = added;
  forget_covered(added);
  pthread_mutex_unlock(&lock);
  return cudaSuccess;
}

// What all of a range was said to be, by @advice or earlier; none if that differs.
static cudaMemLocation
find_last_advice(const Advice *advice, AdviceKind kind, uintptr_t address, uintptr_t end) {
  while (advice && (advice->kind != kind || advice->address >= end || advice->end <= address))
    advice = advice->earlier;
  if (!advice)
    return none;
  cudaMemLocation value = advice->value;
  cudaMemLocation before = advice->address > address
                               ? find_last_advice(advice->earlier, kind, address, advice->address)
                               : value;
  cudaMemLocation after =
      advice->end < end ? find_last_advice(advice->earlier, kind, advice->end, end) : value;
  bool is_one =
      memcmp(&before, &value, sizeof value) == 0 && memcmp(&after, &value, sizeof value) == 0;
  return is_one ? value : none;
}

static cudaMemLocation
take_advice(AdviceKind kind, const void *address, size_t bytes) {
  pthread_mutex_lock(&lock);
  cudaMemLocation value =
      find_last_advice(latest, kind, (uintptr_t)address, (uintptr_t)address + bytes);
  pthread_mutex_unlock(&lock);
  return value;
}

// A range of managed memory.
static cudaError_t
check_managed_range(const void *address, size_t bytes) {
  Allocation found;
  cudaError_t error = error_check();
  if (error)
    return error;
  bool is_managed = address && bytes > 0 && memory_find(address, &found) &&
                    found.kind == INJECT_MANAGED &&
                    (uintptr_t)address - found.address + bytes <= found.bytes;
  return is_managed ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t
check_location(cudaMemLocation location) {
  switch (location.type) {
  case cudaMemLocationTypeDevice:
    return location.id == 0 ? cudaSuccess : cudaErrorInvalidDevice;
  case cudaMemLocationTypeHost:
  case cudaMemLocationTypeHostNuma:
  case cudaMemLocationTypeHostNumaCurrent:
    return cudaSuccess;
  default:
    return cudaErrorInvalidValue;
  }
}

static cudaError_t
advise(const void *address, size_t bytes, int advice, cudaMemLocation location) {
  cudaError_t error = check_managed_range(address, bytes);
  bool is_host = location.type != cudaMemLocationTypeDevice;
  if (!error && (advice == 3 || advice == 5 || advice == 6))
    error = check_location(location);
  if (error)
    return error;
  switch (advice) { // cudaMemoryAdvise
  case 1:
    return add_advice(ADVICE_READ_MOSTLY, address, bytes, (cudaMemLocation){1, 0});
  case 2:
    return add_advice(ADVICE_READ_MOSTLY, address, bytes, none);
  case 3:
    return add_advice(ADVICE_PREFERRED, address, bytes, location);
  case 4:
    return add_advice(ADVICE_PREFERRED, address, bytes, none);
  case 5:
  case 6:
    return add_advice(is_host ? ADVICE_HOST_ACCESSES : ADVICE_DEVICE_ACCESSES, address, bytes,
                      advice == 5 ? (cudaMemLocation){1, 0} : none);
  default:
    return cudaErrorInvalidValue;
  }
}

static cudaError_t
prefetch(const void *address, size_t bytes, cudaMemLocation location, unsigned flags,
         cudaStream_t handle) {
  cudaError_t error = check_managed_range(address, bytes);
  Stream *stream = error ? NULL : stream_of(handle);
  error = error ? error : check_location(location);
  if (!error && (flags != 0 || !stream))
    error = stream ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
  if (!error && stream->capture)
    return error_missing("cudaMemPrefetchAsync in a stream that is captured");
  return error_return(error ? error : add_advice(ADVICE_PREFETCHED, address, bytes, location));
}

// --- what was said

static int
device_id(cudaMemLocation location) {
  return location.type == cudaMemLocationTypeNone     ? cudaInvalidDeviceId
         : location.type == cudaMemLocationTypeDevice ? location.id
                                                      : cudaCpuDeviceId;
}

static cudaError_t
list_accessors(int *data, size_t n, const void *address, size_t bytes) {
  size_t used = 0;
  if (n == 0)
    return cudaErrorInvalidValue;
  if (take_advice(ADVICE_DEVICE_ACCESSES, address, bytes).type)
    data[used++] = 0;
  if (used < n && take_advice(ADVICE_HOST_ACCESSES, address, bytes).type)
    data[used++] = cudaCpuDeviceId;
  while (used < n)
    data[used++] = cudaInvalidDeviceId;
  return cudaSuccess;
}

API cudaError_t
cudaMemRangeGetAttribute(void *data, size_t n, int attribute, const void *address, size_t bytes) {
  cudaError_t error = check_managed_range(address, bytes);
  if (!error && (!data || (attribute != 3 && n != sizeof(int)) || n % sizeof(int)))
    error = cudaErrorInvalidValue;
  if (error)
    return error_return(error);
  int *number = data;
  switch (attribute) { // cudaMemRangeAttribute
  case 1:
    *number = take_advice(ADVICE_READ_MOSTLY, address, bytes).type != 0;
    break;
  case 2:
    *number = device_id(take_advice(ADVICE_PREFERRED, address, bytes));
    break;
  case 3:
    return error_return(list_accessors(data, n / sizeof(int), address, bytes));
  case 4:
    *number = device_id(take_advice(ADVICE_PREFETCHED, address, bytes));
    break;
  case 5:
    *number = take_advice(ADVICE_PREFERRED, address, bytes).type;
    break;
  case 6:
    *number = take_advice(ADVICE_PREFERRED, address, bytes).id;
    break;
  case 7:
    *number = take_advice(ADVICE_PREFETCHED, address, bytes).type;
    break;
  case 8:
    *number = take_advice(ADVICE_PREFETCHED, address, bytes).id;
    break;
  default:
    return error_return(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}

API cudaError_t
cudaMemRangeGetAttributes(void **data, size_t *sizes, int *attributes, size_t n,
                          const void *address, size_t bytes) {
  cudaError_t error = data && sizes && attributes && n > 0 ? cudaSuccess : cudaErrorInvalidValue;
  for (size_t i = 0; !error && i < n; i++)
    error = cudaMemRangeGetAttribute(data[i], sizes[i], attributes[i], address, bytes);
  return error_return(error);
}

// --- CUDA 12 names a device by a number, and places by a second version

#if CUDART_MAJOR == 12
static cudaMemLocation
locate_device(int device) {
  return device == cudaCpuDeviceId ? (cudaMemLocation){cudaMemLocationTypeHost, 0}
                                   : (cudaMemLocation){cudaMemLocationTypeDevice, device};
}

API cudaError_t
cudaMemAdvise(const void *address, size_t bytes, int advice, int device) {
  return error_return(advise(address, bytes, advice, locate_device(device)));
}

API cudaError_t
cudaMemAdvise_v2(const void *address, size_t bytes, int advice, cudaMemLocation location) {
  return error_return(advise(address, bytes, advice, location));
}

API cudaError_t
cudaMemPrefetchAsync(const void *address, size_t bytes, int device, cudaStream_t stream) {
  return prefetch(address, bytes, locate_device(device), 0, stream);
}

API cudaError_t
cudaMemPrefetchAsync_v2(const void *address, size_t bytes, cudaMemLocation location, unsigned flags,
                        cudaStream_t stream) {
  return prefetch(address, bytes, location, flags, stream);
}
#else
API cudaError_t
cudaMemAdvise(const void *address, size_t bytes, int advice, cudaMemLocation location) {
  return error_return(advise(address, bytes, advice, location));
}

API cudaError_t
cudaMemPrefetchAsync(const void *address, size_t bytes, cudaMemLocation location, unsigned flags,
                     cudaStream_t stream) {
  return prefetch(address, bytes, location, flags, stream);
}
#endif

// --- batches

// Of each range the place with the last number that is not above its own.
static cudaError_t
prefetch_batch(void **ranges, const size_t *bytes, size_t n, const cudaMemLocation *places,
               const size_t *firsts, size_t n_places, unsigned long long flags,
               cudaStream_t stream) {
  cudaError_t error = ranges && bytes && n > 0 && places && firsts && n_places > 0 &&
                              n_places <= n && firsts[0] == 0 && flags == 0
                          ? cudaSuccess
                          : cudaErrorInvalidValue;
  size_t place = 0;
  for (size_t i = 0; !error && i < n; i++) {
    place += place + 1 < n_places && firsts[place + 1] <= i;
    error = prefetch(ranges[i], bytes[i], places[place], 0, stream);
  }
  return error_return(error);
}

API cudaError_t
cudaMemPrefetchBatchAsync(void **ranges, size_t *bytes, size_t n, cudaMemLocation *places,
                          size_t *firsts, size_t n_places, unsigned long long flags,
                          cudaStream_t stream) {
  return prefetch_batch(ranges, bytes, n, places, firsts, n_places, flags, stream);
}

// What is discarded may hold anything: it is left as it is.
API cudaError_t
cudaMemDiscardBatchAsync(void **ranges, size_t *bytes, size_t n, unsigned long long flags,
                         cudaStream_t stream) {
  cudaError_t error = ranges && bytes && n > 0 && flags == 0 && stream_of(stream)
                          ? cudaSuccess
                          : cudaErrorInvalidValue;
  for (size_t i = 0; !error && i < n; i++)
    error = check_managed_range(ranges[i], bytes[i]);
  return error_return(error);
}

API cudaError_t
cudaMemDiscardAndPrefetchBatchAsync(void **ranges, size_t *bytes, size_t n, cudaMemLocation *places,
                                    size_t *firsts, size_t n_places, unsigned long long flags,
                                    cudaStream_t stream) {
  return prefetch_batch(ranges, bytes, n, places, firsts, n_places, flags, stream);
}
