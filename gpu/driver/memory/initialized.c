// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "gpu/driver/memory/initialized.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpu/driver/abi.h"
#include "gpu/driver/client.h"
#include "gpu/driver/error.h"
#include "gpu/driver/memory/device-heap.h"
#include "gpu/driver/memory/memory.h"

enum {
  MAX_FRAMES = 64,
};

static int file = -1;
static pid_t process;       // that is checked: not one that it forks
static unsigned char *bits; // NULL: it is not checked
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void
written_start(void) {
  size_t bytes = memory_bytes() / 8;
  SmbPayload payload = {0};
  file = memfd_create("smembank-written", MFD_CLOEXEC);
  void *range = file >= 0 && ftruncate(file, (off_t)bytes) == 0
                    ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0)
                    : MAP_FAILED;
  smb_payload_add_number(&payload, (uint64_t)file);
  if (range != MAP_FAILED && client_ask(RUN_WRITTEN, &payload) == RUN_DONE)
    bits = range;
  process = getpid();
  smb_payload_clear(&payload);
}

bool
written_is_checked(void) {
  return bits != NULL;
}

// --- bits

static uint64_t
place_of(const void *address) {
  return (uintptr_t)address - memory_base();
}

static void
set_bit(uint64_t bit, bool is_set) {
  unsigned char mask = (unsigned char)(1u << bit % 8);
  bits[bit / 8] = (unsigned char)(is_set ? bits[bit / 8] | mask : bits[bit / 8] & ~mask);
}

static bool
has_bit(uint64_t bit) {
  return bits[bit / 8] >> bit % 8 & 1;
}

static void
set_bits(uint64_t first, uint64_t n) {
  uint64_t end = first + n, at = first;
  for (; at < end && at % 8; at++)
    set_bit(at, true);
  memset(bits + at / 8, 0xff, (end - at) / 8);
  for (at += (end - at) / 8 * 8; at < end; at++)
    set_bit(at, true);
}

// Allocations begin and end at multiples of 512 bytes: of 64 here.
void
written_forget(const void *address, size_t bytes) {
  if (!bits)
    return;
  uint64_t first = place_of(address) / 8;
  if (fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)first,
                (off_t)(bytes / 8)) != 0)
    memset(bits + first, 0, bytes / 8);
}

// Whether it is known of memory what was written there: of the device's own, which no variable has.
static bool
is_device(const void *address) {
  Allocation found;
  return place_of(address) < memory_bytes() && memory_find(address, &found) &&
         found.kind == INJECT_DEVICE && !found.is_variable;
}

void
written_note(const void *address, size_t bytes) {
  if (!bits || !is_device(address))
    return;
  pthread_mutex_lock(&lock);
  set_bits(place_of(address), bytes);
  pthread_mutex_unlock(&lock);
}

static size_t
find_unset(uint64_t first, size_t bytes) {
  for (size_t i = 0; i < bytes; i++)
    if (!has_bit(first + i))
      return i;
  return bytes;
}

void
written_note_copy(const void *to, const void *from, size_t bytes) {
  if (!bits)
    return;
  size_t n = is_device(from) ? find_unset(place_of(from), bytes) : bytes;
  if (is_device(to) && n < bytes) {
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < bytes; i++)
      set_bit(place_of(to) + i, has_bit(place_of(from) + i));
    pthread_mutex_unlock(&lock);
  } else
    written_note(to, bytes);
  if (n < bytes && !is_device(to))
    written_tell(RUN_FOUND_COPY, NULL, "", (uintptr_t)from + n, bytes);
}

// --- what is found

// The function of the interface that the program has called: the outermost one of this library.
static const char *
find_called(void) {
  void *frames[MAX_FRAMES];
  Dl_info own, info;
  const char *name = "a function";
  int n = backtrace(frames, MAX_FRAMES);
  if (!dladdr((void *)(uintptr_t)find_called, &own))
    return name;
  for (int i = 0; i < n; i++) {
    bool is_ours = dladdr((char *)frames[i] - 1, &info) && info.dli_fbase == own.dli_fbase;
    if (!is_ours && i > 0)
      break;
    if (is_ours && info.dli_sname)
      name = info.dli_sname;
  }
  return strncmp(name, "__cuda", 6) == 0 ? name + 2 : name; // what <<<>>> becomes
}

void
written_tell(RunFound kind, const char *function, const char *text, uint64_t number,
             uint64_t bytes) {
  SmbPayload payload = {0};
  if (!bits)
    return;
  smb_payload_add_number(&payload, kind);
  smb_payload_add_text(&payload, function ? function : find_called());
  smb_payload_add_text(&payload, text);
  smb_payload_add_number(&payload, number);
  smb_payload_add_number(&payload, bytes);
  client_ask(RUN_FOUND, &payload);
  smb_payload_clear(&payload);
}

static void
tell_leak(const Allocation *allocation) {
  static const char *const functions[] = {[INJECT_DEVICE] = "cudaMalloc",
                                          [INJECT_MANAGED] = "cudaMallocManaged",
                                          [INJECT_HOST] = "cudaMallocHost"};
  if (!heap_is(allocation->address) && !allocation->is_hidden)
    written_tell(RUN_FOUND_LEAK, allocation->pool ? "cudaMallocAsync" : functions[allocation->kind],
                 "", allocation->address, allocation->bytes);
}

// What the program has not freed when it ends; after an error that ends the context it cannot.
static __attribute__((destructor)) void
tell_leaks(void) {
  if (bits && getpid() == process && !error_sticky())
    memory_each(tell_leak);
}
