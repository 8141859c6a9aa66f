// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/out/html.h"

#include <string.h>

#include "sim/base/text.h"

void
smb_html_text(SmbSpool *page, const char *text) {
  g_autofree char *shown = smb_text_show(text);
  g_autofree char *escaped = g_markup_escape_text(shown, -1);
  GString *line = g_string_new(escaped);
  g_string_replace(line, "\n", "&#10;", 0); // a line of the page is ours
  smb_spool_puts(page, line->str);
  g_string_free(line, TRUE);
}

void
smb_html_within(SmbSpool *page, const char *before, const char *text, const char *after) {
  smb_spool_puts(page, before);
  smb_html_text(page, text);
  smb_spool_puts(page, after);
}

void
smb_html_message(SmbSpool *page, const char *before, const char *message) {
  gsize length = strcspn(message, "\n");
  g_autofree char *first = g_strndup(message, length);
  smb_html_within(page, "<div class=\"note\"><p>", before, "");
  smb_html_within(page, "", first, "</p>");
  if (message[length])
    smb_html_within(page, "<pre class=\"excerpt\">", message + length + 1, "</pre>");
  smb_spool_puts(page, "</div>\n");
}

void
smb_html_json(SmbSpool *page, const char *json) {
  // '<' stands in strings only, where it may be written by its number.
  g_auto(GStrv) parts = g_strsplit(json, "<", -1);
  g_autofree char *safe = g_strjoinv("\\u003c", parts);
  smb_spool_write(page, safe, strlen(safe));
}

void
smb_html_number(SmbSpool *page, const char *css_class, guint64 number) {
  if (css_class)
    smb_spool_printf(page, "<td class=\"%s\">", css_class);
  else
    smb_spool_puts(page, "<td>");
  smb_spool_number(page, number);
  smb_spool_puts(page, "</td>");
}
