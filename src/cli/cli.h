// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What all commands share: exit statuses, the one way to run a command and to report its error, the
// one way to parse its options, and the parsers of option values. A command never prints or exits: it
// fills a spool and returns; one that talks with the user asks for the spool to be written as it goes.
#pragma once

#include <glib.h>

#include "gpu/cuda.h"
#include "sim/arch/forward.h"
#include "src/cli/files.h"
#include "src/cli/watch.h"
#include "src/out/file.h"
#include "src/out/spool.h"

/** Exit statuses; scripts rely on them. */
typedef enum {
  SMB_EXIT_DONE = 0,
  SMB_EXIT_DIFFERS = 1, /* a comparison or a limit failed */
  SMB_EXIT_USAGE = 2,   /* wrong usage */
  SMB_EXIT_INPUT = 3,  /* a bad kernel, trace or data file, or a result that could not be written */
  SMB_EXIT_NO_GPU = 4, /* no usable GPU, or another thing of the machine that the command takes */
} SmbExit;

/** Most columns of a terminal that pictures use. */
#define SMB_CLI_MOST_COLUMNS 1000

typedef struct _SmbCli SmbCli;

/**
 * SmbFormat: a form in which a command can write its result. A command declares a table of them, which
 * ends with a row without a name; help, refusal and completion are made of it.
 * @name: what --format calls it
 * @write: adds the result to the output of @cli; its type is the command's own
 * @methods: (nullable): more functions, of a command that does not write its result in one go
 */
typedef struct {
  const char *name;
  void (*write)(SmbCli *cli, gconstpointer result);
  gconstpointer methods;
} SmbFormat;

/** SmbCliGroup: options that stand under one heading of the help; @entries ends with G_OPTION_ENTRY_NULL. */
typedef struct {
  const char *title;
  const GOptionEntry *entries;
} SmbCliGroup;

typedef struct _SmbCliUsage SmbCliUsage;

/**
 * SmbCliVisitor: takes what a command can be given, in place of running it.
 * @groups: (array length=n_groups): all options of the command, its own first
 */
typedef struct {
  void (*visit)(const SmbCli *cli, const SmbCliUsage *usage, const SmbCliGroup *groups,
                guint n_groups, gpointer data);
  gpointer data;
} SmbCliVisitor;

/**
 * SmbCli: one run of one command.
 * @command: its name
 * @cuda: what the machine offers to measure with
 * @out: takes the result; written to standard output if the command succeeds
 * @messages: takes what else a person should know; written to standard error after the result
 * @status: exit status of a command that succeeds: SMB_EXIT_DONE, or what it sets
 * @colour: whether text may be coloured: a terminal reads it and the user did not ask for none
 * @columns: width of the terminal in characters: $COLUMNS or what it says itself, else SMB_SPOOL_COLUMNS
 * @argc: number of words in @argv
 * @argv: the command line from the name of the command on
 * @visitor: (nullable): takes what smb_cli_parse() would read the command line by; nothing is run
 * @format: the row of --format in the table of the command, set by smb_cli_parse(); NULL without one
 * @files: (nullable): what it reads, of which smb_cli_parse() notes what the command line names, and what it writes
 * @output: (nullable): --output, set by smb_cli_parse(): the file that takes @out in place of standard output
 * @arch: --arch, set by smb_cli_parse(), or NULL
 * @arch_named: whether the user's own words named it, set by smb_cli_parse(); those of a case are not the user's
 * @arch_given: whether --arch, --wave or an architecture for nvcc was given, by the user or by a case, set by smb_cli_parse(): else
 *   @arch is the default
 * @arch_features: 'a' or 'f' of "sm_90a", as a compiler is told what only one chip or family has, set by smb_cli_parse(); 0: none was given
 * @case_origin: (nullable): where options besides the user's came from, set by smb_cli_parse(): "--case k, smembank.ini:6", "k.cu:1"
 * @case_project: (nullable): the project file that has the case, set by smb_cli_parse()
 * @watch: (nullable): shows how far it is, from smb_cli_progress() on
 * @arguments: what is left when the options are taken away, set by smb_cli_parse(); ends with NULL
 * @n_arguments: their number
 *
 * Everything in it is released when the command returns.
 */
struct _SmbCli {
  const char *command;
  const SmbCuda *cuda;
  SmbSpool *out;
  SmbSpool *messages;
  SmbExit status;
  gboolean colour;
  guint columns;
  int argc;
  char **argv;
  const SmbCliVisitor *visitor;
  const SmbFormat *format;
  SmbFiles *files;
  const SmbOutFile *output;
  SmbArch *arch;
  gboolean arch_named;
  gboolean arch_given;
  char arch_features;
  char *case_origin;
  char *case_project;
  SmbWatch *watch;
  GStrv arguments;
  guint n_arguments;
};

/**
 * SmbCommand: a row of the table of commands.
 * @name: what the user types
 * @run: does it: %FALSE with an error, or %FALSE without one if there is nothing more to do
 * @summary: (nullable): one line for the list of commands; %NULL of what is not listed
 */
typedef struct {
  const char *name;
  gboolean (*run)(SmbCli *cli, GError **error);
  const char *summary;
} SmbCommand;

/** Lanes of a wave that --wave chooses from. */
#define SMB_CLI_WAVES "32|64"

/** When text is coloured. */
#define SMB_CLI_COLOURS "auto|always|never"

/** How the help and the completion name the values of an option that are not words of a fixed list. */
#define SMB_CLI_FILE        "FILE"
#define SMB_CLI_ARCH_NAME   "ARCH"
#define SMB_CLI_KERNEL_NAME "KERNEL"

/**
 * SmbCliCases: what a command line is that says which kernel is meant, for those who know kernels (src/project/case.h).
 * @prepare: puts the words that a case stands for in front of the user's; @all: (element-type GOptionEntry): the options of the command;
 *   @words: (inout): in one form (words.h); @file: (out) (nullable) (transfer full): the kernel's file, of the case
 * @note_in: has the files that the options name noted, from now on
 * @find_arch: Returns: (transfer full) (nullable): the architecture that other options than --arch say
 */
typedef struct {
  gboolean (*prepare)(SmbCli *cli, const SmbCliUsage *usage, const GPtrArray *all, GStrv *words,
                      char **file, GError **error);
  void (*note_in)(SmbFiles *files);
  char *(*find_arch)(void);
} SmbCliCases;

/**
 * SmbCliUsage: what a command wants to be given.
 * @arguments: the arguments as the help shows them, such as "FILE|-", or NULL
 * @description: what the command does, for the help: paragraphs, a line each; a line that begins with
 *   a space is shown as it is
 * @min_arguments: fewest arguments
 * @max_arguments: most arguments
 * @n_results: of the arguments, how many at the beginning name no file that is read
 * @has_arch: whether it has --arch
 * @file_option: (nullable): the option that takes the kernel's file; %NULL: the last argument does
 * @cases: (nullable): of a command that takes a kernel: what its options stand for
 * @hands_case_on: whether --case stays an option, which the command gives to others, and is not what its options stand for
 * @takes_project: whether --project can do without --case: the command looks for the case itself
 * @formats: (nullable): the formats of its result, text first: it has --format and --output
 * @groups: (nullable) (array zero-terminated=1): options that it shares with other commands
 * @example: (nullable): a command line, for the help
 */
struct _SmbCliUsage {
  const char *arguments;
  const char *description;
  guint min_arguments;
  guint max_arguments;
  guint n_results;
  gboolean has_arch;
  const char *file_option;
  const SmbCliCases *cases;
  gboolean hands_case_on;
  gboolean takes_project;
  const SmbFormat *formats;
  const SmbCliGroup *const *groups;
  const char *example;
};

/**
 * smb_cli_run:
 * @command: the command
 * @cuda: (transfer none): the machine, for the commands that measure
 * @argc: number of words
 * @argv: the words of the command line from the name of the command on
 *
 * Runs a command, writes its result or its error, and turns an error into a status: SMB_ERROR_USAGE is
 * wrong usage, SMB_GPU_ERROR_UNAVAILABLE is no usable GPU, anything else is bad input.
 *
 * Returns: the exit status
 */
SmbExit smb_cli_run(const SmbCommand *command, const SmbCuda *cuda, int argc, char **argv);

/**
 * smb_cli_parse:
 * @usage: what the command wants
 * @options: its own options, ending with G_OPTION_ENTRY_NULL, or NULL. Give numbers the type
 *   G_OPTION_ARG_STRING and parse them with smb_cli_number(); a description of the value with bars
 *   ("row|col") lists all values. A value may follow a one-letter option without a space (-DN=4), and a
 *   long option may be cut short as long as no other begins so.
 * @error: SMB_ERROR_USAGE; SMB_ERROR_INPUT for a broken architecture; SMB_GPU_ERROR_UNAVAILABLE for --arch native
 *
 * Parses the command line of @cli into @options and the fields of @cli.
 *
 * Returns: whether the command goes on: if not, @error is set, or the help was asked for and is written.
 */
gboolean smb_cli_parse(SmbCli *cli, const SmbCliUsage *usage, const GOptionEntry *options,
                       GError **error);

/**
 * smb_cli_number:
 * @option: its name for the message, such as "--pad"
 * @text: (nullable): its value; NULL leaves @value as it is
 * @min: smallest value allowed
 * @max: largest value allowed
 * @value: (inout): the number
 * @error: SMB_ERROR_USAGE
 */
gboolean smb_cli_number(const char *option, const char *text, guint min, guint max, guint *value,
                        GError **error);

/** smb_cli_number64: as smb_cli_number(), for seeds and counts. */
gboolean smb_cli_number64(const char *option, const char *text, guint64 min, guint64 max,
                          guint64 *value, GError **error);

/**
 * smb_cli_triple:
 * @option: its name for the message, such as "--block"
 * @text: (nullable): "X", "X,Y" or "X,Y,Z", also with an x for the comma, as it is shown; what is left out is
 *   1; NULL leaves @values as they are
 * @max: (array fixed-size=3): largest value of each; the smallest is 1
 * @values: (inout) (array fixed-size=3): the numbers
 * @error: SMB_ERROR_USAGE
 */
gboolean smb_cli_triple(const char *option, const char *text, const guint max[3], guint values[3],
                        GError **error);

/**
 * smb_cli_choice:
 * @option: its name for the message, such as "--write"
 * @text: (nullable): its value; NULL leaves @value as it is
 * @choices: the values allowed, with bars between: "row|col"
 * @value: (inout): index of the choice
 * @error: SMB_ERROR_USAGE
 */
gboolean smb_cli_choice(const char *option, const char *text, const char *choices, guint *value,
                        GError **error);

/** smb_cli_list: Returns: (transfer full): "A, B or C" with @last " or " */
char *smb_cli_list(const char *const *names, const char *last);

/**
 * smb_cli_view:
 * @option: what asks for another result than the usual one: "--measure"
 * @formats: the formats of that result, as in SmbCliUsage
 * @error: SMB_ERROR_USAGE if the format that the user named is not among them
 *
 * Makes the row of @formats with the name that the user gave that of @cli.
 */
gboolean smb_cli_view(SmbCli *cli, const char *option, const SmbFormat *formats, GError **error);

/**
 * smb_cli_arch_features:
 * @name: as --arch takes it
 *
 * Returns: 'a' of "sm_90a", 'f' of "sm_100f"; 0: it names none
 */
char smb_cli_arch_features(const char *name);

/**
 * smb_cli_load_arch:
 * @name: as the user typed it: of an architecture, an alias, "90", "sm_90a", "gfx942:xnack-" or "native"
 * @lanes: lanes of a warp, where the architecture has a choice; 0: the usual number
 * @error: SMB_ERROR_USAGE, SMB_ERROR_INPUT for a broken file, SMB_GPU_ERROR_UNAVAILABLE
 *
 * Returns: (transfer full): the architecture
 */
SmbArch *smb_cli_load_arch(const SmbCli *cli, const char *name, guint lanes, GError **error);

/**
 * smb_cli_progress:
 *
 * To be called by a command that may take long, before it starts threads: from then on a terminal shows how far
 * it is, and SIGINT ends it with a message. Not for a command that talks with the user.
 *
 * Returns: (transfer none) (nullable): what counts how far it is
 */
SmbProgress *smb_cli_progress(SmbCli *cli);

/**
 * smb_cli_wrote:
 * @file: a file in addition to the result, which was written
 * @note: (nullable): what is in it
 *
 * Says so, with the other messages.
 */
void smb_cli_wrote(SmbCli *cli, const SmbOutFile *file, const char *note);

/**
 * smb_cli_flush:
 * @error: a file error
 *
 * Writes what the command has added to its result so far. For a command that talks with the user: it cannot take
 * back what is written, should it fail later. Other commands leave that to smb_cli_run().
 */
gboolean smb_cli_flush(SmbCli *cli, GError **error);

/**
 * smb_cli_place_error:
 * @message: of an error of the library
 *
 * Returns: (transfer full) (nullable): of a message that begins with a place, "FILE:LINE:COLUMN: text", what is told:
 *   "FILE:LINE:COLUMN: error: text", as compilers write it; %NULL of one without a place, or whose file has a name that
 *   itself begins as a place does: such a line has to begin with our own name
 */
char *smb_cli_place_error(const SmbCli *cli, const char *message);

/** Sets an SMB_ERROR_USAGE; always returns %FALSE. */
gboolean smb_cli_usage_error(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);
