// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Memory of the program's own that is registered: its pages are moved into the range of the device's memory, and mapped where they
// were.
#pragma once

#include "gpu/driver/memory/memory.h"

bool registered_find(const void *address, Allocation *found);

// Adds how many ranges are registered, each as an allocation, how many stretches of pages lie elsewhere in the memory, and of each its
// address, where it lies, and its bytes (RUN_LAUNCH).
void registered_add_all(SmbPayload *payload);

// All pages are moved back (cudaDeviceReset).
void registered_reset(void);
