// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/layout/tuple.h"

// Most parts: each has a digit of a number of at most SMB_TILE_MAX_ELEMENTS, but extents of 1 are allowed.
#define MAX_PARTS 64

// tuple: NUMBER | '(' tuple (',' tuple)* ')'. The extents of a mode, in order.
static gboolean
parse_tuple_shape(SmbNotation *notation, SmbTuple *tuple, guint mode, GError **error) {
  if (smb_notation_skip(notation) != '(') {
    SmbTuplePart part = {.mode = mode, .below = tuple->size[mode]};
    if (tuple->parts->len == MAX_PARTS)
      return smb_notation_fail(notation, notation->at, error, "more than %d extents", MAX_PARTS);
    if (!smb_notation_number(notation, 1, SMB_TILE_MAX_ELEMENTS, &part.extent, error))
      return FALSE;
    tuple->size[mode] *= part.extent;
    g_array_append_val(tuple->parts, part);
    return tuple->size[mode] <= SMB_TILE_MAX_ELEMENTS ||
           smb_notation_fail(notation, notation->at, error, "more than %u elements",
                             SMB_TILE_MAX_ELEMENTS);
  }
  if (!smb_notation_open(notation, "(", error))
    return FALSE;
  do {
    if (!parse_tuple_shape(notation, tuple, mode, error))
      return FALSE;
  } while (smb_notation_take(notation, ","));
  return smb_notation_close(notation, ")", error);
}

// The top level of a shape: each member of its tuple is a mode.
static gboolean
parse_modes(SmbNotation *notation, SmbTuple *tuple, GError **error) {
  if (smb_notation_skip(notation) != '(') {
    tuple->rank = 1;
    return parse_tuple_shape(notation, tuple, 0, error);
  }
  if (!smb_notation_open(notation, "(", error))
    return FALSE;
  do {
    if (tuple->rank == SMB_TUPLE_MAX_RANK)
      return smb_notation_fail(notation, notation->at, error, "more than %d modes",
                               SMB_TUPLE_MAX_RANK);
    if (!parse_tuple_shape(notation, tuple, tuple->rank++, error))
      return FALSE;
  } while (smb_notation_take(notation, ","));
  guint64 size = 1;
  for (guint i = 0; i < tuple->rank; i++)
    size *= tuple->size[i];
  if (size > SMB_TILE_MAX_ELEMENTS)
    return smb_notation_fail(notation, notation->at, error, "more than %u elements",
                             SMB_TILE_MAX_ELEMENTS);
  return smb_notation_close(notation, ")", error);
}

// Strides for the parts from *@next on; @from: where the shape is, whose form this has to have.
static gboolean
parse_strides(SmbNotation *notation, SmbTuple *tuple, SmbNotation *shape, guint *next,
              GError **error) {
  gboolean is_nested = smb_notation_skip(shape) == '(';
  if (is_nested != (smb_notation_skip(notation) == '('))
    return smb_notation_fail(notation, notation->at, error,
                             "expected strides of the form of the shape: %s here",
                             is_nested ? "a tuple" : "a number");
  if (!is_nested) {
    guint64 extent;
    return smb_notation_number(shape, 1, G_MAXUINT64, &extent, error) &&
           smb_notation_integer(
               notation, &g_array_index(tuple->parts, SmbTuplePart, (*next)++).stride, error);
  }
  smb_notation_take(shape, "(");
  smb_notation_take(notation, "(");
  gboolean goes_on;
  do {
    if (!parse_strides(notation, tuple, shape, next, error))
      return FALSE;
    goes_on = smb_notation_take(shape, ",");
  } while (goes_on && smb_notation_expect(notation, ",", error));
  smb_notation_take(shape, ")");
  return !goes_on && smb_notation_expect(notation, ")", error);
}

SmbTuple *
smb_tuple_parse(SmbNotation *notation, GError **error) {
  g_autoptr(SmbTuple) tuple = g_new0(SmbTuple, 1);
  tuple->parts = g_array_new(FALSE, FALSE, sizeof(SmbTuplePart));
  for (guint i = 0; i < SMB_TUPLE_MAX_RANK; i++)
    tuple->size[i] = 1;
  SmbNotation shape = *notation;
  guint next = 0;
  if (!parse_modes(notation, tuple, error) || !smb_notation_expect(notation, ":", error) ||
      !parse_strides(notation, tuple, &shape, &next, error))
    return NULL;
  return g_steal_pointer(&tuple);
}

void
smb_tuple_free(SmbTuple *tuple) {
  if (!tuple)
    return;
  g_array_unref(tuple->parts);
  g_free(tuple);
}

gint64
smb_tuple_offset(const SmbTuple *tuple, const guint64 *coordinate) {
  gint64 offset = 0;
  for (guint i = 0; i < tuple->parts->len; i++) {
    const SmbTuplePart *part = &g_array_index(tuple->parts, SmbTuplePart, i);
    offset += (gint64)(coordinate[part->mode] / part->below % part->extent) * part->stride;
  }
  return offset;
}
