// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The command line of a command, and its help, by its tables of options. GOption stores the values; what it does
// not know (options cut short, suggestions, values that would be lost) is seen to before it gets the words.
#include "src/cli/cli.h"

#include <string.h>

#include "sim/arch/arch.h"
#include "sim/base/error.h"
#include "src/cli/words.h"
#include "src/out/table.h"

enum {
  MAX_GROUPS = 10,
  TEXT_COLUMN = 28, // of the help, where what an option does begins
};

// All options of a command, in the order of the help.
typedef struct {
  SmbCliGroup groups[MAX_GROUPS];
  guint n;
} Options;

static void
add_option_group(Options *options, const char *title, const GOptionEntry *entries) {
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

static gboolean
check_arguments(const SmbCli *cli, const SmbCliUsage *usage, GError **error) {
  if (cli->n_arguments < usage->min_arguments)
    return smb_cli_usage_error(error, "missing argument: expected %s", usage->arguments);
  if (cli->n_arguments > usage->max_arguments) {
    guint at = smb_words_count((const char *const *)cli->argv), all = g_strv_length(cli->argv);
    gboolean is_of_program = at < all && usage->max_arguments + (all - at - 1) >= cli->n_arguments;
    return smb_cli_usage_error(
        error, "unexpected argument '%s'%s", cli->arguments[usage->max_arguments],
        is_of_program ? ": 'smembank run' gives a program what follows '--'" : "");
  }
  return TRUE;
}

// FILE, of a case, if the user gave all arguments but that.
static void
complete_arguments(SmbCli *cli, const SmbCliUsage *usage, const char *file) {
  cli->n_arguments = cli->arguments ? g_strv_length(cli->arguments) : 0;
  gboolean takes_file = file && !usage->file_option && cli->n_arguments + 1 == usage->max_arguments;
  cli->arguments = g_renew(char *, cli->arguments, cli->n_arguments + takes_file + 1);
  if (takes_file)
    cli->arguments[cli->n_arguments++] = g_strdup(file);
  cli->arguments[cli->n_arguments] = NULL;
}

static gboolean
parse_command_options(SmbCli *cli, const SmbCliUsage *usage, const Options *options, GStrv *words,
                      GError **error) {
  const GOptionEntry rest[] = {{G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY,
                                &cli->arguments, NULL, usage->arguments},
                               G_OPTION_ENTRY_NULL};
  g_autoptr(GOptionContext) context = g_option_context_new(NULL);
  g_option_context_set_help_enabled(context, FALSE);
  for (guint i = 0; i < options->n; i++)
    g_option_context_add_main_entries(context, options->groups[i].entries, NULL);
  g_option_context_add_main_entries(context, rest, NULL);
  g_autoptr(GError) failure = NULL;
  if (g_option_context_parse_strv(context, words, &failure))
    return TRUE;
  g_autofree char *message = g_strdup(failure->message);
  message[0] = g_ascii_tolower(message[0]);
  return smb_cli_usage_error(error, "%s", message);
}

static gboolean
parse_command_words(SmbCli *cli, const SmbCliUsage *usage, const Options *options, GError **error) {
  g_autoptr(GPtrArray) all = list_entries(options);
  g_auto(GStrv) words =
      smb_words_prepare((const char *const *)cli->argv, (guint)cli->argc, all, error);
  if (!words)
    return FALSE;
  cli->arch_named = smb_words_find((const char *const *)words, "arch") != NULL;
  g_autofree char *file = NULL;
  if (usage->cases && !usage->cases->prepare(cli, usage, all, &words, &file, error))
    return FALSE;
  if (!parse_command_options(cli, usage, options, &words, error))
    return FALSE;
  complete_arguments(cli, usage, file);
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
write_option_help(SmbSpool *out, const GOptionEntry *entry) {
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
show_usage(SmbCli *cli, const SmbCliUsage *usage, const SmbCliGroup *groups, guint n_groups) {
  gboolean has_arguments = usage->arguments && *usage->arguments;
  smb_spool_printf(cli->out, "Usage:\n  smembank %s [OPTION…]%s%s\n\n", cli->command,
                   has_arguments ? " " : "", has_arguments ? usage->arguments : "");
  write_description(cli->out, usage->description);
  if (usage->example)
    smb_spool_printf(cli->out, "\nExample:\n  %s\n", usage->example);
  for (guint i = 0; i < n_groups; i++) {
    smb_spool_printf(cli->out, "\n%s:\n", groups[i].title);
    for (const GOptionEntry *entry = groups[i].entries; entry->long_name; entry++)
      write_option_help(cli->out, entry);
  }
  smb_spool_printf(cli->out, "\n'man smembank-%s' describes them in full.\n", cli->command);
}

// Whether an option names a file that the command writes.
static gboolean
is_result(const GOptionEntry *entry) {
  static const char *const names[] = {"output", "out", "svg", "record", "json", NULL};
  return g_strv_contains(names, entry->long_name);
}

// Notes the files that the command line names: arguments, values of options, the project file that has the case.
static void
note_files(const SmbCli *cli, const SmbCliUsage *usage, const Options *options) {
  g_autoptr(GPtrArray) all = list_entries(options);
  for (guint i = usage->n_results; i < cli->n_arguments; i++)
    smb_files_read(cli->files, cli->arguments[i]);
  for (guint i = 0; i < all->len; i++) {
    const GOptionEntry *entry = all->pdata[i];
    if (entry->arg == G_OPTION_ARG_FILENAME && !is_result(entry))
      smb_files_read(cli->files, *(char **)entry->arg_data);
  }
  smb_files_read(cli->files, cli->case_project);
  if (usage->cases)
    usage->cases->note_in(cli->files);
}

// --arch and --wave. Returns their number.
static guint
add_arch_options(GOptionEntry *entries, char **arch, char **wave) {
  entries[0] =
      (GOptionEntry){"arch",
                     0,
                     0,
                     G_OPTION_ARG_STRING,
                     arch,
                     "the architecture: see 'smembank list archs'; also 90, sm_90a, "
                     "hopper, mi300x, native for the GPU of this machine, or a FILE.ini of "
                     "your own (default " SMB_DEFAULT_ARCH ")",
                     SMB_CLI_ARCH_NAME};
  entries[1] = (GOptionEntry){"wave",
                              0,
                              0,
                              G_OPTION_ARG_STRING,
                              wave,
                              "lanes of a wave, on AMD chips that have both (RDNA; default 32)",
                              SMB_CLI_WAVES};
  return 2;
}

// The file of --output. An architecture may be a file of the user's, which is read.
static gboolean
open_output(SmbCli *cli, const char *output, const char *arch, GError **error) {
  cli->output = smb_files_open(cli->files, "--output", output, error);
  return cli->output && (!arch || !g_str_has_suffix(arch, ".ini") ||
                         smb_out_file_protect(cli->output, arch, error));
}

gboolean
smb_cli_parse(SmbCli *cli, const SmbCliUsage *usage, const GOptionEntry *options, GError **error) {
  gboolean help = FALSE;
  g_autofree char *format = NULL, *arch = NULL, *wave = NULL, *colour = NULL, *output = NULL;
  g_autofree char *formats = join_formats(usage->formats);
  GOptionEntry general[7] = {{NULL}};
  guint n = 0;
  if (usage->has_arch)
    n = add_arch_options(general, &arch, &wave);
  if (usage->formats)
    general[n++] = (GOptionEntry){
        "format", 0, 0, G_OPTION_ARG_STRING, &format, "how to write the result (default text)",
        formats};
  if (usage->formats)
    general[n++] =
        (GOptionEntry){"output",    0,
                       0,           G_OPTION_ARG_FILENAME,
                       &output,     "write the result to FILE instead of standard output",
                       SMB_CLI_FILE};
  general[n++] = (GOptionEntry){
      "color",        0, 0, G_OPTION_ARG_STRING, &colour, "colour the text (default auto)",
      SMB_CLI_COLOURS};
  general[n] = (GOptionEntry){"help", 'h', 0, G_OPTION_ARG_NONE, &help, "show this help", NULL};

  Options all = {.n = 0};
  add_option_group(&all, "Options", options);
  for (guint i = 0; usage->groups && usage->groups[i]; i++)
    add_option_group(&all, usage->groups[i]->title, usage->groups[i]->entries);
  add_option_group(&all, all.n ? "General options" : "Options", general);
  if (cli->visitor) {
    cli->visitor->visit(cli, usage, all.groups, all.n, cli->visitor->data);
    return FALSE;
  }
  if (!parse_command_words(cli, usage, &all, error))
    return FALSE;
  if (help) {
    show_usage(cli, usage, all.groups, all.n);
    return FALSE;
  }
  guint choice = 0, when = 0, lanes = 0;
  if ((usage->formats && !smb_cli_choice("--format", format, formats, &choice, error)) ||
      (wave && !smb_cli_choice("--wave", wave, SMB_CLI_WAVES, &lanes, error)) ||
      !smb_cli_choice("--color", colour, SMB_CLI_COLOURS, &when, error) ||
      !check_arguments(cli, usage, error))
    return FALSE;
  cli->format = usage->formats ? &usage->formats[choice] : NULL;
  note_files(cli, usage, &all);
  if (output && !open_output(cli, output, arch, error))
    return FALSE;
  cli->colour = when > 0 ? when == 1 : cli->colour && !output;
  if (!arch && usage->cases)
    arch = usage->cases->find_arch();
  cli->arch_given = arch || wave;
  cli->arch_features = arch ? smb_cli_arch_features(arch) : 0;
  if (usage->has_arch)
    cli->arch =
        smb_cli_load_arch(cli, arch ? arch : SMB_DEFAULT_ARCH, wave ? 32u << lanes : 0, error);
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
