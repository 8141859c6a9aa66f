// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "config.h"

#include "src/shard/shard.h"

#include <string.h>

#include "src/cli/cli.h"

gboolean
smb_shard_parse(const char *text, SmbShard *shard, GError **error) {
  g_auto(GStrv) words = g_strsplit(text ? text : "", "/", 3);
  guint64 part, of;
  *shard = (SmbShard){0, 0};
  if (!text)
    return TRUE;
  if (g_strv_length(words) != 2 ||
      !g_ascii_string_to_unsigned(words[1], 10, 1, SMB_SHARD_MOST, &of, NULL) ||
      !g_ascii_string_to_unsigned(words[0], 10, 1, of, &part, NULL))
    return smb_cli_usage_error(error,
                               "--shard '%s': expected " SMB_SHARD_FORM
                               ", part K of N parts: 1/4 to 4/4; at most %u",
                               text, SMB_SHARD_MOST);
  *shard = (SmbShard){(guint)part, (guint)of};
  return TRUE;
}

// The first of @n things behind the first @parts parts.
static guint64
cut_shard(guint64 n, guint parts, guint of) {
  return n / of * parts + n % of * parts / of;
}

guint64
smb_shard_begin(const SmbShard *shard, guint64 n) {
  return shard->of ? cut_shard(n, shard->part - 1, shard->of) : 0;
}

guint64
smb_shard_end(const SmbShard *shard, guint64 n) {
  return shard->of ? cut_shard(n, shard->part, shard->of) : n;
}

gboolean
smb_shard_has(const SmbShard *shard, guint64 index) {
  return shard->of == 0 || index % shard->of == shard->part - 1;
}

void
smb_shard_write_text(const SmbShard *shard, SmbSpool *out) {
  smb_spool_printf(out, "\nOnly part %u of %u: 'smembank merge' combines the JSON of all parts.\n",
                   shard->part, shard->of);
}

void
smb_shard_digest_texts(GChecksum *checksum, const char *const *texts) {
  for (guint i = 0; texts && texts[i]; i++)
    g_checksum_update(checksum, (const guchar *)texts[i], (gssize)strlen(texts[i]) + 1);
  g_checksum_update(checksum, (const guchar *)"", 1);
}

void
smb_shard_digest_bytes(GChecksum *checksum, GBytes *bytes) {
  gsize length;
  const guchar *data = g_bytes_get_data(bytes, &length);
  g_checksum_update(checksum, data, (gssize)length);
}

void
smb_shard_json(JsonBuilder *json, const SmbShard *shard, const SmbMember *members, guint n,
               gconstpointer object) {
  smb_json_object(json, "shard");
  smb_json_number(json, "part", shard->part);
  smb_json_number(json, "of", shard->of);
  smb_json_text(json, "version", PACKAGE_VERSION);
  smb_json_members(json, members, n, object);
  json_builder_end_object(json);
}
