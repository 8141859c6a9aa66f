// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Loops over the lanes of a warp, whose number is known when a block is made. They go row by row: a compiler turns a
// loop of a known length into vector code.
#pragma once

#include "sim/base/request.h"

// Every warp has whole rows of lanes.
enum {
  ROW_LANES = 32
};

// Executes a statement for each lane below @n_lanes, a multiple of ROW_LANES.
#define EACH_LANE(n_lanes, ...)                                                                    \
  for (gsize row = 0; row < (n_lanes); row += ROW_LANES)                                           \
    for (gsize in_row = 0, lane = row; in_row < ROW_LANES; in_row++, lane++)                       \
  __VA_ARGS__

// The lanes whose value of 4 bytes is not 0.
static inline SmbLanes
find_set_lanes(guint n, const guint32 *values) {
  static const guint32 bit[ROW_LANES] = {SMB_LANE_BITS};
  SmbLanes set = 0;
  for (guint row = 0; row < n; row += ROW_LANES) {
    guint32 bits = 0;
    for (guint lane = 0; lane < ROW_LANES; lane++)
      bits |= values[row + lane] ? bit[lane] : 0;
    set |= (SmbLanes)bits << row;
  }
  return set;
}
