// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/validate/record.h"
#include "sim/base/error.h"

#include <string.h>

#include "sim/capture/capture.h"
#include "src/cli/input.h"

static guint
count_failures(const SmbRecording *recording) {
  guint failed = 0;
  for (guint i = 0; i < recording->kernels->len; i++) {
    const SmbRecordedKernel *kernel = g_ptr_array_index(recording->kernels, i);
    failed += kernel->failure != NULL;
  }
  return failed;
}

gboolean
smb_record_write(SmbCli *cli, const SmbRecording *recording, const SmbOutFile *file,
                 GError **error) {
  guint failed = count_failures(recording);
  const char *path = smb_out_file_path(file);
  if (failed > 0 && g_file_test(path, G_FILE_TEST_IS_REGULAR)) {
    smb_spool_printf(
        cli->messages,
        "smembank %s: %s was kept as it was: %u of %u launches failed, and a recording "
        "with failures does not replace a file\n",
        cli->command, path, failed, recording->kernels->len);
    return TRUE;
  }
  g_autofree char *text = smb_recording_to_json(recording);
  return smb_files_write(cli->files, file, text, strlen(text), error);
}

SmbRecording *
smb_record_read(GInputStream *stream, const char *name, GError **error) {
  g_autoptr(GOutputStream) memory = g_memory_output_stream_new_resizable();
  if (g_output_stream_splice(memory, stream, G_OUTPUT_STREAM_SPLICE_CLOSE_TARGET, NULL, error) <
      0) {
    smb_prefix_error(error, "%s: ", name);
    return NULL;
  }
  g_autoptr(GBytes) bytes = g_memory_output_stream_steal_as_bytes(G_MEMORY_OUTPUT_STREAM(memory));
  gsize length;
  const char *text = g_bytes_get_data(bytes, &length);
  return smb_recording_new_from_data(name, text ? text : "", length, error);
}

gboolean
smb_record_look(GBufferedInputStream *stream, SmbHolds *holds, GError **error) {
  if (g_buffered_input_stream_fill(stream, -1, NULL, error) < 0)
    return FALSE;
  gsize length;
  const char *text = g_buffered_input_stream_peek_buffer(stream, &length);
  gsize i = 0;
  while (i < length && g_ascii_isspace(text[i]))
    i++;
  char first = i < length ? text[i] : '\0';
  gboolean is_kernel = first == '/' || first == '.' || smb_source_is_object(text, length);
  *holds = is_kernel ? SMB_HOLDS_KERNEL : first == '{' ? SMB_HOLDS_RECORDING : SMB_HOLDS_TRACE;
  return TRUE;
}

gboolean
smb_record_is_kernel(const char *file) {
  if (g_str_has_suffix(file, ".cu") || smb_capture_recognize(file))
    return TRUE;
  if (strcmp(file, "-") == 0 || !g_file_test(file, G_FILE_TEST_IS_REGULAR))
    return FALSE;
  SmbHolds holds;
  g_autoptr(GInputStream) raw = smb_input_open(file, NULL);
  g_autoptr(GInputStream) stream = raw ? g_buffered_input_stream_new(raw) : NULL;
  return stream && smb_record_look(G_BUFFERED_INPUT_STREAM(stream), &holds, NULL) &&
         holds == SMB_HOLDS_KERNEL;
}
