// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Findings as SARIF 2.1.0 (OASIS, "Static Analysis Results Interchange Format", 3.13 to 3.49), with what GitHub's code scanning asks
// for: rules, a level, a place in the repository, and a fingerprint.
#include "config.h"
#include "src/finding/finding.h"
#include "src/out/json.h"

// Where there is more to read as long as the project has no home page, which would be the fifth argument of AC_INIT.
#define MANUAL "man:" PACKAGE_NAME "(1)"

static void
write_sarif_text(JsonBuilder *json, const char *key, const char *text) {
  smb_json_object(json, key);
  smb_json_text(json, "text", text);
  json_builder_end_object(json);
}

static void
write_rules(JsonBuilder *json) {
  smb_json_array(json, "rules");
  for (guint i = 0; i < SMB_N_FINDINGS; i++) {
    const SmbFindingRule *rule = smb_finding_rule((SmbFindingKind)i);
    smb_json_object(json, NULL);
    smb_json_text(json, "id", rule->name);
    write_sarif_text(json, "shortDescription", rule->title);
    write_sarif_text(json, "fullDescription", rule->description);
    smb_json_object(json, "defaultConfiguration");
    smb_json_text(json, "level", smb_level_name(rule->level));
    json_builder_end_object(json);
    json_builder_end_object(json);
  }
  json_builder_end_array(json);
}

// A file of the repository is relative to its top; another is a whole URI.
static void
write_location(JsonBuilder *json, const SmbFinding *finding) {
  g_autofree char *escaped = g_uri_escape_string(finding->file, "/", FALSE);
  gboolean is_absolute = *finding->file == '/';
  g_autofree char *uri = is_absolute ? g_strconcat("file://", escaped, NULL) : g_strdup(escaped);
  smb_json_object(json, NULL);
  smb_json_object(json, "physicalLocation");
  smb_json_object(json, "artifactLocation");
  smb_json_text(json, "uri", uri);
  if (!is_absolute)
    smb_json_text(json, "uriBaseId", "%SRCROOT%");
  json_builder_end_object(json);
  if (finding->line) {
    smb_json_object(json, "region");
    smb_json_number(json, "startLine", finding->line);
    if (finding->column)
      smb_json_number(json, "startColumn", finding->column);
    json_builder_end_object(json);
  }
  json_builder_end_object(json);
  json_builder_end_object(json);
}

static void
write_finding(JsonBuilder *json, const SmbFinding *finding) {
  const SmbFindingRule *rule = smb_finding_rule(finding->kind);
  smb_json_object(json, NULL);
  smb_json_text(json, "ruleId", rule->name);
  smb_json_number(json, "ruleIndex", finding->kind);
  smb_json_text(json, "level", smb_level_name(rule->level));
  write_sarif_text(json, "message", finding->message);
  smb_json_array(json, "locations");
  if (finding->file)
    write_location(json, finding);
  json_builder_end_array(json);
  smb_json_object(json, "partialFingerprints");
  smb_json_text(json, "smembank/v1", finding->fingerprint);
  json_builder_end_object(json);
  json_builder_end_object(json);
}

static void
write_sarif(const GPtrArray *findings, SmbSpool *out) {
  JsonBuilder *json = smb_json_begin_element();
  smb_json_text(json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
  smb_json_text(json, "version", "2.1.0");
  smb_json_array(json, "runs");
  smb_json_object(json, NULL);
  smb_json_object(json, "tool");
  smb_json_object(json, "driver");
  smb_json_text(json, "name", PACKAGE_NAME);
  smb_json_text(json, "version", PACKAGE_VERSION);
  smb_json_text(json, "informationUri", *PACKAGE_URL ? PACKAGE_URL : MANUAL);
  write_rules(json);
  json_builder_end_object(json);
  json_builder_end_object(json);
  smb_json_array(json, "results");
  for (guint i = 0; i < findings->len; i++)
    write_finding(json, findings->pdata[i]);
  json_builder_end_array(json);
  json_builder_end_object(json);
  json_builder_end_array(json);
  smb_json_end(json, out);
}

const SmbFindingsFormat smb_findings_sarif = {write_sarif};
