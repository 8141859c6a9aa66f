// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What is said of the launches of a capture, in their order.
#pragma once

#include "src/target/ranking.h"

/** smb_rank_note: for smb_ranking_new() and smb_ranking_add(): what is not exact, and what the kernel does wrong, in sentences; and
 * with --time how long a launch takes */
void smb_rank_note(SmbRankRow *row, const SmbTarget *target, const SmbProgram *program,
                   const SmbArch *arch, const SmbAnalysis *analysis);

/** smb_rank_time: Predicts how long a launch of the row takes, or says why that is not known: its members @chip, @time and @untimed. */
void smb_rank_time(SmbRankRow *row, const SmbTarget *target, const SmbArch *arch);

/** smb_ranking_is_timed: Returns: whether times were asked for, and a row says one, or why it is not known */
gboolean smb_ranking_is_timed(const SmbRanking *ranking);

/** smb_ranking_has_durations: Returns: whether a row says how long its launch ran, on the device that it was captured on */
gboolean smb_ranking_has_durations(const SmbRanking *ranking);

/** smb_ranking_summarize: Returns: (transfer full): how many launches there are, how many of them differ, and what all of them
 * cost together, in a sentence */
char *smb_ranking_summarize(const SmbRanking *ranking);

/** smb_rank_remark: Returns: (transfer full): why it was refused, or what is not exact, in sentences; "" */
char *smb_rank_remark(const SmbRankRow *row);

/** smb_rank_percent: Returns: how much of its wavefronts is in excess */
double smb_rank_percent(const SmbRankRow *row);

/** SmbPredicted: of one launch: its time, and what its conflicts cost of it; each "" if that is not known */
typedef struct {
  char *time, *cost, *percent;
} SmbPredicted;

/** smb_rank_predicted: Returns: what was predicted of a launch of the row, in words */
SmbPredicted smb_rank_predicted(const SmbRankRow *row);
void smb_predicted_clear(SmbPredicted *predicted);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SmbPredicted, smb_predicted_clear)

/** smb_rank_duration: Returns: (transfer full): how long the first of them ran, "12.3 µs"; "" */
char *smb_rank_duration(const SmbCaptureLaunch *launch);

/** The formats of a ranking: their writers take an SmbRanking. */
extern const SmbFormat smb_rank_formats[];

/** That of JSON. */
void smb_rank_write_json(SmbCli *cli, gconstpointer ranking);
