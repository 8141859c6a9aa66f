// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A hash table of addresses with open addressing. An address that is removed leaves a mark, so that others are still found.
#include "gpu/driver/handle.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct {
  const void *object; // NULL: none
  HandleKind kind;    // HANDLE_NONE: there was one
} Slot;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Slot *slots;
static size_t n_slots, n_taken; // a power of two; with the marks

// Where an object is, or, if it is nowhere, the first slot that is free.
static Slot *
find_slot(Slot *table, size_t n, const void *object) {
  size_t at = ((uintptr_t)object >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 20;
  while (table[at & (n - 1)].object && table[at & (n - 1)].object != object)
    at++;
  return &table[at & (n - 1)];
}

static bool
grow_slots(void) {
  size_t n = n_slots ? 2 * n_slots : 256;
  if (2 * n_taken < n_slots)
    return true;
  Slot *larger = calloc(n, sizeof *larger);
  if (!larger)
    return false;
  n_taken = 0;
  for (size_t i = 0; i < n_slots; i++)
    if (slots[i].kind != HANDLE_NONE) {
      *find_slot(larger, n, slots[i].object) = slots[i];
      n_taken++;
    }
  free(slots);
  slots = larger;
  n_slots = n;
  return true;
}

bool
handle_add(void *object, HandleKind kind) {
  pthread_mutex_lock(&lock);
  bool has_room = grow_slots();
  if (has_room) {
    Slot *slot = find_slot(slots, n_slots, object);
    n_taken += !slot->object;
    *slot = (Slot){object, kind};
  }
  pthread_mutex_unlock(&lock);
  return has_room;
}

void *
handle_new(HandleKind kind, size_t bytes) {
  void *object = calloc(1, bytes);
  if (!object || handle_add(object, kind))
    return object;
  free(object);
  return NULL;
}

bool
handle_is(const void *object, HandleKind kind) {
  pthread_mutex_lock(&lock);
  bool is_one = object && n_slots && find_slot(slots, n_slots, object)->kind == kind;
  pthread_mutex_unlock(&lock);
  return is_one;
}

void
handle_forget(const void *object) {
  pthread_mutex_lock(&lock);
  if (n_slots)
    find_slot(slots, n_slots, object)->kind = HANDLE_NONE;
  pthread_mutex_unlock(&lock);
}

void
handle_free(void *object) {
  handle_forget(object);
  free(object);
}
