// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/measure/kernels.h"

#include <string.h>

static gboolean
measure(SmbMeter *meter, const SmbTarget *target, const SmbArch *arch, SmbRecording *recording,
        GError **error) {
  SmbRecordedKernel *kernel = smb_measure_kernel(meter, target, arch, error);
  if (!kernel)
    return FALSE;
  g_ptr_array_add(recording->kernels, kernel);
  smb_measure_note_counters(meter, recording);
  return TRUE;
}

gboolean
smb_measure_target(SmbMeter *meter, const SmbTargetOptions *options, const char *file,
                   SmbArch *arch, SmbRecording *recording, GError **error) {
  g_autoptr(SmbTarget) target = smb_target_new(options, file, arch, error);
  return target && measure(meter, target, arch, recording, error);
}

static guint64
count_launches(const GPtrArray *catalog) {
  guint64 n = 0;
  for (guint i = 0; i < catalog->len; i++)
    n += smb_catalog_defines(g_ptr_array_index(catalog, i), "IPAD") ? 3 : 1;
  return n;
}

// All padded kernels of the catalogue set the macro IPAD.
static gboolean
measure_entry(SmbMeter *meter, const SmbCatalogEntry *entry, SmbArch *arch, SmbRecording *recording,
              SmbProgress *progress, GError **error) {
  static const char *const pads[][2] = {{"IPAD=0"}, {"IPAD=1"}, {"IPAD=2"}, {NULL}};
  gboolean padded = smb_catalog_defines(entry, "IPAD");
  for (guint i = padded ? 0 : 3; i < (padded ? 3 : 4); i++) {
    g_autoptr(SmbTarget) target = smb_target_from_catalog(entry, pads[i], arch, error);
    if (!target || !measure(meter, target, arch, recording, error)) {
      g_prefix_error(error, "%s %s: ", entry->name, entry->shape);
      return FALSE;
    }
    smb_progress_add(progress, 1);
  }
  return TRUE;
}

gboolean
smb_measure_catalog(SmbMeter *meter, const char *kernel, SmbArch *arch, SmbRecording *recording,
                    SmbProgress *progress, GError **error) {
  g_autoptr(GPtrArray) catalog = smb_catalog_load(error);
  if (!catalog || (kernel && !smb_catalog_find(catalog, kernel, NULL, NULL, error)))
    return FALSE;
  smb_progress_begin(progress, "launches", kernel ? 0 : count_launches(catalog));
  for (guint i = 0; i < catalog->len; i++) {
    const SmbCatalogEntry *entry = g_ptr_array_index(catalog, i);
    if (kernel && strcmp(kernel, entry->name) != 0)
      continue;
    if (!measure_entry(meter, entry, arch, recording, progress, error))
      return FALSE;
  }
  return TRUE;
}
