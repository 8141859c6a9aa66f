// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The part of the cases that check counts with --shard, in the JSON of its result, and the whole of several.
#pragma once

#include "src/check/check.h"
#include "src/compare/result.h"
#include "src/shard/parts.h"

/**
 * SmbCheckPart:
 * @n_cases: of all parts
 * @digest: as smb_check_digest()
 * @has_baseline: whether there is one
 */
typedef struct _SmbCheckPart {
  SmbShard shard;
  guint n_cases;
  const char *digest;
  gboolean has_baseline;
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
void smb_check_json_part(JsonBuilder *json, const SmbCheckPart *part);

extern const SmbMerger smb_check_merger;
