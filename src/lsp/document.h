// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A text that an editor has open, as it is there: edited in place, with positions in lines from 0 and UTF-16 units, as the Language
// Server Protocol counts them. The library counts lines from 1 and bytes from 1.
#pragma once

#include <json-glib/json-glib.h>

/** Most bytes of a text: those of a file of the library. */
#define SMB_DOCUMENT_MOST_BYTES (64u << 20)

/**
 * SmbDocument:
 * @uri: how the editor calls it
 * @path: (nullable): its file; %NULL: it has none
 * @version: the editor's number of it
 * @text: all of it, without zero bytes
 */
typedef struct {
  char *uri, *path;
  gint64 version;
  GString *text;
} SmbDocument;

/** SmbPosition: @line: from 0; @character: from 0, in UTF-16 units */
typedef struct {
  gint64 line, character;
} SmbPosition;

/** smb_document_new: Returns: (transfer full) */
SmbDocument *smb_document_new(const char *uri, gint64 version, const char *text);
void smb_document_free(SmbDocument *document);

/** smb_document_line: Returns: (transfer none): where a line from 0 begins; the end of the text: it has no such line. @length: (out): bytes, without its end */
const char *smb_document_line(const SmbDocument *document, gint64 line, gsize *length);

/** smb_document_offset: Returns: the byte of a position; one past the end of its line, or of the text, is that end */
gsize smb_document_offset(const SmbDocument *document, const SmbPosition *position);

/** smb_document_position: Returns: the position of a byte of a line from 1; @column: from 1, and past its end is its end */
SmbPosition smb_document_position(const SmbDocument *document, guint line, guint column);

/** smb_position_read: @object: (nullable). Returns: whether it has a line and a character, from 0 */
gboolean smb_position_read(JsonObject *object, SmbPosition *position);

/**
 * smb_document_edit:
 * @change: a content change: a range and its text, or the whole text
 *
 * Returns: whether it is one, and was made
 */
gboolean smb_document_edit(SmbDocument *document, JsonObject *change);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbDocument, smb_document_free)
