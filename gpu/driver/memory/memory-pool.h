// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Pools, which cudaMallocAsync() takes memory from: what is counted of each.
#pragma once

#include "gpu/driver/abi.h"
#include "gpu/driver/memory/memory.h"

typedef struct Pool Pool;

// A pool gives memory back that it keeps beyond its threshold: all streams have been waited for.
void pool_trim_all(void);

// An allocation of a pool has been freed.
void pool_give_back(const Allocation *freed);

void pool_reset(void);
