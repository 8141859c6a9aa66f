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
  bool is_graphs;   // of a node of a graph, which it is freed with
  bool
      is_hidden; // of what is not the program's to free: conditions of graphs, memory of other processes
  bool is_mapped;   // at an address that the program has reserved (virtual memory management)
  bool is_free;     // of a graph: its address is kept, but it is not memory now
  unsigned n_nodes; // that allocate it: of a graph and of its copies
  unsigned flags;   // of pinned memory
  void *pool;       // (nullable): that it is taken from
  uint64_t context; // id of the one that it was made in
  uint64_t id;
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

// The same with all that can be said of it: address, id and context are set.
void *memory_allocate_as(Allocation *allocation);

// Returns whether an allocation begins there, which is no more; *@freed (nullable): what it was.
bool memory_free(const void *address, Allocation *freed);

void memory_set_kind(const void *address, InjectMemory kind);

// Frees what begins there, whatever it is.
void memory_drop(const void *address);

// Of an allocation of a graph: it is memory now, or is not.
bool memory_set_live(const void *address, bool is_live);

// One more node allocates it; one less: with the last one it is gone, unless it is memory now, which the program frees.
void memory_retain_graphs(const void *address);
void memory_release_graphs(const void *address);

// Copies the allocation that has an address to *@found, also one of a graph that is not memory now. Returns whether there is one.
bool memory_find(const void *address, Allocation *found);

// Whether any of it is in an allocation.
bool memory_is_ours(const void *address);

// How many bytes from an address on can be used: those of its allocation, and of what is mapped behind it. 0: it is in none.
size_t memory_reach(const void *address);

// Bytes of the device's memory that are allocated.
size_t memory_used(void);

// Bytes of the allocations of graphs; @is_live: only of those that are memory now.
size_t memory_count_graphs(bool is_live);

// The descriptor of its file.
int memory_file(void);

// Maps bytes of the file of a process, which is memory of the device there, in the range (whole pages).
bool memory_map_file(void *address, uint64_t process, uint64_t descriptor, uint64_t place,
                     size_t bytes);

// Maps bytes of the range (whole pages) at another address of this process in addition.
bool memory_map_at(void *address, void *range, size_t bytes);

// Frees what was made in a context (context.h) and is no variable.
void memory_free_context(uint64_t context);

// Frees all, also variables.
void memory_reset(void);

// Calls a function for each allocation of the program that is memory now.
void memory_each(void (*visit)(const Allocation *allocation));

// Adds how many allocations there are that are no variables, each of them, and the same of what is registered (RUN_LAUNCH).
void memory_add_all(SmbPayload *payload);
