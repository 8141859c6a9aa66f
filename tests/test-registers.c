// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// The registers of a warp of compiled code: constants, rows that some lanes write, predicates; and what operations say of
// values that are affine in blockIdx.
#include <check.h>
#include <string.h>

#include "sim/exec/compute/compute.h"
#include "tests/compute-run.h"
#include "tests/effort.h"
#include "tests/suite.h"

enum {
  LANES = 32
};

START_TEST(keeps_constants) {
  g_autoptr(Constants) constants = smb_constants_new(LANES);
  guint32 own[LANES];
  Row one = smb_constants_add(constants, 7, 1), two = smb_constants_add(constants, 7, 2);
  Row four = smb_constants_add(constants, G_MAXUINT64, 4);
  ck_assert_uint_ne(one, two);
  ck_assert_uint_eq(one, smb_constants_add(constants, 7, 1));
  ck_assert_uint_eq(two, smb_constants_add(constants, 7, 2));
  for (guint lane = 0; lane < LANES; lane++)
    own[lane] = 3 * lane;
  Row lanes = smb_constants_add_lanes(constants, own);
  g_autoptr(Registers) registers = smb_registers_new(constants, 1, 1, NULL);
  ck_assert_uint_eq(row_values(registers, one)[31], 7);
  ck_assert_uint_eq(row_values(registers, two + 1)[0], 0);
  ck_assert_uint_eq(row_values(registers, four + 1)[3], G_MAXUINT32);
  ck_assert_uint_eq(row_values(registers, four + 3)[3], 0);
  ck_assert_uint_eq(row_values(registers, lanes)[5], 15);
  ck_assert_uint_eq(row_flags(registers, lanes), 0);
  ck_assert_uint_eq(row_origin(registers, lanes), 0);
  ck_assert_uint_eq(smb_row_known(registers, one, 0xff), 0xff);
}
END_TEST

START_TEST(begins_with_nothing) {
  g_autoptr(Constants) constants = smb_constants_new(LANES);
  g_autoptr(Registers) registers = smb_registers_new(constants, 3, 3, NULL);
  ck_assert_uint_eq(smb_row_known(registers, 1, 0xff), 0);
  ck_assert_uint_eq(row_lane_unknown(registers, 2, 9), G_MAXUINT32);
  ck_assert_uint_eq(registers->unknown_predicates[2] & 1, 1);
  ck_assert_uint_eq(registers->predicates[PREDICATE_TRUE] & G_MAXUINT32, G_MAXUINT32);
  smb_predicate_set(registers, PREDICATE_TRUE, G_MAXUINT64, 0, 0, 0, 0); // dropped
  ck_assert_uint_eq(registers->predicates[PREDICATE_TRUE] & G_MAXUINT32, G_MAXUINT32);
  smb_constants_free(NULL);
  smb_registers_free(NULL);
}
END_TEST

// Rows that some lanes write, again and again, against a plain copy of each lane.
START_TEST(merges_lanes) {
  g_autoptr(Constants) constants = smb_constants_new(LANES);
  g_autoptr(Registers) registers = smb_registers_new(constants, 1, 2, NULL);
  g_autoptr(GRand) random = g_rand_new_with_seed(3);
  guint32 values[LANES], unknown[LANES];
  for (guint lane = 0; lane < LANES; lane++) {
    values[lane] = 0;
    unknown[lane] = G_MAXUINT32;
  }
  for (guint round = 0; round < effort(2000); round++) {
    guint32 new_values[LANES], new_unknown[LANES];
    SmbLanes lanes = g_rand_int_range(random, 0, 4) ? g_rand_int(random) : G_MAXUINT32;
    guint kind = (guint)g_rand_int_range(random, 0, 3), all = (guint)g_rand_int_range(random, 0, 3);
    for (guint lane = 0; lane < LANES; lane++) {
      guint32 u = all == 0 ? 0 : all == 1 ? G_MAXUINT32 : g_rand_int(random);
      new_unknown[lane] = kind == 0 ? 0 : kind == 1 ? G_MAXUINT32 : u;
      new_values[lane] = g_rand_int(random) & ~new_unknown[lane];
      if (lanes >> lane & 1) {
        values[lane] = new_values[lane];
        unknown[lane] = new_unknown[lane];
      }
    }
    if (kind == 1)
      smb_row_forget(registers, 0, lanes, 0, 5);
    else
      smb_row_set(registers, 0, lanes, new_values, kind ? new_unknown : NULL, 0, 6);
    SmbLanes known = 0;
    for (guint lane = 0; lane < LANES; lane++) {
      ck_assert_uint_eq(row_lane_unknown(registers, 0, lane), unknown[lane]);
      ck_assert_uint_eq(row_values(registers, 0)[lane] & ~unknown[lane], values[lane]);
      known |= (SmbLanes)(unknown[lane] == 0) << lane;
    }
    ck_assert_uint_eq(smb_row_known(registers, 0, 0xffff), known & 0xffff);
  }
}
END_TEST

START_TEST(marks_what_lanes_leave) {
  g_autoptr(Constants) constants = smb_constants_new(LANES);
  g_autoptr(Registers) registers = smb_registers_new(constants, 1, 2, NULL);
  guint32 zero[LANES] = {0};
  smb_row_set(registers, 0, G_MAXUINT32, zero, NULL, ROW_AFFINE, 0);
  smb_row_set(registers, 0, 1, zero, NULL, ROW_BLOCK, 0);
  ck_assert_uint_eq(row_flags(registers, 0), ROW_AFFINE | ROW_BLOCK);
  ck_assert_uint_eq(row_flags_in(registers, 0, 1),
                    ROW_BLOCK); // each mark is of the lanes that have it
  ck_assert_uint_eq(row_flags_in(registers, 0, 2), ROW_AFFINE);
  smb_row_forget(registers, 0, 2, 0, 9);
  ck_assert_uint_eq(row_flags(registers, 0), ROW_AFFINE | ROW_BLOCK | ROW_SOME_UNKNOWN);
  ck_assert_uint_eq(row_flags_in(registers, 0, 2), ROW_SOME_UNKNOWN);
  ck_assert_uint_eq(row_origin(registers, 0), 9);
  registers->lanes = 1; // the one that is not known does not run any more
  smb_row_set(registers, 0, 1, zero, NULL, 0, 0);
  ck_assert_uint_eq(row_flags(registers, 0), 0);
  registers->lanes = 3;
  smb_predicate_set(registers, 1, 1, 1, 0, ROW_BLOCK, 0);
  ck_assert_uint_eq(registers->predicate_flags[1], ROW_SOME_UNKNOWN | ROW_BLOCK);
  smb_predicate_set(registers, 1, 3, 1, 2, 0, 8);
  ck_assert_uint_eq(registers->predicate_flags[1], ROW_SOME_UNKNOWN);
  ck_assert_uint_eq(registers->predicate_origin[1], 8);
}
END_TEST

// --- marks go through operations

START_TEST(marks_results) {
  static const struct {
    const char *opcode;
    guint flags, result; // of the first operand; of the result
  } cases[] = {
      {"add.f32", ROW_BLOCK, ROW_BLOCK},
      {"selp.b32", ROW_AFFINE, ROW_AFFINE},
      {"selp.b32", ROW_BLOCK, ROW_BLOCK},
      {"shfl.sync.idx.b32", ROW_AFFINE, ROW_AFFINE},
      {"add.cc.u32", ROW_AFFINE, ROW_AFFINE},
      {"xor.b32", ROW_AFFINE, ROW_AFFINE}, // with 0
      {"mul.lo.s32", ROW_AFFINE, 0},       // by 0
      {"redux.sync.add.s32", ROW_AFFINE, ROW_BLOCK},
      {"lop3.b32", ROW_AFFINE, ROW_AFFINE}, // of a table of zeros
      {"or.b32", ROW_AFFINE, ROW_AFFINE},
      {"mov.b32", ROW_AFFINE, ROW_AFFINE},
  };
  SmbSignature signature = {0};
  SmbBlock block = {.signature = &signature};
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    for (SmbLanes lanes = 0xffff; lanes <= G_MAXUINT32; lanes += 0xffff0000) {
      g_autoptr(Constants) constants = smb_constants_new(LANES);
      Row zero = smb_constants_add(constants, 0, 1);
      g_autoptr(Registers) registers = smb_registers_new(constants, 2, 3, &block);
      guint32 values[LANES] = {0};
      ComputeForm form;
      Compute compute;
      ck_assert(runner_find(cases[i].opcode, 0, &form));
      smb_ptx_compute_init(&form, &compute);
      for (guint j = 0; j < COMPUTE_SOURCES; j++)
        compute.s[j] = zero;
      compute.s[0] = 0;
      compute.d = 1;
      smb_compute_prepare(&compute);
      smb_row_set(registers, 0, G_MAXUINT32, values, NULL, cases[i].flags, 0);
      smb_row_set(registers, 1, G_MAXUINT32, values, NULL, 0, 0);
      smb_compute(&compute, registers, lanes);
      ck_assert_msg(row_flags(registers, 1) == cases[i].result, "%s: %u", cases[i].opcode,
                    row_flags(registers, 1));
    }
  }
}
END_TEST

static gboolean
info_is_predicate(const Compute *compute) {
  return smb_operation_info((Operation)compute->operation)->result == SHAPE_PREDICATE;
}

START_TEST(tells_where_it_comes_from) {
  g_autoptr(Constants) constants = smb_constants_new(LANES);
  Row one = smb_constants_add(constants, 1, 1);
  g_autoptr(Registers) registers = smb_registers_new(constants, 3, 3, NULL);
  static const char *const opcodes[] = {"add.f32",     "add.s32",  "and.b32",    "fma.rn.f32",
                                        "setp.lt.s32", "selp.b32", "add.cc.s32", "setp.lt.f32"};
  for (guint i = 0; i < G_N_ELEMENTS(opcodes); i++) {
    ComputeForm form;
    Compute compute;
    ck_assert(runner_find(opcodes[i], 0, &form));
    smb_ptx_compute_init(&form, &compute);
    compute.s[0] = compute.s[2] = one;
    compute.s[1] = 1;
    compute.d = 2;
    compute.p = 1;
    smb_row_forget(registers, 1, G_MAXUINT32, 0, 77);
    smb_predicate_set(registers, 2, G_MAXUINT32, 0, G_MAXUINT32, 0, 77);
    compute.in[0] = g_str_has_prefix(opcodes[i], "selp") ? 2 : 0;
    smb_compute_prepare(&compute);
    smb_compute(&compute, registers, G_MAXUINT32);
    guint32 origin =
        info_is_predicate(&compute) ? registers->predicate_origin[1] : row_origin(registers, 2);
    ck_assert_msg(origin == 77, "%s: %u", opcodes[i], origin);
  }
}
END_TEST

// --- affine values

enum {
  N_BLOCKS = 9
};

typedef struct {
  SmbSignature signature;
  guint flags;
  gint64 values[LANES];
  SmbLanes truth;
} Outcome;

// An operand is @base + blockIdx * @slope in each lane; the others are the same in all blocks.
typedef struct {
  Compute compute;
  gint64 base[3][LANES];
  gint64 slope[3][LANES];
  gboolean affine[3];
} Trial;

static void
set_operand(Registers *registers, Row row, guint n_rows, gboolean affine, const gint64 *values) {
  for (guint i = 0; i < n_rows; i++) {
    guint32 words[LANES];
    for (guint lane = 0; lane < LANES; lane++)
      words[lane] = (guint32)((guint64)values[lane] >> 32 * i);
    smb_row_set(registers, row + i, G_MAXUINT32, words, NULL, affine ? ROW_AFFINE : 0, 0);
  }
}

static Outcome
run_trial(const Constants *constants, const Trial *trial, gint64 index) {
  Outcome outcome = {.flags = 0};
  SmbBlock block = {.signature = &outcome.signature};
  g_autoptr(Registers) registers = smb_registers_new(constants, 8, 3, &block);
  for (guint i = 0; i < trial->compute.n_sources; i++) {
    gint64 values[LANES];
    for (guint lane = 0; lane < LANES; lane++)
      values[lane] = trial->base[i][lane] + (trial->affine[i] ? index * trial->slope[i][lane] : 0);
    set_operand(registers, 2 * i, trial->compute.n_rows[1 + i], trial->affine[i], values);
  }
  smb_compute(&trial->compute, registers, G_MAXUINT32);
  outcome.flags = row_flags(registers, 6);
  if (trial->compute.n_rows[0] == 2)
    outcome.flags |= row_flags(registers, 7);
  outcome.truth = registers->predicates[1];
  if (info_is_predicate(&trial->compute))
    outcome.flags = registers->predicate_flags[1];
  for (guint lane = 0; lane < LANES; lane++) {
    gint64 low = (gint32)row_values(registers, 6)[lane];
    gint64 high = row_values(registers, 7)[lane];
    outcome.values[lane] =
        trial->compute.n_rows[0] == 2 ? (gint64)((guint64)high << 32 | (guint32)low) : low;
  }
  return outcome;
}

static void
make_trial(GRand *random, const char *opcode, Trial *trial) {
  ComputeForm form;
  ck_assert_msg(runner_find(opcode, 0, &form), "%s", opcode);
  *trial = (Trial){.affine = {FALSE}};
  smb_ptx_compute_init(&form, &trial->compute);
  trial->compute.d = 6;
  trial->compute.p = 1;
  for (guint i = 0; i < 3; i++)
    trial->compute.s[i] = 2 * i;
  smb_compute_prepare(&trial->compute);
  gboolean shifts = strstr(opcode, "sh") != NULL, masks = g_str_has_prefix(opcode, "and");
  for (guint i = 0; i < 3; i++) {
    trial->affine[i] = i == 0 || g_rand_int_range(random, 0, 3) == 0;
    guint wide = g_rand_int_range(random, 0, 12);
    gint64 base = g_rand_int_range(random, -100, 100) * ((gint64)1 << 3 * wide);
    gint64 slope = g_rand_int_range(random, -3, 4) * ((gint64)1 << g_rand_int_range(random, 0, 30));
    if (shifts && i == 1) {
      trial->affine[i] = FALSE;
      base = g_rand_int_range(random, 0, 12);
    }
    if (masks && i == 1) {
      trial->affine[i] = FALSE;
      base = ((gint64)1 << g_rand_int_range(random, 0, 12)) - 1;
      base = g_rand_boolean(random) ? ~base : base;
    }
    if (trial->compute.n_rows[1 + i] == 1) {
      base %= 1 << 30;
      slope = (gint16)slope;
    }
    for (guint lane = 0; lane < LANES; lane++) {
      trial->base[i][lane] = base + (shifts || masks ? 0 : lane % 4);
      trial->slope[i][lane] = slope;
    }
  }
}

// Whether the sum of quotients of a block that is @n steps after the first is what even steps make it.
static gboolean
grows(const Outcome *first, const Outcome *next, const Outcome *one, gint64 n) {
  __extension__ unsigned __int128 step =
      (next->signature.quotients + SMB_QUOTIENT_MODULUS - first->signature.quotients) %
      SMB_QUOTIENT_MODULUS;
  guint64 sum = (guint64)((step * (guint64)n + first->signature.quotients) % SMB_QUOTIENT_MODULUS);
  return one->signature.n_quotients == first->signature.n_quotients &&
         one->signature.quotients == sum;
}

// If the blocks at both ends agree, and quotients grow evenly from the first and the second to the last, those between do what
// the marks of the result promise.
static gboolean
check_trial(const Constants *constants, const char *opcode, const Trial *trial) {
  Outcome first = run_trial(constants, trial, 0), last = run_trial(constants, trial, N_BLOCKS - 1);
  Outcome next = run_trial(constants, trial, 1);
  if (first.flags & ROW_BLOCK || last.flags & ROW_BLOCK ||
      first.signature.course != last.signature.course || first.signature.is_alone ||
      next.signature.course != first.signature.course || !grows(&first, &next, &next, 1) ||
      !grows(&first, &next, &last, N_BLOCKS - 1))
    return FALSE;
  for (gint64 i = 1; i < N_BLOCKS - 1; i++) {
    Outcome one = run_trial(constants, trial, i);
    ck_assert_msg(one.signature.course == first.signature.course, "%s: another course", opcode);
    ck_assert_msg(grows(&first, &next, &one, i), "%s: other quotients", opcode);
    ck_assert_uint_eq(one.truth, first.truth);
    for (guint lane = 0; lane < LANES && !info_is_predicate(&trial->compute); lane++) {
      __extension__ __int128 rise = (__int128)last.values[lane] - first.values[lane];
      __extension__ __int128 gone = (__int128)one.values[lane] - first.values[lane];
      gboolean right =
          first.flags & ROW_AFFINE ? gone * (N_BLOCKS - 1) == rise * i : gone == 0 && rise == 0;
      ck_assert_msg(right, "%s: lane %u of block %d", opcode, lane, (int)i);
    }
  }
  return TRUE;
}

START_TEST(follows_affine_values) {
  static const char *const opcodes[] = {
      "add.s32",      "add.s64",      "sub.s32",     "sub.u64",     "neg.s32",
      "neg.s64",      "not.b32",      "not.b64",     "mul.lo.s32",  "mul.lo.u64",
      "mul.wide.s32", "mul.wide.u32", "mad.lo.s32",  "mad.lo.s64",  "mad.wide.s32",
      "mad.wide.u32", "shl.b32",      "shl.b64",     "shr.u32",     "shr.s32",
      "shr.u64",      "shr.s64",      "mov.b32",     "mov.b64",     "cvt.s64.s32",
      "cvt.u64.u32",  "cvt.u32.u64",  "and.b32",     "and.b64",     "min.s32",
      "max.u32",      "min.u64",      "max.s64",     "div.s32",     "div.u32",
      "div.s64",      "rem.s32",      "rem.u32",     "rem.s64",     "mul.hi.u32",
      "mul.hi.s32",   "mul.hi.u64",   "setp.eq.s32", "setp.ne.u64", "setp.lt.s32",
      "setp.ge.u32",  "setp.gt.s64",  "setp.le.u64", "add.cc.u32",  "mad.lo.cc.u32",
      "add.cc.u64",   "or.b32",       "xor.b32",     "sub.cc.s32",  "setp.lt.u16",
      "popc.b32"};
  g_autoptr(GRand) random = g_rand_new_with_seed(8);
  g_autoptr(Constants) constants = smb_constants_new(LANES);
  for (guint i = 0; i < G_N_ELEMENTS(opcodes); i++) {
    guint n = 0;
    for (guint round = 0; round < 200; round++) {
      Trial trial;
      make_trial(random, opcodes[i], &trial);
      n += check_trial(constants, opcodes[i], &trial);
    }
    gboolean followed = i < G_N_ELEMENTS(opcodes) - 3;
    ck_assert_msg(followed == (n > 0), "%s: %u followed", opcodes[i], n);
  }
}
END_TEST

typedef struct {
  GRand *random;
  const Constants *constants;
  guint n; // opcodes with a round that was followed
} Following;

static void
follow_opcode(const char *opcode, gpointer user) {
  Following *following = user;
  gboolean followed = FALSE;
  if (strstr(opcode, "16")) // of 16 bits no row is affine
    return;
  for (guint round = 0; round < effort(80); round++) {
    Trial trial;
    make_trial(following->random, opcode, &trial);
    gboolean fits = trial.compute.n_sources <= 3 && trial.compute.n_rows[0] <= 2;
    for (guint i = 0; fits && i < trial.compute.n_sources; i++)
      fits = trial.compute.n_rows[1 + i] <= 2;
    if (!fits)
      return;
    followed = check_trial(following->constants, opcode, &trial) || followed;
  }
  following->n += followed;
}

// The same promise of every opcode: operations.def may say NONE of one that is affine, but nothing that is not so.
START_TEST(promises_nothing_wrong) {
  g_autoptr(Constants) constants = smb_constants_new(LANES);
  Following following = {g_rand_new_with_seed(9), constants, 0};
  runner_each_opcode(follow_opcode, &following);
  ck_assert_uint_gt(following.n, 100);
  g_rand_free(following.random);
}
END_TEST

// blockIdx * 32 | lane: what a compiler makes of a sum. With bits in common, quotients tell whether it is affine.
START_TEST(follows_or_of_other_bits) {
  static const struct {
    const char *makes; // of blockIdx and 32
    guint factor;
    const char * or ;
    guint32 other;
    gboolean is_noted; // a quotient is
  } cases[] = {
      {"shl.b32", 5, "or.b32", 31, FALSE},           {"shl.b32", 5, "or.b32", 32, TRUE},
      {"mul.lo.s32", 96, "or.b32", 31, FALSE},       {"mul.lo.s32", 97, "or.b32", 1, TRUE},
      {"and.b32", 0xffffff80, "or.b32", 127, FALSE}, {"and.b32", 0x50, "or.b32", 0, FALSE},
  };
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    guint32 values[LANES];
    guint64 before = 0;
    SmbSignature signature = {0};
    SmbBlock block = {.signature = &signature};
    g_autoptr(Constants) constants = smb_constants_new(LANES);
    Row factor = smb_constants_add(constants, cases[i].factor, 1);
    Row other = smb_constants_add(constants, cases[i].other, 1);
    g_autoptr(Registers) registers = smb_registers_new(constants, 1, 1, &block);
    for (guint lane = 0; lane < LANES; lane++)
      values[lane] = 3;
    smb_row_set(registers, 0, G_MAXUINT32, values, NULL, ROW_AFFINE, 0);
    const char *opcodes[] = {cases[i].makes, "neg.s32", "mov.b32", cases[i].or };
    for (guint j = 0; j < G_N_ELEMENTS(opcodes); j++) {
      ComputeForm form;
      Compute compute;
      ck_assert(runner_find(opcodes[j], 0, &form));
      smb_ptx_compute_init(&form, &compute);
      compute.s[1] = j == 3 ? other : factor;
      smb_compute_prepare(&compute);
      before = signature.n_quotients;
      smb_compute(&compute, registers, G_MAXUINT32);
    }
    ck_assert_uint_eq(row_flags(registers, 0), ROW_AFFINE);
    ck_assert_msg((signature.n_quotients > before) == cases[i].is_noted, "case %u", i);
  }
}
END_TEST

Suite *
suite_registers(void) {
  Suite *suite = suite_create("registers");
  TCase *tcase = tcase_create("registers");
  tcase_add_test(tcase, keeps_constants);
  tcase_add_test(tcase, begins_with_nothing);
  tcase_add_test(tcase, merges_lanes);
  tcase_add_test(tcase, marks_what_lanes_leave);
  tcase_add_test(tcase, marks_results);
  tcase_add_test(tcase, tells_where_it_comes_from);
  tcase_add_test(tcase, follows_affine_values);
  tcase_add_test(tcase, promises_nothing_wrong);
  tcase_add_test(tcase, follows_or_of_other_bits);
  suite_add_tcase(suite, tcase);
  return suite;
}
