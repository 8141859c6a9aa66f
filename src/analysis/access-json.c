// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/analysis/access-json.h"

#include <math.h>

#include "sim/arch/words.h"
#include "src/analysis/access-cost.h"
#include "src/analysis/verdict.h"
#include "src/analysis/warning.h"
#include "src/target/target-json.h"

void
smb_analyze_json_place(JsonBuilder *json, const SmbProgram *program, const SmbSite *site,
                       const char *key, const char *array) {
  smb_json_text(json, "file", smb_analyze_site_file(program, site));
  smb_json_number(json, "line", site->line);
  smb_json_number(json, "column", site->column);
  if (key)
    smb_json_text(json, key, array);
  smb_json_text(json, "op", smb_op_class_name(site->op_class));
  if (key)
    smb_json_number(json, "width", site->width);
  smb_json_text(json, "expression", site->expression);
  smb_json_array(json, "inlined_at");
  for (guint i = 0; i < site->n_frames; i++) {
    smb_json_object(json, NULL);
    smb_json_text(json, "file", site->frames[i].file);
    smb_json_number(json, "line", site->frames[i].line);
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
  smb_json_number_if(json, "pc", site->opcode != NULL, site->pc);
  smb_json_text(json, "opcode", site->opcode);
}

void
smb_analyze_json_access(JsonBuilder *json, const SmbProgram *program, const SmbAccess *access) {
  smb_analyze_json_place(json, program, access->site, "array", access->array);
  smb_json_costs(json, &access->total);
  smb_json_boolean(json, "exact", access->exact);
  smb_json_text(json, "reason", access->reason);
  smb_json_boolean(json, "depends_on_data", smb_access_depends_on_data(access));
  smb_json_number(json, "uncounted_requests", (gint64)access->uncounted);
}

static void
write_warps_json(JsonBuilder *json, const SmbAccess *access, guint n_warps) {
  smb_json_array(json, "warps");
  for (guint w = 0; w < n_warps; w++) {
    if (access->warps[w].requests == 0)
      continue;
    smb_json_object(json, NULL);
    smb_json_number(json, "warp", w);
    smb_json_costs(json, &access->warps[w]);
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
}

// Whether a compiled access is of the class of @only, and in its line.
static gboolean
is_of_line(const SmbCompiledCount *compiled, const SmbAccess *access, const SmbAccess *only) {
  return smb_compiled_count_line(compiled, access) == smb_compiled_count_line(compiled, only);
}

// The access of the text that one was compiled from, if it is one.
static void
write_written_json(JsonBuilder *json, const SmbCompiledCount *compiled, const SmbAccess *access) {
  const SmbSite *written = smb_compiled_count_written(compiled, access);
  smb_json_text(json, "written", written ? written->expression : NULL);
}

// What the conflicts of an access cost; of a text what those of its line do as compiled, with the first access of the line.
static void
write_cost_json(JsonBuilder *json, const SmbCompiledCount *beside, const SmbLaunchTime *time,
                const SmbAccess *access) {
  SmbTally compiled;
  if (!smb_compiled_count_has(beside))
    smb_launch_time_site_json(json, time, access->site);
  else if (time && time->time && smb_compiled_count_share(beside, access, &compiled))
    smb_json_number(json, "cost_cycles", (gint64)round(smb_access_cost(time, beside, access)));
}

// @compiled: (nullable): that @analysis is of; @only: (nullable): those of its line; @beside: (nullable): what is compiled of the text that
// @analysis is of
static void
write_accesses_json(JsonBuilder *json, const SmbProgram *program, const SmbAnalysis *analysis,
                    gboolean by_warp, const SmbCompiledCount *compiled, const SmbAccess *only,
                    const SmbCompiledCount *beside, const SmbLaunchTime *time) {
  smb_json_array(json, "accesses");
  for (guint i = 0; i < analysis->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(analysis->accesses, SmbAccess, i);
    if (only && !is_of_line(compiled, access, only))
      continue;
    smb_json_object(json, NULL);
    smb_analyze_json_access(json, program, access);
    if (compiled)
      write_written_json(json, compiled, access);
    write_cost_json(json, beside, time, access);
    if (by_warp)
      write_warps_json(json, access, analysis->n_warps);
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
}

void
smb_analyze_json_accesses(JsonBuilder *json, const SmbProgram *program, const SmbAnalysis *analysis,
                          gboolean by_warp, const SmbCompiledCount *beside,
                          const SmbLaunchTime *time) {
  write_accesses_json(json, program, analysis, by_warp, NULL, NULL, beside, time);
}

void
smb_analyze_json_compiled(JsonBuilder *json, const SmbProgram *text,
                          const SmbCompiledCount *compiled, gboolean by_warp, const SmbAccess *only,
                          const SmbLaunchTime *time) {
  if (!compiled)
    return;
  smb_json_object(json, "compiled");
  smb_json_text(json, "error", compiled->failure);
  if (smb_compiled_count_has(compiled)) {
    smb_json_text(json, "command", compiled->target->compiled);
    smb_json_text(json, "level", smb_program_level(compiled->target->kernel));
    smb_json_text(json, "exact_of", smb_analyze_exact_of(compiled->target->kernel));
    smb_json_number(json, "shared_bytes", (gint64)compiled->analysis->shared_bytes);
    write_accesses_json(json, text, compiled->analysis, by_warp, compiled, only, NULL, time);
    smb_json_totals(json, compiled->analysis->totals, &compiled->analysis->copies);
  }
  json_builder_end_object(json);
}
