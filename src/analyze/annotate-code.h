// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// analyze --annotate of machine code.
#pragma once

#include "src/analyze/report.h"
#include "src/out/table.h"

/** The columns of smb_analyze_add_code(): before that of the global segments, and behind it; what conflicts cost, of a launch that has a
 * time, is between the last two. */
#define SMB_ANALYZE_CODE_COLUMNS        "per launch: requests>|wavefronts>|ideal>|excess>"
#define SMB_ANALYZE_CODE_WORST          "per request: worst>|"
#define SMB_ANALYZE_CODE_COLUMNS_BEHIND ": pc>|instruction"

/** smb_analyze_add_code: adds a row for each of @instructions (smb_program_instructions()), and the total */
void smb_analyze_add_code(SmbTable *table, const GPtrArray *instructions,
                          const SmbAnalyzeReport *report);
