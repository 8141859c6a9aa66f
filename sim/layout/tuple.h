// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// CuTe's shape and stride: nested tuples of the same form. A coordinate of a mode is split colexicographically: its first part runs
// fastest. Strides are integers; CuTe's basis strides (1@0) are not read.
#pragma once

#include "sim/layout/notation.h"

/**
 * SmbTuplePart: one extent with its stride
 * @mode: which top-level mode it is a part of
 * @below: product of the extents of its mode before it
 */
typedef struct {
  guint mode;
  guint64 extent;
  guint64 below;
  gint64 stride;
} SmbTuplePart;

/** Most top-level modes. */
#define SMB_TUPLE_MAX_RANK 3

/**
 * SmbTuple:
 * @parts: (element-type SmbTuplePart)
 * @rank: top-level modes
 * @size: of each: product of its extents
 */
typedef struct {
  GArray *parts;
  guint rank;
  guint64 size[SMB_TUPLE_MAX_RANK];
} SmbTuple;

/** smb_tuple_parse: reads "SHAPE:STRIDE". Returns: (transfer full): it, of at most SMB_TILE_MAX_ELEMENTS elements */
SmbTuple *smb_tuple_parse(SmbNotation *notation, GError **error);
void smb_tuple_free(SmbTuple *tuple);

/** smb_tuple_offset: @coordinate: (array length=rank). Returns: sum of strides; cannot overflow, as strides and extents are small */
gint64 smb_tuple_offset(const SmbTuple *tuple, const guint64 *coordinate);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbTuple, smb_tuple_free)
