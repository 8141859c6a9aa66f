// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Reads what a buffer holds: a fill, random numbers, or a file.
#include "sim/launch/buffer.h"

#include <string.h>

#include "sim/base/error.h"
#include "sim/base/source.h"

static const struct {
  const char *name;
  SmbScalar scalar;
  guint64 most; // of BELOW: whole numbers up to this are exact
} types[] = {
    {"i8", SMB_SCALAR_I8, 1 << 7},
    {"u8", SMB_SCALAR_U8, 1 << 8},
    {"i16", SMB_SCALAR_I16, 1 << 15},
    {"u16", SMB_SCALAR_U16, 1 << 16},
    {"i32", SMB_SCALAR_I32, G_GUINT64_CONSTANT(1) << 31},
    {"u32", SMB_SCALAR_U32, G_GUINT64_CONSTANT(1) << 32},
    {"i64", SMB_SCALAR_I64, G_GUINT64_CONSTANT(1) << 63},
    {"u64", SMB_SCALAR_U64, G_MAXUINT64},
    {"f16", SMB_SCALAR_F16, 1 << 11},
    {"bf16", SMB_SCALAR_BF16, 1 << 8},
    {"f32", SMB_SCALAR_F32, 1 << 24},
    {"f64", SMB_SCALAR_F64, G_GUINT64_CONSTANT(1) << 53},
};

#define refuse(error, text, format, ...)                                                           \
  smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "buffer '%s': " format, text, ##__VA_ARGS__)

// Its place in the table; of another text after the last one.
static guint
find_element_type(const char *text) {
  guint type = 0;
  while (type < G_N_ELEMENTS(types) && strcmp(types[type].name, text) != 0)
    type++;
  return type;
}

gboolean
smb_buffer_type(const char *text, SmbScalar *scalar) {
  guint type = find_element_type(text);
  if (type < G_N_ELEMENTS(types))
    *scalar = types[type].scalar;
  return type < G_N_ELEMENTS(types);
}

// "iota:TYPE" or "random:TYPE[:SEED[:BELOW]]", in parts.
static gboolean
parse_generator(SmbBuffer *buffer, const char *text, char **parts, GError **error) {
  SmbContents *contents = &buffer->contents;
  gboolean is_random = strcmp(parts[0], "random") == 0;
  guint n = g_strv_length(parts);
  if (is_random ? n < 2 || n > 4 : n != 2)
    return refuse(error, text, "expected %s",
                  is_random ? "random:TYPE[:SEED[:BELOW]]" : "iota:TYPE");
  guint type = find_element_type(parts[1]);
  if (type == G_N_ELEMENTS(types))
    return refuse(error, text, "unknown type '%s': expected " SMB_BUFFER_TYPES, parts[1]);
  contents->fill = is_random ? SMB_FILL_RANDOM : SMB_FILL_IOTA;
  contents->scalar = types[type].scalar;
  if (n > 2 && !g_ascii_string_to_unsigned(parts[2], 10, 0, G_MAXUINT64, &contents->seed, NULL))
    return refuse(error, text, "expected a whole number as SEED, not '%s'", parts[2]);
  if (n == 4 &&
      !g_ascii_string_to_unsigned(parts[3], 10, 1, types[type].most, &contents->below, NULL))
    return refuse(error, text,
                  "expected a whole number from 1 to %" G_GUINT64_FORMAT " as BELOW, not '%s'",
                  types[type].most, parts[3]);
  return TRUE;
}

static gboolean
load_buffer_file(SmbBuffer *buffer, const char *path, GError **error) {
  buffer->file = smb_source_read_bytes(path, SMB_BUFFER_MAX_BYTES, error);
  if (!buffer->file)
    return FALSE;
  buffer->path = g_strdup(path);
  buffer->contents.fill = SMB_FILL_BYTES;
  buffer->contents.bytes = g_bytes_get_data(buffer->file, &buffer->contents.length);
  return TRUE;
}

const char *
smb_buffer_file(const char *text) {
  static const char *const others[] = {"zeros", "iota", "random"};
  const char *equals = strchr(text, '=');
  gsize length = equals ? strcspn(equals + 1, ":@") : 0;
  for (guint i = 0; i < G_N_ELEMENTS(others); i++) {
    if (length == strlen(others[i]) && strncmp(equals + 1, others[i], length) == 0)
      return NULL;
  }
  return length > 0 ? equals + 1 : NULL;
}

static gboolean
parse_contents(SmbBuffer *buffer, const char *text, const char *spec, GError **error) {
  g_auto(GStrv) parts = g_strsplit(spec, ":", -1);
  buffer->is_default = !*spec;
  if (!*spec)
    return TRUE;
  buffer->contents.fill = SMB_FILL_ZEROS;
  if (strcmp(spec, "zeros") == 0)
    return TRUE;
  if (strcmp(parts[0], "iota") == 0 || strcmp(parts[0], "random") == 0)
    return parse_generator(buffer, text, parts, error);
  return load_buffer_file(buffer, spec, error);
}

SmbBuffer *
smb_buffer_parse(const char *text, GError **error) {
  g_autoptr(SmbBuffer) buffer = g_new0(SmbBuffer, 1);
  const char *equals = strchr(text, '=');
  if (!equals || equals == text || !equals[1]) {
    refuse(error, text, "expected NAME=SPEC");
    return NULL;
  }
  buffer->name = g_strndup(text, (gsize)(equals - text));
  buffer->spec = g_strdup(equals + 1);
  const char *at = strrchr(buffer->spec, '@');
  g_autofree char *spec =
      at ? g_strndup(buffer->spec, (gsize)(at - buffer->spec)) : g_strdup(buffer->spec);
  if (at &&
      !g_ascii_string_to_unsigned(at + 1, 10, 0, SMB_BUFFER_MAX_OFFSET, &buffer->offset, NULL)) {
    refuse(error, text,
           "expected a number of elements from 0 to %" G_GUINT64_FORMAT
           " after '@' (for a file with '@' in its name, add @0)",
           SMB_BUFFER_MAX_OFFSET);
    return NULL;
  }
  return parse_contents(buffer, text, spec, error) ? g_steal_pointer(&buffer) : NULL;
}

void
smb_buffer_free(SmbBuffer *buffer) {
  if (!buffer)
    return;
  g_free(buffer->name);
  g_free(buffer->spec);
  g_free(buffer->path);
  g_clear_pointer(&buffer->file, g_bytes_unref);
  g_free(buffer);
}

gboolean
smb_buffer_is_of(const SmbBuffer *buffer, const char *name, guint index) {
  g_autofree char *number = g_strdup_printf("%u", index);
  return strcmp(buffer->name, name) == 0 || strcmp(buffer->name, number) == 0;
}

GPtrArray *
smb_buffers_parse(const char *const *texts, GError **error) {
  g_autoptr(GPtrArray) buffers = g_ptr_array_new_with_free_func((GDestroyNotify)smb_buffer_free);
  for (guint i = 0; texts && texts[i]; i++) {
    SmbBuffer *buffer = smb_buffer_parse(texts[i], error);
    if (!buffer)
      return NULL;
    g_ptr_array_add(buffers, buffer);
  }
  return g_steal_pointer(&buffers);
}
