// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/layout/notation.h"

#include <string.h>

#include "sim/base/error.h"

gboolean
smb_notation_fail(const SmbNotation *notation, guint32 at, GError **error, const char *format,
                  ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  return smb_source_error(notation->source, at, error, "%s", text);
}

static const char *
get_rest(const SmbNotation *notation) {
  return smb_source_text(notation->source) + notation->at;
}

char
smb_notation_skip(SmbNotation *notation) {
  while (notation->at < notation->end && g_ascii_isspace(*get_rest(notation)))
    notation->at++;
  return notation->at < notation->end ? *get_rest(notation) : 0;
}

static gboolean
is_in_word(char c) {
  return g_ascii_isalnum(c) || c == '_';
}

gboolean
smb_notation_take(SmbNotation *notation, const char *text) {
  gsize length = strlen(text);
  smb_notation_skip(notation);
  const char *rest = get_rest(notation);
  if (notation->end - notation->at < length || strncmp(rest, text, length) != 0 ||
      (is_in_word(text[length - 1]) && notation->end - notation->at > length &&
       is_in_word(rest[length])))
    return FALSE;
  notation->at += (guint32)length;
  return TRUE;
}

gboolean
smb_notation_expect(SmbNotation *notation, const char *text, GError **error) {
  return smb_notation_take(notation, text) ||
         smb_notation_fail(notation, notation->at, error, "expected '%s'", text);
}

char *
smb_notation_word(SmbNotation *notation) {
  smb_notation_skip(notation);
  const char *start = get_rest(notation);
  guint32 from = notation->at;
  while (notation->at < notation->end &&
         (is_in_word(*get_rest(notation)) || *get_rest(notation) == '.'))
    notation->at++;
  return g_strndup(start, notation->at - from);
}

gboolean
smb_notation_is_digit(SmbNotation *notation) {
  char next = smb_notation_skip(notation);
  return g_ascii_isdigit(next) || (next == '_' && notation->end - notation->at > 1 &&
                                   g_ascii_isdigit(get_rest(notation)[1]));
}

gboolean
smb_notation_number(SmbNotation *notation, guint64 least, guint64 most, guint64 *value,
                    GError **error) {
  gboolean is_number = smb_notation_is_digit(notation);
  guint32 from = notation->at;
  if (is_number && *get_rest(notation) == '_')
    notation->at++;
  const char *start = get_rest(notation);
  char *end = NULL;
  gboolean is_hex = is_number && start[0] == '0' && (start[1] == 'x' || start[1] == 'X');
  *value = is_number ? g_ascii_strtoull(start, &end, is_hex ? 16 : 10) : 0;
  gboolean goes_on = is_number && notation->at + (end - start) < notation->end && is_in_word(*end);
  if (!is_number || goes_on || *value < least || *value > most) {
    notation->at = from;
    return smb_notation_fail(notation, from, error,
                             "expected a number from %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT,
                             least, most);
  }
  notation->at += (guint32)(end - start);
  return TRUE;
}

gboolean
smb_notation_integer(SmbNotation *notation, gint64 *value, GError **error) {
  gboolean is_negative = smb_notation_take(notation, "-");
  guint64 number;
  if (!smb_notation_number(notation, 0, G_MAXINT32, &number, error))
    return FALSE;
  *value = is_negative ? -(gint64)number : (gint64)number;
  return TRUE;
}

gboolean
smb_notation_open(SmbNotation *notation, const char *text, GError **error) {
  if (notation->depth == SMB_NOTATION_MAX_DEPTH)
    return smb_notation_fail(notation, notation->at, error, "nested deeper than %d",
                             SMB_NOTATION_MAX_DEPTH);
  notation->depth++;
  return smb_notation_expect(notation, text, error);
}

gboolean
smb_notation_close(SmbNotation *notation, const char *text, GError **error) {
  notation->depth--;
  return smb_notation_expect(notation, text, error);
}
