// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/base/source.h"

#include <string.h>

#include "sim/base/error.h"
#include "sim/base/file.h"
#include "sim/base/text.h"

// A line longer than this is shown in part: the message stays readable.
enum {
  MAX_SHOWN_LINE = 160
};

// A text that another one includes, and where its offsets begin in the whole.
typedef struct {
  guint32 base;
  SmbSource *source;
} Part;

struct _SmbSource {
  gatomicrefcount references;
  char *name;
  char *text;
  gsize length;
  GBytes *object;      // NULL of a text
  GArray *line_starts; // guint32 byte offsets
  SmbSource *main;     // for a whole: the text that includes others, to which the four above belong
  GArray *parts;       // Part, in the order of their offsets
  GMutex lock;         // of what follows
  GPtrArray *inputs;   // for a text: names of those that its wholes include
  gpointer parsed;     // smb_source_parsed(); NULL: it was not parsed yet
  GDestroyNotify free_parsed;
};

// The first byte that no text has: a control character other than white space.
static const char *
find_binary_byte(const char *text, gsize length) {
  for (gsize i = 0; i < length; i++) {
    guchar c = (guchar)text[i];
    if (c < 0x20 && !(c >= '\t' && c <= '\r'))
      return text + i;
  }
  return NULL;
}

static SmbSource *
make_source(const char *name, const char *text, gsize length) {
  SmbSource *source = g_new0(SmbSource, 1);
  g_atomic_ref_count_init(&source->references);
  source->name = g_strdup(name);
  source->text = g_strndup(text, length);
  source->length = length;
  source->line_starts = g_array_new(FALSE, FALSE, sizeof(guint32));
  source->inputs = g_ptr_array_new_with_free_func(g_free);
  g_mutex_init(&source->lock);
  guint32 start = 0;
  do {
    g_array_append_val(source->line_starts, start);
    const char *end = memchr(source->text + start, '\n', length - start);
    start = end ? (guint32)(end - source->text) + 1 : (guint32)length;
  } while (start < length);
  return source;
}

SmbSource *
smb_source_new(const char *name, GBytes *bytes, GError **error) {
  gsize length;
  const char *text = g_bytes_get_data(bytes, &length);
  if (length > SMB_SOURCE_MAX_BYTES) {
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
             "%s: %" G_GSIZE_FORMAT " bytes: a kernel file is at most %u bytes", name, length,
             SMB_SOURCE_MAX_BYTES);
    return NULL;
  }
  const char *binary = find_binary_byte(text, length);
  if (binary) {
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
             "%s: byte 0x%02x at offset %" G_GSIZE_FORMAT ": not a text file", name,
             (guint)(guchar)*binary, (gsize)(binary - text));
    return NULL;
  }
  return make_source(name, text ? text : "", length);
}

// The first bytes of object files, which are therefore not texts.
static const struct {
  const char *bytes;
  gsize n;
} object_files[] = {{"\177ELF", 4}, {"!<arch>\n", 8}, {"\x50\xed\x55\xba", 4}};

gboolean
smb_source_is_object(const void *data, gsize length) {
  for (guint i = 0; i < G_N_ELEMENTS(object_files); i++) {
    if (length >= object_files[i].n && memcmp(data, object_files[i].bytes, object_files[i].n) == 0)
      return TRUE;
  }
  return FALSE;
}

SmbSource *
smb_source_new_any(const char *name, GBytes *bytes, GError **error) {
  gsize length;
  const void *data = g_bytes_get_data(bytes, &length);
  if (!smb_source_is_object(data, length))
    return smb_source_new(name, bytes, error);
  if (length > SMB_SOURCE_MAX_OBJECT_BYTES) {
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: an object file is at most %u bytes", name,
             SMB_SOURCE_MAX_OBJECT_BYTES);
    return NULL;
  }
  SmbSource *source = make_source(name, "", 0);
  source->object = g_bytes_ref(bytes);
  return source;
}

GBytes *
smb_source_bytes(const SmbSource *source) {
  return source->object;
}

gconstpointer
smb_source_parsed(SmbSource *source,
                  gpointer (*parse)(SmbSource *source, const char *user, GError **error),
                  const char *user, GDestroyNotify free, GError **error) {
  G_GNUC_UNUSED g_autoptr(GMutexLocker) locker = g_mutex_locker_new(&source->lock);
  if (!source->parsed) {
    source->parsed = parse(source, user, error);
    source->free_parsed = free;
  }
  return source->parsed;
}

// Reads until the end, or until there is more than is allowed: an endless file is left.
// @max_object: what is allowed of a file that begins as an object file does; 0: the same.
static GBytes *
read_source_bytes(const char *path, guint max, guint max_object, GError **error) {
  g_autoptr(SmbFile) file = smb_file_open(path, error);
  g_autoptr(GByteArray) bytes = g_byte_array_new();
  guint8 buffer[1 << 16];
  gssize got = file ? 1 : -1;
  while (got > 0 && bytes->len <= max) {
    got = smb_file_read(file, buffer, sizeof buffer, error);
    if (bytes->len == 0 && got > 0 && max_object && smb_source_is_object(buffer, (gsize)got))
      max = max_object;
    if (bytes->len == 0 && smb_file_size(file) > max)
      break;
    g_byte_array_append(bytes, buffer, (guint)MAX(got, 0));
  }
  if (got == 0)
    return g_byte_array_free_to_bytes(g_steal_pointer(&bytes));
  if (got > 0)
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "the file is larger than %u bytes", max);
  if (file)
    smb_prefix_error(error, "%s: ", path);
  return NULL;
}

GBytes *
smb_source_read_bytes(const char *path, guint max, GError **error) {
  return read_source_bytes(path, max, 0, error);
}

SmbSource *
smb_source_load(const char *path, GError **error) {
  g_autoptr(GBytes) bytes = smb_source_read_bytes(path, SMB_SOURCE_MAX_BYTES, error);
  return bytes ? smb_source_new(path, bytes, error) : NULL;
}

SmbSource *
smb_source_load_any(const char *path, GError **error) {
  g_autoptr(GBytes) bytes =
      read_source_bytes(path, SMB_SOURCE_MAX_BYTES, SMB_SOURCE_MAX_OBJECT_BYTES, error);
  return bytes ? smb_source_new_any(path, bytes, error) : NULL;
}

SmbSource *
smb_source_ref(SmbSource *source) {
  g_atomic_ref_count_inc(&source->references);
  return source;
}

void
smb_source_unref(SmbSource *source) {
  if (!source || !g_atomic_ref_count_dec(&source->references))
    return;
  for (guint i = 0; source->parts && i < source->parts->len; i++)
    smb_source_unref(g_array_index(source->parts, Part, i).source);
  g_clear_pointer(&source->parts, g_array_unref);
  if (source->main) {
    smb_source_unref(source->main);
    g_free(source);
    return;
  }
  g_free(source->name);
  g_free(source->text);
  if (source->parsed)
    source->free_parsed(source->parsed);
  g_clear_pointer(&source->object, g_bytes_unref);
  g_array_unref(source->line_starts);
  g_ptr_array_unref(source->inputs);
  g_mutex_clear(&source->lock);
  g_free(source);
}

SmbSource *
smb_source_whole(SmbSource *main) {
  SmbSource *whole = g_new0(SmbSource, 1);
  g_atomic_ref_count_init(&whole->references);
  whole->main = smb_source_ref(main->main ? main->main : main);
  whole->name = whole->main->name;
  whole->text = whole->main->text;
  whole->length = whole->main->length;
  whole->object = whole->main->object;
  whole->line_starts = whole->main->line_starts;
  whole->parts = g_array_new(FALSE, FALSE, sizeof(Part));
  return whole;
}

static void
note_input(SmbSource *main, const char *name) {
  g_mutex_lock(&main->lock);
  if (!g_ptr_array_find_with_equal_func(main->inputs, name, g_str_equal, NULL))
    g_ptr_array_add(main->inputs, g_strdup(name));
  g_mutex_unlock(&main->lock);
}

guint32
smb_source_include(SmbSource *whole, SmbSource *source) {
  guint n = whole->parts->len;
  const Part *last = n > 0 ? &g_array_index(whole->parts, Part, n - 1) : NULL;
  Part part = {last ? last->base + (guint32)last->source->length + 1 : (guint32)whole->length + 1,
               smb_source_ref(source)};
  g_array_append_val(whole->parts, part);
  note_input(whole->main, source->name);
  return part.base;
}

char **
smb_source_inputs(const SmbSource *source) {
  SmbSource *main = source->main ? source->main : (SmbSource *)source;
  g_autoptr(GStrvBuilder) names = g_strv_builder_new();
  g_mutex_lock(&main->lock);
  for (guint i = 0; i < main->inputs->len; i++)
    g_strv_builder_add(names, main->inputs->pdata[i]);
  g_mutex_unlock(&main->lock);
  return g_strv_builder_end(names);
}

// The text in which an offset into a whole lies; the offset becomes one into that.
static const SmbSource *
find_source_part(const SmbSource *source, guint32 *offset) {
  for (guint i = source->parts ? source->parts->len : 0; i-- > 0;) {
    const Part *part = &g_array_index(source->parts, Part, i);
    if (*offset < part->base)
      continue;
    *offset -= part->base;
    return part->source;
  }
  return source;
}

const char *
smb_source_file(const SmbSource *source, guint32 offset) {
  const SmbSource *part = find_source_part(source, &offset);
  return part == source ? NULL : part->name;
}

char *
smb_source_slice(const SmbSource *source, guint32 start, guint32 end) {
  guint32 from = start;
  const SmbSource *part = find_source_part(source, &from);
  gsize length = end > start ? end - start : 0;
  from = MIN(from, (guint32)part->length);
  return g_strndup(part->text + from, MIN(length, part->length - from));
}

const char *
smb_source_name(const SmbSource *source) {
  return source->name;
}

const char *
smb_source_text(const SmbSource *source) {
  return source->text;
}

gsize
smb_source_length(const SmbSource *source) {
  return source->length;
}

guint
smb_source_n_lines(const SmbSource *source) {
  return source->line_starts->len;
}

char *
smb_source_line(const SmbSource *source, guint line) {
  guint32 start = g_array_index(source->line_starts, guint32, line - 1);
  gsize length = strcspn(source->text + start, "\r\n");
  return g_strndup(source->text + start, length);
}

void
smb_source_locate(const SmbSource *source, guint32 offset, guint *line, guint *column) {
  source = find_source_part(source, &offset);
  guint low = 0, high = source->line_starts->len;
  while (high - low > 1) {
    guint middle = (low + high) / 2;
    if (g_array_index(source->line_starts, guint32, middle) <= offset)
      low = middle;
    else
      high = middle;
  }
  *line = low + 1;
  *column = offset - g_array_index(source->line_starts, guint32, low) + 1;
}

// Moves an offset of a line to where a character begins: past the three bytes that a character of UTF-8 may have
// after its first, at most.
static gsize
find_character(const char *line, gsize length, gsize at) {
  for (guint i = 0; i < 3 && at < length && ((guchar)line[at] & 0xc0) == 0x80; i++)
    at++;
  return MIN(at, length);
}

char *
smb_source_message(const SmbSource *source, guint32 offset, const char *text) {
  guint line, column;
  source = find_source_part(source, &offset);
  smb_source_locate(source, offset, &line, &column);
  g_autofree char *full = smb_source_line(source, line);
  gsize length = strlen(full), place = MIN(column - 1, length);
  gsize from =
      place >= MAX_SHOWN_LINE ? find_character(full, length, place - MAX_SHOWN_LINE / 2) : 0;
  gsize to = find_character(full, length, MIN(from + MAX_SHOWN_LINE, length));
  g_autofree char *part = g_strndup(full + from, to - from);
  g_autofree char *before = g_strndup(full + from, place - from);
  g_autofree char *name = smb_text_escape_lines(source->name);
  GString *message = g_string_new(NULL);
  g_string_append_printf(message, "%s:%u:%u: %s\n%5u | ", name, line, column, text, line);
  smb_text_append(message, part, strlen(part));
  g_string_append(message, "\n      | ");
  // A tab stays one, so that the place is below its character whatever the tabs of the terminal are.
  g_auto(GStrv) parts = g_strsplit(before, "\t", -1);
  for (guint i = 0; parts[i]; i++)
    g_string_append_printf(message, "%s%*s", i ? "\t" : "", (int)smb_text_width(parts[i]), "");
  g_string_append_c(message, '^');
  return g_string_free(message, FALSE);
}

gboolean
smb_source_error(const SmbSource *source, guint32 offset, GError **error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = smb_text_format(format, arguments);
  va_end(arguments);
  g_autofree char *message = smb_source_message(source, offset, text);
  return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%-s", message);
}
