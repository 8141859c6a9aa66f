// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the GPU side of a machine offers, as a table of functions: the CUDA runtime, which is linked
// in, and the libraries that are opened at run time. Tests put their own functions into the table, so
// that every failure can be tried without a GPU. No type of the CUDA headers appears here.
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** What the functions of SmbCuda return when they succeed; other values are CUDA's error codes. */
#define SMB_CUDA_SUCCESS 0

/** Attributes of a device that are asked for. */
typedef enum {
  SMB_CUDA_CAPABILITY_MAJOR,
  SMB_CUDA_CAPABILITY_MINOR,
  SMB_CUDA_MULTIPROCESSORS,
  SMB_CUDA_SHARED_PER_BLOCK_OPTIN, /* bytes */
  SMB_CUDA_N_ATTRIBUTES
} SmbCudaAttribute;

/** Libraries that are opened at run time. */
typedef enum {
  SMB_CUDA_DRIVER, /* libcuda: comes with the driver */
  SMB_CUDA_NVRTC,  /* compiles kernels */
  SMB_CUDA_CUPTI,  /* reads hardware counters */
  SMB_CUDA_N_LIBRARIES
} SmbCudaLibrary;

/**
 * SmbCuda:
 * @has_runtime: whether the program was built with a CUDA Toolkit; the next five are %NULL if not
 * @device_count: number of devices
 * @device_name: writes the terminated name of a device
 * @attribute: one attribute of a device
 * @versions: version of the runtime, and the newest that the driver has (0: no driver), as CUDA
 *   writes them: 13000
 * @error_text: an error in words (transfer none)
 * @open: opens a library: its handle, or %NULL with a reason (transfer full)
 * @library_version: version of an open library as MAJOR * 1000 + MINOR * 10, or 0 if it does not say
 */
typedef struct {
  gboolean has_runtime;
  int (*device_count)(int *count);
  int (*device_name)(int device, char *name, gsize size);
  int (*attribute)(int device, SmbCudaAttribute attribute, int *value);
  int (*versions)(int *runtime, int *driver);
  const char *(*error_text)(int error);
  gpointer (*open)(SmbCudaLibrary library, char **reason);
  int (*library_version)(SmbCudaLibrary library, gpointer handle);
} SmbCuda;

/** The functions of this machine (transfer none). */
const SmbCuda *smb_cuda_real(void);

G_END_DECLS
