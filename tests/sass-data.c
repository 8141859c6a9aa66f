// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "tests/sass-data.h"

#include <check.h>
#include <gio/gio.h>
#include <string.h>

#include "sim/image/cubin.h"
#include "sim/sass/instruction.h"

GBytes *
sass_data_read(const char *name) {
  const char *srcdir = g_getenv("srcdir");
  g_autofree char *path = g_strdup_printf("%s/tests/data/sass/%s.gz", srcdir ? srcdir : ".", name);
  g_autofree char *packed = NULL;
  gsize size;
  g_autoptr(GError) error = NULL;
  g_file_get_contents(path, &packed, &size, &error);
  ck_assert_msg(!error, "%s", error ? error->message : "");
  g_autoptr(GInputStream) bytes = g_memory_input_stream_new_from_data(packed, (gssize)size, NULL);
  g_autoptr(GConverter) unzip = G_CONVERTER(g_zlib_decompressor_new(G_ZLIB_COMPRESSOR_FORMAT_GZIP));
  g_autoptr(GInputStream) plain = g_converter_input_stream_new(bytes, unzip);
  g_autoptr(GOutputStream) stream = g_memory_output_stream_new_resizable();
  GOutputStreamSpliceFlags closes =
      G_OUTPUT_STREAM_SPLICE_CLOSE_SOURCE | G_OUTPUT_STREAM_SPLICE_CLOSE_TARGET;
  g_output_stream_splice(stream, plain, closes, NULL, &error);
  ck_assert_msg(!error, "%s: %s", path, error ? error->message : "");
  return g_memory_output_stream_steal_as_bytes(G_MEMORY_OUTPUT_STREAM(stream));
}

SassKernel
sass_kernel_open(guint chip) {
  const char *srcdir = g_getenv("srcdir");
  g_autofree char *path =
      g_strdup_printf("%s/tests/data/sass/code.sm_%u.cubin", srcdir ? srcdir : ".", chip);
  SassKernel kernel = {.chip = chip};
  ck_assert(g_file_get_contents(path, &kernel.file, &kernel.size, NULL));
  g_autoptr(GBytes) whole = g_bytes_new_static(kernel.file, kernel.size);
  g_autoptr(SmbCubin) cubin = smb_cubin_read(whole, path, NULL);
  kernel.at = (gsize)(smb_cubin_function(cubin, "reads")->code - (const guint8 *)kernel.file);
  kernel.at += SASS_PLACE;
  return kernel;
}

void
sass_kernel_clear(SassKernel *kernel) {
  g_clear_pointer(&kernel->file, g_free);
}

SmbProgram *
sass_kernel_read(const SassKernel *kernel, const guint8 *bytes, GError **error) {
  const SmbProgramOptions options = {.entry = "reads", .cuda_arch = 10 * kernel->chip, .lanes = 32};
  memcpy(kernel->file + kernel->at, bytes, SASS_BYTES);
  g_autoptr(GBytes) changed = g_bytes_new(kernel->file, kernel->size);
  g_autoptr(SmbSource) source = smb_source_new_any("k.cubin", changed, NULL);
  return smb_program_read(source, &options, error);
}
