// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "gpu/driver/stream/call-queue.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "gpu/driver/output.h"

// A call, or what waits for several: @joined, of which those are still there that are not done.
typedef struct Entry {
  struct Entry *next;
  uint64_t ticket, after;
  bool has_begun;
  Call call;
  size_t n_joined;
  uint64_t joined[];
} Entry;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static Entry *first, **end = &first; // what is not done, in rising order of tickets
static uint64_t given;
static unsigned n_threads; // that are ours
static unsigned n_handed;  // of these, that run a call which waits for others
static unsigned n_waiting; // of the program, that wait for calls
static unsigned taker;     // the thread that takes calls; 0: there is none
static unsigned last_thread;
static _Atomic uint64_t
    launched; // the stream of a launch that nothing followed yet; 0: there is none
static __thread unsigned inside; // number of this thread; 0: it is the program's

// --- with the lock held

static bool
is_outstanding(uint64_t ticket) {
  const Entry *entry = first;
  while (entry && entry->ticket < ticket)
    entry = entry->next;
  return ticket && entry && entry->ticket == ticket;
}

static Entry *
find_ready(void) {
  Entry *entry = first;
  while (entry && (entry->has_begun || entry->n_joined > 0 || is_outstanding(entry->after)))
    entry = entry->next;
  return entry;
}

static void
remove_entry(Entry *entry) {
  Entry **at = &first;
  while (*at != entry)
    at = &(*at)->next;
  *at = entry->next;
  if (!entry->next)
    end = at;
  free(entry);
}

// The tickets of @tickets that are not done become the first ones. Returns how many.
static size_t
drop_done(uint64_t *tickets, size_t n) {
  size_t kept = 0;
  for (size_t i = 0; i < n; i++)
    if (is_outstanding(tickets[i]))
      tickets[kept++] = tickets[i];
  return kept;
}

// Drops what is done of what an entry waits for. Returns whether all is.
static bool
join_again(Entry *entry) {
  bool waits = entry->n_joined > 0;
  entry->n_joined = drop_done(entry->joined, entry->n_joined);
  return waits && entry->n_joined == 0;
}

// What waits for several comes behind all of them.
static void
finish_entry(Entry *entry) {
  remove_entry(entry);
  for (Entry *other = first, *next; other; other = next) {
    next = other->next;
    if (join_again(other))
      remove_entry(other);
  }
  pthread_cond_broadcast(&changed);
}

static void
append_entry(Entry *entry) {
  entry->ticket = ++given;
  *end = entry;
  end = &entry->next;
}

static void *run_calls(void *number);

static bool
start_thread(void) {
  pthread_t thread;
  if (taker)
    return true;
  taker = ++last_thread;
  if (pthread_create(&thread, NULL, run_calls, (void *)(uintptr_t)taker) != 0) {
    taker = 0;
    return false;
  }
  pthread_detach(thread);
  n_threads++;
  return true;
}

// --- threads

static void *
run_calls(void *number) {
  inside = (unsigned)(uintptr_t)number;
  pthread_mutex_lock(&lock);
  while (taker == inside) {
    Entry *entry = find_ready();
    if (!entry) {
      pthread_cond_wait(&changed, &lock);
      continue;
    }
    entry->has_begun = true;
    pthread_mutex_unlock(&lock);
    call_run(&entry->call);
    call_clear(&entry->call);
    pthread_mutex_lock(&lock);
    finish_entry(entry);
  }
  n_threads--;
  n_handed--;
  pthread_mutex_unlock(&lock);
  return NULL;
}

void
queue_hand_over(void) {
  pthread_mutex_lock(&lock);
  if (inside && taker == inside) {
    taker = 0;
    if (start_thread())
      n_handed++;
    else
      taker = inside;
  }
  pthread_mutex_unlock(&lock);
}

// Each has a folder in this one (proc(5)): a link, beside the two of any folder.
static unsigned
count_all_threads(void) {
  struct stat folder;
  return stat("/proc/self/task", &folder) == 0 ? (unsigned)folder.st_nlink - 2 : 0;
}

bool
queue_is_stuck(void) {
  pthread_mutex_lock(&lock);
  unsigned n_begun = 0;
  for (const Entry *other = first; other; other = other->next)
    n_begun += other->has_begun;
  bool is_stuck = n_begun == n_handed && !find_ready() && n_waiting > 0 &&
                  count_all_threads() == n_threads + n_waiting;
  pthread_mutex_unlock(&lock);
  return is_stuck;
}

// --- calls

uint64_t
queue_add(Call *call, uint64_t after) {
  Entry *entry = calloc(1, sizeof *entry);
  uint64_t ticket = 0;
  pthread_mutex_lock(&lock);
  if (entry && start_thread()) {
    entry->after = after;
    entry->call = *call;
    *call = (Call){.kind = cudaGraphNodeTypeEmpty};
    append_entry(entry);
    ticket = entry->ticket;
    pthread_cond_broadcast(&changed);
  } else
    free(entry);
  pthread_mutex_unlock(&lock);
  return ticket;
}

uint64_t
queue_join(const uint64_t *tickets, size_t n) {
  Entry *entry = calloc(1, sizeof *entry + n * sizeof *tickets);
  if (!entry) {
    for (size_t i = 0; i < n; i++)
      queue_wait(tickets[i]);
    return 0;
  }
  if (n > 0)
    memcpy(entry->joined, tickets, n * sizeof *tickets);
  pthread_mutex_lock(&lock);
  entry->n_joined = drop_done(entry->joined, n);
  bool is_several = entry->n_joined > 1;
  if (is_several)
    append_entry(entry);
  uint64_t ticket = is_several ? entry->ticket : entry->n_joined > 0 ? entry->joined[0] : 0;
  pthread_mutex_unlock(&lock);
  if (!is_several)
    free(entry);
  return ticket;
}

uint64_t
queue_last(void) {
  pthread_mutex_lock(&lock);
  size_t n = 0;
  for (const Entry *entry = first; entry; entry = entry->next)
    n++;
  uint64_t *tickets = n > 0 ? malloc(n * sizeof *tickets) : NULL;
  size_t kept = 0;
  for (const Entry *entry = first; entry && tickets; entry = entry->next)
    tickets[kept++] = entry->ticket;
  pthread_mutex_unlock(&lock);
  uint64_t ticket = queue_join(tickets, kept);
  free(tickets);
  return ticket;
}

bool
queue_is_done(uint64_t ticket) {
  launched = 0;
  pthread_mutex_lock(&lock);
  bool is_done = !is_outstanding(ticket);
  pthread_mutex_unlock(&lock);
  return is_done;
}

void
queue_wait(uint64_t ticket) {
  launched = 0;
  pthread_mutex_lock(&lock);
  n_waiting++;
  while (is_outstanding(ticket) && !inside)
    pthread_cond_wait(&changed, &lock);
  n_waiting--;
  pthread_mutex_unlock(&lock);
  output_write();
}

void
queue_note_launch(uint64_t stream) {
  launched = stream;
}

bool
queue_follows_launch(uint64_t stream) {
  return launched == stream;
}

bool
queue_is_inside(void) {
  return inside != 0;
}
