// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Pieces of an HTML page. What comes from a user's file goes through here, so that it can be nothing but
// text; markup itself is written with smb_spool_printf().
#pragma once

#include "src/out/spool.h"

/** Adds a text: markup is escaped, bytes that are not UTF-8 and control characters are replaced. */
void smb_html_text(SmbSpool *page, const char *text);

/** Adds a text between pieces of markup. */
void smb_html_within(SmbSpool *page, const char *before, const char *text, const char *after);

/** Adds a message, as a block of its own: its first line after @before, and what stands below, such as the line of a text that it is
 * about, as it is. */
void smb_html_message(SmbSpool *page, const char *before, const char *message);

/**
 * smb_html_json:
 * @json: a JSON document
 *
 * Adds the contents of a script element of JSON: no text in it can end the element.
 */
void smb_html_json(SmbSpool *page, const char *json);

/** Adds a cell of a table that holds a number; @css_class: (nullable). */
void smb_html_number(SmbSpool *page, const char *css_class, guint64 number);
