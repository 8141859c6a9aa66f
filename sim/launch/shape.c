// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Reads arrays that the user names within bytes of shared memory.
#include "sim/launch/shape.h"

#include <string.h>

#include "sim/base/error.h"
#include "sim/base/order.h"
#include "sim/base/text.h"
#include "sim/launch/buffer.h"
#include "sim/layout/tile.h"
#include "sim/program/inside.h"

// What all static and all dynamic shared memory of machine code is called besides, whatever the names of its arrays are.
#define STATIC_NAME  "shared"
#define DYNAMIC_NAME "dynamic"

// Most elements of a dimension: shared memory has fewer.
#define MAX_EXTENT (G_GUINT64_CONSTANT(1) << 20)

#define refuse(error, text, format, ...)                                                           \
  smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "array '%s': " format, text, ##__VA_ARGS__)

// What is behind "=": dimensions and a type.
static gboolean
parse_elements(const char *text, const char *shape, SmbArray *array, GError **error) {
  g_auto(GStrv) parts = g_strsplit(shape, "x", -1);
  guint n = g_strv_length(parts);
  const SmbElement *element = n > 0 ? smb_element_find(parts[n - 1]) : NULL;
  if (!element || smb_element_is_packed(element))
    return refuse(error, text,
                  "expected NAME=ROWSxCOLUMNSxTYPE with b128, " SMB_BUFFER_TYPES " as TYPE");
  if (n - 1 > SMB_ARRAY_MAX_DIMENSIONS)
    return refuse(error, text, "expected at most %d dimensions", SMB_ARRAY_MAX_DIMENSIONS);
  array->element = element->c_name;
  array->element_bytes = element->bytes;
  array->n_dimensions = n - 1;
  for (guint i = 0; i + 1 < n; i++) {
    if (!g_ascii_string_to_unsigned(parts[i], 10, 1, MAX_EXTENT, &array->dimension[i], NULL))
      return refuse(error, text, "expected a number from 1 to %" G_GUINT64_FORMAT ", not '%s'",
                    MAX_EXTENT, parts[i]);
  }
  return TRUE;
}

// The same of a layout in a notation of sim/layout.
static gboolean
parse_array_layout(const char *text, const char *layout, SmbShape *shape, GError **error) {
  static const SmbTileDefaults none = {0};
  g_autoptr(GBytes) bytes = g_bytes_new_static(text, strlen(text));
  g_autoptr(SmbSource) source = smb_source_new("array", bytes, error);
  SmbNotation notation = {
      .source = source, .at = (guint32)(layout - text), .end = (guint32)strlen(text)};
  shape->tile = source ? smb_tile_parse(&notation, &none, error) : NULL;
  if (!shape->tile) {
    if (error && g_error_matches(*error, SMB_ERROR, SMB_ERROR_INPUT))
      (*error)->code = SMB_ERROR_USAGE;
    return FALSE;
  }
  SmbArray *array = &shape->array;
  array->tile = shape->tile;
  array->element = shape->tile->element->c_name;
  array->element_bytes = shape->tile->element->bytes;
  array->n_dimensions = 1;
  array->dimension[0] = shape->tile->bytes / array->element_bytes;
  return TRUE;
}

// The size of an array that has @room from byte @offset of its variable on; without dimensions it takes all of that.
static gboolean
find_array_size(const char *text, guint64 offset, guint64 room, SmbArray *array, GError **error) {
  if (array->n_dimensions == 0) {
    array->n_dimensions = 1;
    array->dimension[0] = MAX(room / array->element_bytes, 1);
  }
  guint64 bytes = array->element_bytes;
  for (guint i = 0; i < array->n_dimensions; i++)
    bytes = MIN(bytes * array->dimension[i], G_MAXUINT32);
  array->bytes = bytes;
  if (bytes <= room)
    return TRUE;
  refuse(error, text, "it takes %s, and there %s %s%s", smb_count(bytes, "byte").text,
         smb_is_are(room), smb_number(room).text,
         array->is_dynamic ? " of dynamic shared memory" : "");
  return array->is_dynamic &&
         smb_hint(error, SMB_HINT_DYNAMIC_BYTES, NULL, smb_number(offset + bytes).text);
}

// Whether an array is what a name means. @offset: (inout): in it
static gboolean
is_shaped(const SmbProgram *program, const SmbArray *array, const char *name, guint64 *offset) {
  if (array->variable && strcmp(array->variable, name) == 0 &&
      *offset - array->inside < array->bytes) {
    *offset -= array->inside;
    return TRUE;
  }
  gboolean is_all = smb_program_is_machine_code(program) && !array->is_dynamic &&
                    strcmp(name, STATIC_NAME) == 0 && *offset - array->base < array->bytes;
  if (is_all && strcmp(array->name, name) != 0)
    *offset -= array->base;
  return is_all || strcmp(array->name, name) == 0 ||
         (array->is_dynamic && strcmp(name, DYNAMIC_NAME) == 0);
}

// The variable of that name, and all of its bytes as an array.
static gboolean
find_shaped_variable(const char *text, const char *name, const SmbProgram *program, guint64 *offset,
                     SmbShape *shape, GError **error) {
  g_autoptr(GString) names = g_string_new(NULL);
  for (guint i = 0; i < smb_program_n_arrays(program); i++) {
    const SmbArray *array = smb_program_array(program, i);
    if (is_shaped(program, array, name, offset)) {
      *shape = (SmbShape){.array = *array, .variable = i};
      return TRUE;
    }
    g_string_append_printf(names, "%s%s", i > 0 ? ", " : "", array->name);
  }
  const SmbArray *member = smb_program_view_named(program, name, &shape->variable);
  if (member) {
    shape->array = *member;
    return TRUE;
  }
  for (guint i = 0; i < program->views->len; i++)
    g_string_append_printf(names, ", %s", g_array_index(program->views, SmbArray, i).name);
  return refuse(error, text, "%s%s",
                names->len ? "expected one of " : "the kernel uses no shared array", names->str);
}

gboolean
smb_shape_has(const SmbShape *shape, const SmbArray *array, guint32 offset) {
  gboolean is_other =
      shape->is_member && array && !array->is_union && strcmp(array->name, shape->name) != 0;
  return !is_other && offset - shape->array.base < shape->array.bytes;
}

static gboolean
parse_shape(const char *text, const SmbProgram *program, gsize dynamic_bytes, SmbShape *shape,
            GError **error) {
  const char *equals = strchr(text, '=');
  g_autofree char *name = g_strndup(text, (gsize)(equals - text));
  g_auto(GStrv) parts = g_strsplit(name, "+", 2);
  guint64 offset = 0;
  if (parts[0] && parts[1] &&
      !g_ascii_string_to_unsigned(parts[1], 10, 0, G_MAXINT32, &offset, NULL))
    return refuse(error, text, "expected a number of bytes after '+'");
  if (!find_shaped_variable(text, parts[0] ? parts[0] : "", program, &offset, shape, error))
    return FALSE;
  SmbArray *array = &shape->array;
  array->is_union = FALSE;
  guint64 size = array->is_dynamic ? dynamic_bytes : array->bytes;
  gboolean is_layout = strpbrk(equals + 1, "(<:#*^&|+% ") != NULL;
  if (!(is_layout ? parse_array_layout(text, equals + 1, shape, error)
                  : parse_elements(text, equals + 1, array, error)) ||
      !find_array_size(text, offset, size - MIN(offset, size), array, error))
    return FALSE;
  array->base += (guint32)offset;
  if (array->base % array->element_bytes)
    return refuse(error, text,
                  "it begins at byte %u of shared memory, which is not a multiple of %u",
                  array->base, array->element_bytes);
  shape->name = g_steal_pointer(&name);
  array->name = shape->name;
  return TRUE;
}

static void
clear_shape(gpointer data) {
  SmbShape *shape = data;
  g_free(shape->name);
  smb_tile_free(shape->tile);
}

static int
compare_shape_bases(gconstpointer a, gconstpointer b) {
  const SmbShape *x = a, *y = b;
  return smb_order(x->array.base, y->array.base);
}

static gboolean
check_apart(const GArray *shapes, GError **error) {
  for (guint i = 1; i < shapes->len; i++) {
    const SmbArray *before = &g_array_index(shapes, SmbShape, i - 1).array;
    const SmbArray *array = &g_array_index(shapes, SmbShape, i).array;
    if (array->base - before->base < before->bytes)
      return smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "arrays '%s' and '%s' overlap",
                      before->name, array->name);
  }
  return TRUE;
}

GArray *
smb_shapes_parse(const char *const *texts, const SmbProgram *program, gsize dynamic_bytes,
                 GError **error) {
  g_autoptr(GArray) shapes = g_array_new(FALSE, TRUE, sizeof(SmbShape));
  g_array_set_clear_func(shapes, clear_shape);
  for (guint i = 0; texts && texts[i]; i++) {
    SmbShape shape = {0};
    const SmbArray *member = smb_program_view_named(program, texts[i], &shape.variable);
    if (member) {
      shape.name = g_strdup(texts[i]);
      shape.array = *member;
      shape.array.name = shape.name;
      shape.is_member = TRUE;
      g_array_append_val(shapes, shape);
    }
    if (!strchr(texts[i], '='))
      continue;
    if (!program->tracks) {
      refuse(error, texts[i], "%s declares its arrays itself", smb_program_file(program));
      return NULL;
    }
    if (!parse_shape(texts[i], program, dynamic_bytes, &shape, error)) {
      clear_shape(&shape);
      return NULL;
    }
    g_array_append_val(shapes, shape);
  }
  g_array_sort(shapes, compare_shape_bases);
  return check_apart(shapes, error) ? g_steal_pointer(&shapes) : NULL;
}

GArray *
smb_shapes_of(const GArray *arrays, const SmbProgram *text, const SmbProgram *code) {
  GArray *shapes = g_array_new(FALSE, TRUE, sizeof(SmbShape));
  g_array_set_clear_func(shapes, clear_shape);
  guint variable = 0;
  while (variable < smb_program_n_arrays(code) && !smb_program_array(code, variable)->is_dynamic)
    variable++;
  if (variable == smb_program_n_arrays(code))
    return shapes;
  for (guint i = 0; arrays && i < arrays->len; i++) {
    SmbShape shape = {.array = g_array_index(arrays, SmbArray, i), .variable = variable};
    shape.array.base += smb_program_array(code, variable)->base - (guint32)text->dynamic_start;
    shape.array.is_typed = TRUE;
    shape.array.name = shape.name = g_strdup(shape.array.name);
    g_array_append_val(shapes, shape);
  }
  return shapes;
}
