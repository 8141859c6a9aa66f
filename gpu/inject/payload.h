// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The payloads of frames (protocol.h): numbers of 8 bytes, and byte strings behind their lengths. Both sides use this:
// plain C, since one of them is a guest in an application.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// One that is being written, whose bytes are its own, or read, whose bytes are lent.
typedef struct {
  unsigned char *bytes;
  size_t length;
  size_t room;
  size_t at;   // of one that is read
  bool failed; // no memory, or nothing more to read
} SmbPayload;

// --- writing
void smb_payload_add_number(SmbPayload *payload, uint64_t number);
void smb_payload_add_bytes(SmbPayload *payload, const void *bytes, size_t length);
void smb_payload_add_text(SmbPayload *payload, const char *text);

// Makes room for @more bytes, which are to be filled in. NULL: there is no memory.
unsigned char *smb_payload_make_room(SmbPayload *payload, size_t more);

void smb_payload_clear(SmbPayload *payload);

// --- reading: 0, or no bytes, behind the end
uint64_t smb_payload_number(SmbPayload *payload);

// The bytes are those of the payload: a text is not terminated.
const unsigned char *smb_payload_bytes(SmbPayload *payload, size_t *length);
