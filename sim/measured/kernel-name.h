// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Names of kernels as Nsight Compute writes them beside those of compiled code. Parameters are not compared: ncu writes
// "T1 *" where a template has "float *".
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * SmbNameMatch:
 * @SMB_NAME_OTHER: of another kernel
 * @SMB_NAME_BASE: the name of the function alone, which instances of a template and functions of other namespaces have
 *   as well ("ncu --print-kernel-base function")
 * @SMB_NAME_SAME: mangled, or another way to write the same name
 */
typedef enum {
  SMB_NAME_OTHER,
  SMB_NAME_BASE,
  SMB_NAME_SAME,
} SmbNameMatch;

/**
 * smb_kernel_name_compare:
 * @measured: as ncu writes it: "void reduce<(int)128>(float *, int)"
 * @symbol: of a kernel: "_Z6reduceILi128EEvPfi", or what it means
 *
 * Returns: whether both may be of the same kernel
 */
SmbNameMatch smb_kernel_name_compare(const char *measured, const char *symbol);

G_END_DECLS
