// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Where the files are that a text includes, if they are not beside it: folders of a project that a compiler is told of.
#pragma once

#include "sim/base/source.h"

/**
 * smb_init_folders:
 * @source: CUDA C
 *
 * Returns: (transfer full) (array zero-terminated=1): the folders beside or above the text that have what it includes, in the order in
 *   which it asks for them. What no such folder has is the system's, or is left to the user
 */
char **smb_init_folders(SmbSource *source);
