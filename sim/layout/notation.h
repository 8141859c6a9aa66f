// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A place in a text that is read from left to right: what all notations of layouts and accesses share. Private to
// sim/layout. Functions that fail set one error, which names the place.
#pragma once

#include "sim/base/source.h"

/** Most elements of a tile, and most elements that one access asks for in all. */
#define SMB_TILE_MAX_ELEMENTS (1u << 20)

/** Deepest nesting of parentheses in a notation. */
#define SMB_NOTATION_MAX_DEPTH 32

/**
 * SmbNotation:
 * @source: the whole text, which messages quote
 * @at: byte offset of what is read next
 * @end: byte offset at which reading ends: that of the line
 * @depth: how many parentheses are open
 */
typedef struct {
  const SmbSource *source;
  guint32 at, end;
  guint depth;
} SmbNotation;

/** Says what is wrong with the text at @at; always %FALSE. */
gboolean smb_notation_fail(const SmbNotation *notation, guint32 at, GError **error,
                           const char *format, ...) G_GNUC_PRINTF(4, 5);

/** smb_notation_skip: skips spaces. Returns: the next character; 0 at the end */
char smb_notation_skip(SmbNotation *notation);

/** smb_notation_take: Returns: whether @text comes next, which is skipped then; letters and digits may not go on behind a word */
gboolean smb_notation_take(SmbNotation *notation, const char *text);

/** smb_notation_expect: Returns: as smb_notation_take(); that it does not is an error */
gboolean smb_notation_expect(SmbNotation *notation, const char *text, GError **error);

/** smb_notation_word: Returns: (transfer full): letters, digits, '_' and '.' that come next; "" if there are none */
char *smb_notation_word(SmbNotation *notation);

/** smb_notation_is_digit: Returns: whether a number comes next; one of CuTe may have '_' in front */
gboolean smb_notation_is_digit(SmbNotation *notation);

/** smb_notation_number: reads a number in decimal, or hexadecimal with 0x, of @least to @most, which no letter follows; CuTe writes
 * "_8" of what is static */
gboolean smb_notation_number(SmbNotation *notation, guint64 least, guint64 most, guint64 *value,
                             GError **error);

/** smb_notation_integer: the same, with a sign */
gboolean smb_notation_integer(SmbNotation *notation, gint64 *value, GError **error);

/** smb_notation_open, smb_notation_close: a parenthesis or bracket, of which too many may not be open */
gboolean smb_notation_open(SmbNotation *notation, const char *text, GError **error);
gboolean smb_notation_close(SmbNotation *notation, const char *text, GError **error);
