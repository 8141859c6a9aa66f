// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Shared variables: as arrays, for those who know no types; and in bodies that have more than the kernel language. Of these the declarations
// are read that are needed: constants, types and the variables themselves. Not read are bodies of function templates that a kernel calls.
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

// Whether it is divided into its parts. @in_union: into what overlaps; else a union is a part by itself
static gboolean
is_divided(const Type *type, gboolean in_union) {
  return has_shared_parts(type) && (in_union || !type->is_union);
}

// Parts of it, MAX_PARTS + 1 if there are more.
static gsize
count_shared_parts(const Type *type, gboolean in_union) {
  gsize n = 0;
  if (!is_divided(type, in_union))
    return 1;
  for (gsize i = 0; type->kind == KIND_STRUCT && i < type->count && n <= MAX_PARTS; i++)
    n += count_shared_parts(type->members[i].type, in_union);
  if (type->kind == KIND_ARRAY && type->count <= MAX_PARTS)
    n = type->count * count_shared_parts(type->of, in_union);
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

// The bytes of the narrowest and of the widest value in it.
static void
note_scalars(const Type *type, SmbArray *array) {
  for (gsize i = 0; type->kind == KIND_STRUCT && i < type->count; i++)
    note_scalars(type->members[i].type, array);
  if (type->kind == KIND_ARRAY || type->kind == KIND_VECTOR)
    note_scalars(type->of, array);
  else if (type->kind != KIND_STRUCT || type->count == 0) {
    array->least_scalar =
        array->least_scalar ? MIN(array->least_scalar, (guint)type->size) : (guint)type->size;
    array->most_scalar = MAX(array->most_scalar, (guint)type->size);
  }
}

// What a shared variable is divided into.
typedef struct {
  GArray *arrays; // SmbArray
  GArray *views;  // the same of what overlaps; or NULL
  KernelPool *pool;
  const SmbArray *whole;
  gboolean in_union;
} Division;

// A part of it: of the type, and that many bytes from its start. A union without a name has that of the part around it.
typedef struct {
  const Type *type;
  const char *name;
  gsize inside;
  gboolean is_named;
} DividedPart;

static void describe_parts(const Division *division, const DividedPart *part);

// Adds an array, or a union as bytes.
static void
add_part(const Division *division, const DividedPart *part) {
  const Type *type = part->type;
  SmbArray array = *division->whole;
  array.name = part->name;
  array.variable = division->whole->name;
  array.inside = part->inside;
  array.base += (guint32)part->inside;
  if (division->in_union)
    note_scalars(type, &array);
  array.is_union = type->is_union && !division->in_union;
  if (array.is_union) {
    const Type bytes = {.kind = KIND_ARRAY,
                        .of = smb_type_scalar(KIND_UCHAR),
                        .count = type->size,
                        .size = type->size};
    set_dimensions(&array, &bytes, division->pool);
    if (!part->is_named)
      array.name = smb_kernel_pool_printf(division->pool, "%s+%" G_GSIZE_FORMAT,
                                          division->whole->name, part->inside);
  } else
    set_dimensions(&array, type, division->pool);
  g_array_append_val(division->arrays, array);
  if (!array.is_union || !division->views || type->count == 0 ||
      count_shared_parts(type, TRUE) > MAX_PARTS)
    return;
  Division within = *division;
  within.arrays = division->views;
  within.in_union = TRUE;
  describe_parts(&within, part);
}

static void
describe_parts(const Division *division, const DividedPart *part) {
  const Type *type = part->type;
  if (!is_divided(type, division->in_union)) {
    add_part(division, part);
    return;
  }
  for (gsize i = 0; type->kind == KIND_STRUCT && i < type->count; i++) {
    const Member *member = &type->members[i];
    gboolean is_named = *member->name != '\0';
    const DividedPart inner = {
        member->type,
        is_named ? smb_kernel_pool_printf(division->pool, "%s.%s", part->name, member->name)
                 : part->name,
        part->inside + member->offset, is_named};
    describe_parts(division, &inner);
  }
  for (gsize i = 0; type->kind == KIND_ARRAY && i < type->count; i++) {
    const DividedPart inner = {
        type->of, smb_kernel_pool_printf(division->pool, "%s[%" G_GSIZE_FORMAT "]", part->name, i),
        part->inside + i * type->of->size, TRUE};
    describe_parts(division, &inner);
  }
}

void
smb_shared_describe(const SmbKernel *kernel, const Variable *variable, GArray *arrays,
                    GArray *views) {
  const Type *type = variable->type;
  SmbArray array = {.name = variable->name,
                    .base = (guint32)variable->address,
                    .is_dynamic = variable->storage == STORAGE_DYNAMIC};
  smb_source_locate(kernel->program.source, variable->start, &array.line, &array.column);
  if (!array.is_dynamic && has_shared_parts(type) && count_shared_parts(type, FALSE) <= MAX_PARTS) {
    const Division division = {arrays, views, kernel->pool, &array, FALSE};
    const DividedPart whole = {type, variable->name, 0, TRUE};
    describe_parts(&division, &whole);
    return;
  }
  set_dimensions(&array, type, kernel->pool);
  g_array_append_val(arrays, array);
}

// --- in a body

static const char *const declaring[] = {"const",      "constexpr", "static",  "typedef",   "using",
                                        "struct",     "class",     "alignas", "__align__", "extern",
                                        "__shared__", "volatile",  "enum",    "union",     NULL};

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
