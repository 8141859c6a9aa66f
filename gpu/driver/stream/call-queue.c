// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "gpu/driver/stream/call-queue.h"

#include <pthread.h>
#include <stdlib.h>

#include "gpu/driver/output.h"

typedef struct Entry {
  struct Entry *next;
  Call call;
} Entry;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static Entry *first, **end = &first;
static uint64_t given, finished;
static bool has_thread;
static __thread bool is_inside;

static void *
run_queue(void *nothing) {
  is_inside = true;
  pthread_mutex_lock(&lock);
  for (;;) {
    while (!first)
      pthread_cond_wait(&changed, &lock);
    Entry *entry = first;
    first = entry->next;
    end = first ? end : &first;
    pthread_mutex_unlock(&lock);
    call_run(&entry->call);
    call_clear(&entry->call);
    free(entry);
    pthread_mutex_lock(&lock);
    finished++;
    pthread_cond_broadcast(&changed);
  }
  return nothing;
}

static bool
start_thread(void) {
  pthread_t thread;
  if (!has_thread && pthread_create(&thread, NULL, run_queue, NULL) == 0) {
    pthread_detach(thread);
    has_thread = true;
  }
  return has_thread;
}

uint64_t
queue_add(Call *call) {
  Entry *entry = malloc(sizeof *entry);
  uint64_t ticket = 0;
  pthread_mutex_lock(&lock);
  if (entry && start_thread()) {
    *entry = (Entry){NULL, *call};
    *call = (Call){.kind = cudaGraphNodeTypeEmpty};
    *end = entry;
    end = &entry->next;
    ticket = ++given;
    pthread_cond_broadcast(&changed);
  } else
    free(entry);
  pthread_mutex_unlock(&lock);
  return ticket;
}

bool
queue_is_done(uint64_t ticket) {
  pthread_mutex_lock(&lock);
  bool is_done = finished >= ticket;
  pthread_mutex_unlock(&lock);
  return is_done;
}

void
queue_wait(uint64_t ticket) {
  pthread_mutex_lock(&lock);
  while (finished < ticket && !is_inside)
    pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
  output_write();
}

uint64_t
queue_last(void) {
  pthread_mutex_lock(&lock);
  uint64_t last = given;
  pthread_mutex_unlock(&lock);
  return last;
}

bool
queue_is_inside(void) {
  return is_inside;
}
