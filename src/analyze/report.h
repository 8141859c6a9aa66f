// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The result of analyze in each format.
#pragma once

#include <json-glib/json-glib.h>

#include "sim/proof/kernel-proof.h"
#include "src/analysis/access-cost.h"
#include "src/analysis/limit.h"
#include "src/analysis/row.h"
#include "src/analysis/view.h"
#include "src/target/target.h"

/** What a part of a launch has besides (part.h). */
typedef struct _SmbAnalyzePart SmbAnalyzePart;

/** What is reported: @by_warp adds a row for each warp; @failed are those of @limits that are not kept; @part: (nullable):
 * what is counted is this part of the launch; @compiled: (nullable): what a compiler makes of the target, which verdict and limits
 * are of; @time: (nullable): how long that takes; @view: (nullable): what of it is shown to a person, %NULL: all; @proof: (nullable):
 * what holds for all values of the parameters; @examples: (nullable) (element-type utf8): with @proof: counter-example.h. */
typedef struct {
  const SmbTarget *target;
  const SmbAnalysis *analysis;
  gboolean by_warp;
  const GArray *limits; /* (element-type SmbLimit) */
  const GArray *failed; /* (element-type SmbFailedLimit) */
  const SmbAnalyzePart *part;
  const SmbCompiledCount *compiled;
  const SmbLaunchTime *time;
  const SmbView *view;
  const SmbKernelProof *proof;
  const GPtrArray *examples;
} SmbAnalyzeReport;

/** In place of a compiled count that another row of its line has, and what that means. */
#define SMB_ANALYZE_SAME_LINE        "↑"
#define SMB_ANALYZE_SAME_LINE_LEGEND "↑: counted in the first row of its line and operation"

/** smb_analyze_judged: Returns: (transfer none): what the verdict is of */
static inline const SmbAnalysis *
smb_analyze_judged(const SmbAnalyzeReport *report) {
  return smb_compiled_count_has(report->compiled) ? report->compiled->analysis : report->analysis;
}

/** smb_analyze_judged_target: Returns: (transfer none): of which program that is */
static inline const SmbTarget *
smb_analyze_judged_target(const SmbAnalyzeReport *report) {
  return smb_compiled_count_has(report->compiled) ? report->compiled->target : report->target;
}

/** smb_analyze_told: Returns: (transfer none): what sentences about accesses are of: the text, in whose words a reader finds them, where
 * both take the same */
static inline const SmbAnalysis *
smb_analyze_told(const SmbAnalyzeReport *report) {
  return smb_compiled_count_has(report->compiled) &&
                 smb_compiled_count_agrees(report->compiled, report->analysis)
             ? report->analysis
             : smb_analyze_judged(report);
}

/** smb_analyze_has_idle: Returns: whether some instructions of machine code had no active lane */
static inline gboolean
smb_analyze_has_idle(const SmbAnalyzeReport *report) {
  return smb_analysis_total(report->analysis).idle_issues > 0;
}

/** smb_analyze_is_timed: Returns: whether it is known how long the launch takes */
static inline gboolean
smb_analyze_is_timed(const SmbAnalyzeReport *report) {
  return report->time && report->time->time;
}

/** smb_analyze_cost: Returns: what the launch gains, in cycles, without the conflicts of the row of an access (smb_row_cost()) */
static inline double
smb_analyze_cost(const SmbAnalyzeReport *report, const SmbAccess *access) {
  return smb_row_cost(report->time, report->compiled, report->analysis, access);
}

/** smb_analyze_view: Returns: (transfer none): what is shown */
static inline const SmbView *
smb_analyze_view(const SmbAnalyzeReport *report) {
  return report->view ? report->view : &smb_view_all;
}

/** SmbSharedRow: of the table of accesses to shared memory: accesses, or what only compiled code has of a line; one is there. */
typedef struct {
  const SmbAnalyzeRow *row;
  const SmbCompiledLine *line;
} SmbSharedRow;

/**
 * smb_analyze_shared_rows:
 * @gathered: (element-type SmbAnalyzeRow): of the accesses; outlives the result
 * @n: (out): how many rows there are, shown or not
 *
 * Returns: (transfer full) (element-type SmbSharedRow): those that are shown, in their order
 */
GArray *smb_analyze_shared_rows(const SmbAnalyzeReport *report, const GArray *gathered, guint *n);

/** The column of it in a table. */
#define SMB_ANALYZE_COST_COLUMN ": cost in cycles>"

/* The writers of SmbFormat: each takes an SmbAnalyzeReport. */

/** smb_analyze_tell_unproved: Returns: (transfer full) (nullable): that an access is not proved to be free of conflicts; %NULL: it is */
char *smb_analyze_tell_unproved(const SmbAnalyzeReport *report, const SmbProvedSite *proved);

/** smb_analyze_tell_stop: Returns: (transfer full): what ended a proof, of which @stopped is set */
char *smb_analyze_tell_stop(const SmbKernelProof *proof);

/** What is proved, of a report that has a proof. */
void smb_analyze_write_proof(SmbCli *cli, const SmbAnalyzeReport *report);
void smb_analyze_json_proof(JsonBuilder *json, const SmbAnalyzeReport *report);

/** Tables of the accesses, and the sentence that says where the time goes. */
void smb_analyze_write_text(SmbCli *cli, gconstpointer report);

/** Writes which of two counts is which, if there are two, and an empty line. */
void smb_analyze_write_which(SmbCli *cli, const SmbAnalyzeReport *report);

/** The source, with the counts of each line in the margin. */
void smb_analyze_annotate(SmbCli *cli, gconstpointer report);

/** smb_analyze_begin_json: Returns: (transfer full): a document with the whole result, to which members can be added */
JsonBuilder *smb_analyze_begin_json(SmbCli *cli, const SmbAnalyzeReport *report);
void smb_analyze_write_json(SmbCli *cli, gconstpointer report);
void smb_analyze_write_csv(SmbCli *cli, gconstpointer report);

/** smb_analyze_findings: Returns: (transfer full) (element-type SmbFinding): what there is to say about places, not finished */
GPtrArray *smb_analyze_findings(const SmbAnalyzeReport *report, const SmbArch *arch);

/** The findings, in the form that the methods of the format are (SmbFindingsFormat). */
void smb_analyze_write_findings(SmbCli *cli, gconstpointer report);

/** The counts of lines, or of instructions of machine code, for callgrind_annotate and KCachegrind. */
void smb_analyze_write_callgrind(SmbCli *cli, gconstpointer report);

/** The verdict, and a table of the accesses. */
void smb_analyze_write_markdown(SmbCli *cli, gconstpointer report);
