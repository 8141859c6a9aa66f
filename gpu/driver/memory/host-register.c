// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Whole pages are moved. Ranges that share a page are moved together, so that each lies in one piece. What other threads write to a
// page while it is moved can be lost.
#include "gpu/driver/memory/host-register.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpu/driver/abi.h"
#include "gpu/driver/error.h"
#include "gpu/driver/stream/stream-capture.h"

// What a program has registered.
typedef struct Registered {
  struct Registered *next;
  Allocation memory;
} Registered;

// Pages that lie in the range of the device's memory.
typedef struct Stretch {
  struct Stretch *next;
  char *address;
  size_t bytes;
  char *block,
      *range; // what is allocated, and the first page in it; no block: it is not what these pages were moved to
} Stretch;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Registered *registered;
static Stretch *stretches;

static size_t
page_bytes(void) {
  return (size_t)sysconf(_SC_PAGESIZE);
}

static bool
overlaps(uintptr_t one, size_t one_bytes, uintptr_t other, size_t other_bytes) {
  return one < other + other_bytes && other < one + one_bytes;
}

bool
registered_find(const void *address, Allocation *found) {
  bool is_there = false;
  pthread_mutex_lock(&lock);
  for (const Registered *one = registered; one && !is_there; one = one->next)
    if ((uintptr_t)address - one->memory.address < one->memory.bytes) {
      *found = one->memory;
      is_there = true;
    }
  pthread_mutex_unlock(&lock);
  return is_there;
}

void
registered_add_all(SmbPayload *payload) {
  size_t n = 0;
  pthread_mutex_lock(&lock);
  for (const Registered *one = registered; one; one = one->next)
    n++;
  smb_payload_add_number(payload, n);
  for (const Registered *one = registered; one; one = one->next) {
    smb_payload_add_number(payload, one->memory.address);
    smb_payload_add_number(payload, one->memory.bytes);
    smb_payload_add_number(payload, one->memory.kind);
  }
  n = 0;
  for (const Stretch *stretch = stretches; stretch; stretch = stretch->next)
    n++;
  smb_payload_add_number(payload, n);
  for (const Stretch *stretch = stretches; stretch; stretch = stretch->next) {
    smb_payload_add_number(payload, (uintptr_t)stretch->address);
    smb_payload_add_number(payload, (uintptr_t)stretch->range);
    smb_payload_add_number(payload, stretch->bytes);
  }
  pthread_mutex_unlock(&lock);
}

// --- moving pages

// Whole pages, also what the program must not touch of them: memcpy() would report that in a program with AddressSanitizer.
static void
copy_pages(volatile uint64_t *to, const volatile uint64_t *from, size_t bytes) {
  for (size_t i = 0; i < bytes / sizeof *to; i++)
    to[i] = from[i];
}

// Addresses that are reserved, and have no memory.
static bool
hide_pages(char *address, size_t bytes) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE;
  // cppcheck-suppress [invalidFunctionArg, leakReturnValNotUsed] ; memory that is no file's, and stays
  return mmap(address, bytes, PROT_NONE, flags, -1, 0) != MAP_FAILED;
}

// What is moved is said by value: it may lie in these pages.
static bool
move_in(Stretch stretch) {
  copy_pages((uint64_t *)stretch.range, (uint64_t *)stretch.address, stretch.bytes);
  return memory_map_at(stretch.address, stretch.range, stretch.bytes);
}

static bool
move_out(Stretch stretch) {
  if (!stretch.block)
    return hide_pages(stretch.address, stretch.bytes);
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
  // cppcheck-suppress invalidFunctionArg ; memory that is no file's
  void *pages = mmap(stretch.address, stretch.bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (pages == MAP_FAILED)
    return false;
  copy_pages((uint64_t *)stretch.address, (uint64_t *)stretch.range, stretch.bytes);
  // cppcheck-suppress memleak ; they are the program's
  return true;
}

// Pages are moved in a thread of their own, since they may be those of the stack that asks for it: that thread writes to no memory
// of the program from MOVE_STARTS to MOVE_ENDS.
typedef enum {
  MOVE_NOT_YET,
  MOVE_STARTS,
  MOVE_ENDS,
} MoveState;

static MoveState state; // of the move, of which there is one at a time
static bool is_moved;
static bool (*moving)(Stretch stretch);

static void *
run_move(void *user) {
  const Stretch *stretch = user;
  while (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != MOVE_STARTS)
    continue;
  is_moved = moving(*stretch);
  __atomic_store_n(&state, MOVE_ENDS, __ATOMIC_RELEASE);
  return NULL;
}

static bool
move_apart(bool (*move)(Stretch stretch), Stretch *stretch) {
  pthread_t thread;
  state = MOVE_NOT_YET;
  moving = move;
  if (pthread_create(&thread, NULL, run_move, stretch) != 0)
    return false;
  __atomic_store_n(&state, MOVE_STARTS, __ATOMIC_RELEASE);
  while (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != MOVE_ENDS)
    continue;
  pthread_join(thread, NULL);
  return is_moved;
}

static void
drop_stretch(Stretch **at) {
  Stretch *dropped = *at;
  *at = dropped->next;
  if (dropped->block)
    memory_drop(dropped->block);
  free(dropped);
}

// Moves the pages from @first up to @end, and those that earlier ranges have moved with any of them.
static bool
move_pages(uintptr_t first, uintptr_t end) {
  for (const Stretch *other = stretches; other; other = other->next)
    if (overlaps((uintptr_t)other->address, other->bytes, first, end - first)) {
      uintptr_t from = (uintptr_t)other->address, to = from + other->bytes;
      first = from < first ? from : first;
      end = to > end ? to : end;
    }
  Stretch *stretch = calloc(1, sizeof *stretch);
  if (!stretch)
    return false;
  size_t page = page_bytes();
  *stretch = (Stretch){NULL, (char *)first, end - first, NULL, NULL};
  // Not seen by kernels at its own address: it is a variable's, as it were.
  stretch->block = memory_allocate(stretch->bytes + page, INJECT_HOST, true);
  if (stretch->block)
    stretch->range = (char *)(((uintptr_t)stretch->block + page - 1) / page * page);
  if (!stretch->block || !move_apart(move_in, stretch)) {
    free(stretch);
    return false;
  }
  for (Stretch **at = &stretches; *at;)
    if (overlaps((uintptr_t)(*at)->address, (*at)->bytes, first, end - first))
      drop_stretch(at);
    else
      at = &(*at)->next;
  stretch->next = stretches;
  stretches = stretch;
  return true;
}

// Moves the pages of a range back that no other range needs.
static void
move_back(const Allocation *gone) {
  for (Stretch **at = &stretches; *at;) {
    Stretch *stretch = *at;
    bool is_needed =
        !overlaps((uintptr_t)stretch->address, stretch->bytes, gone->address, gone->bytes);
    for (const Registered *one = registered; one; one = one->next)
      is_needed = is_needed || overlaps((uintptr_t)stretch->address, stretch->bytes,
                                        one->memory.address, one->memory.bytes);
    if (!is_needed && move_apart(move_out, stretch))
      drop_stretch(at);
    else
      at = &stretch->next;
  }
}

void
registered_reset(void) {
  pthread_mutex_lock(&lock);
  while (registered) {
    Registered *gone = registered;
    registered = gone->next;
    move_back(&gone->memory);
    free(gone);
  }
  pthread_mutex_unlock(&lock);
}

bool
registered_map(void *address, void *range, size_t bytes) {
  Registered *added = calloc(1, sizeof *added);
  Stretch *stretch = calloc(1, sizeof *stretch);
  if (!added || !stretch || !memory_map_at(address, range, bytes)) {
    free(added);
    free(stretch);
    return false;
  }
  pthread_mutex_lock(&lock);
  *added = (Registered){
      registered,
      {.address = (uintptr_t)address, .bytes = bytes, .kind = INJECT_DEVICE, .is_mapped = true}};
  *stretch = (Stretch){stretches, address, bytes, NULL, range};
  registered = added;
  stretches = stretch;
  pthread_mutex_unlock(&lock);
  return true;
}

void
registered_unmap(const void *address) {
  pthread_mutex_lock(&lock);
  Registered **at = &registered;
  while (*at && !((*at)->memory.address == (uintptr_t)address && (*at)->memory.is_mapped))
    at = &(*at)->next;
  Registered *gone = *at;
  if (gone) {
    *at = gone->next;
    move_back(&gone->memory);
    free(gone);
  }
  pthread_mutex_unlock(&lock);
}

// --- calls

static cudaError_t
register_range(uintptr_t address, size_t bytes, unsigned flags) {
  size_t page = page_bytes();
  for (const Registered *one = registered; one; one = one->next)
    if (overlaps(one->memory.address, one->memory.bytes, address, bytes))
      return cudaErrorHostMemoryAlreadyRegistered;
  Registered *added = calloc(1, sizeof *added);
  if (!added)
    return cudaErrorMemoryAllocation;
  added->memory =
      (Allocation){.address = address, .bytes = bytes, .kind = INJECT_HOST, .flags = flags};
  if (!move_pages(address / page * page, (address + bytes + page - 1) / page * page)) {
    free(added);
    return cudaErrorMemoryAllocation;
  }
  added->next = registered;
  registered = added;
  return cudaSuccess;
}

API cudaError_t
cudaHostRegister(void *address, size_t bytes, unsigned flags) {
  Allocation found;
  cudaError_t error = error_check();
  error = error ? error : capture_check_unsafe(false);
  if (!error && (!address || bytes == 0 || flags & ~(unsigned)cudaHostRegisterFlags))
    error = cudaErrorInvalidValue;
  if (!error && flags & cudaHostRegisterIoMemory)
    return error_missing("cudaHostRegister with cudaHostRegisterIoMemory");
  if (!error && memory_find(address, &found))
    error = cudaErrorHostMemoryAlreadyRegistered;
  if (error)
    return error_return(error);
  pthread_mutex_lock(&lock);
  error = register_range((uintptr_t)address, bytes, flags);
  pthread_mutex_unlock(&lock);
  return error_return(error);
}

API cudaError_t
cudaHostUnregister(void *address) {
  cudaError_t error = error_check();
  error = error ? error : capture_check_unsafe(false);
  if (!error && !address)
    error = cudaErrorInvalidValue;
  if (error)
    return error_return(error);
  pthread_mutex_lock(&lock);
  Registered **at = &registered;
  while (*at && ((*at)->memory.address != (uintptr_t)address || (*at)->memory.is_mapped))
    at = &(*at)->next;
  Registered *gone = *at;
  if (gone) {
    *at = gone->next;
    move_back(&gone->memory);
    free(gone);
  }
  pthread_mutex_unlock(&lock);
  return error_return(gone ? cudaSuccess : cudaErrorHostMemoryNotRegistered);
}
