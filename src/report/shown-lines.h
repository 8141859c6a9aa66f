// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Which lines of a text a page shows at once.
#pragma once

#include "sim/base/source.h"

/**
 * smb_shown_lines_new:
 * @counted: (element-type SmbLineTally): of each line
 *
 * Returns: (transfer full): for each line of @source, from 1, whether it is of a function in which something is counted; all, if there is
 *   no such function
 */
GByteArray *smb_shown_lines_new(const SmbSource *source, const GArray *counted);
