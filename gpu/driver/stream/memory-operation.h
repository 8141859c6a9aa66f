// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Operations of streams on words of memory: writing them, and waiting until they have a value.
#pragma once

#include "gpu/driver/abi.h"
#include "gpu/driver/context.h"

enum {
  MEMORY_MAX_OPERATIONS = 256, // of a batch
};

// CUstreamBatchMemOpType
typedef enum {
  MEMORY_WAIT_32 = 1,
  MEMORY_WRITE_32,
  MEMORY_FLUSH,
  MEMORY_WAIT_64,
  MEMORY_WRITE_64,
  MEMORY_BARRIER,
} MemoryOperationKind;

// CUstreamBatchMemOpParams
typedef union {
  MemoryOperationKind kind;
  struct {
    MemoryOperationKind kind;
    void *address;
    uint64_t value;
    unsigned flags;
  } value;
  struct {
    MemoryOperationKind kind;
    unsigned flags;
  } barrier;
  uint64_t pad[6];
} MemoryOperation;

typedef struct {
  Context *context;
  unsigned n, flags;
  MemoryOperation *operations; // its own
} MemoryCall;

// A copy of operations. NULL: there is no memory.
MemoryCall *memory_call_new(Context *context, const MemoryOperation *operations, unsigned n,
                            unsigned flags);
void memory_call_free(MemoryCall *call);

cudaError_t memory_call_check(const MemoryCall *call);

// One after the other; it returns when the last wait is over.
void memory_call_run(const MemoryCall *call);

// Whether any of them waits.
bool memory_call_waits(const MemoryCall *call);
