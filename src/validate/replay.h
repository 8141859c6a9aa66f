// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A recorded launch, run by the model: the same text, macros, arguments, block and grid.
#pragma once

#include "sim/analysis/analysis.h"
#include "sim/records/catalog.h"
#include "sim/records/recording.h"

/** Longest buffer whose values are compared, in bytes. */
#define SMB_REPLAY_MAX_BUFFER_BYTES (G_GUINT64_CONSTANT(1) << 30)

/**
 * SmbReplay:
 * @kernel: the parsed text
 * @analysis: what the launch costs
 * @global: what it left in global memory; %NULL if the recording has no buffers
 */
typedef struct {
  SmbProgram *kernel;
  SmbAnalysis *analysis;
  SmbGlobal *global;
} SmbReplay;

/** Whether the text of a recorded kernel comes with the program. */
gboolean smb_replay_is_builtin(const SmbRecordedKernel *recorded);

/**
 * smb_replay_new:
 * @entry: (nullable): the catalogue's, if it is one of its kernels
 * @arch: whose rules count
 * @limits: of the kernel and its grid; other options are not looked at
 * @error: a file that is not there, or what is wrong with its text or the launch
 *
 * Reads the text of a kernel that is not built in from its file, relative to the working directory.
 *
 * Returns: (transfer full): the launch, done
 */
SmbReplay *smb_replay_new(const SmbRecordedKernel *recorded, const SmbCatalogEntry *entry,
                          const SmbArch *arch, const SmbAnalysisOptions *limits, GError **error);
void smb_replay_free(SmbReplay *replay);

/**
 * smb_replay_digest:
 * @buffer: a buffer of the recorded launch
 * @error: SMB_ERROR_INPUT if the kernel has no such parameter, or the buffer is too long
 *
 * Returns: (transfer full): the SHA-256, in hexadecimal, of what the model leaves in it
 */
char *smb_replay_digest(const SmbReplay *replay, const SmbRecordedBuffer *buffer, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbReplay, smb_replay_free)
