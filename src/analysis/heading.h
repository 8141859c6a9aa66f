// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The first lines of a result.
#pragma once

#include "src/analysis/compiled-count.h"

/** The heading of the text formats: kernel, block, grid, memory, architecture, and what is counted; of a text that is not compiled here
 * that this may differ. */
void smb_analyze_write_heading(SmbCli *cli, const SmbTarget *target, const SmbAnalysis *analysis);

/** The same of a text beside which @compiled (nullable) was counted. */
void smb_analyze_write_both_heading(SmbCli *cli, const SmbTarget *target,
                                    const SmbAnalysis *analysis, const SmbCompiledCount *compiled);
