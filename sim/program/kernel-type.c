// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/program/kernel-type.h"

#include <string.h>

#include "sim/program/inside.h"
#include "sim/program/symbol.h"

// What of a type tells it from others.
typedef struct {
  gboolean is_pointer;
  gboolean is_builtin; // of the words of C alone
  guint kind;          // with it: enum Word, added up
  char *name; // else: the last name, without namespaces, arguments and underscores in front
} Signed;

// Sums of these tell the types of C apart: long long is long here, and int says nothing behind another word.
static const struct {
  const char *word;
  guint kind;
} builtin_words[] = {{"void", 1},   {"bool", 2},    {"char", 4},       {"short", 8},  {"long", 16},
                     {"float", 32}, {"double", 64}, {"unsigned", 128}, {"signed", 0}, {"int", 0}};

static const char *const ignored_words[] = {"const",    "volatile", "struct",       "class",
                                            "enum",     "typename", "__restrict__", "__restrict",
                                            "restrict", NULL};

static gboolean
take_word(Signed *type, const char *word) {
  for (guint i = 0; i < G_N_ELEMENTS(builtin_words); i++) {
    if (strcmp(word, builtin_words[i].word) == 0) {
      type->kind |= builtin_words[i].kind;
      return TRUE;
    }
  }
  return FALSE;
}

// Reads a type as C++ writes it, of a demangled name or of a text.
static Signed
read_type(const char *text) {
  Signed type = {.is_builtin = TRUE};
  guint depth = 0;
  for (const char *at = text; *at;) {
    gsize length = strspn(at, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_");
    depth += *at == '<';
    depth -= *at == '>' && depth > 0;
    if (depth == 0 && length > 0 && !type.is_pointer) {
      g_autofree char *word = g_strndup(at, length);
      gboolean is_named = !g_strv_contains(ignored_words, word) && !take_word(&type, word);
      type.is_builtin = type.is_builtin && !is_named;
      if (is_named) {
        g_free(type.name);
        type.name = g_strdup(word + strspn(word, "_"));
      }
    }
    type.is_builtin = type.is_builtin && (depth > 0 || *at != '('); // to a function, or an array
    type.is_pointer = type.is_pointer || (depth == 0 && strchr("*[(&", *at));
    at += MAX(length, 1);
  }
  return type;
}

static gboolean
type_agrees(const char *made, const SmbDeclared *declared) {
  Signed a = read_type(made), b = read_type(declared->type);
  gboolean is_known = b.is_builtin || declared->bytes > 0;
  gboolean agrees = a.is_pointer == b.is_pointer || !(is_known || b.is_pointer);
  if (agrees && a.is_builtin && b.is_builtin)
    agrees = a.kind == b.kind;
  else if (agrees && declared->members)
    agrees = !a.is_builtin && g_strcmp0(a.name, b.name) == 0;
  g_free(a.name);
  g_free(b.name);
  return agrees;
}

// The types of "void k<4>(Mat, int)" (transfer full) (element-type utf8), or NULL: it has none.
static GPtrArray *
split_types(const char *symbol) {
  g_autofree char *demangled = smb_symbol_demangle(symbol, FALSE);
  gsize end = strlen(demangled), start = end, depth = 0;
  if (!g_str_has_suffix(demangled, ")"))
    return NULL;
  do {
    start--;
    depth += demangled[start] == ')';
    depth -= demangled[start] == '(';
  } while (depth > 0 && start > 0);
  GPtrArray *types = g_ptr_array_new_with_free_func(g_free);
  gsize from = start + 1;
  for (gsize i = from; i < end; i++) {
    depth += strchr("<([{", demangled[i]) != NULL;
    gboolean ends = depth == 0 && (demangled[i] == ',' || i + 1 == end);
    depth -= depth > 0 && strchr(">)]}", demangled[i]);
    if (!ends)
      continue;
    if (i > from)
      g_ptr_array_add(types, g_strndup(demangled + from, i - from));
    from = i + 1;
  }
  return types;
}

gboolean
smb_signature_agrees(const char *symbol, const GArray *prototype) {
  g_autoptr(GPtrArray) types = split_types(symbol);
  if (!types)
    return TRUE;
  gboolean agrees = types->len == prototype->len;
  for (guint i = 0; agrees && i < types->len; i++)
    agrees = type_agrees(types->pdata[i], &g_array_index(prototype, SmbDeclared, i));
  return agrees;
}

gboolean
smb_program_has_prototype(const SmbProgram *program, const GArray *prototype) {
  if (prototype->len != program->parameters->len)
    return FALSE;
  for (guint i = 0; i < prototype->len; i++) {
    gsize stored = g_array_index(program->parameters, SmbParameter, i).stored_bytes;
    gsize bytes = g_array_index(prototype, SmbDeclared, i).bytes;
    if (stored > 0 && bytes > 0 && stored != bytes)
      return FALSE;
  }
  return !program->symbol || smb_signature_agrees(program->symbol, prototype);
}
