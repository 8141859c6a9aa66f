// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/analysis/access-cost.h"

#include "src/analysis/row.h"

// What accesses cost together.
typedef struct {
  double cycles;
  guint n; // of them, those that cost something
} Costs;

static void
add_cost(Costs *costs, const SmbLaunchTime *time, const SmbAccess *access) {
  double cycles = 0;
  smb_launch_time_cost(time, access->site, &cycles);
  costs->cycles += cycles;
  costs->n += cycles > 0;
}

// @own: of some accesses, @all: of all. If no others have conflicts that cost anything, they cost what all conflicts do.
static double
take_costs(const SmbLaunchTime *time, Costs own, Costs all) {
  double most = smb_launch_time_conflicts(time);
  return own.n > 0 && own.n == all.n ? most : MIN(own.cycles, most);
}

double
smb_compiled_line_cost(const SmbLaunchTime *time, const SmbCompiledCount *compiled,
                       const SmbCompiledLine *line) {
  const GArray *accesses = compiled->analysis->accesses;
  Costs own = {0}, all = {0};
  for (guint i = 0; line && i < accesses->len; i++) {
    const SmbAccess *access = &g_array_index(accesses, SmbAccess, i);
    add_cost(&all, time, access);
    if (smb_compiled_count_line(compiled, access) == line)
      add_cost(&own, time, access);
  }
  return take_costs(time, own, all);
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
  Costs own = {0}, all = {0};
  for (guint i = 0; i < analysis->accesses->len; i++) {
    const SmbAccess *other = &g_array_index(analysis->accesses, SmbAccess, i);
    add_cost(&all, time, other);
    if (smb_analyze_is_one_row(access, other))
      add_cost(&own, time, other);
  }
  return take_costs(time, own, all);
}
