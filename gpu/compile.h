// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A user's kernel, compiled as the model reads it: macros of the command line, no headers but the names
// that the kernel language has built in.
#pragma once

#include "gpu/cuda.h"

G_BEGIN_DECLS

/**
 * smb_compile_kernel:
 * @architecture: for the compiler: "sm_90"
 * @file: how messages call the text
 * @defines: (array zero-terminated=1): NAME=VALUE
 * @dynamic_bytes: dynamic shared memory of its launches
 * @error: SMB_GPU_ERROR_COMPILE with what the compiler says; SMB_GPU_ERROR_LAUNCH if it cannot be loaded
 *
 * Returns: (transfer full): the function, for SmbCuda.unload
 */
SmbCudaFunction *smb_compile_kernel(const SmbCuda *cuda, const char *architecture, const char *file,
                                    const char *text, const char *entry, const char *const *defines,
                                    gsize dynamic_bytes, GError **error);

G_END_DECLS
