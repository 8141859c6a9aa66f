// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The value and type of a numeric literal.
#include <string.h>

#include "sim/cuda/text/lex.h"

static gboolean
fail_number(const SmbSource *source, const Token *token, GError **error, const char *reason) {
  smb_source_error(source, token->start, error, "'%s' %s", token->text, reason);
  return FALSE;
}

static gboolean
parse_character(const SmbSource *source, const Token *token, Number *number, GError **error) {
  static const char escapes[] = "n\nt\tr\r0\0\\\\'\'\"\"a\av\vb\bf\f";
  const char *text = token->text + 1;
  if (strlen(token->text) == 3) {
    number->integer = (guint64)(gint64)(signed char)text[0];
    return TRUE;
  }
  for (gsize i = 0; strlen(token->text) == 4 && text[0] == '\\' && i + 1 < sizeof escapes; i += 2) {
    if (escapes[i] == text[1]) {
      number->integer = (guint64)escapes[i + 1];
      return TRUE;
    }
  }
  smb_source_error(source, token->start, error,
                   "%s is not one character: expected one, or an escape such as '\\n'",
                   token->text);
  return FALSE;
}

static gboolean
parse_real(const SmbSource *source, const Token *token, const char *text, Number *number,
           GError **error) {
  char *end;
  number->is_float = TRUE;
  number->real = g_ascii_strtod(text, &end);
  if ((*end == 'f' || *end == 'F') && end[1] == '\0') {
    number->is_single = TRUE;
    number->real = (double)(float)number->real;
    end++;
  }
  return *end == '\0' || fail_number(source, token, error, "is not a number");
}

static gboolean
parse_suffix(const char *suffix, Number *number) {
  static const char *const known[] = {"", "u", "l", "ul", "lu", "ll", "ull", "llu"};
  g_autofree char *lower = g_ascii_strdown(suffix, -1);
  for (guint i = 0; i < G_N_ELEMENTS(known); i++) {
    if (strcmp(lower, known[i]) == 0) {
      number->is_unsigned = strchr(lower, 'u') != NULL;
      number->is_long = strchr(lower, 'l') != NULL;
      return TRUE;
    }
  }
  return FALSE;
}

gboolean
smb_kernel_number_parse(const SmbSource *source, const Token *token, Number *number,
                        GError **error) {
  memset(number, 0, sizeof *number);
  if (token->kind == TOKEN_CHARACTER)
    return parse_character(source, token, number, error);

  // 1'000 is 1000.
  g_autofree char *text = g_strdup(token->text);
  char *kept = text;
  for (const char *c = text; *c; c++) {
    if (*c != '\'')
      *kept++ = *c;
  }
  *kept = '\0';
  gboolean prefixed = text[0] == '0' && g_ascii_isalpha(text[1]);
  gboolean hexadecimal = prefixed && (text[1] == 'x' || text[1] == 'X');
  if (!hexadecimal && strpbrk(text, ".eE") && !(prefixed && text[1] != 'e' && text[1] != 'E'))
    return parse_real(source, token, text, number, error);

  guint base = hexadecimal                                      ? 16
               : prefixed && (text[1] == 'b' || text[1] == 'B') ? 2
               : text[0] == '0'                                 ? 8
                                                                : 10;
  const char *at = base == 16 || base == 2 ? text + 2 : text;
  const char *digits = at;
  for (; g_ascii_isxdigit(*at) && (guint)g_ascii_xdigit_value(*at) < base; at++) {
    if (number->integer > (G_MAXUINT64 - (guint)g_ascii_xdigit_value(*at)) / base)
      return fail_number(source, token, error, "does not fit 64 bits");
    number->integer = number->integer * base + (guint)g_ascii_xdigit_value(*at);
  }
  if (at == digits || !parse_suffix(at, number))
    return fail_number(source, token, error, "is not a number");
  // C's rule: the first of int, (unsigned,) long, unsigned long that holds the value.
  gboolean decimal = base == 10;
  if (number->integer > G_MAXINT32 && !number->is_long) {
    if (!number->is_unsigned && !decimal && number->integer <= G_MAXUINT32)
      number->is_unsigned = TRUE;
    else if (!(number->is_unsigned && number->integer <= G_MAXUINT32))
      number->is_long = TRUE;
  }
  if (number->integer > G_MAXINT64)
    number->is_unsigned = TRUE;
  return TRUE;
}
