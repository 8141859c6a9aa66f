// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Errors: the last one of each thread, and the one that ends a context, which every later call returns.
#pragma once

#include "gpu/driver/abi.h"

// What a call returns: @error, kept as the last one of this thread; the sticky error if there is one.
cudaError_t error_return(cudaError_t error);

// The same of a call that needs no context, such as one that asks what the device is.
cudaError_t error_keep(cudaError_t error);

// Whether calls can be made: connects if that has not been tried. Else the error.
cudaError_t error_check(void);

// Whether there is a device, whatever became of the context.
cudaError_t error_check_device(void);

// The error of the context, from now on; that of the context, or cudaSuccess; a new context. A process whose kernel has failed gets
// none: cudaErrorDevicesUnavailable (an H200 with driver 580).
void error_stick(cudaError_t error);
cudaError_t error_sticky(void);
void error_reset(void);

// While calls of the driver's interface are made, whose errors are not the runtime's last one, and which use the context that is current:
// true at the beginning of one, false at its end.
void error_set_driver(bool begins);

// While a kernel's questions are answered: errors are those of its threads, and nothing is told to the command.
void error_set_answering(bool begins);

// Writes what the command says of a launch or a module, a line, unless it was the last that was written.
void error_tell(const unsigned char *text, size_t length);

// Writes what is missing to standard error. Returns cudaErrorNotSupported, kept as the last error.
cudaError_t error_missing(const char *name);
