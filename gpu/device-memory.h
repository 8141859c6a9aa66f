// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Memory of the device that is released when its owner goes, and errors of CUDA as errors of GLib.
#pragma once

#include "gpu/cuda.h"

/**
 * smb_gpu_check:
 * @result: what a function of @cuda returned
 * @what: what it was to do, as in "launch the kernel"
 * @error: SMB_GPU_ERROR_LAUNCH
 *
 * Returns: whether @result is a success
 */
gboolean smb_gpu_check(const SmbCuda *cuda, int result, const char *what, GError **error);

/** Memory of the device: begins as {cuda}; address 0: none. */
typedef struct {
  const SmbCuda *cuda;
  guint64 address;
  gsize bytes;
} SmbGpuMemory;

/** smb_gpu_memory_allocate: takes @bytes, at least one */
gboolean smb_gpu_memory_allocate(SmbGpuMemory *memory, gsize bytes, GError **error);

/** smb_gpu_memory_upload: takes as many bytes as there is @data, which is copied */
gboolean smb_gpu_memory_upload(SmbGpuMemory *memory, gconstpointer data, gsize bytes,
                               GError **error);

/** smb_gpu_memory_download: waits for all launches, reports their first error, and copies */
gboolean smb_gpu_memory_download(const SmbGpuMemory *memory, gpointer data, gsize bytes,
                                 GError **error);

void smb_gpu_memory_clear(SmbGpuMemory *memory);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SmbGpuMemory, smb_gpu_memory_clear)
