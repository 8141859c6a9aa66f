// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The grammar of a line. Every function starts at a word and leaves the cursor behind it; the line feed
// at the end stops all of them, so that none looks for it.
#include "sim/trace/trace-line.h"

#include "sim/arch/arch.h"
#include "sim/arch/words.h"
#include "sim/base/error.h"
#include "sim/base/text.h"

// Bytes of a wrong word that a message quotes.
enum {
  MAX_QUOTED = 40
};

// Words of a line before the first offset: the operation, its width, the mask.
enum {
  WORD_OP,
  WORD_WIDTH,
  WORD_MASK,
  WORD_FIRST_OFFSET,
};

static inline gboolean
is_blank_char(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

// Whether the content of the line ends here.
static inline gboolean
is_end(char c) {
  return c == '\n' || c == '#';
}

static inline gboolean
ends_word(char c) {
  return is_blank_char(c) || is_end(c);
}

static inline const char *
skip_blanks(const char *p) {
  while (is_blank_char(*p))
    p++;
  return p;
}

static gsize
word_length(const char *word) {
  gsize length = 0;
  while (!ends_word(word[length]))
    length++;
  return length;
}

// Says "NAME:LINE:COLUMN: text" of a place in the line.
G_GNUC_PRINTF(4, 5)
static gboolean
refuse_at(const SmbTraceLine *line, const char *at, GError **error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  g_autofree char *place =
      line->name ? g_strdup_printf("%s:%" G_GUINT64_FORMAT ":", line->name, line->number)
                 : g_strdup("column ");
  return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s%" G_GSIZE_FORMAT ": %s", place,
                  (gsize)(at - line->text) + 1, text);
}

// Says that a word is not what was expected; a word with bytes that no text has is told by its byte.
static gboolean
reject_word(const SmbTraceLine *line, const char *word, GError **error, const char *problem) {
  gsize length = word_length(word);
  for (gsize i = 0; i < length; i++) {
    guchar c = (guchar)word[i];
    if (c < 0x20 || c == 0x7f)
      return refuse_at(line, word + i, error, "byte 0x%02x: not a text", c);
  }
  g_autofree char *quoted = g_utf8_make_valid(word, (gssize)MIN(length, MAX_QUOTED));
  return refuse_at(line, word, error, "'%s%s' %s", quoted, length > MAX_QUOTED ? "…" : "", problem);
}

static gboolean
require_word(const SmbTraceLine *line, const char *p, GError **error, const char *what) {
  if (!is_end(*p))
    return TRUE;
  return refuse_at(line, p, error,
                   "the line ends before %s: expected "
                   "OP WIDTH MASK OFF0 … OFF%u [= WAVEFRONTS]",
                   what, smb_arch_info(line->arch)->lanes - 1);
}

// digits := [0-9]+; fails on other characters and on a number of more than 32 bits.
static inline gboolean
parse_decimal(const char **cursor, guint32 *value) {
  const char *p = *cursor;
  guint64 number = 0;
  guint digit;
  while ((digit = (guint)(guchar)*p - '0') <= 9) {
    number = number * 10 + digit;
    if (G_UNLIKELY(number > G_MAXUINT32))
      return FALSE;
    p++;
  }
  gboolean good = p != *cursor && ends_word(*p);
  *cursor = p;
  *value = (guint32)number;
  return good;
}

// hex := [0-9A-Fa-f]+; fails on other characters and on a number of more than @bits bits, 32 or 64.
static gboolean
parse_hex(const char **cursor, guint bits, guint64 *value) {
  const char *p = *cursor;
  guint64 number = 0;
  for (; g_ascii_isxdigit(*p); p++) {
    if (number >> (bits - 4))
      return FALSE;
    number = number << 4 | (guint)g_ascii_xdigit_value(*p);
  }
  gboolean good = p != *cursor && ends_word(*p);
  *cursor = p;
  *value = number;
  return good;
}

static inline gboolean
skip_hex_prefix(const char **cursor) {
  const char *p = *cursor;
  if (p[0] != '0' || (p[1] != 'x' && p[1] != 'X'))
    return FALSE;
  *cursor = p + 2;
  return TRUE;
}

// offset := digits | "0x" hex
static inline gboolean
parse_offset(const char **cursor, guint32 *value) {
  guint64 number = 0;
  if (G_LIKELY(!skip_hex_prefix(cursor)))
    return parse_decimal(cursor, value);
  gboolean good = parse_hex(cursor, 32, &number);
  *value = (guint32)number;
  return good;
}

// Whether all of a word are digits: then it is a number, only too large.
static gboolean
is_large_number(const char *word, gboolean hexadecimal) {
  gboolean prefixed = skip_hex_prefix(&word);
  gsize length = word_length(word);
  for (gsize i = 0; i < length; i++) {
    if (!(hexadecimal || prefixed ? g_ascii_isxdigit(word[i]) : g_ascii_isdigit(word[i])))
      return FALSE;
  }
  return length > 0;
}

static gboolean
reject_op(const SmbTraceLine *line, const char *word, GError **error) {
  g_autoptr(GString) problem = g_string_new("is not an operation: expected one of ");
  for (guint op = 0; op < SMB_N_OPS; op++)
    g_string_append_printf(problem, "%s%s", op ? ", " : "", smb_op_name((SmbOp)op));
  return reject_word(line, word, error, problem->str);
}

static gboolean
parse_op(const SmbTraceLine *line, const char **cursor, SmbRequest *request, GError **error) {
  SmbOp op;
  gsize length = word_length(*cursor);
  if (!smb_op_parse(*cursor, length, &op))
    return reject_op(line, *cursor, error);
  request->op = (guint8)op;
  request->has_source = FALSE;
  *cursor = skip_blanks(*cursor + length);
  return TRUE;
}

static gboolean
parse_width(const SmbTraceLine *line, const char **cursor, SmbRequest *request, GError **error) {
  const char *word = *cursor;
  guint32 width;
  if (!require_word(line, word, error, "the width"))
    return FALSE;
  if (!parse_decimal(cursor, &width) || width > SMB_MAX_WIDTH)
    return reject_word(line, word, error, "is not a width: expected 1, 2, 4, 8, 12 or 16");
  request->width = (guint8)width;
  *cursor = skip_blanks(*cursor);
  return TRUE;
}

static gboolean
parse_mask(const SmbTraceLine *line, const char **cursor, SmbRequest *request, GError **error) {
  const char *word = *cursor;
  guint n_lanes = smb_arch_info(line->arch)->lanes;
  if (!require_word(line, word, error, "the mask"))
    return FALSE;
  skip_hex_prefix(cursor);
  if (!parse_hex(cursor, n_lanes, &request->mask)) {
    g_autoptr(SmbArch) wide = smb_arch_load_wave(smb_arch_info(line->arch)->name, 64, NULL);
    g_autofree char *large = g_strdup_printf(
        "is more than %u bits: expected a bit for each of %u lanes", n_lanes, n_lanes);
    if (!is_large_number(word, TRUE))
      return reject_word(line, word, error, "is not a mask: expected hexadecimal digits");
    reject_word(line, word, error, large);
    return wide && n_lanes < 64 && smb_hint(error, SMB_HINT_WAVE, NULL, "64");
  }
  *cursor = skip_blanks(*cursor);
  return TRUE;
}

// Reads all offsets; @bits gets the bits that are set in any of them.
static gboolean
parse_offsets(const SmbTraceLine *line, const char **cursor, SmbRequest *request, guint32 *bits,
              GError **error) {
  const char *p = *cursor;
  guint32 any = 0;
  guint n_lanes = smb_arch_info(line->arch)->lanes;
  for (guint lane = 0; lane < n_lanes; lane++) {
    const char *word = p;
    if (G_UNLIKELY(!parse_offset(&p, &request->offset[lane]))) {
      if (is_end(*word) || *word == '=')
        return refuse_at(line, word, error, "%u offset%s: expected one for each of %u lanes", lane,
                         smb_plural(lane), n_lanes);
      return reject_word(line, word, error,
                         is_large_number(word, FALSE)
                             ? "is not below 4 GiB: expected an offset of 32 bits"
                             : "is not an offset: expected a whole number, decimal or 0x…");
    }
    any |= request->offset[lane];
    p = skip_blanks(p);
  }
  *bits = any;
  *cursor = p;
  return TRUE;
}

// expected := [ "=" digits ], and the end of the line
static gboolean
parse_expected(const SmbTraceLine *line, const char *p, gint64 *expected, GError **error) {
  *expected = SMB_TRACE_NO_COUNT;
  if (is_end(*p))
    return TRUE;
  if (*p != '=') {
    g_autofree char *problem = g_strdup_printf(
        "is one word too many: expected '= WAVEFRONTS' or the end of the line after %u offsets",
        smb_arch_info(line->arch)->lanes);
    return reject_word(line, p, error, problem);
  }
  guint32 count;
  const char *word = skip_blanks(p + 1);
  const char *end = word;
  if (!require_word(line, word, error, "the count"))
    return FALSE;
  if (!parse_decimal(&end, &count))
    return reject_word(
        line, word, error,
        smb_arch_say(line->arch, "is not a count: expected a whole number of wavefronts"));
  end = skip_blanks(end);
  if (!is_end(*end))
    return reject_word(line, end, error, "is one word too many: expected the end of the line");
  *expected = count;
  return TRUE;
}

static const char *
find_line_word(const SmbTraceLine *line, guint index) {
  const char *p = skip_blanks(line->text);
  while (index-- > 0)
    p = skip_blanks(p + word_length(p));
  return p;
}

// Whether hardware can execute the request. If no offset has one of the low bits, none needs a look.
static gboolean
check_traced_request(const SmbTraceLine *line, const SmbRequest *request, guint32 bits,
                     GError **error) {
  g_autoptr(GError) reason = NULL;
  guint width = request->width;
  gboolean has_width = smb_op_has_width((SmbOp)request->op, width);
  // An access whose offsets are multiples of its width does not reach beyond 4 GiB.
  gboolean suspicious = !has_width || (bits & (width - 1)) || (width & (width - 1));
  if (suspicious && !smb_request_check(request, &reason)) {
    guint word = has_width ? WORD_FIRST_OFFSET + smb_request_bad_lane(request) : WORD_WIDTH;
    return refuse_at(line, find_line_word(line, word), error, "%s", reason->message);
  }
  if (!smb_arch_check_request(line->arch, request, &reason))
    return refuse_at(line, find_line_word(line, WORD_OP), error, "%s", reason->message);
  return TRUE;
}

gboolean
smb_trace_line_parse(const SmbTraceLine *line, SmbRequest *request, gint64 *expected,
                     gboolean *found, GError **error) {
  const char *p = skip_blanks(line->text);
  guint32 bits = 0;
  *found = !is_end(*p);
  if (!*found)
    return TRUE;
  return parse_op(line, &p, request, error) && parse_width(line, &p, request, error) &&
         parse_mask(line, &p, request, error) && parse_offsets(line, &p, request, &bits, error) &&
         parse_expected(line, p, expected, error) &&
         check_traced_request(line, request, bits, error);
}
