// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Reading the host's text: kernels, launches, and what is in neither of them (host-declare.c).
#include <string.h>

#include "sim/cuda/text/host-impl.h"
#include "sim/cuda/text/macro-impl.h"
#include "sim/program/program.h"

enum {
  MAX_TOKENS = 1 << 24,
  HIP_LANES = 64,
};

static void
parameter_free(SmbHostParameter *parameter) {
  g_free(parameter->type);
  g_free(parameter->name);
  g_free(parameter);
}

static void
template_free(SmbHostTemplate *parameter) {
  g_free(parameter->name);
  g_free(parameter->value);
  g_free(parameter);
}

// --- tokens

static guint
line_of(const HostReader *reader, guint i) {
  guint line, column;
  smb_source_locate(reader->source, smb_host_token(reader, i)->start, &line, &column);
  return line;
}

char *
smb_host_slice(const HostReader *reader, guint from, guint to) {
  GString *text = g_string_new(NULL);
  for (guint i = from; i < to; i++) {
    const Token *token = smb_host_token(reader, i);
    // What macros made stands side by side, and is not one word for that.
    if (i > from && (token->after_space || token->start != smb_host_token(reader, i - 1)->end))
      g_string_append_c(text, ' ');
    g_string_append(text, token->text ? token->text : "");
  }
  return g_string_free(text, FALSE);
}

// Ends nothing but the bracket.
static const char *const no_ends[] = {NULL};

int
smb_host_nesting(const Token *token) {
  static const char *const opening[] = {"(", "[", "{", NULL}, *const closing[] = {")", "]", "}",
                                                                                  NULL};
  return smb_token_is_any(token, opening) ? 1 : smb_token_is_any(token, closing) ? -1 : 0;
}

// The first token from @i on that is one of @ends and in no bracket, or closes the bracket that @i is in; one of neither kind
// if there is none among the next @most.
static guint
find_within(const HostReader *reader, guint i, const char *const *ends, guint most) {
  int nesting = 0;
  for (guint n = 0; n < most && smb_host_token(reader, i)->kind != TOKEN_END; n++, i++) {
    if (nesting == 0 && smb_token_is_any(smb_host_token(reader, i), ends))
      return i;
    nesting += smb_host_nesting(smb_host_token(reader, i));
    if (nesting < 0)
      return i;
  }
  return i;
}

guint
smb_host_find_end(const HostReader *reader, guint i, const char *const *ends) {
  return find_within(reader, i, ends, MAX_HOST_EXPRESSION);
}

guint
smb_host_find_closing(const HostReader *reader, guint i) {
  return find_within(reader, i, no_ends, G_MAXUINT);
}

// How many brackets of arguments of templates a token opens, or closes.
static int
get_angles(const HostReader *reader, guint i) {
  return smb_host_is(reader, i, "<")    ? 1
         : smb_host_is(reader, i, ">")  ? -1
         : smb_host_is(reader, i, ">>") ? -2
                                        : 0;
}

// The token behind the list of a template whose "<" is at @i; @i itself if it has no end.
static guint
find_behind_angles(const HostReader *reader, guint i) {
  int nesting = 0, angles = 0;
  for (guint at = i; at < i + MAX_HOST_EXPRESSION; at++) {
    const Token *token = smb_host_token(reader, at);
    nesting += smb_host_nesting(token);
    angles += nesting == 0 ? get_angles(reader, at) : 0;
    if (nesting < 0 || token->kind == TOKEN_END || smb_token_is(token, ";"))
      return i;
    if (angles <= 0)
      return at + 1;
  }
  return i;
}

// Behind the arguments of a template in a list that ends at @to, from their "<" on; @i itself if it is one of two comparisons.
static guint
find_list_behind(const HostReader *reader, guint i, guint to) {
  static const char *const operands[] = {"(", "::", ",", "{", ")", NULL};
  guint behind = find_behind_angles(reader, i);
  gboolean is_list = behind == to || smb_token_is_any(smb_host_token(reader, behind), operands) ||
                     smb_host_is_name(reader, behind);
  return behind > i && behind <= to && is_list ? behind : i;
}

// The parts of a list with commas between, from one token up to another (element-type utf8); of nothing none.
static GPtrArray *
split(const HostReader *reader, guint from, guint to) {
  GPtrArray *parts = g_ptr_array_new_with_free_func(g_free);
  int nesting = 0;
  guint start = from, behind = from; // the arguments of a template that were met last
  for (guint i = from; i < to; i++) {
    nesting += smb_host_nesting(smb_host_token(reader, i));
    if (nesting == 0 && i >= behind && i > from && smb_host_is(reader, i, "<") &&
        smb_host_is_name(reader, i - 1))
      behind = find_list_behind(reader, i, to);
    if (nesting == 0 && i >= behind && smb_host_is(reader, i, ",")) {
      g_ptr_array_add(parts, smb_host_slice(reader, start, i));
      start = i + 1;
    }
  }
  if (from < to)
    g_ptr_array_add(parts, smb_host_slice(reader, start, to));
  return parts;
}

// --- kernels

// The parameter from one token up to another: its name is the last one in front of a default value or an extent.
static SmbHostParameter *
read_parameter(const HostReader *reader, guint from, guint to) {
  SmbHostParameter *parameter = g_new0(SmbHostParameter, 1);
  guint name = from;
  for (guint i = from; i < to && !smb_host_is(reader, i, "="); i++) {
    if (smb_host_is_name(reader, i))
      name = i;
    parameter->is_pointer |= smb_host_is(reader, i, "*") || smb_host_is(reader, i, "[");
  }
  parameter->type = smb_host_slice(reader, from, name);
  parameter->name = g_strdup(smb_host_token(reader, name)->text);
  return parameter;
}

// Of all namespaces around a declaration (transfer full).
static char *
join_spaces(const HostReader *reader) {
  GString *space = g_string_new(NULL);
  for (guint i = 0; i < reader->spaces->len; i++)
    g_string_append(space, g_ptr_array_index(reader->spaces, i));
  return g_string_free(space, FALSE);
}

// A template, from its "<" on: notes its parameters. Returns the token behind the ">".
static guint
read_host_template(HostReader *reader, guint i) {
  guint behind = find_behind_angles(reader, i);
  if (behind == i)
    return i + 1;
  g_clear_pointer(&reader->templates, g_ptr_array_unref);
  reader->templates = g_ptr_array_new_with_free_func((GDestroyNotify)template_free);
  int nesting = 0, angles = 0;
  guint from = i + 1, equals = 0, name = 0;
  for (guint at = i; at < behind; at++) {
    const Token *token = smb_host_token(reader, at);
    gboolean is_end = at == behind - 1 || (nesting == 0 && angles == 1 && smb_token_is(token, ","));
    if (is_end && at > from) {
      SmbHostTemplate *parameter = g_new0(SmbHostTemplate, 1);
      parameter->name = g_strdup(name ? smb_host_token(reader, name)->text : "");
      parameter->value = equals ? smb_host_slice(reader, equals + 1, at) : NULL;
      g_ptr_array_add(reader->templates, parameter);
      smb_host_hide(reader, parameter->name);
      from = at + 1;
      equals = name = 0;
    }
    if (smb_token_is(token, "=") && nesting == 0 && angles == 1 && !equals)
      equals = at;
    if (token->kind == TOKEN_NAME && at > from && !equals)
      name = at;
    nesting += smb_host_nesting(token);
    angles += nesting == 0 ? get_angles(reader, at) : 0;
  }
  return behind;
}

// The name of a kernel, which its list of parameters follows, from behind "__global__" on; what stands between may have a list, too.
// 0: there is none
static guint
find_declared_kernel(const HostReader *reader, guint i) {
  for (; smb_host_token(reader, i)->kind != TOKEN_END; i++) {
    if (smb_host_is(reader, i, ";") || smb_host_is(reader, i, "{"))
      return 0;
    if (!smb_host_is_name(reader, i) || !smb_host_is(reader, i + 1, "("))
      continue;
    guint behind = smb_host_find_closing(reader, i + 2) + 1;
    if (smb_host_is(reader, behind, "{") || smb_host_is(reader, behind, ";"))
      return i;
    i = behind - 1;
  }
  return 0;
}

// A kernel that a header has is one of each text that includes it: it is taken once.
static gboolean
has_included(const SmbHost *host, const SmbHostKernel *kernel) {
  const char *place = kernel->included ? kernel->included : kernel->file;
  for (guint i = 0; i < host->kernels->len; i++) {
    const SmbHostKernel *other = host->kernels->pdata[i];
    if ((kernel->included || other->included) && other->line == kernel->line &&
        strcmp(other->name, kernel->name) == 0 &&
        strcmp(other->included ? other->included : other->file, place) == 0)
      return TRUE;
  }
  return FALSE;
}

// A kernel, from "__global__" on. Returns the token behind it.
static guint
read_kernel(HostReader *reader, guint i) {
  static const char *const comma[] = {",", NULL};
  guint name = find_declared_kernel(reader, i);
  guint end = name ? smb_host_find_closing(reader, name + 2) : 0;
  if (!name || !smb_host_is(reader, end + 1, "{"))
    return name ? end : i;
  const char *file = smb_source_file(reader->source, smb_host_token(reader, name)->start);
  SmbHostKernel *kernel = g_new0(SmbHostKernel, 1);
  kernel->name = g_strdup(smb_host_token(reader, name)->text);
  kernel->space = join_spaces(reader);
  kernel->file = g_strdup(reader->file);
  kernel->included = g_strdup(file);
  kernel->line = line_of(reader, name);
  kernel->is_template = reader->templates != NULL;
  kernel->templates = g_steal_pointer(&reader->templates);
  kernel->is_hip = reader->is_hip;
  kernel->parameters = g_ptr_array_new_with_free_func((GDestroyNotify)parameter_free);
  gboolean is_empty = end == name + 3 && smb_host_is(reader, name + 2, "void");
  for (guint from = name + 2; from < end && !is_empty;) {
    guint to = smb_host_find_end(reader, from, comma);
    g_ptr_array_add(kernel->parameters, read_parameter(reader, from, to));
    from = to + 1;
  }
  if (has_included(reader->host, kernel))
    smb_host_kernel_free(kernel);
  else
    g_ptr_array_add(reader->host->kernels, kernel);
  return smb_host_find_closing(reader, end + 2) + 1;
}

// A function of the device: what it calls its variables says nothing of a launch. Returns the token behind it.
static guint
skip_function(const HostReader *reader, guint i) {
  static const char *const body[] = {"{", ";", NULL};
  i = smb_host_find_end(reader, i, body);
  return smb_host_is(reader, i, "{") ? smb_host_find_closing(reader, i + 1) + 1 : i + 1;
}

// The "<" in front of the ">" or ">>" at @i; @i itself if there is none.
static guint
find_opening(const HostReader *reader, guint i) {
  int open = 0;
  int nesting = 0;
  for (guint at = i; at > 0 && at + MAX_HOST_EXPRESSION > i; at--) {
    nesting -= smb_host_nesting(smb_host_token(reader, at));
    open -= nesting == 0 ? get_angles(reader, at) : 0;
    if (open <= 0 && nesting == 0)
      return at;
    if (smb_host_is(reader, at, ";") || smb_host_is(reader, at, "{") ||
        smb_host_is(reader, at, "}"))
      break;
  }
  return i;
}

// A launch of the kernel that a token names.
static SmbHostLaunch *
add_launch(const HostReader *reader, guint name) {
  SmbHostLaunch *launch = g_new0(SmbHostLaunch, 1);
  launch->kernel = g_strdup(smb_host_token(reader, name)->text);
  const char *included = smb_source_file(reader->source, smb_host_token(reader, name)->start);
  launch->text = g_strdup(reader->file);
  launch->file = g_strdup(included ? included : reader->file);
  launch->line = line_of(reader, name);
  launch->scope = reader->scope;
  g_ptr_array_add(reader->host->launches, launch);
  GPtrArray *same = g_hash_table_lookup(reader->host->by_kernel, launch->kernel);
  if (!same) {
    same = g_ptr_array_new();
    g_hash_table_insert(reader->host->by_kernel, launch->kernel, same);
  }
  g_ptr_array_add(same, launch);
  return launch;
}

// A launch, from its "<<<" on.
static void
read_launch(const HostReader *reader, guint i) {
  static const char *const closing[] = {">>", NULL};
  guint end = smb_host_find_end(reader, i + 2, closing);
  while (smb_host_is(reader, end, ">>") && !smb_host_is(reader, end + 1, ">") &&
         end < i + MAX_HOST_EXPRESSION) // a shift
    end = smb_host_find_end(reader, end + 1, closing);
  if (i == 0 || !smb_host_is(reader, end, ">>") || !smb_host_is(reader, end + 1, ">") ||
      !smb_host_is(reader, end + 2, "("))
    return;
  guint before = i - 1, opening = get_angles(reader, before) < 0 ? find_opening(reader, before) : i;
  guint name = opening > 0 ? opening - 1 : 0;
  if (!smb_host_is_name(reader, name))
    return;
  SmbHostLaunch *launch = add_launch(reader, name);
  launch->instance = opening < i ? split(reader, opening + 1, before) : NULL;
  launch->configuration = split(reader, i + 2, end);
  launch->arguments = split(reader, end + 3, smb_host_find_end(reader, end + 3, no_ends));
}

// HIP's form: hipLaunchKernelGGL(k, grid, block, bytes, stream, …), where k may be HIP_KERNEL_NAME(k<…>) or in parentheses.
static void
read_hip_launch(const HostReader *reader, guint i) {
  static const char *const comma[] = {",", NULL};
  enum {
    CONFIGURATION = 4
  };
  guint from = i + 2, end = smb_host_find_end(reader, from, no_ends), name = from;
  while (name < end &&
         (smb_host_is(reader, name, "HIP_KERNEL_NAME") || smb_host_is(reader, name, "(") ||
          smb_host_is(reader, name + 1, "::") || smb_host_is(reader, name, "::")))
    name++;
  if (!smb_host_is(reader, end, ")") || name >= end || !smb_host_is_name(reader, name))
    return;
  gboolean has_list = smb_host_is(reader, name + 1, "<");
  guint behind = has_list ? find_behind_angles(reader, name + 1) : name + 1;
  if (has_list && behind == name + 1)
    return;
  guint first = smb_host_find_end(reader, behind, comma);
  while (smb_host_is(reader, first, ")") && first < end)
    first = smb_host_find_end(reader, first + 1, comma);
  if (first >= end)
    return;
  SmbHostLaunch *launch = add_launch(reader, name);
  launch->instance = has_list ? split(reader, name + 2, behind - 1) : NULL;
  launch->configuration = split(reader, first + 1, end);
  launch->arguments = g_ptr_array_new_with_free_func(g_free);
  while (launch->configuration->len > CONFIGURATION)
    g_ptr_array_add(launch->arguments,
                    g_ptr_array_steal_index(launch->configuration, CONFIGURATION));
}

// --- the text

static guint
read_next(HostReader *reader, guint i) {
  const Token *token = smb_host_token(reader, i);
  if (smb_token_is(token, "template") && smb_host_is(reader, i + 1, "<"))
    return read_host_template(reader, i + 1);
  if (smb_token_is(token, "__global__"))
    return read_kernel(reader, i + 1);
  if (smb_token_is(token, "__device__") && !smb_host_is(reader, i + 1, "__host__") &&
      !(i > 0 && smb_host_is(reader, i - 1, "__host__")))
    return skip_function(reader, i + 1);
  if (smb_token_is(token, "<<") && smb_host_is(reader, i + 1, "<"))
    read_launch(reader, i);
  if (smb_token_is(token, "hipLaunchKernelGGL") && smb_host_is(reader, i + 1, "("))
    read_hip_launch(reader, i);
  return smb_host_read_declaration(reader, i);
}

// Whether a token is one of HIP's or CUDA's functions (hipMalloc) or headers (<hip/hip_runtime.h>, "cuda_runtime.h").
static gboolean
is_of(const HostReader *reader, guint i, const char *api) {
  const Token *token = smb_host_token(reader, i);
  if (token->kind != TOKEN_NAME && token->kind != TOKEN_STRING)
    return FALSE;
  const char *name = token->text + (token->kind == TOKEN_STRING);
  if (!g_str_has_prefix(name, api))
    return FALSE;
  char behind = name[strlen(api)];
  gboolean is_header =
      i > 0 && smb_host_is(reader, token->kind == TOKEN_NAME ? MAX(i, 2) - 2 : i - 1, "include");
  return is_header ? !g_ascii_isalnum(behind) : g_ascii_isupper(behind);
}

static gboolean
speaks(const HostReader *reader, const char *api) {
  for (guint i = 0; i < reader->tokens->len; i++) {
    if (is_of(reader, i, api))
      return TRUE;
  }
  return FALSE;
}

static gboolean
is_hip(const HostReader *reader) {
  const char *name = reader->file;
  return g_str_has_suffix(name, ".hip") || strstr(name, ".hip.") ||
         (speaks(reader, "hip") && !speaks(reader, "cuda"));
}

static void
add_tokens(GPtrArray *list, Token *token) {
  g_ptr_array_set_size(list, 0);
  for (; token; token = token->kind == TOKEN_END ? NULL : token->next)
    g_ptr_array_add(list, token);
}

// What macros stand for that are a constant, for other files.
static void
add_macros(const HostReader *reader, const KernelMacros *macros) {
  GHashTableIter iter;
  gpointer value;
  g_hash_table_iter_init(&iter, macros->table);
  while (g_hash_table_iter_next(&iter, NULL, &value)) {
    const Macro *macro = value;
    if (macro->function_like || macro->from_command_line || macro->body->kind == TOKEN_END)
      continue;
    g_autoptr(GString) text = g_string_new(NULL);
    for (const Token *token = macro->body; token->kind != TOKEN_END; token = token->next)
      g_string_append_printf(text, "%s%s", text->len ? " " : "", token->text);
    smb_host_add_macro(reader, macro->name, text->str);
  }
}

// Expands the macros of a text and reads what it includes, as far as that can be done; what is defined is added to @reader (nullable).
// @missing: (nullable): takes the names of files that were not found. NULL: it cannot be done at all
static Token *
preprocess(KernelPool *pool, SmbSource *whole, const char *const *folders, gboolean is_hip,
           GPtrArray *missing, const HostReader *reader) {
  KernelMacros *macros = smb_kernel_macros_new(pool, whole, folders, SMB_PROGRAM_MAX_TOKENS, 0,
                                               is_hip ? HIP_LANES : 0, NULL);
  // The host's compiler sees none of the device.
  g_hash_table_remove(macros->table, "__CUDA_ARCH__");
  g_hash_table_remove(macros->table, "__HIP_DEVICE_COMPILE__");
  macros->is_tolerant = TRUE;
  macros->missing = missing;
  Token *tokens = smb_kernel_macros_run_file(macros, NULL);
  if (tokens && reader)
    add_macros(reader, macros);
  smb_kernel_macros_free(macros);
  return tokens;
}

static void
read_tokens(HostReader *reader) {
  for (guint i = 0; i + 1 < reader->tokens->len;) {
    gboolean is_end = smb_host_is(reader, i, ";") || smb_host_is(reader, i, "}");
    i = read_next(reader, i);
    if (is_end)
      g_clear_pointer(&reader->templates, g_ptr_array_unref);
  }
  g_clear_pointer(&reader->templates, g_ptr_array_unref);
}

static gboolean
read_host_text(SmbHost *host, SmbSource *source, const char *const *folders, gboolean is_raw,
               GError **error) {
  KernelPool *pool = smb_kernel_pool_new();
  g_autoptr(SmbSource) whole = smb_source_whole(source);
  g_autoptr(GPtrArray) tokens = g_ptr_array_new();
  g_autoptr(GPtrArray) spaces = g_ptr_array_new_with_free_func(g_free);
  guint left = MAX_TOKENS;
  Token *raw = smb_kernel_lex(whole, whole, 0, pool, &left, error);
  if (raw) {
    HostReader reader = {.host = host,
                         .source = whole,
                         .file = smb_source_name(source),
                         .tokens = tokens,
                         .spaces = spaces,
                         .file_scope = smb_host_add_scope(host, SMB_HOST_NO_SCOPE, NULL)};
    reader.scope = smb_host_add_scope(host, reader.file_scope, NULL);
    add_tokens(tokens, raw);
    reader.is_hip = is_hip(&reader);
    Token *expanded =
        is_raw ? NULL : preprocess(pool, whole, folders, reader.is_hip, NULL, &reader);
    reader.is_raw = !expanded;
    if (expanded)
      add_tokens(tokens, expanded);
    read_tokens(&reader);
  }
  smb_kernel_pool_free(pool);
  return raw != NULL;
}

gboolean
smb_host_read(SmbHost *host, SmbSource *source, const char *const *folders, GError **error) {
  return read_host_text(host, source, folders, FALSE, error);
}

gboolean
smb_host_read_raw(SmbHost *host, SmbSource *source, GError **error) {
  return read_host_text(host, source, NULL, TRUE, error);
}

gboolean
smb_host_is_hip(const SmbSource *source) {
  KernelPool *pool = smb_kernel_pool_new();
  g_autoptr(GPtrArray) tokens = g_ptr_array_new();
  guint left = MAX_TOKENS;
  const HostReader reader = {.file = smb_source_name(source), .tokens = tokens};
  add_tokens(tokens, smb_kernel_lex(source, source, 0, pool, &left, NULL));
  gboolean found = is_hip(&reader);
  smb_kernel_pool_free(pool);
  return found;
}

char **
smb_host_missing(SmbSource *source, const char *const *folders) {
  KernelPool *pool = smb_kernel_pool_new();
  g_autoptr(SmbSource) whole = smb_source_whole(source);
  GPtrArray *missing = g_ptr_array_new_with_free_func(g_free);
  preprocess(pool, whole, folders, FALSE, missing, NULL);
  smb_kernel_pool_free(pool);
  g_ptr_array_add(missing, NULL);
  return (char **)g_ptr_array_free(missing, FALSE);
}
