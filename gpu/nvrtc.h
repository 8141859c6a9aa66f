// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The compiler that comes with CUDA as a library.
#pragma once

#include "gpu/cuda.h"

/** smb_nvrtc_compile: SmbCuda.compile of this machine: machine code, or PTX if the architecture of the
 * options is a virtual one */
int smb_nvrtc_compile(const SmbCudaSource *source, GBytes **image, char **symbol, char **log);
