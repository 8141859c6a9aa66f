// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Reads arguments for fields of structures, and gives buffers to those that are pointers.
#include "sim/launch/field.h"

#include <string.h>

#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/launch/argument.h"
#include "sim/program/prototype.h"

// Where the members of a parameter begin in a name: of "NAME.MEMBER" or "NUMBER.MEMBER" at the "."; NULL: it is not of that parameter
static const char *
find_field_part(const SmbProgram *program, guint parameter, const char *name) {
  const char *dot = strpbrk(name, ".[");
  g_autofree char *of = dot ? g_strndup(name, (gsize)(dot - name)) : NULL;
  return of && smb_program_is_parameter(program, parameter, of) ? dot : NULL;
}

// The member of a structure whose text is known that a text names up to its "=".
static const SmbMember *
find_declared_member(const SmbProgram *program, guint parameter, const char *text) {
  g_autofree char *name = g_strndup(text, strcspn(text, "="));
  const char *part = find_field_part(program, parameter, name);
  return part ? smb_program_member_named(program, parameter, part) : NULL;
}

// "NAME+OFFSET", "NUMBER+OFFSET"; and "NAME.MEMBER+OFFSET" of a union. The offset is of the parameter.
static gboolean
find_field_byte(const SmbProgram *program, guint parameter, const char *text, guint64 *offset) {
  g_autofree char *name = g_strndup(text, strcspn(text, "="));
  char *plus = strrchr(name, '+');
  guint64 number;
  gsize origin = 0;
  if (!plus || !smb_program_parameter(program, parameter).stored_bytes)
    return FALSE;
  gboolean is_hexadecimal = g_str_has_prefix(plus + 1, "0x");
  if (!g_ascii_string_to_unsigned(plus + (is_hexadecimal ? 3 : 1), is_hexadecimal ? 16 : 10, 0,
                                  G_MAXUINT32, &number, NULL))
    return FALSE;
  *plus = '\0';
  gboolean is_found = smb_program_is_parameter(program, parameter, name) ||
                      smb_program_union_origin(program, parameter,
                                               find_field_part(program, parameter, name), &origin);
  *offset = origin + number;
  return is_found;
}

gboolean
smb_field_is_of(const char *text, const SmbProgram *program, guint parameter, guint64 *offset) {
  const SmbMember *member = find_declared_member(program, parameter, text);
  guint64 found = member ? member->offset : 0;
  gboolean is_found = member || find_field_byte(program, parameter, text, &found);
  if (is_found && offset)
    *offset = found;
  return is_found;
}

gboolean
smb_launch_has_field(const SmbLaunch *launch, const SmbProgram *program, guint parameter) {
  for (guint i = 0; launch->arguments && launch->arguments[i]; i++) {
    if (smb_field_is_of(launch->arguments[i], program, parameter, NULL))
      return TRUE;
  }
  for (guint i = 0; launch->buffers && i < launch->buffers->len; i++) {
    const SmbBuffer *buffer = g_ptr_array_index(launch->buffers, i);
    if (smb_field_is_of(buffer->name, program, parameter, NULL))
      return TRUE;
  }
  return FALSE;
}

G_GNUC_PRINTF(3, 4)
static gboolean
refuse_field(GError **error, const char *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *reason = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  return smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "field '%s': %s", text, reason);
}

static void
clear_field(gpointer data) {
  SmbField *field = data;
  g_bytes_unref(field->value);
  g_free(field->name);
}

// The parameter that a text names a field of, and which one. FALSE: it is of no field.
static gboolean
find_field_place(const char *text, const SmbProgram *program, SmbField *field) {
  for (guint p = 0; p < smb_program_n_parameters(program); p++) {
    guint64 offset;
    if (!smb_field_is_of(text, program, p, &offset))
      continue;
    field->parameter = p;
    field->offset = (gsize)offset;
    return TRUE;
  }
  return FALSE;
}

// The bytes of "raw:HEXBYTES", "@FILE", "TYPE:NUMBER", or NUMBER for a @member whose type is known (transfer full).
static GBytes *
read_field_value(const char *text, const char *value, const SmbMember *member, GError **error) {
  g_autofree char *name = g_strndup(text, (gsize)(value - 1 - text));
  if (smb_argument_is_raw(value))
    return smb_argument_raw(name, value, 0, error);
  g_auto(GStrv) parts = g_strsplit(value, ":", 2);
  SmbScalar scalar;
  if (g_strv_length(parts) == 2 && smb_buffer_type(parts[0], &scalar))
    return smb_argument_number(name, parts[1], scalar, error);
  if (member && !member->is_pointer && !member->is_union)
    return smb_argument_number(name, value, member->scalar, error);
  refuse_field(error, text,
               "expected a type and a number such as i32:%s, raw: and hexadecimal digits, @FILE, "
               "or " SMB_FIELD_POINTER,
               g_ascii_isdigit(value[0]) ? value : "64");
  return NULL;
}

// A pointer to the buffer of that number.
static gboolean
make_pointer(SmbField *field, const char *text, guint number, GError **error) {
  const SmbBuffer *buffer = field->buffer;
  guint64 start = buffer ? buffer->offset : 0;
  if (number == SMB_MAX_FIELD_BUFFERS)
    return refuse_field(error, text, "more than %u pointers", SMB_MAX_FIELD_BUFFERS);
  if (buffer && buffer->contents.fill == SMB_FILL_BYTES && start > buffer->contents.length)
    return refuse_field(error, text, "the pointer starts beyond the end of the file, which has %s",
                        smb_count(buffer->contents.length, "byte").text);
  field->address = SMB_FIELD_ADDRESS + number * SMB_FIELD_BUFFER_BYTES;
  guint64 pointer = GUINT64_TO_LE(field->address + start);
  field->value = g_bytes_new(&pointer, sizeof pointer);
  return TRUE;
}

static guint
count_pointers(const GArray *fields) {
  guint n = 0;
  for (guint i = 0; i < fields->len; i++)
    n += g_array_index(fields, SmbField, i).address != 0;
  return n;
}

// What a text says of a field, if it is of one. @buffer: (nullable): that it is the name of
static gboolean
add_field(GArray *fields, const SmbProgram *program, const char *text, const SmbBuffer *buffer,
          GError **error) {
  SmbField field = {.buffer = buffer};
  if (!find_field_place(text, program, &field))
    return TRUE;
  const SmbMember *member = find_declared_member(program, field.parameter, text);
  const char *equals = strchr(text, '=');
  if (buffer || strcmp(equals + 1, SMB_FIELD_POINTER) == 0)
    make_pointer(&field, text, count_pointers(fields), error);
  else
    field.value = read_field_value(
        text, equals + 1,
        member ? member : smb_program_member(program, field.parameter, field.offset), error);
  if (!field.value)
    return FALSE;
  gsize length = g_bytes_get_size(field.value);
  gsize bytes = smb_program_parameter(program, field.parameter).stored_bytes;
  field.name = member ? smb_program_member_name(program, field.parameter, member)
                      : smb_program_place_name(program, field.parameter, field.offset);
  g_array_append_val(fields, field);
  return (field.offset < bytes && length <= bytes - field.offset) ||
         refuse_field(error, text, "%s at offset %" G_GSIZE_FORMAT ": the parameter has %s",
                      smb_count(length, "byte").text, field.offset, smb_count(bytes, "byte").text);
}

// Whether something was said of a byte of a parameter.
static gboolean
is_place_given(const GArray *fields, guint parameter, gsize offset) {
  for (guint i = 0; i < fields->len; i++) {
    const SmbField *field = &g_array_index(fields, SmbField, i);
    if (field->parameter == parameter && offset - field->offset < g_bytes_get_size(field->value))
      return TRUE;
  }
  return FALSE;
}

// A member that is a pointer, as a text declares it, or a union of pointers, has a buffer of its own unless something is said of it.
static void
add_declared_pointers(GArray *fields, const SmbProgram *program, guint parameter) {
  const GArray *members = smb_program_parameter(program, parameter).members;
  for (guint i = 0; members && i < members->len; i++) {
    const SmbMember *member = &g_array_index(members, SmbMember, i);
    guint n = count_pointers(fields);
    if (!member->is_pointer || member->in_union || n >= SMB_MAX_FIELD_BUFFERS ||
        is_place_given(fields, parameter, member->offset))
      continue;
    SmbField field = {.parameter = parameter,
                      .offset = member->offset,
                      .name = smb_program_member_name(program, parameter, member)};
    make_pointer(&field, field.name, n, NULL);
    g_array_append_val(fields, field);
  }
}

// Buffers of fields lie where no memory was recorded.
static gboolean
check_memory(const SmbLaunch *launch, const GArray *fields, GError **error) {
  guint n = launch->memory ? launch->memory->len : 0;
  const SmbMemoryPiece *last = n ? &g_array_index(launch->memory, SmbMemoryPiece, n - 1) : NULL;
  return !last || fields->len == 0 || last->address + last->bytes <= SMB_FIELD_ADDRESS ||
         smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
                  "memory at 0x%" G_GINT64_MODIFIER "x overlaps the buffers of fields",
                  last->address);
}

GArray *
smb_launch_fields(const SmbLaunch *launch, const SmbProgram *program, GError **error) {
  g_autoptr(GArray) fields = g_array_new(FALSE, FALSE, sizeof(SmbField));
  g_array_set_clear_func(fields, clear_field);
  for (guint i = 0; launch->arguments && launch->arguments[i]; i++) {
    if (!add_field(fields, program, launch->arguments[i], NULL, error))
      return NULL;
  }
  for (guint i = 0; launch->buffers && i < launch->buffers->len; i++) {
    const SmbBuffer *buffer = g_ptr_array_index(launch->buffers, i);
    if (!add_field(fields, program, buffer->name, buffer, error))
      return NULL;
  }
  for (guint p = 0; !launch->parameters && p < smb_program_n_parameters(program); p++) {
    if (!smb_argument_given(launch->arguments, program, p))
      add_declared_pointers(fields, program, p);
  }
  return check_memory(launch, fields, error) ? g_steal_pointer(&fields) : NULL;
}
