// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What got worse from one result to another as findings: accesses, by their lines in the new one, and cases that cannot be counted any more.
#include "src/compare/compare.h"
#include "src/finding/finding.h"
#include "src/out/json.h"

char *
smb_compared_access_describe(SmbVendor vendor, const SmbComparedAccess *access,
                             const char *reference) {
  JsonObject *now = access->new_access;
  g_autofree char *name = smb_result_name(now);
  g_autofree char *before =
      access->old_access
          ? g_strdup_printf("%" G_GUINT64_FORMAT ", and %" G_GUINT64_FORMAT " in excess, in %s",
                            access->old_cost.wavefronts, access->old_cost.excess, reference)
          : g_strdup_printf("%s does not have it", reference);
  return g_strdup_printf(smb_vendor_say(vendor, "the %s of %s takes %" G_GUINT64_FORMAT
                                                " wavefronts, %" G_GUINT64_FORMAT " in excess: %s"),
                         smb_json_get_text(now, "op"), name, access->new_cost.wavefronts,
                         access->new_cost.excess, before);
}

static guint64
find_increase(const SmbComparedAccess *access) {
  guint64 before = access->old_cost.wavefronts, now = access->new_cost.wavefronts;
  if (!access->old_access)
    return access->new_cost.excess;
  return now > before ? now - before : access->new_cost.excess - access->old_cost.excess;
}

static void
add_compared_access(GPtrArray *findings, const SmbResultComparison *comparison,
                    const SmbComparedCase *one, const SmbComparedAccess *access) {
  JsonObject *now = access->new_access;
  const char *file = smb_json_get_text(now, "file");
  const SmbFinding finding = {.kind = SMB_FINDING_REGRESSION,
                              .line = file ? (guint)smb_json_get_number(now, "line") : 0,
                              .column = file ? (guint)smb_json_get_number(now, "column") : 0,
                              .cost = find_increase(access)};
  g_autofree char *text =
      smb_compared_access_describe(one->vendor, access, comparison->old_result->path);
  smb_findings_add(findings, file ? file : one->file, &finding,
                   g_strdup_printf("%s: %s %s", one->name, smb_json_get_text(now, "op"),
                                   smb_result_lasting_name(now)),
                   g_strdup_printf("%s: %s", one->name, text));
}

void
smb_result_comparison_write_findings(SmbCli *cli, gconstpointer result) {
  const SmbResultComparison *comparison = result;
  const SmbFindingsFormat *format = cli->format->methods;
  const SmbFinding uncounted = {.kind = SMB_FINDING_UNCOUNTED};
  const char *project =
      smb_json_get_text(json_node_get_object(comparison->new_result->root), "project");
  g_autoptr(GPtrArray) findings = smb_findings_new();
  for (guint i = 0; i < comparison->cases->len; i++) {
    const SmbComparedCase *one = comparison->cases->pdata[i];
    if (one->change == SMB_CHANGE_LOST && one->is_worse)
      smb_findings_add(findings, project, &uncounted, g_strdup(one->name),
                       g_strdup_printf("case %s: it can no longer be counted%s%s", one->name,
                                       one->note ? ": " : "", one->note ? one->note : ""));
    if (one->change == SMB_CHANGE_REFUSED)
      smb_findings_add(findings, project, &uncounted, g_strdup(one->name), g_strdup(one->note));
    for (guint a = 0; a < one->accesses->len; a++) {
      const SmbComparedAccess *access = &g_array_index(one->accesses, SmbComparedAccess, a);
      if (one->change == SMB_CHANGE_WORSE && smb_compared_access_is_worse(access))
        add_compared_access(findings, comparison, one, access);
    }
  }
  smb_findings_finish(findings);
  format->write(findings, cli->out);
}
