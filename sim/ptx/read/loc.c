// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Where lines of the program were: .file, .loc and the strings of .debug_str that name inlined functions (PTX ISA
// 9.0, section 11.5). Other debugging data is skipped.
#include <string.h>

#include "sim/ptx/read/read-impl.h"

// The text of a string token, without its quotes.
static char *
read_string(PtxReader *reader) {
  const PtxToken *token = &reader->lexer.token;
  g_autofree char *inner = g_strndup(smb_ptx_text(reader) + 1, token->length - 2);
  smb_ptx_lex(&reader->lexer);
  return g_strcompress(inner);
}

gboolean
smb_ptx_read_file(PtxReader *reader) {
  guint32 number, unused;
  if (!smb_ptx_read_count(reader, &number))
    return FALSE;
  if (reader->lexer.token.kind != PTX_TOKEN_STRING)
    return smb_ptx_fail_expected(reader, "the path of a file");
  char *path = read_string(reader);
  if (reader->lexer.token.kind == PTX_TOKEN_STRING) { // a folder, and a file in it
    g_autofree char *folder = path;
    g_autofree char *name = read_string(reader);
    path = g_build_filename(folder, name, NULL);
  }
  g_hash_table_insert(reader->module->files, GUINT_TO_POINTER(number), path);
  while (smb_ptx_accept(reader, ',')) { // time and size
    if (!smb_ptx_read_count(reader, &unused))
      return FALSE;
  }
  return TRUE;
}

static gboolean
read_place(PtxReader *reader, PtxLoc *loc) {
  return smb_ptx_read_count(reader, &loc->file) && smb_ptx_read_count(reader, &loc->line) &&
         smb_ptx_read_count(reader, &loc->column);
}

static gpointer
make_loc_key(const PtxLoc *loc) {
  guint64 key = (guint64)loc->file << 44 ^ (guint64)loc->line << 12 ^ loc->column;
  return GSIZE_TO_POINTER((gsize)key);
}

static void
add_loc(PtxReader *reader, const PtxLoc *loc) {
  GArray *locs = reader->module->locs;
  g_array_append_val(locs, *loc);
  reader->loc = locs->len - 1;
  g_hash_table_insert(reader->places, make_loc_key(loc), GUINT_TO_POINTER(locs->len));
}

// The last .loc of the function with a place, where a call was inlined; a new one if it has none.
static guint32
find_loc(PtxReader *reader, const PtxLoc *place) {
  guint found = GPOINTER_TO_UINT(g_hash_table_lookup(reader->places, make_loc_key(place)));
  if (found > reader->first_loc) {
    const PtxLoc *loc = &g_array_index(reader->module->locs, PtxLoc, found - 1);
    if (loc->file == place->file && loc->line == place->line && loc->column == place->column)
      return found - 1;
  }
  add_loc(reader, place);
  return reader->loc;
}

gboolean
smb_ptx_read_loc(PtxReader *reader) {
  PtxLoc loc = {.inlined_at = PTX_NONE}, at = loc;
  PtxInlined inlined = {.loc = PTX_NONE};
  if (!read_place(reader, &loc))
    return FALSE;
  while (smb_ptx_accept(reader, ',')) {
    const PtxToken token = reader->lexer.token;
    const char *name = smb_ptx_text(reader);
    gboolean is_function = token.length == 13 && memcmp(name, "function_name", 13) == 0;
    gboolean is_inlined = token.length == 10 && memcmp(name, "inlined_at", 10) == 0;
    if (!is_function && !is_inlined)
      return smb_ptx_fail_expected(reader, "'function_name' or 'inlined_at'");
    smb_ptx_lex(&reader->lexer);
    if (is_inlined) {
      if (!read_place(reader, &at))
        return FALSE;
      loc.inlined_at = find_loc(reader, &at);
      continue;
    }
    inlined = (PtxInlined){.offset = reader->lexer.token.start};
    if (!smb_ptx_expect_kind(reader, PTX_TOKEN_NAME, "a label of .debug_str") ||
        (smb_ptx_accept(reader, '+') && !smb_ptx_read_integer(reader, &inlined.addend)))
      return FALSE;
  }
  add_loc(reader, &loc);
  if (inlined.loc != PTX_NONE) {
    inlined.loc = reader->loc;
    g_array_append_val(reader->inlined, inlined);
  }
  return TRUE;
}

// .b8 numbers with labels among them, up to "}".
static gboolean
read_debug_text(PtxReader *reader) {
  while (!smb_ptx_accept(reader, '}')) {
    const PtxToken token = reader->lexer.token;
    const char *text = smb_ptx_text(reader);
    if (token.kind == PTX_TOKEN_END || token.kind == PTX_TOKEN_BAD)
      return smb_ptx_fail_expected(reader, "'}'");
    smb_ptx_lex(&reader->lexer);
    guint8 byte = (guint8)token.bits;
    PtxMeaning meaning = {.kind = PTX_MEANS_TEXT, .index = reader->debug_text->len};
    if (token.kind == PTX_TOKEN_INTEGER)
      g_byte_array_append(reader->debug_text, &byte, 1);
    else if (token.kind == PTX_TOKEN_NAME && smb_ptx_accept(reader, ':'))
      smb_ptx_names_add(reader->debug_labels, text, token.length, meaning);
  }
  return TRUE;
}

gboolean
smb_ptx_read_section(PtxReader *reader) {
  gboolean is_text = smb_ptx_is_directive(reader, ".debug_str");
  if (!smb_ptx_expect_kind(reader, PTX_TOKEN_DIRECTIVE, "the name of a section") ||
      !smb_ptx_expect(reader, '{'))
    return FALSE;
  return is_text ? read_debug_text(reader) : smb_ptx_skip_to(reader, '}');
}

void
smb_ptx_name_inlined(PtxReader *reader) {
  const guint8 zero = 0;
  g_byte_array_append(reader->debug_text, &zero, 1);
  for (guint i = 0; i < reader->inlined->len; i++) {
    const PtxInlined *inlined = &g_array_index(reader->inlined, PtxInlined, i);
    const char *label = reader->lexer.text + inlined->offset;
    PtxMeaning meaning =
        smb_ptx_names_find(reader->debug_labels, label, smb_ptx_name_length(label));
    guint64 place = meaning.index + inlined->addend;
    if (meaning.kind == PTX_MEANS_NOTHING || place >= reader->debug_text->len)
      continue;
    const char *name = (const char *)reader->debug_text->data + place;
    g_array_index(reader->module->locs, PtxLoc, inlined->loc).function =
        smb_ptx_intern(reader, name, strlen(name));
  }
}
