// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The memory of the made-up GPU: the host's, at the host's addresses. Nothing is said of what new memory
// holds, so it holds rubbish.
#include "tests/fake-impl.h"

#include <stdlib.h>
#include <string.h>

enum {
  RUBBISH = 0xa5
};

// Whether the next allocation finds no memory.
static gboolean
is_full(void) {
  FakeMachine *machine = fake_machine();
  machine->requested++;
  return machine->fault == FAKE_OUT_OF_MEMORY &&
         (!machine->at || machine->at == machine->requested);
}

int
fake_allocate(gsize bytes, guint64 *address) {
  int error = fake_begin();
  if (error != SMB_CUDA_SUCCESS)
    return error;
  gpointer memory = is_full() ? NULL : malloc(bytes);
  if (!memory)
    return FAKE_MEMORY_ALLOCATION;
  memset(memory, RUBBISH, bytes);
  g_hash_table_insert(fake_machine()->allocations, memory, GSIZE_TO_POINTER(bytes));
  *address = (guint64)(guintptr)memory;
  return SMB_CUDA_SUCCESS;
}

int
fake_release(guint64 address) {
  gpointer memory = (gpointer)(guintptr)address;
  if (!g_hash_table_remove(fake_machine()->allocations, memory))
    return FAKE_INVALID_VALUE;
  free(memory);
  return fake_begin();
}

// The start of the allocation in which an address lies, or NULL.
static gpointer
find_allocation(guint64 address, gsize *bytes) {
  GHashTableIter iter;
  gpointer start, size;
  g_hash_table_iter_init(&iter, fake_machine()->allocations);
  while (g_hash_table_iter_next(&iter, &start, &size)) {
    guint64 first = (guint64)(guintptr)start, length = GPOINTER_TO_SIZE(size);
    if (address < first || address - first >= length)
      continue;
    *bytes = length;
    return start;
  }
  return NULL;
}

gpointer
fake_memory(guint64 address, gsize *bytes) {
  gsize length = 0;
  guint64 start = (guint64)(guintptr)find_allocation(address, &length);
  if (!start)
    return NULL;
  *bytes = length - (address - start);
  return (gpointer)(guintptr)address;
}

gpointer
fake_allocation(guint64 address) {
  gsize length;
  return find_allocation(address, &length);
}

int
fake_upload(guint64 address, gconstpointer bytes, gsize n) {
  int error = fake_begin();
  gsize room = 0;
  gpointer memory = fake_memory(address, &room);
  if (error != SMB_CUDA_SUCCESS)
    return error;
  if (!memory || n > room)
    return FAKE_INVALID_VALUE;
  memcpy(memory, bytes, n);
  return SMB_CUDA_SUCCESS;
}

int
fake_download(gpointer bytes, guint64 address, gsize n) {
  int error = fake_begin();
  gsize room = 0;
  gconstpointer memory = fake_memory(address, &room);
  if (error != SMB_CUDA_SUCCESS)
    return error;
  if (!memory || n > room)
    return FAKE_INVALID_VALUE;
  memcpy(bytes, memory, n);
  return SMB_CUDA_SUCCESS;
}
