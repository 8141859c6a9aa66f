// SPDX-FileCopyrightText: the smembank authors
// SPDX-License-Identifier: MIT
//
// What lanes of a warp tell each other, against the sentences of the PTX ISA, with unknown bits and lanes that are not there.
#include <check.h>
#include <string.h>

#include "tests/compute-run.h"
#include "tests/effort.h"
#include "tests/suite.h"

enum {
  LANES = 64,
  ROUNDS = 300,
};

typedef struct {
  GRand *random;
  Runner *runner;
  SmbLanes lanes;
  RunLane run[LANES];
  RunLane before[LANES];
} Exchange;

static void
begin(Exchange *exchange, guint seed) {
  exchange->random = g_rand_new_with_seed(seed);
  exchange->runner = runner_new(LANES);
}

static void
end(Exchange *exchange) {
  runner_free(exchange->runner);
  g_rand_free(exchange->random);
}

// Operands of few values, of which @unknown in 8 lanes has unknown bits; then the instruction.
static void
run(Exchange *exchange, const char *opcode, guint unknown) {
  GRand *random = exchange->random;
  memset(exchange->run, 0, sizeof exchange->run);
  guint range = g_rand_boolean(random) ? 2 : 1000;
  guint32 b = g_rand_int_range(random, 0, 32);
  static const guint32 clamps[] = {0x1f, 0, 0x181f, 0x1e01, 0x1c03, 0x0007};
  guint32 c = clamps[g_rand_int_range(random, 0, G_N_ELEMENTS(clamps))];
  for (guint lane = 0; lane < LANES; lane++) {
    RunLane *one = &exchange->run[lane];
    one->source[0] = (guint64)g_rand_int_range(random, 0, (gint)range) * 0x40000001u;
    one->source[1] = b;
    one->source[2] = c;
    one->in[0] = g_rand_int_range(random, 0, (gint)range) != 0;
    if (g_rand_int_range(random, 0, 8) < (gint)unknown) {
      one->source_unknown[0] = 1u << g_rand_int_range(random, 0, 32);
      one->in_unknown[0] = TRUE;
    }
  }
  exchange->lanes = g_rand_boolean(random)
                        ? G_MAXUINT64
                        : (guint64)g_rand_int(random) << 32 | g_rand_int(random) | 1;
  memcpy(exchange->before, exchange->run, sizeof exchange->run);
  ComputeForm form;
  ck_assert_msg(runner_find(opcode, 0, &form), "%s", opcode);
  runner_run(exchange->runner, &form, exchange->lanes, exchange->run);
}

static gboolean
takes_part(const Exchange *exchange, guint lane) {
  return exchange->lanes >> lane & 1;
}

// --- shfl

static void
check_shuffle(const Exchange *exchange, const char *mode, guint lane) {
  const RunLane *own = &exchange->before[lane], *got = &exchange->run[lane];
  gint self = lane % 32, b = (gint)own->source[1] & 31, c = (gint)own->source[2];
  gint segment = c >> 8 & 31, most = (self & segment) | (c & 31 & ~segment), partner;
  gboolean inside;
  if (g_str_equal(mode, "up")) {
    partner = self - b;
    inside = partner >= most;
  } else {
    partner = g_str_equal(mode, "down")   ? self + b
              : g_str_equal(mode, "bfly") ? self ^ b
                                          : (self & segment) | (b & ~segment);
    inside = partner <= most;
  }
  guint from = lane - (guint)self + (guint)(inside ? partner : self);
  const RunLane *other = &exchange->before[from];
  ck_assert(!got->p_unknown && got->p == inside);
  guint64 unknown = takes_part(exchange, from) ? other->source_unknown[0] : G_MAXUINT32;
  ck_assert_uint_eq(got->d_unknown & G_MAXUINT32, unknown);
  if (takes_part(exchange, from))
    ck_assert_uint_eq(got->d & G_MAXUINT32, other->source[0] & ~unknown & G_MAXUINT32);
}

START_TEST(shuffles) {
  static const char *const modes[] = {"up", "down", "bfly", "idx"};
  Exchange exchange;
  begin(&exchange, 1);
  for (guint i = 0; i < effort(ROUNDS); i++) {
    const char *mode = modes[i % G_N_ELEMENTS(modes)];
    g_autofree char *opcode = g_strdup_printf("shfl.sync.%s.b32", mode);
    run(&exchange, opcode, i / 8 % 2);
    FOR_LANES(exchange.lanes, lane)
    check_shuffle(&exchange, mode, lane);
  }
  end(&exchange);
}
END_TEST

START_TEST(shuffles_by_what_is_not_known) {
  Exchange exchange;
  ComputeForm form;
  begin(&exchange, 2);
  run(&exchange, "shfl.sync.idx.b32", 0);
  for (guint lane = 0; lane < LANES; lane++)
    exchange.run[lane].source_unknown[1] = lane == 5 ? 1 : lane == 6 ? 0x20 : 0;
  ck_assert(runner_find("shfl.sync.idx.b32", 0, &form));
  runner_run(exchange.runner, &form, G_MAXUINT64, exchange.run);
  ck_assert_uint_eq(exchange.run[5].d_unknown & G_MAXUINT32, G_MAXUINT32);
  ck_assert(exchange.run[5].p_unknown);
  ck_assert(!exchange.run[6].p_unknown); // of the amount only 5 bits count
  ck_assert_uint_eq(exchange.run[6].d_unknown & G_MAXUINT32, 0);
  end(&exchange);
}
END_TEST

// --- vote, match, redux: for all fillings of what is unknown, which are tried for a group of few unknown lanes

typedef struct {
  guint64 value[32]; // of one group
  gboolean vote[32];
  guint n;
  guint lane[32];
} Group;

// Lane numbers of a group and what they hold if @filling says which unknown bits are 1.
static Group
fill_group(const Exchange *exchange, guint first, guint filling) {
  Group group = {.n = 0};
  for (guint lane = first; lane < first + 32; lane++) {
    const RunLane *one = &exchange->before[lane];
    if (!takes_part(exchange, lane))
      continue;
    gboolean unknown = one->in_unknown[0], bit = unknown && filling & 1;
    filling >>= unknown;
    guint64 mask = one->source_unknown[0];
    group.value[group.n] = (one->source[0] & ~mask) | (bit ? mask : 0);
    group.vote[group.n] = unknown ? bit : one->in[0];
    group.lane[group.n++] = lane % 32;
  }
  return group;
}

static guint
count_unknown(const Exchange *exchange, guint first) {
  guint n = 0;
  for (guint lane = first; lane < first + 32; lane++)
    n += takes_part(exchange, lane) && exchange->before[lane].in_unknown[0];
  return n;
}

static guint32
reduce(const char *name, const Group *group) {
  guint32 result = (guint32)group->value[0];
  for (guint i = 1; i < group->n; i++) {
    guint32 x = (guint32)group->value[i];
    result = g_str_equal(name, "add")    ? result + x
             : g_str_equal(name, "and")  ? result & x
             : g_str_equal(name, "or")   ? result | x
             : g_str_equal(name, "xor")  ? result ^ x
             : g_str_equal(name, "minu") ? MIN(result, x)
             : g_str_equal(name, "maxu") ? MAX(result, x)
             : g_str_equal(name, "mins") ? (guint32)MIN((gint32)result, (gint32)x)
                                         : (guint32)MAX((gint32)result, (gint32)x);
  }
  return result;
}

// The result of @lane of the group; @p: its predicate
static guint32
decide(const char *opcode, const Group *group, guint self, gboolean *p) {
  g_auto(GStrv) parts = g_strsplit(opcode, ".", -1);
  guint32 mask = 0, votes = 0, equal = 0;
  gboolean all = TRUE;
  for (guint i = 0; i < group->n; i++) {
    mask |= 1u << group->lane[i];
    votes |= (guint32)group->vote[i] << group->lane[i];
    guint64 differs = group->value[i] ^ group->value[self];
    gboolean same = (g_str_has_suffix(opcode, "64") ? differs : (guint32)differs) == 0;
    equal |= (guint32)same << group->lane[i];
    all = all && same;
  }
  *p = FALSE;
  if (g_str_equal(parts[0], "redux")) {
    gboolean extreme = g_str_equal(parts[2], "min") || g_str_equal(parts[2], "max");
    g_autofree char *name = g_strdup_printf("%s%.1s", parts[2], extreme ? parts[3] : "");
    return reduce(name, group);
  }
  if (g_str_equal(parts[0], "match")) {
    gboolean any = g_str_equal(parts[1], "any");
    *p = !any && all;
    return any ? equal : all ? mask : 0;
  }
  const char *mode = parts[2];
  *p = g_str_equal(mode, "all")   ? votes == mask
       : g_str_equal(mode, "any") ? votes != 0
       : g_str_equal(mode, "uni") ? votes == 0 || votes == mask
                                  : FALSE;
  return g_str_equal(mode, "ballot") ? votes : G_MAXUINT32;
}

static void
check_group(const Exchange *exchange, const char *opcode, guint first, gboolean exact) {
  guint n_unknown = count_unknown(exchange, first);
  if (n_unknown > 6)
    return;
  Group group = fill_group(exchange, first, 0);
  for (guint self = 0; self < group.n; self++) {
    const RunLane *got = &exchange->run[first + group.lane[self]];
    guint32 value = 0, varies = 0;
    gboolean p = FALSE, p_varies = FALSE;
    for (guint filling = 0; filling < 1u << n_unknown; filling++) {
      Group filled = fill_group(exchange, first, filling);
      gboolean one_p;
      guint32 one = decide(opcode, &filled, self, &one_p);
      varies |= filling ? one ^ value : 0;
      p_varies = p_varies || (filling && one_p != p);
      value = one;
      p = one_p;
    }
    guint32 unknown = (guint32)got->d_unknown;
    ck_assert_msg((varies & ~unknown) == 0 && (((guint32)got->d ^ value) & ~unknown) == 0, "%s",
                  opcode);
    ck_assert_msg(got->p_unknown || (!p_varies && got->p == p), "%s", opcode);
    if (exact)
      ck_assert_msg(unknown == varies && got->p_unknown == p_varies, "%s", opcode);
  }
}

static const struct {
  const char *opcode;
  gboolean exact; // no bit is unknown that is decided
} collective[] = {
    {"vote.sync.all.pred", TRUE},   {"vote.sync.any.pred", TRUE},  {"vote.sync.uni.pred", TRUE},
    {"vote.sync.ballot.b32", TRUE}, {"match.any.sync.b32", FALSE}, {"match.any.sync.b64", FALSE},
    {"match.all.sync.b32", FALSE},  {"match.all.sync.b64", FALSE}, {"redux.sync.add.u32", FALSE},
    {"redux.sync.and.b32", TRUE},   {"redux.sync.or.b32", TRUE},   {"redux.sync.xor.b32", TRUE},
    {"redux.sync.min.u32", FALSE},  {"redux.sync.max.u32", FALSE}, {"redux.sync.min.s32", FALSE},
    {"redux.sync.max.s32", FALSE},
};

START_TEST(decides_together) {
  Exchange exchange;
  begin(&exchange, 3);
  for (guint i = 0; i < effort(ROUNDS); i++)
    for (guint j = 0; j < G_N_ELEMENTS(collective); j++) {
      run(&exchange, collective[j].opcode, i % 2);
      for (guint first = 0; first < LANES; first += 32)
        check_group(&exchange, collective[j].opcode, first, collective[j].exact || i % 2 == 0);
    }
  end(&exchange);
}
END_TEST

// redux of floating-point numbers: what the numbers are in order, NaN last.
static guint32
order_real(guint32 bits, gboolean is_absolute) {
  bits &= is_absolute ? 0x7fffffff : 0xffffffff;
  return bits >> 31 ? ~bits : bits | 0x80000000;
}

static guint32
reduce_reals(const Exchange *exchange, const char *opcode, guint first) {
  gboolean is_min = strstr(opcode, "min") != NULL, is_absolute = strstr(opcode, "abs") != NULL;
  gboolean any = FALSE, any_nan = FALSE;
  guint32 best = 0;
  FOR_LANES(exchange->lanes >> first & G_MAXUINT32, lane) {
    guint32 bits = (guint32)exchange->before[first + lane].source[0];
    guint32 order = order_real(bits, is_absolute);
    gboolean is_nan = (bits & 0x7fffffff) > 0x7f800000;
    any_nan = any_nan || is_nan;
    if (is_nan || (any && (order < best) != is_min))
      continue;
    best = order;
    any = TRUE;
  }
  if (!any || (any_nan && strstr(opcode, "NaN")))
    return 0x7fffffff;
  return best >> 31 ? best & 0x7fffffff : ~best;
}

START_TEST(reduces_reals) {
  static const char *const opcodes[] = {"redux.sync.min.f32",     "redux.sync.max.f32",
                                        "redux.sync.min.abs.f32", "redux.sync.max.abs.f32",
                                        "redux.sync.min.NaN.f32", "redux.sync.max.abs.NaN.f32"};
  Exchange exchange;
  ComputeForm form;
  begin(&exchange, 5);
  for (guint i = 0; i < effort(ROUNDS) * G_N_ELEMENTS(opcodes); i++) {
    const char *opcode = opcodes[i % G_N_ELEMENTS(opcodes)];
    run(&exchange, opcode, 0);
    memcpy(exchange.run, exchange.before, sizeof exchange.run);
    for (guint lane = 0; lane < LANES; lane++) {
      guint64 one = lane % 5 == i % 7 ? 0x80000000 : runner_real(exchange.random, "f32");
      exchange.run[lane].source[0] = i % 11 == 0 && lane % 3 ? 0x7fc00001 : one;
    }
    exchange.run[7].source_unknown[0] = i % 13 == 0;
    memcpy(exchange.before, exchange.run, sizeof exchange.run);
    ck_assert(runner_find(opcode, 0, &form));
    runner_run(exchange.runner, &form, exchange.lanes, exchange.run);
    FOR_LANES(exchange.lanes, lane) {
      guint first = lane & 32;
      gboolean lost = first == 0 && i % 13 == 0 && exchange.lanes >> 7 & 1;
      ck_assert_uint_eq((guint32)exchange.run[lane].d_unknown, lost ? G_MAXUINT32 : 0);
      if (!lost)
        ck_assert_uint_eq((guint32)exchange.run[lane].d, reduce_reals(&exchange, opcode, first));
    }
  }
  end(&exchange);
}
END_TEST

// The matrix itself, row by row, from what lanes hold.
static guint
element_of(const RunLane *lanes, guint row, guint column, guint *unknown) {
  const RunLane *holder = &lanes[4 * row + column / 2];
  *unknown = holder->source_unknown[0] >> (column % 2 * 16) & 0xffff;
  return holder->source[0] >> (column % 2 * 16) & 0xffff;
}

START_TEST(transposes) {
  Exchange exchange;
  begin(&exchange, 6);
  for (guint i = 0; i < effort(ROUNDS); i++) {
    run(&exchange, "movmatrix.sync.aligned.m8n8.trans.b16", i % 2);
    FOR_LANES(exchange.lanes, lane) {
      for (guint half = 0; half < 2; half++) {
        guint row = lane % 32 / 4, column = lane % 4 * 2 + half, unknown;
        guint first = lane & 32, from = first + 4 * column + row / 2;
        guint want = element_of(&exchange.before[first], column, row, &unknown);
        unknown = takes_part(&exchange, from) ? unknown : 0xffff;
        const RunLane *got = &exchange.run[lane];
        ck_assert_uint_eq(got->d_unknown >> (16 * half) & 0xffff, unknown);
        ck_assert_uint_eq((got->d >> (16 * half) ^ want) & ~unknown & 0xffff, 0);
      }
    }
  }
  end(&exchange);
}
END_TEST

START_TEST(tells_who_is_there) {
  Exchange exchange;
  begin(&exchange, 4);
  for (guint i = 0; i < effort(ROUNDS); i++) {
    run(&exchange, "activemask.b32", 0);
    FOR_LANES(exchange.lanes, lane)
    ck_assert_uint_eq((guint32)exchange.run[lane].d, (guint32)(exchange.lanes >> (lane & 32)));
    run(&exchange, "elect.sync", 0);
    FOR_LANES(exchange.lanes, lane) {
      guint leader = (guint)__builtin_ctz((guint32)(exchange.lanes >> (lane & 32)));
      ck_assert_uint_eq((guint32)exchange.run[lane].d, leader);
      ck_assert_int_eq(exchange.run[lane].p, leader == lane % 32);
    }
  }
  end(&exchange);
}
END_TEST

Suite *
suite_exchange(void) {
  Suite *suite = suite_create("exchange");
  TCase *tcase = tcase_create("exchange");
  tcase_add_test(tcase, shuffles);
  tcase_add_test(tcase, shuffles_by_what_is_not_known);
  tcase_add_test(tcase, decides_together);
  tcase_add_test(tcase, reduces_reals);
  tcase_add_test(tcase, transposes);
  tcase_add_test(tcase, tells_who_is_there);
  suite_add_tcase(suite, tcase);
  return suite;
}
