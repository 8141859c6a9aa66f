// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The result of analyze in each format.
#pragma once

#include <json-glib/json-glib.h>

#include "src/analysis/limit.h"
#include "src/out/table.h"
#include "src/target/target.h"

/** What a part of a launch has besides (part.h). */
typedef struct _SmbAnalyzePart SmbAnalyzePart;

/** What is reported: @by_warp adds a row for each warp; @failed are those of @limits that are not kept; @part: (nullable):
 * what is counted is this part of the launch. */
typedef struct {
  const SmbTarget *target;
  const SmbAnalysis *analysis;
  gboolean by_warp;
  const GArray *limits; /* (element-type SmbLimit) */
  const GArray *failed; /* (element-type SmbFailedLimit) */
  const SmbAnalyzePart *part;
} SmbAnalyzeReport;

/** smb_analyze_ways: Returns: what --max-ways limits: the degree, or the depth of an atomic's queue, in which lanes
 * wait for each other on the same word as well */
guint smb_analyze_ways(const SmbAccess *access);

/* The writers of SmbFormat: each takes an SmbAnalyzeReport. */

/** Tables of the accesses, and the sentence that says where the time goes. */
void smb_analyze_write_text(SmbCli *cli, gconstpointer report);

/** The source, with the counts of each line in the margin. */
void smb_analyze_annotate(SmbCli *cli, gconstpointer report);

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

/**
 * SmbAnalyzeCounters: shared accesses of a launch as the vendor's profilers count them
 * @active_name, @conflict_name: (nullable): the counters; %NULL: the architecture names none
 * @active: cycles
 * @conflict: those of them that conflicts cost
 * @is_exact: whether that is all: FALSE if accesses are lower bounds, or shuffles, whose cycles are unknown, pass through
 * @note: (nullable): what is known to be wrong with the counters
 * @per_access, @rate: "conflicts/access" of rocprof-compute, conflict / (active - conflict), and its "bank conflict rate",
 *   in percent
 */
typedef struct {
  const char *active_name;
  const char *conflict_name;
  guint64 active;
  guint64 conflict;
  gboolean is_exact;
  const char *note;
  double per_access;
  double rate;
} SmbAnalyzeCounters;

/** smb_analyze_count: @total: what all requests take; @exact: whether that is all. Returns: the same by the profiler's names */
SmbAnalyzeCounters smb_analyze_count(const SmbArch *arch, const SmbTally *total, gboolean exact);

/** smb_analyze_describe_counters: Returns: (transfer full): them in a sentence; "" where there are none */
char *smb_analyze_describe_counters(const SmbAnalyzeCounters *counters);

/** The same as the member "counters", where there are any. */
void smb_analyze_json_counters(JsonBuilder *json, const SmbAnalyzeCounters *counters);

/**
 * smb_analyze_assumed:
 *
 * Returns: (transfer full) (element-type utf8): rules that were used and are assumed, of an architecture that names counters:
 *   "ld 4", "ld 4 (disputed: ...)"
 */
GPtrArray *smb_analyze_assumed(const SmbArch *arch, const SmbAnalysis *analysis);

/** smb_analyze_describe_assumed: Returns: (transfer full): the same in a sentence; "" if there are none */
char *smb_analyze_describe_assumed(const SmbArch *arch, const SmbAnalysis *analysis);
/** smb_analyze_read_assumed: @result: of analyze, as JSON. Returns: (nullable) (transfer full): the same of it, as the end of a
 * sentence; %NULL: there are none */
char *smb_analyze_read_assumed(JsonObject *result);
/** The same as a message, for a format that has no place for it. @name: of the kernel's file */
void smb_analyze_note_assumed(SmbCli *cli, const char *name, const SmbAnalysis *analysis);
/** The same as the member "assumed_rules", of an architecture that names counters. */
void smb_analyze_json_assumed(JsonBuilder *json, const SmbArch *arch, const SmbAnalysis *analysis);

/** smb_analyze_describe_vendor: Returns: (transfer full): counters and rules in sentences; "" where the architecture names no counters */
char *smb_analyze_describe_vendor(const SmbArch *arch, const SmbAnalysis *analysis);
/** The same as the members "counters" and "assumed_rules". */
void smb_analyze_json_vendor(JsonBuilder *json, const SmbArch *arch, const SmbAnalysis *analysis);

/** The heading of the text formats: kernel, block, grid, memory, architecture. */
void smb_analyze_write_heading(SmbCli *cli, const SmbTarget *target, const SmbAnalysis *analysis);

/** Adds the numbers of a row: requests, wavefronts (of global memory: sectors or lines), ideal, excess, worst. */
void smb_analyze_add_tally(SmbTable *table, const SmbTally *tally);
void smb_analyze_add_global(SmbTable *table, const SmbGlobalAccess *access);

/** The same of an access to constant memory: requests, words, ideal, excess, the most words of a request. */
void smb_analyze_add_words(SmbTable *table, const SmbConstantAccess *access);

/**
 * smb_analyze_describe_constants:
 *
 * Returns: (nullable) (transfer full): what the loads of constant memory cost, of which that is counted; %NULL: there are
 *   none
 */
char *smb_analyze_describe_constants(const SmbArch *arch, const SmbAnalysis *analysis);

/** The bytes of traffic in words: "≥ 512" of a lower bound; "not known". */
void smb_analyze_describe_bytes(const SmbOtherTraffic *traffic, char *text, gsize size);

/** "sectors" or "lines": what global requests are counted in (transfer none). */
const char *smb_analyze_segment_name(const SmbArch *arch);

/** smb_analyze_exact_of: Returns: (transfer none): what counts are exact of, where they are, and what may differ from it */
const char *smb_analyze_exact_of(const SmbProgram *program);

/**
 * smb_analyze_append_bounds:
 * @but: (nullable): an access of which nothing is said
 *
 * Adds sentences about what is not exact, and why; none if all is.
 */
void smb_analyze_append_bounds(GString *text, const SmbAnalysis *analysis, const SmbAccess *but);

/** Writes these sentences, if there are some. */
void smb_analyze_write_bounds(SmbCli *cli, const SmbAnalysis *analysis);

/** smb_analyze_verdict: Returns: (transfer full): how many wavefronts are due to conflicts, in a sentence */
char *smb_analyze_verdict(const SmbAnalysis *analysis);

/** Writes how many wavefronts are due to conflicts, in a sentence and an empty line. */
void smb_analyze_write_verdict(SmbCli *cli, const SmbAnalysis *analysis);

/**
 * Writes, after an empty line, sentences about the access with the most excess wavefronts: which lanes conflict in which
 * bank, and what that costs; which counts are lower bounds; and how many blocks were run, if not all. Nothing, if there is
 * nothing to say.
 */
void smb_analyze_write_worst(SmbCli *cli, const SmbAnalysis *analysis);

/** Adds a space and a sentence, if they conflict: which lanes of the worst request of @access meet where. */
void smb_analyze_append_meeting(GString *text, const SmbArch *arch, const SmbAccess *access);

/** smb_analyze_summarize: Returns: (transfer full): the verdict, which lanes of the costliest access conflict where, and
 *   which counts are lower bounds */
char *smb_analyze_summarize(const SmbArch *arch, const SmbAnalysis *analysis);

/** smb_analyze_uncounted: Returns: requests of all accesses that are not counted */
guint64 smb_analyze_uncounted(const SmbAnalysis *analysis);

/** smb_analyze_assumes: Returns: whether counts hold only for what was put in place of contents that were not given
 * (SmbAccess.data_source) */
gboolean smb_analyze_assumes(const SmbAnalysis *analysis);

/** smb_analyze_qualify: Returns: (transfer none): for which requests a verdict holds, behind what it says of them; "" for all */
const char *smb_analyze_qualify(const SmbAnalysis *analysis);

/** smb_analyze_describe_reason: Returns: (transfer full): why an access is not exact, as a sentence */
char *smb_analyze_describe_reason(const SmbAccess *access);

/** smb_analyze_describe_warning: Returns: (transfer full): what a warning says of its place */
char *smb_analyze_describe_warning(const SmbProgram *program, const SmbAnalysisWarning *warning);

/** smb_analyze_describe_idle: Returns: (transfer full): what SmbAnalysis.idle says of its place */
char *smb_analyze_describe_idle(const SmbAnalysis *analysis);

/**
 * smb_analyze_tell_warning:
 * @warnings: (element-type SmbAnalysisWarning)
 *
 * Returns: (transfer full) (nullable): the same for a reader, who is told once for each variable that it is read before it is
 *   written, and for each copy that it is not waited for, with the number of places; %NULL of the other places
 */
char *smb_analyze_tell_warning(const SmbProgram *program, const GArray *warnings, guint index);

/**
 * SmbLineTally: sums of one line of the source
 * @shared: of its accesses to shared memory
 * @worst: (nullable): of its accesses to shared memory with conflicts that with the most excess, the first of those alike
 * @segments: sectors or lines of its accesses to global memory
 */
typedef struct {
  SmbTally shared;
  const SmbAccess *worst;
  guint64 segments;
} SmbLineTally;

/** smb_analyze_sum_lines: @file: (nullable): one that the program was compiled from; %NULL: the program's own text
 *
 * Returns: (transfer full) (element-type SmbLineTally): a sum for each line, by its number; at 0 of accesses that have no
 *   line there */
GArray *smb_analyze_sum_lines(const SmbAnalysis *analysis, const char *file, guint n_lines);

/** Adds members that say where a site is, and what. @key: (nullable): what @array is called; of traffic, which has none and
 * no width, NULL */
void smb_analyze_json_place(JsonBuilder *json, const SmbProgram *program, const SmbSite *site,
                            const char *key, const char *array);

/** Adds the member "warnings" to a result: what smb_analyze_write_warnings() writes, but unused macros. */
void smb_analyze_json_warnings(JsonBuilder *json, const SmbTarget *target,
                               const SmbAnalysis *analysis);

/** Writes a warning at a place, as compilers do: "FILE:LINE:COLUMN: warning: message". */
void smb_analyze_write_warning(const SmbProgram *program, const SmbSite *site, const char *message,
                               SmbSpool *out);

/** What else a person should know: suspicious accesses, macros that the text lacks. */
void smb_analyze_write_warnings(const SmbTarget *target, const SmbAnalysis *analysis,
                                SmbSpool *out);
