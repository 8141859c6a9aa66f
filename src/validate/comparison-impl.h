// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the sources of a comparison share. Private to src/validate/comparison*.c.
#pragma once

#include "src/validate/comparison.h"

/** smb_comparison_keep: Returns: (transfer none): @text, which lives as long as the comparison */
const char *smb_comparison_keep(SmbComparison *comparison, const char *text);

/** smb_comparison_defines: (transfer none): a copy of @defines that lives as long */
const char *const *smb_comparison_defines(SmbComparison *comparison, const char *const *defines);

/**
 * smb_comparison_row:
 * @metric: (transfer none): lives as long as the program
 *
 * Returns: (transfer full): a row of which nothing is predicted or measured, for
 *   smb_comparison_take()
 */
SmbComparisonRow *smb_comparison_row(SmbRowKind kind, const char *metric);

/** Frees a row that no comparison has taken. */
void smb_comparison_row_free(gpointer row);

/** Notes what a launch of a recording, which was read as @program, is made of. */
void smb_comparison_note_files(SmbComparison *comparison, const SmbRecordedKernel *recorded,
                               const SmbProgram *program);

/** Adds and counts a row: (transfer full). */
void smb_comparison_take(SmbComparison *comparison, SmbComparisonRow *row);

/** Adds a published row, beside those that have the same number: (transfer full). Beside what a device measures now, others are
 * left out. */
void smb_comparison_take_published(SmbComparison *comparison, SmbComparisonRow *row);

/** Another source of rows begins. */
void smb_comparison_begin(SmbComparison *comparison);

/** smb_comparison_deal: the next launch, request or number of the source begins. Returns: whether it belongs to the part */
gboolean smb_comparison_deal(SmbComparison *comparison);

/**
 * smb_comparison_add_instructions:
 * @like: whose kernel, device, source, architecture, recording and launch the rows have
 * @instructions: (element-type SmbProfileInstruction): what was measured
 *
 * Adds the rows that smb_comparison_add_profile() describes.
 */
void smb_comparison_add_instructions(SmbComparison *comparison, const SmbProgram *program,
                                     const SmbAnalysis *analysis, const SmbComparisonRow *like,
                                     const GArray *instructions);
