// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/cuda/text/host.h"

#include <string.h>

#include "sim/cuda/text/host-impl.h"
#include "sim/cuda/text/lex.h"

enum {
  MAX_TOKENS = 1 << 24,
  MAX_EXPRESSION = 4096 // tokens
};

// A text being read: its tokens, the last of which is a TOKEN_END.
typedef struct {
  SmbHost *host;
  const SmbSource *source;
  GPtrArray *tokens;
  gboolean is_hip;
  gboolean is_template; // the declaration that is being read
  guint file_scope;
  guint scope;       // of the declaration
  guint nesting;     // in brackets of the declaration
  GPtrArray *spaces; // of the namespaces around it: "a::b::", or "" of what has no name
} Reader;

static void
kernel_free(SmbHostKernel *kernel) {
  g_free(kernel->name);
  g_free(kernel->space);
  g_free(kernel->file);
  g_ptr_array_unref(kernel->parameters);
  g_free(kernel);
}

static void
parameter_free(SmbHostParameter *parameter) {
  g_free(parameter->type);
  g_free(parameter->name);
  g_free(parameter);
}

void
smb_host_launch_free(SmbHostLaunch *launch) {
  g_free(launch->kernel);
  g_free(launch->file);
  g_clear_pointer(&launch->instance, g_ptr_array_unref);
  g_ptr_array_unref(launch->configuration);
  g_ptr_array_unref(launch->arguments);
  g_free(launch);
}

SmbHost *
smb_host_new(void) {
  SmbHost *host = g_new0(SmbHost, 1);
  host->kernels = g_ptr_array_new_with_free_func((GDestroyNotify)kernel_free);
  host->launches = g_ptr_array_new_with_free_func((GDestroyNotify)smb_host_launch_free);
  host->by_kernel =
      g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)g_ptr_array_unref);
  host->values = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
  return host;
}

void
smb_host_free(SmbHost *host) {
  if (!host)
    return;
  g_ptr_array_unref(host->kernels);
  g_hash_table_unref(host->by_kernel);
  g_ptr_array_unref(host->launches);
  g_hash_table_unref(host->values);
  g_free(host);
}

SmbHostLaunch *
smb_host_launch_new(const char *kernel, const char *file) {
  SmbHostLaunch *launch = g_new0(SmbHostLaunch, 1);
  launch->kernel = g_strdup(kernel);
  launch->file = g_strdup(file);
  launch->configuration = g_ptr_array_new_with_free_func(g_free);
  launch->arguments = g_ptr_array_new_with_free_func(g_free);
  launch->was_seen = TRUE;
  return launch;
}

void
smb_host_replace_launches(SmbHost *host, GPtrArray *launches) {
  const SmbHostLaunch *first = launches->pdata[0];
  for (guint i = 0; i < launches->len; i++)
    g_ptr_array_add(host->launches, launches->pdata[i]);
  g_hash_table_replace(host->by_kernel, first->kernel, launches);
}

const GPtrArray *
smb_host_launches(const SmbHost *host, const char *kernel) {
  return g_hash_table_lookup(host->by_kernel, kernel);
}

static const Token *
host_token_at(const Reader *reader, guint i) {
  return reader->tokens->pdata[MIN(i, reader->tokens->len - 1)];
}

static gboolean
is(const Reader *reader, guint i, const char *text) {
  return smb_token_is(host_token_at(reader, i), text);
}

static gboolean
is_name(const Reader *reader, guint i) {
  return host_token_at(reader, i)->kind == TOKEN_NAME;
}

static guint
line_of(const Reader *reader, guint i) {
  guint line, column;
  smb_source_locate(reader->source, host_token_at(reader, i)->start, &line, &column);
  return line;
}

// What stands from one token up to another, which is not part of it (transfer full).
static char *
slice(const Reader *reader, guint from, guint to) {
  return from >= to
             ? g_strdup("")
             : g_strstrip(smb_source_slice(reader->source, host_token_at(reader, from)->start,
                                           host_token_at(reader, to - 1)->end));
}

// Ends nothing but the bracket.
static const char *const no_ends[] = {NULL};

// How much deeper in brackets what follows a token is.
static int
nesting_of(const Token *token) {
  static const char *const opening[] = {"(", "[", "{", NULL}, *const closing[] = {")", "]", "}",
                                                                                  NULL};
  return smb_token_is_any(token, opening) ? 1 : smb_token_is_any(token, closing) ? -1 : 0;
}

// The first token from @i on that is one of @ends and in no bracket, or closes the bracket that @i is in; one of neither kind
// if there is none among the next @most.
static guint
find_within(const Reader *reader, guint i, const char *const *ends, guint most) {
  int nesting = 0;
  for (guint n = 0; n < most && host_token_at(reader, i)->kind != TOKEN_END; n++, i++) {
    if (nesting == 0 && smb_token_is_any(host_token_at(reader, i), ends))
      return i;
    nesting += nesting_of(host_token_at(reader, i));
    if (nesting < 0)
      return i;
  }
  return i;
}

// The same, of an expression or a list.
static guint
find_end(const Reader *reader, guint i, const char *const *ends) {
  return find_within(reader, i, ends, MAX_EXPRESSION);
}

// The end of the bracket that @i is in.
static guint
find_closing(const Reader *reader, guint i) {
  return find_within(reader, i, no_ends, G_MAXUINT);
}

// The parts of a list with commas between, from one token up to another (element-type utf8); of nothing none.
static GPtrArray *
split(const Reader *reader, guint from, guint to) {
  GPtrArray *parts = g_ptr_array_new_with_free_func(g_free);
  int nesting = 0;
  guint start = from;
  for (guint i = from; i < to; i++) {
    nesting += nesting_of(host_token_at(reader, i));
    if (nesting == 0 && is(reader, i, ",")) {
      g_ptr_array_add(parts, slice(reader, start, i));
      start = i + 1;
    }
  }
  if (from < to)
    g_ptr_array_add(parts, slice(reader, start, to));
  return parts;
}

static void
set_value(const Reader *reader, const char *name, const char *value) {
  const char *before = g_hash_table_lookup(reader->host->values, name);
  const char *known = before && strcmp(before, value) != 0 ? "" : value;
  g_hash_table_insert(reader->host->values, g_strdup(name), g_strdup(known));
}

// Says what a name is outside of functions: "" if that is not known, or is said twice in two ways.
static void
define_outside(const Reader *reader, guint name, const char *value) {
  const char *text = host_token_at(reader, name)->text;
  g_autofree char *in_file = smb_host_key(reader->file_scope, text);
  set_value(reader, in_file, value);
  set_value(reader, text, value);
}

// The same, where a declaration is being read.
static void
define_host_macro(const Reader *reader, guint name, const char *value) {
  g_autofree char *here = smb_host_key(reader->scope, host_token_at(reader, name)->text);
  if (reader->nesting == 0)
    define_outside(reader, name, value);
  else
    set_value(reader, here, value);
}

// The parameter from one token up to another: its name is the last one in front of a default value or an extent.
static SmbHostParameter *
read_parameter(const Reader *reader, guint from, guint to) {
  SmbHostParameter *parameter = g_new0(SmbHostParameter, 1);
  guint name = from;
  for (guint i = from; i < to && !is(reader, i, "="); i++) {
    if (is_name(reader, i))
      name = i;
    parameter->is_pointer |= is(reader, i, "*") || is(reader, i, "[");
  }
  parameter->type = slice(reader, from, name);
  parameter->name = g_strdup(host_token_at(reader, name)->text);
  return parameter;
}

// Of all namespaces around a declaration (transfer full).
static char *
join_spaces(const Reader *reader) {
  GString *space = g_string_new(NULL);
  for (guint i = 0; i < reader->spaces->len; i++)
    g_string_append(space, g_ptr_array_index(reader->spaces, i));
  return g_string_free(space, FALSE);
}

// A kernel, from "__global__" on. Returns the token behind it.
static guint
read_kernel(const Reader *reader, guint i) {
  static const char *const comma[] = {",", NULL};
  static const char *const skipped[] = {"__launch_bounds__", "__cluster_dims__", "__attribute__",
                                        NULL};
  for (; host_token_at(reader, i)->kind != TOKEN_END && !is(reader, i, ";"); i++) {
    gboolean has_list = is_name(reader, i) && is(reader, i + 1, "(");
    if (has_list && !smb_token_is_any(host_token_at(reader, i), skipped))
      break;
    if (has_list)
      i = find_closing(reader, i + 2);
  }
  if (!is_name(reader, i))
    return i;
  guint end = find_closing(reader, i + 2);
  if (!is(reader, end + 1, "{"))
    return end;
  SmbHostKernel *kernel = g_new0(SmbHostKernel, 1);
  kernel->name = g_strdup(host_token_at(reader, i)->text);
  kernel->space = join_spaces(reader);
  kernel->file = g_strdup(smb_source_name(reader->source));
  kernel->line = line_of(reader, i);
  kernel->is_template = reader->is_template;
  kernel->is_hip = reader->is_hip;
  kernel->parameters = g_ptr_array_new_with_free_func((GDestroyNotify)parameter_free);
  gboolean is_empty = end == i + 3 && is(reader, i + 2, "void");
  for (guint from = i + 2; from < end && !is_empty;) {
    guint to = find_end(reader, from, comma);
    g_ptr_array_add(kernel->parameters, read_parameter(reader, from, to));
    from = to + 1;
  }
  g_ptr_array_add(reader->host->kernels, kernel);
  return find_closing(reader, end + 2) + 1;
}

// A function of the device: what it calls its variables says nothing of a launch. Returns the token behind it.
static guint
skip_function(const Reader *reader, guint i) {
  static const char *const body[] = {"{", ";", NULL};
  i = find_end(reader, i, body);
  return is(reader, i, "{") ? find_closing(reader, i + 1) + 1 : i + 1;
}

// The "<" in front of the ">" at @i; @i itself if there is none.
static guint
find_opening(const Reader *reader, guint i) {
  int open = 0;
  for (guint at = i; at > 0 && at + MAX_EXPRESSION > i; at--) {
    open += is(reader, at, ">") - is(reader, at, "<");
    if (open == 0)
      return at;
    if (is(reader, at, ";") || is(reader, at, "{") || is(reader, at, "}"))
      break;
  }
  return i;
}

// A launch of the kernel that a token names.
static SmbHostLaunch *
add_launch(const Reader *reader, guint name) {
  SmbHostLaunch *launch = g_new0(SmbHostLaunch, 1);
  launch->kernel = g_strdup(host_token_at(reader, name)->text);
  launch->file = g_strdup(smb_source_name(reader->source));
  launch->line = line_of(reader, name);
  launch->scope = reader->scope;
  launch->file_scope = reader->file_scope;
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
read_launch(const Reader *reader, guint i) {
  static const char *const closing[] = {">>", NULL};
  guint end = find_end(reader, i + 2, closing);
  if (i == 0 || !is(reader, end, ">>") || !is(reader, end + 1, ">") || !is(reader, end + 2, "("))
    return;
  guint before = i - 1, opening = is(reader, before, ">") ? find_opening(reader, before) : i;
  guint name = opening > 0 ? opening - 1 : 0;
  if (!is_name(reader, name))
    return;
  SmbHostLaunch *launch = add_launch(reader, name);
  launch->instance = opening < i ? split(reader, opening + 1, before) : NULL;
  launch->configuration = split(reader, i + 2, end);
  launch->arguments = split(reader, end + 3, find_end(reader, end + 3, no_ends));
}

// HIP's form: hipLaunchKernelGGL(k, grid, block, bytes, stream, …), where k may be HIP_KERNEL_NAME(k<…>) or in parentheses.
static void
read_hip_launch(const Reader *reader, guint i) {
  static const char *const comma[] = {",", NULL};
  enum {
    CONFIGURATION = 4
  };
  guint from = i + 2, end = find_end(reader, from, no_ends), first = find_end(reader, from, comma);
  guint name = from;
  while (name < first && (is(reader, name, "HIP_KERNEL_NAME") || is(reader, name, "(")))
    name++;
  if (!is(reader, end, ")") || first >= end || !is_name(reader, name))
    return;
  guint closing = first;
  while (closing > name && !is(reader, closing, ">"))
    closing--;
  SmbHostLaunch *launch = add_launch(reader, name);
  launch->instance =
      closing > name && is(reader, name + 1, "<") ? split(reader, name + 2, closing) : NULL;
  launch->configuration = split(reader, first + 1, end);
  launch->arguments = g_ptr_array_new_with_free_func(g_free);
  while (launch->configuration->len > CONFIGURATION)
    g_ptr_array_add(launch->arguments,
                    g_ptr_array_steal_index(launch->configuration, CONFIGURATION));
}

// "#define NAME VALUE". Returns the first token of the next line.
static guint
read_directive(const Reader *reader, guint i) {
  guint end = i + 1;
  while (host_token_at(reader, end)->kind != TOKEN_END &&
         !host_token_at(reader, end)->first_of_line)
    end++;
  const Token *behind = host_token_at(reader, i + 3);
  gboolean is_function = i + 3 < end && smb_token_is(behind, "(") && !behind->after_space;
  if (is(reader, i + 1, "define") && is_name(reader, i + 2) && !is_function && i + 3 < end) {
    g_autofree char *value = slice(reader, i + 3, end);
    define_outside(reader, i + 2, value);
  }
  return end;
}

// The names that a declaration of variables makes, from the first of them on. Returns the token behind the last.
static guint
read_variables(const Reader *reader, guint i, gboolean is_dim3) {
  static const char *const ends[] = {",", ";", NULL};
  while (is_name(reader, i)) {
    gboolean has_value = is(reader, i + 1, "=");
    gboolean is_made = is_dim3 && is(reader, i + 1, "(");
    guint from = i + 2;
    guint end = is_made     ? find_end(reader, from, no_ends)
                : has_value ? find_end(reader, from, ends)
                            : i + 1;
    g_autofree char *text = has_value || is_made ? slice(reader, from, end) : g_strdup("");
    g_autofree char *value = is_made                   ? g_strdup_printf("dim3(%s)", text)
                             : is_dim3 && *text == '{' ? g_strconcat("dim3", text, NULL)
                                                       : g_strdup(text);
    define_host_macro(reader, i, value);
    i = is_made ? end + 1 : end;
    if (!is(reader, i, ",") || !is_name(reader, i + 1) || is_name(reader, i + 2))
      return i;
    i++;
  }
  return i;
}

// What may change a name, or puts another one in its place: that of the function, or else one from outside.
static void
read_change(const Reader *reader, guint i) {
  static const char *const behind[] = {
      "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "<<=", ">>=", "++", "--", NULL};
  static const char *const front[] = {"++", "--", ">>", NULL}, *const open[] = {"(", ",", NULL};
  if (smb_token_is_any(host_token_at(reader, i + 1), behind) ||
      (i > 0 && smb_token_is_any(host_token_at(reader, i - 1), front)) ||
      (i > 1 && is(reader, i - 1, "&") && smb_token_is_any(host_token_at(reader, i - 2), open))) {
    g_autofree char *here = smb_host_key(reader->scope, host_token_at(reader, i)->text);
    if (!g_hash_table_contains(reader->host->values, here))
      define_outside(reader, i, "");
    define_host_macro(reader, i, "");
  }
}

// Of the "{" at @i, that holds declarations like those around it, of a namespace or of extern "C": what its name puts in front of
// others (transfer full); NULL of another one.
static char *
find_host_space(const Reader *reader, guint i) {
  if (i > 1 && is(reader, i - 2, "extern"))
    return g_strdup("");
  g_autoptr(GString) space = g_string_new(NULL);
  for (; i > 0 && (is_name(reader, i - 1) || is(reader, i - 1, "::")); i--) {
    if (is(reader, i - 1, "namespace"))
      return g_strconcat(space->str, *space->str ? "::" : "", NULL);
    g_string_prepend(space, host_token_at(reader, i - 1)->text);
  }
  return NULL;
}

// Keeps track of the brackets of a declaration, and of those around it; behind its end another one begins.
static void
read_bracket(Reader *reader, guint i) {
  int deeper = nesting_of(host_token_at(reader, i));
  char *space = deeper > 0 && reader->nesting == 0 ? find_host_space(reader, i) : NULL;
  if (space)
    g_ptr_array_add(reader->spaces, space);
  else if (deeper > 0)
    reader->nesting++;
  else if (deeper < 0 && reader->nesting > 0)
    reader->nesting--;
  else if (deeper < 0 && reader->spaces->len > 0)
    g_ptr_array_set_size(reader->spaces, (int)reader->spaces->len - 1);
  if (reader->nesting == 0 && (is(reader, i, "}") || is(reader, i, ";")))
    reader->scope = reader->host->n_scopes++;
}

static guint
read_next(Reader *reader, guint i) {
  static const char *const types[] = {"int",  "unsigned", "long",    "short",    "size_t",  "auto",
                                      "dim3", "uint32_t", "int32_t", "uint64_t", "int64_t", NULL};
  const Token *token = host_token_at(reader, i);
  if (smb_token_is(token, "#") && token->first_of_line)
    return read_directive(reader, i);
  if (smb_token_is(token, "__global__"))
    return read_kernel(reader, i + 1);
  if (smb_token_is(token, "__device__"))
    return skip_function(reader, i + 1);
  if (smb_token_is(token, "<<") && is(reader, i + 1, "<"))
    read_launch(reader, i);
  if (smb_token_is(token, "hipLaunchKernelGGL") && is(reader, i + 1, "("))
    read_hip_launch(reader, i);
  if (smb_token_is_any(token, types) && is_name(reader, i + 1) &&
      !smb_token_is_any(host_token_at(reader, i + 1), types))
    return MAX(read_variables(reader, i + 1, smb_token_is(token, "dim3")), i + 1);
  if (is_name(reader, i))
    read_change(reader, i);
  read_bracket(reader, i);
  return i + 1;
}

// Whether a token is one of HIP's or CUDA's functions (hipMalloc) or headers (<hip/hip_runtime.h>, "cuda_runtime.h").
static gboolean
is_of(const Reader *reader, guint i, const char *api) {
  const Token *token = host_token_at(reader, i);
  if (token->kind != TOKEN_NAME && token->kind != TOKEN_STRING)
    return FALSE;
  const char *name = token->text + (token->kind == TOKEN_STRING);
  if (!g_str_has_prefix(name, api))
    return FALSE;
  char behind = name[strlen(api)];
  gboolean is_header =
      i > 0 && is(reader, token->kind == TOKEN_NAME ? MAX(i, 2) - 2 : i - 1, "include");
  return is_header ? !g_ascii_isalnum(behind) : g_ascii_isupper(behind);
}

static gboolean
speaks(const Reader *reader, const char *api) {
  for (guint i = 0; i < reader->tokens->len; i++) {
    if (is_of(reader, i, api))
      return TRUE;
  }
  return FALSE;
}

static gboolean
is_hip(const Reader *reader) {
  const char *name = smb_source_name(reader->source);
  return g_str_has_suffix(name, ".hip") || strstr(name, ".hip.") ||
         (speaks(reader, "hip") && !speaks(reader, "cuda"));
}

gboolean
smb_host_read(SmbHost *host, const SmbSource *source, GError **error) {
  KernelPool *pool = smb_kernel_pool_new();
  g_autoptr(GPtrArray) tokens = g_ptr_array_new(), spaces = g_ptr_array_new_with_free_func(g_free);
  guint left = MAX_TOKENS;
  Token *token = smb_kernel_lex(source, source, 0, pool, &left, error);
  for (; token; token = token->kind == TOKEN_END ? NULL : token->next)
    g_ptr_array_add(tokens, token);
  Reader reader = {host,
                   source,
                   tokens,
                   .file_scope = host->n_scopes,
                   .scope = host->n_scopes + 1,
                   .spaces = spaces};
  host->n_scopes += 2;
  reader.is_hip = is_hip(&reader);
  for (guint i = 0; i + 1 < tokens->len;) {
    if (is(&reader, i, "template"))
      reader.is_template = TRUE;
    else if (is(&reader, i, ";") || is(&reader, i, "}"))
      reader.is_template = FALSE;
    gboolean is_kernel = is(&reader, i, "__global__");
    i = read_next(&reader, i);
    if (is_kernel)
      reader.is_template = FALSE;
  }
  gboolean done = tokens->len > 0;
  smb_kernel_pool_free(pool);
  return done;
}
