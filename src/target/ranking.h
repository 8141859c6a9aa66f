// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The launches of a capture in the order of their excess wavefronts. Each is counted on its own: one that cannot be does not
// take the others with it. Launches that are equal are counted once.
#pragma once

#include "src/target/target.h"

/**
 * SmbRankRow: launches of the same image, kernel, shape, parameters and memory
 * @launch: the first of them
 * @numbers: (element-type guint64): of all of them
 * @name: of the kernel, as people write it
 * @symbol: mangled (launch->kernel)
 * @total: what one of them costs; zeros if @refused
 * @bounds: (nullable): what is not exact, and why, in sentences; %NULL: all is exact
 * @warnings: (element-type utf8): what the kernel does wrong, such as races
 * @notes: (element-type utf8): what keeps the replay from being the same
 * @refused: (nullable): why it could not be counted
 * @arch: (nullable): that it is counted for
 */
typedef struct {
  const SmbCaptureLaunch *launch;
  GArray *numbers;
  char *name;
  SmbTally total;
  char *bounds;
  GPtrArray *warnings;
  GPtrArray *notes;
  char *refused;
  char *arch;
} SmbRankRow;

/**
 * SmbRanking:
 * @rows: (element-type SmbRankRow): the most excess wavefronts first, of equals the first launch; after them what was refused
 * @is_passing: whether the file of the capture is removed when the command ends: it is not named; smb_ranking_new() leaves it
 *   %FALSE
 */
typedef struct {
  SmbCapture *capture;
  gboolean is_passing;
  GPtrArray *rows;
} SmbRanking;

/** What is kept of the analysis of a row, in @bounds and @warnings; rows are counted in several threads. */
typedef void (*SmbRankNote)(SmbRankRow *row, const SmbTarget *target, const SmbAnalysis *analysis);

/**
 * smb_ranking_new:
 * @options: those that hold for any target: --unknown, limits
 * @note: (nullable): keeps more than the sum
 *
 * Counts all launches, several at a time.
 *
 * Returns: (transfer full): their order
 */
SmbRanking *smb_ranking_new(SmbCli *cli, const SmbTargetOptions *options, SmbCapture *capture,
                            SmbRankNote note);
void smb_ranking_free(SmbRanking *ranking);

/** smb_ranking_worst: Returns: (transfer none) (nullable): the row with the most excess wavefronts. @error: none could be counted */
const SmbRankRow *smb_ranking_worst(const SmbRanking *ranking, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbRanking, smb_ranking_free)
