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

static const char *const defining[] = {"define", "undef", NULL};

// Notes a macro that the directive at a token defines, or takes the definition of.
static void
note_macro(Parts *parts, const RawText *raw, guint hash) {
  const Token *name = form_token(raw, hash + 2);
  if (is_directive(form_token(raw, hash)) && name->kind == TOKEN_NAME &&
      smb_token_is_any(form_token(raw, hash + 1), defining))
    g_hash_table_add(parts->macros, g_strdup(name->text));
}

// Adds a directive to what all forms have in common, and takes it out of the form where it is for the whole text only.
static void
divide_directive(Parts *parts, const SmbSource *source, const RawText *raw, guint hash, guint next,
                 GArray *edits) {
  static const char *const choosing[] = {"if", "ifdef", "ifndef", "elif", "else", "endif", NULL};
  static const char *const including[] = {"include", "include_next", NULL};
  const Token *first = form_token(raw, hash), *last = form_token(raw, next - 1);
  const Token *word = form_token(raw, hash + 1), *argument = form_token(raw, hash + 2);
  gboolean includes = smb_token_is_any(word, including);
  gboolean is_once = smb_token_is(word, "pragma") && smb_token_is(argument, "once");
  note_macro(parts, raw, hash);
  if (includes || smb_token_is_any(word, defining) || smb_token_is_any(word, choosing)) {
    g_autofree char *line = smb_source_slice(source, first->start, last->end);
    g_string_append_printf(parts->common, "%s\n", line);
  }
  if (includes || is_once)
    smb_rewrite_edit_add(edits, first->start, last->end - first->start, "%s", "");
}

// The token behind the brace that closes the one at @open; of one that is never closed, the last.
static guint
find_body_end(const RawText *raw, guint open) {
  guint depth = 0, at = open;
  while (form_token(raw, at)->kind != TOKEN_END) {
    const Token *token = form_token(raw, at);
    if (is_directive(token)) {
      at = find_next_line(raw, at);
      continue;
    }
    depth += smb_token_is(token, "{");
    depth -= smb_token_is(token, "}");
    at++;
    if (depth == 0)
      break;
  }
  return at;
}

// The name of the function whose parameters end before the token @open, or NULL: it is no plain name.
static const Token *
find_defined_name(const RawText *raw, guint start, guint open) {
  guint depth = 0, at = open;
  if (at == start || !smb_token_is(form_token(raw, at - 1), ")"))
    return NULL;
  do {
    at--;
    depth += smb_token_is(form_token(raw, at), ")");
    depth -= smb_token_is(form_token(raw, at), "(");
  } while (at > start && depth > 0);
  const Token *name = at > start ? form_token(raw, at - 1) : NULL;
  return name && name->kind == TOKEN_NAME ? name : NULL;
}

// Whether a word in front of a function's name may make it one that a kernel calls, or one without a declaration of its own: a macro is in
// capitals, mostly.
static gboolean
is_doubtful(const Token *token) {
  static const char *const words[] = {"__device__", "constexpr", "consteval", "auto",  "template",
                                      "operator",   "decltype",  "struct",    "class", "union",
                                      "enum",       "namespace", "friend",    "using", "typedef",
                                      "=",          ":",         "::",        "~",     NULL};
  if (smb_token_is_any(token, words))
    return TRUE;
  gboolean has_small = FALSE;
  for (const char *c = token->text; token->kind == TOKEN_NAME && *c; c++)
    has_small = has_small || g_ascii_islower(*c);
  return token->kind == TOKEN_NAME && !has_small;
}

// Whether what begins at token @start and has its body at @open is a function that @kernel does not need: another kernel, or one of the host.
static gboolean
is_needless(const RawText *raw, GHashTable *macros, guint start, guint open, const char *kernel) {
  const Token *name = find_defined_name(raw, start, open);
  gboolean is_kernel = FALSE;
  if (!name || strcmp(name->text, kernel) == 0)
    return FALSE;
  for (guint at = start; form_token(raw, at) != name; at++) {
    const Token *token = form_token(raw, at);
    is_kernel = is_kernel || smb_token_is(token, "__global__");
    if (is_doubtful(token) ||
        (token->kind == TOKEN_NAME && g_hash_table_contains(macros, token->text)))
      return FALSE;
  }
  return is_kernel || form_token(raw, start) != name;
}

// A body becomes the end of a declaration. Lines stay.
static void
drop_body(const SmbSource *source, const RawText *raw, guint open, guint end, GArray *edits) {
  guint32 from = form_token(raw, open)->start, to = form_token(raw, end - 1)->end;
  g_autofree char *body = smb_source_slice(source, from, to);
  g_autoptr(GString) rest = g_string_new(";");
  for (const char *c = body; *c; c++)
    g_string_append(rest, *c == '\n' ? "\n" : "");
  smb_rewrite_edit_add(edits, from, to - from, "%s", rest->str);
}

// What has braces: what is within those of a namespace is looked at, other bodies are passed over. @start: where it begins; Returns: the next
// token
static guint
pass_braces(const SmbSource *source, const RawText *raw, GHashTable *macros, guint start,
            guint open, const char *kernel, GArray *edits) {
  const Token *first = form_token(raw, start);
  gboolean is_linkage =
      smb_token_is(first, "extern") && form_token(raw, start + 1)->kind == TOKEN_STRING;
  if (smb_token_is(first, "namespace") || (is_linkage && start + 2 == open))
    return open + 1;
  guint end = find_body_end(raw, open);
  if (is_needless(raw, macros, start, open, kernel))
    drop_body(source, raw, open, end, edits);
  return end;
}

// The bodies of functions that @kernel does not need are left out: of the compiler's time most is theirs, and where the host's do not launch them
// templates of other kernels are none. A function that is missed does not compile.
static void
drop_bodies(const SmbSource *source, const RawText *raw, GHashTable *macros, const char *kernel,
            GArray *edits) {
  guint start = 0;
  for (guint at = 0; form_token(raw, at)->kind != TOKEN_END;) {
    const Token *token = form_token(raw, at);
    if (is_directive(token)) {
      at = start = find_next_line(raw, at);
    } else if (smb_token_is(token, "{")) {
      at = start = pass_braces(source, raw, macros, start, at, kernel, edits);
    } else {
      at++;
      start = smb_token_is(token, ";") || smb_token_is(token, "}") ? at : start;
    }
  }
}

// Whether a place is in one of the stretches that edits replace.
static gboolean
is_left_out(const GArray *dropped, guint32 offset) {
  for (guint i = 0; i < dropped->len; i++) {
    const SmbEdit *edit = &g_array_index(dropped, SmbEdit, i);
    if (offset >= edit->offset && offset < edit->offset + edit->length)
      return TRUE;
  }
  return FALSE;
}

// FALSE: it has no tokens.
static gboolean
take_apart(Parts *parts, const SmbSource *source, const char *kernel) {
  g_auto(RawText) raw = {.pool = NULL};
  g_autoptr(GArray) edits = smb_edits_new();
  g_autoptr(GArray) dropped = smb_edits_new();
  parts->common = g_string_new(NULL);
  parts->macros = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  if (!smb_rewrite_raw_lex(&raw, source, MAX_FORM_TOKENS, NULL))
    return FALSE;
  for (guint at = 0; form_token(&raw, at)->kind != TOKEN_END; at++)
    note_macro(parts, &raw, at);
  if (kernel)
    drop_bodies(source, &raw, parts->macros, kernel, dropped);
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
  for (guint i = 0; i < edits->len; i++) {
    const SmbEdit *edit = &g_array_index(edits, SmbEdit, i);
    if (!is_left_out(dropped, edit->offset))
      smb_rewrite_edit_add(dropped, edit->offset, edit->length, "%s", edit->text);
  }
  smb_edits_sort(dropped);
  parts->own = smb_rewrite_apply(source, dropped);
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
smb_forms_beside(const GPtrArray *forms, const char *tail, const char *kernel) {
  g_autoptr(GString) text = g_string_new(NULL);
  g_auto(Parts) first = {0};
  if (!take_apart(&first, g_ptr_array_index(forms, 0), kernel))
    return NULL;
  append_macros(text, "push", first.macros);
  g_string_append(text, first.common->str);
  for (guint i = 0; i < forms->len; i++) {
    g_auto(Parts) parts = {0};
    g_autofree char *space = smb_forms_space(i);
    if (!take_apart(&parts, g_ptr_array_index(forms, i), kernel))
      return NULL;
    append_macros(text, "pop", first.macros);
    append_macros(text, "push", first.macros);
    g_string_append_printf(text, "namespace %s {\n#line 1\n%s\n%s}\n", space, parts.own, tail);
  }
  return g_string_free(g_steal_pointer(&text), FALSE);
}
