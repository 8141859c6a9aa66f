// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What dumps of a device that has failed would be like: attributes are kept, of the process and of each context, and nothing is dumped.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/driver/cu/driver.h"

// CUcoredumpSettings, and one more.
typedef enum {
  DUMP_ON_EXCEPTION = 1,
  DUMP_TRIGGER_HOST,
  DUMP_LIGHTWEIGHT,
  DUMP_USER_TRIGGER,
  DUMP_FILE,
  DUMP_PIPE,
  DUMP_FLAGS,
  DUMP_END,
} DumpAttribute;

enum {
  TEXT_BYTES = 1024,
  LIGHTWEIGHT_FLAGS = 47, // CU_COREDUMP_LIGHTWEIGHT_FLAGS
};

typedef struct Dumps {
  struct Dumps *next;
  uint64_t context; // 0: of the process
  bool switches[DUMP_FILE];
  char texts[2][TEXT_BYTES]; // empty: the names that they have by default
  int flags;
} Dumps;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Dumps whole = {.switches = {[DUMP_TRIGGER_HOST] = true}};
static Dumps *contexts;

// Those of the current context, which begin as those of the process. NULL: there is no memory.
static Dumps *
find_dumps(bool is_whole) {
  if (is_whole)
    return &whole;
  Dumps *found = contexts;
  while (found && found->context != context_id())
    found = found->next;
  if (!found && (found = malloc(sizeof *found)) != NULL) {
    *found = whole;
    found->context = context_id();
    found->next = contexts;
    contexts = found;
  }
  return found;
}

static bool
is_text(int attribute) {
  return attribute == DUMP_FILE || attribute == DUMP_PIPE;
}

static size_t
find_dump_bytes(int attribute) {
  return is_text(attribute) ? TEXT_BYTES : attribute == DUMP_FLAGS ? sizeof(int) : sizeof(bool);
}

static void *
find_dump_value(Dumps *dumps, int attribute) {
  return attribute == DUMP_FLAGS  ? (void *)&dumps->flags
         : attribute >= DUMP_FILE ? (void *)dumps->texts[attribute - DUMP_FILE]
                                  : (void *)&dumps->switches[attribute];
}

// The pipe and its trigger are the process's alone.
static bool
has_attribute(int attribute, bool is_whole) {
  return attribute >= DUMP_ON_EXCEPTION && attribute < DUMP_END &&
         (is_whole || (attribute != DUMP_USER_TRIGGER && attribute != DUMP_PIPE));
}

static cudaError_t
get_dump_attribute(int attribute, void *value, size_t *bytes, bool is_whole) {
  if (!bytes || !has_attribute(attribute, is_whole))
    return cudaErrorInvalidValue;
  size_t wanted = find_dump_bytes(attribute);
  if (!value) {
    *bytes = wanted;
    return cudaSuccess;
  }
  if (!is_text(attribute) && *bytes != wanted)
    return cudaErrorInvalidValue;
  pthread_mutex_lock(&lock);
  Dumps *dumps = find_dumps(is_whole);
  if (dumps && is_text(attribute))
    snprintf(value, *bytes, "%s", (char *)find_dump_value(dumps, attribute));
  else if (dumps)
    memcpy(value, find_dump_value(dumps, attribute), wanted);
  pthread_mutex_unlock(&lock);
  return dumps ? cudaSuccess : cudaErrorMemoryAllocation;
}

static cudaError_t
set_dump_attribute(int attribute, const void *value, size_t *bytes, bool is_whole) {
  if (!bytes || !has_attribute(attribute, is_whole))
    return cudaErrorInvalidValue;
  size_t wanted = find_dump_bytes(attribute);
  if (!value) {
    *bytes = wanted;
    return cudaSuccess;
  }
  if (is_text(attribute) ? *bytes > wanted : *bytes != wanted)
    return cudaErrorInvalidValue;
  pthread_mutex_lock(&lock);
  Dumps *dumps = find_dumps(is_whole);
  if (dumps && is_text(attribute))
    snprintf(find_dump_value(dumps, attribute), TEXT_BYTES, "%.*s", (int)*bytes,
             (const char *)value);
  else if (dumps)
    memcpy(find_dump_value(dumps, attribute), value, wanted);
  if (dumps && attribute == DUMP_LIGHTWEIGHT)
    dumps->flags = dumps->switches[DUMP_LIGHTWEIGHT] ? LIGHTWEIGHT_FLAGS : 0;
  pthread_mutex_unlock(&lock);
  return dumps ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t
cuCoredumpGetAttribute(int attribute, void *value, size_t *bytes) {
  return get_dump_attribute(attribute, value, bytes, false);
}

cudaError_t
cuCoredumpGetAttributeGlobal(int attribute, void *value, size_t *bytes) {
  return get_dump_attribute(attribute, value, bytes, true);
}

cudaError_t
cuCoredumpSetAttribute(int attribute, const void *value, size_t *bytes) {
  return set_dump_attribute(attribute, value, bytes, false);
}

cudaError_t
cuCoredumpSetAttributeGlobal(int attribute, const void *value, size_t *bytes) {
  return set_dump_attribute(attribute, value, bytes, true);
}
