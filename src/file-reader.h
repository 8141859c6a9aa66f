// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Which command a file is for, when a user names a file in the place of a command.
#pragma once

#include <glib.h>

/**
 * SmbReader:
 * @what: what the file is: "a trace"
 * @command: the command that reads it
 * @option: (nullable): the option before the file
 */
typedef struct {
  const char *what;
  const char *command;
  const char *option;
} SmbReader;

/**
 * smb_reader_find:
 * @path: of a file, if it is one. What can be read only once, such as a pipe, is not read
 * @has_arguments: "--" follows, and arguments of a program: a text is compiled and run
 *
 * Tells a file by its contents, but for project files, which end in .ini, and texts without a kernel, which end in .cu or .hip.
 *
 * Returns: (transfer none) (nullable): the command; %NULL: it is no file, or none that a command reads
 */
const SmbReader *smb_reader_find(const char *path, gboolean has_arguments);

/** smb_reader_refuse: Returns: (transfer full) (nullable): why no command reads @path; %NULL: there is no such file */
char *smb_reader_refuse(const char *path);
