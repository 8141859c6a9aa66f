// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/cli/child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/cli/cli.h"

// What messages that have no place in a kernel begin with.
#define OWN_NAME "smembank "

// A place that one process at a time has. Its descriptors are -1 where there is nothing more to read.
typedef struct {
  guint index;
  GPid pid; // 0: the place is free
  struct pollfd *out, *err;
  SmbChild child;
} Slot;

struct _SmbChildPool {
  GPtrArray *lines;    // NULL: one that is its own, and has ended
  gboolean owns_lines; // processes may be stopped, with all that they have started
  pid_t parent;
  GStrv environment;
  GQueue ready; // lines to be started, as numbers
  guint n_slots;
  Slot *slots;
  struct pollfd *ends; // two of each slot, and one for the input
  SmbChildEnded ended;
  gpointer data;
};

// In the new process: it ends with its parent, and takes signals as any program does.
static void
set_up_child(gpointer data) {
  const SmbChildPool *pool = data;
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != pool->parent)
    _exit(1);
  if (pool->owns_lines)
    setpgid(0, 0);
}

// Lines that waited for another one, or for none, can be started.
static void
release_lines(SmbChildPool *pool, guint after) {
  for (guint i = 0; i < pool->lines->len; i++) {
    const SmbChildLine *line = pool->lines->pdata[i];
    if (line && line->after == after)
      g_queue_push_tail(&pool->ready, GUINT_TO_POINTER(i));
  }
}

// Its place is free then.
static void
clear_slot(Slot *slot) {
  g_string_free(slot->child.out, TRUE);
  g_string_free(slot->child.err, TRUE);
  g_strfreev(slot->child.read);
  slot->pid = 0;
}

static void
drop_line(SmbChildPool *pool, guint index) {
  if (pool->owns_lines)
    g_clear_pointer(&pool->lines->pdata[index], smb_child_line_free);
}

static void
end_child(SmbChildPool *pool, Slot *slot) {
  release_lines(pool, slot->index);
  const SmbChildLine *line = pool->lines->pdata[slot->index];
  slot->child.read = smb_files_take(slot->child.err, line->folder);
  pool->ended(slot->index, &slot->child, pool->data);
  clear_slot(slot);
  drop_line(pool, slot->index);
}

// Starts the next process in a free place. FALSE: there may be no more processes than there are, for now.
static gboolean
start_child(SmbChildPool *pool, Slot *slot, gboolean is_first) {
  g_autoptr(GPtrArray) argv = g_ptr_array_new();
  g_autoptr(GError) error = NULL;
  g_ptr_array_add(argv, (gpointer) "/proc/self/exe");
  g_ptr_array_add(argv, (gpointer) "smembank");
  slot->index = GPOINTER_TO_UINT(g_queue_pop_head(&pool->ready));
  const SmbChildLine *line = pool->lines->pdata[slot->index];
  for (guint i = 0; i == 0 || line->words[i - 1]; i++)
    g_ptr_array_add(argv, line->words[i]);
  slot->child = (SmbChild){line->words[0], 0, g_string_new(NULL), g_string_new(NULL), NULL};
  if (g_spawn_async_with_pipes(line->folder, (char **)argv->pdata, pool->environment,
                               G_SPAWN_FILE_AND_ARGV_ZERO | G_SPAWN_DO_NOT_REAP_CHILD, set_up_child,
                               pool, &slot->pid, NULL, &slot->out->fd, &slot->err->fd, &error))
    return TRUE;
  if (!is_first && g_error_matches(error, G_SPAWN_ERROR, G_SPAWN_ERROR_FORK)) {
    g_queue_push_head(&pool->ready, GUINT_TO_POINTER(slot->index));
    g_string_free(slot->child.out, TRUE);
    g_string_free(slot->child.err, TRUE);
    return FALSE;
  }
  slot->child.status = -1;
  g_string_assign(slot->child.err, error->message);
  end_child(pool, slot);
  return TRUE;
}

static void
read_child_end(struct pollfd *end, GString *text) {
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

static void
await_child(Slot *slot) {
  while (waitpid(slot->pid, &slot->child.status, 0) < 0 && errno == EINTR)
    continue;
}

// Reads what there is. A process has ended when it has closed both ends.
static void
serve_child(SmbChildPool *pool, Slot *slot) {
  if (!slot->pid)
    return;
  read_child_end(slot->out, slot->child.out);
  read_child_end(slot->err, slot->child.err);
  if (slot->out->fd >= 0 || slot->err->fd >= 0)
    return;
  await_child(slot);
  end_child(pool, slot);
}

// Whether a process runs still, once every free place has been given to the next one.
static gboolean
fill_slots(SmbChildPool *pool) {
  gboolean busy = FALSE, goes_on = TRUE;
  for (guint i = 0; i < pool->n_slots; i++)
    busy |= pool->slots[i].pid != 0;
  for (guint i = 0; i < pool->n_slots; i++) {
    while (goes_on && !pool->slots[i].pid && !g_queue_is_empty(&pool->ready))
      goes_on = start_child(pool, &pool->slots[i], !busy);
    busy |= pool->slots[i].pid != 0;
  }
  return busy;
}

// @lines: (transfer full)
static SmbChildPool *
make_children(GPtrArray *lines, guint jobs, GStrv environment, SmbChildEnded ended, gpointer data) {
  SmbChildPool *pool = g_new0(SmbChildPool, 1);
  g_auto(GStrv) own = environment ? g_strdupv(environment) : g_get_environ();
  *pool = (SmbChildPool){
      .lines = lines, .n_slots = jobs, .parent = getpid(), .ended = ended, .data = data};
  pool->environment =
      g_environ_setenv(g_steal_pointer(&own), SMB_FILES_VARIABLE, SMB_FILES_ASKED, TRUE);
  pool->slots = g_new0(Slot, jobs);
  pool->ends = g_new0(struct pollfd, (gsize)2 * jobs + 1);
  g_queue_init(&pool->ready);
  for (guint i = 0; i <= 2 * jobs; i++)
    pool->ends[i] = (struct pollfd){.fd = -1, .events = POLLIN};
  for (guint i = 0; i < jobs; i++) {
    pool->slots[i].out = &pool->ends[2 * i];
    pool->slots[i].err = &pool->ends[2 * i + 1];
  }
  return pool;
}

// Waits for what the processes write and, if it is open, for the input.
static void
serve_children(SmbChildPool *pool, int milliseconds) {
  if (poll(pool->ends, 2 * pool->n_slots + 1, milliseconds) <= 0)
    return;
  for (guint i = 0; i < pool->n_slots; i++)
    serve_child(pool, &pool->slots[i]);
}

void
smb_children_run(const GPtrArray *lines, guint jobs, GStrv environment, SmbChildEnded ended,
                 gpointer data) {
  g_autoptr(GPtrArray) borrowed = g_ptr_array_new();
  for (guint i = 0; i < lines->len; i++)
    g_ptr_array_add(borrowed, lines->pdata[i]);
  g_autoptr(SmbChildPool) pool =
      make_children(g_steal_pointer(&borrowed), MIN(jobs, lines->len), environment, ended, data);
  release_lines(pool, SMB_CHILD_NONE);
  while (fill_slots(pool))
    serve_children(pool, -1);
}

static void
free_child_line(gpointer line) {
  if (line)
    smb_child_line_free(line);
}

SmbChildPool *
smb_child_pool_new(guint jobs, GStrv environment, SmbChildEnded ended, gpointer data) {
  SmbChildPool *children = make_children(g_ptr_array_new_with_free_func(free_child_line),
                                         MAX(jobs, 1), environment, ended, data);
  children->owns_lines = TRUE;
  return children;
}

// What it has started itself ends with it: they are a group, which it may not have made yet.
static void
kill_child(Slot *slot) {
  kill(-slot->pid, SIGKILL);
  kill(slot->pid, SIGKILL);
  for (guint i = 0; i < 2; i++) {
    struct pollfd *end = i ? slot->err : slot->out;
    if (end->fd >= 0)
      close(end->fd);
    end->fd = -1;
  }
  await_child(slot);
  clear_slot(slot);
}

void
smb_child_pool_free(SmbChildPool *children) {
  if (!children)
    return;
  for (guint i = 0; i < children->n_slots; i++) {
    if (children->slots[i].pid)
      kill_child(&children->slots[i]);
  }
  g_queue_clear(&children->ready);
  g_ptr_array_unref(children->lines);
  g_strfreev(children->environment);
  g_free(children->slots);
  g_free(children->ends);
  g_free(children);
}

guint
smb_child_pool_add(SmbChildPool *children, SmbChildLine *line) {
  g_ptr_array_add(children->lines, line);
  g_queue_push_tail(&children->ready, GUINT_TO_POINTER(children->lines->len - 1));
  return children->lines->len - 1;
}

void
smb_child_pool_stop(SmbChildPool *children, guint index) {
  g_queue_remove(&children->ready, GUINT_TO_POINTER(index));
  for (guint i = 0; i < children->n_slots; i++) {
    if (children->slots[i].pid && children->slots[i].index == index)
      kill_child(&children->slots[i]);
  }
  drop_line(children, index);
}

gboolean
smb_child_pool_wait(SmbChildPool *children, int input, int milliseconds) {
  struct pollfd *extra = &children->ends[2 * children->n_slots];
  *extra = (struct pollfd){.fd = input, .events = POLLIN};
  fill_slots(children);
  serve_children(children, milliseconds);
  return input >= 0 && extra->revents != 0;
}

SmbChildLine *
smb_child_line_new(GStrv words, const char *folder) {
  SmbChildLine *line = g_new(SmbChildLine, 1);
  *line = (SmbChildLine){words, g_strdup(folder), SMB_CHILD_NONE};
  return line;
}

void
smb_child_line_free(SmbChildLine *line) {
  g_strfreev(line->words);
  g_free(line->folder);
  g_free(line);
}

gboolean
smb_child_has_result(const SmbChild *child) {
  return child->status != -1 && WIFEXITED(child->status) &&
         WEXITSTATUS(child->status) <= SMB_EXIT_DIFFERS;
}

JsonNode *
smb_child_json(const SmbChild *child) {
  g_autoptr(JsonParser) parser = json_parser_new();
  if (!smb_child_has_result(child) ||
      !json_parser_load_from_data(parser, child->out->str, (gssize)child->out->len, NULL))
    return NULL;
  return json_parser_steal_root(parser);
}

// Bytes of the "smembank COMMAND: " that a message begins with.
static gsize
measure_name(const char *message) {
  if (!g_str_has_prefix(message, OWN_NAME))
    return 0;
  gsize length = strlen(OWN_NAME) + strspn(message + strlen(OWN_NAME), G_CSET_a_2_z);
  return g_str_has_prefix(message + length, ": ") ? length + 2 : 0;
}

GStrv
smb_child_messages(const SmbChild *child) {
  g_autoptr(GStrvBuilder) lines = g_strv_builder_new();
  g_auto(GStrv) parts = g_strsplit(child->err->str, "\n", -1);
  for (guint i = 0; parts[i]; i++) {
    if (*parts[i])
      g_strv_builder_add(lines, parts[i] + measure_name(parts[i]));
  }
  return g_strv_builder_end(lines);
}

// Where the user, who did not call that command, should not look.
static void
cut_hint(char *said, const char *command) {
  g_autofree char *hint = g_strdup_printf(" (see 'smembank %s --help')", command);
  if (g_str_has_suffix(said, hint))
    said[strlen(said) - strlen(hint)] = '\0';
}

char *
smb_child_describe_end(const SmbChild *child) {
  g_auto(GStrv) messages = smb_child_messages(child);
  g_autofree char *said = g_strjoinv("\n", messages);
  cut_hint(said, child->command);
  if (child->status != -1 && WIFSIGNALED(child->status))
    return g_strdup_printf("%s ended by signal %d (%s)%s%s", child->command,
                           WTERMSIG(child->status), g_strsignal(WTERMSIG(child->status)),
                           *said ? ": " : "", said);
  return *said ? g_steal_pointer(&said) : g_strdup_printf("%s wrote no result", child->command);
}
