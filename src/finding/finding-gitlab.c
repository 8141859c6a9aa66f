// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Findings as GitLab reads them (GitLab documentation, "Code Quality report format"): an array of them, each with a fingerprint of its
// own and a place, which is the first line of what has none.
#include "src/finding/finding.h"
#include "src/out/json.h"

static void
write_gitlab(const GPtrArray *findings, SmbSpool *out) {
  g_autoptr(SmbSpool) elements = smb_spool_new();
  for (guint i = 0; i < findings->len; i++) {
    const SmbFinding *finding = findings->pdata[i];
    const SmbFindingRule *rule = smb_finding_rule(finding->kind);
    JsonBuilder *json = smb_json_begin_element();
    smb_json_text(json, "description", finding->message);
    smb_json_text(json, "check_name", rule->name);
    smb_json_text(json, "fingerprint", finding->fingerprint);
    smb_json_text(json, "severity", rule->severity);
    smb_json_object(json, "location");
    smb_json_text(json, "path", finding->file ? finding->file : "");
    smb_json_object(json, "lines");
    smb_json_number(json, "begin", MAX(finding->line, 1));
    json_builder_end_object(json);
    json_builder_end_object(json);
    smb_json_end_element(json, elements);
  }
  gboolean is_empty = smb_spool_is_empty(elements);
  smb_spool_puts(out, "[");
  smb_spool_append(out, elements);
  smb_spool_puts(out, is_empty ? "]\n" : "\n]\n");
}

const SmbFindingsFormat smb_findings_gitlab = {write_gitlab};
