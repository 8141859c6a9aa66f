// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Memory at addresses outside of the range of the device's memory, which it lies in: memory of the program's own that is registered, whose
// pages are moved there, and mapped where they were, and memory of the device that is mapped at addresses that the program has reserved.
#pragma once

#include "gpu/driver/memory/memory.h"

bool registered_find(const void *address, Allocation *found);

// Adds how many ranges are registered, each as an allocation, how many stretches of pages lie elsewhere in the memory, and of each its
// address, where it lies, and its bytes (RUN_LAUNCH).
void registered_add_all(SmbPayload *payload);

// Memory of the device, whole pages, at another address too, at which kernels find it; and no more.
bool registered_map(void *address, void *range, size_t bytes);
void registered_unmap(const void *address);

// All pages are moved back (cudaDeviceReset).
void registered_reset(void);
