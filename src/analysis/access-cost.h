// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the conflicts of the accesses of a row cost in time, as tables say it.
#pragma once

#include "src/analysis/compiled-count.h"
#include "src/analysis/launch-time.h"

/** smb_compiled_line_cost: @time: (nullable). Returns: what the launch gains, in cycles, without the conflicts of what a line of the
 * text has become: of each access, added up, and no more than what all conflicts cost together */
double smb_compiled_line_cost(const SmbLaunchTime *time, const SmbCompiledCount *compiled,
                              const SmbCompiledLine *line);

/** smb_access_cost: @time, @compiled: (nullable). @access: of the text that @compiled is of, or of the timed code. Returns: the same of
 * what the line of the access has become; of the access itself without @compiled */
double smb_access_cost(const SmbLaunchTime *time, const SmbCompiledCount *compiled,
                       const SmbAccess *access);

/** smb_row_cost: Returns: the same, without @compiled of all accesses of @analysis that smb_analyze_gather() has in one row */
double smb_row_cost(const SmbLaunchTime *time, const SmbCompiledCount *compiled,
                    const SmbAnalysis *analysis, const SmbAccess *access);
