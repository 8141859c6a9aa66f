// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How long the launches of a program that runs take (run --time). Launches of the same kernel, shape and parameters that do as much, as the
// run has counted it, are predicted once.
#pragma once

#include "sim/analysis/analysis.h"
#include "sim/launch/launch.h"
#include "src/target/ranking.h"

/**
 * SmbLaunchWork: what a launch has done
 * @instructions: of machine code, of all warps
 * @longest: those of the block with the most
 * @spread: sum of the squares of those of blocks
 * @wavefronts: of shared memory, @requests, @segments: of global memory: by SmbOpClass
 */
typedef struct {
  double instructions;
  double longest;
  double spread;
  double wavefronts[SMB_N_OP_CLASSES];
  double requests[SMB_N_OP_CLASSES];
  double segments[SMB_N_OP_CLASSES];
} SmbLaunchWork;

/** smb_launch_work_of: @lengths: SmbLaunch.lengths */
SmbLaunchWork smb_launch_work_of(const SmbAnalysis *analysis, const GArray *lengths);

typedef struct _SmbPredictions SmbPredictions;

SmbPredictions *smb_predictions_new(void);
void smb_predictions_free(SmbPredictions *predictions);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbPredictions, smb_predictions_free)

/** SmbPrediction: of launches that do the same */
typedef struct _SmbPrediction SmbPrediction;

/**
 * smb_predictions_find:
 *
 * Returns: (transfer none) (nullable): that of a launch that was predicted, and has done as much, within 2 %
 */
const SmbPrediction *smb_predictions_find(const SmbPredictions *predictions,
                                          const SmbProgram *program, const SmbLaunch *launch,
                                          const SmbLaunchWork *work);

/**
 * smb_predictions_make:
 * @launch: with the memory that it found: runs of its blocks leave no trace outside
 * @work: what it has done
 * @is_cancelled: (nullable): SmbAnalysisOptions.is_cancelled, with @user
 *
 * Returns: (transfer none): its prediction
 */
const SmbPrediction *smb_predictions_make(SmbPredictions *predictions, const SmbProgram *program,
                                          const SmbArch *arch, const SmbLaunch *launch,
                                          const SmbLaunchWork *work,
                                          gboolean (*is_cancelled)(gpointer user), gpointer user);

/** smb_prediction_words: @prediction: (nullable). Returns: (transfer none) (nullable): the same for launches that take as long */
const char *smb_prediction_words(const SmbPrediction *prediction);

/** smb_prediction_give: Gives it to the row of its launch, if that has none yet. @prediction: (nullable) */
void smb_prediction_give(const SmbPrediction *prediction, SmbRankRow *row);
