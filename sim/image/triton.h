// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The folder that Triton keeps a compiled kernel in: KERNEL.ptx, KERNEL.cubin, and KERNEL.json, which says how it is
// launched.
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * SmbTriton:
 * @file: the code: machine code if it is for the chip, else PTX
 * @threads: of a block
 * @shared_bytes: dynamic shared memory of a block
 */
typedef struct {
  char *file;
  guint threads;
  guint shared_bytes;
} SmbTriton;

/**
 * smb_triton_find:
 * @folder: of one kernel, or one that has such folders, as ~/.triton/cache
 * @name: (nullable): of the kernel, where there are several
 * @chip: the architecture that is to run it: 90 of sm_90
 * @error: SMB_ERROR_INPUT: no kernel of Triton's is there, or it is damaged; SMB_ERROR_USAGE: several kernels, and none
 *   is named; a file error
 *
 * Returns: (transfer full): a compiled kernel
 */
SmbTriton *smb_triton_find(const char *folder, const char *name, guint chip, GError **error);
void smb_triton_free(SmbTriton *triton);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbTriton, smb_triton_free)

G_END_DECLS
