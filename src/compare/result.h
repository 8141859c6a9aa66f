// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A result that was written as JSON, by analyze or by check: its cases, and the accesses of each.
#pragma once

#include <json-glib/json-glib.h>

/** SmbResultCase: @name: of the case, or of the kernel; @analysis: (nullable): what analyze wrote; %NULL: it could not be counted;
 * @error: (nullable): why not */
typedef struct {
  const char *name;
  JsonObject *analysis;
  const char *error;
} SmbResultCase;

/**
 * SmbResult:
 * @path: of its file, or what it is called
 * @command: "analyze" or "check" (transfer none)
 * @cases: (element-type SmbResultCase): of analyze one
 * @root: keeps all
 */
typedef struct {
  char *path;
  const char *command;
  GArray *cases;
  JsonNode *root;
} SmbResult;

/**
 * smb_result_read:
 * @error: a file error, or SMB_ERROR_INPUT: it is not a result of analyze or check, of another version of the schema, or a part
 *
 * Returns: (transfer full): the result in the file
 */
SmbResult *smb_result_read(const char *path, GError **error);

/** smb_result_new_from_data: as smb_result_read(), of a text. @name: how messages call it */
SmbResult *smb_result_new_from_data(const char *name, const char *text, gsize length,
                                    GError **error);
void smb_result_free(SmbResult *result);

/** smb_result_compiled: @analysis: what analyze wrote. Returns: (transfer none) (nullable): what a compiler made of the text, with
 * "accesses" and "totals" as @analysis has them, which its verdict is of; %NULL: it was not counted */
JsonObject *smb_result_compiled(JsonObject *analysis);

/** smb_result_name: @access: of a result. Returns: (transfer full): what a reader knows it by: of compiled code the words of the text,
 * if one access there was compiled to it, and its opcode */
char *smb_result_name(JsonObject *access);

/** smb_result_lasting_name: Returns: (transfer none): a name that stays when registers change */
const char *smb_result_lasting_name(JsonObject *access);

/**
 * smb_result_check_analysis:
 * @path: what messages call it
 * @error: SMB_ERROR_INPUT: it is not what analyze writes of a whole launch
 */
gboolean smb_result_check_analysis(const char *path, JsonObject *analysis, GError **error);

/** smb_result_find: Returns: (nullable) (transfer none): the case of that name */
const SmbResultCase *smb_result_find(const SmbResult *result, const char *name);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbResult, smb_result_free)
