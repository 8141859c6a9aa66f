// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/check/part.h"

#include "sim/base/error.h"
#include "sim/base/source.h"
#include "src/out/json.h"

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
  g_autofree char *before = baseline ? json_to_string(baseline->root, FALSE) : NULL;
  smb_shard_digest_texts(checksum, (const char *const[]){before, NULL});
  return g_strdup(g_checksum_get_string(checksum));
}

void
smb_check_json_part(JsonBuilder *json, const SmbCheck *check) {
  const SmbCheckPart *part = check->part;
  smb_shard_json(json, &part->shard);
  smb_json_text(json, "digest", part->digest);
  smb_json_number(json, "cases", part->n_cases);
  smb_json_boolean(json, "baseline", check->has_baseline);
  json_builder_end_object(json);
}

// --- the whole

static gboolean
refuse(const char *name, GError **error) {
  return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: cases: not as check writes them", name);
}

static gboolean
read_verdict(const char *word, SmbCaseVerdict *verdict) {
  for (guint i = 0; i < SMB_N_VERDICTS; i++) {
    *verdict = (SmbCaseVerdict)i;
    if (g_strcmp0(word, smb_verdict_name(*verdict)) == 0)
      return TRUE;
  }
  return FALSE;
}

static GStrv
read_messages(JsonArray *array) {
  g_autoptr(GStrvBuilder) messages = g_strv_builder_new();
  for (guint i = 0; array && i < json_array_get_length(array); i++) {
    JsonNode *node = json_array_get_element(array, i);
    const char *text = JSON_NODE_HOLDS_VALUE(node) ? json_node_get_string(node) : NULL;
    if (text)
      g_strv_builder_add(messages, text);
  }
  return g_strv_builder_end(messages);
}

// Adds a case as a part has it.
static gboolean
add_case(SmbCheck *check, SmbProject *project, const char *file, JsonObject *object,
         GError **error) {
  const char *name = smb_json_get_text(object, "name");
  JsonObject *result = smb_json_get_object(object, "result");
  SmbCaseVerdict verdict;
  if (!name || !read_verdict(smb_json_get_text(object, "verdict"), &verdict))
    return refuse(file, error);
  if (result && !smb_result_check_analysis(file, result, error))
    return FALSE;
  SmbCase *one = g_new0(SmbCase, 1);
  one->name = g_strdup(name);
  one->path = g_strdup(project->path);
  one->line = (guint)smb_json_get_number(object, "line");
  g_ptr_array_add(project->cases, one);
  SmbChecked *checked = smb_check_add(check, one);
  checked->verdict = verdict;
  checked->result = result ? json_node_copy(json_object_get_member(object, "result")) : NULL;
  checked->error = g_strdup(smb_json_get_text(object, "error"));
  checked->messages = read_messages(smb_json_get_array(object, "messages"));
  check->n[verdict]++;
  return TRUE;
}

// Takes the cases from the parts in turn, as they were dealt out.
static gboolean
add_cases(SmbCheck *check, SmbProject *project, const char *const *names, const GPtrArray *parts,
          guint n_cases, GError **error) {
  for (guint k = 0; k < parts->len; k++) {
    JsonArray *cases = smb_json_get_array(parts->pdata[k], "cases");
    guint share = n_cases / parts->len + (k < n_cases % parts->len);
    if (!cases || json_array_get_length(cases) != share)
      return refuse(names[k], error);
  }
  for (guint i = 0; i < n_cases; i++) {
    guint k = i % parts->len;
    JsonArray *cases = smb_json_get_array(parts->pdata[k], "cases");
    JsonNode *node = json_array_get_element(cases, i / parts->len);
    JsonObject *object = JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
    if (!add_case(check, project, names[k], object, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
smb_check_merge(SmbCli *cli, const char *const *names, const GPtrArray *parts, GError **error) {
  JsonObject *first = parts->pdata[0];
  JsonObject *shard = smb_json_get_object(first, "shard");
  const char *path = smb_json_get_text(first, "project");
  gint64 n_cases = smb_json_get_number(shard, "cases");
  if (!path || n_cases < 1 || n_cases > MAX_CASES)
    return refuse(names[0], error);
  g_autoptr(SmbProject) project = g_new0(SmbProject, 1);
  project->path = g_strdup(path);
  project->cases = g_ptr_array_new_with_free_func((GDestroyNotify)smb_case_free);
  g_autoptr(SmbCheck) check = smb_check_new(project);
  check->has_baseline = smb_json_get_flag(shard, "baseline");
  if (!add_cases(check, project, names, parts, (guint)n_cases, error))
    return FALSE;
  smb_check_write(cli, check);
  return TRUE;
}
