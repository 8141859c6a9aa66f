// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/base/text.h"

#include <string.h>

enum {
  KEPT_OF_QUOTE = 60, // characters of a quote that is too long
};

gboolean
smb_text_is_visible(gunichar c) {
  GUnicodeType type = g_unichar_type(c);
  if (type == G_UNICODE_CONTROL)
    return c == '\n' || c == '\t';
  return type != G_UNICODE_FORMAT && // what changes the direction of text is of this kind
         type != G_UNICODE_LINE_SEPARATOR && type != G_UNICODE_PARAGRAPH_SEPARATOR &&
         type != G_UNICODE_SURROGATE;
}

// How many bytes at @at are shown as they are: a character, or 0.
static gsize
measure_visible(const char *at, const char *end) {
  guchar byte = (guchar)*at;
  if (byte >= 0x20 && byte < 0x7f)
    return 1;
  gunichar c = byte ? g_utf8_get_char_validated(at, end - at) : 0;
  if (c >= (gunichar)-2 || !smb_text_is_visible(c))
    return 0;
  return (gsize)g_unichar_to_utf8(c, NULL);
}

void
smb_text_append(GString *text, const char *bytes, gsize length) {
  const char *end = bytes + length;
  const char *from = bytes; // what is shown as it is, and not added yet
  const char *at = bytes;
  while (at < end) {
    gsize visible = measure_visible(at, end);
    at += visible;
    if (visible)
      continue;
    g_string_append_len(text, from, at - from);
    gunichar c = *at ? g_utf8_get_char_validated(at, end - at) : 0;
    gsize hidden = c >= (gunichar)-2 ? 1 : (gsize)g_unichar_to_utf8(c, NULL);
    for (gsize i = 0; i < hidden; i++)
      g_string_append_printf(text, "\\x%02x", (guchar)at[i]);
    from = at += hidden;
  }
  g_string_append_len(text, from, at - from);
}

char *
smb_text_show(const char *text) {
  GString *shown = g_string_new(NULL);
  smb_text_append(shown, text, strlen(text));
  return g_string_free(shown, FALSE);
}

char *
smb_text_show_line(const char *text) {
  g_autofree char *shown = smb_text_show(text);
  g_strdelimit(shown, "\n", ' ');
  GString *line = g_string_new(shown);
  g_string_replace(line, "\t", "    ", 0);
  return g_string_free(line, FALSE);
}

guint
smb_text_width(const char *text) {
  g_autofree char *shown = smb_text_show(text);
  guint width = 0;
  for (const char *p = shown; *p; p = g_utf8_next_char(p)) {
    gunichar c = g_utf8_get_char(p);
    if (!g_unichar_iszerowidth(c))
      width += g_unichar_iswide(c) ? 2 : 1;
  }
  return width;
}

// The end of the quote that begins at @at: a mark that no letter or digit follows; NULL: it is not one.
static const char *
find_quote_end(const char *text, const char *at) {
  if (*at != '\'' || (at > text && g_ascii_isalnum(at[-1])))
    return NULL;
  for (const char *end = at + 1; *end && *end != '\n'; end++) {
    if (*end == '\'' && !g_ascii_isalnum(end[1]))
      return end;
  }
  return NULL;
}

char *
smb_text_shorten_quotes(const char *message) {
  GString *text = g_string_new(NULL);
  for (const char *at = message; *at; at++) {
    const char *end = find_quote_end(message, at);
    if (!end) {
      g_string_append_c(text, *at);
      continue;
    }
    g_autofree char *quote = g_strndup(at + 1, (gsize)(end - at) - 1);
    g_autofree char *valid = g_utf8_make_valid(quote, -1);
    if (g_utf8_strlen(valid, -1) > SMB_TEXT_MAX_QUOTE) {
      g_autofree char *head = g_utf8_substring(valid, 0, KEPT_OF_QUOTE);
      g_string_append_printf(text, "'%s…'", head);
    } else {
      g_string_append_len(text, at, end - at + 1);
    }
    at = end;
  }
  return g_string_free(text, FALSE);
}

char *
smb_text_capitalize(const char *clause) {
  char *text = g_strdup(clause);
  gsize word = strspn(text, "abcdefghijklmnopqrstuvwxyz'-");
  if (text[word] == '\0' || strchr(" ,:", text[word]))
    text[0] = g_ascii_toupper(text[0]);
  return text;
}

SmbNumber
smb_noun(guint64 n, const char *noun) {
  static const char *const with_es[] = {"s", "x", "z", "ch", "sh"};
  gsize kept = strlen(noun);
  const char *ending = "s";
  for (guint i = 0; i < G_N_ELEMENTS(with_es); i++)
    ending = g_str_has_suffix(noun, with_es[i]) ? "es" : ending;
  if (g_str_has_suffix(noun, "trix")) { // matrices
    kept -= strlen("x");
    ending = "ces";
  }
  SmbNumber form;
  if (n == 1)
    g_snprintf(form.text, sizeof form.text, "%s", noun);
  else
    g_snprintf(form.text, sizeof form.text, "%.*s%s", (int)kept, noun, ending);
  return form;
}
