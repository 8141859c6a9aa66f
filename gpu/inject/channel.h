// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The connection to `smembank capture`: frames (protocol.h). Once no process listens any longer, nothing is sent, and
// the application continues.
#pragma once

#include <stdbool.h>

#include "gpu/inject/payload.h"
#include "gpu/inject/protocol.h"

// Connects to @path. Returns whether somebody listens.
bool channel_open(const char *path);

// Whether there is a connection of this process: not of the one that it was forked from.
bool channel_is_open(void);

// Sends a frame, and empties @payload.
void channel_send(uint64_t kind, SmbPayload *payload);

// Waits for a frame. Returns its kind; 0: none came.
uint64_t channel_wait(SmbPayload *payload);

// Waits for a frame of a kind. Returns whether it came.
bool channel_receive(uint64_t kind, SmbPayload *payload);
