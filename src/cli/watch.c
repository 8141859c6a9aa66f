// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/cli/watch.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "src/out/file.h"

enum {
  PERIOD_MS = 200, // between two looks at the progress
};

struct _SmbWatch {
  SmbProgress progress;
  const char *command;
  guint columns;
  gboolean draws; // standard error is a terminal
  gboolean ends;  // at SIGINT
  GMutex drawing;
  pthread_t thread;
  sigset_t before; // signals that were blocked
  gint stopped;    // atomic
  gint64 start;    // microseconds
  const char *what;
  gint64 task_start; // of what the line tells now
  gsize drawn;       // bytes of the line on the terminal
};

// "5 s", "3 min", "2 h"
static char *
describe_time(double seconds) {
  if (seconds < 100)
    return g_strdup_printf("%.0f s", seconds);
  if (seconds < 100 * 60)
    return g_strdup_printf("%.0f min", seconds / 60);
  return g_strdup_printf("%.0f h", seconds / 3600);
}

// "12 of 40 blocks"
static void
append_done(GString *text, const SmbProgress *progress) {
  if (progress->total != SMB_PROGRESS_UNCOUNTED)
    g_string_append_printf(text, "%" G_GUINT64_FORMAT " ", progress->done);
  if (progress->total && progress->total != SMB_PROGRESS_UNCOUNTED)
    g_string_append_printf(text, "of %" G_GUINT64_FORMAT " ", progress->total);
  g_string_append(text, progress->what);
}

char *
smb_watch_describe(const SmbProgress *progress, double seconds) {
  GString *text = g_string_new(NULL);
  gboolean has_share = progress->total && progress->total != SMB_PROGRESS_UNCOUNTED;
  double share = has_share ? (double)progress->done / (double)progress->total : 0;
  append_done(text, progress);
  if (has_share)
    g_string_append_printf(text, ", %.0f%%", 100 * share);
  if (progress->bytes > 0) {
    g_autofree char *size = g_format_size_full(progress->bytes, G_FORMAT_SIZE_IEC_UNITS);
    g_string_append_printf(text, ", %s", size);
  }
  g_autofree char *time = describe_time(share > 0 ? seconds * (1 - share) / share : seconds);
  g_string_append_printf(text, share > 0 ? ", about %s left" : ", %s", time);
  return g_string_free(text, FALSE);
}

static void
write_watch_text(const char *text) {
  // Nobody could be told that it fails.
  if (write(STDERR_FILENO, text, strlen(text)) < 0)
    return;
}

static void
clear_line(SmbWatch *watch) {
  if (!watch->drawn)
    return;
  g_autofree char *spaces = g_strnfill(watch->drawn, ' ');
  g_autofree char *text = g_strdup_printf("\r%s\r", spaces);
  write_watch_text(text);
  watch->drawn = 0;
}

static char *
describe_task(SmbWatch *watch, const SmbProgress *progress) {
  if (progress->what != watch->what) {
    watch->what = progress->what;
    watch->task_start = g_get_monotonic_time();
  }
  if (!progress->what)
    return NULL;
  return smb_watch_describe(progress, (double)(g_get_monotonic_time() - watch->task_start) / 1e6);
}

static void
draw(SmbWatch *watch) {
  SmbProgress progress = smb_progress_read(&watch->progress);
  g_autofree char *task = describe_task(watch, &progress);
  gint64 now = g_get_monotonic_time(), since = watch->ends ? watch->start : watch->task_start;
  if (!watch->draws || !task || now - since < SMB_WATCH_DELAY_MS * 1000)
    return;
  g_autofree char *line = g_strdup_printf("smembank %s: %s", watch->command, task);
  if (strlen(line) >= watch->columns)
    line[watch->columns - 1] = '\0';
  gsize length = strlen(line);
  gsize room = MAX(length, watch->drawn);
  g_autofree char *text = g_strdup_printf("\r%-*s", (int)room, line);
  write_watch_text(text);
  watch->drawn = room;
}

// Ends the program as the signal does.
static void
interrupt(SmbWatch *watch) {
  SmbProgress progress = smb_progress_read(&watch->progress);
  g_autofree char *time = describe_time((double)(g_get_monotonic_time() - watch->start) / 1e6);
  GString *text = g_string_new(NULL);
  clear_line(watch);
  g_string_append_printf(text, "smembank %s: interrupted after %s", watch->command, time);
  if (progress.what) {
    g_string_append(text, ": ");
    append_done(text, &progress);
  }
  g_string_append_c(text, '\n');
  write_watch_text(text->str);
  g_string_free(text, TRUE);
  smb_out_file_wait();
  signal(SIGINT, SIG_DFL);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  raise(SIGINT);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

static void *
run_watch(void *data) {
  SmbWatch *watch = data;
  const struct timespec period = {0, PERIOD_MS * 1000000L};
  sigset_t set;
  sigemptyset(&set);
  if (watch->ends)
    sigaddset(&set, SIGINT);
  sigaddset(&set, SIGUSR2);
  while (!g_atomic_int_get(&watch->stopped)) {
    int number = sigtimedwait(&set, NULL, &period);
    if (number == SIGINT)
      interrupt(watch);
    g_mutex_lock(&watch->drawing);
    if (!g_atomic_int_get(&watch->stopped))
      draw(watch);
    g_mutex_unlock(&watch->drawing);
  }
  // What has been sent until now counts, too: the work may have ended because the same Ctrl-C ended its processes.
  const struct timespec none = {0, 0};
  for (int number = 0; number >= 0; number = sigtimedwait(&set, NULL, &none)) {
    if (number == SIGINT)
      interrupt(watch);
  }
  clear_line(watch);
  return NULL;
}

SmbWatch *
smb_watch_start(const char *command, guint columns, gboolean ends) {
  SmbWatch *watch = g_new0(SmbWatch, 1);
  watch->ends = ends;
  watch->command = command;
  watch->columns = MAX(columns, 1);
  watch->draws = isatty(STDERR_FILENO) == 1;
  watch->start = g_get_monotonic_time();
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGUSR2); // wakes the thread
  if (!ends)                // none is for the thread
    sigfillset(&set);
  pthread_sigmask(SIG_BLOCK, &set, &watch->before);
  if (pthread_create(&watch->thread, NULL, run_watch, watch) == 0)
    return watch;
  pthread_sigmask(SIG_SETMASK, &watch->before, NULL);
  g_free(watch);
  return NULL;
}

SmbProgress *
smb_watch_progress(SmbWatch *watch) {
  return watch ? &watch->progress : NULL;
}

void
smb_watch_pause(SmbWatch *watch) {
  if (!watch)
    return;
  smb_progress_begin(&watch->progress, NULL, 0);
  g_mutex_lock(&watch->drawing);
  clear_line(watch);
  watch->what = NULL;
  g_mutex_unlock(&watch->drawing);
}

void
smb_watch_stop(SmbWatch *watch) {
  if (!watch)
    return;
  g_atomic_int_set(&watch->stopped, TRUE);
  pthread_kill(watch->thread, SIGUSR2);
  pthread_join(watch->thread, NULL);
  pthread_sigmask(SIG_SETMASK, &watch->before, NULL);
  g_mutex_clear(&watch->drawing);
  g_free(watch);
}
