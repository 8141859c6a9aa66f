// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// Splits of a warp against lanes that are looked at one by one: in random programs of control operations, what runs is
// what runs together lane by lane, step by step, until no lane can.
#include "sim/exec/flow/split.h"

#include <string.h>

#include "tests/effort.h"
#include "tests/split-lanes.h"
#include "tests/suite.h"

enum {
  N_SOUP = 14,       // operations of a program at random
  N_PROGRAMS = 3000, // of each kind
};

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
    if (warp->splits->mask >> lane & 1 && split_choose(warp->program, pc, lane, warp->counts[lane]))
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
      smb_splits_gather(splits, chosen, split_wanted(warp->program, op->a));
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
  ck_assert(splits->mask == (mask & ~tired) && splits->pc == pc);
  splits->pc = pc + 1;
  execute(warp, &warp->program->op[pc], pc);
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
  return split_any_ready(lanes, TRUE) || !split_any_ready(lanes, FALSE);
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
    ck_assert(held == smb_splits_held(splits, number));
    smb_splits_release(splits, number, TRUE);
    if (!held)
      continue;
    split_pick_lanes(lanes, get_first(splits));
    return TRUE;
  }
  return FALSE;
}

// Runs a program to where no lane can run any more. Returns how often its last but one operation was executed.
static guint
compare_program(const Program *program, SmbSplits *splits, Lanes *lanes, guint which) {
  Warp warp = {.program = program, .splits = splits};
  guint ends = 0;
  split_start_lanes(lanes, program);
  smb_splits_start(splits, smb_lanes_below(program->n_lanes), 0);
  do {
    for (guint step = 0; splits->mask; step++) {
      guint32 pc = splits->pc;
      ends += pc == program->n - 2;
      step_warp(&warp);
      split_step_lanes(lanes, pc);
      split_pick_lanes(lanes, get_first(splits));
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
  guint ended = 0, n_programs = effort(N_PROGRAMS);
  for (guint i = 0; i < n_programs; i++) {
    g_autofree Program *program = make_program(random, structured);
    guint ends = compare_program(program, splits, lanes, i);
    ck_assert_msg(!structured || (ends <= 1 && !splits->living), "program %u: %u ends", i, ends);
    ended += !splits->living;
  }
  // Programs that stop are among them, and programs that wait for ever unless they are structured.
  ck_assert_uint_gt(ended, n_programs / 20);
  ck_assert(structured == (ended == n_programs));
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

// Lanes that wait at a barrier may go on without those that they wait for, some of them alone; the others then wait for them no longer.
START_TEST(parted) {
  static const SmbBarriers kinds[] = {SMB_BARRIERS_OF_LANES, SMB_BARRIERS_IN_REGISTERS};
  g_autoptr(SmbSplits) splits = smb_splits_new(kinds[_i]);
  smb_splits_start(splits, 0xf, 1);
  smb_splits_arm(splits, 0);
  smb_splits_branch(splits, 0x3, 9); // these wait first, at 9
  if (splits->mask != 0x3)
    smb_splits_yield(splits);
  ck_assert_uint_eq(splits->mask, 0x3);
  smb_splits_sync(splits, 0, splits->mask);
  ck_assert_uint_eq(splits->mask, 0xc);
  ck_assert_uint_eq(smb_splits_joining(splits), 0x3);
  smb_splits_hold(splits, 0xc, 5);
  ck_assert_uint_eq(splits->mask, 0);
  smb_splits_part(splits, 0x1);
  ck_assert_uint_eq(splits->mask, 0x1);
  ck_assert_uint_eq(splits->pc, 9);
  ck_assert_uint_eq(smb_splits_joining(splits), 0x2);
  smb_splits_exit(splits, 0x1);
  ck_assert_uint_eq(splits->mask, 0);
  smb_splits_release(splits, 5, TRUE);
  ck_assert_uint_eq(splits->mask, 0xc);
  splits->pc = 9;
  smb_splits_sync(splits, 0, splits->mask);
  ck_assert_uint_eq(splits->mask, 0xe); // with the one that stayed
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

// --- lanes that give way

typedef enum {
  DO_NOTHING,
  DO_END,
  DO_ARM,
  DO_BRANCH,
  DO_JUMP,
  DO_GIVE_WAY,
  DO_SYNC,
  DO_MARK
} Does;

typedef struct {
  Does does;
  guint argument; // a barrier, a target, or the number of a mark
  SmbLanes taken; // of a branch
} Instruction;

static void
execute_instruction(SmbSplits *splits, const Instruction *instruction) {
  switch (instruction->does) {
  case DO_END:
    smb_splits_exit(splits, splits->mask);
    break;
  case DO_ARM:
    smb_splits_arm(splits, instruction->argument);
    break;
  case DO_BRANCH:
    smb_splits_branch(splits, instruction->taken & splits->mask, instruction->argument);
    break;
  case DO_JUMP:
    splits->pc = instruction->argument;
    break;
  case DO_GIVE_WAY:
    smb_splits_give_way(splits);
    break;
  case DO_SYNC:
    smb_splits_sync(splits, instruction->argument, splits->mask);
    break;
  case DO_NOTHING:
  case DO_MARK:
    break;
  }
}

// Which lanes come to marks together, in this order: "1:fffffffe 1:00000001".
static void
check_marks(const Instruction *code, const char *expected) {
  SmbSplits *splits = smb_splits_new(SMB_BARRIERS_IN_REGISTERS);
  g_autoptr(GString) marks = g_string_new(NULL);
  smb_splits_start(splits, smb_lanes_below(SMB_NVIDIA_LANES), 0);
  while (splits->mask) {
    const Instruction *instruction = &code[splits->pc++];
    if (instruction->does == DO_MARK)
      g_string_append_printf(marks, "%s%u:%08x", marks->len ? " " : "", instruction->argument,
                             (guint)splits->mask);
    execute_instruction(splits, instruction);
  }
  smb_splits_free(splits);
  ck_assert_str_eq(marks->str, expected);
}

// What an H200 executed (2026-11-28) of kernels into whose machine code YIELD was put: activemask behind barriers of
// convergence, in the order of the clock. On one side of a branch, or on both.
START_TEST(gives_way) {
  static const struct {
    SmbLanes gives;
    const char *one_side, *both_sides;
  } cases[] = {
      {0x00000001, "1:fffffffe 1:00000001", "1:00000001 1:fffffffe"},
      {0x80000000, "1:7fffffff 1:80000000", "1:80000000 1:7fffffff"},
      {0x000000ff, "1:ffffff00 1:000000ff", "1:000000ff 1:ffffff00"},
      {0x0000ffff, "1:ffff0000 1:0000ffff", "1:0000ffff 1:ffff0000"},
      {0x0001ffff, "1:fffe0000 1:0001ffff", "1:fffe0000 1:0001ffff"},
      {0xfffffffe, "1:00000001 1:fffffffe", "1:00000001 1:fffffffe"},
  };
  SmbLanes gives = cases[_i % 6].gives;
  SmbLanes others = smb_lanes_below(SMB_NVIDIA_LANES) & ~gives;
  // After giving way, lanes do something: those that are at one place are one.
  const Instruction one_side[] = {{DO_ARM, 0, 0},     {DO_BRANCH, 4, others}, {DO_GIVE_WAY, 0, 0},
                                  {DO_NOTHING, 0, 0}, {DO_SYNC, 0, 0},        {DO_MARK, 1, 0},
                                  {DO_END, 0, 0}};
  const Instruction both_sides[] = {{DO_ARM, 0, 0},     {DO_BRANCH, 5, others}, {DO_GIVE_WAY, 0, 0},
                                    {DO_NOTHING, 0, 0}, {DO_JUMP, 7, 0},        {DO_GIVE_WAY, 0, 0},
                                    {DO_NOTHING, 0, 0}, {DO_SYNC, 0, 0},        {DO_MARK, 1, 0},
                                    {DO_END, 0, 0}};
  if (_i < 6)
    check_marks(one_side, cases[_i % 6].one_side);
  else
    check_marks(both_sides, cases[_i % 6].both_sides);
}
END_TEST

// The same within another barrier, at which eight lanes wait; often: they give way twice.
START_TEST(gives_way_nested) {
  static const struct {
    SmbLanes gives;
    gboolean often;
    const char *marks;
  } cases[] = {
      {0x00000001, FALSE, "1:00fffffe 2:fffffffe 1:00000001 2:00000001"},
      {0x000000ff, TRUE, "1:00ffff00 2:ffffff00 1:000000ff 2:000000ff"},
      {0x00555555, FALSE, "1:00aaaaaa 2:ffaaaaaa 1:00555555 2:00555555"},
      {0x0000ffff, FALSE, "2:ff000000 1:00ffffff 2:00ffffff"},
      {0x0001ffff, FALSE, "2:ff000000 1:00ffffff 2:00ffffff"},
      {0x0000ffff, TRUE, "2:ff000000 1:00ff0000 2:00ff0000 1:0000ffff 2:0000ffff"},
      {0x00fffffe, TRUE, "2:ff000000 1:00000001 2:00000001 1:00fffffe 2:00fffffe"},
      {0x80000000, FALSE, "1:00ffffff 2:ffffffff"},
  };
  SmbLanes others = smb_lanes_below(SMB_NVIDIA_LANES) & ~cases[_i].gives;
  const Does again = cases[_i].often ? DO_GIVE_WAY : DO_NOTHING;
  const Instruction code[] = {{DO_ARM, 0, 0},      {DO_BRANCH, 9, 0xff000000},
                              {DO_ARM, 1, 0},      {DO_BRANCH, 7, others},
                              {DO_GIVE_WAY, 0, 0}, {again, 0, 0},
                              {DO_NOTHING, 0, 0},  {DO_SYNC, 1, 0},
                              {DO_MARK, 1, 0},     {DO_SYNC, 0, 0},
                              {DO_MARK, 2, 0},     {DO_END, 0, 0}};
  check_marks(code, cases[_i].marks);
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
  tcase_add_loop_test(tcase, parted, 0, 2);
  tcase_add_loop_test(tcase, gives_way, 0, 12);
  tcase_add_loop_test(tcase, gives_way_nested, 0, 8);
  suite_add_tcase(suite, tcase);
  return suite;
}
