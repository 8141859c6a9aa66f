// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What got worse from one result to another as findings: accesses, by their lines in the new one, and cases that cannot be counted any more.
#include "src/analysis/launch-time.h"
#include "src/compare/changed-row.h"
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

// Whether what makes a case worse can be seen in one of its accesses: times are of the launch.
static gboolean
is_told_by_accesses(const SmbComparedCase *one) {
  gboolean found = FALSE;
  for (guint i = 0; i < one->accesses->len; i++)
    found |= smb_compared_access_is_worse(&g_array_index(one->accesses, SmbComparedAccess, i));
  return found && smb_compared_case_times(one) <= 1;
}

char *
smb_compared_case_describe(const SmbComparedCase *one, const char *reference) {
  const SmbComparedTime *before = &one->old_time, *now = &one->new_time;
  if (one->change != SMB_CHANGE_WORSE || is_told_by_accesses(one))
    return NULL;
  if (smb_compared_case_times(one) > 1) {
    g_autofree char *old_all = smb_time_describe(before->all), *all = smb_time_describe(now->all);
    g_autofree char *device = smb_time_device_named(now->device, now->is_measured);
    g_autofree char *range = smb_time_range(now->error);
    return g_strdup_printf("the launch takes %s%s on %s, as predicted: %s in %s", all, range,
                           device, old_all, reference);
  }
  return g_strdup_printf(
      smb_vendor_say(one->vendor, "the launch takes %" G_GUINT64_FORMAT
                                  " wavefronts, %" G_GUINT64_FORMAT " in excess: %" G_GUINT64_FORMAT
                                  ", and %" G_GUINT64_FORMAT " in excess, in %s"),
      one->new_cost.wavefronts, one->new_cost.excess, one->old_cost.wavefronts,
      one->old_cost.excess, reference);
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

static void
add_compared_case_finding(GPtrArray *findings, const SmbResultComparison *comparison,
                          const SmbComparedCase *one) {
  const SmbFinding finding = {.kind = SMB_FINDING_REGRESSION,
                              .cost = one->new_cost.excess -
                                      MIN(one->new_cost.excess, one->old_cost.excess)};
  g_autofree char *text = smb_compared_case_describe(one, comparison->old_result->path);
  if (text)
    smb_findings_add(findings, one->file, &finding, g_strdup(one->name),
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
    add_compared_case_finding(findings, comparison, one);
    g_autoptr(GArray) rows = smb_changed_rows_new(one);
    for (guint r = 0; one->change == SMB_CHANGE_WORSE && r < rows->len; r++) {
      const SmbComparedAccess *access = &g_array_index(rows, SmbChangedRow, r).sum;
      if (smb_compared_access_is_worse(access))
        add_compared_access(findings, comparison, one, access);
    }
  }
  smb_findings_finish(findings);
  format->write(findings, cli->out);
}
