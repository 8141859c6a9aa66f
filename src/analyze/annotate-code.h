// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// analyze --annotate of machine code.
#pragma once

#include "sim/analysis/analysis.h"
#include "src/cli/files.h"
#include "src/out/table.h"

/** Before the column of the global segments, and behind it, in smb_analyze_add_code(). */
#define SMB_ANALYZE_CODE_COLUMNS        "per launch: requests>|wavefronts>|ideal>|excess>"
#define SMB_ANALYZE_CODE_COLUMNS_BEHIND "per request: worst>|: pc>|instruction"

/** smb_analyze_add_code: adds a row for each of @instructions (smb_program_instructions()), and the total; @files: (nullable): takes
 * the sources that are read */
void smb_analyze_add_code(SmbTable *table, const SmbProgram *program, const GPtrArray *instructions,
                          const SmbAnalysis *analysis, SmbFiles *files);
