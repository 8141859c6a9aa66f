// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Findings in the JSON of a result, for who joins several results.
#include "src/out/finding.h"
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
find_kind(const char *name) {
  guint kind = 0;
  while (kind + 1 < SMB_N_FINDINGS &&
         !g_str_equal(smb_finding_rule((SmbFindingKind)kind)->name, name))
    kind++;
  return (SmbFindingKind)kind;
}

void
smb_findings_add_json(GPtrArray *findings, JsonNode *result, const char *of) {
  JsonObject *document = json_node_get_object(result);
  if (!json_object_has_member(document, "findings"))
    return;
  JsonArray *all = json_object_get_array_member(document, "findings");
  for (guint i = 0; i < json_array_get_length(all); i++) {
    JsonObject *one = json_array_get_object_element(all, i);
    const SmbFinding finding = {
        .kind = find_kind(json_object_get_string_member(one, "rule")),
        .line = (guint)json_object_get_int_member(one, "line"),
        .column = (guint)json_object_get_int_member(one, "column"),
        .cost = (guint64)json_object_get_int_member(one, "excess"),
    };
    smb_findings_add(findings, json_object_get_string_member_with_default(one, "file", NULL),
                     &finding,
                     g_strdup_printf("%s: %s", of, json_object_get_string_member(one, "subject")),
                     g_strdup_printf("%s: %s", of, json_object_get_string_member(one, "message")));
  }
}
