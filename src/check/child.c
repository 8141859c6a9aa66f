// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/check/child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

// A place that one process at a time has. Its descriptors are -1 where there is nothing more to read.
typedef struct {
  guint index;
  GPid pid; // 0: the place is free
  struct pollfd *out, *err;
  SmbChild child;
} Slot;

typedef struct {
  const GPtrArray *lines;
  guint next; // line to be started
  guint n_slots;
  Slot *slots;
  struct pollfd *ends; // two of each slot
  void (*ended)(guint index, const SmbChild *child, gpointer data);
  gpointer data;
} Pool;

// In the new process: it ends with its parent, and takes signals as any program does.
static void
set_up_child(gpointer parent) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != (pid_t)GPOINTER_TO_INT(parent))
    _exit(1);
}

static void
end_child(Pool *pool, Slot *slot) {
  pool->ended(slot->index, &slot->child, pool->data);
  g_string_free(slot->child.out, TRUE);
  g_string_free(slot->child.err, TRUE);
  slot->pid = 0;
}

// Starts the next process in a free place.
static void
start_child(Pool *pool, Slot *slot) {
  g_autoptr(GPtrArray) argv = g_ptr_array_new();
  g_autoptr(GError) error = NULL;
  g_ptr_array_add(argv, (gpointer) "/proc/self/exe");
  g_ptr_array_add(argv, (gpointer) "smembank");
  const GStrv words = pool->lines->pdata[pool->next];
  for (guint i = 0; i == 0 || words[i - 1]; i++)
    g_ptr_array_add(argv, words[i]);
  slot->index = pool->next++;
  slot->child = (SmbChild){0, g_string_new(NULL), g_string_new(NULL)};
  if (g_spawn_async_with_pipes(NULL, (char **)argv->pdata, NULL,
                               G_SPAWN_FILE_AND_ARGV_ZERO | G_SPAWN_DO_NOT_REAP_CHILD, set_up_child,
                               GINT_TO_POINTER((int)getpid()), &slot->pid, NULL, &slot->out->fd,
                               &slot->err->fd, &error))
    return;
  slot->child.status = -1;
  g_string_assign(slot->child.err, error->message);
  end_child(pool, slot);
}

static void
read_end(struct pollfd *end, GString *text) {
  char bytes[1 << 16];
  if (end->fd < 0 || !end->revents)
    return;
  ssize_t n = read(end->fd, bytes, sizeof bytes);
  if (n > 0)
    g_string_append_len(text, bytes, n);
  if (n > 0 || (n < 0 && errno == EINTR))
    return;
  close(end->fd);
  end->fd = -1;
}

// Reads what there is. A process has ended when it has closed both ends.
static void
serve(Pool *pool, Slot *slot) {
  if (!slot->pid)
    return;
  read_end(slot->out, slot->child.out);
  read_end(slot->err, slot->child.err);
  if (slot->out->fd >= 0 || slot->err->fd >= 0)
    return;
  while (waitpid(slot->pid, &slot->child.status, 0) < 0 && errno == EINTR)
    continue;
  end_child(pool, slot);
}

// Whether a process runs still, once every free place has been given to the next one.
static gboolean
fill_slots(Pool *pool) {
  gboolean busy = FALSE;
  for (guint i = 0; i < pool->n_slots; i++) {
    while (!pool->slots[i].pid && pool->next < pool->lines->len)
      start_child(pool, &pool->slots[i]);
    busy |= pool->slots[i].pid != 0;
  }
  return busy;
}

void
smb_children_run(const GPtrArray *lines, guint jobs,
                 void (*ended)(guint index, const SmbChild *child, gpointer data), gpointer data) {
  guint n = MIN(jobs, lines->len);
  g_autofree Slot *slots = g_new0(Slot, n);
  g_autofree struct pollfd *ends = g_new0(struct pollfd, (gsize)2 * n);
  Pool pool = {lines, 0, n, slots, ends, ended, data};
  for (guint i = 0; i < 2 * n; i++)
    ends[i] = (struct pollfd){.fd = -1, .events = POLLIN};
  for (guint i = 0; i < n; i++) {
    slots[i].out = &ends[2 * i];
    slots[i].err = &ends[2 * i + 1];
  }
  while (fill_slots(&pool)) {
    if (poll(ends, 2 * n, -1) < 0)
      continue;
    for (guint i = 0; i < n; i++)
      serve(&pool, &slots[i]);
  }
}
