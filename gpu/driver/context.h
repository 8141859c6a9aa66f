// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Contexts of the driver's interface, and which one is current to a thread. All share one device: a context is what its memory and its
// modules are freed with. The runtime uses the one that is current, or else makes the primary one current.
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct Context {
  bool is_primary;
  unsigned flags;
  unsigned users; // of the primary one: that have retained it; of others: that have attached to it
  uint64_t id;
  struct Green *
      green; // (nullable): the part of the device that it is for (cu/driver-green.c); its id is the primary one's
} Context;

Context *context_primary(void);

// A context of the program's own. NULL: there is no memory.
Context *context_new(unsigned flags);

// It is no context any more; a thread that it is current to has one that is destroyed.
void context_free(Context *context);

// Whether it is one that can be used.
bool context_is(const Context *context);

// Of this thread: the current one (nullable), whether there was room for one more, and the one that was current and is not any more.
Context *context_current(void);
bool context_push(Context *context);
Context *context_pop(void);

// A call of the runtime uses the device.
void context_enter(void);

// The number of the current one; 0: none is.
uint64_t context_id(void);
