// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Rows of shared arrays, longer: in a text that need not be in the kernel language, as one that a compiler reads. Only
// tokens are looked at, so that only a declaration is changed, and how long loads and stores of wmma are told that a row is.
#pragma once

#include "sim/base/source.h"
#include "sim/cuda/rewrite/rewrite.h"

G_BEGIN_DECLS

/** How a text uses an array, wherever it has its name. */
typedef enum {
  SMB_DECLARED_INDEXED, /* an index follows for each dimension: a kernel does the same in longer rows */
  SMB_DECLARED_ADDRESSED, /* so it does, but some elements have their address taken: what happens there is not seen */
  SMB_DECLARED_OTHER,
} SmbDeclaredUse;

/** SmbDeclaredLength: where a text says how long a row is, with the character before it and the one behind it */
typedef struct {
  guint32 start;
  guint32 end;
} SmbDeclaredLength;

/**
 * SmbDeclared: a __shared__ array of several dimensions that have numbers, as it is declared
 * @row: what its last dimension is, as a text
 * @line: from 1
 * @is_loose: it binds less tightly than "+"
 * @lengths: (element-type SmbDeclaredLength): in the declaration; then leading dimensions that say the same: load_matrix_sync() and
 *   store_matrix_sync() get them with an address in the array. CUDA takes only multiples of 16 bytes for those
 */
typedef struct {
  char *name;
  char *row;
  guint line;
  gboolean is_loose;
  SmbDeclaredUse use;
  GArray *lengths;
} SmbDeclared;

/** smb_declared_new: Returns: (transfer full) (element-type SmbDeclared): those of a text, in its order; none of one that has no
 * tokens of CUDA C */
GArray *smb_declared_new(const SmbSource *source);

/** smb_declared_pad: adds to @edits (smb_edits_new()) what makes rows @more elements longer; smb_edits_sort() is for later */
void smb_declared_pad(const SmbDeclared *array, guint more, GArray *edits);

G_END_DECLS
