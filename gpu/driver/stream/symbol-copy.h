// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Variables of modules as places of copies.
#pragma once

#include "gpu/driver/stream/call.h"

// The memory of so many bytes of a variable, if it has them.
cudaError_t symbol_part(const void *symbol, size_t offset, size_t bytes, void **part);

// A copy between a variable and memory; @is_to: to the variable.
cudaError_t symbol_make_copy(Call *call, const void *symbol, void *memory, size_t bytes,
                             size_t offset, int kind, bool is_to);
