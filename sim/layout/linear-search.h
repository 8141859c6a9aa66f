// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The fewest wavefronts of any layout that is linear over F2: a place is an XOR of constants chosen by the bits of an element's number, as
// all XOR swizzles are. What one lane moves at once stays together, in order, and so do the elements of a bank's word: the lowest bits of
// the number stay as they are, and change nothing else. Conflicts are then decided by one subspace K: the numbers whose places are at the
// beginning of a row of the banks. Lanes of a group whose elements are a coset of a subspace A take 2^dim(A ∩ K) wavefronts. So the
// layouts to choose from are the subspaces of one dimension, and one without conflicts has only 0 in common with each A.
//
// Not decided: tiles whose elements are not a power of two, groups of lanes that are no coset, operations that wait for lanes.
#pragma once

#include "sim/count/wavefront.h"
#include "sim/layout/tile.h"

/** Most bits of an element's number. */
#define SMB_LINEAR_MAX_BITS 20

/** Most different subspaces of lane groups. */
#define SMB_LINEAR_MAX_GROUPS 12

/**
 * SmbLinearGroup: lane groups whose elements differ by the same subspace
 * @n: its dimension, with what one lane moves at once, or a word of a bank
 * @basis: (array length=n): numbers of elements
 * @width_bits: log2 of the elements that a lane moves at once, or that a word has: 0 to these bits belong to it
 * @weight: wavefronts of such groups without conflicts
 */
typedef struct {
  guint n;
  guint32 basis[SMB_LINEAR_MAX_BITS];
  guint width_bits;
  guint64 weight;
} SmbLinearGroup;

/**
 * SmbLinearSearch:
 * @failure: (nullable): why nothing was decided, in words (static)
 * @bits: of an element's number
 * @row_bits: log2 of the elements in a row of the banks
 * @unit_bits: log2 of the elements that stay side by side: the widest of the groups
 * @groups: (element-type SmbLinearGroup)
 * @empty: wavefronts of lane groups without an active lane
 * @ideal: wavefronts without conflicts
 * @least: no linear layout takes fewer
 * @found: wavefronts of the best one that was found
 * @n_kernel: dimension of K
 * @kernel: (array length=n_kernel): a basis of K of that one
 * @tried: subspaces, or beginnings of them, that were looked at
 */
typedef struct {
  const char *failure;
  guint bits;
  guint row_bits;
  guint unit_bits;
  GArray *groups;
  guint64 empty;
  guint64 ideal;
  guint64 least;
  guint64 found;
  guint n_kernel;
  guint32 kernel[SMB_LINEAR_MAX_BITS];
  guint64 tried;
} SmbLinearSearch;

/**
 * smb_linear_search_new:
 * @requests: (element-type SmbRequest): of the tile as it would lie row by row
 * @n: elements of the tile
 *
 * Returns: (transfer full): the least that linear layouts take, and one that takes @found
 */
SmbLinearSearch *smb_linear_search_new(const SmbArch *arch, const GArray *requests, guint64 n,
                                       guint element_bytes);
void smb_linear_search_free(SmbLinearSearch *search);

/** smb_linear_search_offsets: @offsets: (out) (array length=bits): the element whose place is 1 << bit, of the layout that was found */
void smb_linear_search_offsets(const SmbLinearSearch *search, guint32 *offsets);

/** smb_linear_search_bases: @bases: (out) (array length=bits): the place of element 1 << bit, in elements; its inverse */
void smb_linear_search_bases(const SmbLinearSearch *search, guint32 *bases);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbLinearSearch, smb_linear_search_free)
