// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Findings in the JSON of a result, for who joins several results.
#include "src/finding/finding.h"
#include "src/out/json.h"

void
smb_findings_json(JsonBuilder *json, const GPtrArray *findings) {
  smb_json_array(json, "findings");
  for (guint i = 0; i < findings->len; i++) {
    const SmbFinding *finding = findings->pdata[i];
    const SmbFindingRule *rule = smb_finding_rule(finding->kind);
    smb_json_object(json, NULL);
    smb_json_text(json, "rule", rule->name);
    smb_json_text(json, "level", smb_level_name(rule->level));
    smb_json_text(json, "file", finding->file);
    smb_json_number(json, "line", finding->line);
    smb_json_number(json, "column", finding->column);
    smb_json_text(json, "subject", finding->subject);
    smb_json_text(json, "message", finding->message);
    smb_json_number(json, "excess", (gint64)finding->cost);
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
}

static SmbFindingKind
find_finding_kind(const char *name) {
  guint kind = 0;
  while (kind + 1 < SMB_N_FINDINGS &&
         !g_str_equal(smb_finding_rule((SmbFindingKind)kind)->name, name))
    kind++;
  return (SmbFindingKind)kind;
}

void
smb_findings_add_json(GPtrArray *findings, JsonNode *result, const char *of) {
  JsonArray *all = smb_json_get_array(json_node_get_object(result), "findings");
  for (guint i = 0; all && i < json_array_get_length(all); i++) {
    JsonNode *node = json_array_get_element(all, i);
    JsonObject *one = JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
    const char *rule = smb_json_get_text(one, "rule"), *subject = smb_json_get_text(one, "subject"),
               *message = smb_json_get_text(one, "message");
    if (!rule || !subject || !message)
      continue; // nobody's finding
    const SmbFinding finding = {
        .kind = find_finding_kind(rule),
        .line = (guint)smb_json_get_number(one, "line"),
        .column = (guint)smb_json_get_number(one, "column"),
        .cost = (guint64)smb_json_get_number(one, "excess"),
    };
    smb_findings_add(findings, smb_json_get_text(one, "file"), &finding,
                     g_strdup_printf("%s: %s", of, subject),
                     g_strdup_printf("%s: %s", of, message));
  }
}
