// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/out/markdown.h"

#include <string.h>

void
smb_markdown_text(SmbSpool *out, const char *text) {
  g_autoptr(GString) escaped = g_string_new(NULL);
  for (; *text; text++) {
    if (strchr("\\`*_{}[]<>#+-!|~&$", *text))
      g_string_append_c(escaped, '\\');
    g_string_append_c(escaped, *text == '\n' || *text == '\r' ? ' ' : *text);
  }
  smb_spool_puts(out, escaped->str);
}

// The longest run of backticks: code stands between longer ones.
static guint
find_longest_run(const char *code) {
  guint longest = 0, run = 0;
  for (; *code; code++) {
    run = *code == '`' ? run + 1 : 0;
    longest = MAX(longest, run);
  }
  return longest;
}

void
smb_markdown_code(SmbSpool *out, const char *code) {
  guint run = find_longest_run(code);
  g_autoptr(GString) escaped = g_string_new(NULL);
  for (; *code; code++) {
    // A bar ends a cell even in code.
    if (*code == '|')
      g_string_append_c(escaped, '\\');
    g_string_append_c(escaped, *code == '\n' || *code == '\r' ? ' ' : *code);
  }
  smb_spool_fill(out, '`', run + 1);
  smb_spool_puts(out, run ? " " : "");
  smb_spool_puts(out, escaped->str);
  smb_spool_puts(out, run ? " " : "");
  smb_spool_fill(out, '`', run + 1);
}
