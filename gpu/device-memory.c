// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Copies to and from device memory, with errors that name what was done.
#include "gpu/device-memory.h"

#include "gpu/error.h"

gboolean
smb_gpu_check(const SmbCuda *cuda, int result, const char *what, GError **error) {
  if (result == SMB_CUDA_SUCCESS)
    return TRUE;
  return smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_LAUNCH, "could not %s: %s", what,
                  cuda->error_text(result));
}

gboolean
smb_gpu_memory_allocate(SmbGpuMemory *memory, gsize bytes, GError **error) {
  int result = memory->cuda->allocate(MAX(bytes, 1), &memory->address);
  if (result != SMB_CUDA_SUCCESS) {
    memory->address = 0;
    return smb_fail(error, SMB_GPU_ERROR, SMB_GPU_ERROR_LAUNCH,
                    "could not allocate %" G_GSIZE_FORMAT " bytes on the GPU: %s", bytes,
                    memory->cuda->error_text(result));
  }
  memory->bytes = bytes;
  return TRUE;
}

gboolean
smb_gpu_memory_upload(SmbGpuMemory *memory, gconstpointer data, gsize bytes, GError **error) {
  return smb_gpu_memory_allocate(memory, bytes, error) &&
         (bytes == 0 ||
          smb_gpu_check(memory->cuda, memory->cuda->upload(memory->address, data, bytes),
                        "copy data to the GPU", error));
}

gboolean
smb_gpu_memory_download(const SmbGpuMemory *memory, gpointer data, gsize bytes, GError **error) {
  const SmbCuda *cuda = memory->cuda;
  return smb_gpu_check(cuda, cuda->synchronize(), "run the kernel", error) &&
         (bytes == 0 || smb_gpu_check(cuda, cuda->download(data, memory->address, bytes),
                                      "copy data from the GPU", error));
}

void
smb_gpu_memory_clear(SmbGpuMemory *memory) {
  if (memory->address)
    memory->cuda->release(memory->address);
  memory->address = 0;
}
