// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Parts of the text of a comparison. Private to src/validate/comparison-text*.c.
#pragma once

#include "src/validate/comparison-report.h"
#include "src/out/table.h"

/** Writes a table, if there is one, and an empty line; then there is none. */
void smb_comparison_end_table(SmbCli *cli, SmbTable **table);

/** Adds the cells that name a launch: kernel, shape, defines; or the latter two. */
void smb_comparison_launch(SmbTable *table, const SmbComparisonRow *row);
void smb_comparison_shape_cells(SmbTable *table, const SmbComparisonRow *row);

/** Adds the cells of a number: predicted, measured. */
void smb_comparison_numbers(SmbTable *table, const SmbComparisonRow *row);

/** Adds the cell that says how a row came out. */
void smb_comparison_outcome(SmbTable *table, SmbOutcome outcome);

/** What a column of measured values is called: "recorded", or "measured" for this device. */
const char *smb_comparison_measured_word(const SmbRecording *recording);

/** The launches of a recording (src/validate/comparison-text-kernels.c). */
void smb_comparison_write_kernels(SmbCli *cli, const SmbComparison *comparison,
                                  const SmbRecording *recording, const SmbComparisonReport *view);
