// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// --shard K/N: the K-th of N parts of what a command does, for machines that share the work. The JSON of a part says which one
// it is; merge makes the whole of all.
#pragma once

#include <json-glib/json-glib.h>

/** Most parts. */
#define SMB_SHARD_MOST 1000000u

/** What the value of --shard looks like. */
#define SMB_SHARD_FORM "K/N"

/** SmbShard: part @part, from 1, of @of; zeros: the whole. */
typedef struct {
  guint part;
  guint of;
} SmbShard;

/**
 * smb_shard_parse:
 * @text: (nullable): the value of --shard; %NULL: the whole
 * @error: SMB_ERROR_USAGE
 */
gboolean smb_shard_parse(const char *text, SmbShard *shard, GError **error);

/** smb_shard_begin: Returns: the first of @n things, from 0, that belong to the part; those of the next one begin where it ends */
guint64 smb_shard_begin(const SmbShard *shard, guint64 n);
guint64 smb_shard_end(const SmbShard *shard, guint64 n);

/** Begins the member "shard" of a result: which part it is, and by which version. Ends with json_builder_end_object(). */
void smb_shard_json(JsonBuilder *json, const SmbShard *shard);
