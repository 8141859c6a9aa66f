// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/check/part.h"

#include "sim/base/error.h"
#include "sim/base/source.h"
#include "src/analysis/launch-time.h"

enum {
  MAX_FILE_BYTES = 1 << 30,
  MAX_CASES = 1 << 20,
};

char *
smb_check_digest(const GPtrArray *cases, const SmbResult *baseline) {
  g_autoptr(GChecksum) checksum = g_checksum_new(G_CHECKSUM_SHA256);
  for (guint i = 0; i < cases->len; i++) {
    const SmbCase *one = cases->pdata[i];
    // A file that cannot be read is the case's own error.
    g_autoptr(GBytes) file =
        one->file ? smb_source_read_bytes(one->file, MAX_FILE_BYTES, NULL) : NULL;
    smb_shard_digest_texts(checksum, (const char *const[]){one->name, one->file, NULL});
    smb_shard_digest_texts(checksum, (const char *const *)one->words);
    if (file)
      smb_shard_digest_bytes(checksum, file);
  }
  g_autoptr(GStrvBuilder) builder = g_strv_builder_new();
  smb_launch_time_words(builder);
  g_auto(GStrv) time_words = g_strv_builder_end(builder);
  smb_shard_digest_texts(checksum, (const char *const *)time_words);
  g_autofree char *before = baseline ? json_to_string(baseline->root, FALSE) : NULL;
  smb_shard_digest_texts(checksum, (const char *const[]){before, NULL});
  return g_strdup(g_checksum_get_string(checksum));
}

#define AT SMB_MEMBER_AT

// A case as a part has it.
typedef struct {
  const char *name;
  guint line;
  SmbCaseVerdict verdict;
  JsonNode *result; // is the document's
  const char *error;
  GStrv messages;
} CaseRow;

static const SmbMember case_members[] = {
    {"name", MEMBER_REQUIRED, SMB_MEMBER_KEPT, AT(CaseRow, name)},
    {"line", MEMBER_REQUIRED, .offset = AT(CaseRow, line), .most = G_MAXUINT32},
    {"verdict", MEMBER_REQUIRED, .offset = AT(CaseRow, verdict), .words = smb_verdict_names},
    {"result", MEMBER_NULL, smb_member_object, .offset = AT(CaseRow, result)},
    {"error", MEMBER_NULL, SMB_MEMBER_KEPT, AT(CaseRow, error)},
    {"messages", MEMBER_REQUIRED, SMB_MEMBER_LINES, AT(CaseRow, messages)},
};

static void
clear_case(gpointer row) {
  g_strfreev(((CaseRow *)row)->messages);
}

static const SmbMembers case_table = {SMB_MEMBERS(case_members), sizeof(CaseRow), clear_case};

// The result of a part.
typedef struct {
  SmbCheckPart part;
  const char *project;
  GArray *cases;
} Result;

static const SmbMember shard_members[] = {
    {"digest", MEMBER_REQUIRED, SMB_MEMBER_KEPT, AT(SmbCheckPart, digest)},
    {"cases", MEMBER_REQUIRED, SMB_MEMBER_MOST, AT(SmbCheckPart, n_cases), .most = MAX_CASES},
    {"baseline", MEMBER_REQUIRED, SMB_MEMBER_FLAG, AT(SmbCheckPart, has_baseline)},
};
static const SmbMembers shard_object = {SMB_MEMBERS(shard_members), .picks = TRUE,
                                        .is_object = TRUE};

static const SmbMember result_members[] = {
    {"project", MEMBER_REQUIRED, SMB_MEMBER_KEPT, AT(Result, project)},
    {"cases", MEMBER_REQUIRED, .offset = AT(Result, cases), .of = &case_table},
    {"shard", MEMBER_REQUIRED, .offset = AT(Result, part), .of = &shard_object},
};

void
smb_check_json_part(JsonBuilder *json, const SmbCheckPart *part) {
  smb_shard_json(json, &part->shard, SMB_MEMBERS(shard_members), part);
}

// --- the whole

static gboolean
add_part_case(SmbCheck *check, SmbProject *project, const char *file, CaseRow *row,
              GError **error) {
  if (row->result && !smb_result_check_analysis(file, json_node_get_object(row->result), error))
    return FALSE;
  SmbCase *one = g_new0(SmbCase, 1);
  one->name = g_strdup(row->name);
  one->path = g_strdup(project->path);
  one->line = row->line;
  g_ptr_array_add(project->cases, one);
  SmbChecked *checked = smb_check_add(check, one);
  checked->verdict = row->verdict;
  checked->result = row->result ? json_node_copy(row->result) : NULL;
  checked->error = g_strdup(row->error);
  checked->messages = g_steal_pointer(&row->messages);
  check->n[row->verdict]++;
  return TRUE;
}

static void
clear_parts(gpointer result) {
  g_clear_pointer(&((Result *)result)->cases, g_array_unref);
}

// Takes the cases from the parts in turn, as they were dealt out.
static gboolean
merge_cases(SmbCli *cli, const SmbPartResults *results, GError **error) {
  const guint n = results->parts->len;
  g_autoptr(GArray) parts = g_array_new(FALSE, TRUE, sizeof(Result));
  g_array_set_clear_func(parts, clear_parts);
  g_array_set_size(parts, n);
  const Result *all = (const Result *)(gpointer)parts->data;
  for (guint k = 0; k < n; k++) {
    Result *part = &g_array_index(parts, Result, k);
    if (!smb_part_results_pick(results, k, SMB_MEMBERS(result_members), part, error))
      return FALSE;
    if (part->cases->len != part->part.n_cases / n + (k < part->part.n_cases % n) ||
        part->part.n_cases == 0)
      return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                      "%s: cases: %u, which are not those of part %u of %u of %u cases",
                      smb_part_name(results, k), part->cases->len, k + 1, n, part->part.n_cases);
  }
  g_autoptr(SmbProject) project = g_new0(SmbProject, 1);
  project->path = g_strdup(all->project);
  project->cases = g_ptr_array_new_with_free_func((GDestroyNotify)smb_case_free);
  g_autoptr(SmbCheck) check = smb_check_new(project);
  check->has_baseline = all->part.has_baseline;
  for (guint i = 0; i < all->part.n_cases; i++) {
    CaseRow *row = &g_array_index(all[i % n].cases, CaseRow, i / n);
    if (!add_part_case(check, project, smb_part_name(results, i % n), row, error))
      return FALSE;
  }
  smb_check_write(cli, check);
  return TRUE;
}

const SmbMerger smb_check_merger = {"check", smb_check_formats,
                                    (const char *const[]){"project", NULL}, merge_cases};
