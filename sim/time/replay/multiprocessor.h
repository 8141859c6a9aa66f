// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The clock of one multiprocessor. It replays what blocks executed (sim/time/record/block-record.h).
//
// Each of its four sub-partitions issues an instruction a cycle: of the warp that it issued last if that is ready and did not give way, else of
// the oldest block that has one. In a block, warps take turns: one that waits for a result, or gives way, goes behind the others (an H200:
// tests/gpu/time/turns.cu). When a warp is ready stands in its code (sim/program/timing.h). An instruction is issued once its pipe is
// free or, if it goes to what the sub-partitions share, once there is room in the sub-partition's queue. Two banks of registers read
// its operands; until they are through, nothing else is issued. Shared memory and the first-level cache have one pipe, which serves a
// wavefront a cycle, in the order in which requests were issued. A request of global memory looks up its lines in the first-level cache.
// What that lacks takes its share of the bandwidth of the second-level cache and, as far as the footprint of the launch says, of DRAM.
// A barrier releases a block's warps when all have arrived. A block that ends makes room for the next one.
//
// Everything that an instruction waits for is reserved when it is issued, so a resource is a time at which it is free again, and nothing
// is looked at cycle by cycle where no warp is ready.
//
// Not modelled: code that is fetched again, the order in which the pipe takes requests of
// different sub-partitions, constant caches that miss, translations of addresses that miss, contention of multiprocessors for slices of the
// second-level cache.
#pragma once

#include <glib.h>

#include "sim/program/program.h"
#include "sim/time/dram/footprint.h"

G_BEGIN_DECLS

enum {
  SMB_MAX_TIMED_WARPS = 64, // that are resident at a time
};

/** Units that may limit a launch. */
typedef enum {
  SMB_UNIT_ISSUE,  /* the slots of the sub-partitions */
  SMB_UNIT_SHARED, /* the pipe of shared memory and the first-level cache */
  SMB_UNIT_L1, /* the same pipe: the one of both that uses it more is as busy as the pipe, the other one for its own part; or its look-up of lines, if that works more */
  SMB_UNIT_FMA,
  SMB_UNIT_ALU,
  SMB_UNIT_FP64,
  SMB_UNIT_XU,
  SMB_UNIT_TENSOR,
  SMB_UNIT_UNIFORM,
  SMB_UNIT_L2,
  SMB_UNIT_DRAM,
  SMB_UNIT_CLUSTER, /* the port to the shared memory of other blocks */
  SMB_UNIT_TEXTURES,
  SMB_UNIT_PCIE,     /* the way to the memory of the host, in the direction that has more to do */
  SMB_UNIT_LAUNCHES, /* what hands out blocks, to all multiprocessors together */
  SMB_N_UNITS,
} SmbUnit;

/** What warps wait for, as Nsight Compute calls it ("Warp Stall Reasons"). */
typedef enum {
  SMB_STALL_SELECTED, /* none: it is issued */
  SMB_STALL_WAIT,
  SMB_STALL_BARRIER,
  SMB_STALL_SHORT_SCOREBOARD,
  SMB_STALL_LONG_SCOREBOARD,
  SMB_STALL_MATH,
  SMB_STALL_MIO,
  SMB_STALL_NOT_SELECTED,
  SMB_STALL_NO_INSTRUCTION,
  SMB_STALL_DISPATCH,
  SMB_STALL_DRAIN, // after its last instruction, for what it asked for
  SMB_N_STALLS,
} SmbStall;

/**
 * SmbReplay: what a multiprocessor is given
 * @records: (element-type SmbBlockRecord): blocks; the n-th that it gets is a copy of one of these, in turns
 * @n_blocks: that it gets in all
 * @resident: of them at a time
 * @shared_bytes: that these take of the first-level cache
 * @footprint: which of its loads and stores DRAM has to serve
 * @grid: blocks of the launch, by dimension
 * @working: multiprocessors that ask as much of what all share as this one, at most; 0: all that get blocks
 * @is_warm: the second-level cache has what is loaded
 * @relieved: (nullable) (array): by site: it has no conflicts
 * @moments: (nullable) (inout) (element-type array of double): by warp of the first block: when it issues each of its instructions
 * @ends: (nullable) (inout) (element-type double): when blocks have ended, one after the other
 * @max_instructions: that are replayed; after that the rest is taken to go on as before
 * @max_warp_events: instructions of each warp that are replayed, from its first; 0: all of its record
 * @is_cancelled: (nullable): asked with @user now and then whether to stop: what is found then means nothing
 */
typedef struct {
  const SmbProgram *program;
  const SmbChip *chip;
  double clock_khz;
  const GPtrArray *records;
  guint64 n_blocks;
  guint resident;
  guint64 shared_bytes;
  const SmbFootprint *footprint;
  const guint *grid;
  double working;
  gboolean is_warm;
  const guint8 *relieved;
  GPtrArray *moments;
  GArray *ends;
  guint64 max_instructions;
  guint max_warp_events;
  gboolean (*is_cancelled)(gpointer user);
  gpointer user;
} SmbReplay;

/**
 * SmbReplayed:
 * @cycles: from the first block to the end of the last
 * @busy: of each unit, which part of that
 * @stalls: cycles of warps, by reason
 * @blocks, @instructions: that were replayed
 * @simulated: cycles that these took
 */
typedef struct {
  double cycles;
  double busy[SMB_N_UNITS];
  double stalls[SMB_N_STALLS];
  guint64 blocks;
  guint64 instructions;
  double simulated;
} SmbReplayed;

/** smb_replay_warp_events: Returns: how many of the @n instructions of a warp are replayed */
static inline guint
smb_replay_warp_events(const SmbReplay *replay, guint n) {
  return replay->max_warp_events ? MIN(n, replay->max_warp_events) : n;
}

/** smb_multiprocessor_replay: Returns: how long it takes */
SmbReplayed smb_multiprocessor_replay(const SmbReplay *replay);

/** "shared memory", "L2", …, as texts and JSON name it (transfer none). */
const char *smb_unit_name(SmbUnit unit);
/** "short_scoreboard", …, as Nsight Compute and JSON name it (transfer none). */
const char *smb_stall_name(SmbStall stall);

G_END_DECLS
