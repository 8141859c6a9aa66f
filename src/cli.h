// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What all commands share: exit statuses, the one way to run a command and to report its error, the
// one way to parse its options, and the parsers of option values. A command never prints or exits: it
// fills a spool and returns; one that talks with the user asks for the spool to be written as it goes.
#pragma once

#include <glib.h>

#include "gpu/cuda.h"
#include "sim/arch.h"
#include "src/spool.h"

G_BEGIN_DECLS

/** Exit statuses; scripts rely on them. */
typedef enum {
  SMB_EXIT_DONE = 0,
  SMB_EXIT_DIFFERS = 1, /* a comparison or a limit failed */
  SMB_EXIT_USAGE = 2,   /* wrong usage */
  SMB_EXIT_INPUT = 3,  /* a bad kernel, trace or data file, or a result that could not be written */
  SMB_EXIT_NO_GPU = 4, /* no usable GPU */
} SmbExit;

/** Most columns of a terminal that pictures use. */
#define SMB_CLI_MOST_COLUMNS 1000

/** How a result is written. */
typedef enum {
  SMB_FORMAT_TEXT,
  SMB_FORMAT_JSON,
  SMB_FORMAT_CSV,
} SmbFormat;

/**
 * SmbCli: one run of one command.
 * @command: its name
 * @cuda: what the machine offers to measure with
 * @out: takes the result; written to standard output if the command succeeds
 * @messages: takes what a person should know besides; written to standard error after the result
 * @status: exit status of a command that succeeds: SMB_EXIT_DONE, or what it sets
 * @colour: whether text may be coloured: a terminal reads it and nobody asked for none
 * @columns: width of the terminal in characters: $COLUMNS or what it says itself, else SMB_SPOOL_COLUMNS
 * @argc: number of words in @argv
 * @argv: the command line from the name of the command on
 * @format: --format, set by smb_cli_parse()
 * @arch: --arch, set by smb_cli_parse(), or NULL
 * @arch_named: whether the user named it, set by smb_cli_parse()
 * @arguments: what is left when the options are taken away, set by smb_cli_parse(); ends with NULL
 * @n_arguments: their number
 *
 * Everything in it is released when the command returns.
 */
typedef struct {
  const char *command;
  const SmbCuda *cuda;
  SmbSpool *out;
  SmbSpool *messages;
  SmbExit status;
  gboolean colour;
  guint columns;
  int argc;
  char **argv;
  SmbFormat format;
  SmbArch *arch;
  gboolean arch_named;
  GStrv arguments;
  guint n_arguments;
} SmbCli;

/**
 * SmbCommand: a row of the table of commands.
 * @name: what the user types
 * @run: does it: %FALSE with an error, or %FALSE without one if there is nothing more to do
 * @summary: one line for the list of commands
 */
typedef struct {
  const char *name;
  gboolean (*run)(SmbCli *cli, GError **error);
  const char *summary;
} SmbCommand;

/** Which of the options that commands share a command has. */
typedef enum {
  SMB_CLI_FORMAT = 1 << 0, /* --format text|json|csv */
  SMB_CLI_ARCH = 1 << 1,   /* --arch NAME */
} SmbCliFlags;

/**
 * SmbCliUsage: what a command wants to be given.
 * @arguments: the arguments as the help shows them, such as "FILE|-", or NULL
 * @description: what the command does, for the help: sentences
 * @min_arguments: fewest arguments
 * @max_arguments: most arguments
 * @flags: the shared options that it has
 */
typedef struct {
  const char *arguments;
  const char *description;
  guint min_arguments;
  guint max_arguments;
  SmbCliFlags flags;
} SmbCliUsage;

/**
 * smb_cli_run:
 * @command: the command
 * @cuda: (transfer none): the machine, for the commands that measure
 * @columns: width of the terminal in characters: $COLUMNS or what it says itself, else SMB_SPOOL_COLUMNS
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
 *   G_OPTION_ARG_STRING and parse them with smb_cli_number(). A value may follow a one-letter option
 *   without a space (-DN=4).
 * @error: SMB_ERROR_USAGE; SMB_ERROR_INPUT for a broken architecture
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
 * @text: (nullable): "X", "X,Y" or "X,Y,Z"; what is left out is 1; NULL leaves @values as they are
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
 * @choices: the values allowed, ending with NULL
 * @value: (inout): index of the choice
 * @error: SMB_ERROR_USAGE
 */
gboolean smb_cli_choice(const char *option, const char *text, const char *const *choices,
                        guint *value, GError **error);

/**
 * smb_cli_flush:
 * @error: a file error
 *
 * Writes what the command has added to its result so far. For a command that talks with the user: it cannot take
 * back what is written, should it fail later. Other commands leave that to smb_cli_run().
 */
gboolean smb_cli_flush(SmbCli *cli, GError **error);

/** smb_cli_printable: Returns: (transfer full): a message, with what could steer a terminal shown by its code */
char *smb_cli_printable(const char *text);

/** Sets an SMB_ERROR_USAGE; always returns %FALSE. */
gboolean smb_cli_usage_error(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

G_END_DECLS
