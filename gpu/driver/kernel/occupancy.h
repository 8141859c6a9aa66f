// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How many blocks of a kernel are resident on a multiprocessor.
#pragma once

#include "gpu/driver/kernel/module.h"

// The most threads of a block that registers and __launch_bounds__ allow.
unsigned occupancy_most_threads(const Kernel *kernel);

// Resident blocks; 0: a block is too large.
unsigned occupancy_blocks(const Kernel *kernel, unsigned threads, uint64_t dynamic_bytes);
