// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Other layouts, written into a source that is run as machine code only. Of what only a compiler reads (templates, libraries, whatever the
// kernel language does not have) rows are padded; a text that cannot be run is rewritten in any way. What these gain is what the machine code
// says.
#pragma once

#include "src/advise/compiled.h"

typedef struct _SmbAdviseReport SmbAdviseReport;

/**
 * SmbAdvisePadding: the source with longer rows, or other indices
 * @name: "tile: pad 4"; of several arrays "tile: pad 4, rows: pad 1"
 * @is_safe: only rows of arrays are longer that are always used with all their indices
 * @condition: (nullable): what it takes to hold of indices (smb_rewrite())
 * @compared_bytes: of global memory: the same as of the kernel as it is; 0: that need not be looked at
 * @edits: (element-type SmbEdit): of the source
 * @compiled: what it takes
 */
typedef struct {
  char *name;
  gboolean is_safe;
  char *condition;
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
 * @failed: (element-type utf8): names of forms that nvcc does not compile
 * @matrices: (element-type utf8): of @tried: by 8 elements only, together with leading dimensions that wmma is given
 * @rewritten: (element-type utf8): arrays whose indices were written otherwise
 * @left_alone: (element-type utf8): arrays that the text names without all their indices
 * @unlike: (element-type utf8): forms that leave other global memory, or of which that is not known
 */
typedef struct {
  SmbSource *source;
  SmbAdviseCompiled *now;
  GPtrArray *forms;
  const SmbAdvisePadding *best;
  GPtrArray *tried;
  GPtrArray *failed;
  GPtrArray *matrices;
  GPtrArray *rewritten;
  GPtrArray *left_alone;
  GPtrArray *unlike;
} SmbAdviseWritten;

/** smb_advise_padding_new: @name, @edits: (transfer full). Returns: (transfer full): the source with these edits, launched with so much
 * dynamic shared memory */
SmbAdvisePadding *smb_advise_padding_new(const SmbAdviseWritten *written, char *name, GArray *edits,
                                         gsize dynamic_bytes);
void smb_advise_padding_free(SmbAdvisePadding *form);

/**
 * smb_advise_written_new:
 * @report: with its arrays, and what the kernel takes as it is (@present)
 * @target: that was compiled from a file of CUDA C
 * @analysis: of it
 *
 * Returns: (transfer full) (nullable): %NULL: of another target, where conflicts cost nothing, or where requests are not counted
 */
SmbAdviseWritten *smb_advise_written_new(const SmbAdviseReport *report, const SmbTarget *target,
                                         const SmbAnalysis *analysis);
void smb_advise_written_free(SmbAdviseWritten *written);

/** smb_advise_written_pads: @form: (out) (nullable) (transfer none): of @forms, %NULL: it takes no other wavefronts.
 * Returns: whether rows of @array were made longer by so many elements, and compiled */
gboolean smb_advise_written_pads(const SmbAdviseWritten *written, const char *array, guint elements,
                                 const SmbAdvisePadding **form);

/** smb_advise_written_text: Returns: (transfer full): the source in a form */
char *smb_advise_written_text(const SmbAdviseWritten *written, const SmbAdvisePadding *form);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbAdviseWritten, smb_advise_written_free)
