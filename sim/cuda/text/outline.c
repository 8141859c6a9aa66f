// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/cuda/text/outline.h"

#include <string.h>

typedef struct {
  Outline *outline;
  const SmbSource *source;
  KernelPool *pool;
  Token *at;
  const Token *last; // the token before it
  guint open;        // braces of namespaces and extern "C" around this place
  Item *item;
  GError **error;
} Reader;

// Words with a bracket behind them that is not the parameters of a function.
static const char *const bracketed_words[] = {
    "__launch_bounds__", "__attribute__",    "__align__", "alignas", "__declspec",
    "decltype",          "noexcept",         "explicit",  "asm",     "__asm__",
    "requires",          "__cluster_dims__", NULL,
};

// What may stand between the parameters of a function and its body.
static const char *const trailing_words[] = {"const", "volatile", "noexcept", "override", "final",
                                             "try",   "&",        "&&",       NULL};

static void
advance(Reader *reader) {
  reader->last = reader->at;
  if (reader->at->kind != TOKEN_END)
    reader->at = reader->at->next;
}

static gboolean
take_outline_token(Reader *reader, const char *text) {
  if (!smb_token_is(reader->at, text))
    return FALSE;
  advance(reader);
  return TRUE;
}

static const char *
find_outline_closing(const Token *opening) {
  return smb_token_is(opening, "{")   ? "}"
         : smb_token_is(opening, "(") ? ")"
         : smb_token_is(opening, "[") ? "]"
                                      : NULL;
}

// From a bracket to behind its counterpart. Others within are not looked at.
static gboolean
skip_group(Reader *reader) {
  const Token *opening = reader->at;
  const char *close = find_outline_closing(opening);
  guint depth = 0;
  do {
    if (reader->at->kind == TOKEN_END) {
      smb_source_error(reader->source, opening->start, reader->error, "this '%s' has no '%s'",
                       opening->text, close);
      return FALSE;
    }
    depth += smb_token_is(reader->at, opening->text);
    depth -= smb_token_is(reader->at, close);
    advance(reader);
  } while (depth > 0);
  return TRUE;
}

// Behind the ">" that closes the "<" at @token, or NULL if it is an operator.
static Token *
find_angle_end(Token *token) {
  gint angles = 0, brackets = 0;
  for (; token->kind != TOKEN_END; token = token->next) {
    if (smb_token_is(token, ";") || smb_token_is(token, "{"))
      return NULL;
    brackets += smb_token_is(token, "(") - smb_token_is(token, ")");
    if (brackets < 0)
      return NULL;
    if (brackets > 0)
      continue;
    angles += smb_token_is(token, "<") - smb_token_is(token, ">") - 2 * smb_token_is(token, ">>");
    if (angles <= 0)
      return token->next;
  }
  return NULL;
}

static void
move_to(Reader *reader, Token *target) {
  while (reader->at != target)
    advance(reader);
}

// To the next of these at this level.
static gboolean
skip_to(Reader *reader, const char *const *texts) {
  while (reader->at->kind != TOKEN_END && !smb_token_is_any(reader->at, texts)) {
    if (!find_outline_closing(reader->at))
      advance(reader);
    else if (!skip_group(reader))
      return FALSE;
  }
  return TRUE;
}

// To behind the next ";" at this level.
static gboolean
skip_to_semicolon(Reader *reader) {
  static const char *const end[] = {";", NULL};
  gboolean ok = skip_to(reader, end);
  (void)take_outline_token(reader, ";");
  return ok;
}

static void
add_name(Reader *reader, const Token *name, Item *item) {
  const char *text = name->text;
  GPtrArray *items = g_hash_table_lookup(reader->outline->names, text);
  if (!items) {
    items = g_ptr_array_new();
    g_hash_table_insert(reader->outline->names, (gpointer)text, items);
  }
  if (items->len == 0 || g_ptr_array_index(items, items->len - 1) != item)
    g_ptr_array_add(items, item);
}

static void
add_namespace(Reader *reader, const Token *name) {
  g_hash_table_add(reader->outline->namespaces, (gpointer)name->text);
}

// enumerators = "{" (name ("=" …)? ("," …)*)? "}": their names. The "{" is here.
static void
add_enumerators(Reader *reader, const Token *token) {
  gint depth = 0;
  do {
    const Token *next = token->next;
    gboolean begins = smb_token_is(token, "{") || smb_token_is(token, ",");
    depth += smb_token_is(token, "{") || smb_token_is(token, "(");
    if (depth == 1 && begins && next->kind == TOKEN_NAME)
      add_name(reader, next, reader->item);
    depth -= smb_token_is(token, "}") || smb_token_is(token, ")");
    token = next;
  } while (depth > 0 && token->kind != TOKEN_END);
}

// ("struct" | "class" | "union" | "enum") name? …, with a body; without one, just the words.
static gboolean
skip_type_body(Reader *reader) {
  gboolean is_enum = smb_token_is(reader->at, "enum");
  advance(reader);
  if (is_enum)
    (void)(take_outline_token(reader, "class") || take_outline_token(reader, "struct"));
  while (smb_token_is_any(reader->at, bracketed_words) || smb_token_is(reader->at, "[")) {
    if (!smb_token_is(reader->at, "["))
      advance(reader);
    if (find_outline_closing(reader->at) && !skip_group(reader))
      return FALSE;
  }
  const Token *name = reader->at->kind == TOKEN_NAME ? reader->at : NULL;
  if (name)
    advance(reader);
  (void)take_outline_token(reader, "final");
  if (smb_token_is(reader->at, ":")) {
    while (reader->at->kind != TOKEN_END && !smb_token_is(reader->at, "{") &&
           !smb_token_is(reader->at, ";"))
      advance(reader);
  }
  if (!smb_token_is(reader->at, "{"))
    return TRUE;
  reader->item->kind = ITEM_TYPE;
  if (name) {
    add_name(reader, name, reader->item);
    if (is_enum)
      add_namespace(reader, name);
  }
  if (is_enum)
    add_enumerators(reader, reader->at);
  return skip_group(reader);
}

static gboolean
is_behind_name(const Reader *reader) {
  return reader->last->kind == TOKEN_NAME || smb_token_is(reader->last, ">");
}

// The rest of what began as name "(" parameters ")": a body or a ";". FALSE in @ended if it goes on as
// something else.
static gboolean
skip_function_end(Reader *reader, gboolean *ended) {
  *ended = TRUE;
  for (;;) {
    if (smb_token_is(reader->at, "{")) {
      reader->item->kind = ITEM_FUNCTION;
      return skip_group(reader);
    }
    if (smb_token_is(reader->at, ";") || smb_token_is(reader->at, ",") ||
        smb_token_is(reader->at, "="))
      return skip_to_semicolon(reader);
    if (smb_token_is(reader->at, ":") || smb_token_is(reader->at, "->")) {
      // First values of members, of which one in braces follows a name, or the type of the result.
      gboolean has_values = smb_token_is(reader->at, ":");
      while (reader->at->kind != TOKEN_END && !smb_token_is(reader->at, ";") &&
             !(smb_token_is(reader->at, "{") && !(has_values && is_behind_name(reader)))) {
        if (!find_outline_closing(reader->at))
          advance(reader);
        else if (!skip_group(reader))
          return FALSE;
      }
    } else if (smb_token_is_any(reader->at, trailing_words)) {
      advance(reader);
    } else if (smb_token_is(reader->at, "[")) {
      if (!skip_group(reader))
        return FALSE;
    } else if (smb_token_is_any(reader->at, bracketed_words)) {
      advance(reader);
      if (find_outline_closing(reader->at) && !skip_group(reader))
        return FALSE;
    } else {
      // A macro that the file leaves to others: what follows on a line of its own is the next item.
      if (reader->at->kind == TOKEN_END)
        reader->item->kind = ITEM_FUNCTION;
      *ended = reader->at->first_of_line || reader->at->kind == TOKEN_END;
      return TRUE;
    }
  }
}

// A name that may be what is declared.
static gboolean
take_name(Reader *reader, gboolean *ended) {
  Item *item = reader->item;
  Token *name = reader->at;
  advance(reader);
  if (smb_token_is(name, "__global__"))
    item->is_kernel = item->is_device = TRUE;
  else if (smb_token_is(name, "__device__") || smb_token_is(name, "constexpr"))
    item->is_device = TRUE;
  if (smb_token_is_any(name, bracketed_words))
    return !find_outline_closing(reader->at) || skip_group(reader);
  Token *behind = smb_token_is(reader->at, "<") ? find_angle_end(reader->at) : NULL;
  if (behind)
    move_to(reader, behind);
  if (smb_token_is(name, "operator")) {
    while (reader->at->kind != TOKEN_END &&
           (!smb_token_is(reader->at, "(") || reader->last == name))
      advance(reader);
  }
  if (!smb_token_is(reader->at, "(")) {
    static const char *const behind_names[] = {"=", ";", ",", "[", "{", ":", NULL};
    if (!behind && smb_token_is_any(reader->at, behind_names)) {
      item->kind = item->kind == ITEM_OTHER ? ITEM_VARIABLE : item->kind;
      add_name(reader, name, item);
    }
    return TRUE;
  }
  if (smb_token_is(reader->at->next, "*") || smb_token_is(reader->at->next, "&")) {
    // A pointer to a function or an array.
    Token *inner = reader->at->next->next;
    if (inner->kind == TOKEN_NAME)
      add_name(reader, inner, item);
    item->kind = item->kind == ITEM_OTHER ? ITEM_VARIABLE : item->kind;
    *ended = TRUE;
    return skip_to_semicolon(reader);
  }
  if (item->kind == ITEM_OTHER)
    item->kind = ITEM_PROTOTYPE;
  item->name = name->text;
  item->name_at = name;
  add_name(reader, name, item);
  return skip_group(reader) && skip_function_end(reader, ended);
}

static gboolean
is_type_word(const Token *token) {
  static const char *const words[] = {"struct", "class", "union", "enum", NULL};
  return smb_token_is_any(token, words);
}

static gboolean
read_outline_declaration(Reader *reader) {
  static const char *const declarator_ends[] = {",", ";", NULL};
  gboolean ended = FALSE, is_typedef = smb_token_is(reader->at, "typedef");
  while (!ended && reader->at->kind != TOKEN_END) {
    gboolean ok = TRUE;
    if (take_outline_token(reader, ";"))
      ended = TRUE;
    else if (is_type_word(reader->at))
      ok = skip_type_body(reader);
    else if (reader->at->kind == TOKEN_NAME)
      ok = take_name(reader, &ended);
    else if (smb_token_is(reader->at, "="))
      ok = skip_to(reader, declarator_ends);
    else if (find_outline_closing(reader->at)) {
      if (smb_token_is(reader->at, "{") && reader->item->name) {
        reader->item->kind = ITEM_FUNCTION;
        ended = TRUE;
      }
      ok = skip_group(reader);
    } else
      advance(reader);
    if (!ok)
      return FALSE;
  }
  if (is_typedef)
    reader->item->kind = ITEM_TYPE;
  return TRUE;
}

// "namespace" name? "{" | "namespace" name "=" … ";"
static gboolean
read_namespace(Reader *reader) {
  while (reader->at->kind != TOKEN_END && !smb_token_is(reader->at, "{") &&
         !smb_token_is(reader->at, ";")) {
    if (reader->at->kind == TOKEN_NAME)
      add_namespace(reader, reader->at);
    advance(reader);
  }
  reader->open += (guint)smb_token_is(reader->at, "{");
  advance(reader);
  return TRUE;
}

// "template" "<" … ">", or an instance that is asked for
static gboolean
read_template(Reader *reader) {
  Item *item = reader->item;
  advance(reader);
  Token *behind = smb_token_is(reader->at, "<") ? find_angle_end(reader->at) : NULL;
  if (!behind)
    return skip_to_semicolon(reader);
  item->parameters = reader->at;
  item->is_specialization = smb_token_is(reader->at->next, ">");
  move_to(reader, behind);
  item->first = reader->at;
  // A template of a member of a template has several.
  return smb_token_is(reader->at, "template") ? skip_to_semicolon(reader)
                                              : read_outline_declaration(reader);
}

// using = "using" "namespace" … ";" | "using" name "=" … ";"
static gboolean
read_using(Reader *reader) {
  const Token *name = reader->at->next;
  if (name->kind == TOKEN_NAME && smb_token_is(name->next, "=")) {
    reader->item->kind = ITEM_TYPE;
    add_name(reader, name, reader->item);
  }
  return skip_to_semicolon(reader);
}

static gboolean
read_item(Reader *reader) {
  if (smb_token_is(reader->at, "template"))
    return read_template(reader);
  if (smb_token_is(reader->at, "using"))
    return read_using(reader);
  if (smb_token_is(reader->at, "static_assert") || smb_token_is(reader->at, "_Static_assert")) {
    reader->item->kind = ITEM_ASSERTION;
    return skip_to_semicolon(reader);
  }
  return read_outline_declaration(reader);
}

// What is no item: the braces of namespaces and extern "C". FALSE if an item is here.
static gboolean
take_bracket(Reader *reader, gboolean *failed) {
  if (smb_token_is(reader->at, "inline") && smb_token_is(reader->at->next, "namespace"))
    advance(reader);
  if (smb_token_is(reader->at, "namespace"))
    return read_namespace(reader);
  if (smb_token_is(reader->at, "extern") && reader->at->next->kind == TOKEN_STRING) {
    advance(reader);
    advance(reader);
    reader->open += (guint)take_outline_token(reader, "{");
    return TRUE;
  }
  if (!smb_token_is(reader->at, "}"))
    return take_outline_token(reader, ";");
  if (reader->open == 0) {
    smb_source_error(reader->source, reader->at->start, reader->error, "this '}' closes nothing");
    *failed = TRUE;
    return TRUE;
  }
  reader->open--;
  advance(reader);
  return TRUE;
}

// A template of which there are specializations is known as such; these are not found by its name.
static void
mark_specialized(const Outline *outline, Item *item) {
  if (!item->is_specialization || !item->name)
    return;
  const GPtrArray *items = g_hash_table_lookup(outline->names, item->name);
  for (guint i = 0; i < items->len; i++)
    ((Item *)g_ptr_array_index(items, i))->is_specialized = TRUE;
  item->kind = ITEM_OTHER;
}

Outline *
smb_kernel_outline(const SmbSource *source, KernelPool *pool, Token *tokens, GError **error) {
  Outline *outline = g_new0(Outline, 1);
  outline->items = g_ptr_array_new();
  outline->names =
      g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)g_ptr_array_unref);
  outline->namespaces = g_hash_table_new(g_str_hash, g_str_equal);
  Reader reader = {outline, source, pool, tokens, tokens, 0, NULL, error};
  gboolean failed = FALSE;
  g_hash_table_add(outline->namespaces, (gpointer) "std");
  g_hash_table_add(outline->namespaces, (gpointer) "cooperative_groups");
  while (!failed && reader.at->kind != TOKEN_END) {
    if (take_bracket(&reader, &failed))
      continue;
    Item *item = reader.item = kernel_pool_new_struct(pool, Item);
    item->number = outline->items->len;
    item->sites = g_array_new(FALSE, FALSE, sizeof(guint));
    item->first = item->begin = reader.at;
    g_ptr_array_add(outline->items, item);
    failed = !read_item(&reader);
    item->last = reader.last;
  }
  for (guint i = 0; i < outline->items->len; i++)
    mark_specialized(outline, g_ptr_array_index(outline->items, i));
  if (!failed)
    return outline;
  smb_kernel_outline_free(outline);
  return NULL;
}

void
smb_kernel_outline_free(Outline *outline) {
  if (!outline)
    return;
  for (guint i = 0; i < outline->items->len; i++)
    g_array_unref(((Item *)g_ptr_array_index(outline->items, i))->sites);
  g_ptr_array_unref(outline->items);
  g_hash_table_unref(outline->names);
  g_hash_table_unref(outline->namespaces);
  g_free(outline);
}

const GPtrArray *
smb_outline_find(const Outline *outline, const Token *name) {
  return g_hash_table_lookup(outline->names, name->text);
}

gboolean
smb_outline_is_namespace(const Outline *outline, const Token *name) {
  return name->kind == TOKEN_NAME && g_hash_table_contains(outline->namespaces, name->text);
}
