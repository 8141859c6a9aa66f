// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The results of the parts of one whole (--shard), as JSON: read, and checked to belong together.
#pragma once

#include <json-glib/json-glib.h>

/**
 * SmbPartDocuments: the results of all parts
 * @command: of which command
 * @names: (array zero-terminated=1): their files, by the number of the part
 * @objects: (element-type JsonObject): what is in them
 * @roots: (element-type JsonNode): keeps them
 */
typedef struct {
  char *command;
  GStrv names;
  GPtrArray *objects;
  GPtrArray *roots;
} SmbPartDocuments;

/**
 * smb_part_documents_read:
 * @files: (array zero-terminated=1): one at least
 * @error: a file error; SMB_ERROR_INPUT, naming the file: it is not the result of a part, or not one of the same whole, or
 *   a part is missing, or there twice
 *
 * Returns: (transfer full): the results
 */
SmbPartDocuments *smb_part_documents_read(const char *const *files, GError **error);
void smb_part_documents_free(SmbPartDocuments *documents);

/**
 * smb_part_documents_agree:
 * @members: (array length=n): "kernel", or "shard.digest"; "launch?": all may lack it
 * @error: SMB_ERROR_INPUT, naming the file: a member is not what it is in the first part
 */
gboolean smb_part_documents_agree(const SmbPartDocuments *documents, const char *const *members,
                                  guint n, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbPartDocuments, smb_part_documents_free)
