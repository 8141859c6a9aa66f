// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Allocations that a launch can reach: found by following pointers, sent piece by piece.
#include "gpu/inject/memory.h"

#include "gpu/inject/digest.h"

#include <stdlib.h>
#include <string.h>

enum {
  LINE_BYTES = 128,        // where a part of an allocation begins
  SCANNED_BYTES = 1 << 20, // of larger allocations the contents are not searched for addresses
  FIRST_ADDRESS = 1 << 16, // no allocation is below
  ADDRESS_BITS = 48,       // of addresses of processes
  PAGE_BITS =
      8, // what the driver has nothing on is remembered by pieces of which allocations are made
  N_PAGES = 1 << 12,
  FIRST_SENT = 1 << 10,
  MAX_SENT = 1 << 20, // pieces
};

// The pages that nothing was found on, while one launch is recorded.
static uint64_t empty_pages[N_PAGES];

void
reach_begin(Reach *reach, const InjectDriver *driver) {
  memset(reach, 0, sizeof *reach);
  memset(empty_pages, 0, sizeof empty_pages);
  reach->driver = driver;
}

void
reach_clear(Reach *reach) {
  free(reach->allocations);
  memset(reach, 0, sizeof *reach);
}

// Whether memory there is mapped from virtual memory: such an allocation may be one of several side by side.
static bool
is_mapped(const InjectDriver *driver, uint64_t address) {
  uint64_t handle;
  if (driver->retain_handle(&handle, (void *)(uintptr_t)address) != CU_SUCCESS)
    return false;
  driver->release_handle(handle);
  return true;
}

// Mapped memory to its left and right is of the same allocation to the application.
static void
extend_allocation(const InjectDriver *driver, Allocation *allocation) {
  uint64_t base;
  size_t bytes;
  if (!is_mapped(driver, allocation->base))
    return;
  while (allocation->base > FIRST_ADDRESS &&
         driver->address_range(&base, &bytes, allocation->base - 1) == CU_SUCCESS &&
         base + bytes == allocation->base && is_mapped(driver, base)) {
    allocation->base = base;
    allocation->bytes += bytes;
  }
  while (driver->address_range(&base, &bytes, allocation->base + allocation->bytes) == CU_SUCCESS &&
         base == allocation->base + allocation->bytes && is_mapped(driver, base))
    allocation->bytes += bytes;
}

static InjectMemory
find_memory_kind(const InjectDriver *driver, uint64_t address) {
  unsigned managed = 0, type = 0;
  driver->pointer_attribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, address);
  driver->pointer_attribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address);
  return managed ? INJECT_MANAGED : type == CU_MEMORYTYPE_HOST ? INJECT_HOST : INJECT_DEVICE;
}

bool
reach_has(const Reach *reach, uint64_t address) {
  for (size_t i = 0; i < reach->n; i++)
    if (address - reach->allocations[i].base < reach->allocations[i].bytes)
      return true;
  return false;
}

static void
add_address(Reach *reach, uint64_t address) {
  Allocation found = {.pointed = address};
  size_t bytes = 0;
  uint64_t *empty = &empty_pages[address >> PAGE_BITS & (N_PAGES - 1)];
  if (address < FIRST_ADDRESS || address >> ADDRESS_BITS)
    return;
  if (reach_has(reach, address))
    return;
  if (*empty == address >> PAGE_BITS)
    return;
  if (reach->driver->address_range(&found.base, &bytes, address) != CU_SUCCESS || bytes == 0) {
    *empty = address >> PAGE_BITS;
    return;
  }
  found.bytes = bytes;
  found.kind = find_memory_kind(reach->driver, address);
  extend_allocation(reach->driver, &found);
  if (reach->n == reach->room) {
    size_t room = 2 * reach->room + 16;
    Allocation *more = realloc(reach->allocations, room * sizeof *more);
    if (!more)
      return;
    reach->allocations = more;
    reach->room = room;
  }
  reach->allocations[reach->n++] = found;
}

void
reach_add(Reach *reach, const void *bytes, size_t length) {
  for (size_t at = 0; at + 8 <= length; at += 8) {
    uint64_t number;
    memcpy(&number, (const char *)bytes + at, sizeof number);
    add_address(reach, number);
  }
}

void
reach_follow(Reach *reach) {
  unsigned char *buffer = malloc(SCANNED_BYTES);
  for (size_t i = 0; buffer && i < reach->n; i++) {
    const Allocation allocation = reach->allocations[i];
    if (allocation.bytes <= SCANNED_BYTES &&
        reach->driver->download(buffer, allocation.base, allocation.bytes) == CU_SUCCESS)
      reach_add(reach, buffer, allocation.bytes);
  }
  free(buffer);
}

// --- what was sent before

// The digest of the piece that was sent last of an address, in a table with open addresses.
typedef struct {
  uint64_t address; // 0: none
  uint64_t bytes;
  Digest digest;
} Sent;

static Sent *sent;
static size_t n_sent, sent_room;

static Sent *
find_sent(uint64_t address) {
  size_t at = (size_t)(address / LINE_BYTES * UINT64_C(0x9e3779b97f4a7c15) >> 20) % sent_room;
  while (sent[at].address && sent[at].address != address)
    at = (at + 1) % sent_room;
  return &sent[at];
}

static bool
grow_sent(void) {
  Sent *before = sent;
  size_t n = sent_room, room = n ? 2 * n : FIRST_SENT;
  if (2 * (n_sent + 1) <= n)
    return true;
  Sent *more = room <= MAX_SENT ? calloc(room, sizeof *more) : NULL;
  if (!more)
    return false;
  sent = more;
  sent_room = room;
  for (size_t i = 0; i < n; i++)
    if (before[i].address)
      *find_sent(before[i].address) = before[i];
  free(before);
  return true;
}

static bool
was_sent(uint64_t address, uint64_t bytes, Digest digest) {
  const Sent *found = sent_room ? find_sent(address) : NULL;
  return found && found->address == address && found->bytes == bytes &&
         found->digest.a == digest.a && found->digest.b == digest.b;
}

static void
note_sent(uint64_t address, uint64_t bytes, Digest digest) {
  if (!grow_sent())
    return;
  Sent *found = find_sent(address);
  n_sent += !found->address;
  *found = (Sent){address, bytes, digest};
}

// --- sending

static void
begin_memory(SmbPayload *payload, const Allocation *allocation, uint64_t offset) {
  smb_payload_add_number(payload, allocation->base);
  smb_payload_add_number(payload, allocation->bytes);
  smb_payload_add_number(payload, allocation->kind);
  smb_payload_add_number(payload, offset);
}

// A piece of an allocation, without contents if @bytes is 0.
static void
send_contents(const Allocation *allocation, uint64_t offset, const void *contents, size_t bytes) {
  SmbPayload payload = {0};
  begin_memory(&payload, allocation, offset);
  smb_payload_add_bytes(&payload, contents, bytes);
  channel_send(INJECT_MEMORY, &payload);
  smb_payload_clear(&payload);
}

static void
send_same(const Allocation *allocation, uint64_t offset, size_t bytes) {
  SmbPayload payload = {0};
  begin_memory(&payload, allocation, offset);
  smb_payload_add_number(&payload, bytes);
  channel_send(INJECT_SAME, &payload);
  smb_payload_clear(&payload);
}

// A piece, of which @digest (nullable) is known already: then it is copied only if it is not that which was sent.
static bool
send_piece(Reach *reach, const Allocation *allocation, uint64_t offset, size_t bytes,
           const Digest *digest, unsigned char *buffer) {
  uint64_t address = allocation->base + offset;
  if (digest && was_sent(address, bytes, *digest)) {
    send_same(allocation, offset, bytes);
    return true;
  }
  if (reach->driver->download(buffer, address, bytes) != CU_SUCCESS)
    return false;
  // What was copied is what was sent, whatever its digest was before that.
  const Digest copied = digest_of(buffer, bytes);
  if (was_sent(address, bytes, copied))
    send_same(allocation, offset, bytes);
  else
    send_contents(allocation, offset, buffer, bytes);
  note_sent(address, bytes, copied);
  return true;
}

// From @first on, up to @limit bytes; what was sent.
static uint64_t
send_part(Reach *reach, size_t index, uint64_t first, uint64_t limit, unsigned char *buffer) {
  const Allocation allocation = reach->allocations[index];
  uint64_t end = allocation.bytes - first < limit ? allocation.bytes : first + limit;
  bool is_scanned = allocation.bytes <= SCANNED_BYTES;
  const Digest *digests =
      is_scanned || allocation.kind == INJECT_HOST
          ? NULL
          : digest_on_device(reach->driver, allocation.base + first, end - first);
  for (uint64_t at = first; at < end;) {
    size_t bytes = end - at < INJECT_FRAME_BYTES ? end - at : INJECT_FRAME_BYTES;
    if (!send_piece(reach, &allocation, at, bytes, digests, buffer))
      return at - first;
    if (is_scanned)
      reach_add(reach, buffer, bytes);
    digests += digests ? 1 : 0;
    at += bytes;
  }
  return end - first;
}

void
reach_send(Reach *reach, const Reach *spoilt, uint64_t limit) {
  unsigned char *buffer = malloc(INJECT_FRAME_BYTES);
  for (size_t i = 0; buffer && i < reach->n; i++) {
    const Allocation *allocation = &reach->allocations[i];
    bool fits = allocation->bytes <= limit;
    uint64_t first = fits ? 0 : (allocation->pointed - allocation->base) / LINE_BYTES * LINE_BYTES;
    if (limit == 0 || (spoilt && reach_has(spoilt, allocation->pointed)))
      send_contents(allocation, 0, NULL, 0);
    else
      limit -= send_part(reach, i, first, limit, buffer);
  }
  free(buffer);
}
