// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Products of matrices of a warpgroup (wgmma). Each of its four warps occupies the tensor cores of its sub-partition while it goes on; what
// is in shared memory is read once for all four, a line a cycle of the pipe that loads and stores take (an H200: 128 loads and a product that
// reads 32 lines take 160 cycles).
//
// Not modelled: that the four warps begin together.
#include "sim/time/replay/multiprocessor-impl.h"

double
smb_product_issue(Multiprocessor *sm, double *pipe, TimedWarp *warp, const SmbTiming *timing,
                  double now) {
  const SmbChip *chip = sm->chip;
  double cycles = chip->rate[timing->rate] * timing->repeats;
  double begin = MAX(now, *pipe);
  double lines = (double)timing->lines / N_PARTITIONS;
  sm->lsu = MAX(begin, sm->lsu) + lines;
  sm->busy[SMB_UNIT_SHARED] += lines;
  double end = MAX(begin + cycles, sm->lsu);
  *pipe = MAX(end, begin + chip->group_least);
  double latency = timing->has_left ? chip->group_left_latency : chip->group_latency;
  warp->products = MAX(warp->products, end + latency);
  sm->end = MAX(sm->end, warp->products);
  if (timing->board == SMB_GROUP_BOARD)
    smb_board_open(&warp->boards[SMB_GROUP_BOARD], now, warp->products, SMB_STALL_BARRIER);
  return cycles;
}
