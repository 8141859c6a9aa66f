// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "gpu/driver/memory/device-heap.h"

#include <pthread.h>

#include "gpu/driver/memory/memory.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t wanted =
    8
    << 20; // what a device has at first (CUDA C++ Programming Guide, "Dynamic Global Memory Allocation")
static void *heap;

bool
heap_need(void) {
  pthread_mutex_lock(&lock);
  if (!heap)
    heap = memory_allocate(wanted, INJECT_DEVICE, false);
  pthread_mutex_unlock(&lock);
  return heap != NULL;
}

size_t
heap_bytes(void) {
  return wanted;
}

cudaError_t
heap_set_bytes(size_t bytes) {
  pthread_mutex_lock(&lock);
  cudaError_t error = heap && bytes != wanted ? cudaErrorInvalidValue : cudaSuccess;
  if (!error && bytes > 0)
    wanted = bytes;
  pthread_mutex_unlock(&lock);
  return error;
}

bool
heap_is(uintptr_t address) {
  return heap && address == (uintptr_t)heap;
}

void
heap_add(SmbPayload *payload) {
  smb_payload_add_number(payload, (uintptr_t)heap);
  smb_payload_add_number(payload, heap ? wanted : 0);
}
