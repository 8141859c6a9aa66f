// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The directives: which lines of a file count, and what they define. A definition of the command line
// stays, whatever the file says.
#include "sim/base/error.h"
#include "sim/cuda/text/macro-impl.h"

// Cuts the rest of the line off: @line ends in TOKEN_END; returns the first token of the next line.
static Token *
cut_line(KernelMacros *macros, Token *token, Token **line) {
  Token head = {.next = token};
  Token *last = &head;
  while (!last->next->first_of_line)
    last = last->next;
  Token *next = last->next;
  Token *end = kernel_pool_new_struct(macros->pool, Token);
  end->start = next->start;
  last->next = end;
  *line = head.next;
  return next;
}

static gboolean
read_parameters(KernelMacros *macros, Macro *macro, Token **at, GError **error) {
  Token *token = (*at)->next;
  macro->parameters = token;
  while (!smb_token_is(token, ")")) {
    macro->is_variadic = smb_token_is(token, "...") && smb_token_is(token->next, ")");
    if (token->kind != TOKEN_NAME && !macro->is_variadic)
      return smb_macros_fail(macros, token, error, "expected the name of a macro parameter");
    if (macro->n_parameters == MAX_PARAMETERS)
      return smb_macros_fail(macros, token, error, "a macro has at most %d parameters",
                             MAX_PARAMETERS);
    macro->n_parameters++;
    token = token->next;
    if (smb_token_is(token, ","))
      token = token->next;
    else if (!smb_token_is(token, ")"))
      return smb_macros_fail(macros, token, error, "expected ',' or ')'");
  }
  *at = token->next;
  return TRUE;
}

// "#define" name ("(" parameters ")")? body
static gboolean
define(KernelMacros *macros, Token *line, GError **error) {
  if (line->kind != TOKEN_NAME)
    return smb_macros_fail(macros, line, error, "expected the name of a macro");
  Macro *macro = kernel_pool_new_struct(macros->pool, Macro);
  macro->name = line->text;
  Token *body = line->next;
  if (smb_token_is(body, "(") && !body->after_space) {
    macro->function_like = TRUE;
    if (!read_parameters(macros, macro, &body, error))
      return FALSE;
  }
  for (const Token *token = body; token->kind != TOKEN_END; token = token->next) {
    static const char *const outside[] = {"#", "##", "__VA_OPT__"};
    for (guint i = 0; i < G_N_ELEMENTS(outside); i++)
      macro->outside = smb_token_is(token, outside[i]) ? outside[i] : macro->outside;
  }
  macro->body = body;
  Macro *earlier = g_hash_table_lookup(macros->table, macro->name);
  if (earlier && earlier->from_command_line)
    macros_use(earlier);
  else
    g_hash_table_replace(macros->table, (gpointer)macro->name, macro);
  return TRUE;
}

// Replaces "defined NAME" and "defined(NAME)" by 1 or 0.
static gboolean
resolve_defined(KernelMacros *macros, Token *line, GError **error) {
  for (Token *token = line; token->kind != TOKEN_END; token = token->next) {
    if (!smb_token_is(token, "defined"))
      continue;
    Token *name = token->next;
    gboolean parenthesis = smb_token_is(name, "(");
    name = parenthesis ? name->next : name;
    Token *last = parenthesis ? name->next : name;
    if (name->kind != TOKEN_NAME || (parenthesis && !smb_token_is(last, ")")))
      return smb_macros_fail(macros, token, error, "expected 'defined(NAME)'");
    Macro *macro = smb_macros_find(macros, name);
    if (macro)
      macros_use(macro);
    token->kind = TOKEN_NUMBER;
    token->text = macro ? "1" : "0";
    token->next = last->next;
  }
  return TRUE;
}

gboolean
smb_macros_evaluate_line(KernelMacros *macros, Token *line, const Token *whole,
                         const ConstantNames *names, gint64 *value, GError **error) {
  if (!resolve_defined(macros, line, error))
    return FALSE;
  Token *expanded = smb_macros_expand(macros, line, error);
  return expanded &&
         smb_kernel_condition_evaluate(macros->source, expanded, whole, names, value, error);
}

// A condition of the text.
static gboolean
evaluate_line(KernelMacros *macros, Token *line, const Token *whole, gint64 *value,
              GError **error) {
  return smb_macros_evaluate_line(macros, line, whole, NULL, value, error);
}

static gboolean
is_active(const KernelMacros *macros) {
  return macros->n_branches == 0 || macros->branches[macros->n_branches - 1].active;
}

// #if, #ifdef, #ifndef
static gboolean
open_branch(KernelMacros *macros, const Token *directive, Token *line, GError **error) {
  gboolean outer = is_active(macros);
  gint64 value = 0;
  if (macros->n_branches == MAX_NESTING)
    return smb_macros_fail(macros, directive, error, "#if is nested more than %d deep",
                           MAX_NESTING);
  if (outer && smb_token_is(directive, "if")) {
    if (!evaluate_line(macros, line, directive, &value, error) && !macros->is_tolerant)
      return FALSE;
  } else if (outer) {
    if (line->kind != TOKEN_NAME)
      return smb_macros_fail(macros, directive, error, "expected the name of a macro");
    Macro *macro = smb_macros_find(macros, line);
    if (macro)
      macros_use(macro);
    value = (macro != NULL) == (gboolean)smb_token_is(directive, "ifdef");
  }
  Branch branch = {directive, !outer || value, outer && value, FALSE};
  macros->branches[macros->n_branches++] = branch;
  return TRUE;
}

// #elif, #else, #endif
static gboolean
turn_branch(KernelMacros *macros, const Token *directive, Token *line, GError **error) {
  if (macros->n_branches == macros->first_branch)
    return smb_macros_fail(macros, directive, error, "#%s without #if", directive->text);
  Branch *branch = &macros->branches[macros->n_branches - 1];
  if (smb_token_is(directive, "endif")) {
    macros->n_branches--;
    return TRUE;
  }
  if (branch->in_else)
    return smb_macros_fail(macros, directive, error, "#%s after #else", directive->text);
  gint64 value = 1;
  branch->in_else = smb_token_is(directive, "else");
  branch->active = FALSE;
  if (!branch->taken && !branch->in_else &&
      !evaluate_line(macros, line, directive, &value, error)) {
    if (!macros->is_tolerant)
      return FALSE;
    value = 0;
  }
  branch->active = !branch->taken && value;
  branch->taken = branch->taken || value;
  return TRUE;
}

// Where the last token of a line ends.
static guint32
find_line_end(const Token *token) {
  while (token->next->kind != TOKEN_END)
    token = token->next;
  return token->end;
}

// Notes a #define or #undef of a macro that the command line defines.
static void
note_overruled(KernelMacros *macros, const Token *hash, const Token *name) {
  const Macro *macro = smb_macros_find(macros, name->next);
  if (!macro || !macro->from_command_line)
    return;
  Stretch line = {hash->start, find_line_end(name)};
  g_array_append_val(macros->overruled, line);
}

static gboolean
run_directive(KernelMacros *macros, const Token *hash, Token *line, Token **included,
              GError **error) {
  const Token *name = line;
  if (name->kind == TOKEN_END)
    return TRUE;
  if (smb_token_is(name, "if") || smb_token_is(name, "ifdef") || smb_token_is(name, "ifndef"))
    return open_branch(macros, name, line->next, error);
  if (smb_token_is(name, "elif") || smb_token_is(name, "else") || smb_token_is(name, "endif"))
    return turn_branch(macros, name, line->next, error);
  if (is_active(macros) && smb_token_is(name, "pragma") && smb_token_is(name->next, "once"))
    g_hash_table_add(macros->once, (gpointer)macros->file);
  if (is_active(macros) && smb_token_is(name, "pragma") && smb_token_is(name->next, "pack"))
    macros->packs = TRUE;
  if (!is_active(macros) || smb_token_is(name, "pragma") || smb_token_is(name, "line"))
    return TRUE;
  if (smb_token_is(name, "define") || smb_token_is(name, "undef"))
    note_overruled(macros, hash, name);
  if (smb_token_is(name, "define"))
    return define(macros, line->next, error);
  if (smb_token_is(name, "include"))
    return smb_macros_include(macros, hash, line->next, included, error);
  if (smb_token_is(name, "undef")) {
    Macro *macro = smb_macros_find(macros, line->next);
    if (macro && !macro->from_command_line)
      g_hash_table_remove(macros->table, macro->name);
    return TRUE;
  }
  if (smb_token_is(name, "error")) {
    g_autofree char *text = smb_source_slice(macros->source, name->start, find_line_end(name));
    return smb_macros_fail(macros, hash, error, "#%s", text);
  }
  return smb_macros_fail(macros, name, error, "#%s is outside the subset", name->text);
}

// "#pragma unroll 1" and "#pragma nounroll": compilers leave the loop behind it as it is.
static gboolean
keeps_loop(KernelMacros *macros, Token *name) {
  g_autoptr(GError) ignored = NULL;
  gint64 times = 0;
  if (!smb_token_is(name, "pragma"))
    return FALSE;
  return smb_token_is(name->next, "nounroll") ||
         (smb_token_is(name->next, "unroll") && name->next->next->kind != TOKEN_END &&
          evaluate_line(macros, name->next->next, name, &times, &ignored) && times == 1);
}

// The same, of a text that need not be understood: what is wrong is left out.
static gboolean
run_any_directive(KernelMacros *macros, const Token *hash, Token *line, Token **included,
                  GError **error) {
  g_autoptr(GError) ignored = NULL;
  return run_directive(macros, hash, line, included, macros->is_tolerant ? &ignored : error) ||
         macros->is_tolerant;
}

static gboolean
expand_any_token(KernelMacros *macros, Token *token, gboolean *is_macro, Token **expanded,
                 GError **error) {
  g_autoptr(GError) ignored = NULL;
  *expanded = token;
  if (smb_macros_expand_token(macros, token, is_macro, expanded,
                              macros->is_tolerant ? &ignored : error))
    return TRUE;
  *is_macro = FALSE;
  *expanded = token;
  return macros->is_tolerant;
}

Token *
smb_kernel_macros_run(KernelMacros *macros, Token *tokens, GError **error) {
  Token head = {0};
  Token *last = &head;
  Token *token = tokens;
  gboolean after_unroll_1 = FALSE;
  while (token->kind != TOKEN_END) {
    if (token->first_of_line && smb_token_is(token, "#")) {
      Token *line, *included = NULL;
      Token *hash = token;
      token = cut_line(macros, token->next, &line);
      if (!run_any_directive(macros, hash, line, &included, error))
        return NULL;
      after_unroll_1 = after_unroll_1 || (is_active(macros) && keeps_loop(macros, line));
      for (; included && included->kind != TOKEN_END; included = included->next)
        last = last->next = included;
      continue;
    }
    if (!is_active(macros)) {
      token = token->next;
      continue;
    }
    gboolean is_macro;
    gboolean first_of_line = token->first_of_line;
    if (!expand_any_token(macros, token, &is_macro, &token, error))
      return NULL;
    if (is_macro) {
      if (first_of_line && token->kind == TOKEN_END)
        break;
      continue;
    }
    token->after_unroll_1 = (guint8)after_unroll_1;
    after_unroll_1 = FALSE;
    last = last->next = token;
    token = token->next;
  }
  last->next = token;
  if (macros->n_branches > macros->first_branch && macros->is_tolerant)
    macros->n_branches = macros->first_branch;
  if (macros->n_branches > macros->first_branch) {
    const Token *opened = macros->branches[macros->n_branches - 1].opened;
    smb_macros_fail(macros, opened, error, "this #%s has no #endif", opened->text);
    return NULL;
  }
  return head.next;
}
