// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/cuda/rewrite/declared.h"

#include "sim/cuda/rewrite/impl.h"

// Tokens of a text that is not read any further.
enum {
  MAX_TOKENS = 1 << 24
};

static void
declared_clear(gpointer data) {
  SmbDeclared *array = data;
  g_free(array->name);
  g_free(array->row);
}

static const Token *
token_at(const RawText *raw, guint i) {
  return g_ptr_array_index(raw->tokens, MIN(i, raw->tokens->len - 1));
}

// How many brackets follow the name at a token, one behind the other.
static guint
find_brackets(const RawText *raw, guint name, Brackets *brackets) {
  guint n = 0;
  while (n < MENTION_MAX_STEPS && smb_rewrite_raw_brackets(raw, name, n + 1, brackets)) {
    gint opening = smb_rewrite_raw_find(raw, brackets->brackets[n].start);
    if (smb_token_is(token_at(raw, (guint)opening - 1), ")"))
      break;
    n++;
  }
  return n;
}

// How the name at a token is used there.
static SmbDeclaredUse
find_use(const RawText *raw, guint name, guint rank) {
  Brackets brackets;
  if (find_brackets(raw, name, &brackets) < rank)
    return SMB_DECLARED_OTHER;
  return smb_token_is(token_at(raw, name - 1), "&") ? SMB_DECLARED_ADDRESSED : SMB_DECLARED_INDEXED;
}

static SmbDeclaredUse
find_uses(const RawText *raw, guint declaration, guint rank) {
  const char *name = token_at(raw, declaration)->text;
  SmbDeclaredUse use = SMB_DECLARED_INDEXED;
  for (guint i = 1; i < raw->tokens->len; i++) {
    if (i != declaration && smb_token_is(token_at(raw, i), name))
      use = MAX(use, find_use(raw, i, rank));
  }
  return use;
}

// Adds the array whose name is at a token, if it is one of several dimensions. Returns: the token behind it
static guint
read_declarator(const RawText *raw, const SmbSource *source, guint name, GArray *found) {
  Brackets brackets;
  guint rank = find_brackets(raw, name, &brackets), column;
  if (rank == 0)
    return name + 1;
  smb_rewrite_raw_brackets(raw, name, rank, &brackets);
  const Stretch *last = &brackets.brackets[rank - 1];
  guint closing = name + 1;
  while (token_at(raw, closing)->end < last->end)
    closing++;
  const Token *next = token_at(raw, closing + 1);
  if (rank > 1 && (smb_token_is(next, ",") || smb_token_is(next, ";"))) {
    const char *text = smb_source_text(source);
    SmbDeclared array = {.name = g_strdup(token_at(raw, name)->text),
                         .row = g_strndup(text + last->start + 1, last->end - last->start - 2),
                         .start = last->start,
                         .end = last->end,
                         .is_loose = smb_rewrite_raw_is_loose(raw, last),
                         .use = find_uses(raw, name, rank)};
    smb_source_locate(source, token_at(raw, name)->start, &array.line, &column);
    g_array_append_val(found, array);
  }
  return closing + 1;
}

// The arrays of a declaration from its __shared__ on. Returns: the token that ends it
static guint
read_declaration(const RawText *raw, const SmbSource *source, guint at, GArray *found) {
  while (token_at(raw, at)->kind != TOKEN_END && !smb_token_is(token_at(raw, at), ";") &&
         !smb_token_is(token_at(raw, at), "{")) {
    gboolean is_name = token_at(raw, at)->kind == TOKEN_NAME;
    at = is_name && smb_token_is(token_at(raw, at + 1), "[")
             ? read_declarator(raw, source, at, found)
             : at + 1;
  }
  return at;
}

GArray *
smb_declared_new(const SmbSource *source) {
  g_auto(RawText) raw = {0};
  GArray *found = g_array_new(FALSE, FALSE, sizeof(SmbDeclared));
  g_array_set_clear_func(found, declared_clear);
  if (!smb_rewrite_raw_lex(&raw, source, MAX_TOKENS, NULL))
    return found;
  for (guint i = 0; i < raw.tokens->len; i++) {
    if (smb_token_is(token_at(&raw, i), "__shared__"))
      i = read_declaration(&raw, source, i + 1, found);
  }
  return found;
}

void
smb_declared_pad(const SmbDeclared *array, guint more, GArray *edits) {
  smb_rewrite_edit_dimension(edits, &(Stretch){array->start, array->end}, array->is_loose, more);
}
