// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "sim/cuda/pool.h"

#include <string.h>

enum {
  CHUNK_BYTES = 64 * 1024,
  ALIGNMENT = 16
};

struct _KernelPool {
  GPtrArray *chunks;
  char *next;
  gsize left;
};

KernelPool *
smb_kernel_pool_new(void) {
  KernelPool *pool = g_new0(KernelPool, 1);
  pool->chunks = g_ptr_array_new_with_free_func(g_free);
  return pool;
}

void
smb_kernel_pool_free(KernelPool *pool) {
  if (!pool)
    return;
  g_ptr_array_unref(pool->chunks);
  g_free(pool);
}

gpointer
smb_kernel_pool_alloc(KernelPool *pool, gsize size) {
  size = (size + ALIGNMENT - 1) & ~(gsize)(ALIGNMENT - 1);
  if (size > pool->left) {
    gsize bytes = MAX(size, (gsize)CHUNK_BYTES);
    pool->next = g_malloc0(bytes);
    pool->left = bytes;
    g_ptr_array_add(pool->chunks, pool->next);
  }
  gpointer memory = pool->next;
  pool->next += size;
  pool->left -= size;
  return memory;
}

const char *
smb_kernel_pool_text(KernelPool *pool, const char *text, gsize length) {
  char *copy = smb_kernel_pool_alloc(pool, length + 1);
  memcpy(copy, text, length);
  return copy;
}

const char *
smb_kernel_pool_printf(KernelPool *pool, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  g_autofree char *text = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  return smb_kernel_pool_text(pool, text, strlen(text));
}
