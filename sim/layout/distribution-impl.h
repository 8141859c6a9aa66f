// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// An encoding that is being made, and what those of all vendors share. Private to sim/layout.
#pragma once

#include "sim/layout/attribute.h"
#include "sim/layout/distribution.h"

/** SmbBuild: @at: what messages are about; @extent: the shape that is distributed; @size: how far it reaches in each dimension by now */
typedef struct {
  SmbNotation *notation;
  guint32 at;
  guint64 extent[SMB_TUPLE_MAX_RANK];
  guint64 size[SMB_TUPLE_MAX_RANK];
  SmbDistribution *out;
} SmbBuild;

/** No dimension, in place of one in which several lanes or warps hold the same. */
#define SMB_BUILD_NONE G_MAXUINT

/** smb_build_add: The next bit of a holder stands for this coordinate. */
gboolean smb_build_add(SmbBuild *build, SmbHolder holder, const guint64 *coordinate,
                       GError **error);

/** smb_build_extend: The next bits of a holder step through @n places of a dimension; through none of it if @is_same, as those of lanes and
 * warps that hold the same elements */
gboolean smb_build_extend(SmbBuild *build, SmbHolder holder, guint dimension, guint64 n,
                          gboolean is_same, GError **error);

/** smb_build_fill: Registers repeat the tile over the shape, in this order of the dimensions; what reaches beyond the shape wraps around */
gboolean smb_build_fill(SmbBuild *build, const guint *order, GError **error);

/** smb_build_list: @numbers: (out): one for each dimension */
gboolean smb_build_list(const SmbBuild *build, const GPtrArray *attributes, const char *key,
                        guint64 least, guint64 most, guint64 *numbers, GError **error);

// --- AMD's, in amd-distribution.c. @operand: 0 or 1 of a product, whose registers hold @width elements that are adjacent; or -1: its results

gboolean smb_build_mfma(SmbBuild *build, const GPtrArray *attributes, gint operand, guint64 width,
                        GError **error);
gboolean smb_build_wmma(SmbBuild *build, const GPtrArray *attributes, gint operand, guint64 width,
                        GError **error);
