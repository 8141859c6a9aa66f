// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A recorded launch, run by the model.
#pragma once

#include "sim/capture/capture.h"
#include "sim/measured/recording.h"
#include "sim/open/catalog.h"
#include "src/validate/comparison.h"

/** What a launch of a capture was given. */
typedef struct {
  SmbCapture *capture;
  const SmbCaptureLaunch *launch;
  SmbCaptureLoaded *loaded;
} SmbRerunCaptured;

/** SmbRerun: @global: what it left in global memory; %NULL if the recording has no buffers */
typedef struct {
  SmbProgram *kernel;
  SmbAnalysis *analysis;
  SmbGlobal *global;
  SmbRerunCaptured captured;
} SmbRerun;

/** smb_rerun_is_builtin: Returns: whether the text of a recorded kernel comes with the program */
gboolean smb_rerun_is_builtin(const SmbRecordedKernel *recorded);

/**
 * smb_rerun_new:
 * @entry: (nullable): that of the catalogue
 * @opened: (inout) (nullable): the capture that was opened last: one serves all its launches
 * @arch: by whose rules it is counted
 * @error: SMB_ERROR_INPUT, a file error, or that of smb_analysis_run()
 *
 * Runs the launch: the same text, macros, arguments, block and grid. The text of a kernel that is not built in is read from its file,
 * relative to the working directory.
 *
 * Returns: (transfer full): what became of it
 */
SmbRerun *smb_rerun_new(const SmbRecordedKernel *recorded, const SmbCatalogEntry *entry,
                        SmbCapture **opened, const SmbArch *arch, const SmbAnalysisOptions *limits,
                        GError **error);
void smb_rerun_free(SmbRerun *rerun);

/** smb_rerun_digest: @error: SMB_ERROR_INPUT: there is no such buffer, or it is too long. Returns: (transfer full): the SHA-256, in
 * hexadecimal, of what the model leaves in a buffer of the launch; what it does not know is 0 */
char *smb_rerun_digest(const SmbRerun *rerun, const SmbRecordedBuffer *buffer, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbRerun, smb_rerun_free)
