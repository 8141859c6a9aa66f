// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Memory that lives as long as a kernel: tokens, types, nodes. Freed together, never one by one.
// Private to the kernel language.
#pragma once

#include <glib.h>

typedef struct _KernelPool KernelPool;

KernelPool *smb_kernel_pool_new(void);
void smb_kernel_pool_free(KernelPool *pool);

// Zeroed memory, aligned for any type.
gpointer smb_kernel_pool_alloc(KernelPool *pool, gsize size);

// A terminated copy of @length bytes of @text.
const char *smb_kernel_pool_text(KernelPool *pool, const char *text, gsize length);

G_GNUC_PRINTF(2, 3)
const char *smb_kernel_pool_printf(KernelPool *pool, const char *format, ...);

#define kernel_pool_new_struct(pool, type) ((type *)smb_kernel_pool_alloc((pool), sizeof(type)))
