// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Resident blocks: the limit of each resource, and the smallest of them.
#include "sim/arch/arch.h"
#include "sim/arch/occupancy.h"

SmbOccupancy
smb_occupancy(const SmbArch *arch, guint threads, guint64 shared_bytes) {
  const SmbArchInfo *info = smb_arch_info(arch);
  SmbOccupancy result = {.known = info->sm_shared_bytes != 0};
  if (!result.known)
    return result;
  guint64 unit = info->shared_unit_bytes;
  guint warps = smb_arch_warps(arch, threads);
  result.shared_bytes = (shared_bytes + info->block_reserved_bytes + unit - 1) / unit * unit;
  result.blocks = info->sm_blocks;
  result.limit = SMB_OCCUPANCY_BLOCKS;

  guint64 by_warps = threads > info->max_threads ? 0 : info->sm_warps / MAX(warps, 1);
  if (by_warps < result.blocks) {
    result.blocks = (guint)by_warps;
    result.limit = SMB_OCCUPANCY_WARPS;
  }
  guint64 by_shared = G_MAXUINT64;
  if (shared_bytes > info->max_shared_bytes)
    by_shared = 0;
  else if (result.shared_bytes)
    by_shared = info->sm_shared_bytes / result.shared_bytes;
  if (by_shared < result.blocks) {
    result.blocks = (guint)by_shared;
    result.limit = SMB_OCCUPANCY_SHARED;
  }
  result.warps = result.blocks * warps;
  return result;
}

const char *
smb_occupancy_limit_name(SmbOccupancyLimit limit) {
  static const char *const names[] = {"unknown", "blocks", "warps", "shared memory"};
  return names[limit];
}
