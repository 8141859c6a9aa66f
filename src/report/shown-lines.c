// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Which lines of a text a page shows at once: the functions in which something is counted. A file of a program also has a main(), tests
// and other kernels. Functions are recognized by how they are written, since a text may be of any language that compiles to a kernel, and
// a line that is hidden can be shown by the reader.
#include "src/report/shown-lines.h"

#include <string.h>

#include "src/analysis/line.h"

// Whether the head of a function of a device stands here: of CUDA C or PTX.
static gboolean
begins_function(const char *line) {
  static const char *const words[] = {"__global__", "__device__", ".entry", ".func"};
  for (guint i = 0; i < G_N_ELEMENTS(words); i++) {
    if (strstr(line, words[i]))
      return TRUE;
  }
  return FALSE;
}

// Whether a line above the head of a function belongs to it: the parameters of a template, a comment.
static gboolean
leads_on(const char *line) {
  gsize length = strlen(line);
  gboolean is_comment = strstr(line, "//") || strstr(line, "*/");
  return length > 0 &&
         (is_comment || (line[length - 1] != ';' && line[length - 1] != '}' && line[0] != '#'));
}

// The last line of the function whose head stands at @first: where its braces are closed.
static guint
find_function_end(char *const *lines, guint n, guint first) {
  int depth = 0;
  gboolean has_body = FALSE;
  for (guint i = first; i <= n; i++) {
    for (const char *at = lines[i]; *at && g_str_has_prefix(at, "//") == FALSE; at++) {
      depth += (*at == '{') - (*at == '}');
      has_body = has_body || *at == '{';
    }
    if (has_body ? depth <= 0 : g_str_has_suffix(lines[i], ";"))
      return i;
  }
  return n;
}

static gboolean
is_line_counted(const SmbLineTally *line) {
  return line->shared.requests || line->segments || line->worst;
}

GByteArray *
smb_shown_lines_new(const SmbSource *source, const GArray *counted) {
  guint n = smb_source_n_lines(source), n_shown = 0;
  GByteArray *shown = g_byte_array_new();
  g_byte_array_set_size(shown, n + 1);
  memset(shown->data, FALSE, n + 1);
  g_auto(GStrv) lines = g_new0(char *, n + 2);
  for (guint i = 0; i <= n; i++)
    lines[i] = i ? g_strchomp(smb_source_line(source, i)) : g_strdup("");
  for (guint i = 1; i <= n; i++) {
    if (!begins_function(lines[i]))
      continue;
    guint first = i, last = find_function_end(lines, n, i);
    gboolean is_counted = FALSE;
    for (guint k = i; k <= last && k < counted->len; k++)
      is_counted |= is_line_counted(&g_array_index(counted, SmbLineTally, k));
    while (first > 1 && leads_on(lines[first - 1]))
      first--;
    if (is_counted)
      memset(shown->data + first, TRUE, last - first + 1);
    i = last;
  }
  for (guint i = 1; i <= n; i++)
    n_shown += shown->data[i];
  if (n_shown == 0)
    memset(shown->data, TRUE, n + 1);
  return shown;
}
