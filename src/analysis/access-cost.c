// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/analysis/access-cost.h"

#include "src/analysis/row.h"

double
smb_compiled_line_cost(const SmbLaunchTime *time, const SmbCompiledCount *compiled,
                       const SmbCompiledLine *line) {
  const GArray *accesses = compiled->analysis->accesses;
  double sum = 0;
  for (guint i = 0; line && i < accesses->len; i++) {
    const SmbAccess *access = &g_array_index(accesses, SmbAccess, i);
    double cycles = 0;
    if (smb_compiled_count_line(compiled, access) == line)
      smb_launch_time_cost(time, access->site, &cycles);
    sum += cycles;
  }
  return MIN(sum, smb_launch_time_conflicts(time));
}

double
smb_access_cost(const SmbLaunchTime *time, const SmbCompiledCount *compiled,
                const SmbAccess *access) {
  double cycles = 0;
  if (smb_compiled_count_has(compiled))
    return smb_compiled_line_cost(time, compiled, smb_compiled_count_line(compiled, access));
  smb_launch_time_cost(time, access->site, &cycles);
  return cycles;
}

double
smb_row_cost(const SmbLaunchTime *time, const SmbCompiledCount *compiled,
             const SmbAnalysis *analysis, const SmbAccess *access) {
  if (smb_compiled_count_has(compiled))
    return smb_access_cost(time, compiled, access);
  double sum = 0;
  for (guint i = 0; i < analysis->accesses->len; i++) {
    const SmbAccess *other = &g_array_index(analysis->accesses, SmbAccess, i);
    double cycles = 0;
    if (smb_analyze_is_one_row(access, other))
      smb_launch_time_cost(time, other->site, &cycles);
    sum += cycles;
  }
  return MIN(sum, smb_launch_time_conflicts(time));
}
