// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What check finds out of the cases of a project: each is analyzed by a process of its own, several at a time.
#pragma once

#include <json-glib/json-glib.h>

#include "sim/arch/words.h"
#include "src/cli/cli.h"
#include "src/shard/shard.h"
#include "src/project/project.h"

/** How a case ended. */
typedef enum {
  SMB_VERDICT_PASSED,
  SMB_VERDICT_FAILED,   /* a limit failed */
  SMB_VERDICT_NO_LIMIT, /* counted, and there is nothing to keep */
  SMB_VERDICT_ERROR,    /* it could not be counted */
} SmbCaseVerdict;
#define SMB_N_VERDICTS 4

/**
 * SmbChecked: a case that was checked
 * @one: (transfer none): the case
 * @result: (nullable): what analyze --format json wrote; %NULL with an error
 * @error: (nullable): why it could not be counted
 * @messages: warnings, and failed limits, a line each, as analyze wrote them
 */
typedef struct {
  const SmbCase *one;
  SmbCaseVerdict verdict;
  JsonNode *result;
  char *error;
  GStrv messages;
} SmbChecked;

/**
 * SmbCheck:
 * @project: (transfer none): whose cases they are
 * @cases: (element-type SmbChecked): in the order in which they were asked for
 * @n: how many have each verdict
 * @has_baseline: whether cases failed because they got worse, too (baseline.h)
 * @part: (nullable) (transfer none): which part of those that were asked for they are
 */
typedef struct {
  const SmbProject *project;
  GPtrArray *cases;
  guint n[SMB_N_VERDICTS];
  gboolean has_baseline;
  const struct _SmbCheckPart *part;
} SmbCheck;

/** SmbCheckedCosts: of all accesses of a case to shared memory, by what is judged; @text_excess: of its text alone; @max_degree: of the
 * worst access; @is_timed: whether its time was predicted, @microseconds on @device, of which its conflicts cost @conflicts; @is_measured: whether that
 * device was measured */
typedef struct {
  const char *kernel;
  SmbVendor vendor;
  guint64 requests, wavefronts, ideal, excess, text_excess;
  guint max_degree;
  gboolean is_timed, is_measured;
  const char *device;
  double microseconds, conflicts;
} SmbCheckedCosts;

/**
 * smb_check_run:
 * @project: (transfer none): outlives the result
 * @cases: (element-type SmbCase): some of its cases
 * @jobs: how many may run at a time
 * @words: (nullable) (array zero-terminated=1): further options of each, which win over those of its case
 * @files: (nullable): takes what is read
 * @progress: (nullable)
 *
 * Analyzes cases. What is wrong with one, a crash included, is its own: the others are checked all the same. If this program
 * ends, those processes end, too.
 *
 * Returns: (transfer full): what was found out
 */
SmbCheck *smb_check_run(const SmbProject *project, const GPtrArray *cases, guint jobs,
                        const char *const *words, SmbFiles *files, SmbProgress *progress);
void smb_check_free(SmbCheck *check);

/** smb_check_new: Returns: (transfer full): no case yet; @project: (transfer none): outlives the result */
SmbCheck *smb_check_new(const SmbProject *project);

/** smb_check_add: @one: (transfer none): a case of the project. Returns: (transfer none): of which nothing is known yet */
SmbChecked *smb_check_add(SmbCheck *check, const SmbCase *one);

/** smb_checked_costs: @costs: (out): of a case that was counted, as its result has them; @vendor: whose chip it was counted for. Returns: whether it was. */
gboolean smb_checked_costs(const SmbChecked *checked, SmbCheckedCosts *costs);

/** Their names (array zero-terminated=1). */
extern const char *const smb_verdict_names[];

/** smb_verdict_name: Returns: (transfer none): "passed", "failed", "no limit", "error" */
const char *smb_verdict_name(SmbCaseVerdict verdict);

/** Writes a check in the format of @cli, and sets the exit status. */
void smb_check_write(SmbCli *cli, const SmbCheck *check);

/** The formats of an SmbCheck. */
extern const SmbFormat smb_check_formats[];

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbCheck, smb_check_free)
