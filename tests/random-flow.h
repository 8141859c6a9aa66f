// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Control-flow graphs at random, and what a warp does in them: how often each block is executed.
#pragma once

#include "sim/exec/flow/converge.h"
#include "sim/exec/flow/split.h"

enum {
  FLOW_MAX_BLOCKS = 120,
  FLOW_LANES = 32,
};

typedef enum {
  FLOW_STRUCTURED, // ifs with && and ||, loops, break, continue, switch, early returns
  FLOW_GOTO,       // with jumps ahead, to anywhere
  FLOW_TANGLED,    // any block may go on in any other
} FlowKind;

// A function whose block i counts its executions, and then chooses one of its successors, by number: the one that @lane
// takes when it is in @block for the @visit-th time, from 0.
typedef struct _Flow Flow;
struct _Flow {
  guint32 seed;
  guint32 n;
  SmbFlowBlock block[FLOW_MAX_BLOCKS];
  guint32 successors[FLOW_MAX_BLOCKS][2];
  guint32 (*choose)(const Flow *flow, guint32 block, guint32 lane, guint32 visit);
};

// Lanes choose at random, after some visits mostly what is farthest on: they exit sooner or later (transfer full, as
// all flows for g_free()).
Flow *flow_new_random(guint32 seed, FlowKind kind);

// The successors of each block as text: "1,2 2 -" has three blocks; x is an exit, - none (transfer full).
Flow *flow_new_parsed(const char *text);

typedef struct {
  guint64 executed[FLOW_MAX_BLOCKS]; // by warps
  guint64 visits[FLOW_MAX_BLOCKS];   // by lanes
  SmbLanes stuck;                    // lanes that wait for ever
} FlowCounts;

void flow_run(const Flow *flow, const SmbConvergence *convergence, FlowCounts *counts);
