// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Findings as workflow commands of GitHub Actions (GitHub documentation, "Workflow commands", "Setting a warning message"), with the escapes
// of its toolkit (actions/toolkit, packages/core/src/command.ts).
#include "src/finding/finding.h"

#include "sim/base/text.h"

// Escapes the characters that would end a property, or only those that would end a message. What is not shown is escaped before.
static void
append_github_escaped(GString *text, const char *value, gboolean is_property) {
  g_autofree char *shown = smb_text_show(value);
  for (const char *plain = shown; *plain; plain++) {
    if (*plain == '%' || *plain == '\r' || *plain == '\n' ||
        (is_property && (*plain == ':' || *plain == ',')))
      g_string_append_printf(text, "%%%02X", (guchar)*plain);
    else
      g_string_append_c(text, *plain);
  }
}

static void
write_github(const GPtrArray *findings, SmbSpool *out) {
  static const char *const commands[] = {"error", "warning", "notice"};
  for (guint i = 0; i < findings->len; i++) {
    const SmbFinding *finding = findings->pdata[i];
    const SmbFindingRule *rule = smb_finding_rule(finding->kind);
    g_autoptr(GString) text = g_string_new(NULL);
    g_string_append_printf(text, "::%s ", commands[rule->level]);
    if (finding->file) {
      g_string_append(text, "file=");
      append_github_escaped(text, finding->file, TRUE);
      g_string_append_c(text, ',');
    }
    if (finding->line)
      g_string_append_printf(text, "line=%u,", finding->line);
    if (finding->column)
      g_string_append_printf(text, "col=%u,", finding->column);
    g_string_append(text, "title=");
    append_github_escaped(text, rule->title, TRUE);
    g_string_append(text, "::");
    append_github_escaped(text, finding->message, FALSE);
    g_string_append_c(text, '\n');
    smb_spool_write(out, text->str, text->len); // a command, as it is meant to be
  }
}

const SmbFindingsFormat smb_findings_github = {write_github};
