// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/cli.h"

#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "gpu/error.h"
#include "sim/error.h"

// A descriptor that the caller closed would be given to the next file that is opened, and the result
// would go there. One that is open for reading only makes writing fail, as it should.
static void
guard_standard_streams(void) {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != fd)
      return;
  }
}

static gboolean
detect_colour(void) {
  const char *no_color = g_getenv("NO_COLOR");
  const char *term = g_getenv("TERM");
  if (no_color && *no_color)
    return FALSE;
  return term && *term && strcmp(term, "dumb") != 0 && isatty(STDOUT_FILENO);
}

// What $COLUMNS says, or the terminal, where there is one.
static guint
detect_columns(void) {
  struct winsize size = {0};
  const char *columns = g_getenv("COLUMNS");
  guint64 number = 0;
  if (columns && g_ascii_string_to_unsigned(columns, 10, 1, SMB_CLI_MOST_COLUMNS, &number, NULL))
    return (guint)number;
  if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return MIN(size.ws_col, SMB_CLI_MOST_COLUMNS);
  return SMB_SPOOL_COLUMNS;
}

char *
smb_cli_printable(const char *text) {
  GString *shown = g_string_new(NULL);
  for (; *text; text++) {
    guchar c = (guchar)*text;
    if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
      g_string_append_printf(shown, "\\x%02x", c);
    else
      g_string_append_c(shown, *text);
  }
  return g_string_free(shown, FALSE);
}

static SmbExit
report_error(const SmbCommand *command, const GError *error) {
  gboolean usage = g_error_matches(error, SMB_ERROR, SMB_ERROR_USAGE);
  // --help and --version are not commands that a message could name.
  gboolean named = command->name[0] != '-' && command->name[0] != '\0';
  g_autofree char *full =
      g_strconcat("smembank", named ? " " : "", named ? command->name : "", NULL);
  g_autofree char *hint = g_strdup_printf(" (see '%s --help')", full);
  g_autofree char *line = g_strconcat(full, ": ", error->message, usage ? hint : "", "\n", NULL);
  // Messages quote the input.
  g_autofree char *shown = smb_cli_printable(line);
  fputs(shown, stderr);
  if (g_error_matches(error, SMB_GPU_ERROR, SMB_GPU_ERROR_UNAVAILABLE))
    return SMB_EXIT_NO_GPU;
  return usage ? SMB_EXIT_USAGE : SMB_EXIT_INPUT;
}

gboolean
smb_cli_flush(SmbCli *cli, GError **error) {
  if (smb_spool_flush(cli->out, STDOUT_FILENO, error))
    return TRUE;
  g_prefix_error(error, "cannot write the result: ");
  return FALSE;
}

static gboolean
run_and_write(const SmbCommand *command, SmbCli *cli, GError **error) {
  GError *failure = NULL;
  if (!command->run(cli, &failure) && failure) {
    g_propagate_error(error, failure);
    return FALSE;
  }
  if (!smb_cli_flush(cli, error))
    return FALSE;
  // There is nowhere to report that standard error cannot be written.
  smb_spool_flush(cli->messages, STDERR_FILENO, NULL);
  return TRUE;
}

SmbExit
smb_cli_run(const SmbCommand *command, const SmbCuda *cuda, int argc, char **argv) {
  guard_standard_streams();
  // The characters of the terminal are the user's; messages and numbers are the same everywhere.
  setlocale(LC_CTYPE, "");
  signal(SIGPIPE, SIG_DFL);
  signal(SIGXFSZ, SIG_IGN); // a file that gets too large is an error of its writer

  g_autoptr(SmbSpool) out = smb_spool_new();
  g_autoptr(SmbSpool) messages = smb_spool_new();
  SmbCli cli = {
      .command = command->name,
      .cuda = cuda,
      .out = out,
      .messages = messages,
      .status = SMB_EXIT_DONE,
      .colour = detect_colour(),
      .columns = detect_columns(),
      .argc = argc,
      .argv = argv,
  };
  smb_spool_set_columns(out, cli.columns);
  g_autoptr(GError) error = NULL;
  if (!run_and_write(command, &cli, &error))
    cli.status = report_error(command, error);
  g_clear_pointer(&cli.arch, smb_arch_unref);
  g_clear_pointer(&cli.arguments, g_strfreev);
  return cli.status;
}

// The one-letter option that @word starts with, if it takes a value and the value is attached.
static gboolean
has_attached_value(const GOptionEntry *options, const char *word) {
  if (word[0] != '-' || word[1] == '-' || !word[1] || !word[2])
    return FALSE;
  for (const GOptionEntry *option = options; option && option->long_name; option++) {
    if (option->short_name == word[1])
      return option->arg != G_OPTION_ARG_NONE && option->arg != G_OPTION_ARG_CALLBACK;
  }
  return FALSE;
}

// Whether @word is an option whose value is the next word.
static gboolean
awaits_value(const GOptionEntry *options, const char *word) {
  for (const GOptionEntry *option = options; option && option->long_name; option++) {
    if (option->arg == G_OPTION_ARG_NONE || word[0] != '-')
      continue;
    if (word[1] == '-' ? strcmp(word + 2, option->long_name) == 0
                       : word[1] == option->short_name && word[1] && !word[2])
      return TRUE;
  }
  return FALSE;
}

// Whether @word gives a value to an option that takes none: GOption would drop it without a word.
static gboolean
has_lost_value(const GOptionEntry *options, const char *word) {
  for (const GOptionEntry *option = options; option && option->long_name; option++) {
    gsize length = strlen(option->long_name);
    if (option->arg == G_OPTION_ARG_NONE && g_str_has_prefix(word, "--") &&
        strncmp(word + 2, option->long_name, length) == 0 && word[2 + length] == '=')
      return TRUE;
  }
  return FALSE;
}

// The command line as GOption understands it: with "-DN=4" taken apart into "-D" and "N=4".
static GStrv
prepare_words(const SmbCli *cli, const GOptionEntry *options, GError **error) {
  g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
  gboolean verbatim = FALSE; // the value of an option, or all that follows "--"
  gboolean ended = FALSE;
  for (int i = 0; i < cli->argc; i++) {
    const char *word = cli->argv[i];
    if (!verbatim && !ended && has_lost_value(options, word)) {
      smb_cli_usage_error(error, "unexpected value: '%s'", word);
      return NULL;
    }
    if (!verbatim && !ended && has_attached_value(options, word)) {
      g_ptr_array_add(words, g_strndup(word, 2));
      g_ptr_array_add(words, g_strdup(word + 2));
      continue;
    }
    g_ptr_array_add(words, g_strdup(word));
    ended = ended || (!verbatim && strcmp(word, "--") == 0);
    verbatim = !verbatim && !ended && awaits_value(options, word);
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
parse_words(GOptionContext *context, GStrv *words, GError **error) {
  g_autoptr(GError) failure = NULL;
  if (g_option_context_parse_strv(context, words, &failure))
    return TRUE;
  g_autofree char *message = g_strdup(failure->message);
  message[0] = g_ascii_tolower(message[0]);
  return smb_cli_usage_error(error, "%s", message);
}

static gboolean
write_help(SmbCli *cli, GOptionContext *context) {
  g_autofree char *help = g_option_context_get_help(context, TRUE, NULL);
  smb_spool_puts(cli->out, help);
  return FALSE;
}

gboolean
smb_cli_parse(SmbCli *cli, const SmbCliUsage *usage, const GOptionEntry *options, GError **error) {
  gboolean help = FALSE;
  g_autofree char *format = NULL, *arch = NULL;
  const GOptionEntry format_entries[] = {{"format", 0, 0, G_OPTION_ARG_STRING, &format,
                                          "how to write the result: text (default), json or csv",
                                          "FORMAT"},
                                         G_OPTION_ENTRY_NULL};
  const GOptionEntry arch_entries[] = {
      {"arch", 0, 0, G_OPTION_ARG_STRING, &arch,
       "the architecture (default " SMB_DEFAULT_ARCH "; 'smembank list archs')", "NAME"},
      G_OPTION_ENTRY_NULL};
  const GOptionEntry last_entries[] = {
      {"help", 'h', 0, G_OPTION_ARG_NONE, &help, "show this help", NULL},
      {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &cli->arguments, NULL,
       usage->arguments},
      G_OPTION_ENTRY_NULL};

  g_autofree char *name = g_strconcat("smembank ", cli->command, NULL);
  g_set_prgname(name);
  g_autoptr(GOptionContext) context = g_option_context_new(NULL);
  g_option_context_set_help_enabled(context, FALSE);
  g_option_context_set_summary(context, usage->description);
  if (options)
    g_option_context_add_main_entries(context, options, NULL);
  if (usage->flags & SMB_CLI_ARCH)
    g_option_context_add_main_entries(context, arch_entries, NULL);
  if (usage->flags & SMB_CLI_FORMAT)
    g_option_context_add_main_entries(context, format_entries, NULL);
  g_option_context_add_main_entries(context, last_entries, NULL);

  g_auto(GStrv) words = prepare_words(cli, options, error);
  if (!words || !parse_words(context, &words, error))
    return FALSE;
  if (help)
    return write_help(cli, context);
  if (!cli->arguments)
    cli->arguments = g_new0(char *, 1);
  cli->n_arguments = g_strv_length(cli->arguments);

  static const char *const formats[] = {"text", "json", "csv", NULL};
  guint choice = SMB_FORMAT_TEXT;
  if (!smb_cli_choice("--format", format, formats, &choice, error) ||
      !check_arguments(cli, usage, error))
    return FALSE;
  cli->format = (SmbFormat)choice;
  cli->arch_named = arch != NULL;
  if (usage->flags & SMB_CLI_ARCH)
    cli->arch = smb_arch_load(arch ? arch : SMB_DEFAULT_ARCH, error);
  return cli->arch || !(usage->flags & SMB_CLI_ARCH);
}
