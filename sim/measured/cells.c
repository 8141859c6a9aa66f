// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/measured/cells.h"

// Takes one cell from a line. NULL of a cell in quotes that does not end.
static const char *
take_csv_cell(const char *at, GString *cell) {
  gboolean quoted = *at == '"';
  for (at += quoted; *at && (quoted || *at != ','); at++) {
    if (quoted && *at == '"' && *++at != '"')
      return at;
    g_string_append_c(cell, *at);
  }
  return quoted ? NULL : at;
}

const char *
smb_cells_split(const char *line, GPtrArray *cells) {
  g_ptr_array_set_size(cells, 0);
  for (const char *at = line;; at++) {
    g_autoptr(GString) cell = g_string_new(NULL);
    at = take_csv_cell(at, cell);
    if (!at)
      return "a cell in quotes that does not end: the file was cut";
    g_ptr_array_add(cells, g_strdup(cell->str));
    if (*at != ',')
      return *at ? "expected a comma after a cell in quotes" : NULL;
  }
}
