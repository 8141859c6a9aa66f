// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The launches that a program makes, for a first project file: blocks, grids and arguments as they were seen.
#pragma once

#include "sim/cuda/text/host.h"
#include "src/cli/cli.h"

/**
 * smb_seen_read:
 * @host: has the kernels of the files
 * @texts: (element-type utf8): all files
 * @program: which of them may be a program
 * @folders: (element-type utf8 GStrv): of each, where files are that it includes
 * @error: SMB_ERROR_INPUT: what was recorded is damaged
 *
 * Runs a file that is a program (smb_stand_in_is_program()): the launches that it makes take the place of those of its text. If it calls
 * functions that it does not have, it is made of the files together that are no programs. What cannot be run is left as it is, and a
 * message says why.
 */
gboolean smb_seen_read(SmbCli *cli, SmbHost *host, const GPtrArray *texts, guint program,
                       GHashTable *folders, GError **error);
