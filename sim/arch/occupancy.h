// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// How many blocks of a kernel can be resident on one multiprocessor at a time, by its shared memory, its
// threads and the block limit. Registers are not modelled: a compiler decides on them. So this is an
// upper bound, exact where registers do not limit.
#pragma once

#include <glib.h>

#include "sim/arch/forward.h"

G_BEGIN_DECLS

/** What keeps more blocks from being resident. */
typedef enum {
  SMB_OCCUPANCY_UNKNOWN, /* the architecture does not say */
  SMB_OCCUPANCY_BLOCKS,  /* the most blocks of a multiprocessor */
  SMB_OCCUPANCY_WARPS,   /* its most warps */
  SMB_OCCUPANCY_SHARED,  /* its shared memory */
} SmbOccupancyLimit;

/**
 * SmbOccupancy:
 * @known: whether the architecture has the numbers for it; nothing else is set if not
 * @blocks: resident blocks of one multiprocessor; 0: a block is too large
 * @warps: resident warps: @blocks times the warps of a block
 * @shared_bytes: shared memory that one block takes, with what is reserved for it and rounded up
 * @limit: what limits @blocks; of several the first in the order of the enumeration
 */
typedef struct {
  gboolean known;
  guint blocks;
  guint warps;
  guint64 shared_bytes;
  SmbOccupancyLimit limit;
} SmbOccupancy;

/**
 * smb_occupancy:
 * @threads: of a block
 * @shared_bytes: static and dynamic shared memory of a block
 *
 * Returns: what is resident on a multiprocessor that gives to shared memory as much as it can. That a
 *   block with more than SmbArchInfo.max_shared_bytes cannot be launched is seen: 0 blocks
 */
SmbOccupancy smb_occupancy(const SmbArch *arch, guint threads, guint64 shared_bytes);

/** "blocks", "warps", "shared memory" or "unknown" (transfer none). */
const char *smb_occupancy_limit_name(SmbOccupancyLimit limit);

G_END_DECLS
