// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Calls that cannot be run at once: functions of the host, which run in a thread of their own, and what follows them. They run in the
// order in which they were added, which is one that streams and events allow.
#pragma once

#include "gpu/driver/stream/call.h"

// Takes a call. Returns its ticket; 0: there is no memory.
uint64_t queue_add(Call *call);

bool queue_is_done(uint64_t ticket);
void queue_wait(uint64_t ticket);

// The last ticket that was given.
uint64_t queue_last(void);

// Whether this thread runs a function of the host, which may not call CUDA.
bool queue_is_inside(void);
