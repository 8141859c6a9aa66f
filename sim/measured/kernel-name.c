// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/measured/kernel-name.h"

#include <string.h>

#include "sim/program/symbol.h"

// What NVIDIA's demangler and the C++ library's write differently, in the order in which it is replaced.
static const struct {
  const char *pattern, *replacement;
} spellings[] = {
    {"\\[lambda(\\([^\\[\\]]*?\\)) \\(instance (\\d+)\\)\\]", "{lambda\\1#\\2}"},
    {"\\bauto:(\\d+)\\b", "T\\1"},   // a parameter of a generic lambda
    {"\\b(const|volatile)\\b", ""},  // in front of a type or behind it
    {"\\([a-z _]+\\)(?=-?\\d)", ""}, // "(int)16"
    {"\\b(\\d+)[uUlL]+\\b", "\\1"},  // "16u"
    {"\\btrue\\b", "1"},
    {"\\bfalse\\b", "0"},
    {"&\\((?:[^ ()<>]+ )?([^()]*)\\([^()]*\\)\\)", "&\\1"}, // "&(float twice<3>(float))"
    {"&([^ ()<>,]+(?:<[^()<>]*>)?)\\([^()]*\\)", "&\\1"},   // "&twice<3>(float)"
    {"\\(anonymous namespace\\)::|<unnamed>::", ""},
};

static char *
replace_spellings(const char *name) {
  char *text = g_strdup(name);
  for (guint i = 0; i < G_N_ELEMENTS(spellings); i++) {
    g_autoptr(GRegex) pattern = g_regex_new(spellings[i].pattern, G_REGEX_RAW, 0, NULL);
    // NULL of a text that would take too long.
    char *next = g_regex_replace(pattern, text, -1, 0, spellings[i].replacement, 0, NULL);
    if (!next)
      continue;
    g_free(text);
    text = next;
  }
  return text;
}

// Where the parameters of a function begin, or its name ends.
static gsize
find_name_end(const char *text) {
  gsize end = strlen(text);
  gint depth = 0;
  while (end > 0 && text[end - 1] == ' ')
    end--;
  if (end == 0 || text[end - 1] != ')')
    return end;
  for (gsize i = end; i > 0; i--) {
    depth += (text[i - 1] == ')') - (text[i - 1] == '(');
    if (depth == 0)
      return i - 1;
  }
  return end;
}

// Where the name begins that ends at @end: behind the type of a result, which may be any expression:
// "std::enable_if<(T2<=(int)4), void>::type ".
static gsize
find_start(const char *text, gsize end) {
  gint brackets = 0, angles = 0;
  gsize start = end;
  for (; start > 0; start--) {
    char c = text[start - 1];
    brackets += (c == ')' || c == ']' || c == '}') - (c == '(' || c == '[' || c == '{');
    if (brackets > 0)
      continue;
    angles += (c == '>') - (c == '<');
    if (c == ' ' && angles <= 0)
      break;
  }
  return start;
}

// A name without its result, parameters and blanks (transfer full).
static char *
make_bare_name(const char *name) {
  g_autofree char *text = replace_spellings(name);
  gsize end = find_name_end(text), start = find_start(text, end);
  GString *canonical = g_string_new_len(text + start, (gssize)(end - start));
  g_string_replace(canonical, " ", "", 0);
  return g_string_free(canonical, FALSE);
}

// Whether one is the other, or what is behind its namespaces.
static gboolean
ends_with_name(const char *whole, const char *part) {
  gsize length = strlen(whole), tail = strlen(part);
  return length >= tail && strcmp(whole + length - tail, part) == 0 &&
         (length == tail || (length >= tail + 2 && whole[length - tail - 1] == ':'));
}

// The name of the function alone, of a canonical one (transfer full).
static char *
find_function_name(const char *canonical) {
  gsize length = strlen(canonical), end = length;
  gint depth = 0;
  if (length > 0 && canonical[length - 1] == '>') {
    do {
      end--;
      depth += (canonical[end] == '>') - (canonical[end] == '<');
    } while (end > 0 && depth > 0);
  }
  gsize start = end;
  while (start > 0 && (g_ascii_isalnum(canonical[start - 1]) || canonical[start - 1] == '_'))
    start--;
  return g_strndup(canonical + start, end - start);
}

SmbNameMatch
smb_kernel_name_compare(const char *measured, const char *symbol) {
  if (strcmp(measured, symbol) == 0)
    return SMB_NAME_SAME;
  g_autofree char *known = smb_symbol_demangle(symbol, FALSE);
  g_autofree char *a = make_bare_name(measured), *b = make_bare_name(known);
  if (ends_with_name(a, b) || ends_with_name(b, a))
    return SMB_NAME_SAME;
  g_autofree char *base = find_function_name(b);
  return strcmp(measured, base) == 0 ? SMB_NAME_BASE : SMB_NAME_OTHER;
}
