// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The part of the cases that check counts with --shard, in the JSON of its result, and the whole of several.
#pragma once

#include "src/check/check.h"
#include "src/compare/result.h"

/**
 * SmbCheckPart:
 * @n_cases: of all parts
 * @digest: as smb_check_digest()
 */
typedef struct _SmbCheckPart {
  SmbShard shard;
  guint n_cases;
  const char *digest;
} SmbCheckPart;

/**
 * smb_check_digest:
 * @cases: (element-type SmbCase): of all parts
 * @baseline: (nullable)
 *
 * Returns: (transfer full): what all parts have in common: the options of their cases, what is in their files, the baseline
 */
char *smb_check_digest(const GPtrArray *cases, const SmbResult *baseline);

/** Ends a result with the member "shard". */
void smb_check_json_part(JsonBuilder *json, const SmbCheck *check);

/**
 * smb_check_merge:
 * @cli: takes the result of all cases, in its format, as check would have written it
 * @names: (array zero-terminated=1): what messages call the parts
 * @parts: (element-type JsonObject): their results, of the same cases and options, as far as "shard" says
 * @error: SMB_ERROR_INPUT
 */
gboolean smb_check_merge(SmbCli *cli, const char *const *names, const GPtrArray *parts,
                         GError **error);
