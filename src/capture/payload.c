// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "src/capture/payload.h"

#include <string.h>

guint64
smb_payload_number(SmbPayload *payload) {
  guint64 number = 0;
  if (payload->length - payload->at < sizeof number) {
    payload->failed = TRUE;
    return 0;
  }
  memcpy(&number, payload->bytes + payload->at, sizeof number);
  payload->at += sizeof number;
  return number;
}

const guchar *
smb_payload_peek(SmbPayload *payload, gsize *length) {
  guint64 bytes = smb_payload_number(payload);
  if (bytes > payload->length - payload->at) {
    payload->failed = TRUE;
    bytes = 0;
  }
  const guchar *at = payload->bytes + payload->at;
  payload->at += bytes;
  *length = bytes;
  return at;
}

GBytes *
smb_payload_bytes(SmbPayload *payload) {
  gsize length;
  const guchar *bytes = smb_payload_peek(payload, &length);
  return g_bytes_new(bytes, length);
}

char *
smb_payload_text(SmbPayload *payload) {
  gsize length;
  const guchar *bytes = smb_payload_peek(payload, &length);
  return g_utf8_make_valid((const char *)bytes, (gssize)length);
}

void
smb_payload_add_number(GByteArray *payload, guint64 number) {
  g_byte_array_append(payload, (const guint8 *)&number, sizeof number);
}

void
smb_payload_add_text(GByteArray *payload, const char *text) {
  gsize length = strlen(text);
  smb_payload_add_number(payload, length);
  g_byte_array_append(payload, (const guint8 *)text, (guint)length);
}
