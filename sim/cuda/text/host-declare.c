// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the host's text says of names outside of kernels: variables, enumerations, functions that return an expression, and what changes
// them; and the blocks that names belong to.
#include <string.h>

#include "sim/cuda/text/host-impl.h"

// --- values

static void
set_value(const HostReader *reader, const char *key, const char *text, SmbHostKind kind,
          char **parameters) {
  const SmbHostValue *before = g_hash_table_lookup(reader->host->values, key);
  gboolean is_same = !before || (strcmp(before->text, text) == 0 && before->kind == kind &&
                                 !before->parameters == !parameters);
  SmbHostValue *value = g_new0(SmbHostValue, 1);
  value->text = g_strdup(is_same ? text : "");
  value->kind = kind;
  value->parameters = is_same ? g_strdupv(parameters) : NULL;
  g_hash_table_insert(reader->host->values, g_strdup(key), value);
}

static void
set_in_scope(const HostReader *reader, guint scope, const char *name, const char *text,
             SmbHostKind kind, char **parameters) {
  g_autofree char *key = smb_host_key(scope, name);
  set_value(reader, key, text, kind, parameters);
}

// Says what a name is outside of functions, also by the namespaces that it is in: "" if that is not known, or is said twice in two ways.
static void
define_outside(const HostReader *reader, const char *name, const char *text, SmbHostKind kind,
               char **parameters) {
  set_in_scope(reader, reader->file_scope, name, text, kind, parameters);
  set_value(reader, name, text, kind, parameters);
  g_autofree char *whole = g_strdup(name);
  for (guint i = reader->spaces->len; i-- > 0;) {
    const char *space = g_ptr_array_index(reader->spaces, i);
    if (!*space)
      continue;
    char *longer = g_strconcat(space, whole, NULL);
    g_free(whole);
    whole = longer;
    set_in_scope(reader, reader->file_scope, whole, text, kind, parameters);
  }
  if (strcmp(whole, name) != 0 && *text && !parameters)
    g_hash_table_add(reader->host->structures, g_strdup(whole));
}

// The same, where a declaration is being read; of a member of a structure also by the structure's name.
static void
define_here(const HostReader *reader, const char *name, const char *text, SmbHostKind kind,
            char **parameters) {
  const SmbHostScope scope = g_array_index(reader->host->scopes, SmbHostScope, reader->scope);
  if (reader->nesting == 0) {
    define_outside(reader, name, text, kind, parameters);
    return;
  }
  set_in_scope(reader, reader->scope, name, text, kind, parameters);
  if (scope.name && reader->nesting == 1) {
    g_autofree char *member = g_strconcat(scope.name, "::", name, NULL);
    define_outside(reader, member, text, kind, parameters);
  }
}

void
smb_host_hide(const HostReader *reader, const char *name) {
  set_in_scope(reader, reader->scope, name, "", SMB_HOST_ANY, NULL);
}

void
smb_host_add_macro(const HostReader *reader, const char *name, const char *value) {
  define_outside(reader, name, value, SMB_HOST_ANY, NULL);
}

// "#define NAME VALUE". Returns the first token of the next line.
static guint
read_directive(const HostReader *reader, guint i) {
  guint end = i + 1;
  while (smb_host_token(reader, end)->kind != TOKEN_END &&
         !smb_host_token(reader, end)->first_of_line)
    end++;
  const Token *behind = smb_host_token(reader, i + 3);
  gboolean is_function = i + 3 < end && smb_token_is(behind, "(") && !behind->after_space;
  if (smb_host_is(reader, i + 1, "define") && smb_host_is_name(reader, i + 2) && !is_function &&
      i + 3 < end) {
    g_autofree char *value = smb_host_slice(reader, i + 3, end);
    smb_host_add_macro(reader, smb_host_token(reader, i + 2)->text, value);
  }
  return end;
}

// --- variables

static const char *const number_types[] = {
    "int",       "unsigned", "long",    "short",    "size_t",  "auto",    "dim3",
    "uint",      "uint32_t", "int32_t", "uint64_t", "int64_t", "uint8_t", "uint16_t",
    "ptrdiff_t", "float",    "double",  "bool",     "char",    NULL};

SmbHostKind
smb_host_kind(const char *word) {
  if (strcmp(word, "float") == 0 || strcmp(word, "double") == 0)
    return SMB_HOST_REAL;
  if (strcmp(word, "auto") == 0 || strcmp(word, "dim3") == 0 ||
      !g_strv_contains(number_types, word))
    return SMB_HOST_ANY;
  return SMB_HOST_WHOLE;
}

// Whether the name at @i is the last word of a type, behind which a variable is declared.
static gboolean
is_declared_type(const HostReader *reader, guint i) {
  static const char *const others[] = {
      "return", "else",     "case",  "goto",    "new",   "delete",    "struct", "class",  "union",
      "enum",   "typename", "using", "typedef", "throw", "namespace", "do",     "sizeof", NULL};
  static const char *const kinds[] = {"struct", "class", "union", "enum", NULL};
  const Token *type = smb_host_token(reader, i), *name = smb_host_token(reader, i + 1);
  if (type->kind != TOKEN_NAME || name->kind != TOKEN_NAME || smb_token_is_any(type, others))
    return FALSE;
  if (smb_token_is_any(type, number_types))
    return !smb_token_is_any(name, number_types);
  gboolean is_kind = i > 0 && smb_token_is_any(smb_host_token(reader, i - 1), kinds);
  return smb_host_is(reader, i + 2, "=") ||
         (smb_host_is(reader, i + 2, "{") && !is_kind && !smb_token_is(name, "final") &&
          !smb_token_is(name, "const") && !smb_token_is(name, "override") &&
          !smb_token_is(name, "noexcept"));
}

// Whether a list in brackets makes a variable: behind the parameters of a function is something else, or they begin with a type.
static gboolean
is_made_of_list(const HostReader *reader, guint i) {
  static const char *const ends[] = {";", ",", NULL};
  return smb_host_is(reader, i, "(") && !smb_host_is(reader, i + 1, ")") &&
         !smb_token_is_any(smb_host_token(reader, i + 1), number_types) &&
         smb_token_is_any(smb_host_token(reader, smb_host_find_closing(reader, i + 1) + 1), ends);
}

// What a variable is given, from the token behind its name on (transfer full): "" of nothing. @end: the token behind it
static char *
read_given(const HostReader *reader, guint i, gboolean is_dim3, guint *end) {
  static const char *const ends[] = {",", ";", NULL};
  gboolean has_value = smb_host_is(reader, i, "=");
  gboolean is_made = smb_host_is(reader, i, "{") || is_made_of_list(reader, i);
  *end = has_value ? smb_host_find_end(reader, i + 1, ends)
         : is_made ? smb_host_find_closing(reader, i + 1) + 1
                   : i;
  if (!has_value && !is_made)
    return g_strdup("");
  g_autofree char *text =
      is_made ? smb_host_slice(reader, i + 1, *end - 1) : smb_host_slice(reader, i + 1, *end);
  if (is_made)
    return is_dim3 ? g_strdup_printf("dim3(%s)", text) : g_steal_pointer(&text);
  if (*text == '{')
    return is_dim3 ? g_strconcat("dim3", text, NULL) : g_strndup(text + 1, strlen(text) - 2);
  return g_steal_pointer(&text);
}

// The names that a declaration of variables makes, from the last word of its type on. Returns the token behind the last.
static guint
read_variables(const HostReader *reader, guint i) {
  gboolean is_dim3 = smb_host_is(reader, i, "dim3");
  SmbHostKind kind = smb_host_kind(smb_host_token(reader, i)->text);
  for (i++;; i++) { // at a name
    guint end;
    if (smb_host_is(reader, i + 1, "(") && !is_made_of_list(reader, i + 1))
      return i; // a function
    g_autofree char *text = read_given(reader, i + 1, is_dim3, &end);
    define_here(reader, smb_host_token(reader, i)->text, text, kind, NULL);
    i = end;
    if (!smb_host_is(reader, i, ",") || !smb_host_is_name(reader, i + 1) ||
        smb_host_is_name(reader, i + 2))
      return i;
  }
}

// enum NAME : TYPE { A, B = EXPRESSION, … }, from its first word on. Returns the token behind it, or behind the word.
static guint
read_enumeration(const HostReader *reader, guint i) {
  static const char *const ends[] = {",", NULL};
  guint at = i + 1, from = 0;
  const char *name = NULL;
  g_autofree char *base = g_strdup("0");
  while (smb_host_is_name(reader, at) || smb_host_is(reader, at, ":")) {
    gboolean is_word = smb_host_is(reader, at, "class") || smb_host_is(reader, at, "struct");
    name =
        name || is_word || smb_host_is(reader, at, ":") ? name : smb_host_token(reader, at)->text;
    at++;
  }
  if (!smb_host_is(reader, at, "{"))
    return i + 1;
  for (at++; smb_host_is_name(reader, at); at++, from++) {
    const char *item = smb_host_token(reader, at)->text;
    if (smb_host_is(reader, at + 1, "=")) {
      guint end = smb_host_find_end(reader, at + 2, ends);
      g_free(base);
      base = smb_host_slice(reader, at + 2, end);
      from = 0;
      at = end;
    } else {
      at++;
    }
    g_autofree char *text = g_strdup_printf("(%s) + %u", base, from);
    define_here(reader, item, text, SMB_HOST_WHOLE, NULL);
    if (name) {
      g_autofree char *qualified = g_strconcat(name, "::", item, NULL);
      define_here(reader, qualified, text, SMB_HOST_WHOLE, NULL);
    }
    if (!smb_host_is(reader, at, ","))
      break;
  }
  return smb_host_find_closing(reader, at) + 1;
}

// --- functions

// The "(" of the ")" at @i; 0: there is none
static guint
find_list_opening(const HostReader *reader, guint i) {
  int nesting = 0;
  for (guint at = i; at > 0 && at + MAX_HOST_EXPRESSION > i; at--) {
    nesting -= smb_host_nesting(smb_host_token(reader, at));
    if (nesting == 0)
      return at;
  }
  return 0;
}

// The names of the parameters from one token up to another (transfer full).
static char **
read_names(const HostReader *reader, guint from, guint to) {
  static const char *const ends[] = {",", NULL};
  g_autoptr(GStrvBuilder) names = g_strv_builder_new();
  while (from < to) {
    guint end = smb_host_find_end(reader, from, ends), name = from;
    for (guint i = from; i < end && !smb_host_is(reader, i, "="); i++)
      name = smb_host_is_name(reader, i) ? i : name;
    g_strv_builder_add(names, smb_host_token(reader, name)->text);
    from = end + 1;
  }
  return g_strv_builder_end(names);
}

// A function, or a lambda with a name, whose body at @i is "{ return EXPRESSION; }".
static void
read_function(const HostReader *reader, guint i) {
  static const char *const ends[] = {";", NULL};
  guint end = smb_host_find_end(reader, i + 2, ends), closing = i - 1;
  if (i < 3 || !smb_host_is(reader, i + 1, "return") || !smb_host_is(reader, end, ";") ||
      !smb_host_is(reader, end + 1, "}"))
    return;
  while (closing > 0 && (smb_host_is_name(reader, closing) || smb_host_is(reader, closing, "->")))
    closing--;
  guint opening = smb_host_is(reader, closing, ")") ? find_list_opening(reader, closing) : 0;
  guint name = opening > 1 ? opening - 1 : 0;
  gboolean is_lambda = name > 0 && smb_host_is(reader, name, "]");
  if (is_lambda) {
    guint captures = find_list_opening(reader, name);
    name = captures > 2 && smb_host_is(reader, captures - 1, "=") ? captures - 2 : 0;
  }
  if (name == 0 || !smb_host_is_name(reader, name))
    return;
  SmbHostKind kind = !is_lambda && name > 0 && smb_host_is_name(reader, name - 1)
                         ? smb_host_kind(smb_host_token(reader, name - 1)->text)
                         : SMB_HOST_ANY;
  g_auto(GStrv) parameters = read_names(reader, opening + 1, closing);
  g_autofree char *text = smb_host_slice(reader, i + 2, end);
  const char *called = smb_host_token(reader, name)->text;
  define_here(reader, called, text, kind, parameters);
}

// --- changes

// The scope that has a name; SMB_HOST_NO_SCOPE: none of the text
static guint
find_scope_of(const HostReader *reader, const char *name) {
  for (guint scope = reader->scope; scope != SMB_HOST_NO_SCOPE;
       scope = g_array_index(reader->host->scopes, SmbHostScope, scope).parent) {
    g_autofree char *key = smb_host_key(scope, name);
    if (g_hash_table_contains(reader->host->values, key))
      return scope;
  }
  return SMB_HOST_NO_SCOPE;
}

// What may change a name, or a member of it, or puts another one in its place: that of a block around it, or else one from outside.
static void
read_change(const HostReader *reader, guint i) {
  static const char *const behind[] = {
      "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--", NULL};
  static const char *const front[] = {"++", "--", ">>", NULL}, *const open[] = {"(", ",", NULL};
  guint last = i;
  while (smb_host_is(reader, last + 1, ".") && smb_host_is_name(reader, last + 2))
    last += 2;
  if (i > 0 && (smb_host_is(reader, i - 1, ".") || smb_host_is(reader, i - 1, "->")))
    return;
  if (!smb_token_is_any(smb_host_token(reader, last + 1), behind) &&
      !(i > 0 && smb_token_is_any(smb_host_token(reader, i - 1), front)) &&
      !(i > 1 && smb_host_is(reader, i - 1, "&") &&
        smb_token_is_any(smb_host_token(reader, i - 2), open)))
    return;
  const char *name = smb_host_token(reader, i)->text;
  guint scope = find_scope_of(reader, name);
  if (scope == SMB_HOST_NO_SCOPE || scope == reader->file_scope)
    define_outside(reader, name, "", SMB_HOST_ANY, NULL);
  else
    set_in_scope(reader, scope, name, "", SMB_HOST_ANY, NULL);
}

// --- blocks

// Of the "{" at @i, that holds declarations like those around it, of a namespace or of extern "C": what its name puts in front of
// others (transfer full); NULL of another one.
static char *
find_host_space(const HostReader *reader, guint i) {
  if (i > 1 && smb_host_is(reader, i - 2, "extern"))
    return g_strdup("");
  g_autoptr(GString) space = g_string_new(NULL);
  for (; i > 0 && (smb_host_is_name(reader, i - 1) || smb_host_is(reader, i - 1, "::")); i--) {
    if (smb_host_is(reader, i - 1, "namespace"))
      return g_strconcat(space->str, *space->str ? "::" : "", NULL);
    g_string_prepend(space, smb_host_token(reader, i - 1)->text);
  }
  return NULL;
}

// The name of the structure whose body begins at @i; NULL: it is none, or a template
static const char *
find_structure(const HostReader *reader, guint i) {
  static const char *const ends[] = {";", "}", "{", "(", ")", "=", NULL};
  for (guint at = i; at-- > 0 && !smb_token_is_any(smb_host_token(reader, at), ends);) {
    if ((smb_host_is(reader, at, "struct") || smb_host_is(reader, at, "class")) &&
        smb_host_is_name(reader, at + 1))
      return smb_host_token(reader, at + 1)->text;
  }
  return NULL;
}

static void
note_structure(const HostReader *reader, const char *name) {
  g_autoptr(GString) whole = g_string_new(NULL);
  for (guint i = 0; i < reader->spaces->len; i++)
    g_string_append(whole, g_ptr_array_index(reader->spaces, i));
  g_string_append(whole, name);
  g_hash_table_add(reader->host->structures, g_strdup(whole->str));
}

// Keeps track of the brackets of a declaration, and of those around it; behind its end another one begins.
static void
read_bracket(HostReader *reader, guint i) {
  int deeper = smb_host_nesting(smb_host_token(reader, i));
  gboolean is_block = smb_host_is(reader, i, "{"), is_end = smb_host_is(reader, i, "}");
  char *space = deeper > 0 && reader->nesting == 0 ? find_host_space(reader, i) : NULL;
  const char *structure = is_block && !space ? find_structure(reader, i) : NULL;
  if (structure && reader->nesting == 0)
    note_structure(reader, structure);
  if (!space && is_block)
    reader->scope =
        smb_host_add_scope(reader->host, reader->scope, reader->templates ? NULL : structure);
  else if (is_end && reader->nesting > 0)
    reader->scope = g_array_index(reader->host->scopes, SmbHostScope, reader->scope).parent;
  if (space)
    g_ptr_array_add(reader->spaces, space);
  else if (deeper > 0)
    reader->nesting++;
  else if (deeper < 0 && reader->nesting > 0)
    reader->nesting--;
  else if (deeper < 0 && reader->spaces->len > 0)
    g_ptr_array_set_size(reader->spaces, (int)reader->spaces->len - 1);
  if (reader->nesting == 0 && (is_end || smb_host_is(reader, i, ";")))
    reader->scope = smb_host_add_scope(reader->host, reader->file_scope, NULL);
}

guint
smb_host_read_declaration(HostReader *reader, guint i) {
  const Token *token = smb_host_token(reader, i);
  if (reader->is_raw && smb_token_is(token, "#") && token->first_of_line)
    return read_directive(reader, i);
  if (smb_token_is(token, "enum"))
    return read_enumeration(reader, i);
  if (is_declared_type(reader, i) && smb_host_is(reader, i + 2, "=") &&
      smb_host_is(reader, i + 3, "["))
    return i + 3; // a lambda: see read_function()
  if (is_declared_type(reader, i))
    return MAX(read_variables(reader, i), i + 1);
  if (token->kind == TOKEN_NAME)
    read_change(reader, i);
  if (smb_token_is(token, "{"))
    read_function(reader, i);
  read_bracket(reader, i);
  return i + 1;
}
