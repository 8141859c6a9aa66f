// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What all productions of PTX use: tokens that are expected, errors, names.
#include <string.h>

#include "sim/ptx/read/read-impl.h"

gboolean
smb_ptx_fail(PtxReader *reader, guint32 offset, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  smb_source_error(reader->module->source, offset, reader->error, "%s", text);
  return FALSE;
}

gboolean
smb_ptx_fail_expected(PtxReader *reader, const char *what) {
  const PtxToken *token = &reader->lexer.token;
  if (token->kind == PTX_TOKEN_BAD)
    return smb_ptx_fail(reader, token->start, "%s", token->problem);
  if (token->kind == PTX_TOKEN_END)
    return smb_ptx_fail(reader, token->start, "expected %s before the end of the file", what);
  return smb_ptx_fail(reader, token->start, "expected %s, not '%.*s'", what, (int)token->length,
                      smb_ptx_text(reader));
}

gboolean
smb_ptx_within(PtxReader *reader, guint64 count, guint64 max, const char *what) {
  return count <= max || smb_ptx_fail(reader, reader->lexer.token.start,
                                      "more than %" G_GUINT64_FORMAT " %s", max, what);
}

const char *
smb_ptx_text(const PtxReader *reader) {
  return reader->lexer.text + reader->lexer.token.start;
}

gboolean
smb_ptx_is(const PtxReader *reader, guint16 punctuator) {
  return reader->lexer.token.kind == PTX_TOKEN_PUNCTUATOR &&
         reader->lexer.token.punctuator == punctuator;
}

gboolean
smb_ptx_is_directive(const PtxReader *reader, const char *directive) {
  const PtxToken *token = &reader->lexer.token;
  return token->kind == PTX_TOKEN_DIRECTIVE && token->length == strlen(directive) &&
         memcmp(smb_ptx_text(reader), directive, token->length) == 0;
}

gboolean
smb_ptx_accept(PtxReader *reader, guint16 punctuator) {
  gboolean is = smb_ptx_is(reader, punctuator);
  if (is)
    smb_ptx_lex(&reader->lexer);
  return is;
}

gboolean
smb_ptx_accept_directive(PtxReader *reader, const char *directive) {
  gboolean is = smb_ptx_is_directive(reader, directive);
  if (is)
    smb_ptx_lex(&reader->lexer);
  return is;
}

gboolean
smb_ptx_expect(PtxReader *reader, guint16 punctuator) {
  const char what[] = {'\'', (char)punctuator, '\'', '\0'};
  return smb_ptx_accept(reader, punctuator) || smb_ptx_fail_expected(reader, what);
}

gboolean
smb_ptx_expect_kind(PtxReader *reader, PtxTokenKind kind, const char *what) {
  if (reader->lexer.token.kind != kind)
    return smb_ptx_fail_expected(reader, what);
  smb_ptx_lex(&reader->lexer);
  return TRUE;
}

gboolean
smb_ptx_read_count(PtxReader *reader, guint32 *count) {
  const PtxToken *token = &reader->lexer.token;
  if (token->kind != PTX_TOKEN_INTEGER || token->bits > G_MAXUINT32)
    return smb_ptx_fail_expected(reader, "a number of at most 32 bits");
  *count = (guint32)token->bits;
  smb_ptx_lex(&reader->lexer);
  return TRUE;
}

gboolean
smb_ptx_skip_to(PtxReader *reader, guint16 close) {
  guint16 open = close == '}' ? '{' : '(';
  const char what[] = {'\'', (char)close, '\'', '\0'};
  for (guint depth = 1; depth > 0; smb_ptx_lex(&reader->lexer)) {
    if (reader->lexer.token.kind == PTX_TOKEN_END || reader->lexer.token.kind == PTX_TOKEN_BAD)
      return smb_ptx_fail_expected(reader, what);
    if (smb_ptx_is(reader, open))
      depth++;
    else if (smb_ptx_is(reader, close))
      depth--;
  }
  return TRUE;
}

gboolean
smb_ptx_enter(PtxReader *reader) {
  if (reader->nesting == PTX_MAX_NESTING)
    return smb_ptx_fail(reader, reader->lexer.token.start, "nested more than %u levels deep",
                        PTX_MAX_NESTING);
  reader->nesting++;
  return TRUE;
}

void
smb_ptx_leave(PtxReader *reader) {
  reader->nesting--;
}

const char *
smb_ptx_intern(PtxReader *reader, const char *text, gsize length) {
  PtxMeaning meaning = smb_ptx_names_find(reader->strings, text, length);
  if (meaning.kind != PTX_MEANS_NOTHING)
    return reader->interned->pdata[meaning.index];
  char *copy = g_string_chunk_insert_len(reader->module->strings, text, (gssize)length);
  smb_ptx_names_add(reader->strings, copy, length,
                    (PtxMeaning){.kind = PTX_MEANS_TEXT, .index = reader->interned->len});
  g_ptr_array_add(reader->interned, copy);
  return copy;
}

gboolean
smb_ptx_declare(PtxReader *reader, guint32 offset, const char *text, gsize length,
                PtxMeaning meaning) {
  PtxMeaning other = smb_ptx_names_find(reader->names, text, length);
  if (other.kind != PTX_MEANS_NOTHING && other.depth == smb_ptx_names_depth(reader->names))
    return smb_ptx_fail(reader, offset, "'%.*s' is declared twice", (int)length, text);
  smb_ptx_names_add(reader->names, text, length, meaning);
  return TRUE;
}

const PtxType *
smb_ptx_find_type(const PtxReader *reader) {
  const PtxToken *token = &reader->lexer.token;
  const PtxType *type = token->kind == PTX_TOKEN_DIRECTIVE
                            ? smb_ptx_type(smb_ptx_text(reader) + 1, token->length - 1)
                            : NULL;
  return type && type->is_declared ? type : NULL;
}

guint
smb_ptx_find_vector(const PtxReader *reader) {
  return smb_ptx_is_directive(reader, ".v2")   ? 2
         : smb_ptx_is_directive(reader, ".v4") ? 4
         : smb_ptx_is_directive(reader, ".v8") ? 8
                                               : 0;
}
