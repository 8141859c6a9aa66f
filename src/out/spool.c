// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/out/spool.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include <gio/gio.h>
#include <glib/gstdio.h>

#include "sim/base/error.h"
#include "sim/base/text.h"

struct _SmbSpool {
  GString *memory; // what was added last
  int fd;          // what was added before, or -1: all is in memory
  GError *error;   // the first failure; nothing is added after it
  guint columns;   // of a line of text
  guint terminal;  // columns of the terminal, or G_MAXUINT
};

SmbSpool *
smb_spool_new(void) {
  SmbSpool *spool = g_new0(SmbSpool, 1);
  spool->memory = g_string_new(NULL);
  spool->fd = -1;
  spool->columns = SMB_SPOOL_COLUMNS;
  spool->terminal = G_MAXUINT;
  return spool;
}

void
smb_spool_set_columns(SmbSpool *spool, guint columns) {
  spool->columns = CLAMP(columns, SMB_SPOOL_LEAST_COLUMNS, SMB_SPOOL_COLUMNS);
  spool->terminal = MAX(columns, SMB_SPOOL_LEAST_COLUMNS);
}

guint
smb_spool_table_columns(const SmbSpool *spool) {
  return spool->terminal;
}

guint
smb_spool_columns(const SmbSpool *spool) {
  return spool->columns;
}

void
smb_spool_free(SmbSpool *spool) {
  if (!spool)
    return;
  if (spool->fd >= 0)
    close(spool->fd);
  g_string_free(spool->memory, TRUE);
  g_clear_error(&spool->error);
  g_free(spool);
}

static gboolean
fail_spool(int number, GError **error) {
  return smb_fail(error, G_FILE_ERROR, (int)g_file_error_from_errno(number), "%s",
                  g_strerror(number));
}

int
smb_spool_write_to(int fd, const char *bytes, gsize length) {
  while (length > 0) {
    gssize written = write(fd, bytes, length);
    if (written >= 0) {
      bytes += written;
      length -= (gsize)written;
    } else if (errno == EAGAIN) {
      struct pollfd ready = {fd, POLLOUT, 0};
      poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

static gboolean
write_all_bytes(int fd, const char *bytes, gsize length, GError **error) {
  int number = smb_spool_write_to(fd, bytes, length);
  return number == 0 || fail_spool(number, error);
}

static gboolean
open_temporary(SmbSpool *spool) {
  g_autofree char *path = NULL;
  spool->fd = g_file_open_tmp("smembank-XXXXXX", &path, &spool->error);
  if (spool->fd < 0)
    return FALSE;
  g_unlink(path);
  return TRUE;
}

// Moves what is in memory to the temporary file.
static void
spill(SmbSpool *spool) {
  if (spool->fd < 0 && !open_temporary(spool))
    return;
  if (write_all_bytes(spool->fd, spool->memory->str, spool->memory->len, &spool->error))
    g_string_truncate(spool->memory, 0);
}

void
smb_spool_write(SmbSpool *spool, const char *bytes, gsize length) {
  if (spool->error)
    return;
  g_string_append_len(spool->memory, bytes, (gssize)length);
  if (spool->memory->len >= SMB_SPOOL_MEMORY_BYTES)
    spill(spool);
}

void
smb_spool_puts(SmbSpool *spool, const char *text) {
  if (spool->error)
    return;
  smb_text_append(spool->memory, text, strlen(text));
  if (spool->memory->len >= SMB_SPOOL_MEMORY_BYTES)
    spill(spool);
}

void
smb_spool_fill(SmbSpool *spool, char character, gsize count) {
  while (count-- > 0)
    smb_spool_write(spool, &character, 1);
}

void
smb_spool_number(SmbSpool *spool, guint64 number) {
  char digits[20];
  gsize first = sizeof digits;
  do {
    digits[--first] = (char)('0' + number % 10);
    number /= 10;
  } while (number > 0);
  smb_spool_write(spool, digits + first, sizeof digits - first);
}

void
smb_spool_printf(SmbSpool *spool, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = smb_text_format(format, arguments);
  va_end(arguments);
  smb_spool_puts(spool, text);
}

gboolean
smb_spool_is_empty(const SmbSpool *spool) {
  return spool->fd < 0 && spool->memory->len == 0 && !spool->error;
}

// Where the contents of a spool go: a text, another spool or, if there is neither, a file descriptor.
typedef struct {
  int fd;
  SmbSpool *spool;
  GString *text;
} Sink;

static gboolean
pour(const Sink *sink, const char *bytes, gsize length, GError **error) {
  if (!sink->text && !sink->spool)
    return write_all_bytes(sink->fd, bytes, length, error);
  if (sink->text)
    g_string_append_len(sink->text, bytes, (gssize)length);
  else
    smb_spool_write(sink->spool, bytes, length);
  return TRUE;
}

static gboolean
pour_temporary(int fd, const Sink *sink, GError **error) {
  char chunk[1 << 16];
  gssize got;
  if (lseek(fd, 0, SEEK_SET) < 0)
    return fail_spool(errno, error);
  while ((got = read(fd, chunk, sizeof chunk)) != 0) {
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return fail_spool(errno, error);
    if (!pour(sink, chunk, (gsize)got, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
pour_all(SmbSpool *spool, const Sink *sink, GError **error) {
  if (spool->error) {
    g_propagate_error(error, g_steal_pointer(&spool->error));
    return FALSE;
  }
  if (spool->fd >= 0 && !pour_temporary(spool->fd, sink, error))
    return FALSE;
  if (!pour(sink, spool->memory->str, spool->memory->len, error))
    return FALSE;
  if (spool->fd >= 0)
    close(spool->fd);
  spool->fd = -1;
  g_string_truncate(spool->memory, 0);
  return TRUE;
}

void
smb_spool_append(SmbSpool *spool, SmbSpool *other) {
  Sink sink = {-1, spool, NULL};
  g_autoptr(GError) error = NULL;
  if (!pour_all(other, &sink, &error) && !spool->error)
    spool->error = g_steal_pointer(&error);
}

gboolean
smb_spool_flush(SmbSpool *spool, int fd, GError **error) {
  Sink sink = {fd, NULL, NULL};
  return pour_all(spool, &sink, error);
}

GString *
smb_spool_take(SmbSpool *spool, GError **error) {
  GString *text = g_string_new(NULL);
  Sink sink = {-1, NULL, text};
  if (pour_all(spool, &sink, error))
    return text;
  g_string_free(text, TRUE);
  return NULL;
}
