// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The launches that a program makes, for a first project file: blocks, grids and arguments as they were seen.
#pragma once

#include "sim/cuda/text/host.h"
#include "src/cli/cli.h"

/**
 * smb_seen_read:
 * @host: has the kernels of the file
 * @folders: (array zero-terminated=1): where files are that it includes
 * @error: SMB_ERROR_INPUT: what was recorded is damaged
 *
 * Runs a file that is a program (smb_stand_in_is_program()): the launches that it makes take the place of those of its text. What cannot
 * be run is left as it is, and a message says why.
 */
gboolean smb_seen_read(SmbCli *cli, SmbHost *host, const char *file, const char *const *folders,
                       GError **error);
