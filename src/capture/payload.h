// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The payloads of frames (gpu/inject/protocol.h), as the command reads and makes them. What is behind the end of one reads as
// 0, or as nothing, and is remembered.
#pragma once

#include <glib.h>

typedef struct {
  const guchar *bytes;
  gsize length;
  gsize at;
  gboolean failed;
} SmbPayload;

guint64 smb_payload_number(SmbPayload *payload);

/** smb_payload_peek: Returns: (transfer none) (array length=length): bytes, which live as long as those of the payload */
const guchar *smb_payload_peek(SmbPayload *payload, gsize *length);

/** smb_payload_bytes: Returns: (transfer full): a copy of bytes */
GBytes *smb_payload_bytes(SmbPayload *payload);

/** smb_payload_text: Returns: (transfer full): bytes as a text, which is valid UTF-8 */
char *smb_payload_text(SmbPayload *payload);

void smb_payload_add_number(GByteArray *payload, guint64 number);
void smb_payload_add_text(GByteArray *payload, const char *text);
