// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The parameters of a kernel that are no pointers: from the text of a value to the bytes that a launch is given.
#include <errno.h>
#include <math.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/base/scalar.h"
#include "sim/launch/field.h"
#include "sim/program/prototype.h"
#include "sim/cuda/tree/compute.h"
#include "sim/cuda/parse/parse.h"

G_GNUC_PRINTF(2, 3)
static gboolean
refuse_argument(GError **error, const char *format, ...) {
  va_list args;
  va_start(args, format);
  g_autofree char *message = smb_text_format(format, args);
  va_end(args);
  g_set_error_literal(error, SMB_ERROR, SMB_ERROR_USAGE, message);
  return FALSE;
}

// Reads the whole of @text as a number. Returns: whether it is one; @fits: whether 64 bits of its sign hold it.
static gboolean
read_integer(const char *text, gboolean is_unsigned, gint64 *integer, gboolean *fits) {
  gboolean negative = text[0] == '-';
  char *end;
  if (!g_ascii_isdigit(text[negative]))
    return FALSE;
  errno = 0;
  guint64 number = g_ascii_strtoull(text + negative, &end, 0);
  guint64 most = negative      ? is_unsigned ? 0 : (guint64)G_MAXINT64 + 1
                 : is_unsigned ? G_MAXUINT64
                               : G_MAXINT64;
  *fits = errno != ERANGE && number <= most;
  *integer = (gint64)(negative ? 0 - number : number);
  return *end == '\0';
}

static double
round_half(const Type *type, double real) {
  SmbScalar scalar = smb_cuda_scalar(type->kind);
  return smb_half_to_real(scalar, smb_half_from_real(scalar, real));
}

// The number that @text is, as memory holds it (transfer full).
static GBytes *
encode_number(const Variable *parameter, const char *text, GError **error) {
  const Type *type = parameter->type;
  guchar bytes[8];
  gboolean is_number, fits = TRUE;
  if (smb_type_is_real(type)) {
    char *end;
    errno = 0;
    double real = g_ascii_strtod(text, &end);
    is_number = end != text && *end == '\0';
    fits = errno != ERANGE || fabs(real) < 1; // too small is 0, or nearly
    if (isfinite(real) && smb_type_is_half(type))
      fits = fits && isfinite(round_half(type, real));
    else if (isfinite(real) && type->kind == KIND_FLOAT)
      fits = fits && isfinite((float)real);
    smb_scalar_encode_real(smb_cuda_scalar(type->kind), real, bytes);
  } else {
    gint64 integer = 0;
    is_number = read_integer(text, smb_type_is_unsigned(type), &integer, &fits);
    fits = fits && (!is_number || smb_cuda_wrap(type->kind, integer) == integer);
    smb_scalar_encode_whole(smb_cuda_scalar(type->kind), (guint64)integer, bytes);
  }
  if (is_number && fits)
    return g_bytes_new(bytes, type->size);
  if (is_number)
    refuse_argument(error, "argument '%s=%s' does not fit its type, %s", parameter->name, text,
                    type->name);
  else
    refuse_argument(error, "argument '%s=%s': expected a number, raw:HEXBYTES or @FILE",
                    parameter->name, text);
  return NULL;
}

// A structure of what the launch says of its members (transfer full). @whole: (nullable): what it says of all bytes; without it, each
// member needs a value
static GBytes *
gather_members(const SmbProgram *program, guint parameter, const char *const *arguments,
               GBytes *whole, GError **error) {
  const SmbParameter described = smb_program_parameter(program, parameter);
  const SmbLaunch launch = {.arguments = arguments};
  g_autoptr(GArray) fields = smb_launch_fields(&launch, program, error);
  g_autofree guint8 *bytes = g_malloc0(described.stored_bytes);
  g_autofree guint8 *given = g_malloc0(described.stored_bytes);
  if (whole) {
    memcpy(bytes, g_bytes_get_data(whole, NULL), described.stored_bytes);
    memset(given, 1, described.stored_bytes);
  }
  for (guint i = 0; fields && i < fields->len; i++) {
    const SmbField *field = &g_array_index(fields, SmbField, i);
    gsize length;
    gconstpointer value = g_bytes_get_data(field->value, &length);
    if (field->parameter != parameter)
      continue;
    memcpy(bytes + field->offset, value, length);
    memset(given + field->offset, 1, length);
  }
  for (guint i = 0; fields && i < described.members->len; i++) {
    const SmbMember *member = &g_array_index(described.members, SmbMember, i);
    if (memchr(given + member->offset, 0, member->bytes)) {
      g_autofree char *name = smb_program_place_name(program, parameter, member->offset);
      refuse_argument(error, "'%s' of '%s' needs a value", name, program->name);
      smb_hint(error, SMB_HINT_ARGUMENT, name, NULL);
      return NULL;
    }
  }
  return fields ? g_bytes_new_take(g_steal_pointer(&bytes), described.stored_bytes) : NULL;
}

GBytes *
smb_kernel_argument(const SmbProgram *program, guint parameter, const char *const *arguments,
                    GError **error) {
  const Variable *variable = smb_cuda_kernel(program)->entry->parameters[parameter];
  const char *text = smb_argument_find(arguments, program, parameter);
  const SmbLaunch launch = {.arguments = arguments};
  gboolean has_field = smb_launch_has_field(&launch, program, parameter);
  if (!text && has_field)
    return gather_members(program, parameter, arguments, NULL, error);
  if (!text) {
    refuse_argument(error, "parameter '%s' of '%s' needs a value", variable->name, program->name);
    smb_hint(error, SMB_HINT_ARGUMENT, variable->name, NULL);
    return NULL;
  }
  if (smb_argument_is_raw(text)) {
    GBytes *whole = smb_argument_raw(variable->name, text, variable_type(variable)->size, error);
    if (!whole || !has_field)
      return whole;
    GBytes *gathered = gather_members(program, parameter, arguments, whole, error);
    g_bytes_unref(whole);
    return gathered;
  }
  if (smb_type_is_arithmetic(variable->type))
    return encode_number(variable, text, error);
  refuse_argument(error,
                  "argument '%s=%s': expected the %s of the parameter as raw:HEXBYTES or @FILE",
                  variable->name, text, smb_count(variable_type(variable)->size, "byte").text);
  return NULL;
}
