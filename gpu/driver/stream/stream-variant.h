// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Variants of functions that programs call which are compiled with --default-stream per-thread: name_ptsz and name_ptds (functions.def).
// Each is the function itself, in which the default stream, 0, is that of the thread.
#pragma once

#include <stdbool.h>

// Whether this thread is in a variant.
bool variant_is_running(void);
