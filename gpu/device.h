// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The devices of this machine, and what is missing to measure on them: each part with its reason.
#pragma once

#include "gpu/cuda.h"

/** A device; @shared_per_block is the most shared memory of a block, in bytes, opted in; @l2_bytes its L2 cache. */
typedef struct {
  int index;
  char *name;
  guint capability_major;
  guint capability_minor;
  guint multiprocessors;
  gsize shared_per_block;
  gsize l2_bytes;
} SmbGpuDevice;

/**
 * SmbGpuPart: something that measuring needs.
 * @name: "CUDA runtime", "driver", "devices", "NVRTC", "CUPTI", or what was added
 * @usable: whether it is there and works
 * @detail: its version, or why it cannot be used: a sentence without its full stop
 */
typedef struct {
  const char *name;
  gboolean usable;
  char *detail;
} SmbGpuPart;

/**
 * SmbGpuInventory:
 * @devices: (element-type SmbGpuDevice)
 * @parts: (element-type SmbGpuPart): in the order in which they are needed
 */
typedef struct {
  GPtrArray *devices;
  GPtrArray *parts;
} SmbGpuInventory;

/** smb_gpu_inventory: Returns: (transfer full): what there is; nothing missing is an error */
SmbGpuInventory *smb_gpu_inventory(const SmbCuda *cuda);
void smb_gpu_inventory_free(SmbGpuInventory *inventory);

/**
 * smb_gpu_inventory_add: one more part, that was tried elsewhere
 * @name: (transfer none): lives as long as the program
 * @detail: (transfer full)
 */
void smb_gpu_inventory_add(SmbGpuInventory *inventory, const char *name, gboolean usable,
                           char *detail);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SmbGpuInventory, smb_gpu_inventory_free)
