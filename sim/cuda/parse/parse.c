// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// From a text to a kernel: the phases in order, and what is found out about the whole afterwards.
#include "sim/cuda/parse/parse.h"

#include <string.h>

#include "sim/arch/words.h"
#include "sim/cuda/cuda.h"
#include "sim/cuda/flow.h"
#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/cuda/tree/compute.h"

gpointer
smb_parser_fail(Parser *parser, guint32 offset, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  SmbVendor vendor = parser->kernel->program.processor ? SMB_VENDOR_AMD : SMB_VENDOR_NVIDIA;
  g_autofree char *text = g_strdup_vprintf(smb_vendor_say(vendor, format), arguments);
  va_end(arguments);
  const Token *at = parser->at;
  if (*parser->error)
    return NULL;
  if (at->kind == TOKEN_BAD)
    smb_source_error(parser->kernel->program.source, at->start, parser->error, "%s", at->problem);
  else
    smb_source_error(parser->kernel->program.source, offset, parser->error, "%s", text);
  return NULL;
}

gboolean
smb_parser_is(const Parser *parser, const char *text) {
  return smb_token_is(parser->at, text);
}

void
smb_parser_advance(Parser *parser) {
  parser->last = parser->at;
  if (parser->at->kind != TOKEN_END)
    smb_parser_move(parser, parser->at->next);
}

void
smb_parser_move(Parser *parser, Token *token) {
  while (smb_token_is(token, "::") ||
         (token->kind == TOKEN_NAME && smb_token_is(token->next, "::") &&
          smb_outline_is_namespace(parser->outline, token)))
    token = token->next;
  parser->at = token;
}

gboolean
smb_parser_take(Parser *parser, const char *text) {
  if (!smb_parser_is(parser, text))
    return FALSE;
  smb_parser_advance(parser);
  return TRUE;
}

gboolean
smb_parser_check_count(Parser *parser, const Token *name, guint wanted, guint n) {
  if (n != wanted)
    smb_parser_fail(parser, name->start, "'%s' takes %u argument%s, not %u", name->text, wanted,
                    smb_plural(wanted), n);
  return n == wanted;
}

gboolean
smb_parser_expect(Parser *parser, const char *text) {
  if (smb_parser_take(parser, text))
    return TRUE;
  const Token *at = parser->at;
  if (at->kind == TOKEN_END)
    return smb_parser_refuse(parser, at->start, "expected '%s' before the end of the file", text);
  return smb_parser_refuse(parser, at->start, "expected '%s', not '%s'", text, at->text);
}

gboolean
smb_parser_enter(Parser *parser) {
  guint max = parser->kernel->program.limits.max_depth;
  // An expression takes two levels for each parenthesis: an assignment and an operand.
  if (parser->depth < 3 * max) {
    parser->depth++;
    return TRUE;
  }
  parser->is_over = TRUE;
  return smb_parser_refuse(parser, parser->at->start,
                           "the text is nested more than %u levels deep here", max) ||
         smb_hint(parser->error, SMB_HINT_LIMIT, "max_depth", NULL);
}

void
smb_parser_leave(Parser *parser) {
  parser->depth--;
}

void
smb_parser_link(Parser *parser, Link **list, gconstpointer item) {
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
smb_parser_skip_group(Parser *parser, const char *open, const char *close) {
  const Token *opening = parser->at;
  if (!smb_parser_expect(parser, open))
    return FALSE;
  for (guint depth = 1; depth > 0; smb_parser_advance(parser)) {
    if (parser->at->kind == TOKEN_END)
      return smb_parser_refuse(parser, opening->start, "this '%s' has no '%s'", open, close);
    depth += smb_parser_is(parser, open);
    depth -= smb_parser_is(parser, close);
  }
  return TRUE;
}

// Behind the namespaces of the file that stand in front of a name, up to its end.
static const char *
skip_namespaces(const Outline *outline, const char *name, const char *end) {
  for (;;) {
    const char *colons = g_strstr_len(name, end - name, "::");
    g_autofree char *space = colons ? g_strndup(name, (gsize)(colons - name)) : NULL;
    if (!space || !g_hash_table_contains(outline->namespaces, space))
      return name;
    name = colons + 2;
  }
}

// The kernel that is asked for: NAME, or NAME<…>. Namespaces in front of it say which one if there are several: they are
// not told apart, so there has to be one.
static Item *
choose_entry(const SmbKernel *kernel, const Outline *outline, const char *entry, GError **error) {
  Item *chosen = NULL;
  g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
  g_autoptr(GString) names = g_string_new(NULL);
  const char *end = entry ? entry + strcspn(entry, " <") : NULL;
  const char *name = entry ? skip_namespaces(outline, entry, end) : NULL;
  g_autofree char *wanted = entry ? g_strndup(name, (gsize)(end - name)) : NULL;
  g_autofree char *asked = entry ? g_strndup(entry, (gsize)(end - entry)) : NULL;
  guint n_chosen = 0;
  for (guint i = 0; i < outline->items->len; i++) {
    Item *item = g_ptr_array_index(outline->items, i);
    if (item->kind != ITEM_FUNCTION || !item->is_kernel)
      continue;
    if (g_hash_table_add(seen, (gpointer)item->name))
      g_string_append_printf(names, "%s%s", names->len ? ", " : "", item->name);
    if (!wanted || strcmp(wanted, item->name) == 0) {
      chosen = item;
      n_chosen++;
    }
  }
  if (name != entry && n_chosen > 1)
    chosen = NULL;
  const char *file = smb_source_name(kernel->program.source);
  guint n = g_hash_table_size(seen);
  if (n == 0)
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: no __global__ function in it", file);
  else if (!chosen)
    smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "%s has no kernel '%s': expected one of %s", file,
             asked, names->str);
  else if (!entry && n > 1)
    smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "%s has several kernels: %s", file, names->str);
  if (n > 1 && (!chosen || !entry))
    smb_hint(error, SMB_HINT_ENTRY, NULL, NULL);
  return chosen && (entry || n == 1) ? chosen : NULL;
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
  collect_reachable(kernel->entry, functions, shared, &kernel->program.is_serial);
  g_autoptr(GPtrArray) objects = g_ptr_array_copy(kernel->objects, NULL, NULL);
  g_ptr_array_sort(objects, compare_starts);
  for (guint i = 0; i < objects->len; i++) {
    Variable *variable = g_ptr_array_index(objects, i);
    gboolean used = g_hash_table_contains(shared, variable);
    gsize align = MAX(variable->type->align, variable->address);
    if (variable->storage == STORAGE_DYNAMIC && used)
      dynamic_align = MAX(dynamic_align, MAX(align, 16));
    if (variable->storage != STORAGE_SHARED || !used)
      continue;
    end = (end + align - 1) & ~(align - 1);
    variable->address = end;
    end += variable->type->size;
  }
  kernel->program.static_shared = end;
  end = (end + dynamic_align - 1) & ~(dynamic_align - 1);
  for (guint i = 0; i < kernel->objects->len; i++) {
    Variable *variable = g_ptr_array_index(kernel->objects, i);
    if (variable->storage == STORAGE_DYNAMIC)
      variable->address = end;
  }
  kernel->program.dynamic_start = end;
  for (guint i = 0; i < objects->len; i++) {
    if (g_hash_table_contains(shared, g_ptr_array_index(objects, i)))
      smb_shared_describe(kernel, g_ptr_array_index(objects, i), kernel->program.arrays, NULL);
  }
  smb_kernel_depend(kernel, functions);
  smb_kernel_mark_unrolled(kernel, functions);
}

static int
compare_items(gconstpointer a, gconstpointer b) {
  const Item *x = *(const Item *const *)a, *y = *(const Item *const *)b;
  return (x->begin->start > y->begin->start) - (x->begin->start < y->begin->start);
}

// What the kernel does not reach is kept from a compiler, unless a macro made it together with
// something that is reached.
static void
note_unread(SmbKernel *kernel, const Outline *outline) {
  guint32 read_end = 0;
  g_autoptr(GPtrArray) items = g_ptr_array_copy(outline->items, NULL, NULL);
  g_ptr_array_sort(items, compare_items);
  for (guint i = 0; i < items->len; i++) {
    const Item *item = g_ptr_array_index(items, i);
    Stretch text = {item->begin->start, item->last->end};
    if (item->state == ITEM_READ)
      read_end = MAX(read_end, text.end);
    else if (text.start >= read_end)
      g_array_append_val(kernel->unread, text);
    while (item->state == ITEM_READ && kernel->unread->len > 0 &&
           g_array_index(kernel->unread, Stretch, kernel->unread->len - 1).end > text.start)
      g_array_set_size(kernel->unread, kernel->unread->len - 1);
  }
}

static guint
count_lines(const char *text) {
  guint n = 1;
  for (; *text; text++)
    n += *text == '\n';
  return n;
}

// One error of all obstacles, with the hints of each.
static gboolean
report_obstacles(const Parser *parser) {
  int code = *parser->error ? (*parser->error)->code : SMB_ERROR_INPUT;
  if (*parser->error && (*parser->error)->message[0])
    g_ptr_array_add(parser->obstacles, g_steal_pointer(parser->error));
  if (parser->obstacles->len == 0)
    return TRUE;
  g_clear_error(parser->error);
  GError *all = g_error_new_literal(SMB_ERROR, code, "");
  guint line = 0;
  for (guint i = 0; i < parser->obstacles->len; i++) {
    const GError *one = g_ptr_array_index(parser->obstacles, i);
    g_autofree char *before = all->message;
    all->message = g_strconcat(before, i > 0 ? "\n" : "", one->message, NULL);
    smb_error_add_hints(all, one, line);
    line += count_lines(one->message);
  }
  g_propagate_error(parser->error, all);
  return FALSE;
}

// Reads the kernel that is asked for, and what it reaches; @is_head: only what it says of its parameters.
static gboolean
parse_tokens(SmbKernel *kernel, Token *tokens, const char *entry, gboolean is_head,
             GError **error) {
  Outline *outline = smb_kernel_outline(kernel->program.source, kernel->pool, tokens, error);
  Item *item = outline ? choose_entry(kernel, outline, entry, error) : NULL;
  gboolean ok = FALSE;
  if (item) {
    g_autoptr(GPtrArray) scopes =
        g_ptr_array_new_with_free_func((GDestroyNotify)g_hash_table_unref);
    g_autoptr(GPtrArray) obstacles = g_ptr_array_new_with_free_func((GDestroyNotify)g_error_free);
    g_autoptr(GHashTable) doubtful = g_hash_table_new(g_str_hash, g_str_equal);
    Parser parser = {.kernel = kernel,
                     .pool = kernel->pool,
                     .outline = outline,
                     .item = item,
                     .at = tokens,
                     .last = tokens,
                     .scopes = scopes,
                     .obstacles = obstacles,
                     .doubtful = doubtful,
                     .is_head = is_head,
                     .error = error};
    g_ptr_array_add(scopes, g_hash_table_new(g_str_hash, g_str_equal));
    const char *instance = entry ? strchr(entry, '<') : NULL;
    TemplateArguments arguments;
    if (!instance || smb_parse_instance(&parser, item, instance, &arguments))
      kernel->entry =
          smb_parser_read_function(&parser, item, instance ? &arguments : NULL, NULL, 0);
    ok = report_obstacles(&parser) && (is_head || smb_parser_check_assertions(&parser));
    note_unread(kernel, outline);
  }
  smb_kernel_outline_free(outline);
  return ok;
}

// What a buffer of a type holds: of several numbers, words as wide as the alignment.
SmbScalar
smb_kernel_element(const Type *type) {
  const Type *leaf = smb_type_leaf(type);
  if (leaf)
    return smb_type_is_arithmetic(leaf) ? smb_cuda_scalar(leaf->kind) : SMB_SCALAR_U8;
  return type->align == 2   ? SMB_SCALAR_U16
         : type->align == 4 ? SMB_SCALAR_U32
         : type->align >= 8 ? SMB_SCALAR_U64
                            : SMB_SCALAR_U8;
}

static void
describe_parameters(SmbKernel *kernel) {
  const Function *entry = kernel->entry;
  for (guint i = 0; i < entry->n_parameters; i++) {
    const Variable *variable = entry->parameters[i];
    SmbParameter parameter = {.name = variable->name,
                              .type = smb_type_describe(kernel->pool, variable_type(variable)),
                              .is_pointer =
                                  !variable->is_reference && variable->type->kind == KIND_POINTER,
                              .is_unnamed = *variable->name == '(',
                              .bytes = variable->is_reference ? variable->type->of->size : 0};
    if (parameter.is_pointer) {
      parameter.element_bytes = (guint)MAX(variable->type->of->size, 1);
      parameter.element = smb_kernel_element(variable->type->of);
    }
    g_array_append_val(kernel->program.parameters, parameter);
  }
}

static gboolean
has_pointer(const GArray *members) {
  for (guint i = 0; members && i < members->len; i++) {
    if (g_array_index(members, SmbMember, i).is_pointer)
      return TRUE;
  }
  return FALSE;
}

// Structures of numbers can be given member by member.
static void
describe_members(SmbKernel *kernel) {
  SmbProgram *program = &kernel->program;
  program->prototype = smb_kernel_prototype(kernel);
  for (guint i = 0; i < program->parameters->len; i++) {
    SmbParameter *parameter = &g_array_index(program->parameters, SmbParameter, i);
    const SmbDeclared *declared = &g_array_index(program->prototype, SmbDeclared, i);
    if (!declared->members || has_pointer(declared->members))
      continue;
    parameter->members = declared->members;
    parameter->stored_bytes = declared->bytes;
  }
}

static Space
find_space(Storage storage) {
  return storage == STORAGE_PRIVATE    ? SPACE_PRIVATE
         : storage == STORAGE_GLOBAL   ? SPACE_GLOBAL
         : storage == STORAGE_CONSTANT ? SPACE_CONSTANT
                                       : SPACE_SHARED;
}

// What pointers point into, by slot.
static void
describe_regions(SmbKernel *kernel) {
  for (guint i = 0; i < kernel->objects->len; i++) {
    const Variable *variable = g_ptr_array_index(kernel->objects, i);
    gboolean is_dynamic = variable->storage == STORAGE_DYNAMIC;
    Region region = {.name = variable->name,
                     .space = find_space(variable->storage),
                     .is_dynamic = is_dynamic,
                     .base = storage_is_shared(variable->storage) ? variable->address : 0,
                     .size = is_dynamic ? 0 : variable->type->size,
                     .contents = variable->contents};
    g_array_append_val(kernel->program.regions, region);
  }
}

static gboolean
parse_kernel(SmbKernel *kernel, const char *entry, gboolean is_head, GError **error) {
  SmbProgram *program = &kernel->program;
  guint max_tokens = program->limits.max_tokens;
  kernel->macros =
      smb_kernel_macros_new(kernel->pool, program->source, (const char *const *)program->folders,
                            max_tokens, program->cuda_arch, program->lanes, program->processor);
  for (guint i = 0; program->defines && program->defines[i]; i++) {
    if (!smb_kernel_macros_define(kernel->macros, program->defines[i], error))
      return FALSE;
  }
  Token *tokens = smb_kernel_macros_run_file(kernel->macros, error);
  if (!tokens || !parse_tokens(kernel, tokens, entry, is_head, error))
    return FALSE;
  program->name = kernel->entry->name;
  program->max_threads = kernel->entry->max_threads;
  describe_parameters(kernel);
  if (!is_head) {
    lay_out_shared(kernel);
    describe_regions(kernel);
    describe_members(kernel);
  }
  return TRUE;
}

static SmbProgram *
read_kernel_text(SmbSource *source, const SmbProgramOptions *options, gboolean is_head,
                 GError **error) {
  SmbKernel *kernel = g_new0(SmbKernel, 1);
  GError *local = NULL;
  smb_program_init(&kernel->program, &smb_cuda_front_end, source, smb_source_name(source), options);
  SmbSource *given = kernel->program.source;
  kernel->program.source = smb_source_whole(given);
  smb_source_unref(given);
  kernel->pool = smb_kernel_pool_new();
  kernel->locals = g_ptr_array_new();
  kernel->objects = g_ptr_array_new();
  kernel->unread = g_array_new(FALSE, FALSE, sizeof(Stretch));
  kernel->flows = g_array_new(FALSE, TRUE, sizeof(SiteFlow));
  if (parse_kernel(kernel, options->entry, is_head, &local))
    return &kernel->program;
  g_propagate_error(error, local);
  smb_kernel_free(&kernel->program);
  return NULL;
}

SmbProgram *
smb_kernel_read(SmbSource *source, const SmbProgramOptions *options, GError **error) {
  return read_kernel_text(source, options, FALSE, error);
}

SmbProgram *
smb_kernel_read_head(SmbSource *source, const SmbProgramOptions *options, GError **error) {
  return read_kernel_text(source, options, TRUE, error);
}

void
smb_kernel_free(SmbProgram *program) {
  SmbKernel *kernel = (SmbKernel *)program;
  smb_kernel_macros_free(kernel->macros);
  g_ptr_array_unref(kernel->locals);
  g_ptr_array_unref(kernel->objects);
  g_array_unref(kernel->unread);
  g_array_unref(kernel->flows);
  smb_program_clear(program);
  smb_kernel_pool_free(kernel->pool);
  g_free(kernel);
}

gsize
smb_cuda_element_size(const char *type) {
  const Type *found = smb_type_by_name(type);
  if (!found || found->kind == KIND_VOID || found->size > SMB_MAX_WIDTH ||
      (found->size & (found->size - 1)))
    return 0;
  return found->size;
}
