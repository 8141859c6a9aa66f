// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Expansion follows the rule of C: a macro does not expand again inside its own expansion, which each
// token remembers as a set of hidden macros, so that no text can expand for ever.
#include "sim/kernel-macro.h"

#include <string.h>

#include "sim/error.h"
#include "sim/kernel-condition.h"

// #if within #if, and macro arguments within macro arguments.
enum {
  MAX_NESTING = 200,
  MAX_PARAMETERS = 64
};

// Macros that one token may come through, and what all tokens together may remember of that.
enum {
  MAX_CHAIN = 1000,
  MAX_HIDDEN = 2000000
};

typedef struct {
  const char *name;
  gboolean function_like;
  gboolean from_command_line;
  gboolean used;
  const char *outside; // what in it is outside the subset, or NULL: then it must not be used
  guint n_parameters;
  const Token *parameters; // the first; a "," stands before each of the others
  Token *body;             // ends in TOKEN_END
} Macro;

struct _HideSet {
  HideSet *next;
  const Macro *macro;
  guint length;
};

typedef struct {
  const Token *opened; // the #if
  gboolean taken;      // a branch of it was taken already
  gboolean active;     // the present branch is taken
  gboolean in_else;
} Branch;

struct _KernelMacros {
  KernelPool *pool;
  const SmbSource *source;
  GHashTable *table; // name → Macro
  GPtrArray *texts;  // sources of the command line's definitions
  guint max_tokens;
  guint tokens_left;
  guint hidden_left;
  guint nesting;
  Branch branches[MAX_NESTING];
  guint n_branches;
};

G_GNUC_PRINTF(4, 5)
static gboolean
fail(KernelMacros *macros, const Token *at, GError **error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  smb_source_error(macros->source, at->start, error, "%s", text);
  return FALSE;
}

KernelMacros *
kernel_macros_new(KernelPool *pool, const SmbSource *source, guint max_tokens, guint cuda_arch) {
  KernelMacros *macros = g_new0(KernelMacros, 1);
  macros->pool = pool;
  macros->source = source;
  macros->table = g_hash_table_new(g_str_hash, g_str_equal);
  macros->texts = g_ptr_array_new_with_free_func((GDestroyNotify)smb_source_unref);
  macros->max_tokens = macros->tokens_left = max_tokens;
  macros->hidden_left = MAX_HIDDEN;
  g_autofree char *arch = g_strdup_printf("__CUDA_ARCH__=%u", cuda_arch);
  kernel_macros_define(macros, "__CUDACC__", NULL);
  kernel_macros_define(macros, "__NVCC__", NULL);
  kernel_macros_define(macros, arch, NULL);
  return macros;
}

void
kernel_macros_free(KernelMacros *macros) {
  if (!macros)
    return;
  g_hash_table_unref(macros->table);
  g_ptr_array_unref(macros->texts);
  g_free(macros);
}

// Splits a text that is not part of the file; its places are not shown.
static Token *
lex_text(KernelMacros *macros, const char *text, GError **error) {
  g_autoptr(GBytes) bytes = g_bytes_new(text, strlen(text));
  SmbSource *source = smb_source_new("command line", bytes, error);
  if (!source)
    return NULL;
  g_ptr_array_add(macros->texts, source);
  return kernel_lex(source, macros->pool, macros->max_tokens, error);
}

gboolean
kernel_macros_define(KernelMacros *macros, const char *definition, GError **error) {
  const char *equals = strchr(definition, '=');
  gsize length = equals ? (gsize)(equals - definition) : strlen(definition);
  gboolean is_name = length > 0 && !g_ascii_isdigit(definition[0]);
  for (gsize i = 0; i < length; i++)
    is_name = is_name && (g_ascii_isalnum(definition[i]) || definition[i] == '_');
  if (!is_name) {
    g_set_error(error, SMB_ERROR, SMB_ERROR_USAGE, "'%s': expected NAME=VALUE", definition);
    return FALSE;
  }
  g_autoptr(GError) lex_error = NULL;
  Token *body = lex_text(macros, equals ? equals + 1 : "1", &lex_error);
  if (!body) {
    g_set_error(error, SMB_ERROR, SMB_ERROR_USAGE, "'%s': the value is no CUDA C: %s", definition,
                lex_error->message);
    return FALSE;
  }
  Macro *macro = kernel_pool_new_struct(macros->pool, Macro);
  macro->name = kernel_pool_text(macros->pool, definition, length);
  macro->from_command_line = TRUE;
  macro->body = body;
  g_hash_table_replace(macros->table, (gpointer)macro->name, macro);
  return TRUE;
}

gboolean
kernel_macros_is_unused(KernelMacros *macros, const char *name) {
  const Macro *macro = g_hash_table_lookup(macros->table, name);
  return macro && macro->from_command_line && !macro->used;
}

const char *
kernel_macros_outside(KernelMacros *macros, const char *name) {
  const Macro *macro = g_hash_table_lookup(macros->table, name);
  return macro ? macro->outside : NULL;
}

static Macro *
find_macro(KernelMacros *macros, const Token *token) {
  if (token->kind != TOKEN_NAME)
    return NULL;
  char name[64];
  if (token->length >= sizeof name)
    return g_hash_table_lookup(macros->table, token_text(macros->pool, token));
  memcpy(name, token->text, token->length);
  name[token->length] = '\0';
  return g_hash_table_lookup(macros->table, name);
}

static gboolean
is_hidden(const HideSet *set, const Macro *macro) {
  for (; set; set = set->next) {
    if (set->macro == macro)
      return TRUE;
  }
  return FALSE;
}

static HideSet *
hide(KernelMacros *macros, HideSet *set, const Macro *macro) {
  HideSet *with = kernel_pool_new_struct(macros->pool, HideSet);
  with->next = set;
  with->macro = macro;
  with->length = set ? set->length + 1 : 1;
  macros->hidden_left -= macros->hidden_left > 0;
  return with;
}

static HideSet *
join_hidden(KernelMacros *macros, HideSet *a, const HideSet *b) {
  for (; b; b = b->next) {
    if (!is_hidden(a, b->macro))
      a = hide(macros, a, b->macro);
  }
  return a;
}

static Token *
copy_token(KernelMacros *macros, const Token *token, const Token *from, const Token *to,
           GError **error) {
  if (macros->tokens_left == 0) {
    fail(macros, from, error, "macros make more than %u tokens (--max-tokens allows more)",
         macros->max_tokens);
    return NULL;
  }
  macros->tokens_left--;
  Token *copy = kernel_pool_new_struct(macros->pool, Token);
  *copy = *token;
  copy->start = from->start;
  copy->end = to->end;
  copy->first_of_line = FALSE;
  return copy;
}

static Token *expand_list(KernelMacros *macros, Token *tokens, GError **error);

// Copies an argument, up to the "," or ")" behind it, to which @at moves: a list that ends in TOKEN_END.
static Token *
copy_argument(KernelMacros *macros, const Token *name, const Macro *macro, Token **at,
              GError **error) {
  Token head = {0};
  Token *last = &head;
  guint depth = 0;
  for (; depth > 0 || !(token_is(*at, ")") || token_is(*at, ",")); *at = (*at)->next) {
    if ((*at)->kind == TOKEN_END) {
      fail(macros, name, error, "the arguments of macro '%s' have no end: expected ')'",
           macro->name);
      return NULL;
    }
    depth += token_is(*at, "(");
    depth -= token_is(*at, ")");
    last->next = copy_token(macros, *at, *at, *at, error);
    if (!last->next)
      return NULL;
    last = last->next;
  }
  last->next = kernel_pool_new_struct(macros->pool, Token);
  last->next->start = (*at)->start;
  return head.next;
}

// The arguments of a function-like macro, expanded. @at is the "(".
static gboolean
read_arguments(KernelMacros *macros, const Token *name, const Macro *macro, Token *at,
               Token **arguments, Token **closing, GError **error) {
  guint n = 0;
  do {
    at = at->next;
    Token *argument = copy_argument(macros, name, macro, &at, error);
    if (!argument)
      return FALSE;
    gboolean none = macro->n_parameters == 0 && n == 0 && argument->kind == TOKEN_END;
    if (n < macro->n_parameters) {
      arguments[n] = expand_list(macros, argument, error);
      if (!arguments[n])
        return FALSE;
    }
    n += !none;
  } while (token_is(at, ","));
  if (n != macro->n_parameters)
    return fail(macros, name, error, "macro '%s' takes %u arguments, not %u", macro->name,
                macro->n_parameters, n);
  *closing = at;
  return TRUE;
}

static gint
find_parameter(const Macro *macro, const Token *token) {
  const Token *parameter = macro->parameters;
  for (guint i = 0; i < macro->n_parameters; i++, parameter = parameter->next->next) {
    if (token->kind == TOKEN_NAME && token->length == parameter->length &&
        memcmp(token->text, parameter->text, token->length) == 0)
      return (gint)i;
  }
  return -1;
}

// Puts the body of a macro, with its arguments, in front of @rest.
static Token *
substitute(KernelMacros *macros, const Macro *macro, Token **arguments, const Token *from,
           const Token *to, HideSet *hidden, Token *rest, GError **error) {
  Token head = {0};
  Token *last = &head;
  for (const Token *token = macro->body; token->kind != TOKEN_END; token = token->next) {
    gint parameter = find_parameter(macro, token);
    const Token *piece = parameter >= 0 ? arguments[parameter] : token;
    for (; piece->kind != TOKEN_END; piece = piece->next) {
      last->next = copy_token(macros, piece, from, to, error);
      if (!last->next)
        return NULL;
      last = last->next;
      last->hidden = join_hidden(macros, hidden, piece->hidden);
      if (parameter < 0)
        break;
    }
  }
  last->next = rest;
  return head.next;
}

// Expands the macro at @token, if it is one. @expanded is what stands there afterwards.
static gboolean
expand_token(KernelMacros *macros, Token *token, gboolean *is_macro, Token **expanded,
             GError **error) {
  Macro *macro = find_macro(macros, token);
  *is_macro = FALSE;
  if (!macro || macro->outside || is_hidden(token->hidden, macro))
    return TRUE;
  Token *arguments[MAX_PARAMETERS];
  Token *closing = token;
  gboolean deep = macros->nesting >= MAX_NESTING || macros->hidden_left == 0 ||
                  (token->hidden && token->hidden->length >= MAX_CHAIN);
  if (macro->function_like && !token_is(token->next, "("))
    return TRUE;
  if (deep)
    return fail(macros, token, error, "macros are nested too deeply here");
  if (macro->function_like) {
    macros->nesting++;
    gboolean ok = read_arguments(macros, token, macro, token->next, arguments, &closing, error);
    macros->nesting--;
    if (!ok)
      return FALSE;
  }
  macro->used = TRUE;
  *is_macro = TRUE;
  HideSet *hidden = hide(macros, token->hidden, macro);
  *expanded = substitute(macros, macro, arguments, token, closing, hidden, closing->next, error);
  return *expanded != NULL;
}

static Token *
expand_list(KernelMacros *macros, Token *tokens, GError **error) {
  Token head = {0};
  Token *last = &head;
  Token *token = tokens;
  for (; token->kind != TOKEN_END;) {
    gboolean is_macro;
    if (!expand_token(macros, token, &is_macro, &token, error))
      return NULL;
    if (is_macro)
      continue;
    last = last->next = token;
    token = token->next;
  }
  last->next = token;
  return head.next;
}

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
  while (!token_is(token, ")")) {
    if (token_is(token, "...") && token_is(token->next, ")")) {
      macro->outside = "...";
      token = token->next;
      break;
    }
    if (token->kind != TOKEN_NAME)
      return fail(macros, token, error, "expected the name of a macro parameter");
    if (macro->n_parameters == MAX_PARAMETERS)
      return fail(macros, token, error, "a macro has at most %d parameters", MAX_PARAMETERS);
    macro->n_parameters++;
    token = token->next;
    if (token_is(token, ","))
      token = token->next;
    else if (!token_is(token, ")"))
      return fail(macros, token, error, "expected ',' or ')'");
  }
  *at = token->next;
  return TRUE;
}

// "#define" name ("(" parameters ")")? body
static gboolean
define(KernelMacros *macros, Token *line, GError **error) {
  if (line->kind != TOKEN_NAME)
    return fail(macros, line, error, "expected the name of a macro");
  Macro *macro = kernel_pool_new_struct(macros->pool, Macro);
  macro->name = token_text(macros->pool, line);
  Token *body = line->next;
  if (token_is(body, "(") && !body->after_space) {
    macro->function_like = TRUE;
    if (!read_parameters(macros, macro, &body, error))
      return FALSE;
  }
  for (const Token *token = body; token->kind != TOKEN_END; token = token->next) {
    if (token_is(token, "#") || token_is(token, "##"))
      macro->outside = token_is(token, "#") ? "#" : "##";
  }
  macro->body = body;
  Macro *earlier = g_hash_table_lookup(macros->table, macro->name);
  if (earlier && earlier->from_command_line)
    earlier->used = TRUE;
  else
    g_hash_table_replace(macros->table, (gpointer)macro->name, macro);
  return TRUE;
}

// Replaces "defined NAME" and "defined(NAME)" by 1 or 0.
static gboolean
resolve_defined(KernelMacros *macros, Token *line, GError **error) {
  for (Token *token = line; token->kind != TOKEN_END; token = token->next) {
    if (!token_is(token, "defined"))
      continue;
    Token *name = token->next;
    gboolean parenthesis = token_is(name, "(");
    name = parenthesis ? name->next : name;
    Token *last = parenthesis ? name->next : name;
    if (name->kind != TOKEN_NAME || (parenthesis && !token_is(last, ")")))
      return fail(macros, token, error, "expected 'defined(NAME)'");
    Macro *macro = find_macro(macros, name);
    if (macro)
      macro->used = TRUE;
    token->kind = TOKEN_NUMBER;
    token->text = macro ? "1" : "0";
    token->length = 1;
    token->next = last->next;
  }
  return TRUE;
}

static gboolean
evaluate_line(KernelMacros *macros, Token *line, const Token *whole, gint64 *value,
              GError **error) {
  if (!resolve_defined(macros, line, error))
    return FALSE;
  Token *expanded = expand_list(macros, line, error);
  return expanded && kernel_condition_evaluate(macros->source, expanded, whole, value, error);
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
    return fail(macros, directive, error, "#if is nested more than %d deep", MAX_NESTING);
  if (outer && token_is(directive, "if")) {
    if (!evaluate_line(macros, line, directive, &value, error))
      return FALSE;
  } else if (outer) {
    if (line->kind != TOKEN_NAME)
      return fail(macros, directive, error, "expected the name of a macro");
    Macro *macro = find_macro(macros, line);
    if (macro)
      macro->used = TRUE;
    value = (macro != NULL) == (gboolean)token_is(directive, "ifdef");
  }
  Branch branch = {directive, !outer || value, outer && value, FALSE};
  macros->branches[macros->n_branches++] = branch;
  return TRUE;
}

// #elif, #else, #endif
static gboolean
turn_branch(KernelMacros *macros, const Token *directive, Token *line, GError **error) {
  if (macros->n_branches == 0)
    return fail(macros, directive, error, "#%.*s without #if", (int)directive->length,
                directive->text);
  Branch *branch = &macros->branches[macros->n_branches - 1];
  if (token_is(directive, "endif")) {
    macros->n_branches--;
    return TRUE;
  }
  if (branch->in_else)
    return fail(macros, directive, error, "#%.*s after #else", (int)directive->length,
                directive->text);
  gint64 value = 1;
  branch->in_else = token_is(directive, "else");
  branch->active = FALSE;
  if (!branch->taken && !branch->in_else && !evaluate_line(macros, line, directive, &value, error))
    return FALSE;
  branch->active = !branch->taken && value;
  branch->taken = branch->taken || value;
  return TRUE;
}

static gboolean
include(KernelMacros *macros, const Token *line, GError **error) {
  if (token_is(line, "<"))
    return TRUE;
  return fail(macros, line, error,
              "only system headers, #include <...>, are looked past: the "
              "kernel must stand in one file");
}

static gboolean
run_directive(KernelMacros *macros, const Token *hash, Token *line, GError **error) {
  const Token *name = line;
  if (name->kind == TOKEN_END)
    return TRUE;
  if (token_is(name, "if") || token_is(name, "ifdef") || token_is(name, "ifndef"))
    return open_branch(macros, name, line->next, error);
  if (token_is(name, "elif") || token_is(name, "else") || token_is(name, "endif"))
    return turn_branch(macros, name, line->next, error);
  if (!is_active(macros) || token_is(name, "pragma") || token_is(name, "line"))
    return TRUE;
  if (token_is(name, "define"))
    return define(macros, line->next, error);
  if (token_is(name, "include"))
    return include(macros, line->next, error);
  if (token_is(name, "undef")) {
    Macro *macro = find_macro(macros, line->next);
    if (macro && !macro->from_command_line)
      g_hash_table_remove(macros->table, macro->name);
    return TRUE;
  }
  if (token_is(name, "error")) {
    const Token *last = name;
    while (last->next->kind != TOKEN_END)
      last = last->next;
    return fail(macros, hash, error, "#%.*s", (int)(last->end - name->start), name->text);
  }
  return fail(macros, name, error, "#%.*s is outside the subset", (int)name->length, name->text);
}

Token *
kernel_macros_run(KernelMacros *macros, Token *tokens, GError **error) {
  Token head = {0};
  Token *last = &head;
  Token *token = tokens;
  while (token->kind != TOKEN_END) {
    if (token->first_of_line && token_is(token, "#")) {
      Token *line;
      Token *hash = token;
      token = cut_line(macros, token->next, &line);
      if (!run_directive(macros, hash, line, error))
        return NULL;
      continue;
    }
    if (!is_active(macros)) {
      token = token->next;
      continue;
    }
    gboolean is_macro;
    gboolean first_of_line = token->first_of_line;
    if (!expand_token(macros, token, &is_macro, &token, error))
      return NULL;
    if (is_macro) {
      if (first_of_line && token->kind == TOKEN_END)
        break;
      continue;
    }
    last = last->next = token;
    token = token->next;
  }
  last->next = token;
  if (macros->n_branches > 0) {
    fail(macros, macros->branches[macros->n_branches - 1].opened, error, "this #%.*s has no #endif",
         (int)macros->branches[macros->n_branches - 1].opened->length,
         macros->branches[macros->n_branches - 1].opened->text);
    return NULL;
  }
  return head.next;
}

gboolean
kernel_macros_evaluate(KernelMacros *macros, const char *expression, gint64 *value,
                       GError **error) {
  g_autoptr(GError) local = NULL;
  Token *tokens = lex_text(macros, expression, &local);
  if (tokens && evaluate_line(macros, tokens, tokens, value, &local))
    return TRUE;
  g_set_error(error, SMB_ERROR, SMB_ERROR_USAGE, "'%s' is not an integer expression", expression);
  return FALSE;
}
