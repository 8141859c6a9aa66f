// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What an architecture's profilers count of a launch, and the rules that were used and are assumed.
#pragma once

#include <json-glib/json-glib.h>

#include "sim/analysis/analysis.h"
#include "src/cli/cli.h"

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
 * Returns: (transfer full) (element-type utf8): rules that were used and are assumed: of an architecture that names counters,
 *   "ld 4", "ld 4 (disputed: ...)"; of any one, what only sm_100 and sm_120 have: "tcgen05 (tensor memory)"
 */
GPtrArray *smb_analyze_assumed(const SmbArch *arch, const SmbAnalysis *analysis);

/** smb_analyze_describe_assumed: Returns: (transfer full): the same in a sentence; "" if there are none */
char *smb_analyze_describe_assumed(const SmbArch *arch, const SmbAnalysis *analysis);

/** smb_analyze_read_assumed: @result: of analyze, as JSON. Returns: (nullable) (transfer full): the same of it, as the end of a
 * sentence; %NULL: there are none */
char *smb_analyze_read_assumed(JsonObject *result);

/** The same as a message, for a format that has no place for it. @name: of the kernel's file */
void smb_analyze_note_assumed(SmbCli *cli, const char *name, const SmbAnalysis *analysis);

/** The same as the member "assumed_rules": there if there are some, and of an architecture that names counters. */
void smb_analyze_json_assumed(JsonBuilder *json, const SmbArch *arch, const SmbAnalysis *analysis);

/** smb_analyze_describe_vendor: Returns: (transfer full): counters and rules in sentences; "" of neither */
char *smb_analyze_describe_vendor(const SmbArch *arch, const SmbAnalysis *analysis);

/** The same as the members "counters" and "assumed_rules". */
void smb_analyze_json_vendor(JsonBuilder *json, const SmbArch *arch, const SmbAnalysis *analysis);
