// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What a launch can reach: the allocations that its parameters point into, and those that what is there points into.
// The driver is asked about each number that may be an address, so that allocations of every kind are found, whoever
// made them: plain, of pools, managed, mapped from virtual memory, of the host, imported.
#pragma once

#include <stdbool.h>

#include "gpu/inject/channel.h"
#include "gpu/inject/driver.h"

typedef struct {
  uint64_t base;
  uint64_t bytes;
  uint64_t pointed; // the first address in it that was found
  InjectMemory kind;
} Allocation;

typedef struct {
  const InjectDriver *driver;
  Allocation *allocations; // in the order in which they were found
  size_t n, room;
} Reach;

void reach_begin(Reach *reach, const InjectDriver *driver);
void reach_clear(Reach *reach);

// Adds the allocations that @bytes point into: numbers of 8 bytes, at multiples of 8.
void reach_add(Reach *reach, const void *bytes, size_t length);

// Adds what the allocations point into, and so on.
void reach_follow(Reach *reach);

// Whether an address is in one of the allocations.
bool reach_has(const Reach *reach, uint64_t address);

// Sends what the allocations hold, up to @limit bytes, and adds those that it points into. Of those that are in @spoilt
// (nullable) only where they are.
void reach_send(Reach *reach, const Reach *spoilt, uint64_t limit);
