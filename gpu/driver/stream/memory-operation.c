// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "gpu/driver/stream/memory-operation.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/driver/error.h"
#include "gpu/driver/memory/initialized.h"
#include "gpu/driver/memory/memory.h"
#include "gpu/driver/stream/call-queue.h"

enum {
  WRITE_FLAGS = 1,   // CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER
  BARRIER_FLAGS = 1, // of the device, not of the system
  WAIT_FLUSH = 1 << 30,
};

// CUstreamWaitValue_flags; the value of memory goes first.
typedef enum {
  WAIT_NOT_LESS,
  WAIT_EQUAL,
  WAIT_AND,
  WAIT_NOR,
} WaitKind;

MemoryCall *
memory_call_new(Context *context, const MemoryOperation *operations, unsigned n, unsigned flags) {
  MemoryCall *made = calloc(1, sizeof *made);
  MemoryOperation *kept = calloc(n + 1, sizeof *kept);
  if (!made || !kept) {
    free(made);
    free(kept);
    return NULL;
  }
  if (n > 0)
    memcpy(kept, operations, n * sizeof *kept);
  made->context = context;
  made->n = n;
  made->flags = flags;
  made->operations = kept;
  return made;
}

void
memory_call_free(MemoryCall *call) {
  free(call->operations);
  free(call);
}

static bool
is_wide_operation(const MemoryOperation *operation) {
  return operation->kind == MEMORY_WAIT_64 || operation->kind == MEMORY_WRITE_64;
}

static cudaError_t
check_value(const MemoryOperation *operation, unsigned most) {
  if (operation->value.flags & WAIT_FLUSH)
    return cudaErrorNotSupported;
  size_t bytes = is_wide_operation(operation) ? sizeof(uint64_t) : sizeof(uint32_t);
  return operation->value.flags <= most && (uintptr_t)operation->value.address % bytes == 0 &&
                 memory_reach(operation->value.address) >= bytes
             ? cudaSuccess
             : cudaErrorInvalidValue;
}

static cudaError_t
check_operation(const MemoryOperation *operation) {
  switch (operation->kind) {
  case MEMORY_WAIT_32:
  case MEMORY_WAIT_64:
    return check_value(operation, WAIT_NOR);
  case MEMORY_WRITE_32:
  case MEMORY_WRITE_64:
    return check_value(operation, WRITE_FLAGS);
  case MEMORY_FLUSH: // there is nothing that it would be of
    return cudaErrorNotSupported;
  case MEMORY_BARRIER:
    return operation->barrier.flags <= BARRIER_FLAGS ? cudaSuccess : cudaErrorInvalidValue;
  }
  return cudaErrorInvalidValue;
}

cudaError_t
memory_call_check(const MemoryCall *call) {
  cudaError_t error = call->flags != 0 ? cudaErrorInvalidValue : cudaSuccess;
  for (unsigned i = 0; !error && i < call->n; i++)
    error = check_operation(&call->operations[i]);
  return error;
}

static bool
is_wait_over(const MemoryOperation *operation) {
  const void *address = operation->value.address;
  bool wide = is_wide_operation(operation);
  uint64_t mask = wide ? UINT64_MAX : UINT32_MAX, value = operation->value.value & mask;
  uint64_t found = wide ? __atomic_load_n((const uint64_t *)address, __ATOMIC_ACQUIRE)
                        : __atomic_load_n((const uint32_t *)address, __ATOMIC_ACQUIRE);
  switch ((WaitKind)operation->value.flags) {
  case WAIT_NOT_LESS: // as a circle of numbers
    return ((found - value) & mask) <= mask / 2;
  case WAIT_EQUAL:
    return found == value;
  case WAIT_AND:
    return (found & value) != 0;
  case WAIT_NOR:
    return (~(found | value) & mask) != 0;
  }
  return true;
}

static void
run_operation(const MemoryOperation *operation) {
  void *address = operation->value.address;
  switch (operation->kind) {
  case MEMORY_WAIT_32:
  case MEMORY_WAIT_64:
    if (!is_wait_over(operation))
      queue_hand_over();
    while (!is_wait_over(operation) && !error_sticky())
      sched_yield();
    return;
  case MEMORY_WRITE_32:
    __atomic_store_n((uint32_t *)address, (uint32_t)operation->value.value, __ATOMIC_RELEASE);
    written_note(address, sizeof(uint32_t));
    return;
  case MEMORY_WRITE_64:
    __atomic_store_n((uint64_t *)address, operation->value.value, __ATOMIC_RELEASE);
    written_note(address, sizeof(uint64_t));
    return;
  case MEMORY_FLUSH:
  case MEMORY_BARRIER:
    break;
  }
}

void
memory_call_run(const MemoryCall *call) {
  for (unsigned i = 0; i < call->n; i++)
    run_operation(&call->operations[i]);
}

bool
memory_call_waits(const MemoryCall *call) {
  bool waits = false;
  for (unsigned i = 0; i < call->n && !waits; i++)
    waits =
        call->operations[i].kind == MEMORY_WAIT_32 || call->operations[i].kind == MEMORY_WAIT_64;
  return waits;
}
