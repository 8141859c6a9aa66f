// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Digests of memory: of pieces of INJECT_FRAME_BYTES, computed on the device, so that only what has changed is copied from it. Two sums
// of 64 bits, each of all words after they were mixed with their numbers: equal contents have equal digests, and others have the same
// one by chance only, once in 2^128. They are no protection against contents that are made for that.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/inject/driver.h"

typedef struct {
  uint64_t a, b;
} Digest;

// Of a piece that is in the host's memory.
Digest digest_of(const void *bytes, size_t length);

// Of each piece of @bytes bytes of the device's memory at @address, by a kernel of ours; the device is at rest. Returns (transfer none)
// (nullable): valid until the next call; NULL: it cannot be done.
const Digest *digest_on_device(const InjectDriver *driver, uint64_t address, uint64_t bytes);

// Whether this thread calls the driver for that: callbacks are of no concern to the application then.
bool digest_is_busy(void);

// Whether a kernel of that name is ours.
bool digest_is_kernel(const char *name);
