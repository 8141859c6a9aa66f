// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/lsp/document.h"

#include <string.h>

#include "src/out/json.h"

SmbDocument *
smb_document_new(const char *uri, gint64 version, const char *text) {
  SmbDocument *document = g_new0(SmbDocument, 1);
  document->uri = g_strdup(uri);
  document->path = g_filename_from_uri(uri, NULL, NULL);
  document->version = version;
  document->text = g_string_new(text);
  return document;
}

void
smb_document_free(SmbDocument *document) {
  if (!document)
    return;
  g_free(document->uri);
  g_free(document->path);
  g_string_free(document->text, TRUE);
  g_free(document);
}

const char *
smb_document_line(const SmbDocument *document, gint64 line, gsize *length) {
  const char *at = document->text->str, *end = at + document->text->len;
  for (const char *feed; line > 0 && at < end; line--) {
    feed = memchr(at, '\n', (gsize)(end - at));
    at = feed ? feed + 1 : end;
  }
  *length = line > 0 ? 0 : strcspn(at, "\r\n");
  return at;
}

// UTF-16 units of the character that begins at @at.
static gint64
count_utf16(const char *at) {
  return g_utf8_get_char(at) > 0xffff ? 2 : 1;
}

gsize
smb_document_offset(const SmbDocument *document, const SmbPosition *position) {
  gsize length;
  const char *line = smb_document_line(document, position->line, &length), *at = line;
  gint64 units = 0;
  while (at < line + length && units + count_utf16(at) <= position->character) {
    units += count_utf16(at);
    at = g_utf8_next_char(at);
  }
  return (gsize)(at - document->text->str);
}

SmbPosition
smb_document_position(const SmbDocument *document, guint line, guint column) {
  gsize length;
  SmbPosition position = {line > 0 ? line - 1 : 0, 0};
  const char *begin = smb_document_line(document, position.line, &length);
  const char *end = begin + MIN(length, column > 0 ? column - 1 : 0);
  for (const char *at = begin; at < end; at = g_utf8_next_char(at))
    position.character += count_utf16(at);
  return position;
}

static gboolean
read_count(JsonObject *object, const char *member, gint64 *count) {
  JsonNode *node = json_object_get_member(object, member);
  if (!node || json_node_get_value_type(node) != G_TYPE_INT64)
    return FALSE;
  *count = json_node_get_int(node);
  return *count >= 0;
}

gboolean
smb_position_read(JsonObject *object, SmbPosition *position) {
  return object && read_count(object, "line", &position->line) &&
         read_count(object, "character", &position->character);
}

gboolean
smb_document_edit(SmbDocument *document, JsonObject *change) {
  const char *text = smb_json_get_text(change, "text");
  JsonObject *range = smb_json_get_object(change, "range");
  SmbPosition start = {0, 0}, end = {G_MAXINT64, 0};
  if (!text || (range && !(smb_position_read(smb_json_get_object(range, "start"), &start) &&
                           smb_position_read(smb_json_get_object(range, "end"), &end))))
    return FALSE;
  gsize from = smb_document_offset(document, &start), to = smb_document_offset(document, &end);
  if (to < from || document->text->len - (to - from) + strlen(text) > SMB_DOCUMENT_MOST_BYTES)
    return FALSE;
  g_string_erase(document->text, (gssize)from, (gssize)(to - from));
  g_string_insert(document->text, (gssize)from, text);
  return TRUE;
}
