// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Which layout of a shared array makes its requests cheapest. The requests of a run are laid out anew and
// counted, for every layout of a space that is searched whole. Only addresses are looked at: what the
// indices of another layout cost to compute, and time, are not.
#pragma once

#include <glib.h>

#include "sim/advise/array-use.h"
#include "sim/count/wavefront.h"

G_BEGIN_DECLS

/** Which layouts are searched. */
typedef enum {
  SMB_ADVISE_PAD = 1 << 0,     /* rows padded */
  SMB_ADVISE_SWIZZLE = 1 << 1, /* elements swizzled */
  SMB_ADVISE_BOTH = 1 << 2,    /* elements swizzled, in padded rows */
} SmbAdviseKinds;

/** The kind of a layout: SMB_ADVISE_PAD for one that is neither padded nor swizzled. */
SmbAdviseKinds smb_advise_kind(const SmbLayout *layout);

/**
 * SmbCandidate: a layout, and what the requests of the array cost in it
 * @layout: the layout
 * @fit: SMB_LAYOUT_FITS, or why it cannot be; nothing else is set then but @layout, @bytes and
 *   @misfit_access
 * @total: over all accesses of the array
 * @accesses: (element-type SmbTally): by SmbAnalysis.accesses; empty tallies for other arrays' accesses
 * @bytes: what the array takes in it
 * @tensor_span: smb_layout_tensor_span(), of rows of its own; of an array without rows, of any. Of a tile (SmbArrayUse.tile) the swizzle of its
 *   description, in bytes; 0: none
 * @mode: of another layout of a tile: how it lies then; @layout is what comes nearest to it. Else it has no lines
 * @misfit_access: index of the access that cannot be made
 */
typedef struct {
  SmbLayout layout;
  SmbLayoutFit fit;
  SmbTally total;
  GArray *accesses;
  guint64 bytes;
  guint tensor_span;
  SmbPlacement mode;
  guint misfit_access;
} SmbCandidate;

/** Releases a candidate; %NULL is fine. */
void smb_candidate_free(SmbCandidate *candidate);

/**
 * SmbAdvice: what was searched for one array, and found
 * @use: (transfer none): the array
 * @original: how it lies now, and what its requests cost
 * @best: (element-type SmbCandidate): the best layouts of each kind, all in one order: fewest wavefronts
 *   first, then fewest bytes, then the largest smb_layout_vector_bytes(), then padding (and none) before
 *   swizzles before both, then the smallest of each number: padding, row, B, M, |S|, and S before -S. All of them fit.
 *   Empty if none does, as when one request asks for several arrays
 * @searched: layouts of the space
 * @unfit: of them, those that cannot be: an access would be torn or misaligned, or shared memory too small
 * @ties: layouts that cost as few wavefronts as the best, itself included; 0 if none fits
 * @counts: requests that were laid out or counted, once for each time
 * @given_up: the search was left at SmbAdviseOptions.max_counts: @best, @unfit and @ties are of the @searched only
 */
typedef struct {
  const SmbArrayUse *use;
  SmbCandidate *original;
  GPtrArray *best;
  guint64 searched;
  guint64 unfit;
  guint64 ties;
  guint64 counts;
  gboolean given_up;
} SmbAdvice;

/** Releases an advice; %NULL is fine. */
void smb_advice_free(SmbAdvice *advice);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbCandidate, smb_candidate_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbAdvice, smb_advice_free)

/**
 * SmbAdviseOptions:
 * @kinds: what is searched; 0: all. Neither padding nor a swizzle belongs to each kind
 * @row: as for smb_array_use_layout(); without it each power of two is tried for an array of one dimension
 * @present: (nullable): how the array lies now, if that is known; else smb_array_use_layout() says it
 * @within: rows are padded within, too, as arrays without rows are: after each power of two of elements that divides
 *   them
 * @keep: how many of the best of each kind are kept; at least one is
 * @vector_bytes: only layouts of which smb_layout_vector_bytes() is as large; 0: all
 * @max_counts: requests that are counted, once for each layout, before the search is given up; 0: no limit. Some ten
 *   million take a second
 * @counter: (nullable): the implementation that counts; all give the same. %NULL: the fastest
 * @progress: (nullable): counts layouts
 */
typedef struct {
  SmbAdviseKinds kinds;
  guint64 row;
  const SmbLayout *present;
  gboolean within;
  guint keep;
  guint vector_bytes;
  guint64 max_counts;
  const SmbCounter *counter;
  SmbProgress *progress;
} SmbAdviseOptions;

/**
 * smb_advise_array:
 * @use: (transfer none): an array and its requests, none dropped; must outlive the advice
 *
 * Searches the whole space:
 *  - rows padded by 0 elements to one less than fill all banks once (a row of SmbArchInfo.row_bytes; more
 *    only repeats what a smaller one gives, which the tests check); if SmbAdviseOptions.within asks for it, so many
 *    elements within rows as well;
 *  - all swizzles Swizzle<B,M,S> of either sign of S, |S| >= B, whose bits are all among those of an
 *    element's number: B + M + |S| is at most the bits of the highest one. Others do what one of these
 *    does, or only take more memory;
 *  - every swizzle that stays within a row with every padding.
 *
 * Of a tile (SmbArrayUse.tile), only what its descriptions can express (smb_tile_modes()); of as many wavefronts, and bytes, the largest swizzle is the
 * first.
 *
 * An array that is one row, as one of one dimension of which no row is given, is padded after every power
 * of two of elements, from those that fill all banks once to half of the array, and swizzled as a whole;
 * it is not searched for both together. A layout has to fit into the block's most shared memory, beside
 * what other arrays take.
 *
 * Each layout is counted for all requests, or until they cost more than the last that is kept of its kind;
 * so @best, @unfit and @ties are exact. Requests that cost the same in every layout are counted once. The
 * costs in @best are counted by smb_advise_try().
 *
 * Returns: (transfer full): the best of them, over all accesses of the array together
 */
SmbAdvice *smb_advise_array(const SmbArch *arch, const SmbArrayUse *use,
                            const SmbAdviseOptions *options);

/**
 * smb_advise_try:
 * @original: how the array lies now
 *
 * What one layout costs, the slow and obvious way: request by request. It need not be of the space. That
 * it may be too large is not looked at.
 *
 * Returns: (transfer full): what the requests of the array cost if it is laid out like @layout
 */
SmbCandidate *smb_advise_try(const SmbArch *arch, const SmbArrayUse *use, const SmbLayout *original,
                             const SmbLayout *layout);

/** smb_advise_elements: Returns: elements of an array of @array_bytes that lies like @layout */
guint64 smb_advise_elements(const SmbLayout *layout, gsize array_bytes);

G_END_DECLS
