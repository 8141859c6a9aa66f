// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/out/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "sim/base/error.h"

enum {
  MAX_LINKS = 40,  // that lead to one file: as in Linux
  TICK_US = 20000, // between two looks at whether a pipe has a reader
};

struct _SmbOutFile {
  char *option;
  char *path;   // as the user gave it
  char *target; // where its links lead
};

// Where the links of @path lead, whether anything is there or not; NULL if they lead round in circles.
static char *
follow_links(const char *path) {
  char *target = g_strdup(path);
  for (guint i = 0; i < MAX_LINKS; i++) {
    g_autofree char *link = g_file_read_link(target, NULL);
    if (!link)
      return target;
    g_autofree char *folder = g_path_get_dirname(target);
    g_free(target);
    target = g_path_is_absolute(link) ? g_strdup(link) : g_build_filename(folder, link, NULL);
  }
  g_free(target);
  return NULL;
}

// Whether two descriptions are of one regular file: what is written to a device or a pipe is not lost.
static gboolean
is_same_file(const GStatBuf *one, const GStatBuf *other) {
  return one->st_dev == other->st_dev && one->st_ino == other->st_ino && S_ISREG(one->st_mode);
}

gboolean
smb_out_file_protect(const SmbOutFile *file, const char *input, GError **error) {
  GStatBuf in, out;
  if (g_stat(input, &in) != 0 || g_stat(file->target, &out) != 0 || !is_same_file(&in, &out))
    return TRUE;
  return smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
                  "%s '%s' would overwrite the input file %s: expected another file", file->option,
                  file->path, input);
}

// A name that two files have only if they will be one, of a file that may not be there yet (transfer full).
static char *
real_place(const char *target) {
  g_autofree char *folder = g_path_get_dirname(target);
  g_autofree char *name = g_path_get_basename(target);
  char *real = realpath(folder, NULL);
  char *place = g_build_filename(real ? real : folder, name, NULL);
  free(real);
  return place;
}

gboolean
smb_out_file_check_other(const SmbOutFile *file, const SmbOutFile *other, GError **error) {
  GStatBuf one, two;
  gboolean is_there = g_stat(file->target, &one) == 0;
  gboolean same;
  if (is_there) {
    same = g_stat(other->target, &two) == 0 && is_same_file(&one, &two);
  } else {
    g_autofree char *place = real_place(file->target), *other_place = real_place(other->target);
    same = strcmp(place, other_place) == 0;
  }
  return !same || smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
                           "%s '%s' and %s '%s' name one file: expected one for each result",
                           file->option, file->path, other->option, other->path);
}

gboolean
smb_out_file_check_streams(const SmbOutFile *file, GError **error) {
  static const char *const names[] = {"standard output", "standard error"};
  GStatBuf out, stream;
  // Who names it so means it.
  if (g_str_has_prefix(file->path, "/dev/") || g_str_has_prefix(file->path, "/proc/") ||
      g_stat(file->target, &out) != 0)
    return TRUE;
  for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
    if (fstat(fd, &stream) == 0 && is_same_file(&out, &stream))
      return smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
                      "%s '%s' would overwrite %s: expected another file", file->option, file->path,
                      names[fd - STDOUT_FILENO]);
  }
  return TRUE;
}

static gboolean
fail_out_file(const SmbOutFile *file, int number, GError **error) {
  g_autofree char *shown = g_filename_display_name(file->path);
  return smb_fail(error, G_FILE_ERROR, (int)g_file_error_from_errno(number),
                  "%s: cannot write %s: %s", file->option, shown,
                  number == ENXIO ? "nothing reads from it" : g_strerror(number));
}

// What keeps the file from being written, as an errno; 0: nothing that can be seen before.
static int
find_file_obstacle(const char *target) {
  GStatBuf status;
  g_autofree char *folder = g_path_get_dirname(target);
  if (g_stat(target, &status) != 0)
    return errno != ENOENT || g_access(folder, W_OK | X_OK) != 0 ? errno : 0;
  if (S_ISDIR(status.st_mode))
    return EISDIR;
  // Root can write read-only files, so check the mode too.
  if ((status.st_mode & 0222) == 0)
    return EACCES;
  if (g_access(target, W_OK) != 0)
    return errno;
  return S_ISREG(status.st_mode) && g_access(folder, W_OK | X_OK) != 0 ? errno : 0;
}

SmbOutFile *
smb_out_file_new(const char *option, const char *path, GError **error) {
  g_autoptr(SmbOutFile) file = g_new0(SmbOutFile, 1);
  file->option = g_strdup(option);
  file->path = g_strdup(path);
  file->target = follow_links(path);
  int obstacle = !file->target ? ELOOP : *path ? find_file_obstacle(file->target) : ENOENT;
  if (!obstacle)
    return g_steal_pointer(&file);
  fail_out_file(file, obstacle, error);
  return NULL;
}

void
smb_out_file_free(SmbOutFile *file) {
  if (!file)
    return;
  g_free(file->option);
  g_free(file->path);
  g_free(file->target);
  g_free(file);
}

const char *
smb_out_file_path(const SmbOutFile *file) {
  return file->path;
}

// Writes and closes @fd. Returns: an errno, 0 if all is written.
static int
write_and_close(int fd, const char *text, gsize length, gboolean sync) {
  int number = smb_spool_write_to(fd, text, length);
  if (sync && !number && fsync(fd) != 0 && errno != EINVAL && errno != EROFS)
    number = errno;
  return close(fd) != 0 && !number ? errno : number;
}

// Makes a file beside @target and puts it in its place. Returns: an errno.
static int
replace_file(const char *target, const GStatBuf *old, const char *text, gsize length) {
  g_autofree char *folder = g_path_get_dirname(target);
  g_autofree char *temporary = g_build_filename(folder, ".smembank-XXXXXX", NULL);
  int fd = g_mkstemp_full(temporary, O_WRONLY | O_CLOEXEC, 0666);
  if (fd < 0)
    return errno;
  int number = 0;
  if (old) {
    // Only root can keep another owner; the mode comes last, since a change of owner clears bits of it.
    if (fchown(fd, old->st_uid, old->st_gid) != 0)
      errno = 0;
    number = fchmod(fd, old->st_mode & 07777) != 0 ? errno : 0;
  }
  int failure = write_and_close(fd, text, length, TRUE);
  number = number ? number : failure;
  if (!number && g_rename(temporary, target) != 0)
    number = errno;
  if (number)
    g_unlink(temporary);
  return number;
}

// Held while a file is replaced. Not a state: it keeps the end of the program out of that.
static GMutex replacing;

void
smb_out_file_wait(void) {
  g_mutex_lock(&replacing);
}

// As replace_file(); what would end the program waits until nothing of it is left behind.
static int
replace_undisturbed(const char *target, const GStatBuf *old, const char *text, gsize length) {
  sigset_t ends, before;
  sigemptyset(&ends);
  sigaddset(&ends, SIGINT);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &ends, &before);
  g_mutex_lock(&replacing);
  int number = replace_file(target, old, text, length);
  g_mutex_unlock(&replacing);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return number;
}

// What is no regular file is opened at once, or once somebody reads from it. Returns: a descriptor, or -1 with errno.
static int
open_special(const char *target) {
  gint64 end = g_get_monotonic_time() + (gint64)SMB_OUT_FILE_READER_SECONDS * G_USEC_PER_SEC;
  for (;;) {
    int fd = g_open(target, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0);
    if (fd >= 0 || errno != ENXIO || g_get_monotonic_time() >= end)
      return fd;
    g_usleep(TICK_US);
  }
}

gboolean
smb_out_file_write(const SmbOutFile *file, const char *text, gsize length, GError **error) {
  GStatBuf old;
  int number;
  gboolean exists = g_stat(file->target, &old) == 0;
  if (!exists || S_ISREG(old.st_mode)) {
    number = replace_undisturbed(file->target, exists ? &old : NULL, text, length);
  } else {
    int fd = open_special(file->target);
    number = fd < 0 ? errno : write_and_close(fd, text, length, FALSE);
  }
  return number == 0 || fail_out_file(file, number, error);
}

gboolean
smb_out_file_save(const SmbOutFile *file, SmbSpool *spool, gsize *length, GError **error) {
  g_autoptr(GString) text = smb_spool_take(spool, error);
  if (text && length)
    *length = text->len;
  return text && smb_out_file_write(file, text->str, text->len, error);
}
