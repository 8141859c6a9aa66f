// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/advise/changes.h"

#include <string.h>

static void
change_clear(gpointer data) {
  SmbChange *change = data;
  g_free(change->before);
  g_free(change->after);
}

// The bytes of the line that holds a byte, without its line feed.
static void
find_changed_line(const char *text, guint32 offset, guint32 *start, guint32 *end) {
  *start = *end = offset;
  while (*start > 0 && text[*start - 1] != '\n')
    (*start)--;
  while (text[*end] && text[*end] != '\n')
    (*end)++;
}

// Lines that are put between others.
static gboolean
add_lines(GArray *changes, const char *text, const SmbEdit *edit, guint line) {
  gboolean between = edit->length == 0 && g_str_has_suffix(edit->text, "\n") &&
                     (edit->offset == 0 || text[edit->offset - 1] == '\n');
  if (!between)
    return FALSE;
  SmbChange change = {line, NULL, g_strndup(edit->text, strlen(edit->text) - 1)};
  g_array_append_val(changes, change);
  return TRUE;
}

// The lines that the edits from @first on change; Returns: the edit after them
static guint
change_lines(GArray *changes, const char *text, const GArray *edits, guint first, guint line) {
  GString *after = g_string_new(NULL);
  guint32 start, end, unused, at;
  find_changed_line(text, g_array_index(edits, SmbEdit, first).offset, &start, &end);
  at = start;
  guint i = first;
  for (; i < edits->len; i++) {
    const SmbEdit *edit = &g_array_index(edits, SmbEdit, i);
    if (edit->offset > end)
      break;
    g_string_append_len(after, text + at, edit->offset - at);
    g_string_append(after, edit->text);
    at = edit->offset + edit->length;
    if (at > end)
      find_changed_line(text, at, &unused, &end);
  }
  g_string_append_len(after, text + at, end - at);
  SmbChange change = {line, g_strndup(text + start, end - start), g_string_free(after, FALSE)};
  g_array_append_val(changes, change);
  return i;
}

GArray *
smb_changes_new(const SmbSource *source, const GArray *edits) {
  GArray *changes = g_array_new(FALSE, FALSE, sizeof(SmbChange));
  g_array_set_clear_func(changes, change_clear);
  const char *text = smb_source_text(source);
  for (guint i = 0; i < edits->len;) {
    const SmbEdit *edit = &g_array_index(edits, SmbEdit, i);
    guint line, column;
    smb_source_locate(source, edit->offset, &line, &column);
    i = add_lines(changes, text, edit, line) ? i + 1 : change_lines(changes, text, edits, i, line);
  }
  return changes;
}
