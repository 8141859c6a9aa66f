// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What stands before the declarators: the words of a type, its qualifiers, and the words that are
// refused.
#include <string.h>

#include "sim/cuda/cuda.h"
#include "sim/cuda/parse/parse.h"

// Words that say how code is made or kept, and mean nothing to an evaluation in lockstep.
static const char *const ignored_words[] = {
    "__restrict__", "__restrict",        "restrict",     "inline",
    "__inline__",   "register",          "__noinline__", "__forceinline__",
    "__host__",     "__grid_constant__", NULL,
};

// What people write in CUDA C++ that this language has not.
static const char *const refused_words[] = {
    "class", "union",  "typedef",  "using",    "namespace", "template",
    "goto",  "asm",    "__asm__",  "new",      "delete",    "try",
    "throw", "friend", "operator", "typename", "virtual",   NULL,
};

// Types that this language has not; the words are free for other use.
static const char *const refused_types[] = {
    "dim3",
    "std",
    "wchar_t",
    NULL,
};

// Words that set one of the Specifiers.
static const struct {
  const char *word;
  gsize flag;
} flags[] = {
    {"static", G_STRUCT_OFFSET(Specifiers, is_static)},
    {"const", G_STRUCT_OFFSET(Specifiers, is_const)},
    {"constexpr", G_STRUCT_OFFSET(Specifiers, is_const)},
    {"volatile", G_STRUCT_OFFSET(Specifiers, is_volatile)},
    {"extern", G_STRUCT_OFFSET(Specifiers, is_extern)},
    {"__shared__", G_STRUCT_OFFSET(Specifiers, is_shared)},
    {"__global__", G_STRUCT_OFFSET(Specifiers, is_global)},
    {"__device__", G_STRUCT_OFFSET(Specifiers, is_device)},
    {"__managed__", G_STRUCT_OFFSET(Specifiers, is_device)},
    {"__constant__", G_STRUCT_OFFSET(Specifiers, is_constant_memory)},
};

gboolean
smb_parse_is_specifier(const Token *token) {
  static const char *const words[] = {
      "unsigned",
      "signed",
      "long",
      "short",
      "auto",
      "enum",
      "struct",
      "__align__",
      "alignas",
      "__attribute__",
      "__launch_bounds__",
      "__cluster_dims__",
      NULL,
  };
  for (guint i = 0; i < G_N_ELEMENTS(flags); i++) {
    if (smb_token_is(token, flags[i].word))
      return TRUE;
  }
  return smb_token_is_any(token, words) || smb_token_is_any(token, ignored_words);
}

// Whether a word outside the subset stands here: a keyword, or a type in front of a name.
static gboolean
is_refused(Parser *parser) {
  const Token *token = parser->at;
  if (smb_token_is_any(token, refused_words))
    return !(parser->is_head && (smb_token_is(token, "class") || smb_token_is(token, "union")));
  return smb_token_is_any(token, refused_types) &&
         (token->next->kind == TOKEN_NAME || smb_token_is(token->next, "*") ||
          smb_token_is(token->next, "::")) &&
         !smb_parser_find(parser, token);
}

gboolean
smb_parse_starts_type(Parser *parser) {
  const Token *token = parser->at;
  if (smb_token_is(token, "[") && smb_token_is(token->next, "["))
    return TRUE;
  if (token->kind != TOKEN_NAME)
    return FALSE;
  if (smb_parse_is_specifier(token) || is_refused(parser))
    return TRUE;
  return smb_parse_starts_class_instance(parser) || smb_parser_find_type(parser, token) != NULL;
}

// "(" constant ")" after __align__
static gboolean
parse_alignment(Parser *parser, guint *align) {
  gint64 value;
  guint32 start = parser->at->start;
  if (!smb_parser_expect(parser, "(") || !smb_parse_constant(parser, &value) ||
      !smb_parser_expect(parser, ")"))
    return FALSE;
  if (value < 1 || value > 4096 || (value & (value - 1)))
    return smb_parser_refuse(parser, start, "an alignment is a power of two up to 4096");
  *align = (guint)value;
  return TRUE;
}

// The threads that "(" constant … ")" allows, or 0: a bound that cannot be evaluated here does no harm.
static guint
read_launch_bound(const Parser *parser) {
  GError *ignored = NULL;
  Parser quiet = *parser;
  gint64 value = 0;
  quiet.error = &ignored;
  gboolean known = smb_parser_take(&quiet, "(") && smb_parse_constant(&quiet, &value);
  g_clear_error(&ignored);
  return known && value >= 1 && value <= SMB_MAX_BLOCK_THREADS ? (guint)value : 0;
}

gboolean
smb_parse_alignments(Parser *parser, guint *align) {
  guint asked;
  while (smb_parser_take(parser, "__align__") || smb_parser_take(parser, "alignas")) {
    if (!parse_alignment(parser, &asked))
      return FALSE;
    *align = MAX(*align, asked);
  }
  return TRUE;
}

// The words of a built-in integer type: "unsigned long long int" in any order.
typedef struct {
  guint longs, shorts, signeds, unsigneds;
  const Type *base;
} Words;

static gboolean
is_modified(const Words *words) {
  return words->longs || words->shorts || words->signeds || words->unsigneds;
}

static const Type *
combine_words(const Words *words) {
  TypeKind kind = words->base ? words->base->kind : KIND_INT;
  if (!is_modified(words))
    return words->base;
  if (words->base && (kind != KIND_INT && kind != KIND_CHAR && kind != KIND_LONG &&
                      kind != KIND_SHORT && !(kind == KIND_DOUBLE && words->longs)))
    return NULL;
  if (words->longs)
    kind = KIND_LONG;
  else if (words->shorts)
    kind = KIND_SHORT;
  // Each unsigned kind follows its signed one.
  return smb_type_scalar(words->unsigneds ? (TypeKind)(kind + 1) : kind);
}

// Counts a word if it modifies a type.
static gboolean
add_type_modifier(Words *words, const char *word) {
  guint *count = strcmp(word, "unsigned") == 0 ? &words->unsigneds
                 : strcmp(word, "signed") == 0 ? &words->signeds
                 : strcmp(word, "long") == 0   ? &words->longs
                 : strcmp(word, "short") == 0  ? &words->shorts
                                               : NULL;
  if (count)
    ++*count;
  return count != NULL;
}

gsize
smb_cuda_type_size(const char *type) {
  g_auto(GStrv) list = g_strsplit(type, " ", -1);
  Words words = {0};
  for (guint i = 0; list[i]; i++) {
    if (!*list[i] || strcmp(list[i], "const") == 0 || strcmp(list[i], "volatile") == 0 ||
        add_type_modifier(&words, list[i]))
      continue;
    const Type *base = words.base ? NULL : smb_type_by_name(list[i]);
    if (!base)
      return 0;
    words.base = base;
  }
  // "long double" has 16 bytes on the host.
  const Type *whole =
      words.base && words.base->kind == KIND_DOUBLE && words.longs ? NULL : combine_words(&words);
  return whole && whole->kind != KIND_VOID ? whole->size : 0;
}

// Takes one word that is part of a type's name.
static gboolean
take_type_word(Parser *parser, Words *words) {
  const Token *token = parser->at;
  if (token->kind == TOKEN_NAME && add_type_modifier(words, token->text)) {
    smb_parser_advance(parser);
  } else if (!words->base) {
    // After "unsigned", a name that is not an integer type of the language is the variable's.
    if (is_modified(words) && !smb_token_is(token, "int") && !smb_token_is(token, "char"))
      return FALSE;
    words->base = smb_parse_class_instance(parser);
    if (words->base || *parser->error)
      return words->base != NULL;
    words->base = smb_parser_find_type(parser, token);
    if (!words->base)
      return FALSE;
    smb_parser_advance(parser);
  } else {
    return FALSE;
  }
  return TRUE;
}

// Takes one word that is no part of the type, if there is one. It may set an error.
static gboolean
take_qualifier(Parser *parser, Specifiers *specifiers) {
  const Token *token = parser->at;
  for (guint i = 0; i < G_N_ELEMENTS(flags); i++) {
    if (smb_parser_take(parser, flags[i].word)) {
      G_STRUCT_MEMBER(gboolean, specifiers, flags[i].flag) = TRUE;
      return TRUE;
    }
  }
  if (smb_token_is_any(token, ignored_words)) {
    smb_parser_advance(parser);
  } else if (smb_parser_take(parser, "__launch_bounds__")) {
    specifiers->max_threads = read_launch_bound(parser);
    smb_parser_skip_group(parser, "(", ")");
  } else if (smb_parser_take(parser, "__attribute__") ||
             smb_parser_take(parser, "__cluster_dims__")) {
    smb_parser_skip_group(parser, "(", ")");
  } else if (smb_token_is(token, "[") && smb_token_is(token->next, "[")) {
    smb_parser_skip_group(parser, "[", "]");
  } else if (smb_parser_take(parser, "__align__") || smb_parser_take(parser, "alignas")) {
    parse_alignment(parser, &specifiers->align);
  } else {
    return FALSE;
  }
  return TRUE;
}

static gboolean
refuse_word(Parser *parser, const Token *token) {
  return smb_parser_refuse(
      parser, token->start, "'%s' is outside the subset of CUDA C that is evaluated%s", token->text,
      smb_token_is(token, "using") ? ": only using NAME = TYPE gives a type a name" : "");
}

// enumerators = "{" (name ("=" constant)? ("," …)*)? "}"
static gboolean
parse_enumerators(Parser *parser) {
  gint64 value = 0;
  smb_parser_advance(parser);
  for (; !smb_parser_is(parser, "}"); value++) {
    const Token *name = parser->at;
    smb_parser_advance(parser);
    if (name->kind != TOKEN_NAME)
      return smb_parser_refuse(parser, name->start, "expected the name of an enumerator");
    if (smb_parser_take(parser, "=") && !smb_parse_constant(parser, &value))
      return FALSE;
    const Type *type =
        smb_type_scalar(value >= G_MININT32 && value <= G_MAXINT32 ? KIND_INT : KIND_LONG);
    Variable *variable = smb_parser_declare(parser, name, type, STORAGE_LOCAL);
    if (!variable)
      return FALSE;
    variable->is_constant = variable->is_const = TRUE;
    variable->constant = smb_node_integer(parser, type, value, name->start, name->end);
    if (!variable->constant || (!smb_parser_take(parser, ",") && !smb_parser_is(parser, "}")))
      return variable->constant && smb_parser_expect(parser, "}");
  }
  smb_parser_advance(parser);
  return TRUE;
}

// enum = "enum" ("class" | "struct")? name? (":" specifiers)? enumerators?
static const Type *
parse_enum(Parser *parser) {
  const Type *type = smb_type_scalar(KIND_INT);
  smb_parser_advance(parser);
  (void)(smb_parser_take(parser, "class") || smb_parser_take(parser, "struct"));
  const Token *name = parser->at->kind == TOKEN_NAME ? parser->at : NULL;
  if (name)
    smb_parser_advance(parser);
  if (smb_parser_take(parser, ":")) {
    Specifiers underlying;
    if (!smb_parse_typed_specifiers(parser, &underlying))
      return NULL;
    type = underlying.type;
  }
  if (!smb_parser_is(parser, "{")) {
    const Type *known = name ? smb_parser_find_type(parser, name) : NULL;
    return known ? known
                 : smb_parser_fail(parser, parser->at->start, "expected '{' and the enumerators");
  }
  if (name) {
    // Its enumerators may be named with it: Kind::first.
    g_hash_table_add(parser->outline->namespaces, (gpointer)name->text);
    if (!smb_parser_declare(parser, name, type, STORAGE_TYPE))
      return NULL;
  }
  return parse_enumerators(parser) ? type : NULL;
}

// A structure. An alignment in front of its definition is that of what is declared with it.
static const Type *
parse_struct(Parser *parser, Specifiers *specifiers) {
  const Token *first = parser->at;
  const Type *type = smb_parse_structure(parser, &specifiers->declares_type);
  if (type && specifiers->declares_type && specifiers->align && !parser->is_head)
    return smb_parser_fail(parser, first->start,
                           "the alignment of a structure is written after 'struct'");
  return type;
}

gboolean
smb_parse_typed_specifiers(Parser *parser, Specifiers *specifiers) {
  const Token *first = parser->at;
  if (!smb_parse_specifiers(parser, specifiers))
    return FALSE;
  if (specifiers->is_auto)
    smb_parser_fail(parser, first->start, "'auto' needs an initializer");
  return !specifiers->is_auto;
}

// specifiers = (qualifier | "auto" | enum | struct | type word)+
gboolean
smb_parse_specifiers(Parser *parser, Specifiers *specifiers) {
  Words words = {0};
  const Token *first = parser->at;
  memset(specifiers, 0, sizeof *specifiers);
  specifiers->start = first->start;
  for (;;) {
    gboolean has_type = words.base || is_modified(&words);
    if (!has_type && is_refused(parser))
      return refuse_word(parser, parser->at);
    if (!has_type && smb_parser_is(parser, "enum")) {
      specifiers->declares_type = TRUE;
      if (!(words.base = parse_enum(parser)))
        return FALSE;
      continue;
    }
    gboolean is_class =
        parser->is_head && (smb_parser_is(parser, "class") || smb_parser_is(parser, "union"));
    if (!has_type && (smb_parser_is(parser, "struct") || is_class)) {
      if (!(words.base = parse_struct(parser, specifiers)))
        return FALSE;
      continue;
    }
    if (!has_type && smb_parser_take(parser, "auto")) {
      specifiers->is_auto = TRUE;
      words.base = smb_type_scalar(KIND_VOID);
      continue;
    }
    if (!take_qualifier(parser, specifiers) && !take_type_word(parser, &words))
      break;
    if (*parser->error)
      return FALSE;
  }
  specifiers->type = combine_words(&words);
  if (!specifiers->type) {
    const Token *at = words.base ? first : parser->at;
    smb_parser_fail(parser, at->start, "expected a type, not '%s'", at->text);
    return FALSE;
  }
  return TRUE;
}

gboolean
smb_parse_qualifiers(Parser *parser) {
  Specifiers ignored = {0};
  while (!*parser->error && take_qualifier(parser, &ignored))
    continue;
  return !*parser->error;
}
