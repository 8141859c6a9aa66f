// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Which image a kernel is of, where several have one of its name. CUPTI says that a module is loaded, and calls it by a
// number; the driver calls it by a handle. What ties them is the call during which it is loaded: that one gives the
// handle. A driver loads a module when it is asked for it, or, later, for its first function.
#pragma once

#include <stdint.h>

// A call that may load a module begins in this thread.
void module_begin(void);

// It loads the module that CUPTI calls @number.
void module_loaded(uint32_t number);

// It gave a module, or a function of it.
void module_found(void *module);

void module_unloaded(uint32_t number);

// What CUPTI calls a module; 0: not known.
uint32_t module_number(const void *module);
