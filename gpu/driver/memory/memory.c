// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "gpu/driver/memory/memory.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpu/driver/context.h"
#include "gpu/driver/memory/host-register.h"
#include "gpu/driver/memory/initialized.h"

#define RANGE_BYTES ((uint64_t)80 << 30) // memory of the device, as an H100 has it
#define RANGE_HINT  ((void *)0x200000000000)

enum {
  ALIGNMENT = 512, // CUDA promises 256
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int file = -1;
static uintptr_t base;
static Allocation *all; // by address
static size_t n_all, room;
static size_t used;
static uint64_t last_id;
static uint64_t limit = RANGE_BYTES; // of the device
static bool is_full_told;

int
memory_start(void) {
  int fd = memfd_create("smembank", MFD_CLOEXEC);
  if (fd < 0 || ftruncate(fd, (off_t)RANGE_BYTES) != 0)
    return -1;
  void *range =
      mmap(RANGE_HINT, RANGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (range == MAP_FAILED) {
    close(fd);
    return -1;
  }
  base = (uintptr_t)range;
  file = fd;
  return fd;
}

uint64_t
memory_base(void) {
  return base;
}

uint64_t
memory_bytes(void) {
  return RANGE_BYTES;
}

static size_t
round_up(size_t bytes) {
  return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

// The first place between two allocations that has room; @index: where it belongs among them. Returns 0 if there is none.
static uintptr_t
find_gap(size_t bytes, size_t *index) {
  uintptr_t start = base;
  for (*index = 0; *index < n_all; ++*index) {
    if (all[*index].address - start >= bytes)
      return start;
    start = all[*index].address + round_up(all[*index].bytes);
  }
  return base + RANGE_BYTES - start >= bytes ? start : 0;
}

void
memory_set_device_bytes(uint64_t bytes) {
  limit = bytes < RANGE_BYTES ? bytes : RANGE_BYTES;
}

uint64_t
memory_device_bytes(void) {
  return limit;
}

// What an allocation takes of the device's memory.
static size_t
device_share(size_t bytes, InjectMemory kind) {
  return kind == INJECT_HOST ? 0 : round_up(bytes);
}

static bool
has_device_room(size_t bytes, InjectMemory kind) {
  bool does = device_share(bytes, kind) <= limit - used;
  if (!does && !is_full_told)
    fprintf(stderr,
            "smembank run: no room for %zu bytes: of the %llu bytes of the device's memory %zu are "
            "in use\n",
            bytes, (unsigned long long)limit, used);
  is_full_told = is_full_told || !does;
  return does;
}

static bool
make_allocation_room(void) {
  size_t more = room ? 2 * room : 64;
  if (n_all < room)
    return true;
  Allocation *larger = realloc(all, more * sizeof *all);
  if (!larger)
    return false;
  all = larger;
  room = more;
  return true;
}

void *
memory_allocate_as(Allocation *allocation) {
  uintptr_t address = 0;
  size_t index, bytes = allocation->bytes;
  InjectMemory kind = allocation->kind;
  if (bytes == 0 || bytes > SIZE_MAX - ALIGNMENT)
    return NULL;
  pthread_mutex_lock(&lock);
  if (base && has_device_room(bytes, kind) && make_allocation_room() &&
      (address = find_gap(round_up(bytes), &index)) != 0) {
    memmove(all + index + 1, all + index, (n_all - index) * sizeof *all);
    allocation->address = address;
    allocation->id = ++last_id;
    allocation->context = context_id();
    all[index] = *allocation;
    n_all++;
    used += device_share(bytes, kind);
    written_forget((const void *)address, round_up(bytes));
  }
  pthread_mutex_unlock(&lock);
  return (void *)address;
}

void *
memory_allocate(size_t bytes, InjectMemory kind, bool is_variable) {
  Allocation allocation = {.bytes = bytes, .kind = kind, .is_variable = is_variable};
  return memory_allocate_as(&allocation);
}

// The number of allocations that begin at or before an address.
static size_t
count_before(uintptr_t address) {
  size_t low = 0, high = n_all;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (all[middle].address <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// What was there reads as zeros: whole pages go back to the system.
static void
forget_bytes(uintptr_t address, size_t bytes) {
  if (fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)(address - base),
                (off_t)bytes) != 0)
    memset((void *)address, 0, bytes);
}

// The allocation that begins at an address. NULL: none does.
static Allocation *
find_begin(const void *address) {
  size_t n = count_before((uintptr_t)address);
  return n > 0 && all[n - 1].address == (uintptr_t)address ? &all[n - 1] : NULL;
}

static void
remove_allocation(Allocation *removed) {
  size_t bytes = round_up(removed->bytes);
  forget_bytes(removed->address, bytes);
  used -= device_share(removed->bytes, removed->kind);
  n_all--;
  memmove(removed, removed + 1, (size_t)(all + n_all - removed) * sizeof *all);
}

bool
memory_free(const void *address, Allocation *freed) {
  pthread_mutex_lock(&lock);
  Allocation *found = find_begin(address);
  bool is_there = found && !found->is_variable && !found->is_hidden && !found->is_free;
  if (is_there && freed)
    *freed = *found;
  if (is_there && found->is_graphs)
    found->is_free = true;
  else if (is_there)
    remove_allocation(found);
  pthread_mutex_unlock(&lock);
  return is_there;
}

bool
memory_set_live(const void *address, bool is_live) {
  pthread_mutex_lock(&lock);
  Allocation *found = find_begin(address);
  bool fits = found && found->is_graphs && found->is_free == is_live;
  if (fits)
    found->is_free = !is_live;
  pthread_mutex_unlock(&lock);
  return fits;
}

void
memory_set_kind(const void *address, InjectMemory kind) {
  pthread_mutex_lock(&lock);
  Allocation *found = find_begin(address);
  if (found)
    found->kind = kind;
  pthread_mutex_unlock(&lock);
}

void
memory_drop(const void *address) {
  pthread_mutex_lock(&lock);
  Allocation *found = find_begin(address);
  if (found)
    remove_allocation(found);
  pthread_mutex_unlock(&lock);
}

void
memory_retain_graphs(const void *address) {
  pthread_mutex_lock(&lock);
  Allocation *found = find_begin(address);
  if (found)
    found->n_nodes++;
  pthread_mutex_unlock(&lock);
}

void
memory_release_graphs(const void *address) {
  pthread_mutex_lock(&lock);
  Allocation *found = find_begin(address);
  bool is_last = found && found->is_graphs && --found->n_nodes == 0;
  if (is_last && found->is_free)
    remove_allocation(found);
  else if (is_last)
    found->is_graphs = false;
  pthread_mutex_unlock(&lock);
}

bool
memory_find(const void *address, Allocation *found) {
  uintptr_t at = (uintptr_t)address;
  pthread_mutex_lock(&lock);
  size_t n = count_before(at);
  bool is_there = n > 0 && at - all[n - 1].address < all[n - 1].bytes;
  if (is_there)
    *found = all[n - 1];
  pthread_mutex_unlock(&lock);
  return is_there || registered_find(address, found);
}

size_t
memory_count_graphs(bool is_live) {
  size_t bytes = 0;
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < n_all; i++)
    if (all[i].is_graphs && !(is_live && all[i].is_free))
      bytes += all[i].bytes;
  pthread_mutex_unlock(&lock);
  return bytes;
}

// The same pages again, whose file may be that of another process: what a length of 0 means.
bool
memory_map_at(void *address, void *range, size_t bytes) {
  const void *mapped = mremap(range, 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, address);
  // cppcheck-suppress memleak ; it is the program's
  return mapped == address;
}

int
memory_file(void) {
  return file;
}

bool
memory_map_file(void *address, uint64_t process, uint64_t descriptor, uint64_t place,
                size_t bytes) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%llu/fd/%llu", (unsigned long long)process,
           (unsigned long long)descriptor);
  int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0)
    return false;
  const void *mapped = mmap(address, bytes, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_FIXED | MAP_NORESERVE, fd, (off_t)place);
  close(fd);
  // cppcheck-suppress memleak ; it is the program's
  return mapped == address;
}

void
memory_free_context(uint64_t context) {
  pthread_mutex_lock(&lock);
  for (size_t i = n_all; i-- > 0;)
    if (all[i].context == context && !all[i].is_variable && !all[i].is_hidden)
      remove_allocation(&all[i]);
  pthread_mutex_unlock(&lock);
}

void
memory_reset(void) {
  pthread_mutex_lock(&lock);
  while (n_all > 0)
    remove_allocation(&all[n_all - 1]);
  pthread_mutex_unlock(&lock);
}

bool
memory_is_ours(const void *address) {
  Allocation found;
  return memory_find(address, &found);
}

size_t
memory_reach(const void *address) {
  Allocation found, next;
  if (!memory_find(address, &found))
    return 0;
  uintptr_t end = found.address + found.bytes;
  while (found.is_mapped && memory_find((const void *)end, &next) && next.is_mapped)
    end = next.address + next.bytes;
  return end - (uintptr_t)address;
}

size_t
memory_used(void) {
  return used;
}

static bool
is_given(const Allocation *allocation) {
  return !allocation->is_variable && !allocation->is_free;
}

void
memory_each(void (*visit)(const Allocation *allocation)) {
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < n_all; i++)
    if (is_given(&all[i]))
      visit(&all[i]);
  pthread_mutex_unlock(&lock);
}

void
memory_add_all(SmbPayload *payload) {
  size_t n = 0;
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < n_all; i++)
    n += is_given(&all[i]);
  smb_payload_add_number(payload, n);
  for (size_t i = 0; i < n_all; i++) {
    if (!is_given(&all[i]))
      continue;
    smb_payload_add_number(payload, all[i].address);
    smb_payload_add_number(payload, all[i].bytes);
    smb_payload_add_number(payload, all[i].kind);
  }
  pthread_mutex_unlock(&lock);
  registered_add_all(payload);
}
