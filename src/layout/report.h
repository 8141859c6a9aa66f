// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// layout: what is told beside the counts of analyze, which a layout with its accesses has as a kernel has.
#pragma once

#include "sim/advise/advise.h"
#include "sim/layout/tile-program.h"
#include "src/analyze/report.h"
#include "src/explain/explain.h"

/**
 * SmbLayoutOthers: the best of other layouts, for the same accesses
 * @target, @analysis: the accesses to the tile as it would lie row by row
 * @uses: its arrays
 * @advice: what was searched for the tile, and found
 * @failure: (nullable): why nothing was searched, in words; then the rest is %NULL
 */
typedef struct {
  SmbTarget *target;
  SmbAnalysis *analysis;
  SmbArrayUses *uses;
  SmbAdvice *advice;
  char *failure;
} SmbLayoutOthers;

/** smb_layout_others_new: @kinds: what is searched; 0: all. Returns: (transfer full): the search over rows that are padded or swizzled */
SmbLayoutOthers *smb_layout_others_new(const SmbTarget *target, const SmbArch *arch,
                                       SmbAdviseKinds kinds);
void smb_layout_others_free(SmbLayoutOthers *others);

/** smb_layout_name: Returns: (transfer full): a layout of rows as CuTe writes it: "Swizzle<3,3,3> o (64,64):(64,1)" */
char *smb_layout_name(const SmbTile *tile, const SmbLayout *layout);

/**
 * SmbLayoutReport: @counts: what the writers of analyze take; @explanation: (nullable): of the costliest access; @others: of other
 * layouts
 */
typedef struct {
  SmbAnalyzeReport counts;
  const SmbExplanation *explanation;
  const SmbLayoutOthers *others;
} SmbLayoutReport;

void smb_layout_write_text(SmbCli *cli, const SmbLayoutReport *report);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbLayoutOthers, smb_layout_others_free)
