// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A capture, opened and loaded. A tar archive has a checksum in each header, which is made right: else hardly a change would
// get beyond it.
#include <stdio.h>
#include <string.h>

#include "sim/capture/capture.h"
#include "tests/fuzz/targets.h"

enum {
  BLOCK = 512, // bytes of a header
  MAGIC = 257, // where it has "ustar"
  SUM = 148,   // where it has its checksum: 8 bytes, which count as spaces
  SUM_BYTES = 8,
  MAX_LAUNCHES = 8,
};

static void
check_outcome(gboolean read, const GError *error) {
  if (read != (error == NULL))
    g_error("an input is read or refused with a reason");
}

static void
repair(guint8 *data, gsize size) {
  for (gsize at = 0; at + BLOCK <= size; at += BLOCK) {
    guint8 *header = data + at;
    guint sum = 0;
    if (memcmp(header + MAGIC, "ustar", strlen("ustar")) != 0)
      continue;
    memset(header + SUM, ' ', SUM_BYTES);
    for (guint i = 0; i < BLOCK; i++)
      sum += header[i];
    g_snprintf((char *)header + SUM, SUM_BYTES, "%06o", sum);
  }
}

static void
load(const SmbCapture *capture, const SmbCaptureLaunch *launch) {
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbSource) code = smb_capture_code(capture, launch, &error);
  check_outcome(code != NULL, error);
  if (!code)
    return;
  g_autoptr(SmbCaptureLoaded) loaded = smb_capture_load(capture, launch, code, &error);
  check_outcome(loaded != NULL, error);
  if (g_getenv("FUZZ_SHOW"))
    g_printerr("%s: %s\n", launch->kernel, error ? error->message : "loaded");
}

void
fuzz_capture(const guint8 *data, gsize size) {
  g_autofree guint8 *own = g_memdup2(data, size);
  repair(own, size);
  FILE *file = tmpfile();
  if (!file || fwrite(own, 1, size, file) != size || fflush(file) != 0)
    g_error("no room for the input");
  g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", fileno(file));
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbCapture) capture = smb_capture_open(path, &error);
  check_outcome(capture != NULL, error);
  if (g_getenv("FUZZ_SHOW"))
    g_printerr("%s\n", error ? error->message : "a capture");
  for (guint i = 0; capture && i < MIN(smb_capture_n_launches(capture), MAX_LAUNCHES); i++)
    load(capture, smb_capture_launch(capture, i));
  fclose(file);
}
