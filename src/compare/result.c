// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/compare/result.h"

#include <string.h>

#include "sim/base/error.h"
#include "sim/base/json-member.h"
#include "sim/base/source.h"
#include "src/out/json.h"

enum {
  MAX_BYTES = 1 << 30,
  MAX_NESTING = 64,
};

JsonObject *
smb_result_compiled(JsonObject *analysis) {
  JsonObject *compiled = smb_json_get_object(analysis, "compiled");
  return compiled && smb_json_get_array(compiled, "accesses") ? compiled : NULL;
}

char *
smb_result_name(JsonObject *access) {
  const char *written = smb_json_get_text(access, "written");
  const char *opcode = smb_json_get_text(access, "opcode");
  return written && opcode ? g_strdup_printf("%s (%s)", written, opcode)
                           : g_strdup(smb_json_get_text(access, "expression"));
}

const char *
smb_result_lasting_name(JsonObject *access) {
  const char *written = smb_json_get_text(access, "written");
  const char *opcode = smb_json_get_text(access, "opcode");
  return written ? written : opcode ? opcode : smb_json_get_text(access, "expression");
}

// Whether each access says what it is.
static gboolean
are_accesses_whole(JsonArray *accesses) {
  for (guint i = 0; i < json_array_get_length(accesses); i++) {
    JsonNode *node = json_array_get_element(accesses, i);
    if (!JSON_NODE_HOLDS_OBJECT(node) || !smb_json_get_text(json_node_get_object(node), "op") ||
        !smb_json_get_text(json_node_get_object(node), "expression"))
      return FALSE;
  }
  return TRUE;
}

gboolean
smb_result_check_analysis(const char *path, JsonObject *analysis, GError **error) {
  JsonArray *accesses = smb_json_get_array(analysis, "accesses");
  JsonObject *compiled = smb_result_compiled(analysis);
  if (smb_json_get_object(analysis, "shard"))
    return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                    "%s: a part of a launch: 'smembank merge' combines all parts", path);
  gboolean complete = accesses && smb_json_get_text(analysis, "level") &&
                      smb_json_get_text(smb_json_get_object(analysis, "arch"), "name") &&
                      smb_json_get_text(smb_json_get_object(analysis, "kernel"), "name");
  complete = complete && are_accesses_whole(accesses) &&
             (!compiled || are_accesses_whole(smb_json_get_array(compiled, "accesses")));
  return complete || smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
                              "%s: not as analyze --format json writes it", path);
}

static gboolean
add_result_case(SmbResult *result, const char *name, JsonObject *analysis, const char *failure,
                GError **error) {
  const SmbResultCase one = {name, analysis, failure};
  if (!name)
    return smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT, "%s: a case without a name", result->path);
  if (analysis && !smb_result_check_analysis(result->path, analysis, error))
    return FALSE;
  g_array_append_val(result->cases, one);
  return TRUE;
}

static gboolean
add_cases(SmbResult *result, JsonObject *document, GError **error) {
  JsonArray *cases = smb_json_get_array(document, "cases");
  if (strcmp(result->command, "analyze") == 0)
    return add_result_case(result,
                           smb_json_get_text(smb_json_get_object(document, "kernel"), "name"),
                           document, NULL, error);
  for (guint i = 0; cases && i < json_array_get_length(cases); i++) {
    JsonNode *node = json_array_get_element(cases, i);
    JsonObject *one = JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
    if (!add_result_case(result, smb_json_get_text(one, "name"), smb_json_get_object(one, "result"),
                         smb_json_get_text(one, "error"), error))
      return FALSE;
  }
  return TRUE;
}

SmbResult *
smb_result_read(const char *path, GError **error) {
  g_autoptr(GBytes) bytes = smb_source_read_bytes(path, MAX_BYTES, error);
  gsize length;
  const char *text = bytes ? g_bytes_get_data(bytes, &length) : NULL;
  return bytes ? smb_result_new_from_data(path, text ? text : "", length, error) : NULL;
}

SmbResult *
smb_result_new_from_data(const char *path, const char *text, gsize length, GError **error) {
  g_autoptr(SmbResult) result = g_new0(SmbResult, 1);
  result->path = g_strdup(path);
  result->cases = g_array_new(FALSE, FALSE, sizeof(SmbResultCase));
  result->root = smb_json_parse(path, text, length, MAX_NESTING, error);
  if (!result->root)
    return NULL;
  JsonObject *document =
      JSON_NODE_HOLDS_OBJECT(result->root) ? json_node_get_object(result->root) : NULL;
  result->command = smb_json_get_text(document, "command");
  gint64 version = smb_json_get_number(document, "schema_version");
  if (!result->command || version == 0 ||
      (strcmp(result->command, "analyze") != 0 && strcmp(result->command, "check") != 0)) {
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
             "%s: expected what analyze or check writes with --format json", path);
    return NULL;
  }
  if (version != SMB_JSON_SCHEMA_VERSION) {
    smb_fail(error, SMB_ERROR, SMB_ERROR_INPUT,
             "%s: schema_version %" G_GINT64_FORMAT ": this program reads %d", path, version,
             SMB_JSON_SCHEMA_VERSION);
    return NULL;
  }
  return add_cases(result, document, error) ? g_steal_pointer(&result) : NULL;
}

void
smb_result_free(SmbResult *result) {
  if (!result)
    return;
  g_free(result->path);
  g_array_unref(result->cases);
  g_clear_pointer(&result->root, json_node_unref);
  g_free(result);
}

const SmbResultCase *
smb_result_find(const SmbResult *result, const char *name) {
  for (guint i = 0; i < result->cases->len; i++) {
    const SmbResultCase *one = &g_array_index(result->cases, SmbResultCase, i);
    if (strcmp(one->name, name) == 0)
      return one;
  }
  return NULL;
}
