// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Of a program that is checked: which bytes of device memory something was written to since they were allocated,
// a bit for each, in a file that the command maps, too: it notes what kernels write. And what the library finds itself.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/driver/protocol.h"

// The program is checked, from now on.
void written_start(void);

// Whether it is.
bool written_is_checked(void);

// Nothing was written there: it is allocated, or no more.
void written_forget(const void *address, size_t bytes);

// Something is written there, unless it is no device memory.
void written_note(const void *address, size_t bytes);

// Bytes are copied. What nothing was written to stays so on the device; on its way to the host it is found.
void written_note_copy(const void *to, const void *from, size_t bytes);

// Something is found, in the function of the interface that the program has called, or in @function if that is not NULL.
void written_tell(RunFound kind, const char *function, const char *text, uint64_t number,
                  uint64_t bytes);
