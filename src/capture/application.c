// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "src/capture/application.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "sim/base/error.h"

enum {
  LOOK_MS = 20,    // between two looks at whether the application has ended
  LINGER_MS = 500, // how long processes that outlive it are listened to, once they say nothing
  BACKLOG = 64,
};

struct _SmbStage {
  char *folder; // of the socket
  char *socket;
  int listener;
  int signals;
  GPid pid;
  gboolean has_ended;
  int wait_status;
  sigset_t before; // signals that were blocked
  const SmbApplication *application;
  GPtrArray *processes; // of SmbListener.start
};

static gboolean
fail_application(GError **error, const char *what) {
  int failure = errno;
  smb_fail(error, G_FILE_ERROR, (gint)g_file_error_from_errno(failure), "%s: %s", what,
           g_strerror(failure));
  return FALSE;
}

// --- the stage: a socket that this user alone can reach, and signals that are read

static gboolean
listen_at(SmbStage *stage, GError **error) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  stage->folder = g_dir_make_tmp("smembank-XXXXXX", error);
  if (!stage->folder)
    return FALSE;
  stage->socket = g_build_filename(stage->folder, "socket", NULL);
  if (strlen(stage->socket) >= sizeof address.sun_path)
    return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                    "%s: too long for the name of a socket (TMPDIR)", stage->socket);
  strcpy(address.sun_path, stage->socket);
  stage->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (stage->listener < 0 ||
      bind(stage->listener, (struct sockaddr *)&address, sizeof address) != 0 ||
      listen(stage->listener, BACKLOG) != 0)
    return fail_application(error, stage->socket);
  return TRUE;
}

static gboolean
take_signals(SmbStage *stage, GError **error) {
  sigset_t taken;
  sigemptyset(&taken);
  sigaddset(&taken, SIGINT);
  sigaddset(&taken, SIGTERM);
  sigaddset(&taken, SIGHUP);
  sigaddset(&taken, SIGQUIT);
  sigaddset(&taken, SIGCHLD); // wakes this program when the application ends
  pthread_sigmask(SIG_BLOCK, &taken, &stage->before);
  stage->signals = signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
  return stage->signals >= 0 || fail_application(error, "signals");
}

static void
clear_application(SmbStage *stage) {
  for (guint i = 0; i < stage->processes->len; i++)
    stage->application->listener->end(g_ptr_array_index(stage->processes, i));
  g_ptr_array_unref(stage->processes);
  if (stage->signals >= 0) {
    struct signalfd_siginfo info;
    while (read(stage->signals, &info, sizeof info) > 0)
      continue;
    close(stage->signals);
    pthread_sigmask(SIG_SETMASK, &stage->before, NULL);
  }
  if (stage->listener >= 0)
    close(stage->listener);
  if (stage->socket)
    g_unlink(stage->socket);
  if (stage->folder)
    g_rmdir(stage->folder);
  g_free(stage->socket);
  g_free(stage->folder);
}

// --- the application

static void
set_up(gpointer data) {
  const SmbApplication *application = data;
  sigset_t none;
  if (application->turns_output)
    dup2(STDERR_FILENO, STDOUT_FILENO);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

// Why the program of a command line cannot be started (transfer full), if its file is there after all; NULL: it is not.
static char *
describe_unstarted(const char *file) {
  if (!g_file_test(file, G_FILE_TEST_IS_REGULAR))
    return NULL;
  if (access(file, X_OK) != 0)
    return g_strdup_printf("'%s' is a file that cannot be executed: give the program that runs it "
                           "as well, such as 'python3 %s'",
                           file, file);
  return strchr(file, '/') ? NULL
                           : g_strdup_printf("'%s' is in this folder, which is not searched for "
                                             "programs: give './%s'",
                                             file, file);
}

static gboolean
start_application(SmbStage *stage, const SmbApplication *application, GError **error) {
  g_auto(GStrv) environment = g_get_environ();
  const char *const *added = application->environment;
  for (guint i = 0; added[i]; i += 2)
    environment = g_environ_setenv(environment, added[i], added[i + 1], TRUE);
  environment = g_environ_setenv(environment, application->socket_variable, stage->socket, TRUE);
  g_autoptr(GError) failure = NULL;
  GSpawnFlags input = application->turns_output ? G_SPAWN_DEFAULT : G_SPAWN_CHILD_INHERITS_STDIN;
  if (g_spawn_async(NULL, (char **)application->words, environment,
                    G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD | input, set_up,
                    (gpointer)application, &stage->pid, &failure))
    return TRUE;
  g_autofree char *reason = describe_unstarted(application->words[0]);
  return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s", reason ? reason : failure->message);
}

// From a terminal the application gets them itself.
void
smb_application_pass_signals(SmbStage *stage) {
  struct signalfd_siginfo info;
  while (read(stage->signals, &info, sizeof info) == sizeof info)
    if (info.ssi_signo != SIGCHLD && info.ssi_code != SI_KERNEL && !stage->has_ended)
      kill(stage->pid, (int)info.ssi_signo);
}

static void
accept_processes(SmbStage *stage) {
  int fd;
  while ((fd = accept4(stage->listener, NULL, NULL, SOCK_CLOEXEC)) >= 0)
    g_ptr_array_add(stage->processes,
                    stage->application->listener->start(fd, stage->application->user));
}

// Listens to all once; whether anything was said.
static gboolean
serve_application(SmbStage *stage, int timeout) {
  const SmbListener *listener = stage->application->listener;
  guint n = stage->processes->len;
  g_autofree struct pollfd *ends = g_new0(struct pollfd, n + 2);
  ends[0] = (struct pollfd){stage->listener, POLLIN, 0};
  ends[1] = (struct pollfd){stage->signals, POLLIN, 0};
  for (guint i = 0; i < n; i++)
    ends[2 + i] = (struct pollfd){listener->fd(g_ptr_array_index(stage->processes, i)), POLLIN, 0};
  if (poll(ends, n + 2, timeout) <= 0)
    return FALSE;
  for (guint i = n; i-- > 0;) {
    gpointer process = g_ptr_array_index(stage->processes, i);
    if (ends[2 + i].revents && !listener->read(process)) {
      g_ptr_array_remove_index(stage->processes, i);
      listener->end(process);
    }
  }
  if (ends[1].revents)
    smb_application_pass_signals(stage);
  if (ends[0].revents)
    accept_processes(stage);
  return TRUE;
}

static void
look(SmbStage *stage) {
  if (!stage->has_ended && waitpid(stage->pid, &stage->wait_status, WNOHANG) == stage->pid)
    stage->has_ended = TRUE;
}

char *
smb_application_describe_end(int wait_status, const char *name) {
  if (WIFSIGNALED(wait_status))
    return g_strdup_printf("%s ended by signal %d (%s)", name, WTERMSIG(wait_status),
                           g_strsignal(WTERMSIG(wait_status)));
  return g_strdup_printf("%s ended with status %d", name, WEXITSTATUS(wait_status));
}

gboolean
smb_application_run(const SmbApplication *application, int *wait_status, GError **error) {
  SmbStage stage = {.listener = -1, .signals = -1, .application = application};
  stage.processes = g_ptr_array_new();
  if (application->stage)
    *application->stage = &stage;
  gboolean runs = listen_at(&stage, error) && take_signals(&stage, error) &&
                  start_application(&stage, application, error);
  while (runs && !stage.has_ended) {
    serve_application(&stage, LOOK_MS);
    look(&stage);
  }
  while (runs && serve_application(&stage, stage.processes->len > 0 ? LINGER_MS : 0))
    continue;
  *wait_status = stage.wait_status;
  clear_application(&stage);
  if (application->stage)
    *application->stage = NULL;
  return runs;
}
