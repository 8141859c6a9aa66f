// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A kernel's text with a shared array in another layout: its declaration and the indices of its accesses
// changed, nothing else. Whether the new text does what it is to do is for an evaluation to show.
#pragma once

#include <glib.h>

#include "sim/layout.h"

G_BEGIN_DECLS

/** SmbEdit: @length bytes at @offset of the text become @text. */
typedef struct {
  guint32 offset;
  guint32 length;
  char *text;
} SmbEdit;

/** SmbRewriteArray: an array, how it lies, and how it is to lie. */
typedef struct {
  const SmbArray *array;
  gsize bytes; /* its size in this launch */
  SmbLayout from;
  SmbLayout to;
} SmbRewriteArray;

/**
 * smb_rewrite:
 * @arrays: (array length=n_arrays)
 * @error: SMB_ERROR_INPUT, with the place that cannot be changed, and why
 *
 * Returns: (transfer full) (element-type SmbEdit): the changes, in the order of the text; none overlap
 */
GArray *smb_rewrite(const SmbKernel *kernel, const SmbRewriteArray *arrays, guint n_arrays,
                    GError **error);

/** smb_rewrite_apply: Returns: (transfer full): the text of @source with @edits made */
char *smb_rewrite_apply(const SmbSource *source, const GArray *edits);

G_END_DECLS
