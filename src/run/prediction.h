// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How long the launches of a program that runs take (run --time). Each is predicted before it runs, on the memory as it is then; launches of
// the same kernel, shape and parameters once.
#pragma once

#include "sim/launch/launch.h"
#include "src/target/ranking.h"

typedef struct _SmbPredictions SmbPredictions;

SmbPredictions *smb_predictions_new(void);
void smb_predictions_free(SmbPredictions *predictions);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbPredictions, smb_predictions_free)

/** SmbPrediction: of one launch */
typedef struct _SmbPrediction SmbPrediction;

/**
 * smb_predictions_look:
 * @launch: that is about to run: runs of its blocks leave no trace outside
 *
 * Returns: (transfer full) (nullable): its prediction; %NULL: one like it was predicted
 */
SmbPrediction *smb_predictions_look(SmbPredictions *predictions, const SmbProgram *program,
                                    const SmbArch *arch, const SmbLaunch *launch);

/** smb_prediction_give: Gives it to the row of its launch, if that has none yet. @prediction: (transfer full) (nullable) */
void smb_prediction_give(SmbPrediction *prediction, SmbRankRow *row);
void smb_prediction_free(SmbPrediction *prediction);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbPrediction, smb_prediction_free)
