// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "tests/capture-folder.h"

#include <check.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "sim/base/source.h"
#include "sim/image/cubin.h"

static char *folder;

void
capture_folder_make(void) {
  folder = g_dir_make_tmp("smembank-capture-XXXXXX", NULL);
  ck_assert_ptr_nonnull(folder);
}

void
capture_folder_remove(void) {
  GDir *dir = g_dir_open(folder, 0, NULL);
  const char *name;
  while ((name = g_dir_read_name(dir))) {
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_unlink(path);
  }
  g_dir_close(dir);
  g_rmdir(folder);
  g_clear_pointer(&folder, g_free);
}

char *
capture_in_folder(const char *name) {
  return g_build_filename(folder, name, NULL);
}

GBytes *
capture_load_cubin(void) {
  const char *srcdir = g_getenv("srcdir");
  g_autofree char *path =
      g_strdup_printf("%s/tests/data/sass/parameters.sm_90a.cubin", srcdir ? srcdir : ".");
  GBytes *bytes = smb_source_read_bytes(path, SMB_SOURCE_MAX_BYTES, NULL);
  ck_assert_ptr_nonnull(bytes);
  return bytes;
}

SmbCapture *
capture_open_whole(const char *path) {
  GError *error = NULL;
  SmbCapture *capture = smb_capture_open(path, &error);
  ck_assert_msg(capture, "%s", error ? error->message : "");
  return capture;
}

char *
capture_find_kernel(GBytes *image, guint *bytes) {
  g_autoptr(SmbCubin) cubin = smb_cubin_read(image, "test", NULL);
  for (guint i = 0; i < cubin->functions->len; i++) {
    const SmbCubinFunction *function = cubin->functions->pdata[i];
    *bytes = function->parameter_bytes;
    if (function->is_kernel && function->parameters->len > 1)
      return g_strdup(function->name);
  }
  ck_abort();
}

// --- captures that tests write

static char *command[] = {(char *)"./app", (char *)"two\nlines", NULL};
const SmbCaptureHeader capture_header = {(char *)"smembank 0.1.0", command,
                                         (char *)"2026-11-25T12:00:00Z", 64u << 20};

// A launch that needs nothing but its image.
SmbCaptureLaunch *
capture_make_launch(guint64 number, const char *kernel, const char *image) {
  SmbCaptureLaunch *launch = smb_capture_launch_new();
  launch->number = number;
  launch->launch = 100 + number;
  launch->process = 4711;
  launch->stream = g_strdup("0x5581");
  launch->kernel = g_strdup(kernel);
  launch->image = g_strdup(image);
  launch->arch = g_strdup("sm_90");
  launch->device_name = g_strdup("NVIDIA H100");
  launch->driver = g_strdup("13000");
  for (guint i = 0; i < 3; i++)
    launch->grid[i] = launch->block[i] = 1;
  launch->block[0] = 32;
  launch->time = 0.25;
  return launch;
}

SmbCaptureWriter *
capture_start(const char *path) {
  GError *error = NULL;
  SmbCaptureWriter *writer = smb_capture_writer_new(path, &capture_header, &error);
  ck_assert_msg(writer, "%s", error ? error->message : "");
  return writer;
}

char *
capture_store(SmbCaptureWriter *writer, const guchar *data, gsize n) {
  GError *error = NULL;
  char *hash = NULL;
  ck_assert_msg(smb_capture_writer_memory(writer, data, n, &hash, &error), "%s",
                error ? error->message : "");
  return hash;
}

char *
capture_store_image(SmbCaptureWriter *writer, GBytes *image) {
  GError *error = NULL;
  char *hash = NULL;
  ck_assert_msg(smb_capture_writer_image(writer, image, &hash, &error), "%s",
                error ? error->message : "");
  return hash;
}

void
capture_write_launch(SmbCaptureWriter *writer, const SmbCaptureLaunch *launch) {
  GError *error = NULL;
  ck_assert_msg(smb_capture_writer_launch(writer, launch, &error), "%s",
                error ? error->message : "");
}

void
capture_finish(SmbCaptureWriter *writer) {
  GError *error = NULL;
  g_autoptr(SmbCaptureEnd) end = smb_capture_end_new("it exited with status 0");
  smb_capture_end_add(end, "plain", 40, 2, 1500);
  smb_capture_end_add(end, "other", 3, 0, -1);
  ck_assert_msg(smb_capture_writer_finish(writer, end, &error), "%s", error ? error->message : "");
  smb_capture_writer_free(writer);
}
