// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The first lines of a result.
#pragma once

#include "src/analysis/compiled-count.h"

/** The heading of the text formats: kernel, block, grid, memory, architecture, and what is counted. */
void smb_analyze_write_heading(SmbCli *cli, const SmbTarget *target, const SmbAnalysis *analysis);

/** The same of a kernel that may be compiled: of a user's text beside which no @compiled (nullable) was counted, it says that this may
 * differ. */
void smb_analyze_write_careful_heading(SmbCli *cli, const SmbTarget *target,
                                       const SmbAnalysis *analysis,
                                       const SmbCompiledCount *compiled);
