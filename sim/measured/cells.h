// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Lines of CSV.
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * smb_cells_split:
 * @line: without its end; cells with commas are in quotes, where two quotes are one
 * @cells: (element-type utf8): its cells (transfer full), in the place of what was in it
 *
 * Returns: (transfer none) (nullable): what is wrong with the line; %NULL: nothing is
 */
const char *smb_cells_split(const char *line, GPtrArray *cells);

G_END_DECLS
