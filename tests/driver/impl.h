// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the parts of the made-up driver share.
#pragma once

#include "tests/driver/driver.h"

// CUPTI's callbacks, if they are enabled: @site of a function of the driver, and what became of a resource.
void driver_call_back(uint32_t id, int site, const char *symbol, const void *params);
void driver_call_back_resource(uint32_t id, void *what);

// What a kernel does, and how long it takes.
void driver_run(void *handle, const unsigned *grid, const unsigned *block, void *const *parameters);
