// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The command line of a command, and its help, by its tables of options. GOption stores the values; what it does
// not know (options cut short, suggestions, values that would be lost) is seen to before it gets the words.
#include "src/cli/cli.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/base/suggest.h"
#include "src/out/table.h"

enum {
  MAX_GROUPS = 8,
  TEXT_COLUMN = 28, // of the help, where what an option does begins
};

// All options of a command, in the order of the help.
typedef struct {
  SmbCliGroup groups[MAX_GROUPS];
  guint n;
} Options;

static void
add_group(Options *options, const char *title, const GOptionEntry *entries) {
  if (!entries || !entries->long_name)
    return;
  g_return_if_fail(options->n < MAX_GROUPS);
  options->groups[options->n++] = (SmbCliGroup){title, entries};
}

// The options, in the order of the help (element-type GOptionEntry).
static GPtrArray *
list_entries(const Options *options) {
  GPtrArray *all = g_ptr_array_new();
  for (guint i = 0; i < options->n; i++) {
    for (const GOptionEntry *entry = options->groups[i].entries; entry->long_name; entry++)
      g_ptr_array_add(all, (gpointer)entry);
  }
  return all;
}

// The option of that name, or the only one that begins so.
static const GOptionEntry *
find_long(const GPtrArray *all, const char *name, GError **error) {
  const GOptionEntry *found = NULL;
  g_autoptr(GStrvBuilder) every = g_strv_builder_new(), beginning = g_strv_builder_new();
  for (guint i = 0; i < all->len; i++) {
    const GOptionEntry *entry = all->pdata[i];
    g_autofree char *word = g_strconcat("--", entry->long_name, NULL);
    if (strcmp(entry->long_name, name) == 0)
      return entry;
    g_strv_builder_add(every, word);
    if (*name && g_str_has_prefix(entry->long_name, name)) {
      g_strv_builder_add(beginning, word);
      found = entry;
    }
  }
  g_auto(GStrv) names = g_strv_builder_end(found ? beginning : every);
  if (found && !names[1])
    return found;
  g_autofree char *list = smb_cli_list((const char *const *)names, " or ");
  g_autofree char *word = g_strconcat("--", name, NULL);
  g_autofree char *meant = smb_suggest(word, (const char *const *)names);
  if (found)
    smb_cli_usage_error(error, "ambiguous option %s: expected %s", word, list);
  else
    smb_cli_usage_error(error, "unknown option %s%s", word, meant);
  return NULL;
}

// Adds "--NAME" or "--NAME=VALUE" with the whole name. @awaits: whether the next word is its value.
static gboolean
add_long(GPtrArray *words, const GPtrArray *all, const char *word, gboolean *awaits,
         GError **error) {
  g_auto(GStrv) parts = g_strsplit(word + 2, "=", 2);
  const GOptionEntry *entry = find_long(all, parts[0], error);
  if (!entry)
    return FALSE;
  if (entry->arg == G_OPTION_ARG_NONE && parts[1])
    return smb_cli_usage_error(error, "unexpected value: '%s'", word);
  g_ptr_array_add(words, parts[1] ? g_strconcat("--", entry->long_name, "=", parts[1], NULL)
                                  : g_strconcat("--", entry->long_name, NULL));
  *awaits = entry->arg != G_OPTION_ARG_NONE && !parts[1];
  return TRUE;
}

// Adds "-D", or takes "-DN=4" apart into "-D" and "N=4".
static void
add_short(GPtrArray *words, const GPtrArray *all, const char *word, gboolean *awaits) {
  gboolean takes = FALSE;
  for (guint i = 0; i < all->len; i++) {
    const GOptionEntry *entry = all->pdata[i];
    takes |= entry->short_name == word[1] && entry->arg != G_OPTION_ARG_NONE;
  }
  *awaits = takes && !word[2];
  g_ptr_array_add(words, takes ? g_strndup(word, 2) : g_strdup(word));
  if (takes && word[2])
    g_ptr_array_add(words, g_strdup(word + 2));
}

// The command line as GOption understands it.
static GStrv
prepare_words(const SmbCli *cli, const Options *options, GError **error) {
  g_autoptr(GPtrArray) all = list_entries(options);
  g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
  gboolean verbatim = FALSE; // the value of an option
  gboolean ended = FALSE;    // "--" has been seen
  for (int i = 0; i < cli->argc; i++) {
    const char *word = cli->argv[i];
    gboolean awaits = FALSE;
    ended = ended || (!verbatim && strcmp(word, "--") == 0);
    if (verbatim || ended || word[0] != '-' || !word[1])
      g_ptr_array_add(words, g_strdup(word));
    else if (word[1] != '-')
      add_short(words, all, word, &awaits);
    else if (!add_long(words, all, word, &awaits, error))
      return NULL;
    verbatim = awaits;
  }
  g_ptr_array_add(words, NULL);
  return (GStrv)g_ptr_array_steal(words, NULL);
}

static gboolean
check_arguments(const SmbCli *cli, const SmbCliUsage *usage, GError **error) {
  if (cli->n_arguments < usage->min_arguments)
    return smb_cli_usage_error(error, "missing argument: expected %s", usage->arguments);
  if (cli->n_arguments > usage->max_arguments)
    return smb_cli_usage_error(error, "unexpected argument '%s'",
                               cli->arguments[usage->max_arguments]);
  return TRUE;
}

static gboolean
parse_words(SmbCli *cli, const SmbCliUsage *usage, const Options *options, GError **error) {
  const GOptionEntry rest[] = {{G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY,
                                &cli->arguments, NULL, usage->arguments},
                               G_OPTION_ENTRY_NULL};
  g_auto(GStrv) words = prepare_words(cli, options, error);
  if (!words)
    return FALSE;
  g_autoptr(GOptionContext) context = g_option_context_new(NULL);
  g_option_context_set_help_enabled(context, FALSE);
  for (guint i = 0; i < options->n; i++)
    g_option_context_add_main_entries(context, options->groups[i].entries, NULL);
  g_option_context_add_main_entries(context, rest, NULL);
  g_autoptr(GError) failure = NULL;
  if (!g_option_context_parse_strv(context, &words, &failure)) {
    g_autofree char *message = g_strdup(failure->message);
    message[0] = g_ascii_tolower(message[0]);
    return smb_cli_usage_error(error, "%s", message);
  }
  if (!cli->arguments)
    cli->arguments = g_new0(char *, 1);
  cli->n_arguments = g_strv_length(cli->arguments);
  return TRUE;
}

// "text|json|csv"
static char *
join_formats(const SmbFormat *formats) {
  g_autoptr(GStrvBuilder) names = g_strv_builder_new();
  for (; formats && formats->name; formats++)
    g_strv_builder_add(names, formats->name);
  g_auto(GStrv) list = g_strv_builder_end(names);
  return g_strjoinv("|", list);
}

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

// What the command does, an example, and its options under their headings.
static void
write_help(SmbCli *cli, const SmbCliUsage *usage, const SmbCliGroup *groups, guint n_groups) {
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

gboolean
smb_cli_parse(SmbCli *cli, const SmbCliUsage *usage, const GOptionEntry *options, GError **error) {
  gboolean help = FALSE;
  g_autofree char *format = NULL, *arch = NULL, *colour = NULL;
  g_autofree char *formats = join_formats(usage->formats);
  GOptionEntry general[5] = {{NULL}};
  guint n = 0;
  if (usage->has_arch)
    general[n++] = (GOptionEntry){
        "arch",
        0,
        0,
        G_OPTION_ARG_STRING,
        &arch,
        "the architecture: see 'smembank list archs'; also 90, sm_90a, or native for the GPU of "
        "this machine (default " SMB_DEFAULT_ARCH ")",
        SMB_CLI_ARCH_NAME};
  if (usage->formats)
    general[n++] = (GOptionEntry){
        "format", 0, 0, G_OPTION_ARG_STRING, &format, "how to write the result (default text)",
        formats};
  general[n++] = (GOptionEntry){
      "color",        0, 0, G_OPTION_ARG_STRING, &colour, "colour the text (default auto)",
      SMB_CLI_COLOURS};
  general[n] = (GOptionEntry){"help", 'h', 0, G_OPTION_ARG_NONE, &help, "show this help", NULL};

  Options all = {.n = 0};
  add_group(&all, "Options", options);
  for (guint i = 0; usage->groups && usage->groups[i]; i++)
    add_group(&all, usage->groups[i]->title, usage->groups[i]->entries);
  add_group(&all, all.n ? "General options" : "Options", general);
  if (cli->visitor) {
    cli->visitor->visit(cli, usage, all.groups, all.n, cli->visitor->data);
    return FALSE;
  }
  if (!parse_words(cli, usage, &all, error))
    return FALSE;
  if (help) {
    write_help(cli, usage, all.groups, all.n);
    return FALSE;
  }
  guint choice = 0, when = 0;
  if ((usage->formats && !smb_cli_choice("--format", format, formats, &choice, error)) ||
      !smb_cli_choice("--color", colour, SMB_CLI_COLOURS, &when, error) ||
      !check_arguments(cli, usage, error))
    return FALSE;
  cli->format = usage->formats ? &usage->formats[choice] : NULL;
  if (when > 0)
    cli->colour = when == 1;
  cli->arch_named = arch != NULL;
  if (usage->has_arch)
    cli->arch = smb_cli_load_arch(cli, arch ? arch : SMB_DEFAULT_ARCH, error);
  return cli->arch || !usage->has_arch;
}

gboolean
smb_cli_view(SmbCli *cli, const char *option, const SmbFormat *formats, GError **error) {
  for (const SmbFormat *format = formats; format->name; format++) {
    if (strcmp(format->name, cli->format->name) == 0) {
      cli->format = format;
      return TRUE;
    }
  }
  g_autofree char *names = join_formats(formats);
  g_auto(GStrv) parts = g_strsplit(names, "|", -1);
  g_autofree char *list = smb_cli_list((const char *const *)parts, " or ");
  return smb_cli_usage_error(error, "%s is for --format %s", option, list);
}
