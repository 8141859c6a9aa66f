// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Reads files, pipes and terminals, with time-outs, and refuses devices.
#include "sim/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "sim/base/error.h"

enum {
  NULL_MAJOR = 1, // /dev/null (Linux, Documentation/admin-guide/devices.txt)
  NULL_MINOR = 3,
};

// The type of the file system that pipes are in (Linux, include/uapi/linux/magic.h).
#define PIPE_FILE_SYSTEM 0x50495045

struct _SmbFile {
  int fd;
  guint64 size;
  gboolean is_regular;
  gboolean is_endless; // a terminal: its user ends it
  gboolean has_begun;  // a named pipe: there was a writer; of anything else always
};

static gboolean
fail_file_by_errno(const char *path, int code, GError **error) {
  g_autofree char *shown = g_filename_display_name(path);
  return smb_fail(error, G_FILE_ERROR, (int)g_file_error_from_errno(code), "%s: %s", shown,
                  g_strerror(code));
}

// What is refused before it is opened: to open a device may be to do something.
static gboolean
check_file_kind(const char *path, const struct stat *facts, GError **error) {
  gboolean is_null = S_ISCHR(facts->st_mode) && facts->st_rdev == makedev(NULL_MAJOR, NULL_MINOR);
  const char *kind = S_ISBLK(facts->st_mode) || (S_ISCHR(facts->st_mode) && !is_null) ? "a device"
                     : S_ISSOCK(facts->st_mode)                                       ? "a socket"
                                                                                      : NULL;
  if (S_ISDIR(facts->st_mode))
    return fail_file_by_errno(path, EISDIR, error);
  return !kind || smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: %s: expected a file or a pipe",
                           path, kind);
}

// Terminals are devices that a person types at.
static gboolean
is_terminal(const char *path) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  gboolean is = fd >= 0 && isatty(fd);
  if (fd >= 0)
    close(fd);
  return is;
}

// Majors of terminals (devices.txt): 4 and 5 of the machine's own, 136 to 143 of pseudo-terminals.
static gboolean
may_be_terminal(const struct stat *facts) {
  guint number = major(facts->st_rdev);
  return S_ISCHR(facts->st_mode) &&
         (number == 4 || number == 5 || (number >= 136 && number <= 143));
}

static gboolean
is_anonymous_pipe(int fd) {
  struct statfs system;
  return fstatfs(fd, &system) == 0 && system.f_type == PIPE_FILE_SYSTEM;
}

SmbFile *
smb_file_open(const char *path, GError **error) {
  struct stat facts;
  if (stat(path, &facts) != 0) {
    fail_file_by_errno(path, errno, error);
    return NULL;
  }
  gboolean terminal = may_be_terminal(&facts) && is_terminal(path);
  if (!terminal && !check_file_kind(path, &facts, error))
    return NULL;
  g_autoptr(SmbFile) file = g_new0(SmbFile, 1);
  file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file->fd < 0 || fstat(file->fd, &facts) != 0) {
    fail_file_by_errno(path, errno, error);
    return NULL;
  }
  if (!terminal && !check_file_kind(path, &facts, error)) // another one meanwhile
    return NULL;
  file->is_regular = S_ISREG(facts.st_mode);
  file->size = file->is_regular ? (guint64)facts.st_size : 0;
  file->is_endless = terminal;
  file->has_begun = !S_ISFIFO(facts.st_mode) || is_anonymous_pipe(file->fd);
  return g_steal_pointer(&file);
}

void
smb_file_close(SmbFile *file) {
  if (!file)
    return;
  if (file->fd >= 0)
    close(file->fd);
  g_free(file);
}

int
smb_file_descriptor(const SmbFile *file) {
  return file->fd;
}

guint64
smb_file_size(const SmbFile *file) {
  return file->size;
}

// Seconds that are waited.
static guint
find_patience(guint seconds) {
  const char *text = g_getenv(SMB_FILE_SECONDS_VARIABLE);
  guint64 number = seconds;
  if (text)
    g_ascii_string_to_unsigned(text, 10, 1, SMB_FILE_MAX_SECONDS, &number, NULL);
  return (guint)number;
}

static gboolean
fail_silent(gboolean has_writer, GError **error) {
  if (!has_writer)
    return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                    "nothing opened this pipe for writing in %u seconds "
                    "(" SMB_FILE_SECONDS_VARIABLE " sets how many)",
                    find_patience(SMB_FILE_WRITER_SECONDS));
  return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                  "nothing was written to this pipe for %u seconds "
                  "(" SMB_FILE_SECONDS_VARIABLE " sets how many; standard input, '-', is read as "
                  "long as it takes)",
                  find_patience(SMB_FILE_SILENT_SECONDS));
}

// Waits until there may be something to read. Returns what poll() does.
static int
wait_for_bytes(const SmbFile *file, gboolean has_writer) {
  struct pollfd ready = {file->fd, POLLIN, 0};
  guint seconds = find_patience(has_writer ? SMB_FILE_SILENT_SECONDS : SMB_FILE_WRITER_SECONDS);
  return poll(&ready, 1, file->is_endless ? -1 : (int)seconds * 1000);
}

gssize
smb_file_read(SmbFile *file, void *buffer, gsize bytes, GError **error) {
  gboolean has_waited[2] = {FALSE, FALSE}; // without a writer, and for what it writes
  for (;;) {
    ssize_t got = read(file->fd, buffer, bytes);
    gboolean has_writer = got < 0 && errno == EAGAIN;
    file->has_begun |= got > 0 || has_writer;
    if (got > 0 || (got == 0 && file->has_begun))
      return got;
    if (got < 0 && !has_writer && errno != EINTR) {
      smb_fail(error, G_FILE_ERROR, (int)g_file_error_from_errno(errno), "%s", g_strerror(errno));
      return -1;
    }
    if (has_waited[has_writer]) {
      fail_silent(has_writer, error);
      return -1;
    }
    int n = wait_for_bytes(file, has_writer);
    has_waited[has_writer] = n == 0;
    file->has_begun |= n > 0; // one that has left again wrote nothing
  }
}

char *
smb_file_read_regular(const char *path, gsize most, gsize *length) {
  g_autoptr(SmbFile) file = smb_file_open(path, NULL);
  if (!file || !file->is_regular || file->size > most)
    return NULL;
  g_autofree char *bytes = g_malloc(file->size + 1);
  gssize got = 1;
  for (*length = 0; got > 0 && *length < file->size; *length += (gsize)MAX(got, 0))
    got = smb_file_read(file, bytes + *length, file->size - *length, NULL);
  bytes[*length] = '\0';
  return got >= 0 ? g_steal_pointer(&bytes) : NULL;
}
