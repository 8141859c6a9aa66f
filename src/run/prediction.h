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

/** smb_predictions_look: Predicts a launch that is about to run, unless one like it was predicted. @launch: runs of its blocks leave no
 * trace outside */
void smb_predictions_look(SmbPredictions *predictions, const SmbProgram *program,
                          const SmbArch *arch, const SmbLaunch *launch);

/** smb_predictions_give: @predictions: (nullable). Gives the prediction of the launch that was looked at last to its row, if that has none yet. */
void smb_predictions_give(SmbPredictions *predictions, SmbRankRow *row);
