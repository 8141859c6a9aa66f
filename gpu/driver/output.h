// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What kernels print, and what failed assertions say: a device keeps it until the program waits for it (CUDA C++ Programming Guide,
// "Formatted Output"), so that it is in order with what the program itself prints.
#pragma once

#include "gpu/inject/payload.h"

// Keeps what a launch printed: the two texts that are next in an answer (RUN_LAUNCH).
void output_keep(SmbPayload *answer);

// Writes what was kept, to standard output and standard error: of every call that waits for the device, or copies and blocks.
void output_write(void);
