// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// layout: what is told beside the counts of analyze, which a layout with its accesses has as a kernel has.
#pragma once

#include "sim/advise/advise.h"
#include "sim/layout/linear-search.h"
#include "sim/layout/tile-program.h"
#include "src/analyze/report.h"
#include "src/explain/explain.h"

/**
 * SmbLayoutOthers: the best of other layouts, for the same accesses
 * @target, @analysis: the accesses to the tile as it would lie row by row
 * @uses: its arrays
 * @advice: what was searched for the tile, and found
 * @linear: what layouts that are linear over F2 take at least, and one of them
 * @failure: (nullable): why nothing was searched, in words; then the rest is %NULL
 */
typedef struct {
  SmbTarget *target;
  SmbAnalysis *analysis;
  SmbArrayUses *uses;
  SmbAdvice *advice;
  SmbLinearSearch *linear;
  char *failure;
} SmbLayoutOthers;

/** smb_layout_others_new: @kinds: what is searched; 0: all. Returns: (transfer full): the search over rows that are padded or swizzled */
SmbLayoutOthers *smb_layout_others_new(const SmbTarget *target, const SmbArch *arch,
                                       SmbAdviseKinds kinds);
void smb_layout_others_free(SmbLayoutOthers *others);

/** smb_layout_name: Returns: (transfer full): a layout of rows as CuTe writes it: "Swizzle<3,3,3> o (64,64):(64,1)" */
char *smb_layout_name(const SmbTile *tile, const SmbLayout *layout);

/** What --find looks for. */
typedef enum {
  SMB_LAYOUT_FIND_SWIZZLE,
  SMB_LAYOUT_FIND_PAD,
} SmbLayoutFind;

/**
 * SmbLayoutFound: the best layout of a kind, and why none is better
 * @what: of which kind
 * @is_linear: whether it is the one that the search over linear layouts has found; else it is @layout
 * @wavefronts: what all accesses take in it; the counter has counted them
 * @excess: of these
 * @is_proved: whether no layout of @holds_for takes fewer; a certificate was recounted (sim/layout/linear-check.h)
 * @by: how: "ideal", "rank" or "exhaustive"; %NULL if it is not proved
 * @holds_for: the layouts that the proof is of
 * @proof: the argument, in sentences
 * @cute: (nullable), @triton: (nullable), @c: the layout in these notations
 */
typedef struct {
  SmbLayoutFind what;
  gboolean is_linear;
  SmbLayout layout;
  guint64 wavefronts;
  guint64 excess;
  gboolean is_proved;
  const char *by;
  char *holds_for;
  char *proof;
  char *cute;
  char *triton;
  char *c;
} SmbLayoutFound;

/**
 * smb_layout_find_best:
 * @others: whose search is of that kind, and has found something
 * @error: SMB_ERROR_INPUT: nothing was found
 *
 * Returns: (transfer full): the best layout
 */
SmbLayoutFound *smb_layout_find_best(const SmbLayoutOthers *others, const SmbTarget *target,
                                     const SmbArch *arch, SmbLayoutFind what, GError **error);
void smb_layout_found_free(SmbLayoutFound *found);

/** Adds the member "found" to a document. @others: the search that has found it */
void smb_layout_found_json(JsonBuilder *json, const SmbLayoutFound *found,
                           const SmbLayoutOthers *others);

/** Adds the member "certificate" of a layout that is proved: what verify-proof needs to check the proof again. */
void smb_layout_certificate_json(JsonBuilder *json, const SmbLayoutFound *found,
                                 const SmbLayoutOthers *others);

/** Writes it as a table of one row, which is the whole result; and after the tables of what was asked. */
void smb_layout_found_csv(SmbCli *cli, const SmbLayoutFound *found);
void smb_layout_found_markdown(SmbCli *cli, const SmbLayoutFound *found);

/**
 * SmbLayoutReport: @counts: what the writers of analyze take; @explanation: (nullable): of the costliest access; @others: of other
 * layouts; @found: (nullable): what --find looked for
 */
typedef struct {
  SmbAnalyzeReport counts;
  const SmbExplanation *explanation;
  const SmbLayoutOthers *others;
  const SmbLayoutFound *found;
} SmbLayoutReport;

void smb_layout_write_text(SmbCli *cli, const SmbLayoutReport *report);

/** smb_layout_recount: @layout: in any notation; the accesses are those of @target. Returns: whether it could be counted */
gboolean smb_layout_recount(const SmbTarget *target, const SmbArch *arch, const char *layout,
                            SmbTally *total);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbLayoutOthers, smb_layout_others_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbLayoutFound, smb_layout_found_free)
