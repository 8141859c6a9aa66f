// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/check/baseline.h"

#include "sim/base/text.h"
#include "src/compare/changed-row.h"
#include "src/out/json.h"

// "k.cu:4:3: warning: the store of a[i] takes 32 wavefronts, 31 in excess: 1, and 0 in excess, in the baseline"
static char *
describe_worse(SmbVendor vendor, const SmbComparedAccess *access) {
  JsonObject *now = access->new_access;
  const char *file = smb_json_get_text(now, "file");
  g_autofree char *place =
      file ? g_strdup_printf("%s:%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT, file,
                             smb_json_get_number(now, "line"),
                             MAX(smb_json_get_number(now, "column"), 1))
           : g_strdup_printf("0x%" G_GINT64_MODIFIER "x", smb_json_get_number(now, "pc"));
  g_autofree char *text = smb_compared_access_describe(vendor, access, "the baseline");
  return g_strdup_printf("%s%s: warning: %s", smb_text_ahead(file ? file : ""), place, text);
}

static void
add_messages(SmbChecked *checked, const SmbComparedCase *compared) {
  g_autoptr(GStrvBuilder) messages = g_strv_builder_new();
  g_strv_builder_addv(messages, (const char **)checked->messages);
  g_autofree char *launch = smb_compared_case_describe(compared, "the baseline");
  if (launch)
    g_strv_builder_add(messages, launch);
  g_autoptr(GArray) rows = smb_changed_rows_new(compared);
  for (guint i = 0; compared->is_worse && i < rows->len; i++) {
    const SmbComparedAccess *access = &g_array_index(rows, SmbChangedRow, i).sum;
    g_autofree char *message =
        smb_compared_access_is_worse(access) ? describe_worse(compared->vendor, access) : NULL;
    if (message)
      g_strv_builder_add(messages, message);
  }
  g_strfreev(checked->messages);
  checked->messages = g_strv_builder_end(messages);
}

// Compares a case that was counted with that of the baseline.
static void
judge_against_baseline(SmbChecked *checked, const SmbResult *baseline) {
  g_autoptr(GArray) cases = g_array_new(FALSE, FALSE, sizeof(SmbResultCase));
  const SmbResultCase one = {checked->one->name, json_node_get_object(checked->result), NULL};
  g_array_append_val(cases, one);
  const SmbResult now = {.path = baseline->path, .command = "check", .cases = cases};
  // The errors of cases of check are their own.
  g_autoptr(SmbResultComparison) comparison = smb_results_compare(baseline, &now, NULL);
  const SmbComparedCase *compared = comparison->cases->pdata[0];
  if (compared->change == SMB_CHANGE_REFUSED) {
    checked->verdict = SMB_VERDICT_ERROR;
    checked->error = g_strdup(compared->note);
    return;
  }
  checked->verdict = compared->change == SMB_CHANGE_WORSE ? SMB_VERDICT_FAILED : SMB_VERDICT_PASSED;
  add_messages(checked, compared);
}

void
smb_check_apply_baseline(SmbCheck *check, const SmbResult *baseline) {
  check->has_baseline = TRUE;
  for (guint i = 0; i < check->cases->len; i++) {
    SmbChecked *checked = check->cases->pdata[i];
    const SmbResultCase *before = smb_result_find(baseline, checked->one->name);
    if (!before || !before->analysis || !checked->result)
      continue;
    check->n[checked->verdict]--;
    judge_against_baseline(checked, baseline);
    check->n[checked->verdict]++;
  }
}
