// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "tests/sass-data.h"

#include <check.h>
#include <gio/gio.h>

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
