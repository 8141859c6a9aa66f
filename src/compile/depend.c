// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/compile/depend.h"

#include <string.h>

// The character that a name goes on with at @at, which is moved behind it; FALSE: the name ends. GCC escapes spaces and
// '#' by a backslash, and '$' by another one (GCC, libcpp/mkdeps.cc, munge()).
static gboolean
take_character(const char **at, char *character) {
  const char *text = *at;
  gboolean is_escaped = text[0] == '\\' && text[1] && strchr(" #\\", text[1]);
  is_escaped |= text[0] == '$' && text[1] == '$';
  if (!*text || (!is_escaped && g_ascii_isspace(*text)))
    return FALSE;
  *character = text[is_escaped];
  *at = text + 1 + is_escaped;
  return TRUE;
}

GPtrArray *
smb_depend_parse(const char *text) {
  GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
  const char *colon = strstr(text, ": "), *at = colon ? colon + 2 : strchr(text, 0);
  while (*at && *at != '\n') {
    gboolean continues = g_str_has_prefix(at, "\\\n");
    if (continues || g_ascii_isspace(*at)) {
      at += continues ? 2 : 1;
      continue;
    }
    g_autoptr(GString) name = g_string_new(NULL);
    char character;
    while (!g_str_has_prefix(at, "\\\n") && take_character(&at, &character))
      g_string_append_c(name, character);
    g_ptr_array_add(names, g_string_free(g_steal_pointer(&name), FALSE));
  }
  return names;
}
