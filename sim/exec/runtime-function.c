// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/exec/runtime-function.h"

#include <string.h>

static const Provided table[] = {
#define PROVIDED(name, opcode, passed, returned)                                                   \
  {name, STEP_##opcode, passed, returned, STEP_##opcode == STEP_ALLOCATE},
#define SERVICE(name, handler, passed, returned)                                                   \
  {name, STEP_SERVICE, passed, returned, returned == 2},
#include "sim/exec/runtime-function.def"
#undef PROVIDED
#undef SERVICE
};

static gboolean
is_provided_name(const Provided *row, const char *name) {
  gsize length = strlen(row->name);
  return strncmp(row->name, name, length) == 0 &&
         (name[length] == '\0' ||
          (row->opcode == STEP_SERVICE && strcmp(name + length, "_ptsz") == 0));
}

const Provided *
smb_provided_find(const char *name) {
  for (guint i = 0; i < G_N_ELEMENTS(table); i++) {
    if (is_provided_name(&table[i], name))
      return &table[i];
  }
  return NULL;
}

guint32
smb_provided_number(const Provided *provided) {
  return (guint32)(provided - table);
}

const Provided *
smb_provided_row(guint32 number) {
  return &table[number];
}

guint
smb_provided_bytes(char letter) {
  return letter == 'I' ? 4 : letter == 'D' ? 12 : letter == 'X' ? 32 : letter == 'E' ? 24 : 8;
}

gboolean
smb_provided_pass(Passing *passing, char letter, guint *place) {
  guint bytes = smb_provided_bytes(letter), align = bytes % 8 ? 1 : 2, n = bytes / 4;
  guint64 rows = ((guint64)1 << n) - 1;
  for (guint row = 0; row + n <= passing->most; row += align) {
    if (passing->taken & rows << row)
      continue;
    passing->taken |= rows << row;
    *place = row;
    return TRUE;
  }
  *place = (passing->stack_bytes + 4 * align - 1) / (4 * align) * (4 * align);
  passing->stack_bytes = *place + bytes;
  return FALSE;
}

guint
smb_provided_rows(const Provided *provided) {
  Passing passing = {.most = PASSED_ROWS};
  guint place, rows = 0;
  for (const char *letter = provided->passed; *letter; letter++) {
    smb_provided_pass(&passing, *letter, &place);
    rows = MAX(rows, place + smb_provided_bytes(*letter) / 4);
  }
  return rows;
}

// All names that begin with "cuda" belong to the device's runtime.
gboolean
smb_provided_is_harmless(const char *name) {
  return g_str_has_prefix(name, "cuda") || g_str_has_prefix(name, "__cuda");
}
