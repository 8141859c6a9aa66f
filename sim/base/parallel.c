// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/base/parallel.h"

#include "sim/base/room.h"

// Address space that a thread may set aside: its stack, and what it allocates from (glibc: twice 64 MiB, of which half
// is given back).
#define THREAD_BYTES (G_GUINT64_CONSTANT(192) << 20)

enum {
  THREADS_SHARE = 4, // the part of a limited address space that all threads may set aside
};

struct _SmbParallel {
  SmbParallelItem run;
  gpointer user;
  guint n_items;
  guint next; // atomic: the first item that no thread has begun
  GPtrArray *threads;
};

static gpointer
run_thread(gpointer data) {
  SmbParallel *parallel = data;
  // Compared before it is counted up, so that it does not wrap.
  for (;;) {
    guint item = (guint)g_atomic_int_get(&parallel->next);
    if (item >= parallel->n_items)
      return NULL;
    if (g_atomic_int_compare_and_exchange(&parallel->next, item, item + 1))
      parallel->run(parallel->user, item);
  }
}

// As many threads as a limit on address space leaves room for: what they took would be missing elsewhere.
static guint
find_thread_room(guint n_threads) {
  return (guint)MIN(n_threads, smb_room_address_space() / THREADS_SHARE / THREAD_BYTES);
}

SmbParallel *
smb_parallel_start(guint n_items, guint n_threads, SmbParallelItem run, gpointer user) {
  SmbParallel *parallel = g_new0(SmbParallel, 1);
  *parallel = (SmbParallel){run, user, n_items, 0, g_ptr_array_new()};
  guint n = find_thread_room(MIN(n_threads, n_items));
  for (guint i = 0; i < n; i++) {
    // Where one cannot be had, the next one hardly can.
    GThread *thread = g_thread_try_new("work", run_thread, parallel, NULL);
    if (!thread)
      break;
    g_ptr_array_add(parallel->threads, thread);
  }
  return parallel;
}

void
smb_parallel_finish(SmbParallel *parallel) {
  if (!parallel)
    return;
  run_thread(parallel);
  for (guint i = 0; i < parallel->threads->len; i++)
    g_thread_join(g_ptr_array_index(parallel->threads, i));
  g_ptr_array_unref(parallel->threads);
  g_free(parallel);
}

void
smb_parallel_run(guint n_items, guint n_threads, SmbParallelItem run, gpointer user) {
  guint others = MIN(MAX(n_threads, 1), MAX(n_items, 1)) - 1;
  smb_parallel_finish(smb_parallel_start(n_items, others, run, user));
}
