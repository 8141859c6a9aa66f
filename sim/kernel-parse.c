// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// From a text to a kernel: the phases in order, and what is found out about the whole afterwards.
#include "sim/kernel-parse.h"

#include <string.h>

#include "sim/error.h"

gpointer
parser_fail(Parser *parser, guint32 offset, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  if (parser->error && !*parser->error)
    smb_source_error(parser->kernel->source, offset, parser->error, "%s", text);
  return NULL;
}

gboolean
parser_is(const Parser *parser, const char *text) {
  return token_is(parser->at, text);
}

void
parser_advance(Parser *parser) {
  parser->last = parser->at;
  if (parser->at->kind != TOKEN_END)
    parser->at = parser->at->next;
}

gboolean
parser_take(Parser *parser, const char *text) {
  if (!parser_is(parser, text))
    return FALSE;
  parser_advance(parser);
  return TRUE;
}

gboolean
parser_expect(Parser *parser, const char *text) {
  if (parser_take(parser, text))
    return TRUE;
  const Token *at = parser->at;
  if (at->kind == TOKEN_END)
    parser_fail(parser, at->start, "expected '%s' before the end of the file", text);
  else
    parser_fail(parser, at->start, "expected '%s', not '%.*s'", text, (int)at->length, at->text);
  return FALSE;
}

gboolean
parser_enter(Parser *parser) {
  guint max = parser->kernel->limits.max_depth;
  // An expression takes two levels for each parenthesis: an assignment and an operand.
  if (parser->depth < 3 * max) {
    parser->depth++;
    return TRUE;
  }
  parser_fail(parser, parser->at->start,
              "the text is nested more than %u levels deep here (--max-depth allows more)", max);
  return FALSE;
}

void
parser_leave(Parser *parser) {
  parser->depth--;
}

void
parser_link(Parser *parser, Link **list, gconstpointer item) {
  for (const Link *link = *list; link; link = link->next) {
    if (link->item == item)
      return;
  }
  Link *link = kernel_pool_new_struct(parser->pool, Link);
  link->item = item;
  link->next = *list;
  *list = link;
}

gboolean
parser_skip_group(Parser *parser, const char *open, const char *close) {
  const Token *opening = parser->at;
  if (!parser_expect(parser, open))
    return FALSE;
  for (guint depth = 1; depth > 0; parser_advance(parser)) {
    if (parser->at->kind == TOKEN_END) {
      parser_fail(parser, opening->start, "this '%s' has no '%s'", open, close);
      return FALSE;
    }
    depth += parser_is(parser, open);
    depth -= parser_is(parser, close);
  }
  return TRUE;
}

static Function *
choose_entry(SmbKernel *kernel, const char *entry, GError **error) {
  Function *chosen = NULL;
  guint n = 0;
  GString *names = g_string_new(NULL);
  for (guint i = 0; i < kernel->functions->len; i++) {
    Function *function = g_ptr_array_index(kernel->functions, i);
    if (!function->is_kernel)
      continue;
    g_string_append_printf(names, "%s%s", n++ ? ", " : "", function->name);
    if (!entry || strcmp(entry, function->name) == 0)
      chosen = function;
  }
  const char *file = smb_source_name(kernel->source);
  if (n == 0)
    g_set_error(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: no __global__ function in it", file);
  else if (!chosen)
    g_set_error(error, SMB_ERROR, SMB_ERROR_USAGE, "%s has no kernel '%s': expected one of %s",
                file, entry, names->str);
  else if (!entry && n > 1)
    g_set_error(error, SMB_ERROR, SMB_ERROR_USAGE,
                "%s has several kernels: choose one with --entry: %s", file, names->str);
  gboolean ok = chosen && (entry || n == 1);
  g_string_free(names, TRUE);
  return ok ? chosen : NULL;
}

static void
collect_reachable(const Function *function, GHashTable *functions, GHashTable *shared,
                  gboolean *serial) {
  if (!g_hash_table_add(functions, (gpointer)function))
    return;
  *serial = *serial || function->meets_in_globals;
  for (const Link *link = function->shared; link; link = link->next)
    g_hash_table_add(shared, (gpointer)link->item);
  for (const Link *link = function->callees; link; link = link->next)
    collect_reachable(link->item, functions, shared, serial);
}

static int
compare_starts(gconstpointer a, gconstpointer b) {
  const Variable *const *x = a;
  const Variable *const *y = b;
  return (*x)->start < (*y)->start ? -1 : (*x)->start > (*y)->start;
}

// Places the static shared variables that the entry and what it calls mention, in their order in the
// text; dynamic ones begin behind them.
static void
lay_out_shared(SmbKernel *kernel) {
  g_autoptr(GHashTable) functions = g_hash_table_new(NULL, NULL);
  g_autoptr(GHashTable) shared = g_hash_table_new(NULL, NULL);
  gsize end = 0, dynamic_align = 1;
  collect_reachable(kernel->entry, functions, shared, &kernel->is_serial);
  g_autoptr(GPtrArray) objects = g_ptr_array_copy(kernel->objects, NULL, NULL);
  g_ptr_array_sort(objects, compare_starts);
  for (guint i = 0; i < objects->len; i++) {
    Variable *variable = g_ptr_array_index(objects, i);
    gboolean used = g_hash_table_contains(shared, variable);
    gsize align = MAX(variable->type->align, variable->address);
    if (variable->storage == STORAGE_DYNAMIC && used) {
      kernel->has_dynamic_shared = TRUE;
      dynamic_align = MAX(dynamic_align, MAX(align, 16));
    }
    if (variable->storage != STORAGE_SHARED || !used)
      continue;
    end = (end + align - 1) & ~(align - 1);
    variable->address = end;
    end += variable->type->size;
  }
  kernel->static_shared = end;
  end = (end + dynamic_align - 1) & ~(dynamic_align - 1);
  for (guint i = 0; i < kernel->objects->len; i++) {
    Variable *variable = g_ptr_array_index(kernel->objects, i);
    if (variable->storage == STORAGE_DYNAMIC)
      variable->address = end;
  }
  kernel->dynamic_start = end;
  for (guint i = 0; i < objects->len; i++) {
    if (g_hash_table_contains(shared, g_ptr_array_index(objects, i)))
      kernel_add_array(kernel, g_ptr_array_index(objects, i));
  }
}

// Reads the file and the body of the kernel that is asked for.
static gboolean
parse_tokens(SmbKernel *kernel, Token *tokens, const char *entry, GError **error) {
  Parser parser = {
      .kernel = kernel, .pool = kernel->pool, .at = tokens, .last = tokens, .error = error};
  parser.scopes = g_ptr_array_new_with_free_func((GDestroyNotify)g_hash_table_unref);
  parser.bodies = g_ptr_array_new_with_free_func((GDestroyNotify)postponed_body_free);
  parser.hidden = g_hash_table_new(g_str_hash, g_str_equal);
  g_ptr_array_add(parser.scopes, g_hash_table_new(g_str_hash, g_str_equal));
  kernel->entry = parse_file(&parser) ? choose_entry(kernel, entry, error) : NULL;
  gboolean ok = kernel->entry && parse_postponed_body(&parser, kernel->entry);
  g_ptr_array_unref(parser.scopes);
  g_ptr_array_unref(parser.bodies);
  g_hash_table_unref(parser.hidden);
  return ok;
}

static void
describe_parameters(SmbKernel *kernel) {
  const Function *entry = kernel->entry;
  kernel->parameters =
      kernel_pool_alloc(kernel->pool, (entry->n_parameters + 1) * sizeof *kernel->parameters);
  for (guint i = 0; i < entry->n_parameters; i++) {
    const Variable *variable = entry->parameters[i];
    SmbParameter parameter = {variable->name, type_describe(kernel->pool, variable->type),
                              variable->type->kind == KIND_POINTER};
    kernel->parameters[i] = parameter;
  }
}

static gboolean
parse_kernel(SmbKernel *kernel, const char *entry, const char *const *defines, guint cuda_arch,
             GError **error) {
  kernel->macros =
      kernel_macros_new(kernel->pool, kernel->source, kernel->limits.max_tokens, cuda_arch);
  for (guint i = 0; defines && defines[i]; i++) {
    if (!kernel_macros_define(kernel->macros, defines[i], error))
      return FALSE;
  }
  Token *tokens = kernel_lex(kernel->source, kernel->pool, kernel->limits.max_tokens, error);
  tokens = tokens ? kernel_macros_run(kernel->macros, tokens, error) : NULL;
  if (!tokens || !parse_tokens(kernel, tokens, entry, error))
    return FALSE;
  describe_parameters(kernel);
  lay_out_shared(kernel);
  return TRUE;
}

SmbKernel *
smb_program_read(SmbSource *source, const char *entry, const char *const *defines, guint cuda_arch,
                 const SmbProgramLimits *limits, GError **error) {
  g_autoptr(SmbProgram) kernel = g_new0(SmbKernel, 1);
  GError *local = NULL;
  if (limits)
    kernel->limits = *limits;
  if (!kernel->limits.max_tokens)
    kernel->limits.max_tokens = SMB_PROGRAM_MAX_TOKENS;
  if (!kernel->limits.max_depth)
    kernel->limits.max_depth = SMB_PROGRAM_MAX_DEPTH;
  kernel->limits.max_depth = MIN(kernel->limits.max_depth, SMB_PROGRAM_LARGEST_DEPTH);
  kernel->source = smb_source_ref(source);
  kernel->pool = kernel_pool_new();
  kernel->functions = g_ptr_array_new();
  kernel->locals = g_ptr_array_new();
  kernel->objects = g_ptr_array_new();
  kernel->sites = g_array_new(FALSE, FALSE, sizeof(SmbSite));
  kernel->arrays = g_array_new(FALSE, FALSE, sizeof(SmbArray));
  kernel->host = g_array_new(FALSE, FALSE, sizeof(Stretch));
  kernel->defines = g_strdupv((char **)defines);
  if (!parse_kernel(kernel, entry, defines, cuda_arch, &local)) {
    g_propagate_error(error, local);
    return NULL;
  }
  return g_steal_pointer(&kernel);
}

void
smb_program_free(SmbKernel *kernel) {
  if (!kernel)
    return;
  kernel_macros_free(kernel->macros);
  g_ptr_array_unref(kernel->functions);
  g_ptr_array_unref(kernel->locals);
  g_ptr_array_unref(kernel->objects);
  g_array_unref(kernel->sites);
  g_array_unref(kernel->arrays);
  g_array_unref(kernel->host);
  g_strfreev(kernel->defines);
  kernel_pool_free(kernel->pool);
  smb_source_unref(kernel->source);
  g_free(kernel);
}

const char *
smb_program_name(const SmbKernel *kernel) {
  return kernel->entry->name;
}

SmbSource *
smb_program_source(const SmbKernel *kernel) {
  return kernel->source;
}

guint
smb_program_n_sites(const SmbKernel *kernel) {
  return kernel->sites->len;
}

const SmbSite *
smb_program_site(const SmbKernel *kernel, guint index) {
  return &g_array_index(kernel->sites, SmbSite, index);
}

guint
smb_program_n_parameters(const SmbKernel *kernel) {
  return kernel->entry->n_parameters;
}

SmbParameter
smb_program_parameter(const SmbKernel *kernel, guint index) {
  return kernel->parameters[index];
}

gsize
smb_program_static_shared(const SmbKernel *kernel) {
  return kernel->static_shared;
}

gboolean
smb_program_has_dynamic_shared(const SmbKernel *kernel) {
  return kernel->has_dynamic_shared;
}

gboolean
smb_program_is_serial(const SmbKernel *kernel) {
  return kernel->is_serial;
}

gboolean
smb_program_evaluate(const SmbKernel *kernel, const char *expression, gint64 *value,
                     GError **error) {
  return kernel_macros_evaluate(kernel->macros, expression, value, error);
}

gsize
smb_cuda_element_size(const char *type) {
  const Type *found = type_by_name(type, strlen(type));
  if (!found || found->kind == KIND_VOID || found->size > SMB_MAX_WIDTH ||
      (found->size & (found->size - 1)))
    return 0;
  return found->size;
}

GStrv
smb_program_unused_defines(const SmbKernel *kernel) {
  g_autoptr(GStrvBuilder) unused = g_strv_builder_new();
  for (guint i = 0; kernel->defines && kernel->defines[i]; i++) {
    g_auto(GStrv) parts = g_strsplit(kernel->defines[i], "=", 2);
    if (kernel_macros_is_unused(kernel->macros, parts[0]))
      g_strv_builder_add(unused, parts[0]);
  }
  return g_strv_builder_end(unused);
}
