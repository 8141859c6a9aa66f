// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Text as a terminal shows it. Whatever a file, a file name or a command line holds goes through here on its way
// to a reader: no byte of it can steer the terminal, or hide what it says.
#pragma once

#include <glib.h>
#include <stdarg.h>

/** Longest quote of a message, in characters: smb_text_shorten_quotes(). */
#define SMB_TEXT_MAX_QUOTE 100

/** Whether a character is seen, or is a line feed or a tab: it is no control, and does not steer others. */
gboolean smb_text_is_visible(gunichar c);

/**
 * smb_text_append:
 * @text: takes what is shown; UTF-8
 * @bytes: any bytes
 * @length: of @bytes
 *
 * Adds @bytes as they are shown: bytes that are not UTF-8, control characters but line feeds and tabs, and
 * characters that change the direction of text or are not seen at all become "\xNN", for each byte. So does what makes
 * a line a command to who runs this program: "::" at its beginning (GitHub documentation, "Workflow commands"), "##["
 * and "##vso[" anywhere (Azure Pipelines documentation, "Logging commands"), and all others of that form.
 */
void smb_text_append(GString *text, const char *bytes, gsize length);

/** smb_text_show: Returns: (transfer full): @text as smb_text_append() shows it */
char *smb_text_show(const char *text);

/** smb_text_show_line: as smb_text_show(), on one line: line feeds are spaces, and tabs four of them */
char *smb_text_show_line(const char *text);

/**
 * smb_text_ahead:
 * @file: the name of a file with which a message begins, "FILE:LINE: warning: …"
 *
 * Returns: what has to precede it: our own name, if a part of @file looks like a place ("other.c:1:1: error:
 *   k.cu"), of which a reader of messages would take the message to be; else nothing
 */
const char *smb_text_ahead(const char *file);

/**
 * smb_text_width: Returns: columns of a terminal that @text takes, whatever its bytes are, once it is shown within a
 * line
 */
guint smb_text_width(const char *text);

/**
 * smb_text_format:
 *
 * As g_strdup_vprintf(), but the lines are those of @format: a line feed or carriage return that is in an argument
 * becomes "\n" or "\r", so that nothing in it begins a line. Only an argument of "%-s", a minus without a width, may
 * have several lines: a message that was made by such a function.
 *
 * Returns: (transfer full): the text
 */
char *smb_text_format(const char *format, va_list arguments) G_GNUC_PRINTF(1, 0);
char *smb_text_printf(const char *format, ...) G_GNUC_PRINTF(1, 2);

/** smb_text_escape_lines: Returns: (transfer full): @text on one line: a line feed is "\n", a carriage return "\r" */
char *smb_text_escape_lines(const char *text);

/**
 * smb_text_quote_source:
 * @said: what a compiler says; UTF-8
 * @begins_line: whether its first line will begin a line, and not follow other words
 *
 * Returns: (transfer full): @said, with the lines of it that are no messages, but of the source that it compiles,
 *   behind a bar: they may look like anything
 */
char *smb_text_quote_source(const char *said, gboolean begins_line);

/** smb_text_shorten_quotes: Returns: (transfer full): a message whose quotes ('…') are short enough to read on */
char *smb_text_shorten_quotes(const char *message);

/**
 * smb_text_capitalize: Returns: (transfer full): @clause with a capital letter, unless it begins with code: "tile[i]",
 * "st.shared"
 */
char *smb_text_capitalize(const char *clause);

/** smb_text_real: Returns: (transfer full): the shortest decimal number that is @value again (as a float, if @is_float), with a point
 * or an exponent; %NULL: it is no number */
char *smb_text_real(double value, gboolean is_float);

/** A number in words, made on the spot for the arguments of a printf(), which it outlives. */
typedef struct {
  char text[64];
} SmbNumber;

/** smb_number: Returns: @n in decimal */
static inline SmbNumber
smb_number(guint64 n) {
  SmbNumber number;
  g_snprintf(number.text, sizeof number.text, "%" G_GUINT64_FORMAT, n);
  return number;
}

/** smb_plural: Returns: (transfer none): what follows a noun behind the number @n: "s", but "" behind 1 */
static inline const char *
smb_plural(guint64 n) {
  return n == 1 ? "" : "s";
}

/** smb_is_are: Returns: (transfer none): the verb behind @n things */
static inline const char *
smb_is_are(guint64 n) {
  return n == 1 ? "is" : "are";
}

/** smb_comma_and: Returns: (transfer none): what is before thing @i of @n in a list: "", ", " or " and " */
static inline const char *
smb_comma_and(gsize i, gsize n) {
  return i == 0 ? "" : i + 1 < n ? ", " : " and ";
}

/** smb_noun: Returns: a noun behind the number @n: behind 1 as it is, else "wavefronts", "accesses", "matrices" */
SmbNumber smb_noun(guint64 n, const char *noun);

/** smb_count: Returns: @n things: "1 wavefront", "32 wavefronts" */
static inline SmbNumber
smb_count(guint64 n, const char *noun) {
  SmbNumber number;
  g_snprintf(number.text, sizeof number.text, "%" G_GUINT64_FORMAT " %s", n,
             smb_noun(n, noun).text);
  return number;
}
