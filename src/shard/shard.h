// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// --shard K/N: the K-th of N parts of what a command does, for machines that share the work. The JSON of a part says which one
// it is; merge makes the whole of all.
#pragma once

#include "src/out/json.h"

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

/** smb_shard_has: Returns: whether thing @index, from 0, of things that are dealt out one by one belongs to the part */
gboolean smb_shard_has(const SmbShard *shard, guint64 index);

/** Says at the end of a text that it is about a part. */
void smb_shard_write_text(const SmbShard *shard, SmbSpool *out);

/* What parts have in common and their results do not show is compared by a digest. */

/** Adds @texts (nullable) (array zero-terminated=1), and where they end. */
void smb_shard_digest_texts(GChecksum *checksum, const char *const *texts);
void smb_shard_digest_bytes(GChecksum *checksum, GBytes *bytes);

/** Ends a result with the member "shard": which part it is, by which version, and what a table says of @object (parts.h reads it). */
void smb_shard_json(JsonBuilder *json, const SmbShard *shard, const SmbMember *members, guint n,
                    gconstpointer object);
