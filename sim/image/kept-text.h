// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the PTX that a cubin was assembled from says of shared memory. ptxas keeps its text for debuggers (.nv_debug_ptx_txt, of nvcc
// -lineinfo), while the names of shared variables are forgotten.
#pragma once

#include "sim/image/cubin.h"

G_BEGIN_DECLS

/** SmbKeptArray: @name: as a compiler mangles it; @offset: in bytes, from the start of the kernel's own shared memory */
typedef struct {
  char *name;
  guint64 offset;
  guint64 bytes;
} SmbKeptArray;

/**
 * smb_kept_arrays:
 * @kernel: its name in the file
 * @bytes: of static shared memory that it has
 *
 * ptxas lays out variables that the kernel declares first, then those outside of it that its code names, each in the order of the
 * text (ptxas of CUDA 13.0: 3 files of random variables for each of seven chips, sm_75 to sm_120). What it does not say, such as variables of functions that are called,
 * makes another sum.
 *
 * Returns: (transfer full) (element-type SmbKeptArray): the static variables, in the order of memory; none if no text is kept, or it has
 * another sum than @bytes
 */
GArray *smb_kept_arrays(const SmbCubin *cubin, const char *kernel, guint64 bytes);

/** smb_kept_dynamic: Returns: (transfer full) (nullable): the mangled name of dynamic shared memory, of several the first that the
 * kernel names; %NULL: it names none, or no text is kept */
char *smb_kept_dynamic(const SmbCubin *cubin, const char *kernel);

G_END_DECLS
