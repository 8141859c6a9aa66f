// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Memory of the device that several processes use. Each has memory of its own (memory.h): one that opens another's maps those pages in its
// range, and has the command do so too.
#pragma once

#include "gpu/driver/abi.h"

// What another process has to know, which fits into a cudaIpcHandle.
typedef struct {
  uint64_t magic, process, file; // its descriptor there
  uint64_t place, bytes;         // whole pages of it
  uint64_t offset;               // of what is meant, behind the first one
} Share;

// The bytes of an allocation.
Share share_make(const void *address, size_t bytes);

// The same, as what a program hands to another process.
cudaIpcHandle share_handle(const void *address, size_t bytes);

// Whether another process may have memory of this one, or this one of another.
bool share_is_used(void);

// Whether it was made by this process.
bool share_is_own(const Share *share);

// What it is that was opened: a function that closes the one does not close the other.
typedef enum {
  SHARE_MEMORY, // an allocation, by its handle
  SHARE_POOLED, // one of a pool
  SHARE_HANDLE, // of virtual memory management
  SHARE_EVENT,
} ShareKind;

// Its address here, the same each time; NULL: it is not there, or there is no room.
void *share_open(const Share *share, ShareKind kind);

// Returns whether it was open; the last one unmaps it.
bool share_close(const void *address, ShareKind kind);

// A file that can be handed to another process, with what it has to know in it. -1: there is none.
int share_write(const Share *share);

// Returns whether the file is one of these.
bool share_read(int fd, Share *share);
