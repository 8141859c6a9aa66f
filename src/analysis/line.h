// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the lines of a source cost.
#pragma once

#include "src/analysis/launch-time.h"

/**
 * SmbLineTally: sums of one line of the source
 * @shared: of its accesses to shared memory
 * @worst: (nullable): of its accesses to shared memory with conflicts that with the most excess, the first of those alike
 * @segments: sectors or lines of its accesses to global memory
 * @cost: what the launch gains without the conflicts of each, in cycles, added up, and no more than what all conflicts
 *   cost together; 0 where the launch has no time
 */
typedef struct {
  SmbTally shared;
  const SmbAccess *worst;
  guint64 segments;
  double cost;
} SmbLineTally;

/** smb_analyze_sum_lines: @file: (nullable): one that the program was compiled from; %NULL: the program's own text;
 * @time: (nullable): of what @analysis is of
 *
 * Returns: (transfer full) (element-type SmbLineTally): a sum for each line, by its number; at 0 of accesses that have no
 *   line there */
GArray *smb_analyze_sum_lines(const SmbAnalysis *analysis, const char *file, guint n_lines,
                              const SmbLaunchTime *time);
