// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/out-file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <glib/gstdio.h>

static gboolean
set_errno_error(const char *path, int number, GError **error) {
  g_set_error(error, G_FILE_ERROR, (gint)g_file_error_from_errno(number), "cannot write %s: %s",
              path, g_strerror(number));
  return FALSE;
}

static gboolean
write_through(const char *path, const char *text, gsize length, GError **error) {
  FILE *file = fopen(path, "we");
  if (!file)
    return set_errno_error(path, errno, error);
  int number = fwrite(text, 1, length, file) == length ? 0 : errno;
  if (fclose(file) != 0 && !number)
    number = errno;
  return number ? set_errno_error(path, number, error) : TRUE;
}

gboolean
smb_out_file_write(const char *path, const char *text, gsize length, GError **error) {
  GStatBuf status;
  if (g_stat(path, &status) == 0 && !S_ISREG(status.st_mode))
    return write_through(path, text, length, error);
  g_autofree char *target = realpath(path, NULL);
  return g_file_set_contents(target ? target : path, text, (gssize)length, error);
}

gboolean
smb_out_file_save(const char *path, SmbSpool *spool, gsize *length, GError **error) {
  GString *text = smb_spool_take(spool, error);
  if (!text)
    return FALSE;
  gboolean written = smb_out_file_write(path, text->str, text->len, error);
  if (length)
    *length = text->len;
  g_string_free(text, TRUE);
  return written;
}
