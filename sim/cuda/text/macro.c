// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The table of macros and their expansion. It follows the rule of C: a macro does not expand again
// inside its own expansion, which each token remembers as a set of hidden macros, so that no text can
// expand for ever.
#include "sim/cuda/text/macro.h"

#include <string.h>

#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/cuda/text/macro-impl.h"

// Macros that one token may come through, and what all tokens together may remember of that.
enum {
  MAX_CHAIN = 1000,
  MAX_HIDDEN = 2000000
};

struct _HideSet {
  HideSet *next;
  const Macro *macro;
  guint length;
};

gboolean
smb_macros_fail(KernelMacros *macros, const Token *at, GError **error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  smb_source_error(macros->source, at->start, error, "%s", text);
  return FALSE;
}

// What tells compilers and devices apart.
static void
define_compiler(KernelMacros *macros, guint cuda_arch, guint lanes) {
  static const char *const cuda[] = {"__CUDACC__", "__NVCC__", NULL};
  static const char *const hip[] = {"__HIPCC__",
                                    "__HIP__",
                                    "__HIP_DEVICE_COMPILE__",
                                    "__HIP_PLATFORM_AMD__",
                                    "__AMDGCN__",
                                    "__AMDGPU__",
                                    "__AMD__",
                                    "__clang__",
                                    NULL};
  gboolean is_hip = cuda_arch == 0 && lanes > 0;
  g_autofree char *number = is_hip ? g_strdup_printf("__AMDGCN_WAVEFRONT_SIZE=%u", lanes)
                                   : g_strdup_printf("__CUDA_ARCH__=%u", cuda_arch);
  for (const char *const *name = is_hip ? hip : cuda; *name; name++)
    smb_kernel_macros_define(macros, *name, NULL);
  smb_kernel_macros_define(macros, number, NULL);
  if (is_hip)
    smb_kernel_macros_add_hip(macros, NULL);
}

// Clang's macros for a chip: __gfx942__, and of its family __GFX9__: all but the last two characters of the number.
static void
define_processor(KernelMacros *macros, const char *processor) {
  g_autofree char *name = g_strdup_printf("__%s__", processor);
  g_autofree char *text = g_strdup_printf("__amdgcn_processor__=\"%s\"", processor);
  g_autofree char *family =
      g_strdup_printf("__GFX%.*s__", (int)strlen(processor) - 5, processor + 3);
  smb_kernel_macros_define(macros, name, NULL);
  smb_kernel_macros_define(macros, text, NULL);
  if (strlen(processor) > 5)
    smb_kernel_macros_define(macros, family, NULL);
}

KernelMacros *
smb_kernel_macros_new(KernelPool *pool, SmbSource *source, const char *const *folders,
                      guint max_tokens, guint cuda_arch, guint lanes, const char *processor) {
  KernelMacros *macros = g_new0(KernelMacros, 1);
  macros->pool = pool;
  macros->source = source;
  macros->table = g_hash_table_new(g_str_hash, g_str_equal);
  macros->texts = g_ptr_array_new_with_free_func((GDestroyNotify)smb_source_unref);
  macros->overruled = g_array_new(FALSE, FALSE, sizeof(Stretch));
  macros->max_tokens = macros->tokens_left = macros->text_tokens_left = max_tokens;
  macros->folders = folders;
  macros->files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, smb_macros_free_file);
  macros->once = g_hash_table_new(g_str_hash, g_str_equal);
  macros->includes = g_array_new(FALSE, FALSE, sizeof(Include));
  macros->file = smb_source_name(source);
  macros->hidden_left = MAX_HIDDEN;
  define_compiler(macros, cuda_arch, lanes);
  if (processor)
    define_processor(macros, processor);
  return macros;
}

void
smb_kernel_macros_free(KernelMacros *macros) {
  if (!macros)
    return;
  g_hash_table_unref(macros->table);
  g_hash_table_unref(macros->files);
  g_hash_table_unref(macros->once);
  g_array_unref(macros->includes);
  g_array_unref(macros->overruled);
  g_ptr_array_unref(macros->texts);
  g_free(macros);
}

const GArray *
smb_kernel_macros_overruled(const KernelMacros *macros) {
  return macros->overruled;
}

Token *
smb_macros_lex(KernelMacros *macros, const char *text, GError **error) {
  g_autoptr(GBytes) bytes = g_bytes_new(text, strlen(text));
  SmbSource *source = smb_source_new("command line", bytes, error);
  if (!source)
    return NULL;
  g_ptr_array_add(macros->texts, source);
  guint left = macros->max_tokens;
  return smb_kernel_lex(source, source, 0, macros->pool, &left, error);
}

Token *
smb_kernel_macros_run_file(KernelMacros *macros, GError **error) {
  Token *tokens = smb_kernel_lex(macros->source, macros->source, 0, macros->pool,
                                 &macros->text_tokens_left, error);
  return tokens ? smb_kernel_macros_run(macros, tokens, error) : NULL;
}

static Token *
lex_value(KernelMacros *macros, const char *definition, const char *value, GError **error) {
  g_autoptr(GError) lex_error = NULL;
  Token *body = smb_macros_lex(macros, value, &lex_error);
  const char *problem = strchr(value, '\n') ? "it has more than one line"
                        : !body             ? lex_error->message
                                            : NULL;
  for (const Token *token = body; token && !problem; token = token->next)
    problem = token->problem;
  if (problem) {
    smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "'%s': the value is not CUDA C: %s", definition,
             problem);
    smb_error_add_hints(error ? *error : NULL, lex_error, 0);
  }
  return problem ? NULL : body;
}

gboolean
smb_kernel_macros_define(KernelMacros *macros, const char *definition, GError **error) {
  const char *equals = strchr(definition, '=');
  gsize length = equals ? (gsize)(equals - definition) : strlen(definition);
  gboolean is_name = length > 0 && !g_ascii_isdigit(definition[0]);
  for (gsize i = 0; i < length; i++)
    is_name = is_name && (g_ascii_isalnum(definition[i]) || definition[i] == '_');
  if (!is_name) {
    smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "'%s': expected NAME=VALUE", definition);
    return FALSE;
  }
  if (length == strlen("defined") && g_str_has_prefix(definition, "defined")) {
    smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE,
             "'%s': 'defined' is an operator of the preprocessor, not a macro", definition);
    return FALSE;
  }
  Token *body = lex_value(macros, definition, equals ? equals + 1 : "1", error);
  if (!body)
    return FALSE;
  Macro *macro = kernel_pool_new_struct(macros->pool, Macro);
  macro->name = smb_kernel_pool_text(macros->pool, definition, length);
  macro->from_command_line = TRUE;
  macro->body = body;
  g_hash_table_replace(macros->table, (gpointer)macro->name, macro);
  return TRUE;
}

gboolean
smb_kernel_macros_is_unused(KernelMacros *macros, const char *name) {
  const Macro *macro = g_hash_table_lookup(macros->table, name);
  return macro && macro->from_command_line && !g_atomic_int_get(&macro->used);
}

const char *
smb_kernel_macros_outside(KernelMacros *macros, const char *name) {
  const Macro *macro = g_hash_table_lookup(macros->table, name);
  return macro ? macro->outside : NULL;
}

gboolean
smb_kernel_macros_packs(const KernelMacros *macros) {
  return macros->packs;
}

Macro *
smb_macros_find(KernelMacros *macros, const Token *token) {
  return token->kind == TOKEN_NAME ? g_hash_table_lookup(macros->table, token->text) : NULL;
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
    smb_macros_fail(macros, from, error, "macros make more than %u tokens", macros->max_tokens);
    smb_hint(error, SMB_HINT_LIMIT, "max_tokens", NULL);
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

// Whether the @n-th argument is all that is left.
static gboolean
takes_rest(const Macro *macro, guint n) {
  return macro->is_variadic && n == macro->n_parameters - 1;
}

// Copies the @n-th argument, up to the "," or ")" behind it, to which @at moves: a list that ends in TOKEN_END.
static Token *
copy_argument(KernelMacros *macros, const Token *name, const Macro *macro, guint n, Token **at,
              GError **error) {
  Token head = {0};
  Token *last = &head;
  guint depth = 0;
  gboolean is_rest = takes_rest(macro, n);
  for (; depth > 0 || !(smb_token_is(*at, ")") || (!is_rest && smb_token_is(*at, ",")));
       *at = (*at)->next) {
    if ((*at)->kind == TOKEN_END) {
      smb_macros_fail(macros, name, error, "the arguments of macro '%s' have no end: expected ')'",
                      macro->name);
      return NULL;
    }
    depth += smb_token_is(*at, "(");
    depth -= smb_token_is(*at, ")");
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
  guint n = 0, n_named = macro->n_parameters - macro->is_variadic;
  do {
    at = at->next;
    Token *argument = copy_argument(macros, name, macro, n, &at, error);
    if (!argument)
      return FALSE;
    gboolean none = macro->n_parameters == 0 && n == 0 && argument->kind == TOKEN_END;
    if (n < macro->n_parameters) {
      arguments[n] = smb_macros_expand(macros, argument, error);
      if (!arguments[n])
        return FALSE;
    }
    n += !none;
  } while (smb_token_is(at, ","));
  if (takes_rest(macro, n)) // of which there is none
    arguments[n++] = kernel_pool_new_struct(macros->pool, Token);
  if (n != macro->n_parameters)
    return smb_macros_fail(macros, name, error, "macro '%s' takes %s%u argument%s, not %u",
                           macro->name, macro->is_variadic ? "at least " : "", n_named,
                           smb_plural(n_named), n);
  *closing = at;
  return TRUE;
}

static gint
find_parameter(const Macro *macro, const Token *token) {
  const Token *parameter = macro->parameters;
  for (guint i = 0; i < macro->n_parameters; i++, parameter = parameter->next->next) {
    const char *name = takes_rest(macro, i) ? "__VA_ARGS__" : parameter->text;
    if (token->kind == TOKEN_NAME && strcmp(token->text, name) == 0)
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
      last->spelled = parameter >= 0 ? piece->spelled : from->start;
      if (parameter < 0)
        break;
    }
  }
  last->next = rest;
  return head.next;
}

gboolean
smb_macros_expand_token(KernelMacros *macros, Token *token, gboolean *is_macro, Token **expanded,
                        GError **error) {
  Macro *macro = smb_macros_find(macros, token);
  *is_macro = FALSE;
  if (!macro || macro->outside || is_hidden(token->hidden, macro))
    return TRUE;
  Token *arguments[MAX_PARAMETERS];
  Token *closing = token;
  gboolean deep = macros->nesting >= MAX_NESTING || macros->hidden_left == 0 ||
                  (token->hidden && token->hidden->length >= MAX_CHAIN);
  if (macro->function_like && !smb_token_is(token->next, "("))
    return TRUE;
  if (deep)
    return smb_macros_fail(macros, token, error, "macros are nested too deeply here");
  if (macro->function_like) {
    macros->nesting++;
    gboolean ok = read_arguments(macros, token, macro, token->next, arguments, &closing, error);
    macros->nesting--;
    if (!ok)
      return FALSE;
  }
  macros_use(macro);
  *is_macro = TRUE;
  HideSet *hidden = hide(macros, token->hidden, macro);
  *expanded = substitute(macros, macro, arguments, token, closing, hidden, closing->next, error);
  return *expanded != NULL;
}

Token *
smb_macros_expand(KernelMacros *macros, Token *tokens, GError **error) {
  Token head = {0};
  Token *last = &head;
  Token *token = tokens;
  for (; token->kind != TOKEN_END;) {
    gboolean is_macro;
    if (!smb_macros_expand_token(macros, token, &is_macro, &token, error))
      return NULL;
    if (is_macro)
      continue;
    last = last->next = token;
    token = token->next;
  }
  last->next = token;
  return head.next;
}
