// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Functions that get the array's address beside their pointers into it, which count in the present layout (pointer.c). A copy of each stands
// behind it, "f_a(int *a_base, ...)", and the calls that pass the array go there: other calls of f stay as they are.
#include "sim/cuda/rewrite/impl.h"

#include <string.h>

static gboolean
is_same_text(const Function *a, const Function *b) {
  return a->text.start == b->text.start && a->text.end == b->text.end;
}

gboolean
smb_rewrite_is_lent(const Rewriting *rewriting, const Function *function) {
  for (guint i = 0; i < rewriting->lent->len; i++) {
    if (is_same_text(g_ptr_array_index(rewriting->lent, i), function))
      return TRUE;
  }
  return FALSE;
}

const Function *
smb_rewrite_home(const Rewriting *rewriting) {
  const Function *owner = rewriting->variable->owner;
  return owner ? owner : rewriting->raw->kernel->entry;
}

// Whether a token is the name of a function, not that of a macro that makes it.
static gboolean
is_name_of(const Function *function, const Token *token) {
  return token->kind == TOKEN_NAME && g_str_has_prefix(function->name, token->text) &&
         strlen(token->text) + strlen(function->key) == strlen(function->name);
}

gboolean
smb_rewrite_lend(Rewriting *rewriting, const Function *function) {
  if (function == smb_rewrite_home(rewriting) || smb_rewrite_is_lent(rewriting, function))
    return TRUE;
  gint name = smb_rewrite_raw_find(rewriting->raw, function->start);
  gint first = smb_rewrite_raw_find(rewriting->raw, function->text.start);
  if (name < 0 || first < 0 ||
      !is_name_of(function, g_ptr_array_index(rewriting->raw->tokens, (guint)name)) ||
      !smb_token_is(g_ptr_array_index(rewriting->raw->tokens, (guint)name + 1), "("))
    return FALSE;
  g_ptr_array_add(rewriting->lent, (gpointer)function);
  return TRUE;
}

// Adds the functions between the one that has the array and those that get it. @known: set to FALSE if one of them cannot be copied. Returns:
// whether this one gets it
static gboolean
spread(Rewriting *rewriting, const Function *function, GHashTable *seen, gboolean *known) {
  if (!g_hash_table_add(seen, (gpointer)function))
    return smb_rewrite_is_lent(rewriting, function);
  gboolean lends = smb_rewrite_is_lent(rewriting, function);
  for (const Link *link = function->callees; link; link = link->next)
    lends = spread(rewriting, link->item, seen, known) || lends;
  if (!lends || function == smb_rewrite_home(rewriting))
    return FALSE;
  *known = smb_rewrite_lend(rewriting, function) && *known;
  return TRUE;
}

char *
smb_rewrite_base(const Rewriting *rewriting, const Function *function) {
  const char *name = rewriting->variable->name;
  if (function != smb_rewrite_home(rewriting))
    return smb_rewrite_new_name(rewriting, "_base", 1);
  GString *base = g_string_new(rewriting->rank > 1 ? "&" : "");
  g_string_append(base, name);
  for (guint i = 0; rewriting->rank > 1 && i < rewriting->rank; i++)
    g_string_append(base, "[0]");
  return g_string_free(base, FALSE);
}

// What is appended to the name of a function, so that it is that of its copy.
static char *
find_ending(const Rewriting *rewriting, const char *function) {
  g_autoptr(GString) ending = g_string_new("_");
  g_string_append(ending, rewriting->variable->name);
  for (;;) {
    g_autofree char *name = g_strconcat(function, ending->str, NULL);
    if (!g_hash_table_contains(rewriting->raw->names, name))
      return g_string_free(g_steal_pointer(&ending), FALSE);
    g_string_append_c(ending, '_');
  }
}

// Calls of functions that are lent the array.
typedef struct {
  Rewriting *rewriting;
  const Function *caller;
  GHashTable *changed; // offsets of calls
  const Node *refused; // a call that cannot be changed, or NULL
} Calls;

// The parenthesis that opens the arguments of a call whose name is at a token: behind arguments of a template, if there are any; or NULL.
static const Token *
find_arguments(const RawText *raw, guint name) {
  gboolean is_template = smb_token_is(g_ptr_array_index(raw->tokens, name + 1), "<");
  for (guint at = name + 1;; at++) {
    const Token *token = g_ptr_array_index(raw->tokens, at);
    gboolean closed = smb_token_is(g_ptr_array_index(raw->tokens, at - 1), ">");
    if (smb_token_is(token, "(") && (!is_template || closed))
      return token;
    if (!is_template || token->kind == TOKEN_END || smb_token_is(token, ";"))
      return NULL;
  }
}

static void
lead_call(Calls *calls, const Node *call) {
  Rewriting *rewriting = calls->rewriting;
  if (!smb_rewrite_is_lent(rewriting, call->function) ||
      !g_hash_table_add(calls->changed, GUINT_TO_POINTER(call->start)))
    return;
  gint at = smb_rewrite_raw_find(rewriting->raw, call->start);
  const Token *name = at < 0 ? NULL : g_ptr_array_index(rewriting->raw->tokens, (guint)at);
  const Token *opening =
      name && name->kind == TOKEN_NAME && g_str_has_prefix(call->function->name, name->text)
          ? find_arguments(rewriting->raw, (guint)at)
          : NULL;
  if (!opening) {
    calls->refused = call;
    return;
  }
  g_autofree char *ending = find_ending(rewriting, name->text);
  g_autofree char *base = smb_rewrite_base(rewriting, calls->caller);
  smb_rewrite_edit_add(rewriting->edits, name->end, 0, "%s", ending);
  smb_rewrite_edit_add(rewriting->edits, opening->end, 0, "%s, ", base);
}

static void
visit_calls(gpointer data, const Node *node) {
  if (!node)
    return;
  if (node->kind == NODE_CALL)
    lead_call(data, node);
  smb_node_visit_parts(node, visit_calls, data);
}

static void
lead_calls(gpointer data, const Function *function) {
  Calls *calls = data;
  calls->caller = function;
  smb_statement_visit(function->body, visit_calls, calls);
}

// Takes the edits within a function, from @first on, out of those of the text.
static GArray *
take_edits(Rewriting *rewriting, const Function *function, guint first) {
  GArray *taken = smb_edits_new();
  for (guint i = first; i < rewriting->edits->len;) {
    SmbEdit *edit = &g_array_index(rewriting->edits, SmbEdit, i);
    if (edit->offset < function->text.start || edit->offset >= function->text.end) {
      i++;
      continue;
    }
    SmbEdit copy = *edit;
    edit->text = NULL;
    g_array_append_val(taken, copy);
    g_array_remove_index(rewriting->edits, i);
  }
  return taken;
}

static void
copy_function(Rewriting *rewriting, const Function *function, guint first) {
  const RawText *raw = rewriting->raw;
  guint at = (guint)smb_rewrite_raw_find(raw, function->start);
  const Token *name = g_ptr_array_index(raw->tokens, at);
  const Token *opening = g_ptr_array_index(raw->tokens, at + 1);
  g_autofree char *ending = find_ending(rewriting, name->text);
  g_autofree char *base = smb_rewrite_base(rewriting, function);
  g_autoptr(GArray) edits = take_edits(rewriting, function, first);
  smb_rewrite_edit_add(edits, name->end, 0, "%s", ending);
  smb_rewrite_edit_add(edits, opening->end, 0, "%s *%s, ", rewriting->wanted->array->element, base);
  smb_edits_sort(edits);
  g_autofree char *text =
      smb_rewrite_apply_within(raw->kernel->program.source, edits, &function->text);
  smb_rewrite_edit_add(rewriting->edits, function->text.end, 0, "\n\n%s", text);
}

gboolean
smb_rewrite_copy_lent(Rewriting *rewriting, guint first, GError **error) {
  if (rewriting->lent->len == 0)
    return TRUE;
  const SmbKernel *kernel = rewriting->raw->kernel;
  g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
  g_autoptr(GHashTable) changed = g_hash_table_new(NULL, NULL);
  gboolean known = TRUE;
  spread(rewriting, kernel->entry, seen, &known);
  Calls calls = {rewriting, NULL, changed, NULL};
  if (known)
    smb_function_visit_all(kernel->entry, lead_calls, &calls);
  if (!known || calls.refused) {
    guint32 place = calls.refused ? calls.refused->start : rewriting->variable->start;
    smb_source_error(kernel->program.source, place, error,
                     "a function that gets '%s' cannot be copied automatically",
                     rewriting->wanted->array->name);
    return FALSE;
  }
  for (guint i = 0; i < rewriting->lent->len; i++)
    copy_function(rewriting, g_ptr_array_index(rewriting->lent, i), first);
  return TRUE;
}
