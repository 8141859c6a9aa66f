// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Programs of control operations, and what lanes that are looked at one by one do in them: slow and obvious, to compare splits with.
#pragma once

#include "sim/exec/flow/split.h"

enum {
  N_BARRIERS = 3,
  MAX_OPS = 400,
  LANE_OPS = 60, // operations after which a lane exits
};

typedef enum {
  OP_MARK,   // nothing
  OP_ARM,    // barrier a
  OP_SYNC,   // at barrier a
  OP_BREAK,  // out of barrier a, the lanes that the condition chooses
  OP_BRANCH, // to a, the lanes that the condition chooses
  OP_JUMP,   // to a or b, as the condition says
  OP_GATHER, // the lanes of set a, those that the condition chooses
  OP_HOLD,   // with number a, the lanes that the condition chooses
  OP_EXIT,   // the lanes that the condition chooses
  OP_YIELD,
} Code;

typedef struct {
  Code code;
  guint32 a, b;
  guint odds; // of a condition, in 16ths
} Op;

typedef struct {
  Op op[MAX_OPS];
  guint32 n;
  guint32 seed;
  guint n_lanes;
} Program;

typedef struct {
  char state; // x exited, r ready or running, j joins, g gathers, h held
  guint32 pc;
  gboolean runs;
  gboolean waited; // comes from a barrier
  guint count;
  guint32 number;
  SmbLanes wanted;
  gboolean armed[N_BARRIERS];
  gboolean recorded[N_BARRIERS][SMB_MAX_LANES];
} Lane;

typedef struct {
  const Program *program;
  SmbBarriers kind;
  Lane lane[SMB_MAX_LANES];
  guint n;
} Lanes;

// The answer of a condition depends on the lane, and on what the lane did before.
gboolean split_choose(const Program *program, guint32 pc, guint lane, guint count);

// Sets to gather: all, halves, every other lane.
SmbLanes split_wanted(const Program *program, guint32 which);

void split_start_lanes(Lanes *lanes, const Program *program);

// The lanes at a place that run execute the operation there.
void split_step_lanes(Lanes *lanes, guint32 pc);

gboolean split_any_ready(const Lanes *lanes, gboolean runs);

// If no lane runs, all do that are ready where lane @first is, which the splits say is next.
void split_pick_lanes(Lanes *lanes, guint first);
