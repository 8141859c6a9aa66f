// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A kernel's text with a shared array in another layout: its declaration and the indices of its accesses
// changed, nothing else. Whether the new text does what it is to do is for an evaluation to show.
#pragma once

#include <glib.h>

#include "sim/launch/launch.h"
#include "sim/program/layout.h"
#include "sim/program/program.h"

G_BEGIN_DECLS

/** SmbEdit: @length bytes at @offset of the text become @text. */
typedef struct {
  guint32 offset;
  guint32 length;
  char *text;
} SmbEdit;

/** smb_edits_new: Returns: (transfer full) (element-type SmbEdit): none yet */
GArray *smb_edits_new(void);

/** smb_edits_sort: puts edits into the order of the text; those at one place stay in their order */
void smb_edits_sort(GArray *edits);

/** How an index is written if what it counts is padded after each row of 32: the ways that a compiler makes less of come first.
 * Each is right only if the launch keeps to the conditions that smb_rewrite() says; an index that does not have such parts is
 * written as in the way before. */
typedef enum {
  SMB_REWRITE_WHOLE, /* [y * 32 + x * 4 + i] becomes [place(y * 32 + x * 4 + i)] */
  SMB_REWRITE_SPLIT, /* [y * (32 + 1) + place(x * 4 + i)] */
  SMB_REWRITE_READS_ON, /* [y * (32 + 1) + place(x * 4) + i], if i does not reach beyond the row of x * 4 */
  SMB_REWRITE_IN_ROWS, /* [y * (32 + 1) + x * 4 + i], if x * 4 + i is less than 32 */
} SmbRewriteForm;

/** SmbRewriteArray: an array, how it lies, and how it is to lie. */
typedef struct {
  const SmbArray *array;
  gsize bytes; /* its size in this launch */
  SmbLayout from;
  SmbLayout to;
  gboolean is_last; /* of parts of dynamic memory: none lies behind it */
  SmbRewriteForm form;
} SmbRewriteArray;

/**
 * smb_rewrite:
 * @arrays: (array length=n_arrays): each once, none swizzled now
 * @conditions: (out) (optional) (transfer full) (nullable): what the new text takes to hold of the indices: "x < 32 and y < 16"; %NULL: nothing
 * @error: SMB_ERROR_INPUT, with the place that cannot be changed, why, and what to write by hand
 *
 * What is written:
 *  - of rows that are padded otherwise, only the innermost number of the declaration changes;
 *  - a swizzle that stays within a row changes the last index: [r][c] becomes [r][c ^ ((r & 7) << 2)];
 *  - otherwise the place of an element is computed from its number, in a function of its own where an
 *    index is long, or where evaluating it twice would do something else;
 *  - a vector access through a cast keeps its form, its index in units of the vector.
 *
 * Text in #if branches that were not taken stays as it is: smb_rewrite_unseen().
 *
 * Returns: (transfer full) (element-type SmbEdit): the changes, in the order of the text; none overlap
 */
GArray *smb_rewrite(const SmbProgram *kernel, const SmbLaunch *launch,
                    const SmbRewriteArray *arrays, guint n_arrays, char **conditions,
                    GError **error);

/** smb_rewrite_apply: Returns: (transfer full): the text of @source with @edits made */
char *smb_rewrite_apply(const SmbSource *source, const GArray *edits);

/** smb_rewrite_growth: Returns: bytes of dynamic shared memory more than now that a dynamic array takes when it
 * is rewritten; of a part that a pointer names, and behind which others lie, whole rows of the banks */
gssize smb_rewrite_growth(const SmbRewriteArray *array);

/** smb_rewrite_bytes: Returns: bytes that the array takes when it is rewritten */
gsize smb_rewrite_bytes(const SmbRewriteArray *array);

/** SmbRewriteNames: where a text has each name, macros not replaced */
typedef struct SmbRewriteNames SmbRewriteNames;

/** smb_rewrite_names_new: @kernel: (transfer none): must outlive it; compiled code has none */
SmbRewriteNames *smb_rewrite_names_new(const SmbProgram *kernel);
void smb_rewrite_names_free(SmbRewriteNames *names);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbRewriteNames, smb_rewrite_names_free)

/**
 * smb_rewrite_unseen:
 * @names: of the kernel's text
 *
 * Returns: (transfer full) (element-type guint): lines, from 1, that mention the name of @array, where it
 *   can mean it, and are not evaluated: in #if branches that were not taken, in sizeof, in other kernels.
 *   A rewriting leaves them alone
 */
GArray *smb_rewrite_unseen(const SmbRewriteNames *names, const SmbArray *array);

/**
 * smb_rewrite_describe:
 *
 * Returns: (transfer full): the index that takes the place of [r][c] (of three dimensions [p][r][c]) or
 *   of [i], in plain C: "[r][c ^ (r & 7)]"
 */
char *smb_rewrite_describe(const SmbRewriteArray *array);

G_END_DECLS
