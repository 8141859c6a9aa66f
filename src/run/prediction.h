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
 * @is_cancelled: (nullable): SmbAnalysisOptions.is_cancelled, with @user
 *
 * Returns: (transfer full): its prediction; of one like another that was predicted only that it is the same
 */
SmbPrediction *smb_predictions_look(SmbPredictions *predictions, const SmbProgram *program,
                                    const SmbArch *arch, const SmbLaunch *launch,
                                    gboolean (*is_cancelled)(gpointer user), gpointer user);

/** smb_prediction_words: @prediction: (nullable). Returns: (transfer none) (nullable): the same for launches that take as long */
const char *smb_prediction_words(const SmbPrediction *prediction);

/** smb_prediction_give: Gives it to the row of its launch, if that has none yet. @prediction: (transfer full) (nullable) */
void smb_prediction_give(SmbPrediction *prediction, SmbRankRow *row);
void smb_prediction_free(SmbPrediction *prediction);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbPrediction, smb_prediction_free)
