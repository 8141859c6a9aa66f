// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Object files: a cubin, read, decoded and run; bundles of images.
#include "sim/analysis/analysis.h"
#include "sim/base/source.h"
#include "sim/image/images.h"
#include "sim/image/source-line.h"
#include "sim/program/entry.h"
#include "tests/fuzz/targets.h"

enum {
  MAX_KERNELS = 3,      // of a cubin that are run
  MAX_IMAGE = 16 << 20, // bytes of an image that is decompressed
};

static const SmbProgramLimits limits = {.max_steps = 20000};

static void
check_outcome(gboolean read, const GError *error) {
  if (read != (error == NULL))
    g_error("an input is read or refused with a reason");
}

// All that is found is in the file.
static void
check_cubin(const SmbCubin *cubin) {
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbLines) lines = smb_lines_read(cubin, &error);
  SmbLineFrame frames[SMB_LINES_MAX_FRAMES];
  guint sum = 0;
  check_outcome(lines != NULL, error);
  for (guint i = 0; i < cubin->functions->len; i++) {
    const SmbCubinFunction *function = g_ptr_array_index(cubin->functions, i);
    for (guint at = 0; at < function->bytes; at += 16)
      sum += function->code[at + 15] +
             (lines ? smb_lines_find(lines, function->section, function->offset + at, frames) : 0);
  }
  for (guint i = 0; i < cubin->sections->len; i++) {
    const SmbCubinSection *section = &g_array_index(cubin->sections, SmbCubinSection, i);
    sum += section->data && section->bytes ? section->data[section->bytes - 1] : 0;
  }
  if (g_getenv("FUZZ_SHOW"))
    g_printerr("%s, %u functions, %u\n", cubin->target, cubin->functions->len, sum);
}

static void
run(SmbSource *source, const char *symbol, guint chip, gboolean skips) {
  g_autoptr(SmbArch) arch = smb_arch_load(SMB_DEFAULT_ARCH, NULL);
  g_autoptr(GError) error = NULL;
  const SmbProgramOptions options = {.entry = symbol, .cuda_arch = 10 * chip, .limits = limits};
  g_autoptr(SmbProgram) program = smb_program_read(source, &options, &error);
  check_outcome(program != NULL, error);
  if (!program)
    return;
  const SmbLaunch launch = {
      .block = {32, 2, 1}, .grid = {2, 1, 1}, .dynamic_bytes = 256, .skips_unknown = skips};
  const SmbAnalysisOptions how = {.limits = limits, .threads = 1};
  g_autoptr(SmbAnalysis) analysis = smb_analysis_run(program, arch, &launch, &how, &error);
  check_outcome(analysis != NULL, error);
  if (g_getenv("FUZZ_SHOW"))
    g_printerr("%s: %s\n", symbol, error ? error->message : "ran");
}

void
fuzz_cubin(const guint8 *data, gsize size) {
  g_autoptr(GBytes) bytes = g_bytes_new(data, size);
  g_autoptr(GError) error = NULL;
  g_autoptr(SmbCubin) cubin = smb_cubin_read(bytes, "fuzz.cubin", &error);
  check_outcome(cubin != NULL, error);
  if (!cubin)
    return;
  check_cubin(cubin);
  g_autoptr(SmbSource) source = smb_source_new_any("fuzz.cubin", bytes, NULL);
  g_autoptr(SmbEntries) entries = smb_entries_read(source, NULL);
  for (guint i = 0; entries && i < MIN(entries->entries->len, MAX_KERNELS); i++) {
    const SmbEntry *entry = g_ptr_array_index(entries->entries, i);
    run(source, entry->symbol, cubin->chip, size & 1);
  }
}

void
fuzz_fatbin(const guint8 *data, gsize size) {
  static const guint chips[] = {0, 75, 80, 90, 103, 120};
  g_autoptr(GBytes) bytes = g_bytes_new(data, size);
  g_autoptr(GError) error = NULL;
  g_autoptr(GPtrArray) images = smb_images_read(bytes, "fuzz.fatbin", &error);
  check_outcome(images != NULL, error);
  for (guint i = 0; images && i < images->len; i++) {
    const SmbImage *image = g_ptr_array_index(images, i);
    g_autoptr(GError) own = NULL;
    g_autoptr(GBytes) loaded =
        image->bytes > MAX_IMAGE ? NULL : smb_image_load(image, "fuzz.fatbin", &own);
    check_outcome(loaded != NULL || image->bytes > MAX_IMAGE, own);
  }
  for (guint i = 0; images && i < G_N_ELEMENTS(chips); i++) {
    g_autoptr(GError) own = NULL;
    g_autoptr(GPtrArray) chosen = smb_images_choose(images, chips[i], "fuzz.fatbin", &own);
    check_outcome(chosen != NULL, own);
  }
}
