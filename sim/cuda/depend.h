// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Whether the blocks of a kernel may repeat each other, and what the walker has to watch then. Private to CUDA C.
#pragma once

#include "sim/cuda/parse/parse.h"

// Decides SmbProgram.may_repeat, of a kernel and all that it calls (Function), and Node.is_watched.
void smb_kernel_depend(SmbKernel *kernel, GHashTable *functions);
