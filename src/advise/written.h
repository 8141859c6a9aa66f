// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Padded rows, written into a source that only a compiler reads: templates, libraries, whatever the kernel language does not have.
// What these gain is what the machine code says.
#pragma once

#include "src/advise/compiled.h"

/**
 * SmbAdvisePadding: the source with longer rows
 * @name: "tile: pad 4"; of several arrays "tile: pad 4, rows: pad 1"
 * @compared_bytes: of global memory: the same as of the kernel as it is, where addresses of elements are taken; 0: that need not
 *   be looked at
 * @edits: (element-type SmbEdit): of the source
 * @compiled: what it takes
 */
typedef struct {
  char *name;
  GArray *edits;
  guint64 compared_bytes;
  SmbAdviseCompiled *compiled;
} SmbAdvisePadding;

/**
 * SmbAdviseWritten:
 * @source: the text that was compiled
 * @now: what the kernel takes as it is
 * @forms: (element-type SmbAdvisePadding): those of which the machine code takes other wavefronts, by array, the best first; in the end
 *   the best of all arrays together, if several gain
 * @best: (nullable) (transfer none): of @forms: what is recommended
 * @tried: (element-type utf8): arrays whose rows were made longer
 * @matrices: (element-type utf8): of @tried: by 8 elements only, together with leading dimensions that wmma is given
 * @left_alone: (element-type utf8): arrays that the text names without all their indices
 * @unlike: (element-type utf8): forms that leave other global memory, or of which that is not known
 */
typedef struct {
  SmbSource *source;
  SmbAdviseCompiled *now;
  GPtrArray *forms;
  const SmbAdvisePadding *best;
  GPtrArray *tried;
  GPtrArray *matrices;
  GPtrArray *left_alone;
  GPtrArray *unlike;
} SmbAdviseWritten;

/**
 * smb_advise_written_new:
 * @target: that was compiled from a file of CUDA C
 * @analysis: of it
 * @now: (transfer none): what it takes; must outlive the result
 *
 * Returns: (transfer full) (nullable): %NULL: of another target, without conflicts, or where requests are not counted
 */
SmbAdviseWritten *smb_advise_written_new(const SmbTarget *target, const SmbArch *arch,
                                         const SmbAnalysis *analysis, SmbAdviseCompiled *now);
void smb_advise_written_free(SmbAdviseWritten *written);

/** smb_advise_written_text: Returns: (transfer full): the source in a form */
char *smb_advise_written_text(const SmbAdviseWritten *written, const SmbAdvisePadding *form);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbAdviseWritten, smb_advise_written_free)
