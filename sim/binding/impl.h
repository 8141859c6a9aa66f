// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What is behind the handles of smembank.h.
#pragma once

#include "sim/analysis/analysis.h"
#include "sim/arch/arch.h"
#include "sim/binding/smembank.h"

G_BEGIN_DECLS

struct _SmbModel {
  SmbArch *arch;
};

/**
 * SmbRun: a launch that was run.
 * @assumes_block: whether the block was made up
 */
typedef struct {
  SmbProgram *program;
  SmbLaunch launch;
  SmbAnalysis *analysis;
  gboolean assumes_block;
} SmbRun;

/**
 * smb_run_kernel:
 * @keep_requests: whether SmbAnalysis.requests is wanted
 * @run: (out): what becomes of the launch; what its pointers lead to belongs to @launch as far as that gave it
 */
gboolean smb_run_kernel(const SmbModel *model, const SmbKernelLaunch *launch,
                        gboolean keep_requests, SmbRun *run, GError **error);
void smb_run_clear(SmbRun *run);

/** One request of @requests, checked. */
gboolean smb_requests_get(const SmbModel *model, const SmbRequests *requests, size_t index,
                          SmbRequest *request, GError **error);

/** smb_message_hint_of: Returns: @hint for other languages; its texts are those of @hint */
SmbMessageHint smb_message_hint_of(const SmbHint *hint);

SmbSums smb_sums(const SmbTally *tally);

/** smb_status_of: Takes an error (nullable) (transfer full), whose message becomes *@error. Returns: what it means */
SmbStatus smb_status_of(GError *failure, char **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SmbRun, smb_run_clear)

G_END_DECLS
