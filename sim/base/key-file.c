// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/base/key-file.h"

#include <string.h>

#include "sim/base/error.h"

// Bytes up to the end of a line, from 1.
static gsize
find_key_line_end(const char *text, gsize length, gsize line) {
  const char *at = text, *end = text + length;
  for (; at < end && line > 0; line--) {
    const char *feed = memchr(at, '\n', (gsize)(end - at));
    at = feed ? feed + 1 : end;
  }
  return (gsize)(at - text);
}

static gboolean
is_well_formed(const char *text, gsize length) {
  g_autoptr(GKeyFile) keys = g_key_file_new();
  return length == 0 || g_key_file_load_from_data(keys, text, length, G_KEY_FILE_NONE, NULL);
}

// The first line with which the text is broken: all that ends before it can be read.
static gsize
find_broken_line(const char *text, gsize length) {
  gsize good = 0, bad = 1;
  while (find_key_line_end(text, length, bad) < length)
    bad *= 2;
  while (bad - good > 1) {
    gsize middle = good + (bad - good) / 2;
    if (is_well_formed(text, find_key_line_end(text, length, middle)))
      good = middle;
    else
      bad = middle;
  }
  return bad;
}

GKeyFile *
smb_key_file_load(const char *name, const char *text, gsize length, GError **error) {
  g_autoptr(GKeyFile) keys = g_key_file_new();
  g_autoptr(GError) reason = NULL;
  if (length == 0 || g_key_file_load_from_data(keys, text, length, G_KEY_FILE_NONE, &reason))
    return g_steal_pointer(&keys);
  smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s:%" G_GSIZE_FORMAT ": %s", name,
           find_broken_line(text, length), reason->message);
  return NULL;
}
