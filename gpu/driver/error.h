// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Errors: the last one of each thread, and the one that ends a context, which every later call returns.
#pragma once

#include "gpu/driver/abi.h"

// What a call returns: @error, kept as the last one of this thread; the sticky error if there is one.
cudaError_t error_return(cudaError_t error);

// Whether calls can be made: connects if that has not been tried. Else the error.
cudaError_t error_check(void);

// The error of the context, from now on.
void error_stick(cudaError_t error);

// Writes what the command says of a launch or a module, a line, unless it was the last that was written.
void error_tell(const unsigned char *text, size_t length);

// Writes what is missing to standard error, once for each @name. Returns cudaErrorNotSupported, kept as the last error.
cudaError_t error_missing(const char *name);
