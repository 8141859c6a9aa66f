// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a compiler makes of loads, or stores, of adjacent elements: a thread that reads or stores an array element by element,
// as an unrolled loop does, accesses several at once where they are aligned. Nobody is asked whether a compiler will: it may
// not know the alignment.
#pragma once

#include "sim/advise/array-use.h"

G_BEGIN_DECLS

/**
 * SmbMergedUse: an array with other requests than those of the text.
 * @use: the array; its requests are those of the text, but for runs of loads or of stores, which are merged
 * @width: bytes of a lane in the widest request that is merged
 * @access: of SmbAnalysis.accesses: the first that is merged; of loads and stores the first load
 * @made: (element-type SmbAccessRequest): what the requests of @use are of
 */
typedef struct {
  SmbArrayUse use;
  guint width;
  guint access;
  GArray *made;
} SmbMergedUse;

/**
 * smb_array_use_merge:
 * @use: (transfer none): must outlive the result
 * @max_width: bytes that a lane may access at once: a power of two, at most 16
 *
 * Merges loads, and stores, that one access in a loop that is unrolled (SmbSite.is_unrolled) makes one after the other, of the
 * same lanes and as often, each of which goes on where it was before, upwards or downwards: as many at once as make a width
 * that the lowest address of every lane is a multiple of.
 *
 * Returns: (transfer full) (nullable): the array with what is merged; %NULL: nothing is
 */
SmbMergedUse *smb_array_use_merge(const SmbArrayUse *use, guint max_width);
void smb_merged_use_free(SmbMergedUse *merged);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbMergedUse, smb_merged_use_free)

G_END_DECLS
