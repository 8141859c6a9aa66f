// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Each program runs in a process group of its own. A keeper, a shell in another group, waits at a socket whose other end
// only this program holds: when that is closed, however this program has ended, the keeper kills the group that it was told
// last and removes the folder.
#include "config.h"

#include "src/compile/workshop.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/base/error.h"

enum {
  TICK_MS = 20, // between two looks at whether a program has ended
};

struct _SmbWorkshop {
  char *folder;
  int line; // to the keeper
  pid_t keeper;
};

static const char keeper_script[] =
    "PATH=$PATH:/usr/bin:/bin; trap '' HUP INT TERM; while read -r word; do group=$word; done; "
    "[ -z \"$group\" ] || kill -s KILL -- \"-$group\" 2>/dev/null; rm -rf -- \"$1\"";

// Starts a program in a new process group, with signals as they are by default. @in, @out: what it has as standard input,
// and as output and error; -1: nothing. Returns 0 or an errno.
static int
spawn(pid_t *pid, const char *const *words, const char *const *environment, int in, int out) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none, usual;
  sigemptyset(&none);
  sigemptyset(&usual);
  for (guint i = 0; i < 4; i++)
    sigaddset(&usual, (const int[]){SIGINT, SIGPIPE, SIGXFSZ, SIGUSR2}[i]);
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
    int source = fd == STDIN_FILENO ? in : out;
    if (source >= 0)
      posix_spawn_file_actions_adddup2(&actions, source, fd);
    else
      posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
  }
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  int failure = posix_spawnp(pid, words[0], &actions, &attributes, (char *const *)words,
                             (char *const *)environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return failure;
}

static gboolean
fail_start(GError **error, const char *program, int failure) {
  return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s cannot be started: %s", program,
                  g_strerror(failure));
}

static gboolean
start_keeper(SmbWorkshop *workshop, GError **error) {
  const char *const words[] = {"/bin/sh", "-c", keeper_script, "sh", workshop->folder, NULL};
  g_auto(GStrv) environment = g_get_environ();
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return fail_start(error, words[0], errno);
  int failure = spawn(&workshop->keeper, words, (const char *const *)environment, ends[1], -1);
  close(ends[1]);
  workshop->line = ends[0];
  return failure == 0 || fail_start(error, words[0], failure);
}

SmbWorkshop *
smb_workshop_new(const char *work, GError **error) {
  g_autofree char *name = g_strdup_printf("smembank-%s-XXXXXX", work);
  char *folder = g_dir_make_tmp(name, error);
  if (!folder)
    return NULL;
  SmbWorkshop *workshop = g_new0(SmbWorkshop, 1);
  workshop->folder = g_canonicalize_filename(folder, NULL);
  workshop->line = -1;
  g_free(folder);
  if (start_keeper(workshop, error))
    return workshop;
  rmdir(workshop->folder);
  smb_workshop_free(workshop);
  return NULL;
}

// Waits for a process, whatever interrupts that.
static int
reap(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
    continue;
  return status;
}

void
smb_workshop_free(SmbWorkshop *workshop) {
  if (!workshop)
    return;
  if (workshop->line >= 0)
    close(workshop->line);
  if (workshop->keeper > 0)
    reap(workshop->keeper);
  g_free(workshop->folder);
  g_free(workshop);
}

const char *
smb_workshop_folder(const SmbWorkshop *workshop) {
  return workshop->folder;
}

// Tells the keeper which group to kill; 0: none.
static void
tell_keeper(const SmbWorkshop *workshop, pid_t group) {
  g_autofree char *line = group ? g_strdup_printf("%d\n", (int)group) : g_strdup("\n");
  // Without a keeper there is no one to tell.
  if (send(workshop->line, line, strlen(line), MSG_NOSIGNAL) < 0)
    return;
}

// Takes what is there to be read. Returns whether there may be more.
static gboolean
take_output(int fd, gsize most, GString *output) {
  char bytes[4096];
  ssize_t n = read(fd, bytes, sizeof bytes);
  if (n > 0)
    g_string_append_len(output, bytes, (gssize)MIN((gsize)n, most - output->len));
  return n > 0 || (n < 0 && errno == EINTR);
}

// Whether a process has ended; it is not reaped, so that no other process gets its number yet.
static gboolean
has_ended(pid_t pid) {
  siginfo_t info = {.si_pid = 0};
  return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == pid;
}

// Reads what a process writes until it ends; what it has started may go on writing. Returns whether it ended in time.
static gboolean
follow(pid_t pid, int fd, guint seconds, gsize most, GString *output) {
  gint64 end = g_get_monotonic_time() + (gint64)seconds * G_USEC_PER_SEC;
  gboolean is_open = TRUE, ended = FALSE;
  while (!ended && g_get_monotonic_time() < end) {
    struct pollfd wait = {.fd = is_open ? fd : -1, .events = POLLIN};
    if (poll(&wait, 1, TICK_MS) > 0)
      is_open = take_output(fd, most, output);
    ended = has_ended(pid);
  }
  for (struct pollfd rest = {.fd = fd, .events = POLLIN};
       is_open && output->len < most && poll(&rest, 1, 0) > 0;)
    is_open = take_output(fd, most, output);
  return ended;
}

gboolean
smb_workshop_run(SmbWorkshop *workshop, const char *const *words, guint seconds,
                 SmbWorkshopRun *run, GError **error) {
  g_auto(GStrv) environment = g_environ_setenv(g_get_environ(), "TMPDIR", workshop->folder, TRUE);
  // What it says is read here: in English.
  environment = g_environ_setenv(environment, "LC_ALL", "C.UTF-8", TRUE);
  int ends[2];
  pid_t pid = 0;
  if (pipe2(ends, O_CLOEXEC) != 0)
    return fail_start(error, words[0], errno);
  int failure = spawn(&pid, words, (const char *const *)environment, -1, ends[1]);
  close(ends[1]);
  if (failure == 0) {
    tell_keeper(workshop, pid);
    run->output = g_string_new(NULL);
    run->is_late =
        !follow(pid, ends[0], seconds, run->max_output ? run->max_output : SMB_WORKSHOP_MAX_OUTPUT,
                run->output);
    kill(-pid, SIGKILL);
    tell_keeper(workshop, 0);
    run->status = reap(pid);
  }
  close(ends[0]);
  return failure == 0 || fail_start(error, words[0], failure);
}

void
smb_workshop_run_clear(SmbWorkshopRun *run) {
  if (run->output)
    g_string_free(run->output, TRUE);
  run->output = NULL;
}
