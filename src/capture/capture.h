// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Recording a command for another command.
#pragma once

#include "src/cli/cli.h"

/**
 * smb_capture_command:
 * @words: (array zero-terminated=1): the command
 * @path: the file that gets the capture
 * @error: as of the command capture
 *
 * Runs a command to its end and records all that it launches, as 'capture -o PATH -- COMMAND' does.
 */
gboolean smb_capture_command(SmbCli *cli, const char *const *words, const char *path,
                             GError **error);
