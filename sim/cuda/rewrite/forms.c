// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/cuda/rewrite/forms.h"

#include <string.h>

#include "sim/cuda/rewrite/impl.h"

// Tokens of a form that is not read any further.
enum {
  MAX_FORM_TOKENS = 1 << 24
};

char *
smb_forms_space(guint form) {
  return g_strdup_printf("smembank_form_%u", form);
}

// A text, taken apart.
typedef struct {
  char *own;          // without what it includes
  GString *common;    // its directives that define, choose and include, one after the other
  GHashTable *macros; // names that it defines, or takes the definition of
} Parts;

static void
parts_clear(Parts *parts) {
  g_free(parts->own);
  g_string_free(parts->common, TRUE);
  g_hash_table_unref(parts->macros);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Parts, parts_clear)

static const Token *
form_token(const RawText *raw, guint i) {
  return g_ptr_array_index(raw->tokens, MIN(i, raw->tokens->len - 1));
}

static gboolean
is_directive(const Token *token) {
  return token->first_of_line && smb_token_is(token, "#");
}

// The token behind a directive.
static guint
find_next_line(const RawText *raw, guint hash) {
  guint at = hash + 1;
  while (form_token(raw, at)->kind != TOKEN_END && !form_token(raw, at)->first_of_line)
    at++;
  return at;
}

// Adds a directive to what all forms have in common, and takes it out of the form where it is for the whole text only.
static void
divide_directive(Parts *parts, const SmbSource *source, const RawText *raw, guint hash, guint next,
                 GArray *edits) {
  static const char *const defining[] = {"define", "undef", NULL};
  static const char *const choosing[] = {"if", "ifdef", "ifndef", "elif", "else", "endif", NULL};
  static const char *const including[] = {"include", "include_next", NULL};
  const Token *first = form_token(raw, hash), *last = form_token(raw, next - 1);
  const Token *word = form_token(raw, hash + 1), *argument = form_token(raw, hash + 2);
  gboolean includes = smb_token_is_any(word, including);
  gboolean is_once = smb_token_is(word, "pragma") && smb_token_is(argument, "once");
  if (smb_token_is_any(word, defining) && argument->kind == TOKEN_NAME)
    g_hash_table_add(parts->macros, g_strdup(argument->text));
  if (includes || smb_token_is_any(word, defining) || smb_token_is_any(word, choosing)) {
    g_autofree char *line = smb_source_slice(source, first->start, last->end);
    g_string_append_printf(parts->common, "%s\n", line);
  }
  if (includes || is_once)
    smb_rewrite_edit_add(edits, first->start, last->end - first->start, "%s", "");
}

// FALSE: it has no tokens.
static gboolean
take_apart(Parts *parts, const SmbSource *source) {
  g_auto(RawText) raw = {.pool = NULL};
  g_autoptr(GArray) edits = smb_edits_new();
  parts->common = g_string_new(NULL);
  parts->macros = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  if (!smb_rewrite_raw_lex(&raw, source, MAX_FORM_TOKENS, NULL))
    return FALSE;
  for (guint at = 0; form_token(&raw, at)->kind != TOKEN_END;) {
    const Token *token = form_token(&raw, at), *following = form_token(&raw, at + 1);
    guint next = at + 1;
    if (is_directive(token)) {
      next = find_next_line(&raw, at);
      divide_directive(parts, source, &raw, at, next, edits);
    } else if (smb_token_is(token, "extern") && following->kind == TOKEN_STRING &&
               strcmp(following->text, "\"C\"") == 0) {
      smb_rewrite_edit_add(edits, following->start, following->end - following->start, "\"C++\"");
    }
    at = next;
  }
  parts->own = smb_rewrite_apply(source, edits);
  return TRUE;
}

// Keeps what macros are, or goes back to that.
static void
append_macros(GString *text, const char *verb, GHashTable *macros) {
  g_autoptr(GList) names = g_list_sort(g_hash_table_get_keys(macros), (GCompareFunc)strcmp);
  for (const GList *name = names; name; name = name->next)
    g_string_append_printf(text, "#pragma %s_macro(\"%s\")\n", verb, (const char *)name->data);
}

char *
smb_forms_beside(const GPtrArray *forms, const char *tail) {
  g_autoptr(GString) text = g_string_new(NULL);
  g_auto(Parts) first = {0};
  if (!take_apart(&first, g_ptr_array_index(forms, 0)))
    return NULL;
  append_macros(text, "push", first.macros);
  g_string_append(text, first.common->str);
  for (guint i = 0; i < forms->len; i++) {
    g_auto(Parts) parts = {0};
    g_autofree char *space = smb_forms_space(i);
    if (!take_apart(&parts, g_ptr_array_index(forms, i)))
      return NULL;
    append_macros(text, "pop", first.macros);
    append_macros(text, "push", first.macros);
    g_string_append_printf(text, "namespace %s {\n#line 1\n%s\n%s}\n", space, parts.own, tail);
  }
  return g_string_free(g_steal_pointer(&text), FALSE);
}
