// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Compiled code has no names of parameters, and no types of shared arrays: its text has.
#pragma once

#include "sim/program/prototype.h"

/**
 * smb_naming_read:
 * @source: a text of CUDA C
 * @program: compiled code
 * @reading: as of smb_program_read(), of the text
 * @shared: (out) (transfer full) (nullable): as of smb_cuda_prototype()
 *
 * Returns: (transfer full) (nullable) (element-type SmbDeclared): what the text declares of the kernel of that name; types that it does
 *   not explain have no sizes. %NULL: it has no such kernel, or several that differ
 */
GArray *smb_naming_read(SmbSource *source, const SmbProgram *program,
                        const SmbProgramOptions *reading, GArray **shared);
