// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Numbers and byte strings of a frame, written and read with bounds.
#include "gpu/inject/payload.h"

#include <stdlib.h>
#include <string.h>

unsigned char *
smb_payload_make_room(SmbPayload *payload, size_t more) {
  if (payload->length + more > payload->room) {
    size_t room = 2 * (payload->length + more);
    unsigned char *bytes = realloc(payload->bytes, room);
    if (!bytes) {
      payload->failed = true;
      return NULL;
    }
    payload->bytes = bytes;
    payload->room = room;
  }
  payload->length += more;
  return payload->bytes + payload->length - more;
}

static void
append(SmbPayload *payload, const void *bytes, size_t length) {
  unsigned char *to = smb_payload_make_room(payload, length);
  if (to && length > 0)
    memcpy(to, bytes, length);
}

void
smb_payload_add_number(SmbPayload *payload, uint64_t number) {
  append(payload, &number, sizeof number);
}

void
smb_payload_add_bytes(SmbPayload *payload, const void *bytes, size_t length) {
  smb_payload_add_number(payload, length);
  append(payload, bytes, length);
}

void
smb_payload_add_text(SmbPayload *payload, const char *text) {
  smb_payload_add_bytes(payload, text, strlen(text));
}

uint64_t
smb_payload_number(SmbPayload *payload) {
  uint64_t number = 0;
  if (payload->length - payload->at < sizeof number) {
    payload->failed = true;
    return 0;
  }
  memcpy(&number, payload->bytes + payload->at, sizeof number);
  payload->at += sizeof number;
  return number;
}

const unsigned char *
smb_payload_bytes(SmbPayload *payload, size_t *length) {
  uint64_t bytes = smb_payload_number(payload);
  *length = 0;
  if (bytes > payload->length - payload->at) {
    payload->failed = true;
    bytes = 0;
  }
  const unsigned char *text = payload->bytes + payload->at;
  payload->at += bytes;
  *length = bytes;
  return text;
}

void
smb_payload_clear(SmbPayload *payload) {
  free(payload->bytes);
  memset(payload, 0, sizeof *payload);
}
