// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How functions of the driver's interface are called and found.
#pragma once

#include <stdbool.h>

#include "gpu/driver/entry-call.h"

// What a function returns an error without.
typedef enum {
  NEEDS_NOTHING,
  NEEDS_INIT,
  NEEDS_CONTEXT,
} DriverNeeds;

int driver_begin(const Entry *entry, const void *caller);
int driver_end(const Entry *entry, int result);

// Where the program has called the function of this thread that is running.
const void *driver_caller(void);

// CUdriverProcAddressQueryResult
typedef enum {
  DRIVER_FOUND,
  DRIVER_NO_SYMBOL,
  DRIVER_TOO_NEW, // for the version
} DriverSearch;

// The function @symbol, a name without a version, as CUDA @version had it; @per_thread: its variant for per-thread default streams if
// there is one. NULL: there is none.
const void *driver_find(const char *symbol, int version, bool per_thread, DriverSearch *search);
