// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Edits of a text as a person reads them: whole lines, before and after.
#pragma once

#include "sim/cuda/rewrite/rewrite.h"

/**
 * SmbChange: lines that change.
 * @line: of the old text, from 1: the first of them, or the one before which lines are added
 * @before: (nullable): them, without the last line feed; %NULL: only added
 * @after: what they become
 */
typedef struct {
  guint line;
  char *before;
  char *after;
} SmbChange;

/** smb_changes_new: Returns: (transfer full) (element-type SmbChange): in the order of the text */
GArray *smb_changes_new(const SmbSource *source, const GArray *edits);
