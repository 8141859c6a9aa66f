// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What the implementations of the counter share: choosing the plan of a request and turning the
// passes of its lane groups into the result. Private to sim/wavefront*.c.
#pragma once

#include "sim/wavefront.h"

// What an implementation finds out about one request under one plan.
typedef struct {
  guint group_passes; // sum over the lane groups of the most passes that one of its banks needs
  guint groups;       // lane groups that hold an active lane
  guint degree;       // most distinct words that one group asks of one bank
} Passes;

static inline SmbWavefronts
finish_count(const SmbPlan *plan, Passes passes) {
  SmbWavefronts result;
  result.wavefronts = passes.group_passes * plan->passes;
  result.ideal = passes.groups * plan->passes;
  result.excess = result.wavefronts - result.ideal;
  result.degree = passes.degree;
  guint32 cycles = result.wavefronts * plan->cycles;
  result.cycles = passes.groups == 0 ? 0 : MAX(cycles, (guint32)plan->floor);
  return result;
}

// Number of lane groups that hold one of @lanes.
static inline guint
count_groups(guint32 lanes, guint group_shift) {
  switch (group_shift) {
  case 5:
    return lanes != 0;
  case 4:
    return ((lanes & 0xffffu) != 0) + ((lanes >> 16) != 0);
  default: {
    guint32 spread = lanes | lanes >> 4;
    spread |= spread >> 2;
    spread |= spread >> 1;
    return (guint)__builtin_popcount(spread & 0x01010101u);
  }
  }
}

typedef void (*CountSpan)(const SmbArch *arch, const SmbRequest *requests, gsize n,
                          SmbWavefronts *out);

void smb_count_span_portable(const SmbArch *arch, const SmbRequest *requests, gsize n,
                             SmbWavefronts *out);

// Counts one request with any plan: what the vector versions leave to the portable one.
Passes smb_count_passes_portable(const SmbPlan *plan, const SmbRequest *request);
