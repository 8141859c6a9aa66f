// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The heap of the device's malloc, of which kernels allocate: an allocation of the context, made when the first module is loaded that
// needs it.
#pragma once

#include "gpu/driver/abi.h"
#include "gpu/inject/payload.h"

enum {
  HEAP_LEAST = 4 << 20, // bytes, as an H200 has it
};

// A module needs it. Returns whether there is room.
bool heap_need(void);

// cudaLimitMallocHeapSize: can be set until the heap is needed.
size_t heap_bytes(void);
cudaError_t heap_set_bytes(size_t bytes);

// Whether it begins at an address.
bool heap_is(uintptr_t address);

// Adds its address and bytes, zeros if it was not needed yet (RUN_LAUNCH).
void heap_add(SmbPayload *payload);
