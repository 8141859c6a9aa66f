// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The connection to `smembank capture`: frames (protocol.h). Where nobody listens any more, nothing is sent, and the
// application goes on.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "gpu/inject/protocol.h"

// A payload that is being written, or read.
typedef struct {
  unsigned char *bytes;
  size_t length;
  size_t room;
  size_t at; // of one that is read
  bool failed;
} Payload;

void payload_number(Payload *payload, uint64_t number);
void payload_bytes(Payload *payload, const void *bytes, size_t length);
void payload_text(Payload *payload, const char *text);
// 0, or an empty text, behind the end. The text is part of the payload, and not terminated.
uint64_t payload_read_number(Payload *payload);
const char *payload_read_text(Payload *payload, size_t *length);
void payload_clear(Payload *payload);

// Connects to @path. Returns whether somebody listens.
bool channel_open(const char *path);

// Whether there is a connection of this process: not of the one that it was forked from.
bool channel_is_open(void);

// Sends a frame, and empties @payload.
void channel_send(InjectKind kind, Payload *payload);

// Waits for a frame of a kind. Returns whether it came.
bool channel_receive(InjectKind kind, Payload *payload);
