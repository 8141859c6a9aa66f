// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Launches in the order of what their conflicts cost, where their time is predicted, or of their excess wavefronts: those of a capture, each counted on its own, so that one that cannot be does
// not take the others with it, and equal ones once; or those of a program that runs, which were counted as they ran.
#pragma once

#include "sim/time/time.h"
#include "src/target/target.h"

/**
 * SmbRankRow: launches of the same image, kernel, shape, parameters and memory; of a program that runs, those of the same kernel and
 * shape that cost the same
 * @launch: the first of them
 * @numbers: (element-type guint64): of all of them
 * @name: of the kernel, as people write it
 * @symbol: mangled (launch->kernel)
 * @total: what one of them costs; zeros if @refused
 * @bounds: (nullable): what is not exact, and why, in sentences; %NULL: all is exact
 * @warnings: (element-type utf8): what the kernel does wrong, such as races
 * @unsaid: (element-type utf8): those of @warnings that @bounds do not say
 * @notes: (element-type utf8): what keeps the replay from being the same, and which rules are assumed
 * @refused: (nullable): why it could not be counted
 * @arch: (nullable): that it is counted for
 * @own: (nullable): @launch, of a program that runs
 * @time: (nullable): how long one of them takes, predicted for @chip
 * @untimed: (nullable): why that is not known; %NULL without @time: it was not asked for
 */
typedef struct {
  const SmbCaptureLaunch *launch;
  GArray *numbers;
  char *name;
  SmbTally total;
  char *bounds;
  GPtrArray *warnings;
  GPtrArray *unsaid;
  GPtrArray *notes;
  char *refused;
  char *arch;
  SmbCaptureLaunch *own;
  SmbChip *chip;
  SmbTime *time;
  char *untimed;
} SmbRankRow;

/** SmbRankMore: writes something behind a ranking: @text: to the result, or where it goes to standard output to the messages; @json:
 * members of the document */
typedef struct {
  gconstpointer user;
  void (*text)(gconstpointer user, SmbSpool *out);
  void (*markdown)(gconstpointer user, SmbSpool *out);
  void (*json)(gconstpointer user, JsonBuilder *json);
} SmbRankMore;

/**
 * SmbRanking:
 * @capture: (nullable): that has the launches
 * @file: (nullable): the name of a capture that has them
 * @command: the application, and its arguments
 * @started: when, as SmbCaptureHeader.started
 * @status: (nullable): how it ended, in words
 * @n_launches: of all rows
 * @rows: (element-type SmbRankRow): those whose conflicts cost the most time first, then the most excess wavefronts, of equals the first
 *   launch; after them what was refused
 * @more: (nullable) (transfer none): what else is said of the program
 * @top: how many rows a person sees, 0: all; @quiet: only the summary
 * @known: (nullable): rows of a program that runs, by all that they have in common
 */
typedef struct {
  SmbCapture *capture;
  char *file;
  GStrv command;
  char *started;
  char *status;
  guint64 n_launches;
  GPtrArray *rows;
  GHashTable *known;
  const SmbRankMore *more;
  guint top;
  gboolean quiet;
} SmbRanking;

/** What is kept of the analysis of a row, in @bounds, @warnings and @time; rows are counted in several threads. @target: (nullable): a launch
 * that is not of a program that runs */
typedef void (*SmbRankNote)(SmbRankRow *row, const SmbTarget *target, const SmbProgram *program,
                            const SmbArch *arch, const SmbAnalysis *analysis);

/** smb_rank_row_cost: Returns: what the conflicts of one launch cost, in microseconds; 0 if its time is not known */
double smb_rank_row_cost(const SmbRankRow *row);

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

/** smb_ranking_begin: Returns: (transfer full): without launches, of an application that starts now */
SmbRanking *smb_ranking_begin(const char *const *command);

/**
 * smb_ranking_add:
 * @launch: that has run; its number is given
 * @program, @arch, @analysis: what it was, and what was counted; %NULL if @refused
 * @refused: (nullable): why it was not counted
 * @more: (nullable): what else its row says: launches of one row have it in common
 *
 * Adds the next launch of smb_ranking_begin(). Its memory is left out.
 *
 * Returns: (transfer none): its row
 */
SmbRankRow *smb_ranking_add(SmbRanking *ranking, const SmbCaptureLaunch *launch,
                            const SmbProgram *program, const SmbArch *arch,
                            const SmbAnalysis *analysis, SmbRankNote note, const char *refused,
                            const char *more);

/** smb_ranking_end: Has the rows in their order; @status: how the application ended, in words */
void smb_ranking_end(SmbRanking *ranking, const char *status);

/** smb_ranking_launch: Returns: (transfer none): launch @i of a row */
const SmbCaptureLaunch *smb_ranking_launch(const SmbRanking *ranking, const SmbRankRow *row,
                                           guint i);

/** smb_ranking_worst: Returns: (transfer none) (nullable): the row with the most excess wavefronts. @error: none could be counted */
const SmbRankRow *smb_ranking_worst(const SmbRanking *ranking, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbRanking, smb_ranking_free)
