// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Limits of a kernel: how many ways an access may conflict, how many wavefronts the launch, an array or a line may take,
// and how many of them in excess; and which share of the launch's time its conflicts may cost.
#pragma once

#include "sim/analysis/analysis.h"
#include "src/analysis/compiled-count.h"
#include "src/analysis/launch-time.h"
#include "src/cli/cli.h"

/** The options that are limits, as the user typed them: [WHERE=]N, each any number of times; %NULL where nothing was. */
typedef struct {
  GStrv ways, excess, wavefronts, cost;
} SmbLimitOptions;

/** The options of a command that checks limits, for SmbCliUsage.groups. */
extern const SmbCliGroup smb_analyze_limit_group;

/** smb_limit_options: Returns: (transfer none): what was typed, after smb_cli_parse() */
const SmbLimitOptions *smb_limit_options(void);

/**
 * SmbLimit:
 * @option: its name: "--max-ways"
 * @where: (nullable): what it is for: an array's name, "LINE" or "FILE:LINE"; %NULL: the whole launch
 * @file: (nullable): of @where
 * @line: of @where; 0: it is an array's name, or %NULL
 * @most: what may be reached
 * @is_percent: whether @most is of a hundred wavefronts, or of the launch's time
 */
typedef struct {
  const char *option;
  char *where;
  char *file;
  guint line;
  guint64 most;
  gboolean is_percent;
} SmbLimit;

/**
 * SmbFailedLimit: an access, or a sum, that is beyond a limit, or of which that cannot be said
 * @limit: (transfer none)
 * @has_value: whether it is known how far
 * @value: the ways, wavefronts or percents that were counted
 * @access: (nullable) (transfer none): the access; of a sum, that with the most of it; %NULL: there is none
 * @message: what a person is told, without the place
 */
typedef struct {
  const SmbLimit *limit;
  gboolean has_value;
  double value;
  const SmbAccess *access;
  char *message;
} SmbFailedLimit;

/**
 * smb_limits_new:
 * @error: SMB_ERROR_USAGE
 *
 * Of limits by the same option for the same place, the last one holds.
 *
 * Returns: (transfer full) (element-type SmbLimit): what the options mean; empty if there are none
 */
GArray *smb_limits_new(const SmbLimitOptions *options, GError **error);

/** smb_limits_ways: Returns: --max-ways for the whole launch; G_MAXUINT: it was not given */
guint smb_limits_ways(const GArray *limits);

/** smb_limits_need_time: Returns: whether one of them is of the launch's time */
gboolean smb_limits_need_time(const GArray *limits);

/** smb_limit_describe: Returns: (transfer full): as the user typed it: "--max-excess tile=5%" */
char *smb_limit_describe(const SmbLimit *limit);

/**
 * smb_limits_check:
 * @program, @analysis: what was counted
 * @compiled: (nullable): what a compiler makes of it, which is checked then; but what a limit is for has to be there: a line from which
 *   nothing is compiled, or an array that shares a line with another one, is checked as the text has it
 * @time: (nullable): of the machine code that is checked; %NULL: no limit needs it (smb_limits_need_time()), or a part was counted
 *
 * --max-ways without a place is for each access that has no limit of its own. A limit also fails if what it is for was not
 * counted for certain: if requests are not counted or depend on contents that are not given; of a sum, if a count is
 * uncertain and not an upper bound; or if no access was counted there at all; one of the
 * launch's time, if that is not known. A kernel without shared memory keeps every limit
 * for the whole launch.
 *
 * Returns: (transfer full) (element-type SmbFailedLimit): those that failed, which refer to @limits and @analysis; empty if
 *   all are kept
 */
GArray *smb_limits_check(const GArray *limits, const SmbProgram *program,
                         const SmbAnalysis *analysis, const SmbCompiledCount *compiled,
                         const SmbLaunchTime *time);

/** smb_analyze_ways: Returns: what --max-ways limits: the degree, or the depth of an atomic's queue, in which lanes
 * wait for each other on the same word as well */
guint smb_analyze_ways(const SmbAccess *access);
