// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
#include "tests/split-lanes.h"

gboolean
split_choose(const Program *program, guint32 pc, guint lane, guint count) {
  guint32 hash = program->seed ^ (pc * 0x9e3779b9u) ^ (lane * 0x85ebca6bu) ^ (count * 0xc2b2ae35u);
  hash = (hash ^ hash >> 15) * 0x2c1b3c6du;
  hash = (hash ^ hash >> 12) * 0x297a2d39u;
  return (hash ^ hash >> 15) % 16 < program->op[pc].odds;
}

SmbLanes
split_wanted(const Program *program, guint32 which) {
  static const SmbLanes sets[] = {~(SmbLanes)0, G_GUINT64_CONSTANT(0x00ff00ff00ff00ff),
                                  G_GUINT64_CONSTANT(0x5555555555555555)};
  return sets[which % 3] & smb_lanes_below(program->n_lanes);
}

// The lanes that execute an operation together, and what the condition answers for them.
typedef struct {
  gboolean member[SMB_MAX_LANES];
  gboolean chosen[SMB_MAX_LANES];
  guint n;
  guint n_chosen;
} Team;

// The lanes that wait for the same as this one.
static gboolean
is_company(const Lane *a, const Lane *b) {
  if (a->state != b->state)
    return FALSE;
  if (a->state == 'g')
    return a->wanted == b->wanted;
  return a->state == 'j' && a->number == b->number &&
         memcmp(a->recorded[a->number], b->recorded[a->number], sizeof a->recorded[0]) == 0;
}

// Whether a lane waits for another one, which has not exited.
static gboolean
is_needed(const Lanes *lanes, const Lane *waiting, guint other) {
  if (lanes->lane[other].state == 'x')
    return FALSE;
  if (waiting->state == 'g')
    return waiting->wanted >> other & 1;
  return waiting->recorded[waiting->number][other];
}

// Whether all are there for whom a lane waits; for nobody: @empty.
static gboolean
can_go_on(const Lanes *lanes, const Lane *waiting, gboolean empty) {
  gboolean any = FALSE;
  if (waiting->state != 'j' && waiting->state != 'g')
    return FALSE;
  for (guint i = 0; i < lanes->n; i++) {
    if (is_needed(lanes, waiting, i) && !is_company(waiting, &lanes->lane[i]))
      return FALSE;
    any |= is_needed(lanes, waiting, i);
  }
  return any || empty;
}

// Those of the company of a lane go on for whom it waits; if there are none, all.
static void
go_on(Lanes *lanes, guint first) {
  Lane model = lanes->lane[first];
  gboolean company[SMB_MAX_LANES], needed[SMB_MAX_LANES], any = FALSE;
  for (guint i = 0; i < lanes->n; i++) {
    company[i] = is_company(&model, &lanes->lane[i]);
    needed[i] = is_needed(lanes, &model, i);
    any |= needed[i];
  }
  for (guint i = 0; i < lanes->n; i++) {
    Lane *lane = &lanes->lane[i];
    if (model.state == 'j' && lanes->kind == SMB_BARRIERS_IN_REGISTERS)
      memset(lane->recorded[model.number], 0, sizeof lane->recorded[0]);
    if (model.state == 'j' && company[i])
      lane->armed[model.number] = FALSE;
    if (company[i] && (needed[i] || !any)) {
      lane->state = 'r';
      lane->waited = TRUE;
    }
  }
}

gboolean
split_any_ready(const Lanes *lanes, gboolean runs) {
  for (guint i = 0; i < lanes->n; i++) {
    if (lanes->lane[i].state == 'r' && lanes->lane[i].runs == runs)
      return TRUE;
  }
  return FALSE;
}

void
split_pick_lanes(Lanes *lanes, guint first) {
  if (split_any_ready(lanes, TRUE))
    return;
  for (guint pass = 0; pass < 2 && (pass == 0 || !split_any_ready(lanes, FALSE)); pass++) {
    for (guint i = 0; i < lanes->n; i++) {
      if (can_go_on(lanes, &lanes->lane[i], pass > 0))
        go_on(lanes, i);
    }
  }
  const Lane *model = &lanes->lane[first];
  for (guint i = 0; i < lanes->n; i++) {
    Lane *lane = &lanes->lane[i];
    lane->runs = lane->state == 'r' && lane->pc == model->pc && lane->waited == model->waited;
  }
}

// What one lane records in a register is recorded for all.
static void
arm(Lanes *lanes, const Team *team, guint barrier) {
  for (guint i = 0; i < lanes->n; i++) {
    Lane *lane = &lanes->lane[i];
    if (lanes->kind == SMB_BARRIERS_OF_LANES && !team->member[i])
      continue;
    lane->armed[barrier] = team->member[i];
    memcpy(lane->recorded[barrier], team->member, sizeof team->member);
  }
}

static void
break_out(Lanes *lanes, const Team *team, guint barrier) {
  gboolean told[SMB_MAX_LANES] = {FALSE}, leaves[SMB_MAX_LANES] = {FALSE};
  for (guint i = 0; i < lanes->n; i++) {
    leaves[i] = team->chosen[i] && lanes->lane[i].armed[barrier];
    for (guint j = 0; leaves[i] && j < lanes->n; j++)
      told[j] |= lanes->kind == SMB_BARRIERS_IN_REGISTERS || lanes->lane[i].recorded[barrier][j];
  }
  for (guint i = 0; i < lanes->n; i++) {
    if (leaves[i])
      lanes->lane[i].armed[barrier] = FALSE;
    for (guint j = 0; told[i] && j < lanes->n; j++)
      lanes->lane[i].recorded[barrier][j] &= !leaves[j];
  }
}

// Lanes that have armed a barrier wait, and the others stop behind it; unless the team is all there is, or none has armed it.
static void
meet(Lanes *lanes, const Team *team, guint barrier) {
  gboolean all = TRUE, any = FALSE;
  for (guint i = 0; i < lanes->n; i++) {
    all &= team->member[i] || lanes->lane[i].state == 'x';
    any |= team->member[i] && lanes->lane[i].armed[barrier];
  }
  for (guint i = 0; any && i < lanes->n; i++) {
    Lane *lane = &lanes->lane[i];
    if (all || !team->member[i]) {
      lane->armed[barrier] &= !all;
      continue;
    }
    lane->runs = FALSE;
    lane->waited = TRUE;
    lane->state = lane->armed[barrier] ? 'j' : 'r';
    lane->number = barrier;
  }
}

// The running lanes go to @a or to @b; those that do not go where @first goes are ready there.
static void
part(Lanes *lanes, const Team *team, guint32 a, guint32 b, guint32 first) {
  for (guint i = 0; i < lanes->n; i++) {
    Lane *lane = &lanes->lane[i];
    if (!team->member[i])
      continue;
    lane->pc = team->chosen[i] ? a : b;
    lane->runs = lane->pc == first;
    lane->waited = FALSE;
  }
}

static void
gather(Lanes *lanes, const Team *team, SmbLanes wanted) {
  gboolean complete = TRUE;
  for (guint i = 0; i < lanes->n; i++)
    complete &= !(wanted >> i & 1) || team->member[i] || lanes->lane[i].state == 'x';
  for (guint i = 0; i < lanes->n && !complete; i++) {
    Lane *lane = &lanes->lane[i];
    if (!team->chosen[i] || !(wanted >> i & 1))
      continue;
    lane->state = 'g';
    lane->runs = FALSE;
    lane->wanted = wanted;
  }
}

// The chosen lanes are held, or exit.
static void
stop(Lanes *lanes, const Team *team, const Op *op) {
  for (guint i = 0; i < lanes->n; i++) {
    Lane *lane = &lanes->lane[i];
    if (!team->chosen[i])
      continue;
    lane->state = op->code == OP_EXIT ? 'x' : 'h';
    lane->runs = lane->waited = FALSE;
    lane->number = op->a;
  }
}

// The lanes that execute an operation now: those that have done enough exit.
static Team
get_team(Lanes *lanes, guint32 pc) {
  Team team = {0};
  for (guint i = 0; i < lanes->n; i++) {
    Lane *lane = &lanes->lane[i];
    if (!lane->runs)
      continue;
    if (lane->count++ >= LANE_OPS) {
      lane->state = 'x';
      lane->runs = FALSE;
      continue;
    }
    team.member[i] = TRUE;
    team.chosen[i] = split_choose(lanes->program, pc, i, lane->count);
    team.n++;
    team.n_chosen += team.chosen[i];
    lane->pc = pc + 1;
  }
  return team;
}

// Gives way, if another lane is ready.
static void
give_way(Lanes *lanes) {
  if (!split_any_ready(lanes, FALSE))
    return;
  for (guint i = 0; i < lanes->n; i++)
    lanes->lane[i].waited &= !lanes->lane[i].runs;
  for (guint i = 0; i < lanes->n; i++)
    lanes->lane[i].runs = FALSE;
}

static void
execute_team(Lanes *lanes, const Op *op, const Team *team, guint32 pc) {
  guint first = 0;
  while (!team->member[first])
    first++;
  switch (op->code) {
  case OP_ARM:
    arm(lanes, team, op->a);
    break;
  case OP_SYNC:
    meet(lanes, team, op->a);
    break;
  case OP_BREAK:
    break_out(lanes, team, op->a);
    break;
  case OP_BRANCH: { // the fewer first
    gboolean taken = team->n_chosen && team->n_chosen < team->n - team->n_chosen;
    part(lanes, team, op->a, pc + 1, taken || team->n_chosen == team->n ? op->a : pc + 1);
    break;
  }
  case OP_JUMP:
    part(lanes, team, op->a, op->b, team->chosen[first] ? op->a : op->b);
    break;
  case OP_GATHER:
    gather(lanes, team, split_wanted(lanes->program, op->a));
    break;
  case OP_HOLD:
  case OP_EXIT:
    stop(lanes, team, op);
    break;
  case OP_YIELD:
    give_way(lanes);
    break;
  case OP_MARK:
    break;
  }
}

void
split_step_lanes(Lanes *lanes, guint32 pc) {
  const Op *op = &lanes->program->op[pc];
  Team team = get_team(lanes, pc);
  if (team.n)
    execute_team(lanes, op, &team, pc);
}

void
split_start_lanes(Lanes *lanes, const Program *program) {
  *lanes = (Lanes){.program = program, .kind = lanes->kind, .n = program->n_lanes};
  for (guint i = 0; i < lanes->n; i++) {
    lanes->lane[i].state = 'r';
    lanes->lane[i].runs = TRUE;
  }
}
