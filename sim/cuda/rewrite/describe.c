// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The index of a layout for a person to read: [p][r][c], [r][c] or [i], and what it becomes.
#include "sim/cuda/rewrite/impl.h"

// The place of the element of a number: "[n ^ (n >> 5 & 31)], n = NUMBER"; of rows that are padded
// "[n + n / 32], n = m ^ (m >> 5 & 31), m = NUMBER".
static char *
describe_place(const SmbLayout *to, const char *number) {
  static const Term m = {"m", BINDS_ALL, 0}, n = {"n", BINDS_ALL, 0};
  GString *out = g_string_new("[");
  if (to->pad)
    smb_index_append_padded(out, to->bits ? &n : &m, to->columns, (gint64)to->pad);
  else
    g_string_append(out, "n");
  if (!to->pad)
    smb_index_append_swizzle(out, to, &n);
  g_string_append_c(out, ']');
  if (to->pad && to->bits) {
    g_string_append(out, ", n = m");
    smb_index_append_swizzle(out, to, &m);
  }
  g_string_append_printf(out, ", %c = %s", to->pad ? 'm' : 'n', number);
  return g_string_free(out, FALSE);
}

// The index of an array without rows.
static char *
describe_flat(const SmbRewriteArray *wanted) {
  const SmbArray *array = wanted->array;
  const SmbLayout *from = &wanted->from, *to = &wanted->to;
  Term i = {"i", BINDS_ALL, array->is_dynamic ? 0 : array->dimension[0]};
  g_autofree char *flat = smb_index_write_flat(from, to, &i);
  if (flat)
    return g_strdup_printf("[%s]", flat);
  g_autofree char *number = smb_index_write_number(from);
  return describe_place(to, number);
}

// The index of an array whose elements leave their rows.
static char *
describe_crossing(const SmbRewriteArray *wanted, const Term *indices) {
  const SmbArray *array = wanted->array;
  guint64 inner[SMB_ARRAY_MAX_DIMENSIONS];
  for (guint i = 0; i < array->n_dimensions; i++)
    inner[i] = i + 1 == array->n_dimensions ? wanted->from.columns : array->dimension[i];
  g_autoptr(GString) joined = g_string_new(NULL);
  Term number = smb_index_join(joined, indices, inner, array->n_dimensions);
  return describe_place(&wanted->to, number.text);
}

char *
smb_rewrite_describe(const SmbRewriteArray *wanted) {
  static const char *const names[] = {"p", "r", "c"};
  const SmbArray *array = wanted->array;
  const SmbLayout *to = &wanted->to;
  guint rank = array->n_dimensions;
  if (rank < 2)
    return describe_flat(wanted);
  Term indices[SMB_ARRAY_MAX_DIMENSIONS];
  const char *const *own = names + SMB_ARRAY_MAX_DIMENSIONS - rank;
  for (guint i = 0; i < rank; i++)
    indices[i] = (Term){own[i], BINDS_ALL, array->dimension[i]};
  gboolean within = to->columns != wanted->from.columns;
  if (!smb_layout_keeps_rows(to) || (within && (to->bits || wanted->from.columns % to->columns)))
    return describe_crossing(wanted, indices);
  GString *out = g_string_new(NULL);
  for (guint i = 0; i + 1 < rank; i++)
    g_string_append_printf(out, "[%s]", own[i]);
  g_autofree char *flip =
      to->bits ? smb_index_write_row(to, indices, array->dimension, rank, NULL) : g_strdup("");
  if (within) {
    g_string_append_c(out, '[');
    smb_index_append_padded(out, &indices[rank - 1], to->columns, (gint64)to->pad);
    g_string_append_c(out, ']');
  } else {
    g_string_append_printf(out, "[%s%s]", own[rank - 1], flip);
  }
  return g_string_free(out, FALSE);
}
