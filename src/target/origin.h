// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The files that compiled code was compiled from, as far as they are at hand: where they are named, from here or from the
// folder of the compiled file, in that folder, or in the current one.
#pragma once

#include "sim/program/program.h"
#include "src/cli/files.h"

typedef struct _SmbOrigins SmbOrigins;

/**
 * smb_origins_new:
 * @program: (transfer none): must outlive the result, as must @files
 * @files: (nullable): takes the files that are read
 *
 * Returns: (transfer full): no text yet
 */
SmbOrigins *smb_origins_new(const SmbProgram *program, SmbFiles *files);
void smb_origins_free(SmbOrigins *origins);

/** smb_origins_find: Returns: (nullable) (transfer none): the text of a file that a site names; %NULL if it is not at hand,
 * or the program is not compiled code */
SmbSource *smb_origins_find(SmbOrigins *origins, const char *file);

/** smb_origins_line: Returns: (nullable) (transfer full): the line of the source that a site stands for, without the space
 * around it */
char *smb_origins_line(SmbOrigins *origins, const SmbSite *site);

/** smb_origins_name_parameters: names the parameters of PTX or machine code, which was read with @reading, as the text does that its
 * line table names, if that is at hand and declares the kernel alike. @files: (nullable): takes the files that are read (named.c) */
void smb_origins_name_parameters(SmbProgram *program, const SmbProgramOptions *reading,
                                 SmbFiles *files);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbOrigins, smb_origins_free)
