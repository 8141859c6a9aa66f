// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Text that is safe to print: what would control a terminal or a CI log is escaped.
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

// Whether @text ends in white space from the beginning of a line on, or is empty.
static gboolean
ends_in_blanks(const char *text, gsize length) {
  const char *at = text + length;
  while (at > text) {
    at = g_utf8_prev_char(at);
    if (*at == '\n')
      return TRUE;
    if (!g_unichar_isspace(g_utf8_get_char(at)))
      return FALSE;
  }
  return TRUE;
}

// Whether "##name[" or "##[" ends with the bracket that follows @text.
static gboolean
ends_in_mark(const char *text, gsize length) {
  while (length > 0 && g_ascii_isalpha(text[length - 1]))
    length--;
  return length >= 2 && text[length - 1] == '#' && text[length - 2] == '#';
}

// Whether the character at @at, behind @text, would make the line a command.
static gboolean
begins_command(const GString *text, const char *at, const char *end) {
  if (*at == ':')
    return end - at >= 2 && at[1] == ':' && ends_in_blanks(text->str, text->len);
  return *at == '[' && ends_in_mark(text->str, text->len);
}

// Adds one character by its bytes. Returns: their number.
static gsize
append_hidden(GString *text, const char *at, const char *end) {
  gunichar c = *at ? g_utf8_get_char_validated(at, end - at) : 0;
  gsize length = c >= (gunichar)-2 ? 1 : (gsize)g_unichar_to_utf8(c, NULL);
  for (gsize i = 0; i < length; i++)
    g_string_append_printf(text, "\\x%02x", (guchar)at[i]);
  return length;
}

void
smb_text_append(GString *text, const char *bytes, gsize length) {
  const char *end = bytes + length;
  const char *from = bytes; // what is shown as it is, and not added yet
  const char *at = bytes;
  while (at < end) {
    gsize visible = measure_visible(at, end);
    if (visible && *at != ':' && *at != '[') {
      at += visible;
      continue;
    }
    g_string_append_len(text, from, at - from);
    from = at;
    if (visible && !begins_command(text, at, end))
      at++;
    else
      from = at += append_hidden(text, at, end);
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

const char *
smb_text_ahead(const char *file) {
  for (const char *at = strchr(file, ':'); at; at = strchr(at + 1, ':')) {
    if (g_ascii_isdigit(at[1]))
      return "smembank: ";
  }
  return "";
}

guint
smb_text_width(const char *text) {
  g_autoptr(GString) shown = g_string_new("|");
  smb_text_append(shown, text, strlen(text));
  guint width = 0;
  for (const char *p = shown->str + 1; *p; p = g_utf8_next_char(p)) {
    gunichar c = g_utf8_get_char(p);
    if (!g_unichar_iszerowidth(c))
      width += g_unichar_iswide(c) ? 2 : 1;
  }
  return width;
}

// A list of arguments that functions can pass on.
typedef struct {
  va_list list;
} Arguments;

// A conversion of a format: "%-*.3lu".
typedef struct {
  const char *start, *end; // from the percent sign to behind the letter
  gboolean is_left;
  gboolean has_width;
  int width;
  int precision; // -1: none
  guint n_long;  // 1 of l, z, j and t, 2 of ll
} Conversion;

static int
read_format_count(const char **at, Arguments *arguments) {
  int count = 0;
  if (**at == '*') {
    ++*at;
    return va_arg(arguments->list, int);
  }
  while (g_ascii_isdigit(**at))
    count = count * 10 + *(*at)++ - '0';
  return count;
}

static Conversion
read_conversion(const char *start, Arguments *arguments) {
  Conversion conversion = {.start = start, .precision = -1};
  const char *at = start + 1;
  for (; *at && strchr("-+ #0'", *at); at++)
    conversion.is_left |= *at == '-';
  conversion.has_width = *at == '*' || g_ascii_isdigit(*at);
  conversion.width = read_format_count(&at, arguments);
  if (conversion.width < 0) {
    conversion.is_left = TRUE;
    conversion.width = -conversion.width;
  }
  if (*at == '.') {
    at++;
    conversion.precision = read_format_count(&at, arguments);
  }
  for (; *at && strchr("hlzjt", *at); at++)
    conversion.n_long += *at != 'h';
  conversion.end = *at ? at + 1 : at;
  return conversion;
}

// Text: an argument, of which only that of "%-s" keeps its lines.
static void
append_argument(GString *text, const Conversion *conversion, const char *argument) {
  const char *whole = argument ? argument : "(null)";
  gsize length =
      conversion->precision < 0 ? strlen(whole) : strnlen(whole, (gsize)conversion->precision);
  gsize before = text->len;
  gboolean has_lines = conversion->is_left && !conversion->has_width;
  for (gsize i = 0; i < length; i++) {
    if (has_lines || (whole[i] != '\n' && whole[i] != '\r'))
      g_string_append_c(text, whole[i]);
    else
      g_string_append(text, whole[i] == '\n' ? "\\n" : "\\r");
  }
  while (text->len - before < (gsize)conversion->width)
    g_string_insert_c(text, conversion->is_left ? -1 : (gssize)before, ' ');
}

// Anything else, by printf() itself. What a star stood for is written out.
static void
append_number(GString *text, const Conversion *conversion, Arguments *arguments) {
  g_autoptr(GString) one = g_string_new("%");
  const char *flags = conversion->start + 1;
  g_string_append_len(one, flags, (gssize)strspn(flags, "-+ #0'"));
  if (conversion->has_width)
    g_string_append_printf(one, "%d", conversion->width);
  if (conversion->precision >= 0)
    g_string_append_printf(one, ".%d", conversion->precision);
  char letter = conversion->end[-1];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  if (strchr("eEfFgGaA", letter)) {
    g_string_append_c(one, letter);
    g_string_append_printf(text, one->str, va_arg(arguments->list, double));
  } else if (letter == 'p') {
    g_string_append_c(one, letter);
    g_string_append_printf(text, one->str, va_arg(arguments->list, void *));
  } else if (conversion->n_long) {
    g_string_append_printf(one, "ll%c", letter);
    long long number = conversion->n_long > 1 ? va_arg(arguments->list, long long)
                                              : (long long)va_arg(arguments->list, long);
    g_string_append_printf(text, one->str, number);
  } else {
    g_string_append_c(one, letter);
    g_string_append_printf(text, one->str, va_arg(arguments->list, int));
  }
#pragma GCC diagnostic pop
}

char *
smb_text_format(const char *format, va_list arguments) {
  GString *text = g_string_new(NULL);
  Arguments rest;
  va_copy(rest.list, arguments);
  const char *at = format;
  for (const char *percent; (percent = strchr(at, '%'));) {
    g_string_append_len(text, at, percent - at);
    Conversion conversion = read_conversion(percent, &rest);
    char letter = conversion.end[-1];
    if (letter == '%')
      g_string_append_c(text, '%');
    else if (letter == 's')
      append_argument(text, &conversion, va_arg(rest.list, const char *));
    else
      append_number(text, &conversion, &rest);
    at = conversion.end;
  }
  va_end(rest.list);
  g_string_append(text, at);
  return g_string_free(text, FALSE);
}

char *
smb_text_printf(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = smb_text_format(format, arguments);
  va_end(arguments);
  return text;
}

char *
smb_text_escape_lines(const char *text) {
  GString *line = g_string_new(text);
  g_string_replace(line, "\r", "\\r", 0);
  g_string_replace(line, "\n", "\\n", 0);
  return g_string_free(line, FALSE);
}

char *
smb_text_quote_source(const char *said, gboolean begins_line) {
  // "FILE:12:1: error: …", "FILE(12): warning #177-D: …", "ptxas fatal   : …", "2 errors detected in …"; GCC's own bars
  g_autoptr(GRegex) message = g_regex_new(
      "^([^\\s:].*(error|warning|note|remark|fatal|from)\\b.*:|\\d+ (errors?|warnings?) |In file "
      "included from "
      "|compilation "
      "terminated|(nvcc|ptxas|cicc|nvlink|fatbinary|cudafe\\S*|sh|make)\\b.*:|\\s*\\d* \\| )",
      G_REGEX_RAW, (GRegexMatchFlags)0, NULL);
  g_auto(GStrv) lines = g_strsplit(said, "\n", -1);
  GString *text = g_string_new(NULL);
  for (guint i = 0; lines[i]; i++) {
    gboolean is_message = !*lines[i] || (i == 0 && !begins_line) ||
                          g_regex_match(message, lines[i], (GRegexMatchFlags)0, NULL);
    g_string_append_printf(text, "%s%s%s", i ? "\n" : "", is_message ? "" : "      | ", lines[i]);
  }
  return g_string_free(text, FALSE);
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

char *
smb_text_real(double value, gboolean is_float) {
  enum {
    MAX_DIGITS = 17 // of a double
  };
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  for (guint digits = 1; digits <= MAX_DIGITS; digits++) {
    g_autofree char *format = g_strdup_printf("%%.%ug", digits);
    g_ascii_formatd(text, sizeof text, format, value);
    double again = g_ascii_strtod(text, NULL);
    if (is_float ? (float)again == (float)value : again == value)
      return strpbrk(text, ".e") ? g_strdup(text) : g_strconcat(text, ".0", NULL);
  }
  return NULL;
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
