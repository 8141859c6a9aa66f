// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Declarations: the declarators behind the specifiers, and the variables that come of them.
#include "sim/cuda/parse/parse.h"

// Pointers to pointers.
enum {
  MAX_POINTER_LEVELS = 8
};

const Type *
smb_parse_pointers(Parser *parser, const Type *type) {
  for (guint levels = 1; type && smb_parse_qualifiers(parser); levels++) {
    guint32 start = parser->at->start;
    if (smb_parser_is(parser, "&") && !parser->may_refer)
      return smb_parser_fail(parser, start, "a reference is not allowed here");
    if (smb_parser_take(parser, "&")) {
      parser->is_reference = TRUE;
      return smb_parse_qualifiers(parser) ? type : NULL;
    }
    if (!smb_parser_take(parser, "*"))
      return type;
    if (levels > MAX_POINTER_LEVELS)
      return smb_parser_fail(parser, start, "more than %d '*'", MAX_POINTER_LEVELS);
    type = smb_type_pointer(parser->pool, type);
  }
  return NULL;
}

const Type *
smb_parse_type_name(Parser *parser) {
  Specifiers specifiers;
  if (!smb_parse_typed_specifiers(parser, &specifiers))
    return NULL;
  const Token *name;
  const Token *start = parser->at;
  const Type *type = smb_parse_declared(parser, specifiers.type, &name);
  if (type && name)
    return smb_parser_fail(parser, name->start, "expected a type without a name");
  if (type && type->kind == KIND_ARRAY)
    return smb_parser_fail(parser, start->start, "expected a type that is not an array");
  return type;
}

// A pointer to an array: "(" "*" name? ")" dimensions. The "(" and "*" are here.
static const Type *
parse_array_pointer(Parser *parser, const Type *type, const Token **name) {
  guint32 start = parser->at->start;
  smb_parser_advance(parser);
  smb_parser_advance(parser);
  if (!smb_parse_qualifiers(parser))
    return NULL;
  if (parser->at->kind == TOKEN_NAME) {
    *name = parser->at;
    smb_parser_advance(parser);
  }
  if (!smb_parser_expect(parser, ")"))
    return NULL;
  if (smb_parser_is(parser, "("))
    return smb_parser_fail(parser, start, "pointers to functions are outside the subset");
  type = smb_parse_dimensions(parser, type);
  return type ? smb_type_pointer(parser->pool, type) : NULL;
}

const Type *
smb_parse_declared(Parser *parser, const Type *type, const Token **name) {
  *name = NULL;
  type = smb_parse_pointers(parser, type);
  if (!type)
    return NULL;
  if (smb_parser_is(parser, "(") && smb_token_is(parser->at->next, "*"))
    return parse_array_pointer(parser, type, name);
  if (smb_parser_is(parser, "(") && smb_token_is(parser->at->next, "&") && parser->may_refer) {
    // (&name)[n]: a reference to an array
    smb_parser_advance(parser);
    smb_parser_advance(parser);
    parser->is_reference = TRUE;
    *name = parser->at->kind == TOKEN_NAME ? parser->at : NULL;
    if (*name)
      smb_parser_advance(parser);
    return smb_parser_expect(parser, ")") ? smb_parse_dimensions(parser, type) : NULL;
  }
  if (parser->at->kind == TOKEN_NAME && !smb_parse_is_specifier(parser->at)) {
    *name = parser->at;
    smb_parser_advance(parser);
  }
  return smb_parse_dimensions(parser, type);
}

const Type *
smb_parse_dimensions(Parser *parser, const Type *type) {
  if (!smb_parser_is(parser, "["))
    return type;
  guint32 start = parser->at->start;
  gint64 count = 0;
  if (!smb_parser_enter(parser))
    return NULL;
  smb_parser_advance(parser);
  if (!smb_parser_is(parser, "]")) {
    if (!smb_parse_constant(parser, &count))
      return NULL;
    if (count < 1)
      return smb_parser_fail(parser, start,
                             "an array of %" G_GINT64_FORMAT " elements: expected at "
                             "least one",
                             count);
  }
  if (!smb_parser_expect(parser, "]"))
    return NULL;
  const Type *element = smb_parse_dimensions(parser, type);
  smb_parser_leave(parser);
  if (!element)
    return NULL;
  if (element->size == 0)
    return smb_parser_fail(parser, start, "the elements of this array have no size");
  if ((guint64)count > MAX_OBJECT_BYTES / element->size)
    return smb_parser_fail(parser, start, "this array is larger than %u MiB",
                           (guint)(MAX_OBJECT_BYTES >> 20));
  return smb_type_array(parser->pool, element, (gsize)count);
}

Variable *
smb_parser_find(Parser *parser, const Token *name) {
  for (guint i = parser->scopes->len; i-- > 0;) {
    Variable *variable = g_hash_table_lookup(g_ptr_array_index(parser->scopes, i), name->text);
    if (variable)
      return variable;
  }
  return smb_parser_read_name(parser, name)
             ? g_hash_table_lookup(g_ptr_array_index(parser->scopes, 0), name->text)
             : NULL;
}

const Type *
smb_parser_find_type(Parser *parser, const Token *name) {
  if (name->kind != TOKEN_NAME)
    return NULL;
  const Variable *meaning = smb_parser_find(parser, name);
  if (!meaning) {
    const Type *group = smb_group_find_type(name);
    return group ? group : smb_type_by_name(name->text);
  }
  return meaning->storage == STORAGE_TYPE ? meaning->type : NULL;
}

Variable *
smb_parser_declare(Parser *parser, const Token *name, const Type *type, Storage storage) {
  GHashTable *scope = g_ptr_array_index(parser->scopes, parser->scopes->len - 1);
  Variable *variable = kernel_pool_new_struct(parser->pool, Variable);
  variable->name = name->text;
  if (g_hash_table_contains(scope, variable->name))
    return smb_parser_fail(parser, name->start, "'%s' is declared twice", variable->name);
  if (type->kind == KIND_VOID)
    return smb_parser_fail(parser, name->start, "'%s' cannot be void", variable->name);
  variable->type = type;
  variable->storage = storage;
  variable->start = name->start;
  variable->owner = parser->function;
  g_hash_table_insert(scope, (gpointer)variable->name, variable);
  if (storage == STORAGE_TYPE)
    return variable;
  GPtrArray *slots = storage == STORAGE_LOCAL ? parser->kernel->locals : parser->kernel->objects;
  variable->slot = slots->len;
  g_ptr_array_add(slots, variable);
  // Each component of a vector is set by itself: it has a slot of its own.
  for (guint i = 1; storage == STORAGE_LOCAL && i < smb_type_components(type); i++)
    g_ptr_array_add(slots, NULL);
  return variable;
}

// Why a shared variable cannot be declared like that, or NULL.
static const char *
find_shared_problem(Parser *parser, const Specifiers *specifiers, const Type *type) {
  gboolean is_array = type->kind == KIND_ARRAY, open_array = is_array && type->count == 0;
  if (smb_parser_is(parser, "="))
    return "a __shared__ variable cannot have an initializer";
  if (specifiers->is_extern && !is_array)
    return "an extern __shared__ variable is an array: expected []";
  if (!specifiers->is_extern && open_array)
    return "expected the number of elements (or extern, for dynamic shared memory)";
  return NULL;
}

// Whether it is a variable in global or constant memory; a const number is a constant.
static gboolean
is_data(const Parser *parser, const Specifiers *specifiers, const Type *type) {
  return !parser->function && !specifiers->is_shared &&
         (specifiers->is_device || specifiers->is_constant_memory) &&
         !(specifiers->is_const && smb_type_is_arithmetic(type));
}

static gboolean
check_declared(Parser *parser, const Specifiers *specifiers, const Token *name, const Type *type) {
  gboolean open_array = type->kind == KIND_ARRAY && type->count == 0;
  const char *problem = NULL;
  if (specifiers->is_shared)
    problem = find_shared_problem(parser, specifiers, type);
  else if (parser->function && (specifiers->is_device || specifiers->is_constant_memory))
    problem = "a __device__ or __constant__ variable must be declared outside functions";
  else if (open_array && is_data(parser, specifiers, type) &&
           (smb_parser_is(parser, "=") || smb_parser_is(parser, "{")))
    problem = NULL; // its first values are counted
  else if (open_array)
    problem = "expected the number of elements";
  else if (!parser->function && smb_type_is_aggregate(type) && !is_data(parser, specifiers, type))
    problem = type->kind == KIND_ARRAY
                  ? "an array outside functions must be __device__, __constant__ or __shared__"
                  : "a structure outside functions must be __device__, __constant__ or __shared__";
  if (problem)
    smb_parser_fail(parser, name->start, "%s", problem);
  return problem == NULL;
}

static Storage
choose_storage(const Parser *parser, const Specifiers *specifiers, const Type *type) {
  if (specifiers->is_shared)
    return specifiers->is_extern ? STORAGE_DYNAMIC : STORAGE_SHARED;
  if (is_data(parser, specifiers, type))
    return specifiers->is_constant_memory ? STORAGE_CONSTANT : STORAGE_GLOBAL;
  return smb_type_is_aggregate(type) ? STORAGE_PRIVATE : STORAGE_LOCAL;
}

// ("=" (assignment | list) | list | "(" assignment ")")?; outside functions, a constant must come of it
static gboolean
parse_first_value(Parser *parser, const Specifiers *specifiers, Variable *variable,
                  Statement ***last) {
  gboolean in_parentheses = smb_parser_take(parser, "(");
  gboolean has_value = in_parentheses || smb_parser_take(parser, "=") || smb_parser_is(parser, "{");
  if (has_value && !smb_parse_initializer(parser, specifiers, variable, last, variable->start))
    return FALSE;
  if (in_parentheses && !smb_parser_expect(parser, ")"))
    return FALSE;
  variable->is_const = has_value && specifiers->is_const && variable->type->kind != KIND_POINTER;
  if (parser->function || variable->is_constant)
    return TRUE;
  return smb_parser_refuse(parser, variable->start,
                           "a variable outside functions must be __device__, __constant__, "
                           "__shared__ or a const number");
}

// reference = "&" name ("=" assignment | "(" assignment ")" | "{" assignment "}"). The name was taken.
static gboolean
parse_reference(Parser *parser, const Specifiers *specifiers, const Type *type, const Token *name,
                Statement ***last) {
  const char *close = smb_parser_is(parser, "(") ? ")" : smb_parser_is(parser, "{") ? "}" : NULL;
  BindKind kind;
  if (!name || !parser->function || (!close && !smb_parser_is(parser, "=")))
    return smb_parser_refuse(parser, parser->at->start,
                             "a reference needs what it refers to: expected '= VARIABLE'");
  smb_parser_advance(parser);
  Node *value = smb_parse_assignment(parser);
  if (!value || (close && !smb_parser_expect(parser, close)))
    return FALSE;
  type = type ? type : value->type;
  if (!smb_reference_classify(parser, value, type, specifiers->is_const, &kind))
    return FALSE;
  Variable *variable = smb_reference_declare(parser, name, type, kind, value);
  if (!variable)
    return FALSE;
  variable->is_volatile = specifiers->is_volatile;
  if (kind == BIND_VALUE)
    return smb_parser_initialise(parser, specifiers, variable, value, last);
  if (kind == BIND_ALIAS)
    return TRUE;
  Node *target = smb_reference_address(parser, variable, name->start, name->end);
  Node *address = smb_node_address(parser, value, value->start);
  Node *assign = smb_node_set(parser, target, address, name->start, value->end);
  if (assign)
    smb_statement_append(parser, last, STATEMENT_EXPRESSION, name->start)->value = assign;
  return assign != NULL;
}

// "auto" "*"* name ("=" assignment | "(" assignment ")" | "{" assignment "}"): the type is the value's
static gboolean
parse_auto(Parser *parser, const Specifiers *specifiers, Statement ***last) {
  while (smb_parse_qualifiers(parser) && smb_parser_take(parser, "*"))
    continue;
  gboolean is_reference = smb_parser_take(parser, "&");
  const Token *name = parser->at;
  smb_parser_advance(parser);
  if (is_reference)
    return parse_reference(parser, specifiers, NULL, name, last);
  const char *close = smb_parser_is(parser, "(") ? ")" : smb_parser_is(parser, "{") ? "}" : NULL;
  if (name->kind != TOKEN_NAME || (!close && !smb_parser_is(parser, "=")))
    return smb_parser_refuse(parser, name->start, "expected 'auto NAME = VALUE'");
  smb_parser_advance(parser);
  Node *value = smb_node_value(parser, smb_parse_assignment(parser));
  if (!value || (close && !smb_parser_expect(parser, close)))
    return FALSE;
  Variable *variable = smb_parser_declare(parser, name, value->type,
                                          choose_storage(parser, specifiers, value->type));
  if (!variable || !smb_parser_initialise(parser, specifiers, variable, value, last))
    return FALSE;
  if (!parser->function && !variable->is_constant)
    smb_parser_fail(parser, name->start, "'auto' outside functions is for const numbers");
  return parser->function || variable->is_constant;
}

// declarator = "*"* name dimensions ("=" initializer)?
static gboolean
parse_declarator(Parser *parser, const Specifiers *specifiers, Statement ***last) {
  const Token *name;
  if (specifiers->is_auto)
    return parse_auto(parser, specifiers, last);
  parser->may_refer = TRUE;
  parser->is_reference = FALSE;
  const Type *type = smb_parse_declared(parser, specifiers->type, &name);
  parser->may_refer = FALSE;
  if (!type)
    return FALSE;
  if (parser->is_reference)
    return parse_reference(parser, specifiers, type, name, last);
  if (!name)
    return smb_parser_refuse(parser, parser->at->start, "expected a name, not '%s'",
                             parser->at->text);
  if (!check_declared(parser, specifiers, name, type))
    return FALSE;
  Variable *variable =
      smb_parser_declare(parser, name, type, choose_storage(parser, specifiers, type));
  if (!variable)
    return FALSE;
  variable->is_volatile = specifiers->is_volatile;
  if (specifiers->is_shared) {
    variable->address = specifiers->align; // until the layout is made
    return TRUE;
  }
  if (variable->storage == STORAGE_GLOBAL || variable->storage == STORAGE_CONSTANT)
    return smb_parse_data(parser, variable);
  smb_statement_append(parser, last, STATEMENT_DECLARE, name->start)->variable = variable;
  return parse_first_value(parser, specifiers, variable, last);
}

// declaration = specifiers declarator ("," declarator)* ";"
Statement *
smb_parse_declaration(Parser *parser, const Specifiers *specifiers) {
  Statement *block = smb_statement_make(parser, STATEMENT_BLOCK, parser->at->start);
  Statement **last = &block->first;
  if (specifiers->is_extern && !specifiers->is_shared)
    return smb_parser_fail(parser, parser->at->start, "extern is for __shared__ arrays only");
  if (specifiers->is_static && parser->function && !specifiers->is_shared && !specifiers->is_const)
    return smb_parser_fail(parser, specifiers->start,
                           "a static variable in a function is outside the "
                           "subset: it would outlive the block");
  if (specifiers->declares_type && smb_parser_take(parser, ";"))
    return block;
  do {
    if (!parse_declarator(parser, specifiers, &last))
      return NULL;
  } while (smb_parser_take(parser, ","));
  return smb_parser_expect(parser, ";") ? block : NULL;
}

gboolean
smb_parse_starts_alias(const Parser *parser) {
  const Token *name = parser->at->next;
  return smb_parser_is(parser, "typedef") ||
         (smb_parser_is(parser, "using") && name->kind == TOKEN_NAME &&
          smb_token_is(name->next, "="));
}

// alias = "typedef" specifiers declared ("," declared)* ";" | "using" name "=" type-name ";"
gboolean
smb_parse_alias(Parser *parser) {
  Specifiers specifiers;
  const Token *name = parser->at->next;
  if (!smb_parser_take(parser, "typedef")) {
    smb_parser_advance(parser);
    smb_parser_advance(parser);
    smb_parser_advance(parser);
    const Type *type = smb_parse_type_name(parser);
    return type && smb_parser_declare(parser, name, type, STORAGE_TYPE) &&
           smb_parser_expect(parser, ";");
  }
  if (!smb_parse_typed_specifiers(parser, &specifiers))
    return FALSE;
  do {
    const Type *type = smb_parse_declared(parser, specifiers.type, &name);
    if (type && !name)
      type = smb_parser_fail(parser, parser->at->start, "expected a name for the type");
    if (type && type->kind == KIND_ARRAY)
      type = smb_parser_fail(parser, name->start, "expected a type that is not an array");
    // A structure may be called what it is known as.
    gboolean is_same =
        type && type->kind == KIND_STRUCT && smb_parser_find_type(parser, name) == type;
    if (!type || (!is_same && !smb_parser_declare(parser, name, type, STORAGE_TYPE)))
      return FALSE;
  } while (smb_parser_take(parser, ","));
  return smb_parser_expect(parser, ";");
}
