// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Memory of the device: a range of addresses of this process, which device, managed and pinned memory and the variables of modules
// are allocated in. A device pointer is a host address. The command maps the same file.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/inject/payload.h"
#include "gpu/inject/protocol.h"

typedef struct {
  uintptr_t address;
  size_t bytes;
  InjectMemory kind;
  bool is_variable; // of a module, which it is freed with
} Allocation;

// Reserves the range, once. Returns the descriptor of its file; -1: there is no room for it.
int memory_start(void);
uint64_t memory_base(void);
uint64_t memory_bytes(void);

// What the device has: device and managed memory and variables beyond it are refused, and the first of them is told on standard
// error.
void memory_set_device_bytes(uint64_t bytes);
uint64_t memory_device_bytes(void);

// Returns zeros of so many bytes, at least one, at a multiple of 512; NULL: there is no room.
void *memory_allocate(size_t bytes, InjectMemory kind, bool is_variable);

// Returns whether an allocation begins there, which is no more.
bool memory_free(const void *address);

// Copies the allocation that has an address to *@found. Returns whether there is one.
bool memory_find(const void *address, Allocation *found);

// Whether any of it is in an allocation.
bool memory_is_ours(const void *address);

// Bytes of the device's memory that are allocated.
size_t memory_used(void);

// Adds how many allocations there are that are no variables, and each of them (RUN_LAUNCH).
void memory_add_all(SmbPayload *payload);
