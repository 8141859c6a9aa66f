// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Declarations: types, qualifiers and variables.
#include <string.h>

#include "sim/kernel-parse.h"

// Pointers to pointers.
enum {
  MAX_POINTER_LEVELS = 8
};

// No object is larger than this, in bytes: far more than any shared memory.
#define MAX_OBJECT_BYTES ((gsize)1 << 30)

// Words that say how code is made or kept, and mean nothing to an evaluation in lockstep.
static const char *const ignored_words[] = {
    "volatile",        "__restrict__", "__restrict",        "restrict",
    "inline",          "__inline__",   "register",          "__noinline__",
    "__forceinline__", "__host__",     "__grid_constant__",
};

// What people write in CUDA C++ that this language has not.
static const char *const refused_words[] = {
    "struct",    "class",    "union",    "enum",         "typedef",     "using",
    "namespace", "template", "switch",   "goto",         "asm",         "__asm__",
    "auto",      "new",      "delete",   "try",          "throw",       "case",
    "friend",    "operator", "typename", "__constant__", "__managed__", "static_assert",
};

// Types that this language has not; the words are free for other use.
static const char *const refused_types[] = {
    "dim3", "half", "__half", "half2", "__half2", "__nv_bfloat16", "std", "wchar_t",
};

// What to write in place of some of them.
static const char *const advice[][2] = {
    {"typedef", "use #define"},
    {"using", "use #define"},
    {"auto", "name the type"},
    {"switch", "use if and else"},
    {"enum", "use #define or const int"},
};

static gboolean
is_one_of(const Token *token, const char *const *words, guint n) {
  for (guint i = 0; token->kind == TOKEN_NAME && i < n; i++) {
    if (token_is(token, words[i]))
      return TRUE;
  }
  return FALSE;
}

static gboolean
starts_specifier(const Token *token) {
  static const char *const words[] = {
      "static",     "const",      "constexpr", "extern", "__shared__",
      "__global__", "__device__", "unsigned",  "signed", "__launch_bounds__",
      "__align__",  "alignas",    "long",      "short",
  };
  return is_one_of(token, words, G_N_ELEMENTS(words)) ||
         is_one_of(token, ignored_words, G_N_ELEMENTS(ignored_words));
}

// Whether a word outside the subset stands here: a keyword, or a type in front of a name.
static gboolean
is_refused(Parser *parser) {
  const Token *token = parser->at;
  if (is_one_of(token, refused_words, G_N_ELEMENTS(refused_words)))
    return TRUE;
  return is_one_of(token, refused_types, G_N_ELEMENTS(refused_types)) &&
         (token->next->kind == TOKEN_NAME || token_is(token->next, "*") ||
          token_is(token->next, "::")) &&
         !parser_find(parser, token);
}

gboolean
parse_starts_type(Parser *parser) {
  const Token *token = parser->at;
  if (token->kind != TOKEN_NAME)
    return FALSE;
  if (starts_specifier(token) || is_refused(parser))
    return TRUE;
  return type_by_name(token->text, token->length) != NULL && !parser_find(parser, token);
}

// "(" constant ")" after __align__
static gboolean
parse_alignment(Parser *parser, guint *align) {
  gint64 value;
  guint32 start = parser->at->start;
  if (!parser_expect(parser, "(") || !parse_constant(parser, &value) || !parser_expect(parser, ")"))
    return FALSE;
  if (value < 1 || value > 4096 || (value & (value - 1))) {
    parser_fail(parser, start, "an alignment is a power of two up to 4096");
    return FALSE;
  }
  *align = (guint)value;
  return TRUE;
}

// The words of a built-in integer type: "unsigned long long int" in any order.
typedef struct {
  guint longs, shorts, signeds, unsigneds;
  const Type *base;
} Words;

static const Type *
combine_words(const Words *words) {
  TypeKind kind = words->base ? words->base->kind : KIND_INT;
  gboolean modified = words->longs || words->shorts || words->signeds || words->unsigneds;
  if (!modified)
    return words->base;
  if (words->base && (kind != KIND_INT && kind != KIND_CHAR && kind != KIND_LONG &&
                      kind != KIND_SHORT && !(kind == KIND_DOUBLE && words->longs)))
    return NULL;
  if (words->longs)
    kind = KIND_LONG;
  else if (words->shorts)
    kind = KIND_SHORT;
  // Each unsigned kind follows its signed one.
  return type_scalar(words->unsigneds ? (TypeKind)(kind + 1) : kind);
}

// Takes one word that is part of a type's name.
static gboolean
take_type_word(Parser *parser, Words *words) {
  const Token *token = parser->at;
  if (parser_take(parser, "unsigned")) {
    words->unsigneds++;
  } else if (parser_take(parser, "signed")) {
    words->signeds++;
  } else if (parser_take(parser, "long")) {
    words->longs++;
  } else if (parser_take(parser, "short")) {
    words->shorts++;
  } else if (!words->base && token->kind == TOKEN_NAME &&
             type_by_name(token->text, token->length)) {
    gboolean modified = words->longs || words->shorts || words->unsigneds || words->signeds;
    const Type *type = type_by_name(token->text, token->length);
    // After "unsigned", a name that is no integer type is the variable's.
    if (modified && type->kind != KIND_INT && type->kind != KIND_CHAR)
      return FALSE;
    words->base = type;
    parser_advance(parser);
  } else {
    return FALSE;
  }
  return TRUE;
}

// Takes one word that is no part of the type. FALSE with no error if there is none.
static gboolean
take_qualifier(Parser *parser, Specifiers *specifiers, gboolean *failed) {
  const Token *token = parser->at;
  *failed = FALSE;
  if (is_one_of(token, ignored_words, G_N_ELEMENTS(ignored_words))) {
    parser_advance(parser);
  } else if (parser_take(parser, "static")) {
    specifiers->is_static = TRUE;
  } else if (parser_take(parser, "const") || parser_take(parser, "constexpr")) {
    specifiers->is_const = TRUE;
  } else if (parser_take(parser, "extern")) {
    specifiers->is_extern = TRUE;
  } else if (parser_take(parser, "__shared__")) {
    specifiers->is_shared = TRUE;
  } else if (parser_take(parser, "__global__")) {
    specifiers->is_global = TRUE;
  } else if (parser_take(parser, "__device__")) {
    specifiers->is_device = TRUE;
  } else if (parser_take(parser, "__launch_bounds__")) {
    *failed = !parser_skip_group(parser, "(", ")");
  } else if (parser_take(parser, "__align__") || parser_take(parser, "alignas")) {
    *failed = !parse_alignment(parser, &specifiers->align);
  } else {
    return FALSE;
  }
  return TRUE;
}

static gboolean
refuse_word(Parser *parser, const Token *token) {
  const char *instead = "";
  for (guint i = 0; i < G_N_ELEMENTS(advice); i++)
    instead = token_is(token, advice[i][0]) ? advice[i][1] : instead;
  if (token_is(token, "template"))
    parser_fail(parser, token->start,
                "templates are outside the subset: write the instance that you mean, with #define "
                "for its parameters");
  else
    parser_fail(parser, token->start,
                "'%.*s' is outside the subset of CUDA C that is evaluated%s%s", (int)token->length,
                token->text, *instead ? ": " : "", instead);
  return FALSE;
}

// specifiers = (qualifier | type word)+
gboolean
parse_specifiers(Parser *parser, Specifiers *specifiers) {
  Words words = {0};
  const Token *first = parser->at;
  memset(specifiers, 0, sizeof *specifiers);
  specifiers->start = first->start;
  for (;;) {
    gboolean failed;
    gboolean has_type =
        words.base || words.longs || words.shorts || words.signeds || words.unsigneds;
    if (!has_type && is_refused(parser))
      return refuse_word(parser, parser->at);
    if (take_qualifier(parser, specifiers, &failed)) {
      if (failed)
        return FALSE;
    } else if (!take_type_word(parser, &words)) {
      break;
    }
  }
  specifiers->type = combine_words(&words);
  if (!specifiers->type) {
    const Token *at = words.base ? first : parser->at;
    parser_fail(parser, at->start, "expected a type, not '%.*s'", (int)at->length, at->text);
    return FALSE;
  }
  return TRUE;
}

const Type *
parse_pointers(Parser *parser, const Type *type) {
  for (guint levels = 0;;) {
    Specifiers ignored = {0};
    gboolean failed;
    if (parser_is(parser, "&"))
      return parser_fail(parser, parser->at->start, "references are outside the subset");
    if (parser_is(parser, "*") && ++levels > MAX_POINTER_LEVELS)
      return parser_fail(parser, parser->at->start, "more than %d '*'", MAX_POINTER_LEVELS);
    if (parser_take(parser, "*"))
      type = type_pointer(parser->pool, type);
    else if (!take_qualifier(parser, &ignored, &failed))
      return type;
    else if (failed)
      return NULL;
  }
}

const Type *
parse_type_name(Parser *parser) {
  Specifiers specifiers;
  if (!parse_specifiers(parser, &specifiers))
    return NULL;
  const Token *name;
  const Token *start = parser->at;
  const Type *type = parse_declared(parser, specifiers.type, &name);
  if (type && name)
    return parser_fail(parser, name->start, "expected a type without a name");
  if (type && type->kind == KIND_ARRAY)
    return parser_fail(parser, start->start, "expected a type that is no array");
  return type;
}

// A pointer to an array: "(" "*" name? ")" dimensions. The "(" and "*" are here.
static const Type *
parse_array_pointer(Parser *parser, const Type *type, const Token **name) {
  guint32 start = parser->at->start;
  parser_advance(parser);
  parser_advance(parser);
  Specifiers ignored = {0};
  gboolean failed;
  while (take_qualifier(parser, &ignored, &failed)) {
    if (failed)
      return NULL;
  }
  if (parser->at->kind == TOKEN_NAME) {
    *name = parser->at;
    parser_advance(parser);
  }
  if (!parser_expect(parser, ")"))
    return NULL;
  if (parser_is(parser, "("))
    return parser_fail(parser, start, "pointers to functions are outside the subset");
  type = parse_dimensions(parser, type);
  return type ? type_pointer(parser->pool, type) : NULL;
}

const Type *
parse_declared(Parser *parser, const Type *type, const Token **name) {
  *name = NULL;
  type = parse_pointers(parser, type);
  if (!type)
    return NULL;
  if (parser_is(parser, "(") && token_is(parser->at->next, "*"))
    return parse_array_pointer(parser, type, name);
  if (parser->at->kind == TOKEN_NAME && !starts_specifier(parser->at)) {
    *name = parser->at;
    parser_advance(parser);
  }
  return parse_dimensions(parser, type);
}

const Type *
parse_dimensions(Parser *parser, const Type *type) {
  if (!parser_is(parser, "["))
    return type;
  guint32 start = parser->at->start;
  gint64 count = 0;
  if (!parser_enter(parser))
    return NULL;
  parser_advance(parser);
  if (!parser_is(parser, "]")) {
    if (!parse_constant(parser, &count))
      return NULL;
    if (count < 1)
      return parser_fail(parser, start,
                         "an array of %" G_GINT64_FORMAT " elements: expected at "
                         "least one",
                         count);
  }
  if (!parser_expect(parser, "]"))
    return NULL;
  const Type *element = parse_dimensions(parser, type);
  parser_leave(parser);
  if (!element)
    return NULL;
  if (element->kind == KIND_VOID || (element->kind == KIND_ARRAY && element->count == 0))
    return parser_fail(parser, start, "the elements of this array have no size");
  if ((guint64)count > MAX_OBJECT_BYTES / element->size)
    return parser_fail(parser, start, "this array is larger than %u MiB",
                       (guint)(MAX_OBJECT_BYTES >> 20));
  return type_array(parser->pool, element, (gsize)count);
}

Variable *
parser_find(Parser *parser, const Token *name) {
  g_autofree char *text = g_strndup(name->text, name->length);
  for (guint i = parser->scopes->len; i-- > 0;) {
    Variable *variable = g_hash_table_lookup(g_ptr_array_index(parser->scopes, i), text);
    if (variable)
      return variable;
  }
  return NULL;
}

Variable *
parser_declare(Parser *parser, const Token *name, const Type *type, Storage storage) {
  GHashTable *scope = g_ptr_array_index(parser->scopes, parser->scopes->len - 1);
  Variable *variable = kernel_pool_new_struct(parser->pool, Variable);
  variable->name = token_text(parser->pool, name);
  if (g_hash_table_contains(scope, variable->name))
    return parser_fail(parser, name->start, "'%s' is declared twice", variable->name);
  if (type->kind == KIND_VOID)
    return parser_fail(parser, name->start, "'%s' cannot be void", variable->name);
  variable->type = type;
  variable->storage = storage;
  variable->start = name->start;
  variable->owner = parser->function;
  GPtrArray *slots = storage == STORAGE_LOCAL ? parser->kernel->locals : parser->kernel->objects;
  variable->slot = slots->len;
  g_ptr_array_add(slots, variable);
  // Each component of a vector is set by itself: it has a slot of its own.
  for (guint i = 1; storage == STORAGE_LOCAL && i < type_components(type); i++)
    g_ptr_array_add(slots, NULL);
  g_hash_table_insert(scope, (gpointer)variable->name, variable);
  return variable;
}

static gboolean
check_shared(Parser *parser, const Specifiers *specifiers, const Token *name, const Type *type) {
  const char *problem = NULL;
  gboolean open_array = type->kind == KIND_ARRAY && type->count == 0;
  if (parser_is(parser, "="))
    problem = "a __shared__ variable takes no first value";
  else if (specifiers->is_extern && !open_array)
    problem = "an extern __shared__ array has no size of its own: expected []";
  else if (!specifiers->is_extern && open_array)
    problem = "expected the number of elements (or extern, for dynamic shared memory)";
  if (problem)
    parser_fail(parser, name->start, "%s", problem);
  return problem == NULL;
}

// declarator = "*"* name dimensions initializer?
static gboolean
parse_declarator(Parser *parser, const Specifiers *specifiers, Statement ***last) {
  const Token *name;
  const Type *type = parse_declared(parser, specifiers->type, &name);
  if (!type)
    return FALSE;
  if (!name) {
    parser_fail(parser, parser->at->start, "expected a name, not '%.*s'", (int)parser->at->length,
                parser->at->text);
    return FALSE;
  }
  if (specifiers->is_shared && !check_shared(parser, specifiers, name, type))
    return FALSE;
  if (!specifiers->is_shared && type->kind == KIND_ARRAY && type->count == 0) {
    parser_fail(parser, name->start, "expected the number of elements");
    return FALSE;
  }
  Storage storage = specifiers->is_shared
                        ? (specifiers->is_extern ? STORAGE_DYNAMIC : STORAGE_SHARED)
                    : type->kind == KIND_ARRAY ? STORAGE_PRIVATE
                                               : STORAGE_LOCAL;
  if (!parser->function && storage == STORAGE_PRIVATE) {
    parser_fail(parser, name->start, "arrays outside functions are outside the subset");
    return FALSE;
  }
  Variable *variable = parser_declare(parser, name, type, storage);
  if (!variable)
    return FALSE;
  if (specifiers->is_shared) {
    variable->address = specifiers->align; // until the layout is made
    return TRUE;
  }
  Statement *declare = make_statement(parser, STATEMENT_DECLARE, name->start);
  declare->variable = variable;
  **last = declare;
  *last = &declare->next;
  if (!parser_take(parser, "=")) {
    if (parser->function)
      return TRUE;
    parser_fail(parser, name->start, "a variable outside functions must be a const with a value");
    return FALSE;
  }
  if (!parse_initializer(parser, specifiers, variable, last, name->start))
    return FALSE;
  variable->is_const = specifiers->is_const && type->kind != KIND_POINTER;
  if (parser->function || variable->is_constant)
    return TRUE;
  parser_fail(parser, name->start, "a variable outside functions must be a const number");
  return FALSE;
}

// declaration = specifiers declarator ("," declarator)* ";"
Statement *
parse_declaration(Parser *parser, const Specifiers *specifiers) {
  Statement *block = make_statement(parser, STATEMENT_BLOCK, parser->at->start);
  Statement **last = &block->first;
  if (specifiers->is_extern && !specifiers->is_shared)
    return parser_fail(parser, parser->at->start, "extern is for __shared__ arrays only");
  if (specifiers->is_static && parser->function && !specifiers->is_shared && !specifiers->is_const)
    return parser_fail(parser, specifiers->start,
                       "a static variable in a function is outside the "
                       "subset: it would outlive the block");
  do {
    if (!parse_declarator(parser, specifiers, &last))
      return NULL;
  } while (parser_take(parser, ","));
  return parser_expect(parser, ";") ? block : NULL;
}
