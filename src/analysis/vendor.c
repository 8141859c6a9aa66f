// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What is told besides of architectures whose vendor has counters of its own (AMD): the counts by the names and formulas of its
// profilers, and which rules that were used are assumed. Of any architecture: what only sm_100 and sm_120 have.
#include "src/analysis/vendor.h"

#include <string.h>

#include "sim/arch/rule.h"
#include "sim/base/text.h"
#include "src/out/json.h"

// Percent of the bandwidth that a conflict of one cycle costs, by rocprof-compute's "bank conflict rate": a 32nd.
static const double RATE_OF_CONFLICT = 100.0 / 32;

enum {
  TENSOR_MAP_CAPABILITY =
      9 // major, of the chips whose tensor maps were compared with a device (sim/tensor)
};

static gboolean
is_count_exact(const SmbArch *arch, const SmbAnalysis *analysis) {
  gboolean exact = TRUE;
  for (guint i = 0; i < analysis->accesses->len; i++) {
    const SmbAccess *access = &g_array_index(analysis->accesses, SmbAccess, i);
    const SmbRule *rule = smb_arch_rule(arch, (SmbOp)access->worst.op, access->worst.width);
    gboolean is_less = smb_access_is_lower_bound(access) || rule->lower_bound;
    exact = exact && !(access->total.requests && is_less);
  }
  for (guint i = 0; i < analysis->traffic->len; i++)
    exact =
        exact && g_array_index(analysis->traffic, SmbOtherTraffic, i).kind != SMB_TRAFFIC_SHUFFLE;
  return exact;
}

SmbAnalyzeCounters
smb_analyze_count(const SmbArch *arch, const SmbTally *total, gboolean exact) {
  const SmbArchInfo *info = smb_arch_info(arch);
  SmbAnalyzeCounters counters = {.active_name = info->active_counter,
                                 .conflict_name = info->conflict_counter,
                                 .active = total->wavefronts,
                                 .conflict = total->excess,
                                 .is_exact = exact,
                                 .note = info->counter_note};
  if (total->ideal)
    counters.per_access = (double)total->excess / (double)total->ideal;
  counters.rate = RATE_OF_CONFLICT * counters.per_access;
  return counters;
}

static SmbAnalyzeCounters
count_analysis(const SmbArch *arch, const SmbAnalysis *analysis) {
  const SmbTally total = smb_analysis_total(analysis);
  return smb_analyze_count(arch, &total, is_count_exact(arch, analysis));
}

char *
smb_analyze_describe_counters(const SmbAnalyzeCounters *counters) {
  GString *text = g_string_new(NULL);
  const char *least = counters->is_exact ? "" : "at least ";
  if (!counters->active_name || !counters->active)
    return g_string_free(text, FALSE);
  g_string_append_printf(
      text,
      "By the profiler's names: %s %s%s, %s %s%s; rocprof-compute: %.2f conflicts "
      "per access, bank conflict rate %.1f%%%s.",
      counters->active_name, least, smb_number(counters->active).text, counters->conflict_name,
      least, smb_number(counters->conflict).text, counters->per_access, counters->rate,
      counters->is_exact ? "" : " by what is counted");
  if (counters->note)
    g_string_append_printf(text, " %s.", counters->note);
  return g_string_free(text, FALSE);
}

void
smb_analyze_json_counters(JsonBuilder *json, const SmbAnalyzeCounters *counters) {
  if (!counters->active_name)
    return;
  smb_json_object(json, "counters");
  smb_json_number(json, counters->active_name, (gint64)counters->active);
  smb_json_number(json, counters->conflict_name, (gint64)counters->conflict);
  smb_json_double(json, "conflicts_per_access", counters->per_access);
  smb_json_double(json, "bank_conflict_rate_percent", counters->rate);
  smb_json_boolean(json, "exact", counters->is_exact);
  if (counters->note)
    smb_json_text(json, "note", counters->note);
  json_builder_end_object(json);
}

// Whether an access of this operation and width stands before @n.
static gboolean
is_rule_listed(const SmbAnalysis *analysis, guint n, const SmbRequest *request) {
  for (guint i = 0; i < n; i++) {
    const SmbAccess *access = &g_array_index(analysis->accesses, SmbAccess, i);
    if (access->total.requests && access->worst.op == request->op &&
        access->worst.width == request->width)
      return TRUE;
  }
  return FALSE;
}

// Whether an instruction was executed that uses shared memory without requests.
static gboolean
uses_instruction(const SmbAnalysis *analysis, const char *opcode) {
  for (guint i = 0; i < analysis->traffic->len; i++) {
    const SmbOtherTraffic *traffic = &g_array_index(analysis->traffic, SmbOtherTraffic, i);
    if (strstr(traffic->site->expression, opcode))
      return TRUE;
  }
  return FALSE;
}

static gboolean
copies_boxes(const SmbAnalysis *analysis) {
  for (guint i = 0; i < analysis->traffic->len; i++)
    if (g_array_index(analysis->traffic, SmbOtherTraffic, i).kind == SMB_TRAFFIC_TENSOR)
      return TRUE;
  return FALSE;
}

// What sm_100 and sm_120 have is modelled by the documents: it was compared with no chip.
static void
add_newer(GPtrArray *rules, const SmbArch *arch, const SmbAnalysis *analysis) {
  static const struct {
    const char *opcode, *name;
  } newer[] = {{"tcgen05.", "tcgen05 (tensor memory)"},
               {"clusterlaunchcontrol.", "clusterlaunchcontrol (no block takes over another)"}};
  for (guint i = 0; i < G_N_ELEMENTS(newer); i++)
    if (uses_instruction(analysis, newer[i].opcode))
      g_ptr_array_add(rules, g_strdup(newer[i].name));
  if (smb_arch_info(arch)->capability_major > TENSOR_MAP_CAPABILITY && copies_boxes(analysis))
    g_ptr_array_add(rules, g_strdup("tensor maps (their form is that of sm_90)"));
  if (analysis->assumed)
    g_ptr_array_add(rules, g_strdup(analysis->assumed));
}

// The rules of the architecture's file; those of NVIDIA's, whose file does not name a counter, are told by 'smembank list archs' alone.
static void
add_rules_of_chip(GPtrArray *rules, const SmbArch *arch, const SmbAnalysis *analysis) {
  for (guint i = 0; i < analysis->accesses->len && smb_arch_info(arch)->active_counter; i++) {
    const SmbAccess *access = &g_array_index(analysis->accesses, SmbAccess, i);
    if (!access->total.requests || is_rule_listed(analysis, i, &access->worst))
      continue;
    const SmbRule *rule = smb_arch_rule(arch, (SmbOp)access->worst.op, access->worst.width);
    if (rule->evidence != SMB_EVIDENCE_ASSUMED)
      continue;
    g_ptr_array_add(
        rules, g_strdup_printf("%s %u%s%s%s", smb_op_name((SmbOp)access->worst.op),
                               access->worst.width, rule->disputed ? " (disputed: " : "",
                               rule->disputed ? rule->disputed : "", rule->disputed ? ")" : ""));
  }
}

GPtrArray *
smb_analyze_assumed(const SmbArch *arch, const SmbAnalysis *analysis) {
  GPtrArray *rules = g_ptr_array_new_with_free_func(g_free);
  add_rules_of_chip(rules, arch, analysis);
  add_newer(rules, arch, analysis);
  return rules;
}

// Rules in words, as the end of a sentence; NULL: there are none.
static char *
describe_rules(const GPtrArray *rules) {
  GString *text = g_string_new("counted by rules that are assumed, not measured: ");
  for (guint i = 0; i < rules->len; i++)
    g_string_append_printf(text, "%s%s", i ? ", " : "", (const char *)g_ptr_array_index(rules, i));
  return g_string_free(text, rules->len == 0);
}

char *
smb_analyze_describe_assumed(const SmbArch *arch, const SmbAnalysis *analysis) {
  g_autoptr(GPtrArray) rules = g_ptr_array_new_with_free_func(g_free);
  add_rules_of_chip(rules, arch, analysis);
  const gboolean lists = rules->len > 0;
  add_newer(rules, arch, analysis);
  g_autofree char *text = describe_rules(rules);
  g_autofree char *sentence = text ? smb_text_capitalize(text) : NULL;
  if (lists)
    return g_strdup_printf("%s. 'smembank list archs %s' says from what.", sentence,
                           smb_arch_info(arch)->name);
  return text ? g_strconcat(sentence, ".", NULL) : g_strdup("");
}

char *
smb_analyze_read_assumed(JsonObject *result) {
  JsonArray *array = smb_json_get_array(result, "assumed_rules");
  g_autoptr(GPtrArray) rules = g_ptr_array_new();
  for (guint i = 0; array && i < json_array_get_length(array); i++) {
    JsonNode *rule = json_array_get_element(array, i);
    const char *name = JSON_NODE_HOLDS_VALUE(rule) ? json_node_get_string(rule) : NULL;
    g_ptr_array_add(rules, (gpointer)(name ? name : ""));
  }
  return describe_rules(rules);
}

void
smb_analyze_note_assumed(SmbCli *cli, const char *name, const SmbAnalysis *analysis) {
  g_autofree char *assumed = smb_analyze_describe_assumed(cli->arch, analysis);
  if (*assumed)
    smb_spool_printf(cli->messages, "%s: note: %s\n", name, assumed);
}

char *
smb_analyze_describe_vendor(const SmbArch *arch, const SmbAnalysis *analysis) {
  const SmbAnalyzeCounters counters = count_analysis(arch, analysis);
  g_autofree char *text = smb_analyze_describe_counters(&counters);
  g_autofree char *assumed = smb_analyze_describe_assumed(arch, analysis);
  return g_strconcat(text, *text && *assumed ? " " : "", assumed, NULL);
}

void
smb_analyze_json_vendor(JsonBuilder *json, const SmbArch *arch, const SmbAnalysis *analysis) {
  const SmbAnalyzeCounters counters = count_analysis(arch, analysis);
  smb_analyze_json_counters(json, &counters);
  smb_analyze_json_assumed(json, arch, analysis);
}

void
smb_analyze_json_assumed(JsonBuilder *json, const SmbArch *arch, const SmbAnalysis *analysis) {
  g_autoptr(GPtrArray) rules = smb_analyze_assumed(arch, analysis);
  if (rules->len > 0 || smb_arch_info(arch)->active_counter)
    smb_json_texts(json, "assumed_rules", rules);
}
