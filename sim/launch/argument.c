// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Reads arguments: numbers, raw bytes, files.
#include "sim/launch/argument.h"

#include <errno.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/text.h"

#define RAW_PREFIX "raw:"

// For a file: more than the parameters of a kernel have (CUDA C++ Programming Guide, "Function Parameters").
enum {
  MAX_BYTES = 65536
};

gboolean
smb_argument_is_of(const char *argument, const SmbProgram *program, guint parameter) {
  const char *equals = strchr(argument, '=');
  if (!equals)
    return FALSE;
  g_autofree char *name = g_strndup(argument, (gsize)(equals - argument));
  return smb_program_is_parameter(program, parameter, name);
}

const char *
smb_argument_given(const char *const *arguments, const SmbProgram *program, guint parameter) {
  const char *given = NULL;
  for (guint i = 0; arguments && arguments[i]; i++) {
    if (smb_argument_is_of(arguments[i], program, parameter))
      given = arguments[i];
  }
  return given;
}

const char *
smb_argument_find(const char *const *arguments, const SmbProgram *program, guint parameter) {
  const char *given = smb_argument_given(arguments, program, parameter);
  return given ? strchr(given, '=') + 1 : NULL;
}

guint
smb_argument_largest(const char *const *arguments, const SmbProgram *program, gint64 *number) {
  guint largest = G_MAXUINT;
  *number = 1;
  for (guint i = 0; i < smb_program_n_parameters(program); i++) {
    const char *value = smb_argument_find(arguments, program, i);
    gint64 here;
    if (value && g_ascii_string_to_signed(value, 10, *number + 1, G_MAXINT64, &here, NULL)) {
      *number = here;
      largest = i;
    }
  }
  return largest;
}

const char *
smb_argument_file(const char *argument) {
  const char *equals = strchr(argument, '=');
  return equals && equals[1] == '@' ? equals + 2 : NULL;
}

gboolean
smb_argument_is_raw(const char *value) {
  return g_str_has_prefix(value, RAW_PREFIX) || *value == '@';
}

static GBytes *
read_digits(const char *name, const char *digits, gsize size, GError **error) {
  gsize n = strlen(digits) / 2;
  g_autofree guchar *bytes = g_malloc(n + 1);
  for (gsize i = 0; digits[2 * i]; i++) {
    int high = g_ascii_xdigit_value(digits[2 * i]);
    int low = high < 0 ? -1 : g_ascii_xdigit_value(digits[2 * i + 1]);
    if (low < 0) {
      smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
               "argument '%s=" RAW_PREFIX "%s': expected two hexadecimal digits for each byte",
               name, digits);
      return NULL;
    }
    bytes[i] = (guchar)(high << 4 | low);
  }
  if (n > 0 && (n == size || size == 0))
    return g_bytes_new_take(g_steal_pointer(&bytes), n);
  smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "argument '%s=" RAW_PREFIX "%s' has %s%s%s", name,
           digits, smb_count(n, "byte").text, size > 0 ? ": the parameter has " : "",
           size > 0 ? smb_number(size).text : "");
  return NULL;
}

static GBytes *
read_argument_file(const char *name, const char *path, gsize size, GError **error) {
  g_autoptr(GBytes) bytes = smb_source_read_bytes(path, MAX_BYTES, error);
  gsize n = bytes ? g_bytes_get_size(bytes) : 0;
  if (!bytes || (n > 0 && (n == size || size == 0)))
    return g_steal_pointer(&bytes);
  smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "argument '%s=@%s': the file has %s%s%s", name, path,
           smb_count(n, "byte").text, size > 0 ? ", the parameter " : "",
           size > 0 ? smb_number(size).text : "");
  return NULL;
}

GBytes *
smb_argument_raw(const char *name, const char *value, gsize size, GError **error) {
  return *value == '@' ? read_argument_file(name, value + 1, size, error)
                       : read_digits(name, value + strlen(RAW_PREFIX), size, error);
}

gboolean
smb_argument_check(const char *argument, GError **error) {
  const char *equals = strchr(argument, '=');
  if (!equals || equals == argument || !equals[1])
    return smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "argument '%s': expected NAME=VALUE",
                    argument);
  const char *value = equals + 1;
  // What can be read once only is read with the kernel.
  if (!smb_argument_is_raw(value) || (*value == '@' && g_file_test(value + 1, G_FILE_TEST_EXISTS)))
    return TRUE;
  g_autofree char *name = g_strndup(argument, (gsize)(equals - argument));
  g_autoptr(GBytes) bytes = smb_argument_raw(name, value, 0, error);
  return bytes != NULL;
}

static GBytes *
refuse_number(const char *name, const char *text, GError **error) {
  smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
           "argument '%s=%s': expected a number, raw: and hexadecimal digits, or @FILE", name,
           text);
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
    return refuse_number(name, text, error);
  guint64 most = bytes == 8 ? G_MAXUINT64 : (G_GUINT64_CONSTANT(1) << (8 * bytes)) - 1;
  guint64 bits = negative ? 0 - number : number;
  if (errno != ERANGE && number <= (negative ? most / 2 + 1 : most))
    return g_bytes_new(&bits, bytes);
  smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "argument '%s=%s' does not fit into %s", name, text,
           smb_count(bytes, "byte").text);
  return NULL;
}

GBytes *
smb_argument_number(const char *name, const char *text, SmbScalar scalar, GError **error) {
  gsize bytes = smb_scalar_bytes(scalar);
  guchar encoded[8];
  char *end;
  if (!smb_scalar_is_real(scalar))
    return encode_integer(name, text, bytes, error);
  double number = g_ascii_strtod(text, &end);
  if (end == text || *end)
    return refuse_number(name, text, error);
  smb_scalar_encode_real(scalar, number, encoded);
  return g_bytes_new(encoded, bytes);
}
