// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Objects of the program that graphs hold references to, and that a function of the program destroys when there is none left.
#include <pthread.h>
#include <stdlib.h>

#include "gpu/driver/error.h"
#include "gpu/driver/graph/graph.h"
#include "gpu/driver/handle.h"

enum {
  NO_DESTRUCTOR_SYNC = 1, // cudaUserObjectNoDestructorSync, which has to be said
  MOVE = 1,               // cudaGraphUserObjectMove
};

typedef struct UserObject {
  void *pointer;
  void (*destroy)(void *pointer);
  unsigned count;
} UserObject;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void
retain_object(UserObject *object, unsigned count) {
  pthread_mutex_lock(&lock);
  object->count += count;
  pthread_mutex_unlock(&lock);
}

static void
release_object(UserObject *object, unsigned count) {
  pthread_mutex_lock(&lock);
  object->count -= count < object->count ? count : object->count;
  bool is_last = object->count == 0;
  pthread_mutex_unlock(&lock);
  if (!is_last)
    return;
  object->destroy(object->pointer);
  handle_free(object);
}

static bool
hold_object(Graph *graph, UserObject *object, unsigned count) {
  Held *held = graph->held;
  while (held && held->object != object)
    held = held->next;
  if (!held) {
    if (!(held = calloc(1, sizeof *held)))
      return false;
    *held = (Held){graph->held, object, 0};
    graph->held = held;
  }
  held->count += count;
  return true;
}

bool
user_object_hold_again(Graph *to, const Graph *from) {
  bool fits = true;
  for (const Held *held = from->held; fits && held; held = held->next)
    if ((fits = hold_object(to, held->object, held->count)))
      retain_object(held->object, held->count);
  return fits;
}

void
user_object_drop_all(Graph *graph) {
  while (graph->held) {
    Held *held = graph->held;
    graph->held = held->next;
    if (held->count > 0)
      release_object(held->object, held->count);
    free(held);
  }
}

static cudaError_t
use_object(const UserObject *object, unsigned count) {
  cudaError_t error = error_check();
  return error                                                ? error
         : handle_is(object, HANDLE_USER_OBJECT) && count > 0 ? cudaSuccess
                                                              : cudaErrorInvalidValue;
}

API cudaError_t
cudaUserObjectCreate(cudaUserObject_t *object, void *pointer, void (*destroy)(void *pointer),
                     unsigned count, unsigned flags) {
  cudaError_t error = error_check();
  if (!error && (!object || !destroy || count == 0 || flags != NO_DESTRUCTOR_SYNC))
    error = cudaErrorInvalidValue;
  if (error)
    return error_return(error);
  *object = handle_new(HANDLE_USER_OBJECT, sizeof **object);
  if (!*object)
    return error_return(cudaErrorMemoryAllocation);
  **object = (UserObject){pointer, destroy, count};
  return cudaSuccess;
}

API cudaError_t
cudaUserObjectRetain(cudaUserObject_t object, unsigned count) {
  cudaError_t error = use_object(object, count);
  if (!error)
    retain_object(object, count);
  return error_return(error);
}

API cudaError_t
cudaUserObjectRelease(cudaUserObject_t object, unsigned count) {
  cudaError_t error = use_object(object, count);
  if (!error)
    release_object(object, count);
  return error_return(error);
}

API cudaError_t
cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count,
                          unsigned flags) {
  cudaError_t error = use_object(object, count);
  if (!error && (!handle_is(graph, HANDLE_GRAPH) || flags & ~(unsigned)MOVE))
    error = cudaErrorInvalidValue;
  if (!error && !hold_object(graph, object, count))
    error = cudaErrorMemoryAllocation;
  if (!error && !(flags & MOVE))
    retain_object(object, count);
  return error_return(error);
}

API cudaError_t
cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count) {
  cudaError_t error = use_object(object, count);
  if (!error && !handle_is(graph, HANDLE_GRAPH))
    error = cudaErrorInvalidValue;
  Held *held = error ? NULL : graph->held;
  while (held && held->object != object)
    held = held->next;
  if (!error && held && held->count < count)
    error = cudaErrorInvalidValue;
  if (!error && held) { // of what is not held nothing is released
    held->count -= count;
    release_object(object, count);
  }
  return error_return(error);
}
