// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a shell completes.
#pragma once

#include "src/cli/cli.h"

/** The shells whose command lines can be completed. */
#define SMB_COMPLETION_SHELLS "bash|zsh|fish"

/**
 * smb_completion_write:
 * @cli: takes a script for a shell, made of the tables of commands and options
 * @shell: one of SMB_COMPLETION_SHELLS
 * @commands: what is completed: those that have a summary, which come first
 * @error: SMB_ERROR_USAGE
 */
gboolean smb_completion_write(SmbCli *cli, const char *shell, const SmbCommand *commands,
                              GError **error);
