// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Shared variables: as arrays, for those who know no types; and in bodies that have more than the kernel language. Of these the declarations
// are read that are needed: constants, types and the variables themselves. Not read are unions, as an address does not say which member is
// meant, and bodies of function templates that a kernel calls.
#include <string.h>

#include "sim/cuda/parse/parse.h"

enum {
  MAX_PARTS = 64, // of one variable
};

// --- as arrays

static gboolean
has_array(const Type *type) {
  for (gsize i = 0; type->kind == KIND_STRUCT && i < type->count; i++) {
    const Type *member = type->members[i].type;
    if (member->kind == KIND_ARRAY || has_array(member))
      return TRUE;
  }
  return FALSE;
}

// Whether something is known by its parts: a structure with members, and an array of those that have arrays.
static gboolean
has_shared_parts(const Type *type) {
  return type->kind == KIND_STRUCT ? type->count > 0
                                   : type->kind == KIND_ARRAY && type->count > 0 &&
                                         (has_array(type->of) || (type->of->kind == KIND_ARRAY &&
                                                                  has_shared_parts(type->of)));
}

// Parts of it, MAX_PARTS + 1 if there are more.
static gsize
count_shared_parts(const Type *type) {
  gsize n = 0;
  if (!has_shared_parts(type))
    return 1;
  for (gsize i = 0; type->kind == KIND_STRUCT && i < type->count && n <= MAX_PARTS; i++)
    n += count_shared_parts(type->members[i].type);
  if (type->kind == KIND_ARRAY && type->count <= MAX_PARTS)
    n = type->count * count_shared_parts(type->of);
  return type->kind == KIND_ARRAY && type->count > MAX_PARTS ? MAX_PARTS + 1
                                                             : MIN(n, MAX_PARTS + 1);
}

static void
set_dimensions(SmbArray *array, const Type *type, KernelPool *pool) {
  array->bytes = array->is_dynamic ? 0 : type->size;
  for (; type->kind == KIND_ARRAY; type = type->of) {
    if (array->n_dimensions < SMB_ARRAY_MAX_DIMENSIONS) {
      array->dimension[array->n_dimensions++] = type->count;
      continue;
    }
    // Of many dimensions the outer ones are one.
    array->dimension[0] *= array->dimension[1];
    for (guint i = 1; i + 1 < SMB_ARRAY_MAX_DIMENSIONS; i++)
      array->dimension[i] = array->dimension[i + 1];
    array->dimension[SMB_ARRAY_MAX_DIMENSIONS - 1] = type->count;
  }
  // How many rows a dynamic one has, the launch says.
  if (array->is_dynamic)
    array->dimension[0] = 0;
  array->element = smb_type_describe(pool, type);
  array->element_bytes = (guint)type->size;
}

// Adds what is @inside bytes within @whole.
static void
describe_parts(GArray *arrays, KernelPool *pool, const SmbArray *whole, const Type *type,
               const char *name, gsize inside) {
  for (gsize i = 0; type->kind == KIND_STRUCT && has_shared_parts(type) && i < type->count; i++) {
    const Member *member = &type->members[i];
    const char *inner =
        *member->name ? smb_kernel_pool_printf(pool, "%s.%s", name, member->name) : name;
    describe_parts(arrays, pool, whole, member->type, inner, inside + member->offset);
  }
  for (gsize i = 0; type->kind == KIND_ARRAY && has_shared_parts(type) && i < type->count; i++)
    describe_parts(arrays, pool, whole, type->of,
                   smb_kernel_pool_printf(pool, "%s[%" G_GSIZE_FORMAT "]", name, i),
                   inside + i * type->of->size);
  if (has_shared_parts(type))
    return;
  SmbArray part = *whole;
  part.name = name;
  part.variable = whole->name;
  part.inside = inside;
  part.base += (guint32)inside;
  set_dimensions(&part, type, pool);
  g_array_append_val(arrays, part);
}

void
smb_shared_describe(const SmbKernel *kernel, const Variable *variable, GArray *arrays) {
  const Type *type = variable->type;
  SmbArray array = {.name = variable->name,
                    .base = (guint32)variable->address,
                    .is_dynamic = variable->storage == STORAGE_DYNAMIC};
  smb_source_locate(kernel->program.source, variable->start, &array.line, &array.column);
  if (!array.is_dynamic && has_shared_parts(type) && count_shared_parts(type) <= MAX_PARTS) {
    describe_parts(arrays, kernel->pool, &array, type, variable->name, 0);
    return;
  }
  set_dimensions(&array, type, kernel->pool);
  g_array_append_val(arrays, array);
}

// --- in a body

static const char *const declaring[] = {"const",      "constexpr", "static",  "typedef",   "using",
                                        "struct",     "class",     "alignas", "__align__", "extern",
                                        "__shared__", "volatile",  "enum",    NULL};

// Reads a declaration, if it can be read; what is wrong with it is not of interest.
static gboolean
try_declaration(Parser *parser) {
  g_autoptr(GError) ignored = NULL;
  g_autoptr(GPtrArray) obstacles = g_ptr_array_new_with_free_func((GDestroyNotify)g_error_free);
  Parser trial = *parser;
  Specifiers specifiers;
  trial.error = &ignored;
  trial.obstacles = obstacles;
  gboolean ok = smb_parse_starts_alias(&trial)
                    ? smb_parse_alias(&trial)
                    : smb_parse_specifiers(&trial, &specifiers) &&
                          smb_parse_declaration(&trial, &specifiers) != NULL;
  if (!ok)
    return FALSE;
  parser->at = trial.at;
  parser->last = trial.last;
  return TRUE;
}

static gboolean
declares_shared(const Item *item) {
  const Token *token = item->first;
  while (token != item->last && !smb_token_is(token, "__shared__"))
    token = token->next;
  return token != item->last;
}

// Shared variables outside functions are read where they are named, and so are functions.
static void
look_at_name(Parser *parser) {
  const GPtrArray *items = smb_outline_find(parser->outline, parser->at);
  for (guint i = 0; items && i < items->len; i++) {
    Item *item = g_ptr_array_index(items, i);
    if (item->state != ITEM_UNREAD)
      continue;
    g_autoptr(GError) ignored = NULL;
    Parser trial = *parser;
    trial.error = &ignored;
    if (item->kind == ITEM_VARIABLE && declares_shared(item))
      (void)smb_parser_read_name(&trial, parser->at);
    // Functions that call each other are as deep as statements may be nested.
    else if (item->kind == ITEM_FUNCTION && item->is_device && !item->is_kernel &&
             !item->parameters && smb_parser_enter(&trial))
      smb_parser_look_within(&trial, item);
  }
}

void
smb_shared_look(const Parser *outer) {
  Parser parser = *outer;
  guint depth = 0;
  gboolean begins = FALSE; // a statement
  parser.scopes = g_ptr_array_new_with_free_func((GDestroyNotify)g_hash_table_unref);
  for (guint i = 0; i < outer->scopes->len; i++)
    g_ptr_array_add(parser.scopes, g_hash_table_ref(g_ptr_array_index(outer->scopes, i)));
  do {
    if (begins && parser.at->kind == TOKEN_NAME && g_strv_contains(declaring, parser.at->text) &&
        try_declaration(&parser))
      continue;
    if (parser.at->kind == TOKEN_NAME)
      look_at_name(&parser);
    if (smb_parser_is(&parser, "{")) {
      g_ptr_array_add(parser.scopes, g_hash_table_new(g_str_hash, g_str_equal));
      depth++;
    } else if (smb_parser_is(&parser, "}") && depth > 0) {
      g_ptr_array_set_size(parser.scopes, (gint)parser.scopes->len - 1);
      depth--;
    }
    begins =
        smb_parser_is(&parser, "{") || smb_parser_is(&parser, "}") || smb_parser_is(&parser, ";");
    smb_parser_advance(&parser);
  } while (depth > 0 && parser.at->kind != TOKEN_END);
  g_ptr_array_unref(parser.scopes);
}
