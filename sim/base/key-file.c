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

guint
smb_key_file_line(const char *text, gsize length, const char *group, const char *key) {
  g_autofree char *whole = g_strndup(text, length), *head = g_strdup_printf("[%s]", group);
  g_auto(GStrv) lines = g_strsplit(whole, "\n", -1);
  gsize key_length = strlen(key);
  gboolean is_inside = FALSE;
  guint of_group = 1, of_key = 0;
  for (guint i = 0; lines[i]; i++) {
    const char *line = g_strstrip(lines[i]);
    if (*line == '[') {
      is_inside = strcmp(line, head) == 0;
      of_group = is_inside ? i + 1 : of_group;
    } else if (is_inside && g_str_has_prefix(line, key)) {
      const char *rest = line + key_length;
      of_key = rest[strspn(rest, " \t")] == '=' ? i + 1 : of_key;
    }
  }
  return of_key ? of_key : of_group;
}
