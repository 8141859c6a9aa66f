// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The parameters of a compiled kernel: bytes at the places that the code says. A compiled kernel says how many bytes a
// parameter has, and little of its type.
#include <errno.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/compiled/run/run.h"

G_GNUC_PRINTF(2, 3)
static GBytes *
refuse(GError **error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_propagate_error(error, g_error_new_valist(SMB_ERROR, SMB_ERROR_USAGE, format, arguments));
  va_end(arguments);
  return NULL;
}

// The low bytes of a number, if they hold it with a sign or without one.
static GBytes *
encode_integer(const char *name, const char *text, gsize bytes, GError **error) {
  gboolean negative = text[0] == '-';
  char *end;
  errno = 0;
  guint64 number = g_ascii_strtoull(text + negative, &end, 0);
  if (!g_ascii_isdigit(text[negative]) || *end)
    return refuse(error,
                  "argument '%s=%s': expected a number, raw: and hexadecimal digits, or @FILE",
                  name, text);
  guint64 most = bytes == 8 ? G_MAXUINT64 : (G_GUINT64_CONSTANT(1) << (8 * bytes)) - 1;
  if (errno == ERANGE || number > (negative ? most / 2 + 1 : most))
    return refuse(error, "argument '%s=%s' does not fit into %" G_GSIZE_FORMAT " byte%s", name,
                  text, bytes, bytes == 1 ? "" : "s");
  guint64 bits = negative ? 0 - number : number;
  return g_bytes_new(&bits, bytes);
}

static GBytes *
encode_real(const char *name, const char *text, gsize bytes, GError **error) {
  static const SmbScalar scalars[] = {
      [2] = SMB_SCALAR_F16, [4] = SMB_SCALAR_F32, [8] = SMB_SCALAR_F64};
  guchar encoded[8];
  char *end;
  double number = g_ascii_strtod(text, &end);
  if (end == text || *end)
    return refuse(error,
                  "argument '%s=%s': expected a number, raw: and hexadecimal digits, or @FILE",
                  name, text);
  smb_scalar_encode_real(scalars[bytes], number, encoded);
  return g_bytes_new(encoded, bytes);
}

GBytes *
smb_code_argument(const SmbProgram *program, guint parameter, const char *const *arguments,
                  GError **error) {
  const Code *code = (const Code *)program;
  const ParameterPlace *place = &g_array_index(code->places, ParameterPlace, parameter);
  const char *given = smb_argument_given(arguments, program, parameter);
  if (!given)
    return refuse(error, "parameter %u of '%s' needs a value: --arg %u=VALUE", parameter,
                  program->name, parameter);
  // As the user calls it: compilers call parameters by names that nobody knows.
  const char *text = strchr(given, '=') + 1;
  g_autofree char *name = g_strndup(given, (gsize)(text - 1 - given));
  if (smb_argument_is_raw(text))
    return smb_argument_raw(name, text, place->bytes, error);
  if (place->bytes > 8 || place->bytes & (place->bytes - 1))
    return refuse(error,
                  "parameter '%s' has %" G_GSIZE_FORMAT
                  " bytes: give it raw: and hexadecimal digits, or @FILE",
                  name, place->bytes);
  gboolean is_written_real =
      place->is_untyped && !g_str_has_prefix(text, "0x") && strpbrk(text, ".eEnN");
  return (place->is_real || is_written_real) && place->bytes > 1
             ? encode_real(name, text, place->bytes, error)
             : encode_integer(name, text, place->bytes, error);
}

GByteArray *
smb_code_parameters(const Code *code, const SmbBlock *block, const SmbLaunch *launch,
                    GError **error) {
  g_autoptr(GByteArray) bytes = g_byte_array_sized_new((guint)code->parameter_bytes);
  g_byte_array_set_size(bytes, (guint)code->parameter_bytes);
  if (bytes->len > 0)
    memset(bytes->data, 0, bytes->len);
  for (guint p = 0; p < code->places->len; p++) {
    const ParameterPlace *place = &g_array_index(code->places, ParameterPlace, p);
    if (smb_launch_is_pointer(launch, &code->program, p)) {
      guint64 pointer = smb_block_buffer(block, p);
      memcpy(bytes->data + place->offset, &pointer, MIN(place->bytes, sizeof pointer));
      continue;
    }
    g_autoptr(GBytes) value = smb_code_argument(&code->program, p, launch->arguments, error);
    if (!value)
      return NULL;
    memcpy(bytes->data + place->offset, g_bytes_get_data(value, NULL), place->bytes);
  }
  return g_steal_pointer(&bytes);
}
