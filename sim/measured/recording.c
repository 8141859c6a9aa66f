// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Loads recordings, from a file or by name.
#include "sim/measured/recording.h"
#include "sim/base/error.h"

#include "sim/base/data.h"

static void
free_recorded_buffer(gpointer data) {
  SmbRecordedBuffer *buffer = data;
  g_free(buffer->parameter);
  g_free(buffer->sha256);
  g_free(buffer->difference);
  g_free(buffer);
}

SmbRecordedBuffer *
smb_recorded_buffer_new(const char *parameter, guint64 bytes, char *sha256) {
  SmbRecordedBuffer *buffer = g_new0(SmbRecordedBuffer, 1);
  buffer->parameter = g_strdup(parameter);
  buffer->bytes = bytes;
  buffer->sha256 = sha256;
  return buffer;
}

SmbRecordedKernel *
smb_recorded_kernel_new(void) {
  SmbRecordedKernel *kernel = g_new0(SmbRecordedKernel, 1);
  for (guint i = 0; i < 3; i++)
    kernel->block[i] = kernel->grid[i] = 1;
  kernel->defines = g_new0(char *, 1);
  kernel->args = g_new0(char *, 1);
  kernel->contents = g_new0(char *, 1);
  for (guint i = 0; i < SMB_N_METRICS; i++)
    kernel->measured[i] = SMB_NOT_MEASURED;
  for (guint i = 0; i < SMB_N_CACHES; i++)
    kernel->times[i].median = SMB_NOT_MEASURED;
  kernel->buffers = g_ptr_array_new_with_free_func(free_recorded_buffer);
  return kernel;
}

void
smb_recorded_kernel_free(SmbRecordedKernel *kernel) {
  if (!kernel)
    return;
  g_free(kernel->name);
  g_free(kernel->shape);
  g_free(kernel->file);
  g_strfreev(kernel->defines);
  g_strfreev(kernel->args);
  g_strfreev(kernel->contents);
  g_free(kernel->unknown);
  g_clear_pointer(&kernel->instructions, g_array_unref);
  g_ptr_array_unref(kernel->buffers);
  g_free(kernel->failure);
  g_free(kernel);
}

SmbRecording *
smb_recording_new(void) {
  SmbRecording *recording = g_new0(SmbRecording, 1);
  recording->kernels = g_ptr_array_new_with_free_func((GDestroyNotify)smb_recorded_kernel_free);
  recording->requests = g_array_new(FALSE, FALSE, sizeof(SmbRecordedRequest));
  return recording;
}

void
smb_recording_free(SmbRecording *recording) {
  if (!recording)
    return;
  g_free(recording->source);
  g_free(recording->program);
  g_free(recording->date);
  g_free(recording->gpu);
  g_free(recording->driver);
  g_free(recording->cuda_driver);
  g_free(recording->toolkit);
  g_free(recording->arch);
  g_free(recording->method);
  for (guint i = 0; i < SMB_N_METRICS; i++)
    g_free(recording->counters[i]);
  g_free(recording->request_counter);
  g_ptr_array_unref(recording->kernels);
  g_array_unref(recording->requests);
  g_free(recording);
}

static SmbRecording *
load_recording(const char *name, GError **error) {
  g_autofree char *path = g_strdup_printf("measured/%s.json", name);
  g_autofree char *source = g_strdup_printf("data/%s", path);
  g_autoptr(GBytes) bytes = smb_data_load(path, error);
  if (!bytes) {
    smb_prefix_error(error, "%s: ", source);
    return NULL;
  }
  gsize length;
  const char *text = g_bytes_get_data(bytes, &length);
  return smb_recording_new_from_data(source, text ? text : "", length, error);
}

GPtrArray *
smb_recording_load_all(GError **error) {
  g_autoptr(GPtrArray) recordings =
      g_ptr_array_new_with_free_func((GDestroyNotify)smb_recording_free);
  g_auto(GStrv) names = smb_data_list("measured", ".json");
  for (guint i = 0; names[i]; i++) {
    SmbRecording *recording = load_recording(names[i], error);
    if (!recording)
      return NULL;
    g_ptr_array_add(recordings, recording);
  }
  return g_steal_pointer(&recordings);
}
