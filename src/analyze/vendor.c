// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What is told besides of architectures whose vendor has counters of its own (AMD): the counts by the names and formulas of its
// profilers, and which rules that were used are assumed.
#include "sim/arch/rule.h"
#include "sim/base/text.h"
#include "src/analyze/report.h"
#include "src/out/json.h"

// Percent of the bandwidth that a conflict of one cycle costs, by rocprof-compute's "bank conflict rate": a 32nd.
static const double RATE_OF_CONFLICT = 100.0 / 32;

SmbAnalyzeCounters
smb_analyze_counters(const SmbArch *arch, const SmbAnalysis *analysis) {
  const SmbArchInfo *info = smb_arch_info(arch);
  SmbTally total = smb_analysis_total(analysis);
  SmbAnalyzeCounters counters = {.active_name = info->active_counter,
                                 .conflict_name = info->conflict_counter,
                                 .active = total.wavefronts,
                                 .conflict = total.excess};
  if (total.ideal)
    counters.per_access = (double)total.excess / (double)total.ideal;
  counters.rate = RATE_OF_CONFLICT * counters.per_access;
  return counters;
}

// Whether an access of this operation and width stands before @n.
static gboolean
is_listed(const SmbAnalysis *analysis, guint n, const SmbRequest *request) {
  for (guint i = 0; i < n; i++) {
    const SmbAccess *access = &g_array_index(analysis->accesses, SmbAccess, i);
    if (access->total.requests && access->worst.op == request->op &&
        access->worst.width == request->width)
      return TRUE;
  }
  return FALSE;
}

GPtrArray *
smb_analyze_assumed(const SmbArch *arch, const SmbAnalysis *analysis) {
  GPtrArray *rules = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; i < analysis->accesses->len && smb_arch_info(arch)->active_counter; i++) {
    const SmbAccess *access = &g_array_index(analysis->accesses, SmbAccess, i);
    if (!access->total.requests || is_listed(analysis, i, &access->worst))
      continue;
    const SmbRule *rule = smb_arch_rule(arch, (SmbOp)access->worst.op, access->worst.width);
    if (rule->evidence != SMB_EVIDENCE_ASSUMED)
      continue;
    g_ptr_array_add(
        rules, g_strdup_printf("%s %u%s%s%s", smb_op_name((SmbOp)access->worst.op),
                               access->worst.width, rule->disputed ? " (disputed: " : "",
                               rule->disputed ? rule->disputed : "", rule->disputed ? ")" : ""));
  }
  return rules;
}

char *
smb_analyze_describe_assumed(const SmbArch *arch, const SmbAnalysis *analysis) {
  g_autoptr(GPtrArray) rules = smb_analyze_assumed(arch, analysis);
  GString *text = g_string_new(NULL);
  for (guint i = 0; i < rules->len; i++)
    g_string_append_printf(text, "%s%s",
                           i ? ", " : "Counted by rules that are assumed, not measured: ",
                           (const char *)g_ptr_array_index(rules, i));
  if (rules->len)
    g_string_append_printf(text, ". 'smembank list archs %s' says from what.",
                           smb_arch_info(arch)->name);
  return g_string_free(text, FALSE);
}

char *
smb_analyze_describe_vendor(const SmbArch *arch, const SmbAnalysis *analysis) {
  GString *text = g_string_new(NULL);
  SmbAnalyzeCounters counters = smb_analyze_counters(arch, analysis);
  if (!counters.active_name || !counters.active)
    return g_string_free(text, FALSE);
  g_string_append_printf(text,
                         "By the profiler's names: %s %s, %s %s; rocprof-compute: %.2f conflicts "
                         "per access, bank conflict rate %.1f%%.",
                         counters.active_name, smb_number(counters.active).text,
                         counters.conflict_name, smb_number(counters.conflict).text,
                         counters.per_access, counters.rate);
  g_autofree char *assumed = smb_analyze_describe_assumed(arch, analysis);
  if (*assumed)
    g_string_append_printf(text, " %s", assumed);
  return g_string_free(text, FALSE);
}

void
smb_analyze_json_assumed(JsonBuilder *json, const SmbArch *arch, const SmbAnalysis *analysis) {
  if (!smb_arch_info(arch)->active_counter)
    return;
  g_autoptr(GPtrArray) rules = smb_analyze_assumed(arch, analysis);
  smb_json_array(json, "assumed_rules");
  for (guint i = 0; i < rules->len; i++)
    smb_json_text(json, NULL, g_ptr_array_index(rules, i));
  json_builder_end_array(json);
}
