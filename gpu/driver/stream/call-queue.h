// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Calls that cannot be run at once: functions of the host, kernels that wait for what the host writes, and what follows them. They run in
// threads of their own: one takes calls in the order in which they were added, each once what it follows is done, and hands over to
// another when a call waits.
#pragma once

#include "gpu/driver/stream/call.h"

// Takes a call, which runs when @after is done. Returns its ticket; 0: there is no memory.
uint64_t queue_add(Call *call, uint64_t after);

// Returns a ticket that is done when all of @tickets are; 0: they are.
uint64_t queue_join(const uint64_t *tickets, size_t n);

// The same of all that were given.
uint64_t queue_last(void);

bool queue_is_done(uint64_t ticket);
void queue_wait(uint64_t ticket);

// A launch of a stream has ended that was run at once; and whether nothing was asked of the device since, nor waited for.
void queue_note_launch(uint64_t stream);
bool queue_follows_launch(uint64_t stream);

// Whether this thread runs calls, so that it may not call CUDA.
bool queue_is_inside(void);

// The call that this thread runs waits for what others write: another thread takes calls meanwhile.
void queue_hand_over(void);

// Whether nothing else can write what is waited for: all other threads of the program wait for calls that do.
bool queue_is_stuck(void);
