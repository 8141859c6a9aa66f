// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The help of a command, made of its tables: what it does, an example, and its options under their headings.
#include "src/cli/cli.h"

#include "src/out/table.h"

enum {
  TEXT_COLUMN = 28, // where what an option does begins
};

// "  -D, --define=NAME=VALUE"
static char *
label_option(const GOptionEntry *entry) {
  GString *label = g_string_new("  ");
  if (entry->short_name)
    g_string_append_printf(label, "-%c, ", entry->short_name);
  g_string_append_printf(label, "--%s", entry->long_name);
  if (entry->arg_description)
    g_string_append_printf(label, "=%s", entry->arg_description);
  return g_string_free(label, FALSE);
}

static void
write_option(SmbSpool *out, const GOptionEntry *entry) {
  g_autofree char *label = label_option(entry);
  guint width = smb_text_width(label);
  smb_spool_puts(out, label);
  if (width + 2 > TEXT_COLUMN) {
    smb_spool_puts(out, "\n");
    width = 0;
  }
  smb_spool_fill(out, ' ', TEXT_COLUMN - width);
  smb_text_wrap_at(out, entry->description, TEXT_COLUMN, TEXT_COLUMN);
}

static void
write_description(SmbSpool *out, const char *description) {
  g_auto(GStrv) lines = g_strsplit(description, "\n", -1);
  for (guint i = 0; lines[i]; i++) {
    if (lines[i][0] == ' ')
      smb_spool_printf(out, "%s\n", lines[i]);
    else
      smb_text_wrap(out, lines[i]);
  }
}

void
smb_cli_write_help(SmbCli *cli, const SmbCliUsage *usage, const SmbCliGroup *groups,
                   guint n_groups) {
  gboolean has_arguments = usage->arguments && *usage->arguments;
  smb_spool_printf(cli->out, "Usage:\n  smembank %s [OPTION…]%s%s\n\n", cli->command,
                   has_arguments ? " " : "", has_arguments ? usage->arguments : "");
  write_description(cli->out, usage->description);
  if (usage->example)
    smb_spool_printf(cli->out, "\nExample:\n  %s\n", usage->example);
  for (guint i = 0; i < n_groups; i++) {
    smb_spool_printf(cli->out, "\n%s:\n", groups[i].title);
    for (const GOptionEntry *entry = groups[i].entries; entry->long_name; entry++)
      write_option(cli->out, entry);
  }
}
