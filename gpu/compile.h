// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// A user's kernel: CUDA C, compiled as the model reads it, with macros of the command line and no headers but the names
// that the kernel language has built in; or compiled code: PTX, which the driver assembles, and machine code.
#pragma once

#include "gpu/cuda.h"

/**
 * smb_compile_source:
 * @refused: what the error says before the compiler's own words
 * @what: what is loaded, as in "load the kernel"
 * @error: SMB_GPU_ERROR_COMPILE, SMB_GPU_ERROR_LAUNCH
 *
 * Compiles a text and loads it, with room for @dynamic_bytes of shared memory.
 *
 * Returns: (transfer full): the function, for SmbCuda.unload
 */
SmbCudaFunction *smb_compile_source(const SmbCuda *cuda, const SmbCudaSource *source,
                                    gsize dynamic_bytes, const char *refused, const char *what,
                                    GError **error);

/**
 * smb_load_image:
 * @file: how messages call it
 * @image: (transfer none): PTX with a 0 after it, or a cubin
 * @symbol: the kernel's name in it, mangled
 * @dynamic_bytes: dynamic shared memory of its launches
 * @error: SMB_GPU_ERROR_COMPILE with what the driver says of PTX that it does not assemble, and the lines of @file;
 *   SMB_GPU_ERROR_LAUNCH if it cannot be loaded, or there is no such kernel
 *
 * Loads compiled code as any program has it loaded; the driver assembles PTX for the device.
 *
 * Returns: (transfer full): the function, for SmbCuda.unload
 */
SmbCudaFunction *smb_load_image(const SmbCuda *cuda, const char *file, GBytes *image,
                                const char *symbol, gsize dynamic_bytes, GError **error);

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
