// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// CUDA C as a front end: how its kernels are made, and how others that read CUDA C find them again.
#pragma once

#include "sim/machine/front-end.h"

typedef struct _SmbKernel SmbKernel; // sim/cuda/tree/ast.h

extern const SmbFrontEnd smb_cuda_front_end;

// The kernel of a program that was read from CUDA C, or NULL.
const SmbKernel *smb_cuda_kernel(const SmbProgram *program);
