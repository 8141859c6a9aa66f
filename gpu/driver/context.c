// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "gpu/driver/context.h"

#include <pthread.h>
#include <stdlib.h>

#include "gpu/driver/handle.h"

typedef struct {
  Context **contexts;
  unsigned n, room;
} Stack;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Context primary = {.is_primary = true, .id = 1};
static bool is_entered; // the runtime has retained it
static uint64_t last_id = 1;
static __thread Stack stack;

Context *
context_primary(void) {
  return &primary;
}

Context *
context_new(unsigned flags) {
  Context *context = handle_new(HANDLE_CONTEXT, sizeof *context);
  if (!context)
    return NULL;
  pthread_mutex_lock(&lock);
  *context = (Context){.flags = flags, .users = 1, .id = ++last_id};
  pthread_mutex_unlock(&lock);
  return context;
}

// What it was is kept: other threads may have it.
void
context_free(Context *context) {
  handle_add(context, HANDLE_ENDED_CONTEXT);
}

bool
context_is_ended(const Context *context) {
  return handle_is(context, HANDLE_ENDED_CONTEXT);
}

bool
context_is(const Context *context) {
  return context == &primary ? primary.users > 0 : handle_is(context, HANDLE_CONTEXT);
}

Context *
context_current(void) {
  return stack.n > 0 ? stack.contexts[stack.n - 1] : NULL;
}

bool
context_push(Context *context) {
  if (stack.n == stack.room) {
    unsigned room = stack.room ? 2 * stack.room : 8;
    Context **larger = realloc(stack.contexts, room * sizeof(Context *));
    if (!larger)
      return false;
    stack.contexts = larger;
    stack.room = room;
  }
  stack.contexts[stack.n++] = context;
  return true;
}

Context *
context_pop(void) {
  Context *context = stack.n > 0 ? stack.contexts[--stack.n] : NULL;
  if (stack.n == 0) { // threads end without a word
    free(stack.contexts);
    stack = (Stack){NULL, 0, 0};
  }
  return context;
}

void
context_enter(void) {
  Context *current = context_current();
  if (current && current != &primary)
    return;
  pthread_mutex_lock(&lock);
  if (!is_entered || primary.users == 0) {
    is_entered = true;
    primary.users++;
  }
  pthread_mutex_unlock(&lock);
  if (!current)
    context_push(&primary);
}

uint64_t
context_id(void) {
  const Context *context = context_current();
  return context ? context->id : 0;
}
