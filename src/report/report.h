// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The result of an analysis as one page of HTML that needs nothing else: annotated source, tables, and the
// bank maps of the accesses that conflict. It reads without its script; that adds passes to step through,
// warps to choose, and lanes and banks that light up.
#pragma once

#include "sim/advise/neighbour.h"
#include "src/advise/report.h"
#include "src/analysis/compiled-count.h"
#include "src/analysis/launch-time.h"
#include "src/analysis/row.h"
#include "src/target/origin.h"

/** Most bank maps of one page; what is left out is said. */
#define SMB_REPORT_MAX_MAPS 96

/** Requests that the search of layouts for one array may count: some ten seconds. */
#define SMB_REPORT_MAX_COUNTS (G_GUINT64_CONSTANT(1) << 27)

/** Most accesses of one page whose paddings are drawn; the others have the table of them. */
#define SMB_REPORT_MAX_NEIGHBOURS 16

/**
 * SmbReportMap: a request whose bank map the page has
 * @access: index of SmbAnalysis.accesses
 * @warp: the warp that made it
 * @block: the first block in which it did
 * @count: times that this warp made it, over all blocks; 0: not known
 * @request: of the requests of this access and warp the one with the most excess wavefronts
 */
typedef struct {
  guint access;
  guint warp;
  guint64 block;
  guint64 count;
  SmbRequest request;
} SmbReportMap;

/** SmbReportConflict: an access that conflicts, or several alike instructions of a line: @row; @access: index in SmbAnalysis.accesses of the
 * worst of them, which the page explains */
typedef struct {
  guint access;
  SmbAnalyzeRow row;
} SmbReportConflict;

/**
 * SmbReport:
 * @analysis: with its requests
 * @prefix: what the names of places in the page begin with; "" if it has one report
 * @maps: (element-type SmbReportMap): by access, then by warp
 * @conflicts: (element-type SmbReportConflict): most excess wavefronts first, as compiled where that is counted
 * @advice: (nullable): layouts of the arrays; %NULL if nothing conflicts, or they could not be searched
 * @advice_failure: (nullable): why they could not
 * @left_out: by access: maps that the page has no room for
 * @uses: the arrays of the kernel
 * @origins: what compiled code was compiled from
 * @files: (element-type utf8): of that, the files at hand that accesses stand in, in their order
 * @neighbours: (element-type SmbArrayUse SmbNeighbours): other paddings of those with conflicts
 * @time: (nullable): how long the machine code takes that is counted, or that the text becomes
 * @compiled: (nullable) (transfer none): what a compiler makes of @target, which the verdict is of
 */
typedef struct {
  SmbArch *arch;
  const SmbTarget *target;
  const SmbAnalysis *analysis;
  const char *prefix;
  GArray *maps;
  GArray *conflicts;
  SmbAdviseReport *advice;
  char *advice_failure;
  guint *left_out;
  SmbArrayUses *uses;
  SmbOrigins *origins;
  GPtrArray *files;
  GHashTable *neighbours;
  SmbLaunchTime *time;
  const SmbCompiledCount *compiled;
} SmbReport;

/**
 * smb_report_new:
 * @arch: (transfer none): all of them must outlive the report
 * @compiled: (nullable): as of SmbReport
 *
 * Chooses the maps: of every conflict the costliest request of each warp that has
 * one. If there are more than SMB_REPORT_MAX_MAPS, each access has one before any has two, the costliest first.
 * Searches layouts for the arrays that conflict.
 *
 * Returns: (transfer full): what the page shows
 */
SmbReport *smb_report_new(SmbArch *arch, const SmbTarget *target, const SmbAnalysis *analysis,
                          const SmbCompiledCount *compiled);
void smb_report_free(SmbReport *report);

/** Writes the page. @error: a style or script that is missing from the data */
gboolean smb_report_write(const SmbReport *report, SmbSpool *page, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbReport, smb_report_free)
