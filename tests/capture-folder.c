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
