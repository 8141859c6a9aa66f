// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Which member of a union in shared memory an access means. The union is an array of the program, of bytes; its members overlap. A
// member is named only if the access cannot be of another one.
#include <string.h>

#include "sim/program/inside.h"

// What an instruction says of the values that it moves: none is wider than @most bytes, and none narrower than @least.
typedef struct {
  guint least;
  guint most;
} Widths;

// PTX says it: of .f32 and .f64 all, of .v2 and .v4 at most as wide. Compilers read several values as one, but not the reverse.
static Widths
find_widths(const char *opcode, guint width) {
  const char *vector = opcode ? strstr(opcode, ".v") : NULL;
  guint n = vector && g_ascii_isdigit(vector[2]) ? (guint)g_ascii_digit_value(vector[2]) : 1;
  if (opcode && g_str_has_suffix(opcode, ".f32"))
    return (Widths){4, 4};
  if (opcode && g_str_has_suffix(opcode, ".f64"))
    return (Widths){8, 8};
  return (Widths){1, MAX(width / n, 1)};
}

// Whether an access may be of a member: it begins and ends with one of the member's values. It may go on in what follows the member.
static gboolean
may_mean(const SmbArray *member, guint32 offset, guint width, Widths widths) {
  guint32 at = offset - member->base;
  guint least = member->least_scalar;
  gboolean is_beyond = at < member->bytes && at + width > member->bytes;
  return at < member->bytes && at % least == 0 && (is_beyond || width % least == 0) &&
         least <= widths.most && member->most_scalar >= widths.least;
}

const SmbArray *
smb_program_array_of(const SmbProgram *program, guint32 offset, guint width, const char *opcode) {
  const SmbArray *array = smb_program_array_at(program, offset), *found = NULL;
  Widths widths = find_widths(opcode, width);
  guint n = 0;
  for (guint i = 0; array && array->is_union && i < program->views->len; i++) {
    const SmbArray *member = &g_array_index(program->views, SmbArray, i);
    if (!may_mean(member, offset, width, widths))
      continue;
    found = member;
    n++;
  }
  return n == 1 && offset - found->base + width <= found->bytes ? found : array;
}

guint
smb_program_n_views(const SmbProgram *program) {
  return program->views->len;
}

const SmbArray *
smb_program_view(const SmbProgram *program, guint index) {
  return &g_array_index(program->views, SmbArray, index);
}

const SmbArray *
smb_program_view_named(const SmbProgram *program, const char *name, guint *variable) {
  for (guint i = 0; i < program->views->len; i++) {
    const SmbArray *member = &g_array_index(program->views, SmbArray, i);
    if (strcmp(member->name, name) != 0)
      continue;
    *variable = 0;
    while (smb_program_array_at(program, member->base) != smb_program_array(program, *variable))
      (*variable)++;
    return member;
  }
  return NULL;
}

char *
smb_array_byte_name(const SmbArray *array, guint32 offset) {
  gboolean is_nameless = strchr(array->name, '+') != NULL;
  gsize at = offset - array->base + (is_nameless ? array->inside : 0);
  return g_strdup_printf("%s+%" G_GSIZE_FORMAT, is_nameless ? array->variable : array->name, at);
}
