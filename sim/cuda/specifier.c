// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What stands before the declarators: the words of a type, its qualifiers, and the words that are
// refused.
#include <string.h>

#include "sim/cuda/parse.h"

// Words that say how code is made or kept, and mean nothing to an evaluation in lockstep.
static const char *const ignored_words[] = {
    "volatile",        "__restrict__", "__restrict",        "restrict",
    "inline",          "__inline__",   "register",          "__noinline__",
    "__forceinline__", "__host__",     "__grid_constant__",
};

// What people write in CUDA C++ that this language has not.
static const char *const refused_words[] = {
    "struct", "class",    "union",    "typedef",      "using",       "namespace",     "template",
    "goto",   "asm",      "__asm__",  "new",          "delete",      "try",           "throw",
    "friend", "operator", "typename", "__constant__", "__managed__", "static_assert",
};

// Types that this language has not; the words are free for other use.
static const char *const refused_types[] = {
    "dim3", "half", "__half", "half2", "__half2", "__nv_bfloat16", "std", "wchar_t",
};

// What to write in place of some of them.
static const char *const advice[][2] = {
    {"using", "only using NAME = TYPE gives a type a name"},
    {"__constant__", "make it a parameter of the kernel, or its values literals"},
    {"struct", "use scalars and the vector types"},
};

static gboolean
is_one_of(const Token *token, const char *const *words, guint n) {
  for (guint i = 0; token->kind == TOKEN_NAME && i < n; i++) {
    if (token_is(token, words[i]))
      return TRUE;
  }
  return FALSE;
}

gboolean
is_specifier(const Token *token) {
  static const char *const words[] = {
      "static",     "const",         "constexpr", "extern", "__shared__",
      "__global__", "__device__",    "unsigned",  "signed", "__launch_bounds__",
      "__align__",  "alignas",       "long",      "short",  "auto",
      "enum",       "__attribute__",
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
  if (token_is(token, "[") && token_is(token->next, "["))
    return TRUE;
  if (token->kind != TOKEN_NAME)
    return FALSE;
  if (is_specifier(token) || is_refused(parser))
    return TRUE;
  return parser_find_type(parser, token) != NULL;
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
  } else if (!words->base) {
    // After "unsigned", a name that is not an integer type of the language is the variable's.
    gboolean modified = words->longs || words->shorts || words->unsigneds || words->signeds;
    gboolean may_follow = token_is(token, "int") || token_is(token, "char");
    if (modified && !may_follow)
      return FALSE;
    words->base = parser_find_type(parser, token);
    if (!words->base)
      return FALSE;
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
  } else if (parser_take(parser, "__launch_bounds__") || parser_take(parser, "__attribute__")) {
    *failed = !parser_skip_group(parser, "(", ")");
  } else if (token_is(token, "[") && token_is(token->next, "[")) {
    *failed = !parser_skip_group(parser, "[", "]");
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
  parser_fail(parser, token->start, "'%.*s' is outside the subset of CUDA C that is evaluated%s%s",
              (int)token->length, token->text, *instead ? ": " : "", instead);
  return FALSE;
}

// enumerators = "{" (name ("=" constant)? ("," …)*)? "}"
static gboolean
parse_enumerators(Parser *parser) {
  gint64 value = 0;
  parser_advance(parser);
  for (; !parser_is(parser, "}"); value++) {
    const Token *name = parser->at;
    parser_advance(parser);
    if (name->kind != TOKEN_NAME) {
      parser_fail(parser, name->start, "expected the name of an enumerator");
      return FALSE;
    }
    if (parser_take(parser, "=") && !parse_constant(parser, &value))
      return FALSE;
    const Type *type =
        type_scalar(value >= G_MININT32 && value <= G_MAXINT32 ? KIND_INT : KIND_LONG);
    Variable *variable = parser_declare(parser, name, type, STORAGE_LOCAL);
    if (!variable)
      return FALSE;
    variable->is_constant = variable->is_const = TRUE;
    variable->constant = node_integer(parser, type, value, name->start, name->end);
    if (!variable->constant || (!parser_take(parser, ",") && !parser_is(parser, "}")))
      return variable->constant && parser_expect(parser, "}");
  }
  parser_advance(parser);
  return TRUE;
}

// enum = "enum" ("class" | "struct")? name? (":" specifiers)? enumerators?
static const Type *
parse_enum(Parser *parser) {
  const Type *type = type_scalar(KIND_INT);
  parser_advance(parser);
  (void)(parser_take(parser, "class") || parser_take(parser, "struct"));
  const Token *name = parser->at->kind == TOKEN_NAME ? parser->at : NULL;
  if (name)
    parser_advance(parser);
  if (parser_take(parser, ":")) {
    Specifiers underlying;
    if (!parse_typed_specifiers(parser, &underlying))
      return NULL;
    type = underlying.type;
  }
  if (!parser_is(parser, "{")) {
    const Type *known = name ? parser_find_type(parser, name) : NULL;
    return known ? known
                 : parser_fail(parser, parser->at->start, "expected '{' and the enumerators");
  }
  if (name) {
    // Its enumerators may be named with it: Kind::first.
    g_hash_table_add(parser->outline->namespaces, (gpointer)token_text(parser->pool, name));
    if (!parser_declare(parser, name, type, STORAGE_TYPE))
      return NULL;
  }
  return parse_enumerators(parser) ? type : NULL;
}

gboolean
parse_typed_specifiers(Parser *parser, Specifiers *specifiers) {
  const Token *first = parser->at;
  if (!parse_specifiers(parser, specifiers))
    return FALSE;
  if (specifiers->is_auto)
    parser_fail(parser, first->start,
                "'auto' is the type of a first value, and there is none here");
  return !specifiers->is_auto;
}

// specifiers = (qualifier | "auto" | enum | type word)+
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
    if (!has_type && parser_is(parser, "enum")) {
      specifiers->declares_type = TRUE;
      if (!(words.base = parse_enum(parser)))
        return FALSE;
      continue;
    }
    if (!has_type && parser_take(parser, "auto")) {
      specifiers->is_auto = TRUE;
      words.base = type_scalar(KIND_VOID);
      continue;
    }
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

gboolean
parse_qualifiers(Parser *parser) {
  Specifiers ignored = {0};
  gboolean failed = FALSE;
  while (!failed && take_qualifier(parser, &ignored, &failed))
    continue;
  return !failed;
}
