// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Which kernel of compiled code is meant, by its mangled, its demangled or its plain name.
#include "sim/program/symbol.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/text.h"

// Of the C++ library: (transfer full) what malloc() returned, or NULL.
char *__cxa_demangle(const char *mangled, char *room, size_t *length, int *status);

// Of "void ns::sgemm<128, 8>(float*)": "sgemm<128, 8>".
static void
make_plain(char *name) {
  gint depth = 0;
  char *start = name;
  for (char *at = name; *at; at++) {
    depth += (*at == '<' || *at == '[') - (*at == '>' || *at == ']');
    if (depth > 0)
      continue;
    // The name of an anonymous namespace, and that of a variable in a function: "k(int)::tile".
    if (*at == '(') {
      char *end = strchr(at, ')');
      const char *behind = end ? strstr(end, "::") : NULL;
      if (!behind) {
        *at = '\0';
        break;
      }
      at = end;
    }
    if (*at == ' ' || (*at == ':' && at[1] == ':'))
      start = at + (*at == ' ' ? 1 : 2);
  }
  memmove(name, start, strlen(start) + 1);
}

char *
smb_symbol_demangle(const char *name, gboolean plain) {
  int status = 0;
  char *demangled = g_str_has_prefix(name, "_Z") ? __cxa_demangle(name, NULL, NULL, &status) : NULL;
  char *copy = g_strdup(demangled ? demangled : name);
  free(demangled);
  if (plain)
    make_plain(copy);
  return copy;
}

// How well a name that was asked for fits a kernel; the kernels that fit it best are meant.
typedef enum {
  MATCH_NONE,
  MATCH_TEMPLATE, // without the arguments of a template, with or without namespaces
  MATCH_PART,     // without some of the namespaces
  MATCH_NAME,     // with all of them
  MATCH_SYMBOL,   // as it is mangled
} Match;

// A name as names are compared: without spaces, anonymous namespaces, and what C++ has behind numbers ("128u").
static char *
make_compared_name(const char *name) {
  static const char result[] = "void ", anonymous[] = "(anonymous namespace)::";
  GString *text = g_string_new(NULL);
  gboolean in_number = FALSE;
  if (g_str_has_prefix(name, result))
    name += strlen(result);
  for (const char *at = name; *at; at++) {
    if (g_str_has_prefix(at, anonymous)) {
      at += strlen(anonymous) - 1;
      continue;
    }
    gboolean in_word = at > name && (g_ascii_isalnum(at[-1]) || at[-1] == '_');
    in_number = g_ascii_isdigit(*at) ? in_number || !in_word : in_number && g_ascii_isalnum(*at);
    if (*at != ' ' && !(in_number && strchr("uUlL", *at)))
      g_string_append_c(text, *at);
  }
  return g_string_free(text, FALSE);
}

// Where the parameters of a function begin, or its name ends.
static gsize
find_parameters(const char *name) {
  gint depth = 0;
  gsize end = 0;
  for (; name[end] && (name[end] != '(' || depth > 0); end++)
    depth += (name[end] == '<' || name[end] == '{') - (name[end] == '>' || name[end] == '}');
  return end;
}

// Where the name behind a namespace begins, from @start on; @end: there is none.
static gsize
find_name_part(const char *name, gsize start, gsize end) {
  gint depth = 0;
  for (gsize i = start; i + 1 < end; i++) {
    depth += (name[i] == '<') - (name[i] == '>');
    if (depth == 0 && name[i] == ':' && name[i + 1] == ':')
      return i + 2;
  }
  return end;
}

static gboolean
equals_text(const char *text, gsize length, const char *other) {
  return strlen(other) == length && strncmp(text, other, length) == 0;
}

// What messages write for what all of several names have.
static const char ellipsis[] = "…";

// Whether a name is one with "…" in the place of some parts of it.
static gboolean
has_pieces(const char *name, const char *entry) {
  g_auto(GStrv) pieces = g_strsplit(entry, ellipsis, -1);
  guint n = g_strv_length(pieces);
  const char *at = g_str_has_prefix(name, pieces[0]) ? name + strlen(pieces[0]) : NULL;
  for (guint i = 1; at && i + 1 < n; i++) {
    at = strstr(at, pieces[i]);
    at = at ? at + strlen(pieces[i]) : NULL;
  }
  return at && g_str_has_suffix(at, pieces[n - 1]);
}

// Both are canonical.
static Match
match_name(const char *name, const char *entry) {
  Match best = MATCH_NONE;
  gsize end = find_parameters(name);
  gboolean is_cut = strstr(entry, ellipsis) != NULL;
  for (gsize start = 0; start < end; start = find_name_part(name, start, end)) {
    const char *part = name + start;
    if (is_cut && has_pieces(part, entry))
      best = MAX(best, start == 0 ? MATCH_NAME : MATCH_PART);
    else if (strcmp(part, entry) == 0 || equals_text(part, end - start, entry))
      best = MAX(best, start == 0 ? MATCH_NAME : MATCH_PART);
    else if (equals_text(part, MIN(strcspn(part, "<["), end - start), entry))
      best = MAX(best, MATCH_TEMPLATE);
  }
  return best;
}

static Match
match_kernel(const char *symbol, const char *entry) {
  g_autofree char *demangled = smb_symbol_demangle(symbol, FALSE);
  g_autofree char *name = make_compared_name(demangled), *asked = make_compared_name(entry);
  return strcmp(symbol, entry) == 0 ? MATCH_SYMBOL : match_name(name, asked);
}

// A function without its result, which mangled names of templates have.
static const char *
skip_result(const char *name) {
  return name + (g_str_has_prefix(name, "void ") ? strlen("void ") : 0);
}

enum {
  KEPT_IN_FRONT = 20 // characters in front of what tells names apart
};

// A name without namespaces, arguments of templates and parameters (transfer full).
static char *
find_name_stem(const char *name) {
  gsize end = find_parameters(name), last = 0;
  for (gsize start = 0; start < end; start = find_name_part(name, start, end))
    last = start;
  return g_strndup(name + last, MIN(strcspn(name + last, "<["), end - last));
}

// How many bytes a name has in common with all others of its stem, up to where a word of it begins.
static gsize
count_common(const GPtrArray *names, const GPtrArray *stems, guint n) {
  const char *name = skip_result(g_ptr_array_index(names, n));
  gsize common = strlen(name);
  for (guint i = 0; i < names->len; i++) {
    const char *other = skip_result(g_ptr_array_index(names, i));
    gsize same = 0;
    if (i == n || strcmp(g_ptr_array_index(stems, i), g_ptr_array_index(stems, n)) != 0)
      continue;
    while (same < common && name[same] == other[same])
      same++;
    common = same;
  }
  while (common > 0 && !strchr("<,: (", name[common - 1]))
    common--;
  return common;
}

// A long name of a stem that others have as well, without what they have in common: "sum<…rows_of<2>>(float*)" (transfer full).
static char *
tell_apart(const GPtrArray *names, const GPtrArray *stems, guint n) {
  const char *name = skip_result(g_ptr_array_index(names, n));
  const char *stem = g_ptr_array_index(stems, n);
  // With the word in front, which says what it is an argument of.
  gsize common = count_common(names, stems, n), start = common;
  while (start > 0 && strchr(":<", name[start - 1]))
    start--;
  while (start > 0 && (g_ascii_isalnum(name[start - 1]) || name[start - 1] == '_'))
    start--;
  start = common - start > KEPT_IN_FRONT ? common : start;
  const char *rest = name + (find_parameters(name) > start ? start : 0);
  g_autofree char *whole = g_strconcat(stem, "<", ellipsis, rest, NULL);
  if (g_utf8_strlen(whole, -1) <= SMB_TEXT_MAX_QUOTE)
    return g_steal_pointer(&whole);
  g_autofree char *head = g_utf8_substring(whole, 0, SMB_TEXT_MAX_QUOTE - 1);
  return g_strconcat(head, ellipsis, NULL);
}

// "'reduce<64>(float*)', 'reduce<128>(float*)'": of names too long to be quoted whole, what tells them apart, if it
// does (transfer full).
static char *
list_kernel_names(const GPtrArray *symbols) {
  GString *list = g_string_new(NULL);
  g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GPtrArray) stems = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GHashTable) count = g_hash_table_new(g_str_hash, g_str_equal);
  for (guint i = 0; i < symbols->len; i++) {
    char *name = smb_symbol_demangle(g_ptr_array_index(symbols, i), FALSE);
    char *stem = find_name_stem(skip_result(name));
    g_ptr_array_add(names, name);
    g_ptr_array_add(stems, stem);
    guint n = GPOINTER_TO_UINT(g_hash_table_lookup(count, stem));
    g_hash_table_insert(count, stem, GUINT_TO_POINTER(n + 1));
  }
  for (guint i = 0; i < symbols->len; i++) {
    const char *name = skip_result(g_ptr_array_index(names, i));
    const char *stem = g_ptr_array_index(stems, i);
    gboolean is_long = g_utf8_strlen(name, -1) > SMB_TEXT_MAX_QUOTE;
    gboolean is_alone = g_hash_table_lookup(count, stem) == GUINT_TO_POINTER(1);
    g_autofree char *apart = is_long && !is_alone ? tell_apart(names, stems, i) : NULL;
    g_string_append_printf(list, "%s'%s'", i > 0 ? ", " : "",
                           !is_long   ? name
                           : is_alone ? stem
                                      : apart);
  }
  return g_string_free(list, FALSE);
}

static gint
refuse_kernel_name(const char *file, const char *entry, const GPtrArray *all,
                   const GPtrArray *matching, GError **error) {
  g_autofree char *list = list_kernel_names(matching->len > 0 ? matching : all);
  if (!entry)
    smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "%s has several kernels: %s", file, list);
  else if (matching->len > 0)
    smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "%s has %u kernels '%s': %s", file, matching->len,
             entry, list);
  else
    smb_fail(error, SMB_ERROR, SMB_ERROR_USAGE, "%s has no kernel '%s': expected one of %s", file,
             entry, list);
  smb_hint(error, SMB_HINT_ENTRY, NULL, NULL);
  return -1;
}

gint
smb_symbol_choose(const GPtrArray *symbols, const char *entry, const char *file, GError **error) {
  g_autoptr(GPtrArray) matching = g_ptr_array_new();
  Match best = MATCH_NONE;
  gint chosen = -1;
  for (guint i = 0; i < symbols->len; i++) {
    Match match = entry ? match_kernel(g_ptr_array_index(symbols, i), entry) : MATCH_NAME;
    if (match > best)
      g_ptr_array_set_size(matching, 0);
    best = MAX(best, match);
    if (match == MATCH_NONE || match != best)
      continue;
    g_ptr_array_add(matching, g_ptr_array_index(symbols, i));
    chosen = (gint)i;
  }
  return matching->len == 1 ? chosen : refuse_kernel_name(file, entry, symbols, matching, error);
}
