// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Splits of a warp against lanes that are looked at one by one: in random programs of control operations, what runs is
// what runs together lane by lane, step by step, until no lane can.
#include "sim/compiled/flow/split.h"

#include <string.h>

#include "tests/suite.h"

enum {
  N_BARRIERS = 3,
  N_SOUP = 14,       // operations of a program at random
  N_PROGRAMS = 3000, // of each kind
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

// The answer of a condition depends on the lane, and on what the lane did before.
static gboolean
choose(const Program *program, guint32 pc, guint lane, guint count) {
  guint32 hash = program->seed ^ (pc * 0x9e3779b9u) ^ (lane * 0x85ebca6bu) ^ (count * 0xc2b2ae35u);
  hash = (hash ^ hash >> 15) * 0x2c1b3c6du;
  hash = (hash ^ hash >> 12) * 0x297a2d39u;
  return (hash ^ hash >> 15) % 16 < program->op[pc].odds;
}

// Sets to gather: all, halves, every other lane.
static SmbLanes
get_wanted(const Program *program, guint32 which) {
  static const SmbLanes sets[] = {~(SmbLanes)0, G_GUINT64_CONSTANT(0x00ff00ff00ff00ff),
                                  G_GUINT64_CONSTANT(0x5555555555555555)};
  return sets[which % 3] & smb_lanes_below(program->n_lanes);
}

// --- with smb_splits

typedef struct {
  const Program *program;
  SmbSplits *splits;
  guint counts[SMB_MAX_LANES];
} Warp;

static SmbLanes
choose_lanes(const Warp *warp, guint32 pc) {
  SmbLanes chosen = 0;
  for (guint lane = 0; lane < SMB_MAX_LANES; lane++) {
    if (warp->splits->mask >> lane & 1 && choose(warp->program, pc, lane, warp->counts[lane]))
      chosen |= (SmbLanes)1 << lane;
  }
  return chosen;
}

static void
execute(Warp *warp, const Op *op, guint32 pc) {
  SmbSplits *splits = warp->splits;
  SmbLanes chosen = choose_lanes(warp, pc);
  guint32 targets[SMB_MAX_LANES];
  switch (op->code) {
  case OP_MARK:
    break;
  case OP_ARM:
    smb_splits_arm(splits, op->a);
    break;
  case OP_SYNC:
    smb_splits_sync(splits, op->a, splits->mask);
    break;
  case OP_BREAK:
    smb_splits_break(splits, op->a, chosen);
    break;
  case OP_BRANCH:
    smb_splits_branch(splits, chosen, op->a);
    break;
  case OP_JUMP:
    for (guint lane = 0; lane < SMB_MAX_LANES; lane++)
      targets[lane] = chosen >> lane & 1 ? op->a : op->b;
    smb_splits_jump(splits, targets);
    break;
  case OP_GATHER:
    if (chosen)
      smb_splits_gather(splits, chosen, get_wanted(warp->program, op->a));
    break;
  case OP_HOLD:
    if (chosen)
      smb_splits_hold(splits, chosen, op->a);
    break;
  case OP_EXIT:
    smb_splits_exit(splits, chosen);
    break;
  case OP_YIELD:
    smb_splits_yield(splits);
    break;
  }
}

// Lanes that have done enough exit; the rest execute the operation at pc.
static void
step_warp(Warp *warp) {
  SmbSplits *splits = warp->splits;
  guint32 pc = splits->pc;
  SmbLanes tired = 0, mask = splits->mask;
  for (guint lane = 0; lane < SMB_MAX_LANES; lane++) {
    if (mask >> lane & 1 && warp->counts[lane]++ >= LANE_OPS)
      tired |= (SmbLanes)1 << lane;
  }
  if (tired)
    smb_splits_exit(splits, tired);
  if (mask == tired)
    return;
  // Another split is chosen only if nothing is left of this one.
  require(splits->mask == (mask & ~tired) && splits->pc == pc);
  splits->pc = pc + 1;
  execute(warp, &warp->program->op[pc], pc);
}

// --- lane by lane

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

static gboolean
is_any_ready(const Lanes *lanes, gboolean runs) {
  for (guint i = 0; i < lanes->n; i++) {
    if (lanes->lane[i].state == 'r' && lanes->lane[i].runs == runs)
      return TRUE;
  }
  return FALSE;
}

// If no lane runs, all do that are ready where lane @first is, which the splits say is next.
static void
pick_lanes(Lanes *lanes, guint first) {
  if (is_any_ready(lanes, TRUE))
    return;
  for (guint pass = 0; pass < 2 && (pass == 0 || !is_any_ready(lanes, FALSE)); pass++) {
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
    team.chosen[i] = choose(lanes->program, pc, i, lane->count);
    team.n++;
    team.n_chosen += team.chosen[i];
    lane->pc = pc + 1;
  }
  return team;
}

// Gives way, if another lane is ready.
static void
give_way(Lanes *lanes) {
  if (!is_any_ready(lanes, FALSE))
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
    gather(lanes, team, get_wanted(lanes->program, op->a));
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

static void
step_lanes(Lanes *lanes, guint32 pc) {
  const Op *op = &lanes->program->op[pc];
  Team team = get_team(lanes, pc);
  if (team.n)
    execute_team(lanes, op, &team, pc);
}

// --- the two side by side

// Whether lane by lane everything is as the splits say.
static gboolean
is_same(const SmbSplits *splits, const Lanes *lanes) {
  static const char letters[] = "xrjgh";
  for (guint i = 0; i < lanes->n; i++) {
    const Lane *lane = &lanes->lane[i];
    guint32 pc;
    if (letters[smb_splits_lane(splits, i, &pc)] != lane->state ||
        (lane->state != 'x' && pc != lane->pc) || lane->runs != (gboolean)(splits->mask >> i & 1))
      return FALSE;
  }
  return is_any_ready(lanes, TRUE) || !is_any_ready(lanes, FALSE);
}

static guint
get_first(const SmbSplits *splits) {
  return splits->mask ? smb_lanes_first(splits->mask) : 0;
}

// Lets lanes that are held with the lowest number go on, in both.
static gboolean
release(SmbSplits *splits, Lanes *lanes) {
  for (guint number = 0; number < N_BARRIERS; number++) {
    SmbLanes held = 0;
    for (guint i = 0; i < lanes->n; i++) {
      if (lanes->lane[i].state == 'h' && lanes->lane[i].number == number) {
        held |= (SmbLanes)1 << i;
        lanes->lane[i].state = 'r';
      }
    }
    require(held == smb_splits_held(splits, number));
    smb_splits_release(splits, number, TRUE);
    if (!held)
      continue;
    pick_lanes(lanes, get_first(splits));
    return TRUE;
  }
  return FALSE;
}

static void
start_lanes(Lanes *lanes, const Program *program) {
  *lanes = (Lanes){.program = program, .kind = lanes->kind, .n = program->n_lanes};
  for (guint i = 0; i < lanes->n; i++) {
    lanes->lane[i].state = 'r';
    lanes->lane[i].runs = TRUE;
  }
}

// Runs a program to where no lane can run any more. Returns how often its last but one operation was executed.
static guint
compare_program(const Program *program, SmbSplits *splits, Lanes *lanes, guint which) {
  Warp warp = {.program = program, .splits = splits};
  guint ends = 0;
  start_lanes(lanes, program);
  smb_splits_start(splits, smb_lanes_below(program->n_lanes), 0);
  do {
    for (guint step = 0; splits->mask; step++) {
      guint32 pc = splits->pc;
      ends += pc == program->n - 2;
      step_warp(&warp);
      step_lanes(lanes, pc);
      pick_lanes(lanes, get_first(splits));
      ck_assert_msg(is_same(splits, lanes), "program %u, step %u, operation %u: %u", which, step,
                    pc, program->op[pc].code);
    }
  } while (release(splits, lanes));
  return ends;
}

// --- programs

static guint32
pick(GRand *random, guint32 below) {
  return (guint32)g_rand_int_range(random, 0, (gint32)below);
}

// Operations at random: most such programs wait for ever somewhere.
static void
make_soup(Program *program, GRand *random) {
  program->n = N_SOUP;
  for (guint32 i = 0; i < program->n; i++) {
    Op *op = &program->op[i];
    *op = (Op){.code = (Code)pick(random, OP_YIELD + 1), .odds = pick(random, 17)};
    gboolean goes = op->code == OP_BRANCH || op->code == OP_JUMP;
    op->a = pick(random, goes ? program->n : N_BARRIERS);
    op->b = pick(random, program->n);
  }
  program->op[program->n - 1] = (Op){.code = OP_EXIT, .odds = 16};
}

static guint32
emit(Program *program, Code code, guint32 a, guint odds) {
  program->op[program->n] = (Op){.code = code, .a = a, .odds = odds};
  return program->n++;
}

// Structured statements, with a barrier for each depth: all lanes are together again behind them.
static void
make_statements(Program *program, GRand *random, guint depth) {
  guint barrier = N_BARRIERS - depth;
  for (guint n = pick(random, 4); n > 0; n--) {
    guint32 kind = depth ? pick(random, 5) : 4;
    guint odds = pick(random, 17);
    guint32 branch, jump, top;
    if (kind < 4)
      emit(program, OP_ARM, barrier, 0);
    switch (kind) {
    case 0: // if, else
    case 1:
      branch = emit(program, OP_BRANCH, 0, odds);
      make_statements(program, random, depth - 1);
      jump = emit(program, OP_JUMP, 0, 16);
      program->op[branch].a = program->n;
      make_statements(program, random, depth - 1);
      program->op[jump].a = program->n;
      break;
    case 2: // do, while
      top = program->n;
      make_statements(program, random, depth - 1);
      emit(program, OP_BRANCH, top, MIN(odds, 12));
      break;
    case 3: // if, with an early exit
      branch = emit(program, OP_BRANCH, 0, odds);
      make_statements(program, random, depth - 1);
      emit(program, OP_EXIT, 0, 4);
      program->op[branch].a = program->n;
      break;
    default:
      emit(program, pick(random, 2) ? OP_MARK : OP_YIELD, 0, 0);
      break;
    }
    if (kind < 4)
      emit(program, OP_SYNC, barrier, 0);
  }
}

static Program *
make_program(GRand *random, gboolean structured) {
  Program *program = g_new0(Program, 1);
  program->seed = g_rand_int(random);
  program->n_lanes = pick(random, 4) ? 1 + pick(random, 8) : 1 + pick(random, SMB_MAX_LANES);
  if (!structured)
    make_soup(program, random);
  while (structured && program->n < 8) {
    program->n = 0;
    make_statements(program, random, N_BARRIERS);
    emit(program, OP_MARK, 0, 0);
    emit(program, OP_EXIT, 0, 16);
  }
  return program;
}

static void
compare_programs(gboolean structured, SmbBarriers kind, guint32 seed) {
  g_autoptr(GRand) random = g_rand_new_with_seed(seed);
  g_autoptr(SmbSplits) splits = smb_splits_new(kind);
  g_autofree Lanes *lanes = g_new0(Lanes, 1);
  lanes->kind = kind;
  guint ended = 0;
  for (guint i = 0; i < N_PROGRAMS; i++) {
    g_autofree Program *program = make_program(random, structured);
    guint ends = compare_program(program, splits, lanes, i);
    ck_assert_msg(!structured || (ends <= 1 && !splits->living), "program %u: %u ends", i, ends);
    ended += !splits->living;
  }
  // Programs that stop are among them, and programs that wait for ever unless they are structured.
  ck_assert_uint_gt(ended, N_PROGRAMS / 20);
  ck_assert(structured == (ended == N_PROGRAMS));
}

START_TEST(programs_at_random) {
  compare_programs(FALSE, (SmbBarriers)_i, 1);
}
END_TEST

START_TEST(structured_programs) {
  compare_programs(TRUE, (SmbBarriers)_i, 2);
}
END_TEST

// Half of a warp spins until the other half did what it waits for: it does when the first half gives way.
START_TEST(spinning) {
  g_autoptr(SmbSplits) splits = smb_splits_new(SMB_BARRIERS_OF_LANES);
  guint turns = 0;
  smb_splits_start(splits, 0xffff, 0);
  smb_splits_branch(splits, 0xff00, 10);
  ck_assert_uint_eq(splits->mask, 0xff);
  smb_splits_branch(splits, 0x000f, 20);
  for (guint32 seen = 0; seen != 0x7 && turns < 10; turns++) {
    seen |= splits->pc == 0 ? 1 : splits->pc == 10 ? 2 : 4;
    smb_splits_yield(splits);
  }
  ck_assert_uint_eq(turns, 3);
  ck_assert_uint_eq(splits->mask, 0xf0);
  smb_splits_exit(splits, splits->mask);
  smb_splits_exit(splits, splits->mask);
  ck_assert_uint_ne(splits->mask, 0);
  smb_splits_yield(splits); // alone: goes on
  ck_assert_uint_ne(splits->mask, 0);
  smb_splits_exit(splits, splits->mask);
  ck_assert_uint_eq(splits->mask, 0);
  ck_assert_uint_eq(splits->living, 0);
}
END_TEST

// As many splits as there are lanes, and back.
START_TEST(every_lane_alone) {
  g_autoptr(SmbSplits) splits = smb_splits_new(SMB_BARRIERS_OF_LANES);
  guint32 targets[SMB_MAX_LANES], pc;
  for (guint32 lane = 0; lane < SMB_MAX_LANES; lane++)
    targets[lane] = 100 + lane;
  smb_splits_start(splits, ~(SmbLanes)0, 7);
  smb_splits_arm(splits, 40);
  smb_splits_jump(splits, targets);
  ck_assert_uint_eq(smb_splits_lane(splits, 63, &pc), SMB_LANE_RUNS);
  ck_assert_uint_eq(pc, 163);
  for (guint n = 1; n <= SMB_MAX_LANES; n++) {
    ck_assert_uint_eq(smb_lanes_count(splits->mask), 1);
    splits->pc = 5;
    smb_splits_sync(splits, 40, splits->mask);
    ck_assert_uint_eq(smb_splits_lane(splits, 0, &pc),
                      n < SMB_MAX_LANES ? SMB_LANE_JOINS : SMB_LANE_RUNS);
  }
  ck_assert_uint_eq(splits->mask, ~(SmbLanes)0);
  ck_assert_uint_eq(splits->pc, 5);
  ck_assert_uint_eq(splits->armed[40], 0);
}
END_TEST

// Lanes that are held by one number do not go on with those of another; states are told.
START_TEST(held) {
  g_autoptr(SmbSplits) splits = smb_splits_new(SMB_BARRIERS_OF_LANES);
  guint32 pc;
  smb_splits_start(splits, 0xff, 1);
  smb_splits_hold(splits, 0x0f, 3);
  smb_splits_hold(splits, 0x30, 4);
  smb_splits_gather(splits, 0xc0, 0xc1);
  ck_assert_uint_eq(splits->mask, 0);
  ck_assert_uint_eq(smb_splits_held(splits, 3), 0x0f);
  ck_assert_uint_eq(smb_splits_held(splits, 4), 0x30);
  ck_assert_uint_eq(smb_splits_lane(splits, 7, &pc), SMB_LANE_GATHERS);
  ck_assert_uint_eq(smb_splits_lane(splits, 5, &pc), SMB_LANE_HELD);
  ck_assert_uint_eq(smb_splits_lane(splits, 8, &pc), SMB_LANE_EXITED);
  smb_splits_release(splits, 4, TRUE);
  ck_assert_uint_eq(splits->mask, 0x30);
  smb_splits_release(splits, 3, TRUE);
  ck_assert_uint_eq(splits->mask, 0x30);
  smb_splits_exit(splits, 0x30);
  ck_assert_uint_eq(splits->mask, 0x0f);
  // Lane 0 is the last one that is wanted: it leaves its split for the other one.
  smb_splits_gather(splits, 0x0f, 0xc1);
  ck_assert_uint_eq(splits->mask, 0x0e);
  ck_assert_uint_eq(splits->living, 0xcf);
  smb_splits_exit(splits, 0x0e);
  ck_assert_uint_eq(splits->mask, 0xc1);
  // Started again, nothing is left of it.
  smb_splits_arm(splits, 0);
  smb_splits_start(splits, 0x3, 0);
  ck_assert_uint_eq(splits->armed[0], 0);
  ck_assert_uint_eq(smb_splits_held(splits, 3), 0);
  // Held at one place, at different times: together they are one, else each goes on as it was.
  for (guint together = 0; together < 2; together++) {
    smb_splits_start(splits, 0xf, 1);
    smb_splits_fork(splits, 0xc, 1);
    smb_splits_hold(splits, 0x3, 3);
    smb_splits_hold(splits, 0xc, 3);
    smb_splits_release(splits, 3, together);
    ck_assert_uint_eq(splits->mask, together ? 0xf : 0x3);
    smb_splits_exit(splits, splits->mask);
    ck_assert_uint_eq(splits->mask, together ? 0 : 0xc);
  }
  smb_splits_free(NULL);
}
END_TEST

Suite *
suite_split(void) {
  Suite *suite = suite_create("split");
  TCase *tcase = tcase_create("split");
  tcase_add_loop_test(tcase, programs_at_random, 0, SMB_BARRIERS_IN_REGISTERS + 1);
  tcase_add_loop_test(tcase, structured_programs, 0, SMB_BARRIERS_IN_REGISTERS + 1);
  tcase_add_test(tcase, spinning);
  tcase_add_test(tcase, every_lane_alone);
  tcase_add_test(tcase, held);
  suite_add_tcase(suite, tcase);
  return suite;
}
