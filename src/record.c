// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/record.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "src/out-file.h"

gboolean
smb_record_write(const SmbRecording *recording, const char *path, GError **error) {
  g_autofree char *text = smb_recording_to_json(recording);
  return smb_out_file_write(path, text, strlen(text), error);
}

gboolean
smb_record_check(const char *path, GError **error) {
  g_autofree char *folder = path ? g_path_get_dirname(path) : NULL;
  gboolean is_folder = path && g_file_test(path, G_FILE_TEST_IS_DIR);
  if (!path || (!is_folder && g_access(folder, W_OK | X_OK) == 0))
    return TRUE;
  int number = is_folder ? EISDIR : errno;
  g_set_error(error, G_FILE_ERROR, (gint)g_file_error_from_errno(number), "cannot write %s: %s",
              path, g_strerror(number));
  return FALSE;
}

SmbRecording *
smb_record_read(GInputStream *stream, const char *name, GError **error) {
  g_autoptr(GOutputStream) memory = g_memory_output_stream_new_resizable();
  if (g_output_stream_splice(memory, stream, G_OUTPUT_STREAM_SPLICE_CLOSE_TARGET, NULL, error) <
      0) {
    g_prefix_error(error, "%s: ", name);
    return NULL;
  }
  g_autoptr(GBytes) bytes = g_memory_output_stream_steal_as_bytes(G_MEMORY_OUTPUT_STREAM(memory));
  gsize length;
  const char *text = g_bytes_get_data(bytes, &length);
  return smb_recording_new_from_data(name, text ? text : "", length, error);
}

gboolean
smb_record_is_next(GBufferedInputStream *stream, gboolean *found, GError **error) {
  if (g_buffered_input_stream_fill(stream, -1, NULL, error) < 0)
    return FALSE;
  gsize length;
  const char *text = g_buffered_input_stream_peek_buffer(stream, &length);
  gsize i = 0;
  while (i < length && g_ascii_isspace(text[i]))
    i++;
  *found = i < length && text[i] == '{';
  return TRUE;
}
