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
  g_array_unref(array->lengths);
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

// The call that a token is an argument of: its opening parenthesis. @argument: (out): number of the argument. 0: of none
static guint
find_call(const RawText *raw, guint at, guint *argument) {
  guint closed = 0;
  *argument = 0;
  while (--at > 0) {
    const Token *token = token_at(raw, at);
    gboolean opens = smb_token_is(token, "(") || smb_token_is(token, "[");
    if (opens && closed == 0)
      return smb_token_is(token, "(") ? at : 0;
    if (closed == 0 && smb_token_is_any(token, (const char *const[]){";", "{", "}", NULL}))
      return 0;
    *argument += closed == 0 && smb_token_is(token, ",");
    closed -= opens;
    closed += smb_token_is(token, ")") || smb_token_is(token, "]");
  }
  return 0;
}

// The argument of that number of a call from its opening parenthesis on: its first token. @end: (out): the token behind it
static guint
find_argument(const RawText *raw, guint opening, guint number, guint *end) {
  guint at = opening + 1, first = at, open = 0;
  for (;; at++) {
    const Token *token = token_at(raw, at);
    gboolean closes = smb_token_is(token, ")") || smb_token_is(token, "]");
    gboolean ends = open == 0 && (closes || smb_token_is(token, ","));
    *end = at;
    if (token->kind == TOKEN_END || (ends && (closes || number == 0)))
      return number == 0 && token->kind != TOKEN_END ? first : at;
    if (ends) {
      number--;
      first = at + 1;
    }
    open += smb_token_is(token, "(") || smb_token_is(token, "[");
    open -= closes;
  }
}

// The leading dimension of a matrix of wmma whose address the token at @at is a part of: its first token; 0: none. @end: as above
static guint
find_ldm(const RawText *raw, guint at, guint *end) {
  guint argument, call = find_call(raw, at, &argument);
  if (call == 0)
    return 0;
  const Token *function = token_at(raw, call - 1);
  gboolean loads = smb_token_is(function, "load_matrix_sync") && argument == 1;
  gboolean stores = smb_token_is(function, "store_matrix_sync") && argument == 0;
  return loads || stores ? find_argument(raw, call, 2, end) : 0;
}

// Whether the tokens from @first up to @end are those of the row of an array.
static gboolean
is_row(const RawText *raw, guint first, guint end, guint row, guint row_end) {
  gboolean same = end - first == row_end - row;
  for (guint i = 0; same && first + i < end; i++)
    same = g_strcmp0(token_at(raw, first + i)->text, token_at(raw, row + i)->text) == 0;
  return same;
}

// How the name at a token is used there, of an array whose last dimension is the tokens from @row up to @row_end.
static SmbDeclaredUse
find_use(const RawText *raw, guint name, guint rank, guint row, guint row_end, GArray *lengths) {
  Brackets brackets;
  guint end, n = find_brackets(raw, name, &brackets), ldm = find_ldm(raw, name, &end);
  if (ldm && n + 1 >= rank && is_row(raw, ldm, end, row, row_end)) {
    SmbDeclaredLength length = {token_at(raw, ldm)->start - 1, token_at(raw, end - 1)->end + 1};
    g_array_append_val(lengths, length);
    return SMB_DECLARED_INDEXED;
  }
  if (n < rank)
    return SMB_DECLARED_OTHER;
  return smb_token_is(token_at(raw, name - 1), "&") ? SMB_DECLARED_ADDRESSED : SMB_DECLARED_INDEXED;
}

// @row: the last bracket of the declaration
static SmbDeclaredUse
find_uses(const RawText *raw, guint declaration, guint rank, const Stretch *row, GArray *lengths) {
  const char *name = token_at(raw, declaration)->text;
  guint first = (guint)smb_rewrite_raw_find(raw, row->start) + 1;
  guint end = (guint)smb_rewrite_raw_find(raw, row->end - 1);
  SmbDeclaredUse use = SMB_DECLARED_INDEXED;
  for (guint i = 1; i < raw->tokens->len; i++) {
    if (i == declaration || !smb_token_is(token_at(raw, i), name))
      continue;
    SmbDeclaredUse here = find_use(raw, i, rank, first, end, lengths);
    use = MAX(use, here);
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
    SmbDeclaredLength length = {last->start, last->end};
    GArray *lengths = g_array_new(FALSE, FALSE, sizeof(SmbDeclaredLength));
    g_array_append_val(lengths, length);
    SmbDeclaredUse use = find_uses(raw, name, rank, last, lengths);
    SmbDeclared array = {.name = g_strdup(token_at(raw, name)->text),
                         .row = g_strndup(text + last->start + 1, last->end - last->start - 2),
                         .is_loose = smb_rewrite_raw_is_loose(raw, last),
                         .use = use,
                         .lengths = lengths};
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
  for (guint i = 0; i < array->lengths->len; i++) {
    const SmbDeclaredLength *length = &g_array_index(array->lengths, SmbDeclaredLength, i);
    smb_rewrite_edit_dimension(edits, &(Stretch){length->start, length->end}, array->is_loose,
                               more);
  }
}
