// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/finding/finding.h"

#include <stdlib.h>
#include <string.h>

const SmbFindingRule *
smb_finding_rule(SmbFindingKind kind) {
  static const SmbFindingRule rules[] = {
#define RULE(id, name, level, severity, title, description)                                        \
  {name, SMB_LEVEL_##level, severity, title, description},
#include "src/finding/finding-rules.def"
#undef RULE
  };
  return &rules[kind];
}

const char *
smb_level_name(SmbLevel level) {
  static const char *const names[] = {"error", "warning", "note"};
  return names[level];
}

static void
free_finding(gpointer data) {
  SmbFinding *finding = data;
  g_free(finding->file);
  g_free(finding->subject);
  g_free(finding->message);
  g_free(finding->fingerprint);
  g_free(finding);
}

GPtrArray *
smb_findings_new(void) {
  return g_ptr_array_new_with_free_func(free_finding);
}

void
smb_findings_add(GPtrArray *findings, const char *file, const SmbFinding *finding, char *subject,
                 char *message) {
  SmbFinding *added = g_new(SmbFinding, 1);
  *added = *finding;
  added->file = g_strdup(file);
  added->subject = subject;
  added->message = message;
  added->fingerprint = NULL;
  g_ptr_array_add(findings, added);
}

static int
order_numbers(guint64 a, guint64 b) {
  return (a > b) - (a < b);
}

// Errors first, then what costs most; then by place, so that the order is the same in each run.
static int
compare_findings(gconstpointer a, gconstpointer b) {
  const SmbFinding *one = *(SmbFinding *const *)a, *other = *(SmbFinding *const *)b;
  const int orders[] = {
      order_numbers(smb_finding_rule(one->kind)->level, smb_finding_rule(other->kind)->level),
      order_numbers(other->cost, one->cost),
      g_strcmp0(one->file, other->file),
      order_numbers(one->line, other->line),
      order_numbers(one->column, other->column),
      strcmp(one->subject, other->subject),
      strcmp(one->message, other->message),
  };
  for (guint i = 0; i < G_N_ELEMENTS(orders); i++) {
    if (orders[i])
      return orders[i];
  }
  return 0;
}

// What a finding is, without where: of several that are alike, which it is.
static char *
make_fingerprint(const SmbFinding *finding, GHashTable *seen) {
  char *key = g_strjoin("\n", smb_finding_rule(finding->kind)->name,
                        finding->file ? finding->file : "", finding->subject, NULL);
  guint n = GPOINTER_TO_UINT(g_hash_table_lookup(seen, key));
  g_autofree char *whole = g_strdup_printf("%s\n%u", key, n);
  g_hash_table_replace(seen, key, GUINT_TO_POINTER(n + 1));
  return g_compute_checksum_for_string(G_CHECKSUM_SHA256, whole, -1);
}

void
smb_findings_finish(GPtrArray *findings) {
  g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < findings->len; i++) {
    SmbFinding *finding = findings->pdata[i];
    g_autofree char *file = finding->file;
    finding->file = file ? smb_repository_path(file) : NULL;
  }
  g_ptr_array_sort(findings, compare_findings);
  for (guint i = 0; i < findings->len; i++) {
    SmbFinding *finding = findings->pdata[i];
    finding->fingerprint = make_fingerprint(finding, seen);
  }
}

char *
smb_repository_path(const char *file) {
  g_autofree char *whole = realpath(file, NULL);
  for (char *slash = whole ? strrchr(whole, '/') : NULL; slash;
       slash = g_strrstr_len(whole, slash - whole, "/")) {
    g_autofree char *folder = g_strndup(whole, (gsize)(slash - whole));
    g_autofree char *git = g_strconcat(folder, "/.git", NULL);
    if (g_file_test(git, G_FILE_TEST_EXISTS))
      return g_strdup(slash + 1);
  }
  return g_strdup(g_str_has_prefix(file, "./") ? file + 2 : file);
}
