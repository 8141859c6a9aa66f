// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Memory without an address (cuMemCreate), for arrays that it is mapped in.
#pragma once

#include <stddef.h>

typedef struct Physical Physical;

// Where memory lies that is for tiles of arrays, and its bytes. NULL: the handle is none, or is for something else.
char *physical_tiles(const Physical *handle, size_t *bytes);

// One more page of it is mapped; one less.
void physical_retain(Physical *handle);
void physical_release(Physical *handle);
