// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Whether a kernel that was rewritten does what it is to do: it is evaluated, each of its requests has to ask for the
// same elements where the layout has them, for the wavefronts that were said, and what it leaves in global memory has
// to be what the kernel left before, byte for byte. This shows it for one launch; that it is so for others follows from
// how it was rewritten, as long as the indices are as SmbProof.condition says.
#pragma once

#include <glib.h>

#include "sim/analysis/analysis.h"
#include "sim/cuda/rewrite/rewrite.h"

G_BEGIN_DECLS

/**
 * SmbOriginal: a kernel before it is rewritten; all of it is borrowed.
 * @options: limits; the rest is not looked at
 * @analysis: of @launch
 * @global: what that launch left in global memory, or, if there are any, SmbAnalysis.shares of it
 */
typedef struct {
  const SmbProgram *kernel;
  const SmbArch *arch;
  SmbLaunch launch;
  const SmbAnalysisOptions *options;
  const SmbAnalysis *analysis;
  const SmbGlobal *global;
} SmbOriginal;

/**
 * SmbProof: a rewritten kernel, and what became of it.
 * @failure: (nullable): why it is not to be used: what cannot be rewritten, or what does not hold, in
 *   words; %NULL: it holds
 * @form: how its indices are written
 * @condition: (nullable): what it takes to hold of its indices, and holds in this launch: "x < 32 and y < 16"
 * @edits: (nullable) (element-type SmbEdit): the changes, or %NULL if they were refused or not made here
 * @text: (nullable): the whole text with them
 * @kernel: (nullable): the new kernel, if it could be read
 * @launch: how it is launched: as before, but for dynamic shared memory
 * @analysis: (nullable): what it costs, if it could be run
 * @compared_bytes: bytes of global memory that were compared
 */
typedef struct {
  char *failure;
  SmbRewriteForm form;
  char *condition;
  GArray *edits;
  char *text;
  SmbProgram *kernel;
  SmbLaunch launch;
  SmbAnalysis *analysis;
  guint64 compared_bytes;
} SmbProof;

void smb_proof_free(SmbProof *proof);

/** smb_proof_holds: @proof: (nullable). Returns: whether the kernel was rewritten, and may be used so */
static inline gboolean
smb_proof_holds(const SmbProof *proof) {
  return proof && !proof->failure;
}

/**
 * smb_proof_write:
 * @arrays: (array length=n_arrays): what is rewritten
 *
 * Returns: (transfer full): the rewritten kernel, which is not checked yet, or why there is none
 */
SmbProof *smb_proof_write(const SmbOriginal *original, const SmbRewriteArray *arrays,
                          guint n_arrays);

/**
 * smb_proof_check:
 * @proof: of smb_proof_write(), of the same: takes the verdict, unless it has failed
 * @wavefronts: (array): by SmbAnalysis.accesses of @original: what each access is to cost
 */
void smb_proof_check(SmbProof *proof, const SmbOriginal *original, const SmbRewriteArray *arrays,
                     guint n_arrays, const guint64 *wavefronts);

/**
 * smb_proof_choose: writes and checks, for one array, in the form of indices that costs least of those that hold.
 *
 * Returns: (transfer full): the rewritten kernel, with the verdict
 */
SmbProof *smb_proof_choose(const SmbOriginal *original, const SmbRewriteArray *array,
                           const guint64 *wavefronts);

/** smb_proof_text: checks a @text that is there, with its dynamic shared memory. Returns: (transfer full): it, with the verdict */
SmbProof *smb_proof_text(const SmbOriginal *original, const char *text, gsize dynamic_bytes,
                         const guint64 *wavefronts);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbProof, smb_proof_free)

G_END_DECLS
