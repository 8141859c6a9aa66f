// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/cli/cli.h"

#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "gpu/error.h"
#include "sim/arch/arch.h"
#include "sim/base/error.h"
#include "sim/base/text.h"
#include "src/cli/hint.h"

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

// What $COLUMNS says, or the terminal; 0 where there is none.
static guint
detect_columns(void) {
  struct winsize size = {0};
  const char *columns = g_getenv("COLUMNS");
  guint64 number = 0;
  if (columns && g_ascii_string_to_unsigned(columns, 10, 1, SMB_CLI_MOST_COLUMNS, &number, NULL))
    return (guint)number;
  if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return MIN(size.ws_col, SMB_CLI_MOST_COLUMNS);
  return 0;
}

char *
smb_cli_place_error(const SmbCli *cli, const char *message) {
  // "FILE:LINE:COLUMN: " or "FILE:LINE: ", with nothing before the file; a compiler's own message has "error: " already
  g_autoptr(GRegex) place = g_regex_new("^((?:(?!: )[^\n])+?:[0-9]+(?::[0-9]+)?): (?:error: )?",
                                        G_REGEX_RAW, (GRegexMatchFlags)0, NULL);
  // A part of a file's name, "other.c:1:1: error: k.cu", is the place of nothing.
  g_autofree char *file = g_strndup(message, smb_files_match(cli->files, message));
  if (*smb_text_ahead(file) || !g_regex_match(place, message, (GRegexMatchFlags)0, NULL))
    return NULL;
  return g_regex_replace(place, message, -1, 0, "\\1: error: ", (GRegexMatchFlags)0, NULL);
}

// What is said of an error, as the library writes it: with its place first, if it has one, as compilers do.
static char *
describe_command_error(const SmbCommand *command, const SmbCli *cli, const GError *error) {
  gboolean usage = g_error_matches(error, SMB_ERROR, SMB_ERROR_USAGE);
  gboolean is_case = cli->case_project != NULL;
  g_autofree char *message = is_case ? smb_cli_case_error_text(error) : smb_cli_error_text(error);
  char *placed = usage ? NULL : smb_cli_place_error(cli, message);
  if (placed)
    return placed;
  // --help and --version are not commands that a message could name.
  gboolean named = command->name[0] != '-' && command->name[0] != '\0';
  g_autofree char *full =
      g_strconcat("smembank", named ? " " : "", named ? command->name : "", NULL);
  g_autofree char *hint = g_strdup_printf(" (see '%s --help')", full);
  g_autofree char *origin =
      usage && cli->case_origin ? g_strdup_printf(" (%s)", cli->case_origin) : g_strdup("");
  return g_strconcat(full, ": ", message, origin, usage ? hint : "", NULL);
}

static SmbExit
report_error(const SmbCommand *command, const SmbCli *cli, const GError *error) {
  gboolean usage = g_error_matches(error, SMB_ERROR, SMB_ERROR_USAGE);
  g_autofree char *text = describe_command_error(command, cli, error);
  // Messages quote the input. Those of a kernel show its lines; a word of the command line stays on one.
  g_autofree char *shortened = smb_text_shorten_quotes(text);
  g_autofree char *shown = usage ? smb_text_show_line(shortened) : smb_text_show(shortened);
  fprintf(stderr, "%s\n", shown);
  if (g_error_matches(error, SMB_GPU_ERROR, SMB_GPU_ERROR_UNAVAILABLE))
    return SMB_EXIT_NO_GPU;
  return usage ? SMB_EXIT_USAGE : SMB_EXIT_INPUT;
}

SmbProgress *
smb_cli_progress(SmbCli *cli) {
  if (!cli->watch)
    cli->watch = smb_watch_start(cli->command, cli->columns, TRUE);
  return smb_watch_progress(cli->watch);
}

void
smb_cli_wrote(SmbCli *cli, const SmbOutFile *file, const char *note) {
  smb_spool_printf(cli->messages, "smembank %s: wrote %s%s%s%s\n", cli->command,
                   smb_out_file_path(file), note ? " (" : "", note ? note : "", note ? ")" : "");
}

gboolean
smb_cli_flush(SmbCli *cli, GError **error) {
  if (smb_spool_flush(cli->out, STDOUT_FILENO, error))
    return TRUE;
  smb_prefix_error(error, "cannot write the result: ");
  return FALSE;
}

static gboolean
run_and_write(const SmbCommand *command, SmbCli *cli, GError **error) {
  GError *failure = NULL;
  gboolean done = command->run(cli, &failure);
  g_clear_pointer(&cli->watch, smb_watch_stop);
  if (!done && failure) {
    g_propagate_error(error, failure);
    return FALSE;
  }
  if (cli->output ? !smb_files_save(cli->files, cli->output, cli->out, NULL, error)
                  : !smb_cli_flush(cli, error))
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
  g_autoptr(SmbFiles) files = smb_files_new();
  guint columns = detect_columns();
  SmbCli cli = {
      .command = command->name,
      .cuda = cuda,
      .out = out,
      .messages = messages,
      .status = SMB_EXIT_DONE,
      .colour = detect_colour(),
      .columns = columns ? columns : SMB_SPOOL_COLUMNS,
      .argc = argc,
      .argv = argv,
      .files = files,
  };
  if (columns)
    smb_spool_set_columns(out, columns);
  g_autoptr(GError) error = NULL;
  if (!run_and_write(command, &cli, &error))
    cli.status = report_error(command, &cli, error);
  smb_files_tell(files, STDERR_FILENO);
  g_clear_pointer(&cli.arch, smb_arch_unref);
  g_clear_pointer(&cli.arguments, g_strfreev);
  g_clear_pointer(&cli.case_origin, g_free);
  g_clear_pointer(&cli.case_project, g_free);
  return cli.status;
}
