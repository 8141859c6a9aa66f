// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Completion of command lines in shells: a script for each, made of the tables of commands and options.
#pragma once

#include "src/cli/cli.h"

/** The shells. */
#define SMB_COMPLETION_SHELLS "bash|zsh|fish"

/**
 * smb_completion_write:
 * @cli: takes the script
 * @shell: one of SMB_COMPLETION_SHELLS
 * @commands: (array length=n_commands): what is completed
 * @error: SMB_ERROR_USAGE
 */
gboolean smb_completion_write(SmbCli *cli, const char *shell, const SmbCommand *commands,
                              guint n_commands, GError **error);
